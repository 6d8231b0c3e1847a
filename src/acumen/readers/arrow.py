"""What pyarrow reads: Parquet, and big text tables that are clean."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from csv import reader
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, UsageError
from acumen.readers.cells import NO_NUMBER, arrow_numbers, number_in_text
from acumen.readers.content import BOM, Content
from acumen.readers.delimited import Sheet, header_of
from acumen.readers.frame import coded_array, frame_rows
from acumen.readers.records import Rows

MOST_LEVELS: Final = 25
"""A column of so few whole numbers is one of levels; one of more may be one of ids."""
_NO_NUMBER: Final = [w for word in sorted(NO_NUMBER) for w in {word, word.upper(), word.title()}]
_WHOLE: Final = re.compile(r"-?\d{1,9}", re.ASCII)


def read_parquet(content: Content) -> Rows:
    """The rows of a Parquet file (needs pyarrow)."""
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise UsageError("reading Parquet needs pyarrow: pip install pyarrow") from None
    data = pa.BufferReader(content.data)
    try:
        schema = ParquetFile(data).schema_arrow
        texts = [c.name for c in schema if str(c.type) in ("string", "large_string")]
        frame = ParquetFile(data, read_dictionary=texts).read()
    except (pa.ArrowException, OSError) as error:
        raise DataError([f"is not a Parquet file: {error}"], source=content.name) from None
    names = _class_labels(frame.schema.metadata or {})
    return frame_rows(frame, content.name, names_of_codes=names)


def _class_labels(metadata: dict[bytes, bytes]) -> dict[str, tuple[str, ...]]:
    """Columns whose codes have names, as Hugging Face datasets keep them beside the schema."""
    try:
        features = json.loads(metadata.get(b"huggingface", b"{}"))["info"]["features"]
        labels = {k: f["names"] for k, f in features.items() if f.get("_type") == "ClassLabel"}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {k: tuple(map(str, names)) for k, names in labels.items() if isinstance(names, list)}


def read_clean_csv(content: Content) -> Sheet | None:
    """A text table as pyarrow reads it, if that is sure to be what the careful reader would give.

    It is not where cells are quoted, lines are blank or numbers are odd; the careful reader reads
    the file then, and says what is wrong.
    """
    try:
        import pyarrow as pa
        from pyarrow import csv
    except ImportError:
        return None
    data = content.data.removeprefix(BOM)
    beginning = data[: 1 << 16].decode("utf-8", "replace")
    mark, start, header = header_of(beginning)
    names = [cell.strip() for cell in next(reader([header], delimiter=mark))]
    odd = data.find(b'"', len(header.encode())) >= 0 or b"\0" in data or len(names) < 2
    odd = odd or (b"\r" in data and data.count(b"\r") != data.count(b"\r\n"))
    if odd or start or len({*names}) < len(names) or not beginning.startswith(header):
        return None
    text = pa.dictionary(pa.int32(), pa.string())

    def read(types: dict[str, Any], **columns: Any) -> Any:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=names, skip_rows=1, block_size=4 << 20),
            parse_options=csv.ParseOptions(
                delimiter=mark, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, text) | types, null_values=_NO_NUMBER, **columns
            ),
        )

    def written(name: str) -> Any:
        return coded_array(read({}, include_columns=[name])[name])

    numbers = _numeric(beginning.splitlines()[1:-1], mark, names)
    try:
        table = read({name: getattr(pa, kind)() for name, kind in numbers.items()})
    except pa.ArrowInvalid:  # a number further down is odd, or a line is
        try:
            table = read({})
        except pa.ArrowException:
            return None
    columns = {name: _values(table[name]) for name in names}
    columns |= {name: written(name) for name, values in columns.items() if values is None}
    arrays = [c for c in columns.values() if isinstance(c, np.ndarray)]
    texts = [c for c in columns.values() if not isinstance(c, np.ndarray)]
    if all(np.isnan(c).any() for c in arrays) and all("" in c.values for c in texts):
        return None  # perhaps in one row
    return Sheet(
        columns=columns,
        size=len(table),
        again=written,
        lines=np.arange(2, len(table) + 2),  # no cell is quoted, so each line is a row
        format="csv",
        is_text=True,
    )


def _values(column: Any) -> Any:
    """A column's texts or numbers; None where its numbers must be looked at as they are written."""
    kind = str(column.type)
    if kind == "int64":  # a word for none may be one that is told
        return None if column.null_count else arrow_numbers(column)
    if kind != "double":
        return coded_array(column)
    values = arrow_numbers(column, math.nan)
    return values if np.isfinite(values).sum() == len(values) - column.null_count else None


def _numeric(lines: Sequence[str], mark: str, names: Sequence[str]) -> dict[str, str]:
    """Columns whose first cells are few whole numbers, or many with a decimal point: their type."""
    cells = [line.split(mark) for line in lines[:1000]]
    if not cells or any(len(row) != len(names) for row in cells):
        return {}
    columns = zip(names, zip(*cells, strict=True), strict=True)
    return {name: kind for name, column in columns if (kind := _kind({*column}, len(cells)))}


def _kind(cells: set[str], rows: int) -> str | None:
    if len(cells) <= MOST_LEVELS and all(map(_WHOLE.fullmatch, cells)):
        return "int64"
    numbers = {type(number_in_text(cell)) for cell in cells}
    is_float = len(cells) > min(100, rows / 2) and float in numbers and str not in numbers
    return "float64" if is_float else None

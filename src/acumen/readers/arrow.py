"""What pyarrow reads: Parquet, and big text tables that are clean."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from csv import reader
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, UsageError
from acumen.readers.cells import NO_NUMBER, number_in_text
from acumen.readers.content import BOM, Content
from acumen.readers.delimited import Sheet, header_of
from acumen.readers.frame import coded_array, frame_rows
from acumen.readers.records import Rows


def read_parquet(content: Content) -> Rows:
    """The rows of a Parquet file (needs pyarrow)."""
    try:
        import pyarrow.parquet as parquet
        from pyarrow import ArrowException
    except ImportError:
        raise UsageError("reading Parquet needs pyarrow: pip install pyarrow") from None
    try:
        file = parquet.ParquetFile(io.BytesIO(content.data))
        texts = [c.name for c in file.schema_arrow if str(c.type) in ("string", "large_string")]
        frame = parquet.read_table(io.BytesIO(content.data), read_dictionary=texts)
    except (ArrowException, OSError) as error:
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
        import pyarrow.compute as pc
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
    floats = _float_columns(beginning.splitlines()[1:-1], mark, names)
    types = {name: pa.float64() if name in floats else text for name in names}

    def read(types: Mapping[str, Any], **columns: Any) -> Any:
        return csv.read_csv(
            pa.BufferReader(data),
            read_options=csv.ReadOptions(column_names=names, skip_rows=1, block_size=4 << 20),
            parse_options=csv.ParseOptions(
                delimiter=mark, quote_char=False, ignore_empty_lines=False
            ),
            convert_options=csv.ConvertOptions(
                column_types=types, null_values=_NO_NUMBER, **columns
            ),
        )

    try:
        table = read(types)
    except pa.ArrowException:
        return None
    if not all(pc.all(pc.is_finite(table[n])).as_py() for n in floats):
        return None
    texts = {name: coded_array(table[name]) for name in names if name not in floats}
    if all("" in column.values for column in texts.values()):
        return None  # perhaps a row of blanks
    return Sheet(
        # NaN where a float is null
        columns={n: texts[n] if n in texts else table[n].to_numpy() for n in names},
        size=len(table),
        again=lambda name: coded_array(read({name: text}, include_columns=[name])[name]),
        lines=np.arange(2, len(table) + 2),  # no cell is quoted, so each line is a row
        format="csv",
        is_text=True,
    )


_NO_NUMBER: Final = [w for word in sorted(NO_NUMBER) for w in {word, word.upper(), word.title()}]


def _float_columns(lines: Sequence[str], mark: str, names: Sequence[str]) -> set[str]:
    """Columns whose first cells are many different numbers with a decimal point."""
    cells = [line.split(mark) for line in lines[:1000]]
    if not cells or any(len(row) != len(names) for row in cells):
        return set()
    columns = dict(zip(names, zip(*cells, strict=True), strict=True))
    return {name for name, column in columns.items() if _are_floats(column)}


def _are_floats(cells: Sequence[str]) -> bool:
    numbers = [number_in_text(cell) for cell in cells]
    return (
        len({*cells}) > min(100, len(cells) / 2)
        and not any(isinstance(n, str) for n in numbers)
        and any(isinstance(n, float) for n in numbers)
    )

"""What pyarrow reads: Parquet, and big text tables that are clean."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence, Set
from csv import reader
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, refuse
from acumen.extras import need
from acumen.readers.cells import NO_NUMBER, arrow_numbers, gathered, number_in_text
from acumen.readers.content import BOM, FREE, MOST_SWELL, Content
from acumen.readers.frame import coded_array, frame_rows
from acumen.readers.pages import Page, pages
from acumen.readers.records import Rows
from acumen.readers.sheet import Sheet, header_of
from acumen.table.coded import Coded

MOST_LEVELS: Final = 25
"""A column of so few whole numbers is one of levels; one of more may be one of ids."""
LONGEST_FOOTER: Final = 8 << 20
"""Bytes that say where the columns of a Parquet file lie: 100,000 pieces of them take as many."""
MOST_PAGES: Final = 200_000
LARGEST_DOUBTED: Final = 64 << 20
"""A file of so few bytes may be a bomb, and its pages are asked one by one what they hold."""
FREE_VALUES: Final = 20_000_000
MOST_VALUES: Final = 16
"""Up to ``FREE_VALUES`` a Parquet file may hold as it likes; from there so many a byte."""
_NO_NUMBER: Final = [w for word in sorted(NO_NUMBER) for w in {word, word.upper(), word.title()}]


def read_parquet(content: Content) -> Rows:
    """The rows of a Parquet file (needs pyarrow)."""
    need("parquet", "reading Parquet")
    import narwhals as nw
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    _refuse_long_footer(content)
    metadata = ParquetFile(content.file).metadata
    _refuse_bomb(content, metadata)
    schema = metadata.schema.to_arrow_schema()
    texts = [c.name for c in schema if str(c.type) in ("string", "large_string")]
    options: dict[str, Any] = {"read_dictionary": texts, "pre_buffer": True, "metadata": metadata}
    file = ParquetFile(content.file, **options)
    empty = pa.Table.from_batches([], file.schema_arrow)  # empty_table() imports pandas

    def parts(columns: Sequence[str], _: Content = content) -> Iterator[Any]:
        """Columns, a group of rows at a time; the file is open as long as its content is there."""
        _refuse_bomb(content, metadata, {*columns})
        for group in range(file.num_row_groups):
            part = file.read_row_group(group, columns=columns)
            yield nw.from_native(part, eager_only=True)

    names = _class_labels(schema.metadata or {})
    details = {"names_of_codes": names, "size": file.metadata.num_rows, "parts": parts}
    return frame_rows(empty, content.name, **details)


def _refuse_long_footer(content: Content) -> None:
    """Refuse a file that describes itself at length: what is described is held in the memory."""
    content.file.seek(max(0, content.size - 8))
    length = int.from_bytes(content.file.read(4), "little")
    content.file.seek(0)
    if LONGEST_FOOTER < length < content.size:  # beyond the file it is damaged, which Arrow says
        most = f"{LONGEST_FOOTER >> 20} MiB"
        message = f"takes {length:,} bytes to tell its columns and groups of rows: {most} at most"
        raise DataError([message], source=content.name)


def _refuse_bomb(content: Content, metadata: Any, names: Set[str] = frozenset()) -> None:
    """Refuse a small file of so much that unpacking it would fill the memory.

    By what its end says of all columns; or by what the pages of those with such names say.
    """
    groups = [metadata.row_group(at) for at in range(metadata.num_row_groups)]
    columns = [group.column(at) for group in groups for at in range(group.num_columns)]
    most = max(FREE_VALUES, MOST_VALUES * content.size), max(FREE, MOST_SWELL * content.size)
    values = sum(column.num_values for column in columns)
    unpacked = sum(column.total_uncompressed_size for column in columns)
    if names and content.size <= LARGEST_DOUBTED:
        beginnings = tuple(f"{name}." for name in names)
        read = [c for c in columns if f"{c.path_in_schema}.".startswith(beginnings)]
        values, unpacked = _by_pages(content, read, most)
    problems = []
    if values > most[0]:
        problems.append(f"holds {values:,} values in {content.size:,} bytes: refused")
    if unpacked > most[1]:
        problems.append(f"unpacks to {unpacked:,} bytes from {content.size:,}: refused")
    refuse([f"{p}; write it as text if you trust it" for p in problems], content.name)


def _by_pages(content: Content, columns: Sequence[Any], most: tuple[int, int]) -> tuple[int, int]:
    """How many values and bytes the pages have by their own headers, until they are too many."""
    values = unpacked = 0
    for number, page in enumerate(chain.from_iterable(_pages_of(content, c) for c in columns), 1):
        values, unpacked = values + page.values, unpacked + page.unpacked
        if values > most[0] or unpacked > most[1]:
            break
        if number > MOST_PAGES:
            raise DataError([f"is cut into more than {MOST_PAGES:,} pages"], content.name)
    return values, unpacked


def _pages_of(content: Content, column: Any) -> Iterator[Page]:
    starts = (column.dictionary_page_offset, column.data_page_offset)
    start = min(at for at in starts if at) if any(starts) else 0
    try:
        yield from pages(
            content.file, start, min(content.size, start + column.total_compressed_size)
        )
    except (ValueError, IndexError):
        raise EOFError("a page whose header cannot be read") from None  # "is it damaged?"


def _class_labels(metadata: dict[bytes, bytes]) -> dict[str, tuple[str, ...]]:
    """Columns whose codes have names, as Hugging Face datasets keep them beside the schema."""
    try:
        features = json.loads(metadata.get(b"huggingface", b"{}"))["info"]["features"]
        labels = {k: f["names"] for k, f in features.items() if f.get("_type") == "ClassLabel"}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
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
    first = content.start[: content.start.find(b"\n") + 1]
    beginning = content.start.removeprefix(BOM)[: 1 << 16].decode("utf-8", "replace")
    mark, start, header = header_of(beginning)
    names = [cell.strip() for cell in next(reader([header], delimiter=mark))]
    is_first = header.strip().encode() == first.removeprefix(BOM).strip()
    if start or not is_first or len(names) < 2 or len({*names}) < len(names) or "" in names:
        return None
    size, has_hex, text = 0, False, pa.dictionary(pa.int32(), pa.string())
    for block in content.blocks(len(first), 1 << 16):  # so few stay in the processor's cache
        bare = b"\r" in block and block.count(b"\r") != block.count(b"\r\n")
        if bare or b'"' in block or b"\0" in block:
            return None
        has_x = b"x" in block or b"X" in block
        has_hex = has_hex or (has_x and (b"0x" in block or b"0X" in block))
        ends = np.frombuffer(block, np.uint8) == ord("\n")
        size += int(np.count_nonzero(ends)) + (not block.endswith(b"\n"))

    def parts(types: dict[str, Any], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Columns, a block of lines at a time."""
        for block in content.blocks(len(first)):
            table = csv.read_csv(
                pa.BufferReader(block),
                read_options=csv.ReadOptions(column_names=names, block_size=4 << 20),
                parse_options=csv.ParseOptions(
                    delimiter=mark, quote_char=False, ignore_empty_lines=False
                ),
                convert_options=csv.ConvertOptions(
                    column_types=dict.fromkeys(names, text) | types,
                    null_values=_NO_NUMBER,
                    include_columns=columns,
                ),
            )
            yield {name: _values(table[name]) for name in columns}

    kinds = _kinds(beginning.splitlines()[1:-1], mark, names)
    try:
        # pyarrow takes 0x1 for a whole number
        types = {n: getattr(pa, k)() for n, k in kinds.items() if not (has_hex and k == "int32")}
        columns = gathered(parts(types, names), size)
    except ValueError:  # a number further down is odd, or a line is
        try:
            columns = gathered(parts({}, names), size)
        except ValueError:  # pyarrow's are of this kind; or another program wrote into the file
            return None
    arrays = [c for c in columns.values() if isinstance(c, np.ndarray)]
    texts = [c for c in columns.values() if not isinstance(c, np.ndarray)]
    if all(np.isnan(c).any() for c in arrays) and all("" in c.values for c in texts):
        return None  # perhaps in one row
    return Sheet(
        columns=columns,
        size=size,
        again=lambda name: gathered(parts({}, [name]), size)[name],
        lines=np.arange(2, size + 2, dtype=np.int32),  # no cell is quoted: each line is a row
        format="csv",
        is_text=True,
    )


def _values(column: Any) -> Any:
    """A column's texts or numbers; what may be odd must be looked at as it is written."""
    if (kind := str(column.type)) == "string":
        return _by_runs(column)
    if kind not in ("int32", "double"):
        return coded_array(column)
    values = arrow_numbers(column, math.nan if kind == "double" else 0.0)
    # a word for none among whole numbers may be one that is told
    gaps = column.null_count if kind == "double" else 0
    if (column.null_count and not gaps) or np.isfinite(values).sum() < len(values) - gaps:
        raise ValueError("an odd number")
    return values


def _by_runs(column: Any) -> Coded:
    """Texts that are the same in many rows one after another, by their distinct values."""
    from pyarrow import compute

    runs = compute.run_end_encode(column.combine_chunks())
    values = runs.values.dictionary_encode()
    sizes = np.diff(arrow_numbers(runs.run_ends), prepend=0)
    codes = np.repeat(arrow_numbers(values.indices), sizes)
    return Coded(tuple(values.dictionary.to_pylist()), codes)


def _kinds(lines: Sequence[str], mark: str, names: Sequence[str]) -> dict[str, str]:
    """What a column's first cells are: few whole numbers, many with a decimal point, or runs."""
    cells = [line.split(mark) for line in lines[:300]]
    types: dict[str, str] = {}
    if any(len(row) != len(names) for row in cells):
        return types
    for name, column in zip(names, zip(*cells, strict=True), strict=bool(cells)):
        distinct = set(column)
        kinds = {type(number_in_text(cell)) for cell in distinct}
        if kinds == {int} and len(distinct) <= MOST_LEVELS:
            types[name] = "int32"
        elif len(distinct) > min(100, len(cells) / 2) and float in kinds and str not in kinds:
            types[name] = "float64"
        elif sum(a != b for a, b in pairwise(column)) < len(column) / 2:
            types[name] = "string"
    return types

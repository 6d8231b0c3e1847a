"""Any dataframe that narwhals accepts (pandas, polars, pyarrow, …) as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acumen.errors import DataError, UsageError, printable
from acumen.readers.cells import arrow_numbers, gathered, recoded, series_numbers, series_values
from acumen.readers.records import Rows
from acumen.table.coded import Coded

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Frame(Rows):
    """The rows of a dataframe."""

    data: Any
    """As narwhals has it; without rows where they come in parts."""
    size: int
    parts: Callable[[Sequence[str]], Iterable[Any]]
    """The parts of some columns one after another, read when they are asked for."""
    ready: dict[str, Any] = field(default_factory=dict)
    """Columns that were read and not yet asked for."""
    names_of_codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns that hold codes of names, as Hugging Face writes them; −1 is no label."""

    def __len__(self) -> int:
        return self.size

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        return list(self.data.columns)

    def column(self, name: str) -> Any:
        """A column: an array of numbers, codes of texts, or a list."""
        if len(self.data) == self.size:
            return self._values(self.data[name], name)
        if name not in self.ready:
            self.read_ahead([name])
        return self.ready.pop(name)

    def read_ahead(self, names: Sequence[str]) -> None:
        """Read columns in parts, each of all columns at once: they are decoded side by side."""
        if len(self.data) < self.size:
            parts = ({n: self._values(part[n], n) for n in names} for part in self.parts(names))
            self.ready.update(gathered(parts, self.size))

    def _values(self, series: Any, name: str) -> Any:
        import narwhals as nw

        if name in self.names_of_codes:
            return _named(series, self.names_of_codes[name])
        # of several parts all are coded: in which of them there are gaps shows too late
        has_gaps = len(series) < self.size or series.null_count() > 0
        if series.dtype in (nw.String, nw.Categorical, nw.Enum) or (
            has_gaps and series.dtype.is_integer()
        ):
            try:  # by their distinct values, which pyarrow finds fast where it is there
                return coded_array(series.to_arrow())
            except ImportError:
                return Coded.of(series_values(series))
        if series.dtype.is_float():
            return _floats(series)
        return series_values(series)

    def has_numbers(self, name: str) -> bool:
        """By the column's type."""
        return bool(self.data[name].dtype.is_numeric()) and name not in self.names_of_codes

    def order(self, name: str) -> tuple[Any, ...] | None:
        """The order of an ordered categorical, or of the names that codes stand for."""
        import narwhals as nw

        if name in self.names_of_codes:
            return self.names_of_codes[name]
        if isinstance(dtype := self.data[name].dtype, nw.Enum):
            return tuple(dtype.categories)
        if not getattr(getattr(self.data[name].to_native(), "type", None), "ordered", False):
            return None
        chunks = (c for part in self.parts([name]) for c in part[name].to_native().chunks)
        return tuple(dict.fromkeys(v for c in chunks for v in c.dictionary.to_pylist())) or None

    def nan_rows(self, name: str) -> NDArray[Any]:
        """Rows where a column has NaN, which is not null where the library tells them apart."""
        if not self.data[name].dtype.is_float():
            return np.zeros(0, np.int64)
        columns = (part[name] for part in self.parts([name]))
        parts = (series_numbers(s.is_nan() & ~s.is_null()) for s in columns)
        return np.flatnonzero(np.concatenate([*parts, np.zeros(0, bool)]))


def frame_rows(frame: Any, source: str | None = None, **details: Any) -> Frame:
    """A dataframe as rows: collected if it is lazy, every column named by a text."""
    import narwhals as nw

    try:
        data: Any = nw.from_native(frame, pass_through=True)
        if not isinstance(data, nw.DataFrame | nw.LazyFrame):
            kind = printable(type(frame).__name__)
            raise UsageError(f"a dataframe is expected, not {kind}; for columns: from_columns")
        if isinstance(data, nw.LazyFrame):
            data = data.collect()
        texts = {name: str(name) for name in data.columns if not isinstance(name, str)}
        if {*texts.values()} & {*data.columns}:
            raise nw.exceptions.DuplicateError
        data = data.rename(texts) if texts else data
        details = {"size": len(data), "parts": lambda names: [data], **details}
        return Frame(data=data, format="frame", **details)
    except nw.exceptions.DuplicateError:
        raise DataError(["two columns have the same name"], source=source) from None


def _named(series: Any, names: tuple[str, ...]) -> Coded:
    """Codes as the names they stand for; a code without a name is kept, to be refused."""
    codes = Coded.of(series_values(series))
    values = [names[v] if isinstance(v, int) and 0 <= v < len(names) else v for v in codes.values]
    return recoded(codes.codes, [None if value == -1 else value for value in values])


def coded_array(array: Any) -> Coded:
    """An Arrow array by its distinct values."""
    import pyarrow as pa
    from pyarrow import compute

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    # signed first: a library may count from 0 in numbers that have no -1
    codes = arrow_numbers(array.indices.cast(pa.int32()), -1)
    distinct = array.dictionary
    values = tuple(distinct.to_pylist())
    if distinct.null_count:
        return recoded(codes, values)
    # one may be there twice, which is quick to rule out where texts rise
    is_text = pa.types.is_string(distinct.type) or pa.types.is_large_string(distinct.type)
    rises = is_text and compute.all(compute.less(distinct[:-1], distinct[1:]), min_count=0).as_py()
    return (
        Coded(values, codes) if rises or len({*values}) == len(values) else recoded(codes, values)
    )


def _floats(series: Any) -> Any:
    """Numbers with NaN for null; the rows whose NaN is no null are looked at before."""
    values = np.array(series_numbers(series, 0.0), np.float64)
    if series.null_count():
        values[series_numbers(series.is_null()).astype(bool)] = np.nan
    return values

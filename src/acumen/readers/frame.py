"""Any dataframe that narwhals accepts (pandas, polars, pyarrow, …) as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from acumen.errors import DataError, UsageError, printable
from acumen.readers.assemble import assemble
from acumen.readers.cells import arrow_numbers, gathered, recoded, series_numbers, series_values
from acumen.readers.reading import Reading
from acumen.readers.records import Rows
from acumen.readers.request import Request
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Frame(Rows):
    """The rows of a dataframe."""

    data: Any
    """As narwhals has it; without rows where they come in parts."""
    size: int
    parts: Callable[[str], Iterable[Any]]
    """The parts of a column one after another, read when they are asked for."""
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
        parts = ({name: self._values(series, name)} for series in self.parts(name))
        return gathered(parts, self.size)[name]

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
        chunks = (chunk for series in self.parts(name) for chunk in series.to_native().chunks)
        return tuple(dict.fromkeys(v for c in chunks for v in c.dictionary.to_pylist())) or None

    def nan_rows(self, name: str) -> NDArray[Any]:
        """Rows where a column has NaN, which is not null where the library tells them apart."""
        if not self.data[name].dtype.is_float():
            return np.zeros(0, np.int64)
        parts = (series_numbers(s.is_nan() & ~s.is_null()) for s in self.parts(name))
        return np.flatnonzero(np.concatenate([*parts, np.zeros(0, bool)]))


def from_frame(
    frame: Any,
    *,
    source: Source = Source(),  # noqa: B008  (frozen)
    **reading: Unpack[Reading],
) -> Judgments:
    """The table of a long dataframe, one row a judgment.

    Columns are named by keywords (``truth="human"``) or by ``columns`` (role -> column); those not
    named are found by the names that people give them. Other numeric columns are signals.
    A null prediction is an abstention (in pandas NaN is null).

    >>> import pyarrow as pa
    >>> rows = pa.table({"participant_id": [7, 7], "item": ["Sleep", "Tired"], "gt": [1, 2],
    ...                  "pred": [1, None], "confidence": [0.9, 0.1]})
    >>> from_frame(rows).answered
    array([ True, False])
    """
    return assemble(frame_rows(frame, source.name), source, Request.of(reading))


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
        details = {"size": len(data), "parts": lambda name: [data[name]], **details}
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

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    # signed first: a library may count from 0 in numbers that have no -1
    codes = arrow_numbers(array.indices.cast(pa.int32()), -1)
    values = array.dictionary.to_pylist()
    is_sound = len(set(values)) == len(values) and None not in values
    # a dictionary may hold a value twice
    return Coded(tuple(values), codes) if is_sound else recoded(codes, values)


def _floats(series: Any) -> Any:
    """Numbers with NaN for null; the rows whose NaN is no null are looked at before."""
    null = series_numbers(series.is_null()).astype(bool)
    values = np.array(series_numbers(series, 0.0), np.float64)
    values[null] = np.nan
    return values

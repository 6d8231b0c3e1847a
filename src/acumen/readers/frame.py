"""Any dataframe that narwhals accepts (pandas, polars, pyarrow, …) -> the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, label, printable
from acumen.readers.columns import from_columns
from acumen.readers.series import series_values
from acumen.table.judgments import Judgments, Signal, Source
from acumen.table.scale import find_scale

CONVENTIONS: Final[dict[str, tuple[str, ...]]] = {
    "case": ("case", "case_id", "participant_id", "participant", "subject", "business_id", "id"),
    "item": ("item", "item_id", "item_name", "question"),
    "truth": ("truth", "ground_truth", "gt", "gold", "y_true"),
    "prediction": ("prediction", "predicted", "pred", "score", "y_pred"),
    "confidence": ("confidence", "conf"),
    "outcome": ("outcome",),
    "risk_score": ("risk_score", "y_score"),
    "weight": ("weight", "sample_weight"),
}
"""Names a column goes by when none is given: the first that is there is taken, in any case."""

REQUIRED: Final = ("case", "truth", "prediction")


def from_frame(
    frame: Any,
    *,
    columns: Mapping[str, str] | None = None,
    scale: Any = None,
    source: Source = Source(),  # noqa: B008  (frozen)
) -> Judgments:
    """The table of a long dataframe, one row a judgment.

    ``columns`` maps the roles of :data:`CONVENTIONS` to column names; those not given are guessed
    by convention. Other numeric columns are signals.
    A null prediction is an abstention (in pandas NaN is null).

    >>> import pyarrow as pa
    >>> rows = pa.table({"participant_id": [7, 7], "item": ["Sleep", "Tired"], "gt": [1, 2],
    ...                  "pred": [1, None], "confidence": [0.9, 0.1]})
    >>> from_frame(rows).answered
    array([ True, False])
    """
    data = _named_columns(frame, source)
    roles = column_roles(list(data.columns), columns, source.name)
    _refuse_nan(data, roles, "case" if scale is None else find_scale(scale).case, source.name)
    values: dict[str, Any] = {r: series_values(data[name]) for r, name in roles.items()}
    signals = {
        name: _signal(data[name])
        for name in data.columns
        if name not in roles.values() and data[name].dtype.is_numeric()
    }
    if values.pop("confidence", None) is not None:
        signals["confidence"] = _signal(data[roles["confidence"]])
    return from_columns(**values, signals=signals, scale=scale, source=source)


def _named_columns(frame: Any, source: Source) -> Any:
    """The frame as narwhals has it, collected if it is lazy, every column named by a text."""
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
        return data.rename(texts) if texts else data
    except nw.exceptions.DuplicateError:
        raise DataError(["two columns have the same name"], source=source.name) from None


def column_roles(
    names: list[str], columns: Mapping[str, str] | None, source: str | None
) -> dict[str, str]:
    """Which column plays which role: as named, else by convention."""
    columns = columns or {}
    folded = {name.strip().casefold(): name for name in reversed(names)}
    unknown = [role for role in columns if role not in CONVENTIONS]
    if unknown:
        raise UsageError(f"no role {label(unknown[0])}; there are {', '.join(CONVENTIONS)}")
    roles = {}
    problems = []
    for role, conventional in CONVENTIONS.items():
        candidates = (columns[role],) if role in columns else conventional
        column = next((name for name in candidates if name in names), None)
        if column is None and role not in columns:
            column = next((folded[name] for name in candidates if name in folded), None)
        if column is not None:
            roles[role] = column
        elif role in columns or role in REQUIRED:
            known = ", ".join(label(n) for n in names) or "no columns"
            problems.append(
                Problem(f"no column for the {role} ({' or '.join(candidates)}); there are {known}")
            )
    if problems:
        raise DataError(problems, source=source)
    return roles


def _refuse_nan(data: Any, roles: Mapping[str, str], noun: str, source: str | None) -> None:
    """NaN where the library tells it from null is no abstention: something went wrong there."""
    problems = []
    for role in ("truth", "prediction"):
        series = data[roles[role]]
        if not series.dtype.is_float():
            continue
        for row in np.flatnonzero((series.is_nan() & ~series.is_null()).to_numpy()).tolist():
            place = {"case": data[roles["case"]][row]}
            if "item" in roles:
                place["item"] = str(data[roles["item"]][row])
            message = "NaN is not a level; an abstention is null"
            problems.append(Problem(message, field=role, noun=noun, **place))
    if problems:
        raise DataError(problems, source=source)


def _signal(series: Any) -> Signal:
    null: NDArray[np.bool_] = np.asarray(series.is_null().to_numpy(), bool)
    if not series.dtype.is_numeric():
        return Signal.of_objects(series.to_list(), absent=object())
    numbers = np.asarray(series.fill_null(0).to_numpy(), np.float64)
    return Signal.of_numbers(numbers, null)

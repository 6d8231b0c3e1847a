"""The passes over the rows, as lazy expressions that run on any engine.

Pass 1 counts cells: (bin of confidence, truth, prediction). Pass 2 looks up what a row of each cell
does to the metrics, adds that up within cases and returns sums of powers over the cases. Rows are
named by role before: ``case``, ``truth``, ``prediction``, ``confidence`` and so on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from warnings import catch_warnings, simplefilter

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, counted, label
from acumen.large.engines import Columns, beside, fetch
from acumen.readers.cells import NO_NUMBER
from acumen.readers.request import Request
from acumen.readers.roles import guess_roles
from acumen.readers.templates import variables_of

MOST_VALUES: Final = 1 << 20
"""Distinct confidences up to which each is a bin of its own."""
BITS: Final = 13
"""Leading bits of the mantissa that make a bin, where there are more."""
TENTHS: Final = 16
"""Numbers a bin has room for beside its bits: the tenth that it lies in."""
LEAST: Final = 2.0**-126
"""What is nearer to 0 than this is 0, as for a float of 32 bits."""
ROLES: Final = ("case", "item", "truth", "prediction", "confidence", "outcome", "weight", "system")


@dataclass(frozen=True, eq=False)
class LargeRows:
    """The rows of a lazy frame, columns named by role."""

    frame: nw.LazyFrame[Any]
    request: Request
    keys: tuple[str, ...] = ("bin", "truth", "prediction", "open")
    """What makes a cell."""
    groups: tuple[str, ...] = ()
    """Columns to slice by."""
    has_confidence: bool = True


def named_rows(frame: nw.LazyFrame[Any], reading: Mapping[str, Any]) -> LargeRows:
    """Rows under the columns that were named, else by the names people give them."""
    request = Request.of(reading)
    mapping, schema = request.over({}), frame.collect_schema()
    cells = {r: c if isinstance(c, list) else [c] for r, c in mapping.columns if c is not None}
    named = {role: [cell.path for cell in of_role] for role, of_role in cells.items()}
    if reading.get("encoding") is not None:
        raise UsageError("encoding: not where rows stay in an engine")
    if request.labels is not None:
        raise UsageError("labels: not where rows stay in an engine; join them there")
    _refuse(named, mapping, [*schema])
    columns = {role: paths[0] for role, paths in named.items() if role != "group"}
    columns |= guess_roles([*schema], named).columns
    for column, values in mapping.where.items():
        frame = frame.filter(_is_one_of(nw.col(column), schema[column], values))
    kinds = {"confidence": nw.Float64, "weight": nw.Float64}
    roles = [nw.lit(float(k)).alias(n) for k, n in enumerate(kinds) if n not in columns]
    for role in (role for role in ROLES if role in columns):
        cell, own = nw.col(columns[role]), schema[columns[role]]
        if role in kinds and own == nw.String:  # words for no number, as in a table in memory
            word = cell.str.strip_chars().str.to_lowercase()
            cell = nw.when(~word.is_in(sorted(NO_NUMBER))).then(cell)
        kind = nw.String if own in (nw.Categorical, nw.Enum) else kinds.get(role, own)
        roles.append((cell if kind == own else cell.cast(kind)).alias(role))
    keys = (*LargeRows.keys, *(role for role in ("outcome", "system") if role in columns))
    groups = tuple(named.get("group", ()))
    frame = frame.select(*roles, *(nw.col(group) for group in groups))
    return LargeRows(frame, request, keys, groups, "confidence" in columns)


def _refuse(named: Mapping[str, Sequence[str]], mapping: Any, names: Sequence[str]) -> None:
    """What is asked of rows that an engine cannot do, and columns that are not there."""
    asked = [role for role in ("rater", "repeat") if role in named]
    asked += [k for k in ("complete", "rows", "confidence_range") if getattr(mapping, k, None)]
    wide = any(len(named.get(role, ())) > 1 for role in ("truth", "prediction", "confidence"))
    parts = (variables_of(c) for r in named for c in named[r] if c not in names)
    asked += ["columns side by side"] if wide or any(parts) else []
    asked += ["rules for outcomes"] if mapping.outcome else []
    asked += [k for k in ("truth_is", "format") if getattr(mapping, k, None)]
    entries = [c for _, cs in mapping.columns if cs for c in (cs if isinstance(cs, list) else [cs])]
    asked += sorted({k for cell in entries for k in cell.model_fields_set - {"path"}})
    if asked:
        raise UsageError(f"{', '.join(asked)}: not where rows stay in an engine")
    missing = [c for cs in (*named.values(), [*mapping.where]) for c in cs if c not in names]
    if missing:
        listed = ", ".join(label(name) for name in names)
        raise DataError([f"no column {label(missing[0])}; there are {listed}"])


def _is_one_of(column: nw.Expr, dtype: Any, values: Sequence[Any]) -> nw.Expr:
    if dtype.is_numeric():
        try:
            return column.cast(nw.Float64).is_in([float(value) for value in values])
        except ValueError:
            raise UsageError(f"where: {label(values[0])} is no number, as the column is") from None
    return column.cast(nw.String).is_in([str(value) for value in values])


def count_rest(rows: LargeRows) -> int:
    """Rows without a truth, which are left out; rows with impossible values are refused."""
    weight, confidence = nw.col("weight"), nw.col("confidence")
    wrong = {
        "truth": nw.col("truth").is_null(),
        "case: is missing": nw.col("case").is_null(),
        # NaN is null where a library does not tell them apart
        "confidence: must be finite": ~(confidence.is_finite() | confidence.is_null()),
        "weight: must be finite and not negative": ~(weight.is_finite() & (weight >= 0)),
        "weight: is missing": weight.is_null(),
    }
    flags = [f.cast(nw.Int64).sum().alias(f"wrong{k}") for k, f in enumerate(wrong.values())]
    size, *sums = fetch(rows.frame.select(nw.len().alias("rows"), *flags)).values()
    counts = dict(zip(wrong, (int(np.nan_to_num(float(n[0] or 0))) for n in sums), strict=True))
    rest = counts.pop("truth")
    problems = [f"{fault} ({counted(n, 'row')})" for fault, n in counts.items() if n]
    if rest and rows.request.over({}).strict:
        problems.append(f"truth: is missing ({counted(rest, 'row')})")
    if problems or not size[0]:
        raise DataError(problems or ["there are no rows"])
    return rest


def binned(rows: LargeRows, bits: int | None) -> LargeRows:
    """The rows with the keys of their cells: the confidence itself, or its leading bits."""
    frame = rows.frame.filter(~nw.col("truth").is_null())
    kind = frame.collect_schema()["prediction"]
    empty: Any = "" if kind == nw.String else False if kind == nw.Boolean else 0
    silent, confidence = nw.col("prediction").is_null(), nw.col("confidence")
    frame = frame.with_columns(open=silent.cast(nw.Int64))
    frame = frame.with_columns(
        prediction=nw.col("prediction").fill_null(empty),
        known=nw.when(confidence.is_null() | (nw.col("open") == 1)).then(0.0).otherwise(confidence),
    )
    if bits is None:
        known = nw.col("known")
        frame = frame.with_columns(bin=nw.when(known == 0).then(0.0).otherwise(known))
    else:
        for step in _leading_bits(bits):
            frame = frame.with_columns(**step)
    if "outcome" in rows.keys:
        frame = frame.with_columns(outcome=nw.col("outcome").fill_null(""))
    return replace(rows, frame=frame)


def _leading_bits(bits: int) -> Iterator[dict[str, nw.Expr]]:
    """Steps to the bin of ``known``: an integer in its order, from sign, exponent and mantissa.

    Of a float of 32 bits it is the top of the integer that has its order; bins of fewer bits are
    unions of those of more. The tenth is part of it, so that the bins of the ECE are unions too.
    """
    known, size, power = nw.col("known"), nw.col("size"), nw.col("power")
    yield {"size": nw.when(known.abs() < LEAST).then(LEAST).otherwise(known.abs())}
    yield {"exponent": size.log(2).floor()}
    # a logarithm may round across a power of 2; the powers themselves are exact
    yield {"power": nw.lit(2.0) ** nw.col("exponent")}
    above, below = size >= power * 2, size < power
    exact = (
        nw.when(below).then(power / 2).otherwise(nw.when(above).then(power * 2).otherwise(power))
    )
    shift = above.cast(nw.Float64) - below.cast(nw.Float64)
    yield {"exponent": nw.col("exponent") + shift, "power": exact}
    top = (nw.col("exponent") + 127.0) * 2.0**bits + ((size / power - 1.0) * 2.0**bits).floor()
    yield {"code": nw.when(known.abs() < LEAST).then(0.0).otherwise(top)}
    yield {"code": nw.when(known < 0).then(-1.0 - nw.col("code")).otherwise(nw.col("code"))}
    tenths = ((known >= j / 10).cast(nw.Float64) for j in range(1, 10))
    yield {"bin": sum(tenths, nw.col("code") * float(TENTHS))}


def bins_of(confidence: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """The bins of plain numbers, by the same steps."""
    frame = nw.from_dict({"known": confidence}, backend="pyarrow").lazy()
    for step in _leading_bits(bits):
        frame = frame.with_columns(**step)
    return fetch(frame.select("bin"))["bin"]


def has_few_values(rows: LargeRows, most: int = MOST_VALUES) -> bool:
    """Whether each distinct confidence can be a bin of its own."""
    confidence = nw.col("confidence").n_unique().alias("values")
    # where the first rows have too many values already, nobody need count them all
    for frame in (rows.frame.head(2 * most), rows.frame):
        if int(fetch(frame.select(confidence))["values"][0]) > most:
            return False
    return True


def count_cells(rows: LargeRows) -> Columns:
    """Pass 1: of every cell its rows and weight, and the sums of confidences."""
    weight, known = nw.col("weight"), nw.col("known")
    frame = rows.frame.with_columns(total=weight * known, squares=weight * known * known)
    sums = [nw.col(name).sum() for name in ("weight", "total", "squares")]
    ends = [known.min().alias("low"), known.max().alias("high")]
    sizes = [nw.len().alias("rows"), nw.col("confidence").count().alias("sure")]
    return fetch(frame.group_by(*rows.keys).agg(*sizes, *sums, *ends))


def sum_powers(
    rows: LargeRows, cells: Columns, parts: Sequence[str], mixes: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Pass 2: sums over cases of the powers of what its rows add up to, for each of some columns.

    ``cells`` are keys of cells and what a row of each adds, per unit of weight; ``mixes`` are sums
    of such parts, each times a number, which a case can make of its own sums. Of each come the
    cases in which it is above 0, its largest size and the sums of its first four powers.
    """
    with catch_warnings():  # of whole numbers that Dask keeps as floats where some are missing
        simplefilter("ignore", UserWarning)
        joined = rows.frame.join(beside(rows.frame, cells), on=list(rows.keys), how="inner")
    joined = joined.with_columns(*(nw.col(part) * nw.col("weight") for part in parts))
    by_case = joined.group_by("case").agg(*(nw.col(part).sum() for part in parts))
    for name, factors in mixes.items():
        first, *others = (nw.col(part) * factor for part, factor in factors.items())
        by_case = by_case.with_columns(sum(others, first).alias(name))
    sums = [nw.len().alias("cases")]
    for part in (*parts, *mixes):
        one = nw.col(part)
        powers = (one, one * one, one * one * one, one * one * one * one)
        sums += [power.sum().alias(f"{part}_{k}") for k, power in enumerate(powers, 1)]
        sums += [(one > 0).cast(nw.Int64).sum().alias(f"{part}_above")]
        sums += [one.abs().max().alias(f"{part}_most")]
    return {name: float(values[0] or 0.0) for name, values in fetch(by_case.select(*sums)).items()}

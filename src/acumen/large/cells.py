"""Cells as an engine counted them: read as levels and outcomes, and summed over cases again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, counted, label
from acumen.large.counts import CELL, Counts
from acumen.large.engines import Columns, fetch
from acumen.large.gradient import Measurement
from acumen.large.passes import (
    BITS,
    LargeRows,
    binned,
    count_cells,
    count_rest,
    has_few_values,
    sum_powers,
)
from acumen.readers.columns import from_columns
from acumen.readers.request import scale_in
from acumen.stages import stage
from acumen.table.coded import Coded
from acumen.table.judgments import LEFT_OUT, NO_PREDICTION, Judgments, Outcome

AT_ONCE: Final = 8
"""Slopes that one pass sums: more would take more memory for every case."""
MOST_SLICES: Final = 100


@dataclass(frozen=True, eq=False)
class Cells:
    """Counted cells of every system, with the keys under which the engine knows them."""

    rows: LargeRows
    keys: Columns
    """Of the cells that are judged, as the engine has them."""
    system: NDArray[Any]
    """Which system each of them is of, and which cell of its counts it went into."""
    place: NDArray[Any]
    counts: Mapping[str, Counts]

    def sums(
        self, systems: Sequence[Measurement], places: Sequence[NDArray[Any]]
    ) -> dict[str, float]:
        """Pass 2, as often as the slopes need it; ``places`` lead from cells to measured ones."""
        names = [n for n in systems[0].slopes if all(n in s.slopes for s in systems)]
        mixed = [system.mixes(names) for system in systems]
        plain = [n for n in names if not all(n in mixes for mixes in mixed)]
        sums: dict[str, float] = {}
        for start in range(0, max(1, len(plain)), AT_ONCE):
            some = plain[start : start + AT_ONCE]
            columns: dict[str, NDArray[Any]] = {}
            mixes: dict[str, dict[str, float]] = {}
            for k, (system, place) in enumerate(zip(systems, places, strict=True)):
                facts = system.facts if start == 0 else {}
                at = np.full(len(self.place), -1)  # cells of other systems add nothing
                at[self.system == k] = place[self.place[self.system == k]]
                for name, values in (*facts.items(), *((n, system.slopes[n]) for n in some)):
                    columns[f"{name}_{k}"] = np.append(values, 0.0)[at]
                of_facts = {n: m for n, m in mixed[k].items() if facts and n not in plain}
                for name, factors in of_facts.items():
                    mixes[f"{name}_{k}"] = {f"{part}_{k}": f for part, f in factors.items()}
                for name in (n for n in (*of_facts, *some) if k and n in names):
                    mixes[f"{name}_{k}_less"] = {f"{name}_{k}": 1.0, f"{name}_0": -1.0}
            with stage("summing over cases", AT_ONCE / max(len(plain) - start, AT_ONCE)):
                sums |= sum_powers(self.rows, {**self.keys, **columns}, list(columns), mixes)
        return sums

    @property
    def only(self) -> Counts:
        """The counts of the one system that there is."""
        if len(self.counts) > 1:
            raise UsageError("counts are of one system: choose it, such as --where system=NAME")
        return next(iter(self.counts.values()))

    def pair_up(self, sums: Mapping[str, float]) -> None:
        """Refuse systems that do not judge the same rows: their differences are not paired."""
        truths = [np.bincount(c.cells["truth"], c.cells["rows"]) for c in self.counts.values()]
        lacking = {
            name: sums["cases"] - sums[f"rows_{k}_above"] for k, name in enumerate(self.counts)
        }
        apart = [f"{name} lacks {counted(int(n), 'case')}" for name, n in lacking.items() if n]
        differ = any(not np.array_equal(own, truths[0]) for own in truths)
        if apart or differ or (unlike := self._unlike()):
            why = "; ".join(apart) or "their true levels differ"
            if not apart and not differ:
                why = f"{counted(unlike, 'judgment')} of a case, item and truth lack the other's"
            raise DataError([f"systems are compared on the same cases and items: {why}"])

    def _unlike(self) -> int:
        """Judgments of a system that the first lacks, or has with another truth."""
        frame, system = self.rows.frame, nw.col("system")
        names = [n for n in ("case", "item", "truth") if n in frame.collect_schema()]
        first, *others = sorted(Coded.of(self.keys["system"]).values, key=str)
        count = 0
        for other in others:
            both = frame.filter(system.is_in([first, other]))
            signs = both.with_columns(sign=nw.when(system == first).then(1).otherwise(-1))
            sums = signs.group_by(*names).agg(nw.col("sign").sum())
            odd = sums.filter(nw.col("sign") != 0).select(nw.len().alias("odd"))
            count += int(fetch(odd)["odd"][0])
        return count


def count_rows(rows: LargeRows, bits: int | None = -1) -> Cells:
    """Pass 1, and what its cells mean; by default bins are values while there are few of them."""
    with stage("checking rows", 0.2):
        rest = count_rest(rows)
        if bits == -1:
            bits = None if not rows.has_confidence or has_few_values(rows) else BITS
    unbinned, rows = rows, binned(rows, bits)
    with stage("counting cells", 0.4):
        columns = count_cells(rows)
    table, pair = _pairs(rows, columns)
    outcome = table.outcome[pair].astype(np.int64)
    answered = outcome == Outcome.ANSWERED
    unsure = int((columns["rows"] - columns["sure"])[answered].sum())
    if unsure and rows.has_confidence:
        raise DataError([f"confidence: is missing in {counted(unsure, 'answered row')}"])
    cells = np.zeros(len(pair), CELL)
    cells["truth"] = table.truth[pair]
    cells["prediction"] = np.where(answered, table.prediction[pair], NO_PREDICTION)
    for name in ("rows", "weight"):
        cells[name] = columns[name]
    for name in ("bin", "total", "squares", "low", "high"):
        cells[name] = np.where(answered, columns[name], 0.0)
    coded = Coded.of(columns["system"] if "system" in columns else ["all"] * len(pair))
    names = sorted(coded.values, key=str)
    system = np.array([names.index(value) for value in coded.values])[coded.codes]
    judged, place, counts = ~np.isin(outcome, LEFT_OUT), np.zeros(len(pair), np.int64), {}
    without: dict[Any, int] = {}
    if rest and "system" in columns:
        left_out = unbinned.frame.filter(nw.col("truth").is_null()).group_by("system")
        lengths = fetch(left_out.agg(nw.len().alias("rows")))
        without = dict.fromkeys(names, 0) | dict(zip(*lengths.values(), strict=True))
    for k, value in enumerate(names):
        name, own = label(value), system == k
        sizes = np.bincount(outcome[own], columns["rows"][own], len(Outcome)).astype(int).tolist()
        outcomes = {o.name.lower(): sizes[o] for o in Outcome}
        outcomes["no_truth"] = int(without.get(value, rest))
        facts = {"bits": bits, "ranked": rows.has_confidence, "outcomes": outcomes}
        part = Counts(table.scale, cells[own & judged], **facts)  # type: ignore[arg-type]
        counts[name], place[own & judged] = part.gathered()
        if not counts[name].cells["weight"].sum() > 0:
            raise DataError(["no row has weight"])
    keys = {key: columns[key][judged] for key in rows.keys}
    return Cells(rows, keys, system[judged], place[judged], counts)


def _pairs(rows: LargeRows, columns: Columns) -> tuple[Judgments, NDArray[Any]]:
    """What truth and prediction of a cell mean, by the rules for rows; and which of them it has."""
    names = [key for key in ("truth", "prediction", "open", "outcome") if key in columns]
    coded = {name: Coded.of(columns[name]) for name in names}
    code = np.zeros(len(columns["rows"]), np.int64)
    for column in coded.values():
        code = code * (len(column.values) + 1) + column.codes
    first, pair = np.unique(code, return_index=True, return_inverse=True)[1:]
    each = ((n, [c.values[k] for k in c.codes[first].tolist()]) for n, c in coded.items())
    values: dict[str, Any] = dict(each)
    spoken = zip(values["prediction"], values.pop("open"), strict=True)
    values["prediction"] = [None if is_open else value for value, is_open in spoken]
    if "outcome" in values:
        values["outcome"] = [value or None for value in values["outcome"]]
    mapping = rows.request.over({})
    scale = rows.request.scale or scale_in(dict(mapping))
    if mapping.unanswerable:
        raise UsageError("unanswerable takes rows in memory: leave the engine out")
    rules: dict[str, Any] = {"abstain": mapping.abstain, "unparseable": mapping.unparseable}
    try:
        table = from_columns(case=range(len(first)), **values, scale=scale, **rules)
    except DataError as error:  # a pair of levels stands for many cases
        raise DataError([replace(p, case=None, rows=1) for p in error.problems]) from None
    return table, pair


def slices(rows: LargeRows) -> Iterator[tuple[str, LargeRows]]:
    """The rows of every value of the columns to slice by."""
    for group in rows.groups:
        is_whole = rows.frame.collect_schema()[group].is_integer()
        known = rows.frame.filter(~nw.col("truth").is_null()).select(group).unique()
        few = fetch(known.head(MOST_SLICES + 1))[group]
        if len(few) > MOST_SLICES:
            raise UsageError(f"{label(group)} has more than {MOST_SLICES} values to slice by")
        for each in sorted(Coded.of(few).values, key=str):
            value = int(each) if is_whole else each  # whole numbers come as floats beside a null
            part = rows.frame.filter(nw.col(group) == value)
            yield f"{label(group)}={label(value)}", replace(rows, frame=part)

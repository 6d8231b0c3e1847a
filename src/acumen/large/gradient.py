"""From counts to numbers with intervals: what a row of each cell does, summed within cases.

The gradient of a metric by its cells is its influence on the view of cells. Summed within cases in
pass 2 it gives the jackknife without one case at hand, and all that chooses an interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from acumen.inference.infer import Inference, inference_of
from acumen.inference.influence import row_influence
from acumen.inference.jackknife import ROUNDING, Jackknife, degrees_of
from acumen.inference.options import Options
from acumen.inference.replicates import Replicates
from acumen.large.counts import MAIN, Counts, Placed
from acumen.metrics import Metric
from acumen.metrics.registry import Estimate
from acumen.results.counts import Certified
from acumen.table.losses import Loss, rungs_off
from acumen.types import Floats
from acumen.values.measured import Absence, NoInterval
from acumen.views.forecast import Forecast
from acumen.views.weights import Errors, Group

NO_REPLICATES: Final = Replicates(np.empty(0))
FACTS: Final = ("rows", "answered", "loss", "right", "off", "far")
"""What is summed within cases beside influence: it chooses the interval."""
MAIN_FACTS: Final = 4
MIXES: Final[Mapping[str, Mapping[str, float]]] = {
    "wrong": {"answered": 1.0, "right": -1.0},
    "missed": {"rows": 1.0, "right": -1.0},
}
"""What follows from them."""
NEAR: Final = 1e-6
"""How far a slope may be from a mix of facts that it is: slopes are known to about so much."""


@dataclass(frozen=True, slots=True)
class CaseSums(Jackknife):
    """A jackknife of which only sums over cases are known; one deviation stands for all."""

    size: int = 0
    square: float = 0.0
    fourth: float = 0.0
    most: float = 0.0
    against: Jackknife | None = None
    """That of the difference to the system it is compared with."""

    @classmethod
    def among(cls, sums: Mapping[str, float], part: str, scale: float) -> CaseSums:
        """Of a part of what pass 2 returned, in which influence is counted in ``1/scale``."""
        square, fourth, most = (sums[f"{part}_{name}"] for name in ("2", "4", "most"))
        if most <= ROUNDING:  # all that varies is the last digits: influence is counted in rows
            square = fourth = most = 0.0
        square, fourth, most = square / scale**2, fourth / scale**4, most / scale
        size, moved = int(sums["cases"]), np.array([square])
        return cls(moved, size=size, square=square, fourth=fourth, most=most)

    def minus(self, other: Jackknife) -> Jackknife:
        """The difference that pass 2 has summed."""
        assert self.against is not None
        return self.against

    def correlation(self, other: Jackknife) -> float:
        """By the variances of both and of their difference."""
        return self._shared_with(other)

    @property
    def n(self) -> int:
        """How many cases were summed."""
        return self.size

    @property
    def variance(self) -> float:
        """Squared standard error."""
        return self.size / (self.size - 1) * self.square if self.size > 1 else 0.0

    @property
    def top_share(self) -> float:
        """Share of the variance that one case carries."""
        return self.most**2 / self.square if self.square > 0.0 else 0.0

    @property
    def degrees(self) -> float:
        """By the kurtosis over cases."""
        kurtosis = self.size * self.fourth / self.square**2 if self.square > 0.0 else 0.0
        return degrees_of(self.size, kurtosis)


@dataclass(frozen=True, eq=False)
class CaseView:
    """A view of cells that answers what is asked of cases from the sums over them."""

    view: Any
    sums: Mapping[str, float]
    system: int

    def __getattr__(self, name: str) -> Any:
        return getattr(self.view, name)

    def sum_of(self, part: str, power: str) -> float:
        """What pass 2 returned of a part of this system."""
        return self.sums[f"{part}_{self.system}_{power}"]

    @property
    def n_cases(self) -> int:
        """How many cases there are."""
        return int(self.sums["cases"])

    def cases_behind(self, metric: str) -> int:
        """Cases with an answer."""
        return int(self.sum_of("answered", "above"))

    def groups(self) -> list[Group]:
        """Cases with a right answer, and with a wrong one."""
        right, wrong = (int(self.sum_of(part, "above")) for part in ("right", "wrong"))
        return [Group(right, "right"), Group(wrong, "wrong")]

    def errors(self, beyond: int | None = None, **kind: bool) -> Errors:
        """Who errs, as pass 2 counted it."""
        by_rungs = {0: "missed" if kind.get("silence") else "wrong", 1: "far"}
        by_cost = "loss" if hasattr(self.view, "grades") else "off"
        part = by_cost if beyond is None else by_rungs[beyond]
        of_cells: Errors = self.view.errors(beyond=beyond, **kind)
        erring, worst = int(self.sum_of(part, "above")), self.sum_of(part, "most")
        cases = self.n_cases if kind.get("silence") else self.cases_behind("")
        return replace(of_cells, erring_cases=erring, worst_case=worst, cases=cases)

    @property
    def balance(self) -> tuple[float, float]:
        """As how many cases of one weight these count, and the share of the heaviest."""
        total, squares, most = (self.sum_of("rows", power) for power in ("1", "2", "most"))
        return (total**2 / squares, most / total) if total > 0.0 else (math.inf, 0.0)


@dataclass(frozen=True, eq=False)
class Measurement:
    """One system measured: its counts, and the views and metrics that they tell."""

    counts: Counts
    loss: Loss
    views: Mapping[type, Placed]
    metrics: tuple[Metric, ...]

    @classmethod
    def of(cls, counts: Counts, loss: Loss, *, full: bool = False) -> Measurement:
        """The main metrics of counts, or all that they can tell."""
        views = counts.views(loss)
        return cls(counts, loss, views, counts.metrics([*views], full=full))

    @cached_property
    def slopes(self) -> dict[str, Floats]:
        """What a row of each cell does to metrics, in 1/weight, where cases tell the interval."""
        total, known = float(self.counts.cells["weight"].sum()), {}
        for kind, (view, place) in self.views.items():
            if kind is Forecast and self.counts.bits is not None:
                continue  # a row's own confidence is not that of its bin
            plain = [m for m in self.metrics if m.view is kind and m.noise is None]
            some = [m for m in plain if m.groups is None or m.name == "failure_auroc"]
            for name, by_row in row_influence(some, view).items():
                own = view.row_weight
                each = np.divide(by_row * total, own, out=np.zeros(len(own)), where=own > 0)
                known[name] = each[place]
        return known

    @cached_property
    def facts(self) -> dict[str, Floats]:
        """What a row of each cell adds to the facts of its case; the main metrics need a few."""
        grades, some = self.loss.grades(self.counts.scale), self.counts.answered
        truth = self.counts.cells["truth"]
        prediction = np.where(some, self.counts.cells["prediction"], truth)
        off = rungs_off(prediction, truth)
        cost = np.where(some, grades.cost[grades.kinds(prediction, truth)], 0.0)
        values = (np.ones(len(off)), some, cost, some & (off == 0), off, off > 1)
        size = len(FACTS) if {m.name for m in self.metrics} - MAIN else MAIN_FACTS
        return {n: np.asarray(v, np.float64) for n, v in [*zip(FACTS, values, strict=True)][:size]}

    def mixes(self, names: Sequence[str]) -> dict[str, Mapping[str, float]]:
        """The slopes that are sums of facts, so that pass 2 need not carry them."""
        known: dict[str, Mapping[str, float]] = dict(MIXES)
        facts = np.column_stack([*self.facts.values()])
        for name in names:
            factors = np.linalg.lstsq(facts, self.slopes[name], rcond=None)[0]
            apart = np.abs(facts @ factors - self.slopes[name]).max(initial=0.0)
            if apart <= NEAR * np.abs(self.slopes[name]).max(initial=0.0):
                known[name] = dict(zip(self.facts, factors.tolist(), strict=True))
        return known

    def estimate(self, metric: Metric) -> Estimate:
        """The value; what a Brier score has inside of bins is added."""
        estimate = metric.measure(self.views[metric.view][0])
        if metric.name != "brier" or self.counts.bits is None or estimate.value is None:
            return estimate
        cells = self.counts.cells[self.counts.answered]
        within = cells["squares"] - self.counts.mean()[self.counts.answered] * cells["total"]
        return Estimate(estimate.value + float(within.sum() / cells["weight"].sum()))

    def infer(
        self, sums: Mapping[str, float] | None, system: int, options: Options
    ) -> dict[str, Inference]:
        """Every metric with its interval, or with why it has none."""
        total, out = float(self.counts.cells["weight"].sum()), {}
        for metric in self.metrics:
            estimate, part = self.estimate(metric), f"{metric.name}_{system}"
            if sums is None or f"{part}_2" not in sums or estimate.value is None:
                why = Absence.NO_VALUE if estimate.value is None else Absence.NEEDS_ROWS
                value, none = (estimate.value, estimate.reason), NoInterval(why=why)
                facts = (metric, *value, none, none, NO_REPLICATES, Jackknife(np.empty(0)))
                out[metric.name] = Inference(*facts, form=none)
                continue
            jackknife = CaseSums.among(sums, part, total)
            if f"{part}_less_2" in sums:
                jackknife = replace(jackknife, against=CaseSums.among(sums, f"{part}_less", total))
            view = CaseView(self.views[metric.view][0], sums, system)
            out[metric.name] = inference_of(
                metric, view, estimate, NO_REPLICATES, jackknife, options
            )
        return out

    def certified(self, inferences: Mapping[str, Inference]) -> dict[str, Certified]:
        """What is written: each value with its interval, and where bins hide it, its bounds."""
        bounds = self.counts.bounds(self.metrics, self.loss)
        measured = {name: i.measured.model_dump() for name, i in inferences.items()}
        return {n: Certified(**facts, bounds=bounds.get(n)) for n, facts in measured.items()}

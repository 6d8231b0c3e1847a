"""Above which confidence may answers be used, so that their risk is at most α?

The search walks from the strictest threshold to the loosest and stays valid for any dependence
between them; docs/simulations.md has the measured error rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast, get_args

import numpy as np
from numpy.typing import NDArray

from acumen.decisions import bounds
from acumen.decisions.sample import Sample, mean_by_case
from acumen.defaults import EXACT_TEST, LOSS
from acumen.errors import DataError, UsageError, printable
from acumen.inference.betting import fewest_bet, p_value
from acumen.inference.fragile import fewest, unseen
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind
from acumen.results.decisions import Method, Point, Promised, Test
from acumen.table.judgments import LARGEST, Judgments
from acumen.types import Floats
from acumen.values.measured import Measured, finite
from acumen.views.ranking import rank_judgments

SHARES: Final = np.arange(5, 101, 5)
"""Percent of the answered rows at which thresholds of ranks lie."""
EXACT_CASES: Final = 200
"""With fewer, exact tests by case certify next to nothing, so approx is the default."""
MOST_VALUES: Final = 100
"""A confidence of more values is not discrete."""
MOST_TIMES: Final = 30
"""Up to how many times the cases at hand it is asked how many would do."""
TESTS: Final = (EXACT_TEST, "hoeffding-bentkus")


@dataclass(frozen=True, slots=True)
class Search:
    """By what thresholds are certified: all that is fixed before a loss is looked at."""

    method: Method
    test: Test
    alpha: float
    """As a share of the largest loss."""
    delta: float
    starts: tuple[float, ...]
    """Empty where two of them are chosen by the number of cases, and share δ."""
    items: int
    """The most judgments of a case."""
    further: tuple[float, ...] = ()
    """The same of each further loss."""

    def certify(self, sample: Sample, thresholds: Floats) -> list[Point]:
        """Each threshold that is looked at, strictest first."""
        if self.method in ("sgr", "crc"):
            return self._look_everywhere(sample)
        falling = -np.unique(-thresholds)
        rows, loss, p_values = self.tests(sample, falling)
        level, certified = self.levels(sample, thresholds, rows.sum(axis=1), p_values)
        sums = sample.weighted(rows), sample.weighted(loss)
        return _points(sample, falling, *sums, p_values, level, certified)

    def levels(
        self, sample: Sample, thresholds: Floats, above: Floats, p_values: Floats
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """The level of each different threshold, and whether it is certified.

        Where the search begins is known from confidences alone: from how many rows lie above each
        threshold, or, for tests that do not hold given these, from its place in the grid.
        """
        # above ties at the top nothing is left to test: what began there begins at the first rows
        nothing = int(np.argmax(above > 0))
        # equal thresholds are one, which has what began at each of them
        falling, place = np.unique(-thresholds, return_inverse=True)
        if self.starts:
            begins, part = np.zeros(len(falling)), self.delta / len(self.starts)
            for start in self.starts:
                at = place[math.ceil(start * len(thresholds) - 1e-9) - 1]
                begins[max(int(at), nothing)] += part
            return bounds.fallback(p_values, begins)
        counts_rows = self.test in ("binomial", "korn-graubard")
        answering, share = len(np.unique(sample.case)), above / len(sample.confidence)
        fewest = bounds.fewest_share(answering, len(sample.case), self.alpha, self.delta)
        starts = bounds.two_starts(fewest)
        if counts_rows:  # at most so many rows above, and as many as can certify anything
            nothing = max(nothing, int(np.searchsorted(share, fewest)))
            places = [int(np.searchsorted(share, at + 1e-9, side="right")) - 1 for at in starts]
        else:
            places = [int(place[math.ceil(at * len(thresholds) - 1e-9) - 1]) for at in starts]
        first, second = (min(max(at, nothing), len(falling) - 1) for at in places)
        # p of several losses, or of bets, need not rise together
        together = counts_rows and not self.further
        return bounds.shared(p_values, first, second, self.delta, together=together)

    @property
    def alphas(self) -> list[float]:
        """The first risk allowed, and those of further losses."""
        return [self.alpha, *self.further]

    def tests(self, sample: Sample, thresholds: Floats) -> tuple[Floats, Floats, Floats]:
        """Accepted rows, their first loss, and p of "one of the risks is above what is allowed"."""
        rows, loss = sample.accepted(thresholds)
        losses = [loss, *(own.accepted(thresholds)[1] for own in sample.losses[1:])]
        return rows, loss, self.joint(rows, losses, sample)

    def joint(self, rows: Floats, losses: Sequence[Floats], sample: Sample) -> Floats:
        """The largest p of all losses: each must be shown to be small, so none is paid for."""
        each = zip(self.alphas, losses, strict=True)
        ps = [replace(self, alpha=alpha).p_values(rows, lost, sample) for alpha, lost in each]
        return np.asarray(np.max(ps, axis=0))

    def p_values(self, rows: Floats, loss: Floats, sample: Sample) -> Floats:
        """Of "the risk is above α", for accepted rows and their loss ``(threshold, case)``."""
        if self.test == "korn-graubard":
            larger = self.items / int(sample.rows.max())
            return bounds.Accepted.of(rows, loss, sample.weight).p_value(self.alpha, larger)
        if self.test == "binomial":
            return bounds.binomial(np.rint(loss.sum(axis=1)), rows.sum(axis=1), self.alpha)
        if self.test == "repeated":
            return p_value(self.alpha * rows - loss, -(1.0 - self.alpha) * self.items)
        values = (loss - self.alpha * rows) / self.items + self.alpha
        if self.test == "betting":
            return bounds.betting(values, self.alpha, self.delta / (len(self.starts) or 2))
        return bounds.hoeffding_bentkus(values.mean(axis=1), values.shape[1], self.alpha)

    def _look_everywhere(self, sample: Sample) -> list[Point]:
        """Over every threshold there is: SGR bisects, conformal risk control takes the loosest."""
        order = np.argsort(-sample.confidence, kind="stable")
        ends = np.flatnonzero(np.diff(sample.confidence[order], append=-np.inf))
        below, loss = np.append(sample.values[1:], -np.inf), np.cumsum(sample.loss[order])[ends]
        if self.method == "crc":
            fits = (loss / self.items + 1) / (sample.n + 1) <= self.alpha
            loosest = _points(sample, below, ends + 1, loss, np.nan, np.nan, fits)
            return loosest[int(np.flatnonzero(fits).max(initial=0)) :][:1]
        steps = max(1, math.ceil(math.log2(len(order))))
        p = bounds.binomial(np.rint(loss), ends + 1, self.alpha)
        fits = p <= self.delta / steps
        points = _points(sample, below, ends + 1, loss, p, self.delta / steps, fits)
        low, high, places = 0, len(points) - 1, set[int]()
        while low <= high and len(places) < steps:
            places.add(at := (low + high) // 2)
            low, high = (at + 1, high) if fits[at] else (low, at - 1)
        return [points[at] for at in sorted(places)]

    @property
    def fewest_cases(self) -> int:
        """With fewer, nothing is certified, even without an error."""
        least = min(self.alphas)
        if self.method == "crc":
            return math.ceil(1 / least - 1e-9) - 1
        parts = 1 if self.method == "sgr" else len(self.starts) or 1
        if self.test == "repeated":
            return fewest_bet(least, self.delta / parts)
        return bounds.fewest_cases(least, self.delta / parts)


def _points(sample: Sample, *columns: Any) -> list[Point]:
    """Threshold, rows, loss, p, level and whether it is certified, as points."""
    return [
        Point(
            threshold=finite(threshold),
            coverage=float(rows / sample.counts.sum()),
            risk=float(loss / rows) * sample.most_loss if rows else None,
            p_value=finite(p),
            level=finite(level),
            certified=bool(certified),
        )
        for threshold, rows, loss, p, level, certified in zip(
            *np.broadcast_arrays(*columns), strict=True
        )
    ]


def method_and_test(method: str | None, test: str, sample: Sample) -> tuple[Method, Test]:
    """The method that is asked for, or the one that suits these cases; and its test."""
    binary = bool((sample.rows == 1).all()) and not sample.graded
    if sample.weight is not None:
        if method not in (None, "approx"):
            why = "its promise is for cases that all had the same chance of being drawn"
            raise UsageError(f"{printable(str(method))} takes no weights, {why}; take approx")
        method = "approx"
    method = method or ("exact" if binary or sample.n >= EXACT_CASES else "approx")
    for kind, word, known in (("method", method, get_args(Method)), ("test", test, TESTS)):
        if word not in known:
            raise UsageError(f"no {kind} '{printable(word)}'; there are {', '.join(known)}")
    if method == "sgr" and not binary:
        raise UsageError("sgr needs one item a case and a loss of right or wrong; take approx")
    tests = {"approx": "korn-graubard", "sgr": "clopper-pearson", "crc": "conformal"}
    return cast("Method", method), cast("Test", tests.get(method, "binomial" if binary else test))


def asked_repeatedly(method: str | None, grid: str | Sequence[float] | None) -> tuple[Method, Test]:
    """The method and test of a threshold that is chosen again and again while cases are added."""
    if method not in (None, "exact"):
        raise UsageError(f"only exact can be asked repeatedly, not {printable(method or '')}")
    if grid is None or grid in ("ranks", "values", "apart"):
        message = "what is asked repeatedly needs thresholds that no case chose: --grid .5,.7,.9"
        raise UsageError(message)
    return "exact", "repeated"


def undone_by(
    search: Search, sample: Sample, point: Point | None
) -> tuple[int | None, float | None]:
    """The fewest further cases, lost as a whole, that undo a certificate; what need not be seen."""
    if point is None or point.p_value is None or point.level is None:
        return None, None
    bound = np.array([-np.inf if point.threshold is None else point.threshold])
    rows = sample.accepted(bound)[0]
    losses = [own.accepted(bound)[1] for own in sample.losses]
    most = float(rows.max())

    def undoes(cases: int) -> bool:
        lost = np.full((1, cases), most)
        more = np.append(rows, lost, axis=1), [np.append(loss, lost, axis=1) for loss in losses]
        weight = sample.weight  # of the further cases, the mean
        alike = None if weight is None else np.append(weight, np.full(cases, weight.mean()))
        p = search.joint(*more, replace(sample, weight=alike))[0]
        return bool(p > (point.level or 0.0))

    return fewest(undoes), unseen(rows[0][rows[0] > 0])


def also_of(sample: Sample, point: Point | None) -> list[Promised]:
    """What is promised of further losses, and what their risk is here."""
    cut = np.array([-np.inf if point is None or point.threshold is None else point.threshold])
    out = []
    for own, other in zip(sample.losses[1:], sample.also, strict=True):
        rows, loss = (float(sample.weighted(part[0])) for part in own.accepted(cut))
        risk = loss / rows * other.most_loss if point is not None and rows else None
        out.append(Promised(loss=other.name, alpha=other.alpha * other.most_loss, risk=risk))
    return out


def least_open(sample: Sample, alphas: Sequence[float]) -> float | None:
    """The least share of all rows to leave open for such risks among these cases; None: none."""
    order = np.argsort(-sample.confidence, kind="stable")
    ends = np.flatnonzero(np.diff(sample.confidence[order], append=-np.inf))
    of_case = np.ones(sample.n) if sample.weight is None else sample.weight
    weight = of_case[sample.case[order]]
    reach = np.cumsum(weight)[ends]
    each = [
        np.cumsum(weight * own.loss[order])[ends] <= alpha * reach + 1e-12
        for own, alpha in zip(sample.losses, alphas, strict=True)
    ]
    fits = np.flatnonzero(np.all(each, axis=0))
    return None if not len(fits) else 1.0 - float(reach[fits[-1]] / sample.counts.sum())


def numbers_of(values: str | Sequence[float], what: str) -> tuple[float, ...]:
    """Numbers, or a text of them with commas between."""
    try:
        parts: Sequence[Any] = values.split(",") if isinstance(values, str) else values
        numbers = tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise UsageError(f"{what}: numbers with commas, not '{printable(str(values))}'") from None
    low, high = (0.0, 1.0) if what == "starts" else (-LARGEST, LARGEST)
    if not numbers or not all(low < number <= high for number in numbers):
        those = "above 0 and at most 1" if what == "starts" else "each finite"
        raise UsageError(f"{what}: at least one number, {those}")
    return numbers


def grid_of(
    sample: Sample, grid: str | Sequence[float] | None, search: Search
) -> tuple[Sample, Floats]:
    """The cases to test and the thresholds to test them at, strictest first."""
    if search.method in ("sgr", "crc"):
        if grid is not None:
            raise UsageError(f"{search.method} looks at every threshold; leave the grid out")
        return sample, np.empty(0)
    from_other_rows = search.method == "exact" and bool((sample.rows > 1).any())
    grid = grid or ("apart" if from_other_rows else "ranks")
    if grid == "ranks":
        if from_other_rows:
            message = "where a case has several rows, exact needs thresholds that do not come from "
            raise UsageError(f"{message}the rows it tests: the grid apart, values, or your own")
        return sample, _ranks(sample)
    if grid == "values":
        if (n := len(sample.values)) > MOST_VALUES:
            raise UsageError(f"the confidence has {n} values, so it is not discrete")
        return sample, np.append(sample.values[1:], -np.inf)
    if grid == "apart":
        places, apart = np.arange(sample.n), math.ceil(sample.n / 5)
        if sample.n - apart < 2:
            raise DataError([f"{sample.n} cases are too few to set a fifth of them apart"])
        return sample.of_cases(places[apart:]), _ranks(sample.of_cases(places[:apart]))
    return sample, np.sort(np.array(numbers_of(grid, "grid")))[::-1]


def _ranks(sample: Sample) -> Floats:
    """The thresholds above which each share of the answered rows lies; −∞ for all of them."""
    if not len(sample.confidence):
        raise DataError(["no answer among the cases set apart: there is no grid"])
    falling = np.sort(sample.confidence)[::-1]
    return np.append(falling[len(falling) * SHARES[:-1] // 100], -np.inf)


def cases_needed(search: Search, sample: Sample, thresholds: Floats, n: int) -> int | None:
    """About how many cases like these ``n`` would certify a threshold; None where none would."""
    size = sample.n
    while size < MOST_TIMES * sample.n:
        size = math.ceil(1.1 * size)
        more = sample.of_cases(np.resize(np.arange(sample.n), size))
        if any(point.certified for point in search.certify(more, thresholds)):
            return math.ceil(size * n / sample.n)
    return None


def coverage_of(
    table: Judgments, best: Point | None, confidence: Floats, sample: Sample
) -> Measured:
    """Share of all rows that the threshold accepts, with its interval."""
    if best is None:
        return Measured(value=None, reason="no threshold is certified")
    if sample.weight is not None:
        cut = -np.inf if best.threshold is None else best.threshold
        accepted = sample.accepted(np.array([cut]))[0][0] * sample.weight
        return mean_by_case(accepted, sample.counts, Kind.PROPORTION)
    accepted = table.leave_open(
        confidence <= (-np.inf if best.threshold is None else best.threshold)
    )
    view = rank_judgments(accepted, np.zeros(len(table)), LOSS)
    return infer([METRICS["coverage"]], view, Options(resamples=0))["coverage"].measured

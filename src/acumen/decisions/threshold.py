"""Above which confidence may answers be used, so that their risk is at most α?

The fallback procedure walks from the strictest threshold to the loosest and stays valid for any
dependence between them; docs/decisions.md has the measured error rates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Unpack, cast, get_args

import numpy as np

from acumen.confidence import compute
from acumen.decisions.bounds import (
    Accepted,
    betting,
    binomial,
    fallback,
    fewest_cases,
    hoeffding_bentkus,
)
from acumen.decisions.decided import Decided
from acumen.decisions.sample import Sample, hashes_of, one_confidence, origin, sample_of
from acumen.defaults import CONFIDENCE, DELTA, EXACT_TEST, LOSS, STARTS
from acumen.errors import DataError, UsageError, printable
from acumen.evaluation.inputs import calibration_of, table_of
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.readers.reading import Reading
from acumen.results.decisions import Method, Point, Test, ThresholdDocument
from acumen.results.measured import Absence, Measured, NoInterval, finite
from acumen.table.judgments import Judgments
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats
from acumen.views.ranking import rank_judgments

SHARES: Final = np.arange(5, 101, 5)
"""Percent of the answered rows at which thresholds of ranks lie."""
EXACT_CASES: Final = 200
"""From so many cases on, the exact tests certify something; with fewer, approx is the default."""
MOST_VALUES: Final = 100
"""A confidence of more values is not discrete."""
MOST_TIMES: Final = 30
"""Up to how many times the cases at hand it is asked how many would do."""
TESTS: Final = (EXACT_TEST, "hoeffding-bentkus")


@dataclass(frozen=True, eq=False)
class _Rule:
    """By what thresholds are certified: everything that is settled before a loss is looked at."""

    method: Method
    test: Test
    alpha: float
    """As a share of the largest loss."""
    delta: float
    starts: tuple[float, ...]
    items: int

    def certify(self, sample: Sample, thresholds: Floats) -> list[Point]:
        """Each threshold that is looked at, strictest first."""
        if self.method == "crc":
            return self._conform(sample)
        if self.method == "sgr":
            return self._bisect(sample)
        starts = np.zeros(len(thresholds))
        for start in self.starts:
            starts[math.ceil(start * len(thresholds) - 1e-9) - 1] += self.delta / len(self.starts)
        # equal thresholds are one, which has what began at each of them
        unique, place = np.unique(-thresholds, return_inverse=True)
        rows, loss = sample.accepted(-unique)
        p_values = self._p_values(rows, loss)
        level, certified = fallback(p_values, np.bincount(place, starts).astype(np.float64))
        columns = (-unique, rows.sum(axis=1), loss.sum(axis=1), p_values, level, certified)
        return [_point(sample, *entry) for entry in zip(*columns, strict=True)]

    def _p_values(self, rows: Floats, loss: Floats) -> Floats:
        if self.test == "korn-graubard":
            return Accepted.of(rows, loss).p_value(self.alpha)
        if self.test == "binomial":
            return binomial(np.rint(loss.sum(axis=1)), rows.sum(axis=1), self.alpha)
        values = (loss - self.alpha * rows) / self.items + self.alpha
        if self.test == "betting":
            return betting(values, self.alpha, self.delta / len(self.starts))
        return hoeffding_bentkus(values.mean(axis=1), values.shape[1], self.alpha)

    def _bisect(self, sample: Sample) -> list[Point]:
        """SGR (Geifman and El-Yaniv 2017): a binary search, each step with its share of δ."""
        thresholds, rows, loss = _cumulated(sample)
        steps = max(1, math.ceil(math.log2(len(sample.confidence))))
        low, high, points = 0, len(thresholds) - 1, {}
        for _ in range(steps):
            at = (low + high) // 2
            p = float(binomial(round(loss[at]), rows[at], self.alpha))
            certified, level = p <= self.delta / steps, self.delta / steps
            points[at] = _point(sample, thresholds[at], rows[at], loss[at], p, level, certified)
            low, high = (at + 1, high) if certified else (low, at - 1)
            if low > high:
                break
        return [points[at] for at in sorted(points)]

    def _conform(self, sample: Sample) -> list[Point]:
        """Conformal risk control: the loosest threshold whose mean loss, one more case, is ≤ α."""
        thresholds, rows, loss = _cumulated(sample)
        fits = (loss / self.items + 1) / (sample.n + 1) <= self.alpha
        at = int(np.flatnonzero(fits)[-1]) if fits.any() else 0
        point = _point(sample, thresholds[at], rows[at], loss[at], None, None, fits[at])
        risk = float(loss[at]) / (self.items * sample.n) * sample.most_loss
        return [point.model_copy(update={"risk": risk})]

    @property
    def fewest_cases(self) -> int:
        """With fewer, nothing is certified, even without an error."""
        if self.method == "crc":
            return math.ceil(1 / self.alpha - 1e-9) - 1
        parts = 1 if self.method == "sgr" else len(self.starts)
        return fewest_cases(self.alpha, self.delta / parts)


def _cumulated(sample: Sample) -> tuple[Floats, Floats, Floats]:
    """Every threshold there is, strictest first, with the rows above it and their loss."""
    order = np.argsort(-sample.confidence, kind="stable")
    ends = np.flatnonzero(np.diff(sample.confidence[order], append=-np.inf))
    below: Floats = np.append(sample.values[1:], -np.inf)
    rows: Floats = (ends + 1).astype(np.float64)
    return below, rows, np.cumsum(sample.loss[order])[ends]


def _point(
    sample: Sample, threshold: float, rows: float, loss: float, p: Any, level: Any, certified: Any
) -> Point:
    return Point(
        threshold=finite(threshold),
        coverage=float(rows / sample.rows.sum()),
        risk=float(loss / rows) * sample.most_loss if rows else None,
        p_value=None if p is None else float(p),
        level=None if level is None else float(level),
        certified=bool(certified),
    )


def threshold(
    data: Any,
    *,
    risk: float,
    confidence: str = CONFIDENCE,
    delta: float = DELTA,
    method: str | None = None,
    test: str = EXACT_TEST,
    starts: str | Sequence[float] = STARTS,
    grid: str | Sequence[float] | None = None,
    most_items: int | None = None,
    loss: AnyLoss = LOSS,
    mode: str | None = None,
    calibration: str | Path | None = None,
    **reading: Unpack[Reading],
) -> Decided[ThresholdDocument]:
    """The lowest confidence above which the risk of the answers is at most ``risk``, certified.

    The promise: over the draw of these cases, the true risk of what is accepted is larger with
    chance ``delta`` at most. Where nothing can be certified, the document says how many cases
    could.

    Parameters
    ----------
    data, mode, calibration, reading
        The calibration cases, as :func:`evaluate` takes them.
    risk
        The largest mean loss of accepted answers, in units of ``loss``.
    method
        ``exact`` (binomial, or ``test``: ``betting`` or ``hoeffding-bentkus``), ``approx``
        (Korn–Graubard), ``sgr``, or ``crc``, which promises the mean loss of a case. By default
        exact where it can be sharp: one right-or-wrong item a case, or 200 cases.
    starts
        Shares of the grid at which the search begins; each has an equal part of ``delta``.
    grid
        ``ranks`` of the answered rows, ``values`` of a discrete confidence, ``apart`` (ranks in a
        fifth of the cases, which are not tested), or the thresholds themselves.
    most_items
        The most judgments a case can have by design; else the scale's items, or the most seen.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=range(60), truth=[0] * 60, prediction=[0] * 58 + [1, 1],
    ...                             confidence=[0.9] * 50 + [0.4] * 10)
    >>> document = acumen.threshold(table, risk=0.1).artifact
    >>> document.threshold, document.method, round(document.coverage.value, 2)
    (0.4, 'exact', 0.83)
    """
    table = table_of(data, mode, reading).scored
    artifact = calibration_of(calibration)
    name = one_confidence(confidence, table, artifact)
    sample = sample_of(table, name, loss, artifact)
    _check_shares(delta, risk, sample.most_loss)
    items, declared = _most_items(table, sample, most_items)
    rule = _Rule(
        *_method_and_test(method, test, sample),
        risk / sample.most_loss,
        delta,
        _numbers(starts, "starts"),
        items,
    )
    tested, thresholds = _grid(sample, grid, rule)
    points = rule.certify(tested, thresholds)
    best = next((p for p in reversed(points) if p.certified), None)
    document = ThresholdDocument(
        **origin(table),
        threshold=None if best is None else best.threshold,
        certified=best is not None,
        alpha=risk,
        delta=None if rule.method == "crc" else delta,
        risk=None if best is None else best.risk,
        coverage=_coverage(table, best, artifact, name),
        method=rule.method,
        test=rule.test,
        method_is_default=method is None,
        cases=sample.n,
        cases_apart=sample.n - tested.n,
        cases_needed=_needed(rule, tested, thresholds, sample.n) if best is None else None,
        fewest_cases=rule.fewest_cases,
        items=items,
        items_declared=declared,
        confidence=name,
        loss=find_loss(loss).name,
        grid=points,
        case_hashes=hashes_of(table),
    )
    return Decided(document)


def _check_shares(delta: float, risk: float, most_loss: float) -> None:
    if not 0.0 < delta < 1.0:
        raise UsageError(f"delta is a chance between 0 and 1, not {delta:g}")
    if not 0.0 < risk < most_loss:
        raise UsageError(f"a risk is between 0 and the largest loss, {most_loss:g}, not {risk:g}")


def _method_and_test(method: str | None, test: str, sample: Sample) -> tuple[Method, Test]:
    """The method that is asked for, or the one that suits these cases; and its test."""
    if test not in TESTS:
        raise UsageError(f"no test '{printable(test)}'; there are {', '.join(TESTS)}")
    binary = bool((sample.rows == 1).all()) and not sample.graded
    if method is None:
        method = "exact" if binary or sample.n >= EXACT_CASES else "approx"
    if method not in get_args(Method):
        known = ", ".join(get_args(Method))
        raise UsageError(f"no method '{printable(method)}'; there are {known}")
    if method == "sgr" and not binary:
        raise UsageError("sgr needs one item a case and a loss of right or wrong; take approx")
    tests = {"approx": "korn-graubard", "sgr": "clopper-pearson", "crc": "conformal"}
    return cast("Method", method), cast("Test", tests.get(method, "binomial" if binary else test))


def _most_items(table: Judgments, sample: Sample, declared: int | None) -> tuple[int, bool]:
    """The most judgments that a case can have, and whether somebody said so."""
    seen = int(sample.rows.max())
    design = declared or len(table.scale.items)
    if declared is not None and declared < seen:
        raise UsageError(f"most_items is {declared}, and a {table.scale.case} has {seen} rows")
    return (design, True) if design >= seen else (seen, False)


def _numbers(values: str | Sequence[float], what: str) -> tuple[float, ...]:
    """Numbers, or a text of them with commas between."""
    parts: Sequence[Any] = values.split(",") if isinstance(values, str) else values
    try:
        numbers = tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise UsageError(f"{what}: numbers with commas, not '{printable(str(values))}'") from None
    if not numbers or not all(map(math.isfinite, numbers)):
        raise UsageError(f"{what}: at least one number, all of them finite")
    if what == "starts" and not all(0.0 < start <= 1.0 for start in numbers):
        raise UsageError("starts are shares of the grid, above 0 and at most 1")
    return numbers


def _grid(sample: Sample, grid: str | Sequence[float] | None, rule: _Rule) -> tuple[Sample, Floats]:
    """The cases to test and the thresholds to test them at, strictest first."""
    if rule.method in ("sgr", "crc"):
        if grid is not None:
            raise UsageError(f"{rule.method} looks at every threshold; leave the grid out")
        return sample, np.empty(0)
    clustered = bool((sample.rows > 1).any())
    grid = grid or ("apart" if rule.method == "exact" and clustered else "ranks")
    if grid == "ranks":
        if rule.method == "exact" and clustered:
            raise UsageError(
                "exact needs thresholds that do not come from the rows it tests, where a case has "
                "several: take the grid apart, values, or thresholds of your own"
            )
        return sample, _ranks(sample)
    if grid == "values":
        if len(sample.values) > MOST_VALUES:
            raise UsageError(
                f"the confidence has {len(sample.values)} values, so it is not discrete: take the "
                "grid ranks, apart, or thresholds of your own"
            )
        return sample, np.append(sample.values[1:], -np.inf)
    if grid == "apart":
        apart = math.ceil(sample.n / 5)
        if sample.n - apart < 2:
            raise DataError([f"{sample.n} cases are too few to set a fifth of them apart"])
        places = np.arange(sample.n)
        return sample.of_cases(places[apart:]), _ranks(sample.of_cases(places[:apart]))
    return sample, np.sort(np.array(_numbers(grid, "grid")))[::-1]


def _ranks(sample: Sample) -> Floats:
    """The thresholds above which each share of the answered rows lies; −∞ for all of them."""
    if not len(sample.confidence):
        raise DataError(["no answer among the cases set apart: there is no grid"])
    falling = np.sort(sample.confidence)[::-1]
    return np.append(falling[len(falling) * SHARES[:-1] // 100], -np.inf)


def _needed(rule: _Rule, sample: Sample, thresholds: Floats, n: int) -> int | None:
    """About how many cases like these ``n`` would certify a threshold; None where none would."""
    size = sample.n
    while size < MOST_TIMES * sample.n:
        size = math.ceil(1.1 * size)
        more = sample.of_cases(np.resize(np.arange(sample.n), size))
        if any(point.certified for point in rule.certify(more, thresholds)):
            return math.ceil(size * n / sample.n)
    return None


def _coverage(table: Judgments, best: Point | None, calibration: Any, name: str) -> Measured:
    """Share of all rows that the threshold accepts, with its interval."""
    if best is None:
        none = NoInterval(why=Absence.NO_VALUE)
        return Measured(value=None, reason="no threshold is certified", no_interval=none)
    bound = -np.inf if best.threshold is None else best.threshold
    accepted = table.leave_open(compute(name, table, calibration=calibration) <= bound)
    view = rank_judgments(accepted, np.zeros(len(table)), LOSS)
    cmax = METRICS["cmax"]
    return infer([cmax], view, Options(resamples=0))["cmax"].measured

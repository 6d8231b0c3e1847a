"""What to evaluate and how; and a system under evaluation, with each view of it made once.

Beside the ranking: is the confidence honest, do the levels agree with the truth? These metrics take
the default interval alone, which needs no resamples, so they cost next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from acumen import confidence as confidences
from acumen.defaults import (
    AREA_COVERAGE,
    CONFIDENCE,
    COVERAGE_GRID,
    ESTIMAND,
    LOSS,
    MISSING,
    PRICE,
    RANK_BY,
    RISKS,
)
from acumen.errors import UsageError, printable
from acumen.evaluation.missing import How, how_of, least_sure, without_missing
from acumen.evaluation.noise import NoiseFloor
from acumen.inference.infer import Inference, infer
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, compare
from acumen.metrics import METRICS, Metric, metrics_of
from acumen.metrics.registry import RISK_AT, canonical, did_you_mean, find_metric
from acumen.table.judgments import Judgments, Outcome
from acumen.table.losses import Loss, find_loss
from acumen.types import Floats
from acumen.values.measured import Absence, Measured, NoInterval
from acumen.views.abstention import Abstention, abstention_of
from acumen.views.confusion import Confusion, confuse_judgments
from acumen.views.forecast import Forecast, forecast_judgments, why_no_forecast
from acumen.views.level_forecast import LevelForecast, forecast_of_levels
from acumen.views.ranking import Ranking, rank_judgments
from acumen.views.scores import Scores, scores_of
from acumen.views.severity import SeverityRanking, rank_judgments_by_severity
from acumen.views.weights import NO_ANSWER

if TYPE_CHECKING:
    from acumen.results.decisions import ThresholdDocument

AREAS: Final = ("aurc_at_coverage", "augrc_at_coverage")
CHARGED: Final = ("aurc_charge", "augrc_charge")
CUT_AT: Final = "mean_loss_at_cut"
COVERAGE_AT: Final = "coverage_at_risk"
_ELSEWHERE: Final = {"augrc_pairs", "aurc_random_ties", RISK_AT, CUT_AT, COVERAGE_AT, *AREAS}
"""The same number by another road, a convention, or a metric asked for at a coverage or risk."""
NO_CONFIDENCE: Final = "there is no confidence"
NO_TRUTH: Final = "there is no truth to compare it with"
_PER_LEVEL: Final = ("auprc_ge", "nap_ge", "auroc_ge")


@dataclass(frozen=True)
class Plan:
    """What to evaluate, and how."""

    confidence: str = CONFIDENCE
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Confidence functions that are plain callables, by the name they go under."""
    loss: str | Loss = LOSS
    coverage_grid: tuple[float, ...] = COVERAGE_GRID
    area_coverage: float = AREA_COVERAGE
    limits: tuple[float, ...] = RISKS
    """Risks up to which the coverage is asked for."""
    options: Options = Options()  # noqa: RUF009  (frozen)
    calibration: Any = None
    threshold: tuple[str, ThresholdDocument] | None = None
    """What answers are accepted by, and its name."""
    intersection_only: bool = False
    estimand: str = ESTIMAND
    """Whether each row counts alike, or each case."""
    price: float = PRICE
    """What an abstention costs in the charged areas."""
    matched_coverage: float | None = None
    """The coverage at which systems are compared; None: the largest that all reach."""
    labels: tuple[str, ...] = ()
    """What the systems are called; none: by what tells their sources apart."""
    baseline: str | None = None
    """The system that all others are compared with; None: all pairs."""
    pairwise: bool = False
    """Whether each pair of systems is compared on its own cases, not on those of all."""
    rank_by: str = RANK_BY
    """The metric that systems are ordered by."""
    by: tuple[str, ...] = ()
    """The columns by which rows are sliced; those of a cross have a comma between."""
    texts: bool = False
    """Whether the artifact keeps the evidence that a run quotes: texts of cases."""
    missing: How = MISSING
    """What becomes of rows without a usable reply: left out, wrong answers, or bounds."""

    def __post_init__(self) -> None:
        find_loss(self.loss)
        how_of(self.missing)
        if self.rank_by not in METRICS:
            object.__setattr__(self, "rank_by", canonical(self.rank_by))
        metric = find_metric(self.rank_by)
        if self.rank_by != RANK_BY and (metric is None or metric.better is None):
            known = [RANK_BY, *(name for name, m in METRICS.items() if m.better is not None)]
            named = f"'{printable(self.rank_by)}'"
            if metric is not None:
                raise UsageError(f"{named} is no metric to rank by: no side of it is better")
            near = did_you_mean(self.rank_by, known)
            raise UsageError(f"no metric {named} to rank by; {near}")
        if self.estimand not in ("row", "case"):
            raise UsageError(f"the estimand is row or case, not '{printable(str(self.estimand))}'")
        if not self.coverage_grid:
            raise UsageError("the coverage grid is empty: give at least one coverage")
        for risk in self.limits:
            if not 0.0 <= risk < np.inf:
                raise UsageError(f"a risk must be 0 or more, not {risk:g}")
        if not 0.0 <= self.price < np.inf:
            raise UsageError(f"a price must be 0 or more, not {self.price:g}")
        for coverage in (*self.coverage_grid, self.area_coverage, self.matched_coverage or 1.0):
            if not 0.0 < coverage <= 1.0:
                raise UsageError(f"a coverage must be in (0, 1], not {coverage:g}")

    def weigh(self, table: Judgments) -> Judgments:
        """The table as it counts: by row, or with weights under which each case counts alike."""
        if self.estimand == "row":
            return table
        judged = np.isin(table.case, np.unique(table.case[table.outcome != Outcome.FAILED]))
        own = np.ones(len(table)) if table.weight is None else table.weight
        of_case = np.bincount(table.case[judged], own[judged], len(table.cases))
        each = own[judged].sum() / max(1, np.count_nonzero(of_case))
        share = np.divide(each, of_case, out=np.ones(len(of_case)), where=of_case > 0)
        return replace(table, weight=own * share[table.case])

    def metrics(self) -> list[Metric]:
        """The metrics of a ranking, those at a coverage spelled out for each."""
        return [
            *(m for m in metrics_of(Ranking) if m.name not in _ELSEWHERE),
            *self.areas().values(),
            *self.risks().values(),
            *self.cuts().values(),
            *(METRICS[COVERAGE_AT].at(risk=risk) for risk in self.limits),
            *(self.charged() if self.price != PRICE else ()),
        ]

    def charged(self) -> list[Metric]:
        """The areas in which an abstention has its price."""
        charged = [METRICS[name] for name in CHARGED]
        return charged if self.price == PRICE else [m.at(loss=self.price) for m in charged]

    def areas(self) -> dict[str, Metric]:
        """The areas up to a coverage, by the name of the family."""
        return {name: METRICS[name].at(coverage=self.area_coverage) for name in AREAS}

    def risks(self) -> dict[float, Metric]:
        """The risk at each coverage of the grid."""
        return {c: METRICS[RISK_AT].at(coverage=c) for c in self.coverage_grid}

    def cuts(self) -> dict[float, Metric]:
        """The risk down to the cut at which each coverage of the grid is reached."""
        return {c: METRICS[CUT_AT].at(coverage=c) for c in self.coverage_grid}

    def rank(self, table: Judgments, confidence: Floats) -> Ranking:
        """A table ranked by a confidence."""
        grid, cuts = tuple(sorted(self.coverage_grid)), (self.area_coverage,)
        ranking = rank_judgments(table, confidence, self.loss)
        return replace(ranking, grid=grid, cuts=cuts, risks=self.limits)


@dataclass(frozen=True, eq=False)
class System:
    """A table with the confidences computed for it. Views are made when first asked for."""

    table: Judgments
    plan: Plan
    confidence: Mapping[str, Floats]
    name: str = ""
    functions: Mapping[str, str] = field(default_factory=dict)
    """The confidence functions, by the names they go under here."""

    @classmethod
    def of(cls, table: Judgments, plan: Plan, names: Mapping[str, str], name: str = "") -> System:
        """The table with these confidence functions, by the names they go under."""
        known, calibration = without_missing(table), plan.calibration
        compute = partial(confidences.compute, table=known, calibration=calibration)
        confidence = {
            called: least_sure(table, compute(plan.functions.get(f, f)))
            for called, f in names.items()
        }
        return cls(table, plan, confidence, name, names)

    def ranked_by(self, function: str | None) -> Ranking:
        """The table ranked by a confidence; by none, with all rows alike."""
        return self.unranked if function is None else self.rankings[function]

    def view_of(self, metric: Metric, function: str | None) -> Any:
        """What a metric looks at."""
        if metric.view is Ranking:
            return self.ranked_by(function)
        if metric.view is Abstention and self.abstention is None:
            raise UsageError(f"{metric.name} needs words for what cannot be judged: unanswerable")
        if metric.view is LevelForecast and self.levels is None:
            raise UsageError(f"{metric.name} needs a probability for every level: distribution")
        if metric.view is Scores:
            if self.scores is None:
                raise UsageError(f"{metric.name} needs decimal scores as predictions")
            return self.scores
        if metric.view is not Forecast:
            if metric.view in (Abstention, LevelForecast):
                return self.abstention if metric.view is Abstention else self.levels
            return self.confusion if metric.view is Confusion else self.severity
        view = NO_CONFIDENCE if function is None else self.forecasts[function]
        if isinstance(view, str):
            raise UsageError(f"{self.name} cannot be ranked by {metric.name}: {view}")
        return view

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """The table ranked by each confidence."""
        return {n: self.plan.rank(self.table, values) for n, values in self.confidence.items()}

    @cached_property
    def floors(self) -> tuple[NoiseFloor, NoiseFloor]:
        """How far the raters of the table are apart: by the loss, and in units of the scale."""
        table, level = self.table.included, self.plan.options.confidence_level
        return NoiseFloor.by(table, self.plan.loss, level), NoiseFloor.of_scale(table, level)

    def floor_beside(self, ranking: Ranking, rows: Any = slice(None)) -> dict[str, Measured]:
        """The noise floor beside each risk of a ranking of some rows."""
        at = {"mean_loss": None, **{metric.name: c for c, metric in self.plan.cuts().items()}}
        return self.floors[0].among(rows).beside(ranking, at)

    @cached_property
    def unranked(self) -> Ranking:
        """The table with one confidence for all rows; without truth it tells the coverage alone."""
        table = self.table.included
        if not table.has_truth:
            table = replace(table, truth=np.where(table.answered, table.prediction, 0))
        return self.plan.rank(table, np.zeros(len(table)))

    @cached_property
    def forecasts(self) -> dict[str, Forecast | str]:
        """Each confidence as a probability, or why it is none."""
        return {name: self._forecast(values) for name, values in self.confidence.items()}

    def _forecast(self, values: Floats) -> Forecast | str:
        if not self.table.included.answered.any():
            return NO_ANSWER
        reason = why_no_forecast(self.table, values)
        return forecast_judgments(self.table, values) if reason is None else reason

    @cached_property
    def confusion(self) -> Confusion:
        """Predicted levels against the truth."""
        return confuse_judgments(self.table)

    @cached_property
    def abstention(self) -> Abstention | None:
        """Whether rows can be judged against whether they were answered, where that is said."""
        return abstention_of(self.table)

    @cached_property
    def levels(self) -> LevelForecast | None:
        """The probabilities of the levels against the truth, where there are any."""
        return forecast_of_levels(self.table)

    @cached_property
    def scores(self) -> Scores | None:
        """Decimal scores against the truth, where there are any."""
        return scores_of(self.table)

    def views_beside(self) -> Iterator[tuple[list[Metric], Any]]:
        """What only some tables can be asked: metrics, and what they look at."""
        if self.abstention is not None:
            yield list(metrics_of(Abstention)), self.abstention
        if self.levels is not None:
            yield level_metrics(self.table.scale.levels), self.levels
        if self.scores is not None:
            yield list(metrics_of(Scores)), self.scores

    def infer_beside(self) -> dict[str, Inference]:
        """Does it abstain where it should, are its probabilities honest? Where that can be told."""
        options = self.plan.options.without_resamples()
        families = (infer(metrics, view, options) for metrics, view in self.views_beside())
        return {name: number for family in families for name, number in family.items()}

    @cached_property
    def severity(self) -> SeverityRanking:
        """The answered rows, worst first."""
        return rank_judgments_by_severity(self.table)

    def infer_reliability(self, function: str, *, alone: bool = False) -> dict[str, Inference]:
        """Is the confidence honest? Nothing where it cannot be read as a probability."""
        view = self.forecasts[function]
        if isinstance(view, str):
            return {}
        options = self.plan.options.without_resamples()
        return infer(metrics_of(Forecast), view, options, () if alone else None)

    def why_not_honest(self, function: str) -> dict[str, Measured]:
        """The same without a value, with the reason, where it is no probability."""
        reason = self.forecasts[function]
        if not isinstance(reason, str):
            return {}
        return {m.name: _unmeasured(m, reason) for m in metrics_of(Forecast)}

    def overall(self, agreement: Mapping[str, Inference]) -> dict[str, Measured]:
        """What needs no confidence: coverage, mean loss, and agreement with the truth."""
        names = ("coverage", "accuracy", "mean_loss")
        view, options = self.unranked, self.plan.options.without_resamples()
        first = infer([METRICS[name] for name in names], view, options, ())
        every = (*first.items(), *agreement.items(), *self.infer_beside().items())
        measured = {name: i.measured for name, i in every}
        if not self.table.has_truth:
            metrics = (*(METRICS[name] for name in names), *metrics_of(Confusion))
            measured = {metric.name: _unmeasured(metric, NO_TRUTH) for metric in metrics}
            measured["coverage"] = first["coverage"].measured
        numbers = measured | self.floors[1].beside(view, {"mae": None})
        if self.table.rater is not None:
            from acumen.raters.judge import beside_raters

            numbers |= beside_raters(self.table.included, self.plan.options.confidence_level)
        return numbers

    def infer_agreement(self, *, alone: bool = False) -> dict[str, Inference]:
        """Do the predicted levels agree with the truth, and rank the worst first?"""
        if not self.table.has_truth:
            return {}
        rest = self.plan.options.without_resamples(), () if alone else None
        families = (infer(metrics, view, *rest) for metrics, view in self.level_views())
        return {name: number for family in families for name, number in family.items()}

    def level_views(self) -> Iterator[tuple[list[Metric], Any]]:
        """The metrics of the levels, and what they look at: the table, and the ranking."""
        yield list(metrics_of(Confusion)), self.confusion
        severity = [m for m in metrics_of(SeverityRanking) if m.name not in _PER_LEVEL]
        for name in _PER_LEVEL:
            severity += [
                METRICS[name].at(level=k, label=str(self.table.scale.levels[k]))
                for k in self.severity.thresholds
            ]
        yield severity, self.severity


def _unmeasured(metric: Metric, reason: str) -> Measured:
    absent = NoInterval(why=Absence.NO_VALUE)
    return Measured(value=None, reason=reason, better=metric.better, no_interval=absent)


def select(table: Judgments, plan: Plan) -> tuple[list[str], dict[str, str]]:
    """The confidence functions to compute, and those left out with the reason.

    None where nobody asked for one and the rows have none, or where there is no truth.
    """
    if not table.has_truth:
        return [], {}
    if plan.functions and plan.confidence == "default":
        return list(plan.functions), {}
    if plan.confidence == "default" and (why := confidences.why_no_default(table)) is not None:
        return [], why
    selection = confidences.select(plan.confidence, table, calibration=plan.calibration)
    return [*selection.names, *plan.functions], dict(selection.left_out)


def own_functions(selector: str, systems: Sequence[str]) -> list[str] | None:
    """The confidence function of each system, where a selector names them one by one.

    >>> own_functions("gpt=token_msp,llama=llm", ["llama", "gpt"]), own_functions("llm", ["gpt"])
    (['llm', 'token_msp'], None)
    """
    parts = [part.partition("=") for part in selector.split(",")]
    if not any(mark for _, mark, _ in parts):
        return None
    own = {system.strip(): function.strip() for system, _, function in parts}
    if {*own} != {*systems} or not all(own.values()):
        named = ",".join(f"{printable(system)}=NAME" for system in systems)
        raise UsageError(f"each system needs a confidence of its own: --confidence '{named}'")
    return [own[system] for system in systems]


def find_twins(systems: Sequence[System]) -> dict[str, str]:
    """Functions that give the same confidences as an earlier one: they share its numbers."""
    first: dict[tuple[bytes, ...], str] = {}
    twins = {}
    for name in systems[0].confidence:
        values = tuple(system.confidence[name].tobytes() for system in systems)
        earlier = first.setdefault(values, name)
        if earlier != name:
            twins[name] = earlier
    return twins


def compare_reliability(left: System, right: System, function: str) -> dict[str, Contrast]:
    """Right minus left of the same, where both sides are probabilities."""
    a, b = left.forecasts[function], right.forecasts[function]
    if isinstance(a, str) or isinstance(b, str):
        return {}
    return _compare(list(metrics_of(Forecast)), a, b, left)


def compare_both(left: System, right: System) -> Contrast:
    """Right minus left of the mean loss, on the rows that both answered."""
    a, b = (System(t, left.plan, {}).unranked for t in all_answered([left.table, right.table]))
    return _compare([METRICS["mean_loss"]], a, b, left)["mean_loss"]


def compare_agreement(left: System, right: System) -> dict[str, Contrast]:
    """Right minus left of the same, on the rows that both answered.

    Who leaves the hard rows open agrees better on the rest, so neither is judged on rows the other
    left open; accuracy alone is of all rows, because an abstention is wrong in it.
    """
    numbers: dict[str, Contrast] = {}
    shared = all_answered([left.table, right.table])
    a, b = (System(table, left.plan, {}) for table in shared)
    for (metrics, one), (_, other) in zip(a.level_views(), b.level_views(), strict=True):
        numbers |= _compare(metrics, one, other, left)
    if not shared[0].answered.any():
        reason = "no row was answered by both"
        numbers = {name: contrast.undefined(reason) for name, contrast in numbers.items()}
    total = [METRICS["total_accuracy"]]
    return numbers | _compare(total, left.confusion, right.confusion, left)


def compare_beside(left: System, right: System) -> dict[str, Contrast]:
    """Right minus left of who abstains where it should, and of the probabilities of levels.

    The former of all rows, the latter of those that both answered.
    """
    numbers: dict[str, Contrast] = {}
    if left.abstention is not None and right.abstention is not None:
        metrics = list(metrics_of(Abstention))
        numbers |= _compare(metrics, left.abstention, right.abstention, left)
    shared = all_answered([left.table, right.table])
    a, b = map(forecast_of_levels, shared)
    if a is not None and b is not None:
        numbers |= _compare(level_metrics(left.table.scale.levels), a, b, left)
    x, y = map(scores_of, shared)
    if x is not None and y is not None:
        numbers |= _compare(list(metrics_of(Scores)), x, y, left)
    return numbers


def level_metrics(levels: Sequence[object]) -> list[Metric]:
    """The metrics of probabilities of levels, that of a cut for each of them."""
    cut = METRICS["cut_ece"]
    scores = [metric for metric in metrics_of(LevelForecast) if metric is not cut]
    return scores + [cut.at(level=k, label=str(levels[k])) for k in range(1, len(levels))]


def all_answered(tables: Sequence[Judgments]) -> list[Judgments]:
    """Tables of the same rows, in each of which a row is open that is open in any other."""
    everywhere = np.logical_and.reduce([table.answered for table in tables])
    return [table.leave_open(~everywhere) for table in tables]


def _compare(metrics: list[Metric], a: Any, b: Any, system: System) -> dict[str, Contrast]:
    return compare(metrics, a, b, system.plan.options.without_resamples())

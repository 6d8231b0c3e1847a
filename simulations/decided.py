"""Studies in which decisions are made that should not be: a claim of each kind, or none.

A function draws one study of so many cases from a population in which the claim is not true (or is,
where the name says so) and returns the claim that the library's decision stands for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np
from scipy.special import ndtr

from acumen import Judgments, Scale, from_columns
from acumen.calibration.sets import bound_of
from acumen.decisions.cascade import Prices
from acumen.decisions.cascade import search as search_cascade
from acumen.decisions.cost import document_of
from acumen.decisions.gate import decide, measure
from acumen.decisions.keep import cut_for, promise
from acumen.decisions.plan import cases_for
from acumen.decisions.sample import Sample
from acumen.decisions.threshold import Search, grid_of
from acumen.defaults import ALPHA, DELTA, EPSILON, POWER
from acumen.evaluation.bounds import bounded
from acumen.evaluation.completions import Missing
from acumen.evaluation.missing import keep
from acumen.evaluation.plan import Plan, System
from acumen.inference.distributions import t_cdf
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.raters import estimate
from acumen.raters.alt_test import Rule, hold
from acumen.raters.judge import Study, rater_of
from acumen.raters.panel import Panel
from acumen.raters.ppi import Room
from acumen.raters.ppi import Sample as Labelled
from acumen.report.claims import Claim
from acumen.report.estimates import SUSPECT
from acumen.report.raters import STANDING_OUT
from acumen.report.selective.words import honesty
from acumen.table.judgments import Outcome
from acumen.values.measured import Interval, Measured
from acumen.views.forecast import forecast
from acumen.views.ranking import rank
from simulations import cascades, raters, sets, thresholds
from simulations.laws import LAWS, draw_cases, draw_pair, judge
from simulations.populations import draw

Rng = np.random.Generator
PLAIN: Final = Options(resamples=0, threads=1)
MANY: Final = 100_000


def honest(rng: Rng, n: int) -> str:
    """A confidence that is the chance of being right; the rows of a case go together."""
    sure, case = rng.beta(3, 1, n * 6), np.repeat(np.arange(n), 6)
    own, shared = rng.normal(size=n * 6), rng.normal(size=n)[case]
    right = ndtr(np.sqrt(0.4) * shared + np.sqrt(0.6) * own) < sure
    metric = METRICS["overconfidence"]
    view = forecast(sure, right, case=case, n_cases=n)
    return honesty({metric.name: infer([metric], view, PLAIN)[metric.name].measured}) or ""


def whatever_missing(rng: Rng, n: int) -> Claim | None:
    """Two systems of one law; of the second, rows that are wrong fail more often."""
    law = replace(LAWS["beta"], answers=None)
    tables, sides = [], []
    for at, rows in enumerate(draw_pair((law,), rng, n)):
        wrong = rows.prediction != rows.cases.truth
        failed = rng.random(len(wrong)) < 0.01 + 0.04 * at * wrong
        table = from_columns(
            case=rows.cases.case, item=np.arange(len(wrong)), truth=rows.cases.truth,
            prediction=rows.prediction, confidence=rows.confidence, complete=False,
            scale=Scale("law", tuple(range(rows.levels))),
        )  # fmt: skip
        outcome = np.where(failed, Outcome.FAILED, table.outcome).astype(table.outcome.dtype)
        prediction = np.where(failed, -1, table.prediction).astype(table.prediction.dtype)
        tables.append(keep(replace(table, outcome=outcome, prediction=prediction)))
        sides.append(Missing(_system(tables[-1]), "confidence"))
    there = ~np.logical_or.reduce([t.missing for t in tables if t.missing is not None])
    metric = METRICS["mean_loss_at_coverage"].at(coverage=0.5)
    views = [_system(table.take(there)).view_of(metric, "confidence") for table in tables]
    return Claim.WHATEVER_MISSING if bounded(metric, sides, views, PLAIN, 0.0).stands else None


def _system(table: Judgments) -> System:
    return System.of(table, Plan(loss="abs", options=PLAIN), {"confidence": "confidence"})


def own_answers(rng: Rng, n: int) -> Claim | None:
    """A system's own answers and the best levels of its probabilities, of one law."""
    left, right = draw_pair((LAWS["beta"],), rng, n)
    metric = METRICS["mean_loss"]
    delta = compare([metric], left.ranking(), right.ranking(), PLAIN)["mean_loss"].delta()
    claims = {"left": Claim.OWN_COSTS_MORE, "right": Claim.OWN_COSTS_LESS}
    return claims.get(str(delta.favours))


def own_confidence(rng: Rng, n: int) -> Claim | None:
    """Two confidences of the same answers that know alike."""
    rows = judge(LAWS["beta"], draw_cases(LAWS["beta"], rng, n), rng)
    wrong, case = rows.prediction != rows.cases.truth, rows.cases.case
    loss = np.abs(rows.prediction - rows.cases.truth)
    sides = [
        rank(loss, rng.normal(size=len(case)) - wrong, rows.answered, case=case, n_cases=n)
        for _ in range(2)
    ]
    delta = compare([METRICS["augrc"]], sides[0], sides[1], PLAIN)["augrc"].delta()
    claims = {"left": Claim.RANK_BY_EXPECTED, "right": Claim.OWN_RANKS_BETTER}
    return claims.get(str(delta.favours))


@cache
def _known(setting: thresholds.Setting) -> thresholds.Truth:
    return thresholds.Truth.of(setting, np.random.default_rng(thresholds.SEED))


def certified(rng: Rng, n: int) -> Claim | None:
    """A threshold on a confidence that says nothing, at the risk of all answers."""
    setting = thresholds.SETTINGS[1]
    drawn = setting.draw(rng, 1, n)
    ((false, _, _),) = thresholds._reached(setting, _known(setting), drawn, [()])
    return Claim.CERTIFIED if false else None


def keeps(rng: Rng, n: int) -> Claim | None:
    """The risk that is promised of half of all rows lies below that of a population that knows."""
    setting = thresholds.SETTINGS[7]
    sample = thresholds.sample_of(draw(setting.population, rng, 1, n), 0, graded=False)
    rule = Search("approx", "korn-graubard", 1.0, DELTA, (1.0,), setting.population.items[1])
    tested, cut = cut_for(sample, 0.5, rule)
    own, point = promise(tested, cut, rule)
    return Claim.KEEPS if point.certified and _known(setting).at(cut)[0] > own.alpha else None


def cases_certified(rng: Rng, n: int) -> Claim | None:
    """The same of totals: a case is one row, and how far off it is a share of the most."""
    loss = np.minimum(1.0, rng.exponential(0.1, n))
    sample = Sample(rng.random(n), loss, np.arange(n), np.ones(n, np.int64), 1.0, graded=True)
    risk = 0.1 * (1.0 - np.exp(-10.0))  # of an exponential that is cut at 1
    rule = Search("approx", "korn-graubard", risk, DELTA, (), 1)
    tested, grid = grid_of(sample, None, rule)
    some = any(point.certified for point in rule.certify(tested, grid))
    return Claim.CASES_CERTIFIED if some else None


def cascade(rng: Rng, n: int) -> Claim | None:
    """Two judges whose confidence says nothing, at the risk that both have."""
    judges = cascades.JUDGES[0]
    rows = judges.draw(rng, n)
    halves = rows.of_cases(0, n // 2), rows.of_cases(n // 2, n)
    prices: Prices = cascades.PRICES
    best = search_cascade(*halves, prices, judges.alpha, DELTA, None).best
    return None if best is None else Claim.CASCADE_CERTIFIED


def set_misses(rng: Rng, n: int) -> Claim | None:
    """One judgment of a new case is not in its set."""
    crowd = sets.CROWDS[1]
    case, truth, chances = crowd.draw(rng, n)
    row = np.arange(len(case))
    bound = bound_of(sets.entries("aps", chances).score[row, truth], case, ALPHA)
    _, other, new = crowd.draw(rng, 1)
    score = sets.entries("aps", new).score[np.arange(len(other)), other]
    return Claim.SETS_HOLD if score[0] > bound else None


def gated(rng: Rng, n: int) -> Claim | None:
    """Two systems of one law, held to no margin: the difference lies at its bound."""
    left, right = draw_pair((LAWS["beta"],), rng, n)
    found = measure(METRICS["mean_loss"], [left.ranking(), right.ranking()], n)[1].interval
    return _verdict(found, "superiority", 0.0)


def gated_coverage(rng: Rng, n: int, *, whole: bool = True) -> Claim | None:
    """Cases of 3 to 12 rows fall silent, as much as is just too much: whole, or most of some."""
    size = rng.integers(3, 13, n)
    case = np.repeat(np.arange(n), size)
    share = rng.random(n) < 0.2 if whole else rng.beta(0.2, 0.8, n)
    silent, none = rng.random(len(case)) < share[case], np.zeros(len(case), int)
    new = rank(none, none, ~silent, case=case, n_cases=n, most_loss=1)
    base = rank(none, none, case=case, n_cases=n, most_loss=1)
    return _verdict(
        measure(METRICS["coverage"], [base, new], n)[1].interval, "non-inferiority", 0.2
    )


def _verdict(interval: Interval | None, rule: Any, bound: float) -> Claim | None:
    if interval is None or not interval.is_reliable:
        return None
    claims = {"pass": Claim.GATE_PASSES, "fail": Claim.GATE_FAILS}
    return claims.get(decide(rule, interval.low, interval.high, bound))


def cost(rng: Rng, n: int) -> Claim | None:
    """The interval of what a judgment costs does not hold the true cost of its thresholds."""
    setting = thresholds.SETTINGS[7]
    drawn = draw(setting.population, rng, 1, n)
    sample, known = thresholds.sample_of(drawn, 0, graded=False), _known(setting)
    made = document_of(sample, 0.25, 5, {})
    fold = np.arange(n) % 5
    by_fold = []
    for threshold in made.fold_thresholds:
        risk, coverage = known.at(np.inf if threshold is None else threshold)
        by_fold.append(risk * coverage + 0.25 * (1.0 - coverage))
    shares = np.bincount(fold, sample.rows) / sample.rows.sum()
    return Claim.COSTS if _misses(made.cost, float(shares @ by_fold)) else None


def _misses(measured: Measured, true: float) -> bool:
    interval = measured.interval
    return interval is not None and not interval.low <= true <= interval.high


def shown(rng: Rng, n: int) -> Claim | None:
    """A difference that is there, in a study as large as is planned; ``n`` cases need it."""
    effect = 1.0
    while cases_for(effect, 1.0, POWER) < n:
        effect *= 0.99
    size = cases_for(effect, 1.0, POWER)
    values = effect + (rng.gamma(2.0, 1.0, size) - 2.0) / np.sqrt(2.0)
    t = values.mean() / (values.std(ddof=1) / np.sqrt(size))
    return Claim.SHOWN_WITH if 2 * t_cdf(size - 1, -abs(float(t))) <= 0.05 else None


RULE: Final = Rule("ordinal", EPSILON)
UNITS: Final = 4


def _panel(rng: Rng, n: int, off: float) -> tuple[Panel, Any]:
    """Four people and a judge like them, but far off on all units of some cases."""
    case = np.repeat(np.arange(n), UNITS)
    truth = rng.integers(0, raters.LEVELS, len(case))
    noise = rng.choice([-1, 0, 1], (len(case), 5), p=[0.2, 0.6, 0.2])
    table = np.clip(truth[:, None] + noise, 0, raters.LEVELS - 1)
    lost = (rng.random(n) < off)[case]
    answer = np.where(lost, np.where(truth > 1, 0, raters.LEVELS - 1), table[:, 4])
    return raters.panel(table[:, :4].astype(float), case, n), answer


@cache
def _at_epsilon() -> float:
    """The share of cases at which the judge is as much worse as is just not allowed."""
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2.0
        tests = hold(*_panel(np.random.default_rng(1), 20_000, middle), RULE).raters.values()
        worse = float(np.mean([test.difference for test in tests]))
        low, high = (middle, high) if worse < EPSILON else (low, middle)
    return low


def stands_in(rng: Rng, n: int) -> Claim | None:
    """A judge whose mean D is ε, by whole cases."""
    test = hold(*_panel(rng, n, _at_epsilon()), RULE)
    return Claim.PASSES_TEST if test.passes else None


def stands_out(rng: Rng, n: int) -> Claim | None:
    """Four people who are alike."""
    study = Study.of(raters.people(rng, n, skew=False, gaps=0.0), RULE)
    counts = study.people.counts
    words = [rater_of(study, code, counts[code]).stands_out for code in study.ones]
    return next((STANDING_OUT[word] for word in words if word is not None), None)


@cache
def _mean_rating() -> float:
    *_, y, _ = _ratings(np.random.default_rng(1), MANY)
    return float(y.mean())


def _ratings(rng: Rng, n: int) -> Any:
    return raters.ratings(rng, n, lambda rng, n: rng.integers(1, 11, n), "shared")


def _labelled(rng: Rng, n: int, others: int = 200) -> tuple[Labelled, Labelled]:
    case, y, f = _ratings(rng, n + others)
    sums = [np.bincount(case, v, n + others) for v in (np.ones(len(y)), y, f)]
    return (
        raters.sample(*(part[:n] for part in sums)),
        raters.sample(*(part[n:] for part in sums)),
    )


def people_would_give(rng: Rng, n: int) -> Claim | None:
    """The interval of the mean rating does not hold it."""
    own, others = _labelled(rng, n)
    room = Room(1.0, float(raters.LEVELS), 1.0)
    (found,) = estimate._measured(own, others, 0.95, room)
    return Claim.PEOPLE_WOULD_GIVE if _misses(found.estimate, _mean_rating()) else None


def at_random(rng: Rng, n: int) -> Claim | None:
    """Labelled cases that were drawn at random, and are said not to be."""
    p = estimate._at_random(*_labelled(rng, n))
    return Claim.NOT_AT_RANDOM if p is not None and p < SUSPECT else None

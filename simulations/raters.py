"""Raters: do the intervals of estimates and of agreement hold, and how often is a pass false?

Every population is drawn anew, the truth is that of a very large draw or known exactly.
``python -m simulations.raters`` prints the tables of docs/simulations.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import stdtrit

from acumen import Judgments, from_columns
from acumen.evaluation.noise import NoiseFloor
from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.alt_test import Rule, hold
from acumen.raters.panel import Panel
from acumen.raters.ppi import Sample, power
from acumen.table.panel import apart
from acumen.values.measured import Measured
from acumen.views.ranking import Ranking, rank_judgments

Rng = np.random.Generator
LEVELS = 5


def clipped(values: Any) -> Any:
    """Levels on the scale."""
    return np.clip(np.round(values), 1, LEVELS)


def ratings(rng: Rng, cases: int, rows: Any, judge: str, *, informative: bool = False) -> Any:
    """Case of each row, people's rating and the judge's."""
    size = rows(rng, cases)
    severity = rng.normal(3.0, 1.0, cases)
    if informative:  # large cases are severe
        size = np.maximum(1, np.round(4 + 3 * (severity - 3))).astype(int)
    case = np.repeat(np.arange(cases), size)
    y = clipped(severity[case] + rng.normal(0, 0.7, len(case)))
    if judge == "useless":
        return case, y, rng.integers(1, LEVELS + 1, len(y))
    # "shared" errs alike on all rows of a case
    noise = rng.normal(0, 1, cases)[case] if judge == "shared" else rng.normal(0, 0.5, len(y))
    f = clipped(y + (judge == "biased") + noise)
    return case, y, f


POPULATIONS: dict[str, dict[str, Any]] = {
    "equal sizes": {"rows": lambda rng, n: np.full(n, 5), "judge": "good"},
    "sizes 1–20": {"rows": lambda rng, n: rng.integers(1, 21, n), "judge": "good"},
    "informative sizes": {
        "rows": lambda rng, n: np.full(n, 5),
        "judge": "good",
        "informative": True,
    },
    "useless judge": {"rows": lambda rng, n: np.full(n, 5), "judge": "useless"},
    "biased judge": {"rows": lambda rng, n: np.full(n, 5), "judge": "biased"},
    "errors by case": {"rows": lambda rng, n: rng.integers(1, 11, n), "judge": "shared"},
}


def sample(rows: Any, y: Any, f: Any) -> Sample:
    """The sums of some cases as the estimator takes them."""
    return Sample(rows[:, None], y[:, None, None], f[:, None, None], np.ones(1))


def many(own: Any, others: Any, most: float) -> Any:
    """Ends of the intervals of many studies at once; sums are ``(sum, study, case)``.

    The formula of :mod:`acumen.raters.ppi`, from sums of products instead of case by case.
    """

    def ratio(m: Any, f: Any) -> tuple[Any, Any]:
        mean = f.sum(axis=1) / m.sum(axis=1)
        rest = (f - mean[:, None] * m) / m.sum(axis=1)[:, None]
        return mean, m.shape[1] / (m.shape[1] - 1) * (rest**2).sum(axis=1)

    mean_u, variance_u = ratio(others[0], others[2])
    n = own.shape[2]
    m, y, f = own
    parts = np.stack([m, y, f, m * m, m * y, m * f, y * f, f * f])
    total = parts.sum(axis=2, keepdims=True)

    def estimate(sums: Any, size: int) -> tuple[Any, Any]:
        m, y, f, mm, my, mf, yf, ff = sums
        ry, rf, scale = y / m, f / m, size / (size - 1) / m**2
        ab, bb = yf - ry * mf - rf * my + ry * rf * mm, ff - 2 * rf * mf + rf**2 * mm
        weight = np.clip(scale * ab / (scale * bb + variance_u[:, None]), 0, most)
        return weight * (mean_u[:, None] - rf) + ry, weight

    value, weight = estimate(total, n)
    left_out, _ = estimate(total - parts, n - 1)
    d = left_out - left_out.mean(axis=1, keepdims=True)
    own_variance = (n - 1) / n * (d**2).sum(axis=1)
    kurtosis = n * (d**4).sum(axis=1) / (d**2).sum(axis=1) ** 2
    own_degrees = np.minimum(n - 1, np.maximum(2, 2 * n / np.maximum(kurtosis - 1, 1e-9)))
    rest = weight[:, 0] ** 2 * variance_u
    whole = own_variance + rest
    far = others.shape[2] - 1
    degrees = whole**2 / (own_variance**2 / own_degrees + rest**2 / far)
    reach = stdtrit(degrees, 0.975) * np.sqrt(whole)
    return value[:, 0] - reach, value[:, 0] + reach


def estimates(reps: int, seed: int, others: int = 200) -> None:
    """Coverage of 95% intervals of the mean rating, and their length against the classical."""
    print("| population | labelled | covers | of labels alone | length, of labels alone |")
    print("|---|---|---|---|---|")
    for name, population in POPULATIONS.items():
        rng = np.random.default_rng(seed)
        truth = ratings(rng, 400_000, **population)[1].mean()
        for n in (10, 20, 40):
            cases = reps * (n + others)
            case, y, f = ratings(rng, cases, **population)
            sums = np.stack([np.bincount(case, v, cases) for v in (np.ones(len(y)), y, f)])
            sums = sums.reshape(3, reps, n + others)
            own, rest = sums[:, :, :n], sums[:, :, n:]
            covers, lengths = [], []
            for most in (1.0, 0.0):
                low, high = many(own, rest, most)
                # the first study, by the code that is measured
                powered = power(sample(*own[:, 0]), sample(*rest[:, 0]), (0.0, most))
                assert np.allclose(np.ravel(powered.ends(0.95)), [low[0], high[0]])
                covers.append(share((low <= truth) & (truth <= high)))
                lengths.append(np.median(high - low))
            ratio = lengths[0] / lengths[1]
            print(f"| {name} | {n} | {covers[0]} | {covers[1]} | {ratio:.2f} |", flush=True)


def share(holds: Any) -> str:
    """In percent, with its Monte-Carlo error."""
    p = float(np.mean(holds))
    return f"{100 * p:.1f} ± {100 * np.sqrt(p * (1 - p) / len(holds)):.1f}"


def panel(table: Any, case: Any, n_cases: int) -> Panel:
    """A panel of ratings 0 … 4, NaN where there is none."""
    unit, rater = np.nonzero(~np.isnan(table))
    return Panel(
        raters=tuple(f"p{j}" for j in range(table.shape[1])),
        scale_size=LEVELS,
        ranks=np.arange(LEVELS),
        unit=unit,
        rater=rater,
        level=table[unit, rater].astype(np.int64),
        block=case,
        n_blocks=n_cases,
    )


def people(rng: Rng, cases: int, *, skew: bool, gaps: float) -> Panel:
    """Four people, three units a case."""
    case = np.repeat(np.arange(cases), 3)
    center = rng.normal(1.0 if skew else 2.0, 1.2, cases)[case]
    unit = center + rng.normal(0, 0.6, len(case))
    table = np.clip(np.round(unit[:, None] + rng.normal(0, 0.8, (len(case), 4))), 0, LEVELS - 1)
    if gaps:
        table[rng.random(table.shape) < gaps] = np.nan
        table[:, 0] = np.where(np.isnan(table).all(axis=1), 1, table[:, 0])
    return panel(table, case, cases)


MEASURES: dict[str, tuple[Callable[[Panel], Any], Kind]] = {
    "alpha, ordinal": (lambda p: agreement.alpha(p, "ordinal"), Kind.CORRELATION),
    "alpha, nominal": (lambda p: agreement.alpha(p, "nominal"), Kind.CORRELATION),
    "AC2, quadratic": (lambda p: agreement.gwet(p, "quadratic"), Kind.CORRELATION),
    "ICC(A,1)": (lambda p: agreement.intraclass(p, [0, 1, 2, 3])[0]["icc_a_1"], Kind.GAIN),
    "noise floor": (agreement.floor, Kind.RISK),
}


WORLDS: dict[str, dict[str, Any]] = {
    "even": {"skew": False, "gaps": 0.0},
    "skewed": {"skew": True, "gaps": 0.0},
    "with gaps": {"skew": False, "gaps": 0.3},
}


def agreements(reps: int, seed: int) -> None:
    """Coverage of 95% intervals of agreement."""
    print("| measure | ratings | 20 cases | 50 cases |")
    print("|---|---|---|---|")
    for world, options in WORLDS.items():
        rng = np.random.default_rng(seed)
        large = people(rng, 100_000, **options)
        draws = [[people(rng, cases, **options) for _ in range(reps)] for cases in (20, 50)]
        for name, (measure, kind) in MEASURES.items():
            truth, covers = measure(large).value, []
            for studies in draws:
                intervals = [measure(study).measured(kind, 0.95).interval for study in studies]
                covers.append(
                    share([i is not None and i.low <= truth <= i.high for i in intervals])
                )
            print(f"| {name} | {world} | {covers[0]} | {covers[1]} |", flush=True)


def duel_world(rng: Rng, units: int, worse: float) -> tuple[Panel, Any]:
    """Five people around a truth; the judge is one more, and with some chance a random level."""
    truth = rng.integers(0, LEVELS, units)
    noise = rng.choice([-1, 0, 1], (units, 6), p=[0.15, 0.7, 0.15])
    table = np.clip(truth[:, None] + noise, 0, LEVELS - 1)
    random = rng.random(units) < worse
    judge = np.where(random, rng.integers(0, LEVELS, units), table[:, 5])
    return panel(table[:, :5].astype(float), np.arange(units), units), judge


def false_passes(reps: int, seed: int, epsilon: float = 0.15) -> None:
    """How often a judge passes whose mean D is exactly ε for every person."""
    rng = np.random.default_rng(seed)
    rule = Rule("ordinal", epsilon, 0.05, 30, by_row=False, confidence_level=0.95)

    def gap(worse: float) -> float:
        world, judge = duel_world(np.random.default_rng(1), 400_000, worse)
        tests = hold(world, judge, rule).raters.values()
        return float(np.mean([test.difference for test in tests]))

    low, high = 0.0, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(middle) < epsilon else (low, middle)
    print("| units | passes at the bar | passes as good as a person |")
    print("|---|---|---|")
    for units in (40, 100, 300):
        rates = []
        for worse in (low, 0.0):
            worlds = (duel_world(rng, units, worse) for _ in range(reps))
            rates.append(share([bool(hold(*world, rule).passes) for world in worlds]))
        print(f"| {units} | {rates[0]} | {rates[1]} |", flush=True)


def judged(rng: Rng, cases: int, raters: int, gaps: float) -> tuple[Judgments, Ranking]:
    """People who disagree more on hard units, and a judge that is surer of easy ones.

    One to eight units a case; where it is very unsure it leaves a unit open, about one in eight.
    """
    size = rng.integers(1, 9, cases)
    case = np.repeat(np.arange(cases), size)
    hard = 0.3 + rng.gamma(2.0, 0.3, cases)[case] * rng.uniform(0.5, 1.5, len(case))
    truth = rng.normal(2.0, 1.2, cases)[case] + rng.normal(0, 0.6, len(case))
    noise = rng.normal(0, 1, (len(case), raters + 1)) * hard[:, None]
    table = np.clip(np.round(truth[:, None] + noise), 0, LEVELS - 1)
    table[:, :-1][rng.random((len(case), raters)) < gaps] = np.nan
    sure = -hard + rng.normal(0, 0.3, len(case))
    table[:, -1] = np.where(sure < -1.5, np.nan, table[:, -1])
    unit, rater = np.nonzero(~np.isnan(table[:, :-1]))
    rows = from_columns(
        case=case[unit],
        item=(np.arange(len(case)) - (np.cumsum(size) - size)[case])[unit],
        rater=rater,
        truth=table[unit, rater],
        prediction=[None if np.isnan(level) else int(level) for level in table[unit, -1]],
        scale=list(range(LEVELS)),
    )
    return rows, rank_judgments(rows, sure[unit], "abs")


def floors_of(table: Judgments, ranking: Ranking) -> list[Measured]:
    """Of one study: of all answers, and of the surest half of all rows."""
    noise = NoiseFloor(apart(table, "abs"), 0.95)
    return [m for coverage in (None, 0.5) if (m := noise.of(ranking, coverage)) is not None]


def floors(reps: int, seed: int) -> None:
    """Coverage of 95% intervals of the noise floor, beside the risk of all and of the surest."""
    print("| raters | missing | all answers, 41 cases | 100 | surest half, 41 cases | 100 |")
    print("|---|---|---|---|---|---|")
    for raters, gaps in ((2, 0.0), (3, 0.0), (5, 0.0), (2, 0.3), (3, 0.3), (5, 0.3)):
        rng = np.random.default_rng(seed)

        truths = [m.value or 0.0 for m in floors_of(*judged(rng, 40_000, raters, gaps))]
        cells = []
        for cases in (41, 100):
            studies = [floors_of(*judged(rng, cases, raters, gaps)) for _ in range(reps)]
            for at, truth in enumerate(truths):
                ends = [study[at].interval for study in studies]
                cells.append(share([i is not None and i.low <= truth <= i.high for i in ends]))
        all_41, half_41, all_100, half_100 = cells
        line = f"| {raters} | {gaps:.0%} | {all_41} | {all_100} | {half_41} | {half_100} |"
        print(line, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    false_passes(options.reps, options.seed)
    estimates(options.reps, options.seed)
    agreements(options.reps // 2, options.seed)
    floors(options.reps // 2, options.seed)

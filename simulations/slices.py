"""Groups that do not differ: how often one is claimed to, and whether the worst one's bound holds.

``python -m simulations.slices`` prints the table that stands in docs/claims.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.evaluation.slices import contrast_with, worst_of
from acumen.inference.infer import Inference, infer
from acumen.inference.multiplicity import holm
from acumen.inference.options import Options
from acumen.metrics import METRICS
from simulations.laws import LAWS, Cases, Law, Rows, draw_cases, judge

RANKED: Final = [METRICS[name] for name in ("coverage", "mean_loss", "augrc")]
CONFUSED: Final = [METRICS[name] for name in ("total_accuracy", "quadratic_kappa")]
NAMES: Final = tuple(m.name for m in (*RANKED, *CONFUSED))
TRUTH_CASES: Final = 40_000
ONCE: Final = Options(resamples=0, threads=1)


def part(rows: Rows, some: NDArray[np.bool_]) -> tuple[dict[str, Inference], NDArray[np.int64]]:
    """The metrics of some rows alone, and the cases they are of."""
    cases, code = np.unique(rows.cases.case[some], return_inverse=True)
    own = Cases(rows.cases.hardness[cases], code, rows.cases.truth[some], *[rows.cases.giant] * 2)
    prediction, confidence = rows.prediction[some], rows.confidence[some]
    alone = Rows(own, prediction, confidence, rows.answered[some], rows.levels)
    numbers = infer(RANKED, alone.ranking(), ONCE)
    return numbers | infer(CONFUSED, alone.confusion(alone.answered), ONCE), cases


@cache
def truths(law: Law) -> dict[str, float]:
    """The metrics of the population."""
    rng = np.random.default_rng(7)
    rows = judge(law, draw_cases(law, rng, TRUTH_CASES), rng)
    views = ((RANKED, rows.ranking()), (CONFUSED, rows.confusion(rows.answered)))
    return {m.name: m.measure(view).value or 0.0 for metrics, view in views for m in metrics}


def groups_of(rows: Rows, rng: np.random.Generator, groups: int, *, by_row: bool) -> NDArray[Any]:
    """The group of each row: by its place within the case, or by case, the first the largest."""
    case = rows.cases.case
    if by_row:
        place: NDArray[Any] = np.arange(len(case)) - np.searchsorted(case, case)
        return place % groups
    share = np.arange(groups, 0, -1) / np.arange(groups, 0, -1).sum()
    n = len(rows.cases.hardness)
    of_case: NDArray[Any] = np.searchsorted(np.cumsum(share), (np.arange(n) + 0.5) / n)
    return np.asarray(rng.permutation(of_case)[case])


def count(law: Law, n: int, groups: int, studies: int, *, by_row: bool) -> dict[str, Any]:
    """The share of studies with a claim, and of those where the worst group's bound holds."""
    rng = np.random.default_rng([20261, n, groups, by_row, *map(ord, law.name)])
    claims, held, bounds = (dict.fromkeys(NAMES, 0) for _ in range(3))
    for _ in range(studies):
        rows = judge(law, draw_cases(law, rng, n), rng)
        code = groups_of(rows, rng, groups, by_row=by_row)
        parts = [part(rows, code == g) for g in range(groups)]
        rests = [part(rows, code != g) for g in range(groups)]
        for name in NAMES:
            contrasts = [
                contrast_with(rest[name], numbers[name], (others, cases), ONCE)
                for (numbers, cases), (rest, others) in zip(parts, rests, strict=True)
            ]
            family = contrasts if groups > 2 else contrasts[:1]
            adjusted = holm({at: c.p_value for at, c in enumerate(family)})
            claims[name] += any(
                p is not None and replace(c, alone=replace(c.alone, p_value=p)).favours is not None
                for c, p in zip(family, adjusted.values(), strict=True)
                if c.alone is not None
            )
            beside = [numbers[name] for numbers, _ in parts]
            worst = [w for i in beside if (w := worst_of(i, beside)) is not None]
            bounds[name] += bool(worst)
            held[name] += bool(worst) and worst[0].low <= truths(law)[name] <= worst[0].high
    return {
        "claimed": {name: claims[name] / studies for name in NAMES},
        "held": {name: held[name] / max(bounds[name], 1) for name in NAMES},
    }


def lines(studies: int) -> Iterator[str]:
    """The table, a line a population."""
    yield f"| law | cases | groups | {' | '.join(NAMES)} | worst: {' | '.join(NAMES)} |"
    yield "|---" * (3 + 2 * len(NAMES)) + "|"
    for by_row, groups in ((False, 2), (False, 4), (True, 2), (True, 4)):
        for name in ("beta", "ties", "rare errors"):
            for n in (41, 100):
                shares = count(LAWS[name], n, groups, studies, by_row=by_row)
                kind = f"{groups}, {'of rows' if by_row else 'of cases'}"
                cells = [f"{100 * s:.1f}" for part in shares.values() for s in part.values()]
                yield f"| {name} | {n} | {kind} | {' | '.join(cells)} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    for line in lines(parser.parse_args().studies):
        print(line, flush=True)

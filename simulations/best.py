"""Of several confidence functions the best is picked: does what is said of it hold?

On tables of more rows than are resampled, where the draws are normal with the variances of the
jackknives. A claim is false where the function that was picked is put below one that is no worse;
the interval of its discrimination misses where it does not hold the truth of the one picked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from acumen.evaluation.evaluate import _best
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights

SHAPES: Final = ((150, 30), (1500, 8))
"""Cases, and rows of each: cases that are left out one by one, and those known by influence."""
CROWD: Final = (100_000, 8)
"""What stands for the population."""
MEASURED: Final = tuple(METRICS[name] for name in ("augrc", "failure_auroc"))


@dataclass(frozen=True)
class Contest:
    """Functions that know something of a row's difficulty, and noise of their own."""

    name: str
    knows: tuple[float, ...]
    """Correlation of each with what there is to know."""
    ties: int = 0
    """So many distinct confidences; 0: all differ."""
    studies: int = 600

    def draw(self, rng: np.random.Generator, n: int, items: int) -> list[Ranking]:
        """The rows of a study, ranked by each function."""
        case, rows = np.repeat(np.arange(n), items), n * items
        hard = 0.6 * rng.normal(size=n)[case] + rng.normal(size=rows)
        loss = np.searchsorted((0.8, 1.7, 2.4), hard + 0.5 * rng.normal(size=rows))
        answered = hard + rng.normal(size=rows) < 1.4
        rankings = []
        for share in self.knows:
            noise = np.sqrt(1.36 * (1 - share**2)) * rng.normal(size=rows)
            sure = noise - share * hard
            if self.ties:
                sure = np.floor(self.ties / (1 + np.exp(-sure)))
            rankings.append(rank(loss, sure, answered, case=case, n_cases=n, most_loss=3))
        return rankings


CONTESTS: Final = (
    Contest("5 alike", (0.5,) * 5),
    Contest("5 alike, ten confidences each", (0.5,) * 5, ties=10),
    Contest("12 that know nothing", (0.0,) * 12, studies=200),
)


@cache
def truths(contest: Contest) -> list[dict[str, float]]:
    """Each metric of every function, on very many cases; functions alike have one."""
    once = CaseWeights.once(CROWD[0])
    rankings = contest.draw(np.random.default_rng(7), *CROWD)
    values = [{m.name: float(np.asarray(m(r, once))[0]) for m in MEASURED} for r in rankings]
    pairs = list(zip(values, contest.knows, strict=True))
    alike = [[value for value, share in pairs if share == own] for own in contest.knows]
    return [{m.name: float(np.mean([v[m.name] for v in own])) for m in MEASURED} for own in alike]


def count(contest: Contest, cases: int, items: int, studies: int) -> dict[str, Any]:
    """Studies, those with a false claim, and on which side the truth misses the interval."""
    truth, options = truths(contest), Options(resamples=0, many_rows=True, threads=1)
    table = SimpleNamespace(included=SimpleNamespace(cases=range(cases)))
    system: Any = SimpleNamespace(table=table, plan=SimpleNamespace(options=options))
    tally = {"studies": studies, "false": 0, "best": 0, "low": 0, "high": 0}
    for study in range(studies):
        rng = np.random.default_rng([11, cases, study, *map(ord, contest.name)])
        rankings = contest.draw(rng, cases, items)
        numbers = {str(k): infer(MEASURED, r, options) for k, r in enumerate(rankings)}
        functions: Any = {k: SimpleNamespace(numbers=[own]) for k, own in numbers.items()}
        best = _best(system, functions, {})
        assert best is not None
        assert best.discrimination is not None
        own = truth[int(best.name)]
        beaten = {*numbers} - {best.name, *best.equal, *best.indistinguishable}
        tally["false"] += any(truth[int(k)]["augrc"] <= own["augrc"] for k in beaten)
        tally["best"] += own["augrc"] == min(t["augrc"] for t in truth)
        tally["low"] += own["failure_auroc"] < (best.discrimination.low or 0.0)
        tally["high"] += own["failure_auroc"] > (best.discrimination.high or 1.0)
    return tally

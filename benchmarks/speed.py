"""What is timed: the engine, and what people use otherwise, in the same process."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any, Final

import numpy as np

from acumen.inference.influence import statistic_of
from acumen.inference.resample import Bootstrap, lanes_for, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.views.compiled import compiled
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights
from benchmarks import reference
from benchmarks.studies import Columns, study

GRID: Final = tuple(METRICS["mean_loss_at_coverage"].at(coverage=x) for x in reference.GRID)
SAME: Final = (*(METRICS[n] for n in reference.METRICS if n in METRICS), *GRID)
"""The metrics that the list-of-objects reference has too."""
AREAS: Final = (*(METRICS[n] for n in ("aurc", "augrc")), *GRID)
CORE: Final = (
    *AREAS,
    *(METRICS[n] for n in ("aurc_achievable", "augrc_achievable", "aurc_optimal", "augrc_optimal")),
)


def best_time(work: Callable[[], Any], repeats: int = 5) -> float:
    """The quickest of a few runs: the others had company."""
    work()
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return min(times)


def drawn(cases: int, resamples: int) -> list[np.ndarray[Any, Any]]:
    """Resamples drawn beforehand, in the engine's blocks."""
    plan, lanes = Bootstrap(cases, resamples), lanes_for(cases)
    starts = range(0, resamples, lanes)
    return [plan.block(start, min(start + lanes, resamples)) for start in starts]


def compute(metrics: Sequence[Metric], view: Ranking, blocks: Sequence[Any]) -> float:
    """Seconds for all metrics under all blocks, single-threaded, drawing apart."""
    statistic = statistic_of(metrics, view)
    return best_time(lambda: [statistic(CaseWeights(block)) for block in blocks])


def small_study(cases: int = 41, resamples: int = 10_000) -> dict[str, float]:
    """41 cases × 8 items: seconds a replicate of each contender, and of ours."""
    columns = study(cases)
    view, by_case = columns.ranking(), columns.items()
    blocks = drawn(cases, resamples)
    check(columns, blocks[0][:, :20])
    some = [
        np.repeat(np.arange(cases), block[:, lane]).tolist() for block in blocks for lane in (0, 1)
    ]

    def objects(*, shared: bool) -> float:
        return best_time(
            lambda: [reference.replicate(by_case, cases, shared=shared) for cases in some], 3
        ) / len(some)

    return {
        "metrics": len(SAME),
        "ours": compute(SAME, view, blocks) / resamples,
        "ours, drawing": best_time(lambda: drawn(cases, resamples)) / resamples,
        "objects": objects(shared=False),
        "objects, shared": objects(shared=True),
        **arrays(columns, some),
    }


def check(columns: Columns, counts: np.ndarray[Any, Any]) -> None:
    """Both must give the same numbers, or there is nothing to time."""
    ours = statistic_of(SAME, columns.ranking())(CaseWeights(np.ascontiguousarray(counts)))
    by_case = columns.items()
    for lane in range(counts.shape[1]):
        cases = np.repeat(np.arange(columns.n_cases), counts[:, lane]).tolist()
        theirs = reference.replicate(by_case, cases, shared=False)
        for row, metric in enumerate(SAME):
            value = theirs[metric.name]
            same = (
                np.isnan(ours[row, lane]) if value is None else abs(ours[row, lane] - value) < 1e-9
            )
            assert same, (metric.name, ours[row, lane], value)


def arrays(columns: Columns, some: Sequence[Sequence[int]]) -> dict[str, float]:
    """Seconds a call of what takes arrays: rows collected beforehand, one metric a call."""
    from sklearn.metrics import average_precision_score

    answered = columns.answered
    rows = [[8 * case + item for case in cases for item in range(8)] for cases in some]
    kept = [np.array([row for row in taken if answered[row]]) for taken in rows]
    loss, sure = columns.loss, columns.confidence
    given = [(loss[take], sure[take]) for take in kept]
    wrong = [(losses > 0, -confidence) for losses, confidence in given]
    out = {
        "sklearn": best_time(lambda: [average_precision_score(y, s) for y, s in wrong], 3),
        "numpy": best_time(lambda: [numpy_aurc(y, s) for y, s in given], 3),
    }
    return {name: seconds / len(some) for name, seconds in out.items()}


def numpy_aurc(loss: np.ndarray[Any, Any], confidence: np.ndarray[Any, Any]) -> float:
    """AURC of answered rows in a few NumPy calls, ties left in the order they come."""
    order = np.argsort(-confidence, kind="stable")
    risk = np.cumsum(loss[order]) / np.arange(1, len(order) + 1)
    return float(risk.mean())


def large_study(cases: int = 12_500, resamples: int = 1_000) -> dict[str, float]:
    """10⁵ rows: nanoseconds per replicate and row, drawing apart; gain of a second thread."""
    view = study(cases).ranking()
    blocks = drawn(cases, resamples)
    cells = len(view) * resamples / 1e9
    plan = Bootstrap(cases, resamples)
    statistic = statistic_of(CORE, view)
    gained, most = gains(lambda threads: replicate(statistic, plan, threads=threads))
    return {
        "areas": compute(AREAS, view, blocks) / cells,
        "core": compute(CORE, view, blocks) / cells,
        "drawing": best_time(lambda: drawn(cases, resamples), 3) / cells,
        "gain": gained,
        "most gain": most,
    }


def gains(work: Callable[[int], Any], rounds: int = 9) -> tuple[float, float]:
    """How much faster with two threads than with one: the work, and plain arithmetic beside it.

    The medians of a few rounds: one round alone is off by a tenth either way.
    """
    work(2)
    idle_arithmetic(2)  # both compiled and warm before they are timed
    plain, gained = [], []
    for _ in range(rounds):
        plain.append(seconds(idle_arithmetic, 1) / seconds(idle_arithmetic, 2))
        gained.append(seconds(work, 1) / seconds(work, 2))
    return median(gained), median(plain)


def seconds(work: Callable[[int], Any], threads: int) -> float:
    begun = time.perf_counter()
    work(threads)
    return time.perf_counter() - begun


def idle_arithmetic(threads: int, blocks: int = 6) -> None:
    """Work without memory or shared state: what two threads can gain on this machine, now."""
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(harmonic, [20_000_000] * blocks))


@compiled
def harmonic(n: int) -> float:
    total = 0.0
    for i in range(n):
        total += 1.0 / (i + 1.0)
    return total

r"""How many cases? From a pilot or a guess of how much cases differ.

A case's share of a metric is its jackknife pseudo-value, and these vary with ``sd``; n cases show
an effect with the power of the noncentral t on n − 1 degrees of freedom, :math:`\delta\sqrt n/sd`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np
from scipy.special import nctdtr, ndtri, stdtrit

from acumen import defaults
from acumen.decisions.gate import find_views
from acumen.decisions.sample import origin
from acumen.errors import DataError, UsageError
from acumen.evaluation.inputs import Modes, calibration_of, tables_of
from acumen.evaluation.plan import Plan
from acumen.inference.infer import leave_out
from acumen.inference.influence import row_influence
from acumen.metrics.registry import Metric
from acumen.readers.reading import Reading
from acumen.report.findings import Decided
from acumen.results.decisions import Design, PlanDocument
from acumen.table.align import align
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats

MOST_CASES: Final = 1_000_000
MOST_DRAWS: Final = 20_000_000
SIMULATIONS: Final = 2000


def power_at(n: int, effect: float, sd: float, *, one_sided: bool) -> float:
    """The chance that n cases show an effect.

    >>> round(power_at(199, 0.05, 0.25, one_sided=False), 4)
    0.8017
    """
    miss = (1 - defaults.CONFIDENCE_LEVEL) / (1 if one_sided else 2)
    critical, shift = stdtrit(n - 1, 1 - miss), effect * math.sqrt(n) / sd
    tails = nctdtr(n - 1, shift, np.array([-critical, critical]))
    below, above = np.nan_to_num(tails)  # a chance too small for the series is none
    return 1.0 - float(above) + (0.0 if one_sided else float(below))


def cases_for(effect: float, sd: float, power: float, *, one_sided: bool = False) -> int:
    """The fewest cases with that power.

    >>> cases_for(0.05, 0.25, 0.8), cases_for(0.03, 0.1, 0.8, one_sided=True)
    (199, 71)
    """
    low, high = 1, 2
    while power_at(high, effect, sd, one_sided=one_sided) < power:
        low, high = high, 2 * high
        if high > MOST_CASES:
            raise DataError([f"more than {MOST_CASES:,} cases are needed for {effect:g}"])
    while high - low > 1:
        middle = (low + high) // 2
        enough = power_at(middle, effect, sd, one_sided=one_sided) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def normal_cases(effect: float, variance: float, power: float = defaults.POWER) -> float:
    """The same by Miller (2024), two-sided, with normal quantiles.

    >>> round(normal_cases(0.03, 1 / 9), 4), round(normal_cases(0.03, 1 / 9 + 2 / 6), 2)
    (968.9975, 3875.99)
    """
    quantiles = ndtri((1 + defaults.CONFIDENCE_LEVEL) / 2) + ndtri(power)
    return float(quantiles**2 * variance / effect**2)


def plan(
    pilot: Any = None,
    other: Any = None,
    *,
    detect: float,
    metric: str = defaults.PLAN_METRIC,
    sd: float | None = None,
    non_inferiority: bool = False,
    power: float = defaults.POWER,
    draws: float = 0.0,
    agreement: float | None = None,
    confidence: str = defaults.CONFIDENCE,
    loss: AnyLoss = defaults.LOSS,
    mode: Modes = None,
    calibration: str | Path | None = None,
    seed: int = defaults.SEED,
    **reading: Unpack[Reading],
) -> Decided[PlanDocument]:
    """How many cases show a difference of ``detect``, or that a run is no more than that worse.

    From a ``pilot`` (two runs, or two modes of one: their paired difference; else the run's own
    value), or from a guess of the ``sd`` of a case. ``draws`` is the standard deviation of one
    judgment between repeats; ``agreement`` the correlation of a judge with the labels, for studies
    in which only some cases are labelled.

    >>> import acumen
    >>> acumen.plan(detect=0.03, sd=0.1).artifact.cases
    90
    """
    if not (detect > 0.0 and 0.0 < power < 1.0):
        raise UsageError("detect is above 0, and power between 0 and 1")
    if (pilot is None) == (sd is None) or (sd is not None and not 0.0 < sd < math.inf):
        raise UsageError("give a pilot, or sd: how much cases differ, above 0")
    if agreement is not None and not -1.0 <= agreement <= 1.0:
        raise UsageError(f"agreement is a correlation, not {agreement:g}")
    rng = np.random.default_rng(seed)
    values: Floats = rng.standard_normal(100_000) * (sd or 1.0)
    components, facts = None, dict[str, Any](metric=None)
    if pilot is not None:
        one = mode if mode is None or isinstance(mode, str) or len(mode) == 2 else mode[0]
        inputs = [pilot] if other is None else [pilot, other]
        tables = list(tables_of(inputs, one, reading).values())
        if len(tables) == 2:
            pair = align(tables[0], tables[1])
            tables = [pair.left, pair.right]
        options = Plan(loss=find_loss(loss), calibration=calibration_of(calibration))
        tables = [table.scored for table in tables]
        known, views, name = find_views(metric, tables, options, confidence)
        values = _pseudo_values(known, views)
        components = _components(known, views, float(values.var(ddof=1)))
        facts = {"metric": known.name, **origin(tables[0], name, find_loss(loss).name)}
    spread = float(values.std(ddof=1)) if sd is None else sd
    if not spread > 0.0:
        raise DataError(["leaving out any one case changes nothing: there is no sd to plan with"])
    reach = partial(power_at, one_sided=non_inferiority)
    enough = partial(cases_for, power=power, one_sided=non_inferiority)
    n = enough(detect, spread)
    sizes = sorted({max(2, math.ceil(n * share)) for share in (0.25, 0.5, 0.75, 1, 1.5, 2)})
    document = PlanDocument(
        **facts,
        detect=detect,
        one_sided=non_inferiority,
        sd=spread,
        cases=n,
        power=reach(n, detect, spread),
        simulated=_simulate(detect + values.mean() - values, n, rng, one_sided=non_inferiority),
        normal_cases=None if non_inferiority else normal_cases(detect, spread**2, power),
        pilot_cases=None if pilot is None else len(values),
        smallest_effect=None if pilot is None else _smallest(reach, len(values), spread, power),
        curve=[Design(cases=size, power=reach(size, detect, spread)) for size in sizes],
        designs=[*_by_items(components, draws, enough, detect), *_by_labels(n, agreement, power)],
    )
    return Decided(document)


def _pseudo_values(metric: Metric, views: Sequence[Any]) -> Floats:
    """What each case adds to a metric, or to the difference of two, around 0."""
    if reason := next((view for view in views if isinstance(view, str)), None):
        raise DataError([reason])
    sides = [dict(leave_out([metric], view))[metric.name] for view in views]
    if any(side.undefined for side in sides) or sides[0].n < defaults.FEWEST_CASES:
        raise DataError([f"{metric.name} is undefined without some of the pilot's cases"])
    jackknife = sides[0] if len(sides) == 1 else sides[1].minus(sides[0])
    return -(jackknife.n - 1) * jackknife.deviations


def _components(metric: Metric, views: Sequence[Any], variance: float) -> tuple[float, ...] | None:
    """Variance between cases and within them, and the judgments of a case; None where unknown."""
    by_row = [row_influence([metric], view).get(metric.name) for view in views]
    case, n = views[0].case, views[0].n_cases
    if by_row[0] is None or by_row[-1] is None or len(case) == n:
        return None
    sizes, items = np.bincount(case, minlength=n), len(case) / n
    x = n * sizes[case] * (by_row[0] if len(by_row) == 1 else by_row[-1] - by_row[0])
    means = np.bincount(case, x, n) / sizes
    within = float(((x - means[case]) ** 2).sum()) / (len(case) - n)
    within = min(within, variance * items)  # no more than there is
    return variance - within / items, within, items


def _by_items(
    components: tuple[float, ...] | None, draws: float, enough: partial[int], effect: float
) -> Iterator[Design]:
    """Fewer cases with more items, or with repeats: as many as have the power."""
    between, within, items = components or (0.0, 0.0, 0.0)
    noise, power = min(draws**2, within), enough.keywords["power"]
    for m in (items / 2, items, 2 * items):
        for repeats in (1, 3) if draws else (1,):
            if m >= 1 and (v := between + (within - noise + noise / repeats) / m) > 0.0:
                n = enough(effect, math.sqrt(v))
                yield Design(cases=n, items=m, repeats=repeats, power=power)


def _by_labels(n: int, agreement: float | None, power: float) -> Iterator[Design]:
    """Labels that do where a judge judges more cases, power-tuned (Angelopoulos et al. 2023)."""
    for more in () if agreement is None else (n, 2 * n, 5 * n, 10 * n):
        assert agreement is not None
        saved = (1 - agreement**2 * more / (k + more) for k in range(1, n + 1))
        k = next(k for k, share in enumerate(saved, start=1) if k >= n * share)
        yield Design(cases=k, judged=more, power=power)


def _smallest(
    reach: Callable[[int, float, float], float], n: int, sd: float, power: float
) -> float:
    """The effect that n cases show with that power."""
    from scipy.optimize import brentq

    return float(
        brentq(lambda effect: reach(n, effect, sd) - power, 1e-9 * sd, 30 * sd / math.sqrt(n))
    )


def _simulate(values: Floats, n: int, rng: np.random.Generator, *, one_sided: bool) -> float:
    """The share of studies of n of these cases whose t-test rejects."""
    studies = min(SIMULATIONS, max(100, MOST_DRAWS // n))
    drawn = rng.choice(values, (studies, n))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / math.sqrt(n))
    miss = (1 - defaults.CONFIDENCE_LEVEL) / (1 if one_sided else 2)
    return float(((t if one_sided else np.abs(t)) > stdtrit(n - 1, 1 - miss)).mean())

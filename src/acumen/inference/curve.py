r"""One inference for the whole risk–coverage curve: what is asked of it is read off one family.

At every coverage x the family has an interval :math:`[l(x), u(x)]` for the risk R(x), made of what
each case adds to it (:mod:`acumen.views.risk_curve`). The risk at a coverage is one of them. The
coverage at a risk r is where the ends cross it,

.. math:: \big[\max\{x : u(x) \le r\},\ \max\{x : l(x) \le r\}\big]

so it holds what the risks hold, wherever the curve is steep or flat; where all of the curve lies
below r it ends with the interval of all that is answered. The band is the same intervals at the
level at which they hold all at once: with :math:`c` the 95% quantile of
:math:`\max_x |\sum_c g_c U_c(x)| / s(x)` over normal :math:`g_c` (max-T; Montiel Olea and
Plagborg-Møller 2019, J. Applied Econometrics 34), that level is :math:`2\Phi(c) - 1`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import CONFIDENCE_LEVEL, FEWEST_CASES
from acumen.inference.distributions import normal_cdf, t_quantile
from acumen.inference.influence import items_of, with_items
from acumen.inference.intervals import Form, default_form
from acumen.inference.jackknife import Jackknife
from acumen.inference.options import Items
from acumen.inference.replicates import too_few_cases
from acumen.inference.resample import LeaveOut
from acumen.metrics.registry import Kind, Metric
from acumen.types import Floats
from acumen.values.measured import NoInterval
from acumen.views.groups import deal
from acumen.views.ranking import Ranking
from acumen.views.risk_curve import RiskCurve
from acumen.views.weights import CaseWeights, Errors

COVERAGES: Final = 50
"""The family is made at coverages 1/50, 2/50, … and at all that is answered."""
DRAWS: Final = 1000
"""Normal draws of the largest deviation along the curve."""


@dataclass(frozen=True, eq=False)
class Readings:
    """The risk at some coverages, and what its interval is made of."""

    coverage: Floats
    risk: Floats
    varies: NDArray[np.bool_]
    forms: Sequence[Form | NoInterval]
    """The interval of each at any level."""
    errors: Sequence[Errors]
    moves: Floats
    """``(coverage, case)``, or group of cases: what each adds to the risk."""
    ends_at: dict[float, tuple[Floats, Floats]] = field(default_factory=dict)

    def ends(self, level: float) -> tuple[Floats, Floats]:
        """The ends of every risk at a level; where nothing varies it may be anything."""
        if level not in self.ends_at:
            self.ends_at[level] = self._ends(level)
        return self.ends_at[level]

    def _ends(self, level: float) -> tuple[Floats, Floats]:
        low, high = np.zeros(len(self.risk)), np.full(len(self.risk), np.inf)
        for at, form in enumerate(self.forms):
            if isinstance(form, Form):
                low[at], high[at] = form.ends(level)
        return low, high

    def level_together(self, some: NDArray[np.bool_], level: float, seed: int) -> float:
        """The level of each at which some of them hold all at once."""
        moves = self.moves[some]
        length = np.sqrt((moves**2).sum(axis=1, keepdims=True))
        far = np.abs(moves / np.where(length > 0.0, length, 1.0) @ _normals(moves.shape[1], seed))
        critical = float(np.quantile(far.max(axis=0), level))
        return min(max(level, 2.0 * normal_cdf(critical) - 1.0), 1.0 - 1e-9)


@lru_cache(maxsize=2)
def _normals(cases: int, seed: int) -> Floats:
    return np.random.default_rng(seed).standard_normal((cases, DRAWS))


def curve_of(ranking: Ranking) -> RiskCurve:
    """The curve of a ranking, by case; of very many cases by groups of them."""
    size = LeaveOut.of(ranking.n_cases).size
    if ("curve", size) not in ranking.memory:
        group = None if size == ranking.n_cases else deal(ranking, size)
        ranking.memory["curve", size] = RiskCurve.of(ranking, group)
    curve: RiskCurve = ranking.memory["curve", size]
    return curve


def along_curve(
    metrics: Sequence[Metric], ranking: Ranking, items: Items, once: CaseWeights
) -> Iterator[tuple[str, Jackknife]]:
    """What each case adds to what is read off the curve; nothing where that has no value."""
    for metric in metrics:
        value = metric.measure(ranking, once).value if ranking.n_cases >= FEWEST_CASES else None
        some = None if value is None else _jackknife(metric, ranking, value, items, once)
        yield metric.name, some or Jackknife(np.empty(0), n_cases=ranking.n_cases)


def _jackknife(
    metric: Metric, ranking: Ranking, value: float, items: Items, once: CaseWeights
) -> Jackknife:
    curve, by_item = curve_of(ranking), items == "random"
    if metric.curve == "cut":
        accepted = float(ranking.reached(once, metric.parameters["coverage"])[0, 0])
        rows = _by_row(ranking).moves_at_cut(accepted) if by_item else None
        return _with_items(curve.moves_at_cut(accepted), ranking, rows)
    if metric.curve == "coverage":
        at = curve.accepted(np.array([metric.parameters["coverage"]]))
        moves, rows = _moves(ranking, curve, at, items)
        return _with_items(moves[0], ranking, None if rows is None else rows[0])
    return _of_crossing(ranking, curve, value, metric.parameters["risk"], items)


def _by_row(ranking: Ranking) -> RiskCurve:
    """The curve with every row a case of its own."""
    rows = np.arange(len(ranking.case), dtype=np.int32)
    return RiskCurve.of(replace(ranking, case=rows, n_cases=len(rows)))


def _moves(
    ranking: Ranking, curve: RiskCurve, accepted: Floats, items: Items
) -> tuple[Floats, Floats | None]:
    """What every case adds to the risk of so much accepted weight, and what every row does."""
    costs = curve.costs(accepted)
    rows = _by_row(ranking).moves(accepted, costs) if items == "random" else None
    return curve.moves(accepted, costs), rows


def _with_items(moves: Floats, ranking: Ranking, by_row: Floats | None) -> Jackknife:
    jackknife = replace(Jackknife.of_influence(moves), n_cases=ranking.n_cases)
    if by_row is None or items_of(ranking)[1] < 2:
        return jackknife
    return with_items(jackknife, ranking, by_row)


def readings(ranking: Ranking, items: Items = "fixed") -> Readings:
    """The family of a ranking with an answer."""
    curve = curve_of(ranking)
    key = "readings", items, len(curve.weight)
    if key not in ranking.memory:
        ranking.memory[key] = _readings(ranking, curve, items)
    family: Readings = ranking.memory[key]
    return family


def _readings(ranking: Ranking, curve: RiskCurve, items: Items) -> Readings:
    cmax = curve.answered / curve.total
    coverage = np.arange(1, COVERAGES + 1) / COVERAGES
    coverage = np.append(coverage[coverage < cmax - 1e-9], cmax)
    accepted = curve.accepted(coverage)
    weight, lost = curve.shares(accepted)
    moves, rows = _moves(ranking, curve, accepted, items)
    own = range(len(coverage))
    least = ranking.usual_loss
    facts = {"unit": ranking.unit, "most_loss": ranking.most_loss, "least_loss": least}
    # where groups stand for cases, there are more than enough of either
    errors = [
        Errors(
            erring_cases=int((lost[at] > 0).sum()),
            answered=float(accepted[at]),
            cmax=float(coverage[at]),
            worst_case=float(lost[at].max()) / ranking.unit,
            cases=int((weight[at] > 0).sum()),
            **facts,
        )
        for at in own
    ]
    risk = curve.loss_at(accepted) / accepted
    derivatives = [
        _with_items(moves[at], ranking, None if rows is None else rows[at]) for at in own
    ]
    varies = np.array([jackknife.standard_error > 0.0 for jackknife in derivatives])
    parts = zip(risk.tolist(), derivatives, errors, strict=True)
    forms = [default_form(Kind.READING, *of, lambda _: 1.0) for of in parts]
    return Readings(coverage, risk, varies, forms, errors, moves)


def crossing(ranking: Ranking, value: float, risk: float, items: Items) -> Form | NoInterval:
    """The interval of the coverage at a risk."""
    if ranking.n_cases < FEWEST_CASES:
        return too_few_cases(ranking.n_cases)
    everything = _of_all(ranking, items)
    if isinstance(everything, NoInterval):
        return everything
    family = readings(ranking, items)

    def ends(level: float) -> tuple[float, float]:
        low, high = family.ends(level)
        least, most = (_last_within(family.coverage, end, risk) for end in (high, low))
        bottom, top = everything.ends(level)
        return min(bottom if least is None else least, value), max(
            top if most is None else most, value
        )

    return Form("curve", None, ends)


def _of_all(ranking: Ranking, items: Items) -> Form | NoInterval:
    """The interval of the coverage of all that is answered."""
    curve = curve_of(ranking)
    rows = _by_row(ranking).moves_of_coverage(curve.answered) if items == "random" else None
    jackknife = _with_items(curve.moves_of_coverage(curve.answered), ranking, rows)
    return default_form(Kind.PROPORTION, curve.answered / curve.total, jackknife)


def _last_within(coverage: Floats, end: Floats, risk: float) -> float | None:
    """The largest coverage at which an end is at most a risk; None where all is accepted there."""
    within = np.flatnonzero(end <= risk)
    if not len(within):
        return 0.0
    at = int(within[-1])
    if at == len(end) - 1:
        return None
    rise = end[at + 1] - end[at]
    part = (risk - end[at]) / rise if np.isfinite(rise) else 0.0
    return float(coverage[at] + (coverage[at + 1] - coverage[at]) * part)


def _of_crossing(
    ranking: Ranking, curve: RiskCurve, value: float, risk: float, items: Items
) -> Jackknife:
    """What each case adds to a coverage at a risk: to the risk there, and as far as that reaches.

    Its slope is that of the interval, since the curve's own at one point is mere noise.
    """
    accepted = curve.accepted(np.array([value]))
    if value >= curve.answered / curve.total * (1.0 - 1e-9):
        moves = curve.moves_of_coverage(curve.answered)
        rows = _by_row(ranking).moves_of_coverage(curve.answered) if items == "random" else None
    else:
        at, by_row = _moves(ranking, curve, accepted, items)
        moves, rows = -at[0], None if by_row is None else -by_row[0]
    jackknife = _with_items(moves, ranking, rows)
    form, error = crossing(ranking, value, risk, items), jackknife.standard_error
    if isinstance(form, NoInterval) or error == 0.0:
        return jackknife
    low, high = form.ends(CONFIDENCE_LEVEL)
    reach = (high - low) / 2 / t_quantile(CONFIDENCE_LEVEL, jackknife.degrees)
    scale = reach / error
    return _with_items(moves * scale, ranking, None if rows is None else rows * scale)

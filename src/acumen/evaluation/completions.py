r"""What missing rows might have been: the completions in which a metric is lowest and highest.

A row that came to nothing usable might have been any judged row: an answer at any level, as sure as
any, or none. A *completion* says for every missing judgment which. The bounds of a metric are its
least and its largest value over all completions, and they are sharp: each is the value of a
completion, which is returned as a table and a confidence, so that its interval is made as always.

- A ratio of sums over rows (a share, a mean): every judgment adds :math:`(a_j, b_j)` to the two
  sums, by what it is. The largest ratio is where :math:`\sum_j \max (a_j - \lambda b_j)` is 0
  (Dinkelbach 1967, Management Science 13).
- Area under generalized risk: of two rows the first counts its loss for both, so every missing row
  is an answer of the dearest level, at the place that is best for it; dearer ones are never later.
- Risk at a coverage: a mass x of missing rows before all others pushes x of the least sure out, and
  the largest risk is at a place where a missing judgment or a tie ends.
- AUROC: right answers before all others and wrong ones after them, in the numbers whose product
  with those that are known is largest.
- Quadratic kappa: of given answered rows, the disagreement and what chance expects are sums over
  rows; how many of each true level are answered is tried out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from acumen.evaluation.plan import System
from acumen.metrics.registry import Metric
from acumen.table.judgments import NO_PREDICTION, NO_TRUTH, Judgments, Outcome
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats
from acumen.views.weights import tie_ends

Way = Literal["lower", "higher"]
OPEN: Final = -1
"""The choice of no answer."""
CLOSE: Final = 1e-12
MOST_MIXES: Final = 300_000
"""With more ways to choose how many rows of each level are answered, kappa has no bounds."""

ALIKE: Final = "bounds need rows of equal weight with one truth each"
TOO_MANY: Final = "too many rows are missing to try out how many of each level are answered"
NO_LEVEL: Final = "bounds need a truth that is a level"


@dataclass(frozen=True, eq=False)
class Completion:
    """What each missing judgment would have been: a level or open, and how sure."""

    level: NDArray[np.int64]
    """Of each missing judgment; −1 is open."""
    place: Floats
    """Its confidence among those that are known, which count 0, 1, 2, … from the least sure."""

    def mixed(self, other: Completion, judgments: NDArray[np.bool_]) -> Completion:
        """The same with some judgments as they are in another one."""
        return Completion(
            np.where(judgments, other.level, self.level),
            np.where(judgments, other.place, self.place),
        )


@dataclass(frozen=True, eq=False)
class Missing:
    """A system with rows that are missing, ready to be completed under one confidence."""

    system: System
    function: str | None = None

    @property
    def table(self) -> Judgments:
        """The rows, those that are missing open among them."""
        return self.system.table

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Places of the missing rows."""
        missing = self.table.missing
        return np.flatnonzero(np.zeros(len(self.table), bool) if missing is None else missing)

    @cached_property
    def judgment(self) -> NDArray[np.int64]:
        """Which missing judgment each of them is of: raters of one have a row each."""
        of = self.table.judgment
        if of is None:
            return np.arange(len(self.rows))
        codes: NDArray[np.int64] = np.unique(of[self.rows], return_inverse=True)[1]
        return codes

    @cached_property
    def n(self) -> int:
        """How many judgments are missing."""
        return int(self.judgment.max(initial=-1)) + 1

    @cached_property
    def weight(self) -> Floats:
        """What each row counts."""
        own = self.table.weight
        return np.ones(len(self.table)) if own is None else own

    @cached_property
    def is_even(self) -> bool:
        """Whether each judgment is one row that weighs as much as any other."""
        table = self.table
        even = bool((self.weight == self.weight[:1]).all())
        return even and table.judgment is None and table.truth_rank is None

    @cached_property
    def confidence(self) -> Floats:
        """What is known of the order: 0, 1, 2, … from the least sure; NaN where open."""
        if self.function is None:
            return np.where(self.table.answered, 0.0, np.nan)
        values = self.system.confidence[self.function]
        place = np.full(len(values), np.nan)
        known = np.isfinite(values) & self.table.answered
        place[known] = np.unique(values[known], return_inverse=True)[1]
        return place

    @property
    def first(self) -> float:
        """A place before all that are known."""
        return float(np.nanmax(self.confidence, initial=-1.0)) + 1.0

    def system_of(self, completion: Completion, confidence: Floats | None = None) -> System:
        """The system as if its missing rows had been so; by their places, or this confidence."""
        level = completion.level[self.judgment]
        table, answers = self.table, level != OPEN
        prediction, outcome = table.prediction.copy(), table.outcome.copy()
        prediction[self.rows] = np.where(answers, level, NO_PREDICTION)
        outcome[self.rows] = np.where(answers, Outcome.ANSWERED, Outcome.ABSTAINED)
        values = self.confidence if confidence is None else confidence
        values = values.copy()
        if confidence is None:
            values[self.rows] = np.where(answers, completion.place[self.judgment], np.nan)
        done = replace(table, prediction=prediction, outcome=outcome, missing=None)
        named = {} if self.function is None else {self.function: values}
        return System(done, self.system.plan, named, self.system.name)

    def view(self, metric: Metric, completion: Completion) -> Any:
        """What a metric looks at in a completion."""
        if metric.name == "brier":
            assert self.function is not None
            sure = self.system.confidence[self.function].copy()
            sure[self.rows] = completion.place[self.judgment]
            return self.system_of(completion, sure).forecasts[self.function]
        return self.system_of(completion).view_of(metric, self.function)

    def extreme(self, metric: Metric, way: Way) -> Completion | str:
        """The completion in which a metric is lowest or highest, or why none can be said."""
        if metric.name in RATIOS:
            return _of_ratio(self, RATIOS[metric.name], way)
        find = OTHERS[metric.name.partition("@")[0]]
        return find(self, way, **metric.parameters)

    def at_place(self, level: NDArray[np.int64], place: float = 0.0) -> Completion:
        """A completion whose order does not matter."""
        return Completion(level, np.full(self.n, place))

    @cached_property
    def losses(self) -> Floats:
        """Mean loss of each missing judgment at each level: ``(judgment, level)``."""
        lost, weight = self.by_level(_loss)
        return np.asarray(lost / weight)

    @cached_property
    def masses(self) -> Floats:
        """What each missing judgment weighs."""
        return np.bincount(self.judgment, self.weight[self.rows], self.n).astype(np.float64)

    def by_level(self, parts: Parts) -> tuple[Floats, Floats]:
        """The two sums of each missing judgment, by its level."""
        levels = len(self.table.scale.levels)
        sums = np.empty((2, self.n, levels))
        for level in range(levels):
            sums[:, :, level] = self.sums(parts, np.full(len(self.rows), level), self.rows)
        return sums[0], sums[1]

    def sums(
        self, parts: Parts, prediction: NDArray[Any], rows: NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        """The two sums of each missing judgment where its rows are so."""
        above, below = (
            np.bincount(self.judgment, self.weight[rows] * part, self.n).astype(np.float64)
            for part in parts(self.table.take(rows), prediction, self.system.plan.loss)
        )
        return above, below


Parts = Callable[[Judgments, NDArray[Any], AnyLoss], tuple[Floats, Floats]]
"""What rows add to the two sums of a ratio where they are predicted so; −1 is open."""


def _off(table: Judgments, prediction: NDArray[Any], loss: AnyLoss) -> tuple[Floats, ...]:
    """Of each row: its loss, how far it is off, and whether it is answered."""
    answered = prediction != OPEN
    of_rows = np.where(answered, prediction, 0), table.exact_truth, table.unanswerable
    grades, kinds = find_loss(loss).graded(table.scale, *of_rows)
    cost = np.where(answered, grades.cost[kinds] * grades.unit, 0.0)
    return cost, np.asarray(grades.off[kinds], np.float64), answered.astype(np.float64)


def _loss(table: Judgments, prediction: NDArray[Any], loss: AnyLoss) -> tuple[Floats, Floats]:
    cost, _, answered = _off(table, prediction, loss)
    return cost, answered


def _within(rungs: int) -> Parts:
    def parts(table: Judgments, prediction: NDArray[Any], loss: AnyLoss) -> tuple[Floats, Floats]:
        _, off, answered = _off(table, prediction, loss)
        on_level = answered * (off % 1 == 0)
        return on_level * (off <= rungs), on_level

    return parts


def _coverage(table: Judgments, prediction: NDArray[Any], _: AnyLoss) -> tuple[Floats, Floats]:
    return (prediction != OPEN).astype(np.float64), np.ones(len(table))


def _of_levels(of: Callable[[Floats], Any], *, of_all: bool = False) -> Parts:
    """A mean over the answered rows whose truth is a level, or over all of these."""

    def parts(table: Judgments, prediction: NDArray[Any], _: AnyLoss) -> tuple[Floats, Floats]:
        known, answered = table.truth != NO_TRUTH, prediction != OPEN
        off = prediction.astype(np.float64) - table.truth
        below = known if of_all else known & answered
        return np.where(known & answered, of(off), 0.0), below.astype(np.float64)

    return parts


def _of_abstention(above: tuple[float, ...], below: tuple[float, ...]) -> Parts:
    """Sums of weights of the four cells: rightly answered, falsely open, falsely answered, rightly
    open."""

    def parts(table: Judgments, prediction: NDArray[Any], _: AnyLoss) -> tuple[Floats, Floats]:
        never = table.unanswerable
        assert never is not None
        cell = 2 * never.astype(np.int64) + (prediction == OPEN)
        return np.asarray(above)[cell], np.asarray(below)[cell]

    return parts


RATIOS: Final[dict[str, Parts]] = {
    "coverage": _coverage,
    "mean_loss": _loss,
    "accuracy": _within(0),
    "off_by_one_accuracy": _within(1),
    "total_accuracy": _of_levels(lambda off: (off == 0) * 1.0, of_all=True),
    "mae": _of_levels(np.abs),
    "signed_error": _of_levels(lambda off: off),
    "level_off_by_one": _of_levels(lambda off: (np.abs(off) <= 1) * 1.0),
    "abstention_recall": _of_abstention((0, 0, 0, 1), (0, 0, 1, 1)),
    "abstention_precision": _of_abstention((0, 0, 0, 1), (0, 1, 0, 1)),
    "abstention_f1": _of_abstention((0, 0, 0, 2), (0, 1, 1, 2)),
    "false_answers": _of_abstention((0, 0, 1, 0), (0, 0, 1, 1)),
    "false_abstentions": _of_abstention((0, 1, 0, 0), (1, 1, 0, 0)),
}
"""Metrics that are a ratio of two sums over rows."""


def _of_ratio(missing: Missing, parts: Parts, way: Way) -> Completion:
    sign = 1.0 if way == "higher" else -1.0
    table, loss = missing.table, missing.system.plan.loss
    known = np.ones(len(table), bool)
    known[missing.rows] = False
    there = np.flatnonzero(known)
    weight = missing.weight[there]
    base = [
        float(weight @ part) for part in parts(table.take(there), table.prediction[there], loss)
    ]
    by_level = missing.by_level(parts)
    silent = missing.sums(parts, np.full(len(missing.rows), OPEN), missing.rows)
    above, below = (
        np.column_stack([levels, open_]) for levels, open_ in zip(by_level, silent, strict=True)
    )
    choice = best_ratio((sign * base[0], base[1]), sign * above, below)
    levels = above.shape[1] - 1
    return missing.at_place(np.where(choice == levels, OPEN, choice))


def best_ratio(base: tuple[float, float], above: Floats, below: Floats) -> NDArray[np.int64]:
    """Which column each row takes so that the ratio of the two sums is largest (Dinkelbach).

    >>> best_ratio((1.0, 2.0), np.array([[1.0, 0.0], [0.4, 0.0]]), np.array([[1.0, 0], [1, 0]]))
    array([0, 1])
    """
    rows = np.arange(len(above))
    choice: NDArray[np.int64] = below.argmax(
        axis=1
    )  # the most that can be below: defined if anything is
    ratio, best = -np.inf, None
    for _ in range(200):
        sums = base[0] + above[rows, choice].sum(), base[1] + below[rows, choice].sum()
        if sums[1] <= CLOSE:
            break
        if (now := sums[0] / sums[1]) <= ratio + CLOSE * max(1.0, abs(ratio)):
            break
        ratio, best = now, choice
        gain = above - ratio * below
        gain[np.abs(gain) < CLOSE] = 0.0  # of what changes nothing, the first: an answer
        choice = gain.argmax(axis=1)
    return choice if best is None else best


def _augrc(missing: Missing, way: Way) -> Completion:
    losses = missing.losses
    extreme = losses.argmax(axis=1) if way == "higher" else losses.argmin(axis=1)
    lost = losses[np.arange(missing.n), extreme]
    if way == "lower":
        # an answer that costs nothing, before all others, adds nothing: so does silence
        return Completion(np.where(lost > 0, OPEN, extreme), np.full(missing.n, missing.first))
    # of two rows the first counts its loss for both: one goes before the known rows that lose less
    reach, known = _known(missing, 1.0)
    gap = (known + lost[:, None] * (reach[-1] - reach)).argmax(axis=1)
    order = np.argsort(np.argsort(lost, kind="stable"), kind="stable")
    place = missing.first - gap - 0.5 + 0.4 * order / max(missing.n, 1)
    return Completion(extreme, place)


def _at_coverage(missing: Missing, way: Way, *, coverage: float) -> Completion | str:
    """Where a missing mass x goes first, or last of it at the end of a tie."""
    sign = 1.0 if way == "higher" else -1.0
    of_level = sign * missing.losses
    level = of_level.argmax(axis=1)
    gain = of_level[np.arange(missing.n), level]
    order = np.argsort(-gain, kind="stable")
    mass = np.concatenate([[0.0], np.cumsum(missing.masses[order])])
    of_mass = np.concatenate([[0.0], np.cumsum((missing.masses * gain)[order])])
    ends, lost = _known(missing, sign)
    asked = coverage * float(missing.weight.sum())
    # every x that is accepted of the missing: at the end of a judgment, or of a tie
    least, most = max(0.0, asked - ends[-1]), min(mass[-1], asked)
    if least > most + CLOSE:
        return "the coverage is not reached, whatever the missing rows are"
    candidates = np.unique(np.clip(np.concatenate([mass, asked - ends, [least]]), least, most))
    value = np.interp(candidates, mass, of_mass) + np.interp(asked - candidates, ends, lost)
    taken = float(candidates[int(np.argmax(value))])
    whole = int(np.searchsorted(mass, taken + CLOSE * max(1.0, asked), side="right")) - 1
    place, choice = np.full(missing.n, 0.0), np.full(missing.n, OPEN)
    choice[order[:whole]] = level[order[:whole]]
    place[order[:whole]] = missing.first + np.arange(whole, 0, -1)
    if whole < missing.n and taken - mass[whole] > CLOSE * max(1.0, asked):
        after = int(np.searchsorted(ends, asked - taken + CLOSE * max(1.0, asked), "right")) - 1
        last = order[whole]
        choice[last] = level[last]
        place[last] = missing.first - 1.0 - after + 0.5  # between two ties, or before all
    return Completion(choice, place)


def _known(missing: Missing, sign: float) -> tuple[Floats, Floats]:
    """Mass and loss of the known answers down to each tie, surest first, from 0."""
    table = missing.table
    rows = np.flatnonzero(table.answered)
    cost, _ = _loss(table.take(rows), table.prediction[rows], missing.system.plan.loss)
    order = np.argsort(-missing.confidence[rows], kind="stable")
    rows, cost = rows[order], cost[order]
    ends = tie_ends(missing.confidence[rows])
    weight = missing.weight[rows]
    sums = (np.cumsum(part)[ends - 1] for part in (weight, sign * weight * cost))
    reach, lost = (np.concatenate([[0.0], part]) for part in sums)
    return reach, lost


def _auroc(missing: Missing, way: Way) -> Completion | str:
    if not missing.is_even:
        return ALIKE
    table = missing.table
    rows = np.flatnonzero(table.answered)
    right = int((table.prediction[rows] == table.truth[rows]).sum())
    truth = table.truth[missing.rows]
    can = truth != NO_TRUTH
    most = int(can.sum())
    asked = np.arange(most + 1)
    pairs = (right + asked) * (len(rows) - right + missing.n - asked)
    n_right = int(np.argmax(pairs))
    level = np.where(truth == 0, 1, 0)
    is_right = np.zeros(missing.n, bool)
    is_right[np.flatnonzero(can)[:n_right]] = True
    level = np.where(is_right, truth, level).astype(np.int64)
    before = is_right if way == "higher" else ~is_right
    return Completion(level, np.where(before, missing.first, -1.0))


def _brier(missing: Missing, way: Way) -> Completion | str:
    if not missing.is_even:
        return ALIKE
    truth = missing.table.truth[missing.rows]
    never = truth == NO_TRUTH
    if way == "higher":
        return Completion(np.where(truth == 0, 1, 0).astype(np.int64), np.ones(missing.n))
    level = np.where(never, 0, truth).astype(np.int64)
    return Completion(level, np.where(never, 0.0, 1.0))


def _kappa(missing: Missing, way: Way) -> Completion | str:
    if not missing.is_even:
        return ALIKE
    table, sign = missing.table, 1.0 if way == "lower" else -1.0
    levels = np.arange(len(table.scale.levels), dtype=np.float64)
    truth = table.truth[missing.rows]
    counts = [int((truth == level).sum()) for level in range(len(levels))]
    if np.prod([count + 1.0 for count in counts]) > MOST_MIXES:
        return TOO_MANY
    answered = table.answered & (table.truth != NO_TRUTH)
    t, p = (x[answered].astype(np.float64) for x in (table.truth, table.prediction))
    mix = np.array(list(product(*(range(count + 1) for count in counts))), np.float64)
    n, total = len(t) + mix.sum(axis=1), t.sum() + mix @ levels
    apart = (levels[:, None] - levels) ** 2
    squares = levels[:, None] ** 2 + levels**2

    def sums(ratio: float) -> tuple[Floats, NDArray[np.int64]]:
        """Of every mix: disagreement and chance, at the predictions that are best at a ratio."""
        # (mix, truth, prediction): what one row adds to n·D and to E
        agree = n[:, None, None] * apart
        chance = n[:, None, None] * squares - 2 * total[:, None, None] * levels
        best = (sign * (agree - ratio * chance)).argmax(axis=2)
        take = np.take_along_axis
        own = (take(part, best[:, :, None], 2)[:, :, 0] for part in (agree, chance))
        above, below = ((mix * part).sum(axis=1) for part in own)
        known = n * ((t - p) ** 2).sum(), n * (t @ t + p @ p) - 2 * total * p.sum()
        return np.stack([above + known[0], below + known[1]]), best

    # of both ways a ratio from which the first step is sure to have chance below it
    ratio, optimum = (1e9 if sign < 0 else -1.0), None
    for _ in range(200):
        (above, below), best = sums(ratio)
        gain = np.where(below > CLOSE, sign * (above - ratio * below), -np.inf)
        at = int(gain.argmax())
        if not np.isfinite(gain[at]):
            break
        now = float(above[at] / below[at])
        if optimum is not None and sign * (now - ratio) <= CLOSE * max(1.0, abs(ratio)):
            break
        ratio, optimum = now, (mix[at], best[at])
    if optimum is None:
        return "there is one level only, whatever the missing rows are"
    level = np.full(missing.n, OPEN)
    for rank, (count, choice) in enumerate(zip(*optimum, strict=True)):
        level[np.flatnonzero(truth == rank)[: int(count)]] = choice
    return missing.at_place(level)


OTHERS: Final[dict[str, Callable[..., Completion | str]]] = {
    "augrc": _augrc,
    "mean_loss_at_coverage": _at_coverage,
    "failure_auroc": _auroc,
    "brier": _brier,
    "quadratic_kappa": _kappa,
}
"""All others that are bounded."""

BOUNDED: Final = (*RATIOS, *OTHERS)

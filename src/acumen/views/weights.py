"""How much each case counts, and the rows that belong to it: what every view is made on.

A resample, a left-out case, a subgroup are all weightings of the cases: the currency between the
resampling engine and the metrics. They come in blocks, one column a weighting, so that a compiled
loop can carry many abreast.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, Final, Literal, NamedTuple, ParamSpec, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.types import Floats

T = TypeVar("T")
V = TypeVar("V", bound=Hashable)
P = ParamSpec("P")

NO_WEIGHT: Final = "no row has weight"
NO_ANSWER: Final = "no row was answered"


class Sum(NamedTuple):
    """A statistic of a view, as a block remembers it: whose, which, and of what."""

    view: Hashable
    """A view is equal to itself alone, so it is its own key."""
    name: str
    arguments: tuple[Any, ...] = ()


class UnknownSumError(LookupError):
    """A block that knows some sums alone was asked for something else."""


@dataclass(frozen=True, eq=False)
class CaseWeights:
    """A block of weightings: ``counts[case, column]``, whole numbers or not.

    It remembers what views have computed from it, so that many metrics share one pass. A block is
    used by one thread and thrown away; it never outlives the numbers made from it.
    """

    counts: NDArray[Any]
    memory: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False)
    """What :func:`once_a_block` and metrics have computed; nobody else writes here."""

    @classmethod
    def once(cls, n_cases: int) -> CaseWeights:
        """Every case counts once: the study as it is."""
        # the type that resamples have, so that the loops are compiled for it alone
        return CaseWeights(np.ones((n_cases, 1), np.uint16))

    @property
    def lanes(self) -> int:
        """How many weightings the block holds."""
        return int(self.counts.shape[1])

    def recall(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed before under this key, or now."""
        if key not in self.memory:
            self.memory[key] = compute()
        return self.memory[key]  # type: ignore[no-any-return]  # stored just above, as T

    def sums_of(self, view: Hashable, name: str | None = None) -> list[Sum]:
        """Which statistics of a view were asked for, by default under any name."""
        sums = [key for key in self.memory if isinstance(key, Sum) and key.view is view]
        return [key for key in sums if name in (None, key.name)]

    def sums_for(self, twin: Hashable, view: Hashable) -> KnownSums:
        """What is known of a view as what is known of its twin, which has the same sums."""
        sums = self.sums_of(view)
        return KnownSums(self.lanes, {key._replace(view=twin): self.memory[key] for key in sums})

    def weigh(self, columns: Floats) -> Floats:
        """Sums over the cases, one row for every row of ``columns`` (statistic, case)."""
        from acumen.views.ranking_kernels import weigh_columns

        return weigh_columns(columns, self.counts)


class KnownSums(CaseWeights):
    """A block of which some sums of views are known and nothing else: it has no counts.

    What a metric is on it, it is as a function of these sums. One that is made of anything beside
    them cannot have a value here: asking for the counts ends it, whatever the road.
    """

    def __init__(self, lanes: int, sums: Mapping[Sum, Any]) -> None:
        vars(self).update(_lanes=lanes, memory=dict(sums))

    @property
    def counts(self) -> NDArray[Any]:
        """There are none."""
        raise UnknownSumError

    @property
    def lanes(self) -> int:
        """How many values each sum has."""
        return int(vars(self)["_lanes"])


def once_a_block(
    method: Callable[Concatenate[V, CaseWeights, P], T],
) -> Callable[Concatenate[V, CaseWeights, P], T]:
    """A statistic of a view, computed once for a block however many metrics ask for it."""

    @wraps(method)
    def call(view: V, weights: CaseWeights, /, *args: P.args, **kwargs: P.kwargs) -> T:
        if kwargs:
            raise TypeError(f"{method.__name__}: what is asked has one spelling, without keywords")
        key = Sum(view, method.__name__, args)
        return weights.recall(key, lambda: method(view, weights, *args, **kwargs))

    return call


class Group(NamedTuple):
    """Cases that a metric cannot do without: of a level, by its rank, or of another kind."""

    cases: int
    where: Literal[
        "at",
        "at_least",
        "below",
        "between",
        "right",
        "wrong",
        "certain",
        "answerable",
        "unanswerable",
        "open",
    ]
    level: int = 0
    upper: int | None = None


@dataclass(frozen=True, slots=True)
class Errors:
    """What an interval needs to know where errors are sparse; losses in units of cost ``unit``."""

    erring_cases: int
    """Cases with any loss."""
    answered: float
    """Rows that are looked at: the answered ones, or those accepted at a coverage."""
    cmax: float
    worst_case: float
    """The largest summed loss of a case."""
    cases: int
    """Cases with such a row."""
    unit: float = 1.0
    most_loss: float = np.inf
    """The largest loss of a row, in units."""
    least_loss: float = 1.0
    """What an error that was not seen costs at least: the smallest loss that is not 0, and among
    accepted answers what the wrong ones of all cost on average."""

    def bounds(self, one_error: Callable[[float], float]) -> tuple[float, float]:
        """Smallest and largest value of a risk: every row answered, and as wrong as can be."""
        return 0.0, one_error(1.0) * self.most_loss * self.unit


@dataclass(frozen=True, eq=False, kw_only=True)
class CaseRows:
    """The rows of a table, and those of them that a view looks at, in the view's order."""

    order: NDArray[np.int32]
    """Positions of the rows that are looked at: the answered ones."""
    case: NDArray[np.int32]
    """Case of every row of the table."""
    n_cases: int
    weight: Floats | None = None
    """A weight of its own for every row of the table, if any."""
    item: NDArray[np.int32] | None = None
    """Item of every row of the table, where it has one."""

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def index(self) -> NDArray[np.int32]:
        """Case of the rows in order: where a compiled loop finds their weights."""
        return self.case[self.order]

    @cached_property
    def own(self) -> Floats | None:
        """Own weights of the rows in order, if any."""
        return None if self.weight is None else self.weight[self.order]

    @cached_property
    def row_weight(self) -> Floats:
        """What every row of the table counts by itself."""
        if self.weight is None:
            return np.broadcast_to(np.float64(1.0), len(self.case))  # which takes no memory
        return self.weight

    @cached_property
    def case_weight(self) -> Floats:
        """What the rows of each case count together."""
        return np.bincount(self.case, self.row_weight, self.n_cases).astype(np.float64)

    def by_cell(self, cell: NDArray[Any], cells: int, values: Floats | None = None) -> Floats:
        """``(cell, case)``: sums of values of the rows in order, by default of their weights."""
        at = cell.astype(np.int64) * self.n_cases + self.index
        values = self.own if values is None else values
        sums = np.bincount(at, values, cells * self.n_cases)
        return sums.reshape(cells, self.n_cases).astype(np.float64)

    @property
    def codes(self) -> NDArray[Any]:
        """A number for what each row of the table holds; rows of one number are alike."""
        return self._codes_of(np.zeros(len(self.order), np.uint64))

    def _codes_of(self, code: NDArray[Any]) -> NDArray[Any]:
        """The same where rows that are not looked at are alike, by a number for each other one."""
        codes = np.zeros(len(self.case), np.uint64)
        codes[self.order] = np.asarray(code, np.uint64) + np.uint64(1)
        return codes

    @cached_property
    def balance(self) -> tuple[float, float]:
        """As how many cases of one weight these count, and the share of the heaviest."""
        return balance(self.case_weight)

    def forget(self) -> None:
        """Let go of what can be made again, of more than 50,000 rows."""
        if len(self.case) > 50_000:
            for name in vars(self).keys() - {part.name for part in fields(self)}:
                del vars(self)[name]

    def cases_behind(self, metric: str) -> int:
        """Cases with an answered row that has weight."""
        return self.cases_among(np.ones(len(self.order), np.bool_))

    def cases_among(self, some: NDArray[np.bool_]) -> int:
        """Cases with a row that has weight, among some of the rows in order."""
        rows = some if self.own is None else some & (self.own > 0)
        there = np.zeros(self.n_cases, np.bool_)
        there[self.index[rows]] = True
        return int(np.count_nonzero(there))

    def sparse_errors(self, rows: NDArray[Any], loss: NDArray[Any], **facts: float) -> Errors:
        """Who errs among some rows of the table, given by place, with a loss each."""
        own = None if self.weight is None else self.weight[rows]
        case, size = self.case[rows], self.n_cases
        looked_at = np.bincount(case, own, size)
        lost = np.bincount(case, loss if own is None else own * loss, size)
        answered, total = float(looked_at.sum()), float(self.row_weight.sum())
        return Errors(
            erring_cases=int((lost > 0).sum()),
            answered=answered,
            cmax=answered / total if total else 0.0,
            worst_case=float(lost.max(initial=0.0)),
            cases=int((looked_at > 0).sum()),
            **facts,
        )

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """Why a metric may have no value under the first weighting of a block, if it is plain."""
        counts = weights.counts[:, 0]
        own = 1.0 if self.weight is None else self.weight
        heavy = counts[self.case] * own > 0
        if not heavy.any():
            return NO_WEIGHT
        return None if heavy[self.order].any() else NO_ANSWER

    def cases_beside(self, other: CaseRows, *, ranked: bool = False) -> dict[str, Any]:
        """Cases and weights of the rows of two views, the other's cases numbered after ours.

        Of all rows of the table, or of those the views look at, in their order.
        """
        rows = [view.order if ranked else slice(None) for view in (self, other)]
        case = self.case[rows[0]], other.case[rows[1]] + self.n_cases
        weight = self.row_weight[rows[0]], other.row_weight[rows[1]]
        return {
            "case": np.concatenate(case),
            "n_cases": self.n_cases + other.n_cases,
            "weight": None if self.weight is other.weight is None else np.concatenate(weight),
        }

    def by_row(self, weights: Floats) -> tuple[Self, CaseWeights]:
        """Every row a case of its own, and the block in which it has this weight."""
        rows = np.arange(len(self.case), dtype=np.int32)
        view = replace(self, case=rows, n_cases=len(rows), weight=None)
        return view, CaseWeights(weights.reshape(-1, 1))


def balance(weight: Floats | None) -> tuple[float, float]:
    r"""As how many cases of one weight these count, and the share of the heaviest.

    .. math:: \Big(\sum_c m_c\Big)^2 \Big/ \sum_c m_c^2

    >>> balance(np.array([6.0, 2.0, 2.0, 2.0]))
    (3.0, 0.5)
    """
    if weight is None or not weight.any():
        return np.inf, 0.0
    total = float(weight.sum())
    return total * total / float(weight @ weight), float(weight.max()) / total


def cases_of(
    case: ArrayLike | None, n_cases: int | None, size: int
) -> tuple[NDArray[np.int32], int]:
    """Case of each of ``size`` rows, and how many cases; by default each row is its own."""
    codes = np.arange(size, dtype=np.int32) if case is None else np.asarray(case)
    n_cases = int(codes.max(initial=-1)) + 1 if n_cases is None else n_cases
    return codes.astype(np.int32, copy=False), n_cases


def rows_of(answered: ArrayLike | None, size: int) -> NDArray[np.int32]:
    """Positions of the answered among ``size`` rows; by default all of them."""
    rows = np.arange(size) if answered is None else np.flatnonzero(np.asarray(answered, bool))
    return rows.astype(np.int32)


def tie_of_row(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """The tie of each row, from where they end."""
    return np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))


def tie_ends(values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each run of equal values ends (exclusive).

    >>> tie_ends(np.array([3, 3, 1])).tolist()
    [2, 3]
    """
    if not len(values):
        return np.empty(0, np.int64)
    return np.flatnonzero(np.append(values[1:] != values[:-1], True)) + 1

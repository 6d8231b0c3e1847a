"""Per-case counts under weights: what every reasoning metric looks at.

A component is Σ right / Σ checked over cases. Which components exist is fixed by the whole study:
one without anything to check is null, and its share of the process score goes to the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import CELLS, PROCESS_WEIGHTS
from acumen.types import Floats
from acumen.views.severity import SeverityRanking
from acumen.views.tangents import Part, Tangent, joined
from acumen.views.weights import NO_WEIGHT, CaseWeights, Sum, once_a_block

RATIOS: Final = (*PROCESS_WEIGHTS, "evidence_recall", "consistency", "score_consistency", *CELLS)
"""Everything that is counted per case."""
PRIMITIVES: Final = "primitive_accuracy"
NOTHING_TO_CHECK: Final = "there is nothing to check it on"
OF_VERDICTS: Final = ("verdict_support_rate", "consistency", *CELLS)
"""What is counted per verdict; the rest is counted per claim."""


@dataclass(frozen=True, eq=False)
class Reasoning:
    """Counts per case, one column a component. Make one with :func:`reason`."""

    right: Mapping[str, Floats]
    of: Mapping[str, Floats]
    n_cases: int
    why_absent: Mapping[str, str] = field(default_factory=dict)
    components: tuple[str, ...] = ()
    """Components of the process score that the study has anything to say about."""

    def __len__(self) -> int:
        return self.n_cases

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """The plain reason; :meth:`reason_for` knows each component's own."""
        return None if weights.counts[:, 0].any() else NO_WEIGHT

    def by_row(self, weights: Floats) -> tuple[Reasoning, CaseWeights]:
        """A case is a row here."""
        return self, CaseWeights(weights.reshape(-1, 1))

    def beside(self, other: Reasoning) -> Reasoning:
        """Both sides' cases in one, the other's numbered after ours."""
        right, of = (
            {name: np.concatenate([mine, theirs[name]]) for name, mine in ours.items()}
            for ours, theirs in ((self.right, other.right), (self.of, other.of))
        )
        return replace(self, right=right, of=of, n_cases=self.n_cases + other.n_cases)

    def cases_behind(self, metric: str) -> int:
        """Cases that have anything to check: of the process score, by its barest component."""
        parts = self.components if metric == "process" else (metric,)
        return min((int((self.of[part] > 0).sum()) for part in parts), default=0)

    def reason_for(self, component: str) -> str:
        """Why a component has no value."""
        return self.why_absent.get(component, NOTHING_TO_CHECK)

    @cached_property
    def columns(self) -> Floats:
        """What each case adds to the sums: right, then checked."""
        columns = [*self.right.values(), *(self.of[name] for name in self.right)]
        return np.vstack(columns).astype(np.float64)

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums move with the weight of a case."""
        if not len(self) or not block.sums_of(self):
            return None
        names, columns = list(self.right), self.columns

        def name(moved: list[Floats]) -> Mapping[Sum, Any]:
            right, of = np.split(moved[0], 2)
            pairs = zip(right, of, strict=True)
            return {Sum(self, "sums"): dict(zip(names, pairs, strict=True))}

        return Tangent([Part(columns.sum(axis=1), lambda slope: slope @ columns)], name)

    @once_a_block
    def sums(self, weights: CaseWeights) -> Mapping[str, tuple[Floats, Floats]]:
        """Weighted sums of each component: right, and checked."""
        sums = weights.weigh(self.columns)
        size = len(self.right)
        return dict(zip(self.right, zip(sums[:size], sums[size:], strict=True), strict=True))


def reason_among(
    reasoning: Reasoning, cases: NDArray[np.bool_], components: Collection[str]
) -> Reasoning:
    """The same reasoning where verdicts count on some cases only, and so do some components.

    What a method claims is counted on every case; whether a verdict follows from it, only where
    ``cases`` says so. The process score is the mean of those of ``components`` that it has.
    """
    right, of = (
        {
            name: np.where(cases, column, 0.0) if name in OF_VERDICTS else column
            for name, column in side.items()
        }
        for side in (reasoning.right, reasoning.of)
    )
    present = tuple(name for name in PROCESS_WEIGHTS if name in components and of[name].any())
    return replace(reasoning, right=right, of=of, components=present)


@dataclass(frozen=True, eq=False)
class RankingWithReasons:
    """A severity ranking and the reasoning of the same cases, for metrics that need both."""

    ranking: SeverityRanking
    reasoning: Reasoning

    @property
    def n_cases(self) -> int:
        """How many cases there are."""
        return self.ranking.n_cases

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums of both move with the weight of a case."""
        return joined([self.ranking, self.reasoning], block)

    def cases_behind(self, metric: str) -> int:
        """Cases that are ranked."""
        return self.ranking.cases_behind(metric)

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """Why either half has no value."""
        plain = self.ranking.why_undefined(weights)
        if plain is None and not self.reasoning.of[PRIMITIVES].any():
            return self.reasoning.reason_for(PRIMITIVES)
        return plain

    def by_row(self, weights: Floats) -> tuple[RankingWithReasons, CaseWeights]:
        """A case is a row here."""
        ranking, block = self.ranking.by_row(weights)
        return replace(self, ranking=ranking), block

"""Small verdict studies for the laws: rows of levels and scores, rows of counts.

Means over levels go over the levels of the whole study, so the levels are given, not found in the
rows: else a row with weight 0 would still say which levels there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np

from acumen.defaults import PROCESS_WEIGHTS
from acumen.views.abstention import Abstention, abstain_rows
from acumen.views.confusion import Confusion, confuse
from acumen.views.level_forecast import LevelForecast, forecast_levels
from acumen.views.reasoning import PRIMITIVES, RATIOS, RankingWithReasons, Reasoning
from acumen.views.scores import Scores, score_rows
from acumen.views.severity import SeverityRanking, rank_severity

Rows = list[tuple[Any, ...]]
FORECASTS = np.array([[1, 0, 0], [0.5, 0.25, 0.25], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3]])


def _confusion(rows: Rows) -> Confusion:
    truth, prediction = zip(*rows, strict=True)
    return confuse(truth, prediction, levels=3, study_levels=(0, 1, 2))


def _abstention(rows: Rows) -> Abstention:
    unanswerable, abstained = zip(*rows, strict=True)
    return abstain_rows(unanswerable, abstained)


def _levels(rows: Rows) -> LevelForecast:
    truth, forecasts, answered = zip(*rows, strict=True)
    return forecast_levels(FORECASTS[list(forecasts)], truth, answered)


def _scores(rows: Rows) -> Scores:
    score, truth, answered = zip(*rows, strict=True)
    return score_rows(score, truth, answered)


def _ranking(rows: Rows) -> SeverityRanking:
    truth, score, answered = zip(*rows, strict=True)
    return rank_severity(truth, score, answered, levels=3, covered=(1, 2))


def _reasoning(rows: Rows) -> Reasoning:
    of = np.array([[most for _, most in row[0]] for row in rows], float)
    right = np.array([[min(pair) for pair in row[0]] for row in rows], float)
    shares = np.array([row[1] for row in rows])
    names = (*RATIOS, PRIMITIVES)
    return Reasoning(
        right=dict(zip(names, (*right.T, shares), strict=True)),
        of=dict(zip(names, (*of.T, np.ones(len(rows))), strict=True)),
        n_cases=len(rows),
        components=tuple(PROCESS_WEIGHTS),
    )


def _both(rows: Rows) -> RankingWithReasons:
    return RankingWithReasons(_ranking([r[:3] for r in rows]), _reasoning([r[3:] for r in rows]))


def _mostly_low(rows: Rows) -> Rows:
    # above a prevalence of one half, nAP may fall below -1
    return rows + [(0, *row[1:]) for row in rows]


_level = st.integers(0, 2)
_ranked = st.tuples(_level, st.integers(0, 3).map(float), st.sampled_from([True, True, False]))
_pair = st.tuples(st.integers(0, 3), st.integers(0, 3))
_counts = st.tuples(
    st.lists(_pair, min_size=len(RATIOS), max_size=len(RATIOS)),
    st.sampled_from([0.0, 0.25, 0.5, 1.0]),
)

VERDICT_FAMILIES: dict[type, tuple[st.SearchStrategy[Rows], Callable[[Rows], Any]]] = {
    Confusion: (
        st.lists(st.tuples(_level, st.integers(-1, 2)), min_size=1, max_size=12),
        _confusion,
    ),
    Abstention: (
        st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=12),
        _abstention,
    ),
    LevelForecast: (
        st.lists(
            st.tuples(st.integers(0, 2), st.integers(0, 3), st.booleans()), min_size=1, max_size=12
        ),
        _levels,
    ),
    Scores: (
        st.lists(
            st.tuples(st.sampled_from([0.0, 0.5, 1.75, 3.0]), st.integers(0, 3), st.booleans()),
            min_size=1,
            max_size=12,
        ),
        _scores,
    ),
    SeverityRanking: (
        st.lists(_ranked, min_size=1, max_size=7).map(_mostly_low),
        _ranking,
    ),
    Reasoning: (st.lists(_counts, min_size=1, max_size=6), _reasoning),
    RankingWithReasons: (
        st.lists(st.tuples(_ranked, _counts).map(lambda p: p[0] + p[1]), min_size=1, max_size=6),
        _both,
    ),
}

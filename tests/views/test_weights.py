"""How much cases count: weights of rows, balance, who is behind a number, why there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acumen.views.confusion import confuse
from acumen.views.forecast import forecast, log_loss
from acumen.views.ranking import rank
from acumen.views.reasoning import PRIMITIVES, RATIOS, RankingWithReasons, Reasoning, reason_among
from acumen.views.severity import BY_LEVEL, rank_severity
from acumen.views.weights import NO_ANSWER, NO_WEIGHT, CaseWeights, Group, balance

TABLE = confuse([0, 1, 2, 2], [0, 2, -1, 2], case=[0, 0, 1, 2], weight=[1.0, 2.0, 3.0, 0.0])


def once(*counts: float) -> CaseWeights:
    return CaseWeights(np.array(counts, float).reshape(-1, 1))


def test_rows_of_a_view_and_what_they_count() -> None:
    assert len(TABLE) == 3
    assert TABLE.index.tolist() == [0, 0, 2]
    assert TABLE.own is not None
    assert TABLE.own.tolist() == [1.0, 2.0, 0.0]
    assert TABLE.case_weight.tolist() == [3.0, 3.0, 0.0]
    assert TABLE.balance == (2.0, 0.5)
    assert TABLE.cases_behind("any") == 1  # the last case has no weight
    assert balance(None) == balance(np.zeros(2)) == (np.inf, 0.0)
    plain = confuse([0, 1], [0, -1])
    assert (plain.own, plain.row_weight.tolist()) == (None, [1.0, 1.0])


def test_a_view_lets_go_of_much_and_keeps_a_little() -> None:
    for size, is_kept in ((50_000, True), (50_001, False)):
        view = confuse(np.zeros(size, int), np.zeros(size, int))
        assert len(view.index) == size
        view.forget()
        assert ("index" in vars(view)) is is_kept
        assert len(view.case) == size


def test_why_there_is_no_value() -> None:
    rows = confuse([0, 1, 1], [0, 1, -1], case=[0, 1, 2])
    assert rows.why_undefined(once(1, 1, 1)) is None
    assert rows.why_undefined(once(0, 0, 0)) == NO_WEIGHT
    assert rows.why_undefined(once(0, 0, 1)) == NO_ANSWER
    one = "truth and prediction are each one and the same level throughout"
    assert rows.why_undefined(once(1, 0, 0)) == one
    assert confuse([0, 0], [0, 1]).why_undefined(once(1, 1)) is None
    assert confuse([0, 1], [0, 0]).why_undefined(once(1, 1)) is None
    assert confuse([0], [2]).levels == confuse([2], [0]).levels == 3


def test_errors_of_levels_by_hand() -> None:
    """Case 0 is right, then one level off with weight 2; case 1 is silent with weight 3."""
    errors = TABLE.errors()
    assert (errors.erring_cases, errors.worst_case, errors.cases) == (1, 2.0, 1)
    assert (errors.answered, errors.cmax, errors.most_loss) == (3.0, 0.5, 2)
    beyond = TABLE.errors(beyond=0, silence=True)
    assert (beyond.erring_cases, beyond.worst_case, beyond.cases) == (2, 3.0, 2)
    assert (beyond.answered, beyond.cmax, beyond.most_loss) == (6.0, 1.0, 1)
    assert TABLE.errors(beyond=1).erring_cases == 0
    # no case is of the third level, and it counts
    assert TABLE.groups() == [Group(1, "at", 0), Group(1, "at", 1), Group(0, "at", 2)]


def test_two_views_side_by_side_have_all_cases() -> None:
    other = confuse([1], [1], case=[0], n_cases=3)
    both = TABLE.beside(other)
    assert both.case.tolist() == [0, 0, 1, 2, 3]
    assert both.n_cases == 6
    assert both.weight is not None
    assert both.weight.tolist() == [1, 2, 3, 0, 1]
    assert other.beside(other).weight is None
    ranked = TABLE.cases_beside(other, ranked=True)
    assert ranked["case"].tolist() == [0, 0, 2, 3]


def test_a_forecast_by_hand() -> None:
    view = forecast(
        [0.9, 0.2, 0.9, 0.5], [1, 0, 0, 1], [True, True, True, False], weight=[1, 2, 3, 4]
    )
    assert view.probability.tolist() == [0.2, 0.9, 0.9]
    assert view.target.tolist() == [0.0, 0.0, 1.0]
    moments = view.moments(once(1, 1, 1, 1))
    assert moments.weight.tolist() == [6.0]
    assert moments.target.tolist() == [1.0]
    assert moments.brier == pytest.approx([2 * 0.04 + 3 * 0.81 + 0.01])
    curve = view.curve()
    assert (curve.bin.tolist(), curve.weight.tolist(), len(curve)) == ([2, 9], [2.0, 4.0], 2)
    assert curve.accuracy.tolist() == [0.0, 0.25]
    width, weight = view.residuals()
    assert width[9].tolist() == pytest.approx([0.1, 0.0, 3 * -0.9, 0.0])
    assert weight.tolist() == [1.0, 2.0, 3.0, 0.0]
    # by mass, middles at 1/6 and 4/6 of the weight
    mass, _ = view.residuals(2, by_mass=True)
    assert mass.tolist() == [pytest.approx([0, -0.4, 0, 0]), pytest.approx([0.1, 0, -2.7, 0])]


@pytest.mark.parametrize(
    ("probability", "groups"),
    [
        ([1.0, 0.4], [Group(1, "certain")]),
        ([1e-6, 0.4], [Group(0, "certain")]),
        ([1 - 3e-6, 0.4], []),
        ([0.0, 1.0], [Group(1, "certain")]),
    ],
)
def test_the_certain_and_wrong(probability: list[float], groups: list[Group]) -> None:
    assert forecast(probability, [0, 0]).groups() == groups


def test_a_logarithm_is_kept_away_from_nothing() -> None:
    losses = log_loss(np.array([0.0, 1.0, 0.5]), np.array([1.0, 1.0, 0.25]))
    assert losses == pytest.approx([-np.log(1e-6), -np.log1p(-1e-6), np.log(2)])


def reasoning() -> Reasoning:
    names = (*RATIOS, PRIMITIVES)
    of = {name: np.array([1.0, 2.0, 0.0]) for name in names}
    right = {name: np.array([1.0, 0.0, 0.0]) for name in names}
    of[RATIOS[1]] = np.array([1.0, 0.0, 0.0])
    return Reasoning(right, of, 3, {"consistency": "why"}, components=RATIOS[:2])


def test_the_cases_behind_reasons() -> None:
    view = reasoning()
    assert (view.cases_behind("consistency"), view.cases_behind("process"), len(view)) == (2, 1, 3)
    assert replace(view, components=()).cases_behind("process") == 0
    assert view.reason_for("consistency") == "why"
    assert view.reason_for("evidence_recall") == "there is nothing to check it on"
    assert view.why_undefined(once(0, 0, 0)) == NO_WEIGHT
    assert view.why_undefined(once(0, 1, 0)) is None
    sums = view.sums(once(2, 1, 1))["consistency"]
    assert [side.tolist() for side in sums] == [[2.0], [4.0]]
    among = reason_among(view, np.array([False, True, True]), {"verdict_support_rate"})
    assert among.of["consistency"].tolist() == [0.0, 2.0, 0.0]
    assert among.of["evidence_recall"].tolist() == [1.0, 2.0, 0.0]
    assert among.components == ("verdict_support_rate",)


def test_a_ranking_with_reasons_needs_both() -> None:
    ranking = rank_severity([0, 1, 1], [1.0, 2.0, 3.0], [True, True, False])
    both = RankingWithReasons(ranking, reasoning())
    assert (both.n_cases, both.cases_behind("x")) == (3, 2)
    assert both.why_undefined(once(1, 1, 1)) is None
    assert both.why_undefined(once(0, 0, 1)) == NO_ANSWER
    bare = reasoning()
    bare.of[PRIMITIVES][:] = 0.0
    assert RankingWithReasons(ranking, bare).why_undefined(once(1, 1, 1)) == (
        "there is nothing to check it on"
    )


def test_errors_of_a_ranking_by_hand() -> None:
    """By confidence the losses 0, 2, 1; the case of the last two is one."""
    ranking = rank([0, 2, 1], [0.9, 0.8, 0.7], case=[0, 1, 1], most_loss=3)
    errors = ranking.errors()
    assert (errors.erring_cases, errors.worst_case, errors.cases) == (1, 3.0, 2)
    assert (errors.least_loss, errors.most_loss, errors.answered) == (1.0, 3, 3.0)
    first = ranking.errors(coverage=2 / 3)
    assert (first.worst_case, first.answered) == (2.0, 2.0)
    assert first.least_loss == 1.5  # what the two wrong answers cost on average
    assert rank([0, 0], [0.9, 0.8], most_loss=3).errors(coverage=0.5).least_loss == 1.0
    assert ranking.errors(beyond=1).worst_case == 1.0
    assert ranking.groups() == [Group(1, "right"), Group(1, "wrong")]
    assert errors.bounds(lambda unit: 0.5 * unit) == (0.0, 1.5)


def test_severity_rankings_side_by_side_are_ranked_by_place_unless_both_are_by_level() -> None:
    scored = rank_severity([0, 2], [5.0, 50.0], levels=3)
    level = rank_severity([0, 2], [1, 2], levels=3, ranked_by=BY_LEVEL)
    assert scored.beside(level).score.tolist() == [0.75, 0.75, 0.25, 0.25]
    assert level.beside(level).score.tolist() == [2, 2, 1, 1]
    assert scored.beside(level).covered == (1, 2)

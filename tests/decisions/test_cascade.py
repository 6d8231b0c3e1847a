"""Cascades: who answers what, at which price, and that half of the cases decide nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.decisions.bounds import Accepted
from acumen.decisions.cascade import Prices, Rows, rows_of, search
from acumen.errors import DataError, UsageError

ROWS = Rows(
    confidence=np.array([[0.9, 0.2, 0.2, np.nan], [0.1, 0.8, 0.3, 0.9]]),
    loss=np.array([[0.0, 1, 1, 0], [1.0, 0, 1, 0.5]]),
    case=np.array([0, 0, 1, 1]),
    most_loss=2.0,
)
PRICES = Prices((1.0, 10.0), 100.0)


def study(n: int, wrong: str, sure: str, start: int = 0) -> Any:
    """A case a letter, repeated: x is wrong, s is surer."""
    errors, surer = (np.resize(np.array(list(text)), n) for text in (wrong, sure))
    return acumen.from_columns(
        case=range(start, start + n),
        truth=[0] * n,
        prediction=(errors == "x").astype(int),
        confidence=np.where(surer == "s", 0.9, 0.2),
        scale=[0, 1],
    )


SMALL, LARGE = study(300, "xx......", "..ssssss"), study(300, "........", "ssssssss")
ASKED: dict[str, Any] = {"price": [1, 10], "person_price": 100.0, "risk": 0.1}


def test_a_row_goes_to_the_first_stage_that_accepts_it_and_else_to_people() -> None:
    assert ROWS.answers((0.5, 0.5)).tolist() == [0, 1, 2, 1]
    assert ROWS.answers((np.inf, -np.inf)).tolist() == [1, 1, 1, 1]
    assert ROWS.answers((-np.inf, np.inf)).tolist() == [0, 0, 0, 2]  # no answer is no acceptance
    rows, loss = ROWS.sums([(0.5, 0.5), (np.inf, -np.inf)])
    assert rows.tolist() == [[2, 1], [2, 2]]
    assert loss.tolist() == [[0, 0.5], [1, 1.5]]


def test_a_row_pays_every_stage_that_it_reaches() -> None:
    assert PRICES.of(ROWS, (0.5, 0.5)) == pytest.approx((1 + 11 + 111 + 11) / 4)
    assert PRICES.of(ROWS, (np.inf, -np.inf)) == 10.0  # the first is not asked at all
    assert PRICES.of(ROWS, (-np.inf, np.inf)) == pytest.approx((1 + 1 + 1 + 101) / 4)


def test_what_is_cheap_and_surely_right_is_left_to_the_first_stage() -> None:
    document = acumen.cascade(SMALL, LARGE, **ASKED).document
    first, second = document.stages
    assert document.certified
    assert (document.cases_apart, document.cases_tested) == (150, 150)
    assert first.accepted == pytest.approx(0.75, abs=0.06)
    assert (first.asked, second.accepted) == (1.0, pytest.approx(1 - first.accepted))
    assert document.cascade.risk == 0.0
    assert document.cascade.price == pytest.approx(1 + 10 * second.asked)
    small, large = document.alone
    assert large.price == 10.0
    assert document.cascade.price < min(small.price, large.price)
    assert document.frontier[-1].price == document.cascade.price


def test_the_half_that_tests_has_chosen_nothing() -> None:
    """What is tested, and its order, stay as they are whatever the testing half is like."""
    rng = np.random.default_rng(1)

    def rows(skill: float) -> Rows:
        sure = rng.random((2, 400))
        loss = (rng.random((2, 400)) > skill + (1 - skill) * sure).astype(float)
        return Rows(sure, loss, np.repeat(np.arange(100), 4), 1.0)

    choosing, good, bad = rows(0.8), rows(0.9), rows(0.1)
    one, other = (search(choosing, half, PRICES, 0.15, 0.1, None) for half in (good, bad))
    assert one.tested == other.tested
    assert one.passes > other.passes == 0
    p = Accepted.of(*good.sums(one.tested)).p_value(0.15)
    assert (p[: one.passes] <= 0.1).all()
    assert one.passes == len(p) or p[one.passes] > 0.1


def test_where_nothing_is_certified_people_answer_all() -> None:
    document = acumen.cascade(study(100, "x.", "s."), study(100, ".x", "s."), **ASKED).document
    assert not document.certified
    assert (document.cascade.price, document.cascade.referred) == (100.0, 1.0)
    assert "people answer all" in " ".join(repr(acumen.Result(document)).split())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"price": [1]}, "1 price for 2 stages: each needs its own"),
        ({"price": "1,many"}, "price: numbers with commas, not '1,many'"),
        ({"price": [1, -1]}, "price: that of stage 2 is -1; a price is 0 or more"),
        ({"person_price": float("nan")}, "a price is 0 or more"),
        ({"risk": 1.0}, "a risk is between 0 and the largest loss, 1, not 1"),
        ({"delta": 0.0}, "delta is a chance between 0 and 1, not 0"),
    ],
)
def test_prices_and_risks_that_cannot_be_meant_are_refused(
    change: dict[str, Any], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        acumen.cascade(SMALL, LARGE, **{**ASKED, **change})


def test_stages_of_other_cases_are_refused_unless_those_are_left_out() -> None:
    other = study(300, "........", "ssssssss", start=100)
    with pytest.raises(DataError, match="hold different cases"):
        acumen.cascade(SMALL, other, **ASKED)
    document = acumen.cascade(SMALL, other, intersection_only=True, **ASKED).document
    assert document.cases == 200
    with pytest.raises(UsageError, match="a cascade has 2 to 4 stages, not 1"):
        acumen.cascade(SMALL, **{**ASKED, "price": [1]})
    few = study(20, "x...", "s..."), study(20, "....", "ssss")
    with pytest.raises(DataError, match="20 cases are too few: a cascade needs 40"):
        acumen.cascade(*few, **ASKED)


def test_an_expected_loss_is_one_under_the_loss_that_is_asked_for() -> None:
    """By levels as they are, all rungs; by the default, parts of a whole."""
    chances = [[0.7, 0.3, 0.0] if k % 4 else [0.4, 0.35, 0.25] for k in range(120)]
    tables = [
        acumen.from_columns(
            case=range(120), truth=[0] * 120, distribution=np.roll(chances, turn, axis=0),
            scale=[0, 1, 2],
        )
        for turn in (0, 1)
    ]  # fmt: skip
    asked: dict[str, Any] = {**ASKED, "risk": 0.5, "loss": "squared", "confidence": "expected_loss"}
    rows = rows_of(tables, ["expected_loss"] * 2, "squared")
    assert sorted(set(rows.confidence[0].tolist())) == pytest.approx([-1.35, -0.3])
    assert acumen.cascade(*tables, **asked).document.certified

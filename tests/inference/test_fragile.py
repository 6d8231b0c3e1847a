"""How little would undo a decision, counted and then done."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import counted
from acumen.inference.fragile import MOST, fewest, mean_undone_by, unseen


def single(right: int, wrong: int) -> Any:
    """One right-or-wrong row a case, equally sure."""
    n = right + wrong
    return acumen.from_columns(
        case=range(n),
        truth=[0] * n,
        prediction=[0] * right + [1] * wrong,
        confidence=[0.5] * n,
        scale=[0, 1],
    )


@pytest.mark.parametrize("method", ["exact", "approx"])
def test_so_many_more_cases_undo_a_certificate_and_one_fewer_does_not(method: str) -> None:
    def threshold(wrong: int) -> Any:
        asked: dict[str, Any] = {"risk": 0.2, "grid": [0.1], "starts": [1.0]}
        return acumen.threshold(single(95, wrong), method=method, **asked).document

    document = threshold(5)
    assert document.certified
    assert document.undone_by is not None
    assert not threshold(5 + document.undone_by).certified
    assert threshold(5 + document.undone_by - 1).certified
    assert document.unseen == pytest.approx(1 - 0.05 ** (1 / 100))


def test_so_many_wrong_cases_more_undo_a_pass_give_or_take_one() -> None:
    """The gate's own end is on another scale than the t-test that is counted with."""

    def verdict(wrong: int) -> Any:
        run = single(90, wrong)
        return acumen.gate(run, metric="accuracy", at_least=0.7).document

    document = verdict(10)
    more = document.checks[0].undone_by
    assert document.verdict == "pass"
    assert verdict(10 + more + 2).verdict == "undecided"
    assert verdict(10 + more - 3).verdict == "pass"
    words = " ".join(repr(acumen.Result(document)).split())
    assert f"{more} more cases of the worst kind would undo the pass" in words
    assert "kinds of failure rarer than 3.0% may be missing here" in words


def test_what_did_not_pass_has_nothing_to_undo() -> None:
    document = acumen.gate(single(70, 30), metric="accuracy", at_least=0.7).document
    assert document.checks[0].undone_by is None
    assert "would undo" not in repr(acumen.Result(document))
    assert acumen.threshold(single(50, 50), risk=0.2).document.undone_by is None


def test_fewest_finds_the_turn_wherever_it_is() -> None:
    for turn in (1, 2, 3, 17, 511, MOST):
        assert fewest(lambda cases, turn=turn: cases >= turn) == turn  # type: ignore[misc]
    assert fewest(lambda _: False) is None


def test_a_mean_is_undone_by_the_worst_and_not_by_what_is_as_good_as_it_was() -> None:
    parts = np.array([0.0, 0.1] * 20)
    assert mean_undone_by(parts, 0.0, 0.08, 0.05) is None
    one, two = (mean_undone_by(parts, worst, 0.08, 0.05) for worst in (1.0, 0.1))
    assert one is not None
    assert two is not None
    assert one < two


def test_what_need_not_be_seen_is_about_three_in_n() -> None:
    assert unseen(np.ones(300)) == pytest.approx(3 / 300, rel=0.01)


def systems(cases: int, wrong: tuple[int, int]) -> list[Any]:
    """Two systems of one row a case, of which the first err as often."""
    return [
        acumen.from_columns(
            case=range(cases), truth=[0] * cases, confidence=[0.5] * cases, scale=[0, 1],
            prediction=[int(k < n) for k in range(cases)],
        )
        for n in wrong
    ]  # fmt: skip


def test_so_many_cases_that_speak_against_a_better_system_take_the_claim_away() -> None:
    def matched(against: int) -> Any:
        """The second errs in none of ten, and in so many more where the first is right."""
        left, right = ([1] * 10 + [0] * 60 + [0] * against, [0] * 70 + [1] * against)
        n = 70 + against
        sides = [
            acumen.from_columns(
                case=range(n), truth=[0] * n, prediction=side, confidence=[0.5] * n, scale=[0, 1]
            )
            for side in (left, right)
        ]
        document = acumen.compare(*sides, resamples=0, confidence="confidence").document
        return document, document.comparison.matched["confidence"]

    document, before = matched(0)
    assert before.favours == "right"
    assert before.fragility is not None
    more = before.fragility.undone_by
    assert more is not None
    assert before.fragility.unseen == pytest.approx(1 - 0.05 ** (1 / 70))
    assert matched(more)[1].favours is None
    assert matched(more)[1].fragility is None
    assert matched(more - 1)[1].favours == "right"
    words = " ".join(str(acumen.Result(document)).split())
    assert f"{more} more cases of the worst kind would undo it" in words
    assert "kinds of failure rarer than 4.2% may be missing here" in words


def test_a_leaderboard_says_how_little_would_undo_that_the_first_is_better() -> None:
    inputs = dict(zip("xyz", [*systems(60, (3, 25)), systems(60, (30, 0))[0]], strict=True))
    study = acumen.evaluate(inputs, resamples=200, confidence="confidence")
    own = [p for p in study.document.comparison.pairs if p.winner == "x"]
    least = min(p.fragility.undone_by or 0 for p in own if p.fragility is not None)
    assert least > 0
    more = counted(least, "more case")
    assert f"{more} of the worst kind would undo it" in " ".join(str(study).split())

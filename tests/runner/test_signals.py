"""Evidence that is really there, and samples that agree."""

from __future__ import annotations

import math

import pytest

from acumen.runner.signals import agreement, count_quotes, count_snippets

TRANSCRIPT = "Participant: I can’t sleep,\n  not at all. “Fine”, I say. I eat well."


@pytest.mark.parametrize(
    ("quotes", "real", "invented"),
    [
        ([], 0, 0),
        (["I can't sleep, not at all."], 1, 0),
        (['"I eat well."', "I eat well."], 1, 0),
        (["I can't sleep", "I cannot sleep"], 1, 1),
        (["i eat well"], 0, 1),
        (["", "  ", '""'], 0, 0),
        (['"Fine", I say'], 1, 0),
        (["I can't sleep … I eat well."], 0, 1),
    ],
)
def test_quotes_count_only_if_they_stand_in_the_transcript(
    quotes: list[str], real: int, invented: int
) -> None:
    count = count_quotes(quotes, TRANSCRIPT)
    assert (count.real, count.invented) == (real, invented)


def test_a_snippet_counts_in_the_review_it_cites_and_in_no_other() -> None:
    reviews = [{"review_id": "a", "text": "My lips swelled."}, {"review_id": "b", "text": "Good."}]
    row = {"field": "F", "judgement": "j", "snippet": "lips  swelled"}
    rows = [{**row, "review_id": r} for r in ("a", "a", "b", "zz")]
    count = count_snippets(rows, reviews)
    assert (count.real, count.invented) == (1, 2)


def test_agreement_of_five_samples_by_hand() -> None:
    agreed = agreement([2, 2, 1, 2, 1])
    assert agreed.modal == 2
    assert agreed.modal_confidence == 0.6
    assert agreed.score_std == pytest.approx(math.sqrt(0.24))
    assert agreed.na_rate == 0


def test_a_tie_goes_to_abstention_then_to_the_smallest_score() -> None:
    assert agreement([3, None, 3, None]).modal is None
    assert agreement([3, 1, 3, 1]).modal == 1
    assert agreement([None, 2, 2]).modal == 2
    assert agreement([None, 2, 2]).na_rate == 1 / 3


def test_when_every_sample_abstains_there_is_no_spread() -> None:
    agreed = agreement([None, None])
    assert (agreed.modal, agreed.modal_confidence, agreed.score_std) == (None, 1.0, None)
    assert agreed.na_rate == 1.0

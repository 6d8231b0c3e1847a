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


@pytest.mark.parametrize(
    ("quotes", "most", "longest", "real", "invented"),
    [
        (["I", "al", "eat", "all."], 9, 99, 1, 0),  # three are too short to show anything
        (["I eat", "not at all", "sleep"], 2, 99, 2, 0),
        (["nowhere", "I eat", "sleep"], 2, 99, 1, 1),  # the first two, in their order
        (["I eat", "I eat", "sleep"], 2, 99, 2, 0),  # one that is repeated is one
        (["not at all"], 9, 9, 0, 0),
        (["not at all"], 9, 10, 1, 0),
        (["a", "nowhere"], 1, 99, 0, 1),  # one that does not count takes no place
    ],
)
def test_no_more_and_no_longer_quotes_count_than_the_task_asks_for(
    quotes: list[str], most: int, longest: int, real: int, invented: int
) -> None:
    count = count_quotes(quotes, TRANSCRIPT, most, longest)
    assert (count.real, count.invented) == (real, invented)


def test_no_more_and_no_longer_snippets_count_than_the_task_asks_for() -> None:
    reviews = [{"review_id": "a", "text": "My lips swelled."}]
    texts = ["lips", "My", "swelled.", "lips swelled"]
    rows = [{"review_id": "a", "field": "F", "judgement": t, "snippet": t} for t in texts]
    for most, longest, real, invented in ((9, 99, 3, 1), (2, 99, 1, 1), (9, 8, 2, 2), (0, 9, 0, 0)):
        count = count_snippets(rows, reviews, most, longest)
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

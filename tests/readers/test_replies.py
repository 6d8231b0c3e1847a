"""Levels and confidences in the forms of replies: what is read, what is left, and what is told."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.errors import DataError
from acumen.readers.inputs import table_of
from acumen.readers.reading import Reading
from acumen.readers.replies import level_said, read_levels_said, read_sureness
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments


def said(text: str) -> Any:
    level = level_said(text)
    return None if level is None else level.value


@pytest.mark.parametrize(
    "text",
    [
        *("4/5", "4 / 5", "4 out of 5", "4 von 5", "4 sur 5", "4/5 stars", "4.0/5", "**4**/5"),
        *("Rating: 4", "rating=4", "Score: 4.", "Final score: 4/5", "Bewertung: 4", "**Score:** 4"),
        *("4 - good", "4: very good", "4 (good)", "4. Good", "4 stars", "Score is 4", "4%"),
        '{"score": 4, "reason": "because of 3 faults"}',
        '```json\n{"rating": "4"}\n```',
        "The answer names 2 of 3 causes.\nFinal score: 4",
        "I would rate it well, since 9 of 10 hold. Overall rating: 4/5.",
    ],
)
def test_a_reply_that_names_one_level_is_read(text: str) -> None:
    assert said(text) == 4


@pytest.mark.parametrize(
    "text",
    [
        *("4 or 5", "4-5", "between 4 and 5", "6/5", "good", "", "four", "1.2.3", "2026-01-04"),
        *("Rating: 2 or 3", "Score: 2-3, as it is", "It is fair. Score: 4/5 or 5/5"),
        "Score: 4 at first. On second thought, score: 3",
        "It has 4 faults and 5 strengths",
        '{"score": 4, "rating": 3}',
        '{"score": [4]}',
        "x" * 30_000 + " score: 4",
    ],
)
def test_a_reply_that_names_none_or_two_is_not(text: str) -> None:
    assert said(text) is None


def test_a_column_is_on_one_scale_or_is_not_read() -> None:
    """A level of 5 and one of 10 are not on one scale, nor is 80% beside 4."""
    for values in (["4/5", "8/10"], ["80%", 4]):
        levels = read_levels_said(Coded.of(values), "prediction")
        assert (list(levels.column.values), levels.notes) == (values, ())
    levels = read_levels_said(Coded.of(["3/5", 4, "3/5", None, "n/a"]), "prediction")
    assert (levels.column.values, levels.whole) == ((3, 4, "n/a"), 5)
    assert levels.column.codes.tolist() == [0, 1, 0, -1, 2]
    assert levels.notes == ("prediction: read out of its text in 2 rows: 3/5 as 3, of 5",)


def test_a_truth_and_a_prediction_on_two_scales_are_refused() -> None:
    rows = [{"id": at, "gt": f"{1 + at % 5}/5", "pred": f"{2 + at}/10"} for at in range(8)]
    with pytest.raises(DataError, match="the truth is said to be of 5, the prediction of 10"):
        _table(rows, {})
    with pytest.raises(DataError, match="said to be of 100, and no truth is above 5"):
        table(["80%", "60%", "40%", "20%", "80%"])


def table(prediction: list[Any], **reading: Any) -> Judgments:
    rows = [{"id": at, "gt": 1 + at % 5, "pred": value} for at, value in enumerate(prediction)]
    return _table(rows, reading)


def _table(rows: list[dict[str, Any]], reading: dict[str, Any]) -> Judgments:
    keywords: Reading = {**reading}  # type: ignore[typeddict-item]  # any keywords
    return table_of(rows, None, keywords)


def test_levels_that_are_read_are_told_and_a_scale_of_words_is_left_alone() -> None:
    judged = table([f"Rating: {1 + at % 5}" for at in range(10)])
    assert judged.prediction.tolist() == judged.truth.tolist()
    assert "prediction: read out of its text in 10 rows: Rating: 1 as 1" in judged.warnings
    words = ["1 - poor", "2 - fair"]
    rows = [{"id": at, "gt": words[at % 2], "pred": words[0]} for at in range(4)]
    assert _table(rows, {"levels": words}).scale.levels == ("1 - poor", "2 - fair")


def test_texts_of_replies_are_not_shown() -> None:
    text = "The patient Jane Roe sleeps badly and eats little. Score: 2"
    assert "Jane" not in " ".join(table([text, 3, 2, 1]).warnings)


def test_a_reply_without_a_level_is_refused_or_unparseable_as_before() -> None:
    replies = ["Rating: 1", "Rating: 2 or 3", "Rating: 3", 4]
    with pytest.raises(DataError, match="the text 'Rating: 2 or 3' where a level"):
        table(replies)
    judged = table(replies, levels="1-5")
    assert judged.outcomes["unparseable"] == 1


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["75%", "100 %", "n/a"], [0.75, 1.0, "n/a"]),
        (["4/5", "1/5"], [0.8, 0.2]),
        (["low", "High", "medium"], [3, 6, 4]),
        (["sehr sicher", "unsicher"], [7, 2]),
        (["75%", 0.5], None),
        (["high", 0.5], None),
        (["low", "purple"], None),
        (["4/5", "1/10"], None),
    ],
)
def test_confidences_as_parts_per_cent_or_words(values: list[Any], numbers: Any) -> None:
    column, notes = read_sureness(Coded.of(values))
    assert list(column.values) == (values if numbers is None else numbers)
    assert len(notes) == (numbers is not None)

"""Rows of a judge and of people, under the names of those who said so."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.errors import DataError, UsageError
from acumen.raters.labelled import NO_LABEL, Labelled
from acumen.readers.reading import Reading

ROWS = [
    {"case": "a", "item": "i", "ai": 3, "human": 1, "lang": "x"},
    {"case": "a", "item": "j", "ai": 2, "human": None, "lang": "x"},
    {"case": "b", "item": "i", "ai": None, "human": 2, "lang": "y"},
    {"case": "c", "item": "i", "ai": 0, "human": 0, "lang": "y"},
]
READING: Reading = {
    "prediction": "ai",
    "levels": "0-3",
    "case": "case",
    "item": "item",
    "group": ["lang"],
}


def test_the_judge_rates_and_people_label() -> None:
    rows = Labelled.read(ROWS, "human", READING)
    assert rows.rating.tolist() == [3, 2, 0]
    assert rows.label.tolist() == [1, NO_LABEL, 0]
    assert rows.has_label.tolist() == [True, False, True]
    assert rows.case.tolist() == [0, 0, 1]
    assert (rows.cases, rows.not_judged, rows.confidence) == (2, 1, None)
    last = rows.take(np.array([2]))
    assert (len(last), last.cases, last.rating.tolist(), last.label.tolist()) == (1, 2, [0], [0])
    assert [last.groups["lang"].values[c] for c in last.groups["lang"].codes] == ["y"]


def test_a_label_that_is_no_level_and_a_judge_without_a_column_are_refused() -> None:
    odd = [*ROWS, {"case": "d", "item": "i", "ai": 1, "human": 9, "lang": "y"}]
    with pytest.raises(DataError, match="case d, item i, label: 9 is outside"):
        Labelled.read(odd, "human", READING)
    with pytest.raises(UsageError, match="which column is the judge's"):
        Labelled.read(ROWS, "human", {"levels": "0-3"})

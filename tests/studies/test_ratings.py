"""The bundled ratings: what was put into them is found again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.results.raters import EstimateDocument, RatingsDocument
from acumen.studies import JUDGES, RATERS, RATING, ratings


@pytest.fixture(scope="module")
def found() -> RatingsDocument:
    columns: dict[str, Any] = {"length": "words", "own": "author"}
    return acumen.rate(ratings(), raters=RATERS, judge=JUDGES, **columns, **RATING).document


def test_its_shape() -> None:
    rows = ratings()
    assert len(rows) == 240
    assert len({row["text"] for row in rows}) == 80
    assert 80 < sum(row["eve"] is None for row in rows) < 110


def test_the_lenient_person_is_named_and_nobody_else(found: RatingsDocument) -> None:
    assert {n: p.stands_out for n, p in found.people.items()} == {
        **dict.fromkeys(RATERS, None),
        "dan": "lenient",
    }


def test_the_good_judge_passes_and_the_other_does_not(found: RatingsDocument) -> None:
    assert found.judges["judge_a"].alt_test.passes
    assert not found.judges["judge_b"].alt_test.passes
    assert found.differences[0].risk.interval is not None
    assert found.differences[0].risk.interval.low > 0


def test_the_biases_are_those_that_were_put_in(found: RatingsDocument) -> None:
    bias = found.judges["judge_b"].bias
    assert bias.length is not None and bias.length.interval is not None  # noqa: PT018
    assert bias.self_preference is not None and bias.self_preference.interval is not None  # noqa: PT018
    assert 0 < bias.length.interval.low < 0.35 < bias.length.interval.high
    assert 0 < bias.self_preference.interval.low < 0.6 < bias.self_preference.interval.high
    other = found.judges["judge_a"].bias.length
    assert other is not None and other.interval is not None  # noqa: PT018
    assert other.interval.has_zero


def test_few_labels_say_what_ann_said_of_all() -> None:
    estimated = acumen.estimate(
        ratings(), labelled="label", prediction="judge_a", **RATING
    ).document
    assert isinstance(estimated, EstimateDocument)
    mean = estimated.estimates["mean"]
    rows = [row for row in ratings() if row["judge_a"] is not None]
    assert mean.estimate.interval is not None
    truth = float(np.mean([row["ann"] for row in rows]))
    assert mean.estimate.interval.low < truth < mean.estimate.interval.high
    assert mean.labels_saved is not None
    assert mean.labels_saved > 20

"""Abstention from both sides: by hand, against scikit-learn, and at both extremes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.metrics import f1_score, precision_score, recall_score

from acumen.inference.infer import infer
from acumen.metrics import METRICS, metrics_of
from acumen.values.measured import Flag
from acumen.views.abstention import Abstention, abstain_rows
from acumen.views.weights import CaseWeights

NAMES = (
    *("abstention_recall", "abstention_precision", "abstention_f1"),
    *("false_answers", "false_abstentions"),
)


def values(unanswerable: Sequence[int], abstained: Sequence[int]) -> dict[str, float | None]:
    view = abstain_rows(unanswerable, abstained)
    return {name: METRICS[name].measure(view).value for name in NAMES}


def test_the_metrics_by_hand() -> None:
    """Of three rows that cannot be judged two are left open, of four that can one is."""
    own = values([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0])
    assert own == pytest.approx(dict(zip(NAMES, (2 / 3, 2 / 3, 2 / 3, 1 / 3, 1 / 4), strict=True)))
    assert {metric.name for metric in metrics_of(Abstention)} == {*NAMES}


@pytest.mark.parametrize("seed", range(5))
def test_the_metrics_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    should, did = (rng.random((2, 40)) < [[0.3], [0.4]]).astype(int)
    weight = rng.integers(1, 4, 40)
    view = abstain_rows(should, did, weight=weight)
    block = CaseWeights.once(view.n_cases)
    theirs = (recall_score, precision_score, f1_score)
    for name, score in zip(NAMES, theirs, strict=False):
        own = METRICS[name].measure(view, block).value
        assert own == pytest.approx(score(should, did, sample_weight=weight), abs=1e-12)
    specificity = recall_score(1 - should, 1 - did, sample_weight=weight)
    assert METRICS["false_abstentions"].measure(view).value == pytest.approx(1 - specificity)


def test_who_never_answers_and_who_always_does() -> None:
    should, share = [1, 1, 0, 0, 0, 0, 0, 0], 2 / 8
    never, always = values(should, [1] * 8), values(should, [0] * 8)
    expected = (1.0, share, 2 * share / (1 + share), 0.0, 1.0)
    assert never == pytest.approx(dict(zip(NAMES, expected, strict=True)))
    assert always == dict(zip(NAMES, (0.0, None, 0.0, 1.0, 0.0), strict=True))


@pytest.mark.parametrize(
    ("should", "did", "name", "reason"),
    [
        ([0, 0], [1, 0], "abstention_recall", "no row is one that cannot be judged"),
        ([1, 0], [0, 0], "abstention_precision", "no row was left open"),
        ([0, 0], [0, 0], "abstention_f1", "nothing was left open, and nothing had to be"),
        ([1, 1], [0, 1], "false_abstentions", "every row is one that cannot be judged"),
    ],
)
def test_what_there_is_nothing_of_has_no_value_and_says_why(
    should: list[int], did: list[int], name: str, reason: str
) -> None:
    estimate = METRICS[name].measure(abstain_rows(should, did))
    assert (estimate.value, estimate.reason) == (None, reason)


def test_an_interval_rests_on_the_cases_with_such_rows() -> None:
    """Of 60 cases four have a row that cannot be judged, all left open: Wilson's of four cases."""
    case = np.arange(60)
    view = abstain_rows(case < 4, case < 4, case=case)
    recall = infer([METRICS["abstention_recall"]], view)["abstention_recall"].measured
    assert recall.interval is not None
    assert (recall.value, recall.interval.method) == (1.0, "Wilson")
    assert recall.interval.low < 0.4  # four cases, not sixty
    assert Flag.RARE_LEVEL in recall.interval.flags
    assert recall.interval.rests_on is not None
    assert (recall.interval.rests_on.cases, recall.interval.rests_on.where) == (4, "unanswerable")
    false = infer([METRICS["false_abstentions"]], view)["false_abstentions"].measured
    assert false.interval is not None
    assert false.interval.high < 0.1

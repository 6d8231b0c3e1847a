"""What the metrics document answers of itself."""

from __future__ import annotations

import pytest

import acumen
from acumen.errors import DataError
from acumen.readers.run import run_from_document
from acumen.results.metrics import Matched, MetricsArtifact
from acumen.values.measured import Delta, Flag, Interval
from tests.toy_runs import other_run, toy_run


def matched(difference: tuple[float, float], guard: tuple[float, float], p: float) -> Matched:
    deltas = [
        Delta(delta=sum(ends) / 2, interval=Interval(low=ends[0], high=ends[1], method="x"))
        for ends in (difference, guard)
    ]
    return Matched(
        coverage=0.5, left=0.3, right=0.2, difference=deltas[0], guard=deltas[1], p_value=p
    )


def test_a_side_is_favoured_at_equal_coverage_where_the_adjusted_p_value_says_so() -> None:
    below = matched((-0.2, -0.1), (-0.3, -0.1), 0.01)
    assert below.decided(0.04, 0.05).favours == "right"
    assert matched((0.1, 0.2), (0.1, 0.3), 0.01).decided(0.04, 0.05).favours == "left"
    undecided = below.decided(0.06, 0.05)
    assert (undecided.favours, undecided.p_adjusted) == (None, 0.06)
    assert undecided.difference.interval is not None
    assert undecided.difference.interval.flags == (Flag.TEST_DECIDES,)


def test_no_side_is_favoured_without_a_guard_or_on_an_unreliable_interval() -> None:
    below = matched((-0.2, -0.1), (-0.3, -0.1), 0.01)
    unguarded = below.model_copy(update={"guard": Delta(delta=-0.1)})
    assert unguarded.decided(0.01, 0.05).favours is None
    assert below.decided(None, 0.05).favours is None
    few = below.difference.interval.with_flag(Flag.FEW_CASES)
    delta = below.difference.model_copy(update={"interval": few})
    assert below.model_copy(update={"difference": delta}).decided(0.01, 0.05).favours is None


@pytest.mark.parametrize("side", ["input_0", "input_1"])
def test_a_curve_with_uneven_columns_is_refused_on_either_side(side: str) -> None:
    runs = [run_from_document(document) for document in (toy_run(12), other_run(12))]
    artifact = acumen.evaluate(*runs, confidence="llm", resamples=0).document
    document = artifact.model_dump(mode="json")
    document["confidence_variants"]["llm"][side]["curve"]["threshold"].append(0.5)
    damaged = MetricsArtifact.model_validate(document)
    assert list(damaged.sides) == ["llm"]
    artifact.check()
    with pytest.raises(DataError, match=r"llm.*curve: ragged columns"):
        damaged.check()

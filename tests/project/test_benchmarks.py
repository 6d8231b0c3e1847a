"""The benchmarks' own reference: an implementation over objects that gives the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from acumen.defaults import PROCESS_WEIGHTS
from acumen.inference.resample import Bootstrap
from benchmarks import reference
from benchmarks.speed import SAME, check, numpy_aurc
from benchmarks.studies import study, verdict_study
from benchmarks.verdicts import scored


@pytest.mark.parametrize("ties", [0, 4])
def test_objects_in_a_list_give_the_engines_numbers_for_all_metrics(ties: int) -> None:
    assert len(SAME) == len(reference.METRICS) == 28
    check(study(15, 5, ties=ties), Bootstrap(15, 12).block(0, 12))


def test_a_wrong_number_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(reference.METRICS, "aurc", lambda curves: 0.5)
    with pytest.raises(AssertionError, match="aurc"):
        check(study(15, 5), Bootstrap(15, 2).block(0, 2))


def test_sharing_the_curve_changes_no_number() -> None:
    by_case = study(9, 4).items()
    drawn = [0, 0, 3, 4, 8, 8, 8, 1, 2]
    apart = reference.replicate(by_case, drawn, shared=False)
    assert reference.replicate(by_case, drawn, shared=True) == apart


def test_the_verdict_study_that_is_timed_has_something_of_everything() -> None:
    found = scored(verdict_study(200, 5), 20)
    assert (found.total, found.abstained, found.failed) == (200, 0, 0)
    assert all(found.components[name] is not None for name in PROCESS_WEIGHTS)
    first = found.auprc.thresholds[0]
    assert first.ap is not None
    assert 200 * first.ap > first.n_positive
    assert verdict_study(5) == verdict_study(5)


def test_the_numpy_yardstick_is_the_mean_of_cumulative_risk() -> None:
    # by falling confidence the losses are 0, 2, 1: risks 0, 1, 1
    assert numpy_aurc(np.array([1, 0, 2]), np.array([0.1, 0.9, 0.5])) == pytest.approx(2 / 3)

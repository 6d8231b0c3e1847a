"""The registry: one name, one definition."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
import pytest

from acumen.metrics import METRICS, Metric, metric, selective
from acumen.metrics.registry import Kind, Unit, is_run_again
from acumen.types import Floats
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(before)


def test_a_module_that_is_run_twice_registers_its_metrics_once() -> None:
    """As pytest does with a single file of doctests, and a notebook with autoreload."""
    names = list(METRICS)
    spec = spec_from_file_location(selective.__name__, selective.__file__)
    assert spec is not None
    assert spec.loader is not None
    again = module_from_spec(spec)
    spec.loader.exec_module(again)
    assert list(METRICS) == names
    assert METRICS["coverage"].function is again.coverage.__wrapped__


def test_two_definitions_under_one_name_are_refused() -> None:
    def coverage(ranking: Ranking, weights: CaseWeights) -> Floats:
        return np.ones(1)

    with pytest.raises(ValueError, match="there is a metric 'coverage' already"):
        metric(
            title="coverage", unit=Unit.SHARE, view=Ranking, better="higher", kind=Kind.PROPORTION
        )(coverage)
    assert METRICS["coverage"](rank([0, 1], [1, 0], [True, False]), [1, 1]) == 0.5


def test_a_parameter_is_said_in_the_title_by_its_value_or_its_label() -> None:
    at_least = METRICS["auprc_ge"]
    assert METRICS["mean_loss_at_coverage"].at(coverage=0.5).title == "Mean loss at coverage 0.5"
    assert at_least.at(level=2).title == "AUPRC ≥ 2"
    critical = at_least.at(level=2, label="{Critical}")
    assert (critical.title, critical.name) == ("AUPRC ≥ {Critical}", "auprc_ge@{Critical}")
    assert critical.anchor == at_least.anchor == "metric-auprc_ge"
    assert METRICS["ece"].at(bins=5).title == "ECE, 5 bins"


def test_a_metric_without_a_title_is_called_by_its_name() -> None:
    bare = Metric("mine", METRICS["coverage"].function, Ranking, "lower", Kind.REAL, "never")
    assert (bare.title, bare.at(level=1).title) == ("mine", "mine@1")


def test_the_first_line_of_the_docstring_says_what_it_is_about() -> None:
    assert METRICS["brier"].about == (
        "Mean squared distance between confidence and target; lower is better."
    )


def test_a_lambda_or_an_inner_function_replaces_itself_alone() -> None:
    def made(shift: int) -> Any:
        def inner(x: int) -> int:
            return x + shift

        return inner

    one = made(1)
    assert is_run_again(one, one)
    assert not is_run_again(one, made(2))
    assert not is_run_again(lambda x: x, lambda x: x)

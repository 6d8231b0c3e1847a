"""What the metrics document answers of itself."""

from __future__ import annotations

import pytest

import acumen
from acumen.errors import DataError
from acumen.readers.run import run_from_document
from acumen.results.measured import Delta
from acumen.results.metrics import Comparison, MetricsArtifact, PairedVariant
from tests.toy_runs import toy_run


def favoured(**p_holm: float | None) -> dict[str, str | None]:
    deltas = {
        function: {"augrc_full": Delta(delta=-0.1, favours="right", p_holm=p)}
        for function, p in p_holm.items()
    }
    comparison = Comparison(enabled=True, intersection_only=False, deltas=deltas)
    return comparison.favoured("augrc_full", 0.95)


def test_among_several_functions_the_adjusted_p_value_must_agree() -> None:
    assert favoured(a=0.01, b=0.2) == {"a": "right", "b": None}
    assert favoured(a=0.051, b=0.049) == {"a": None, "b": "right"}


def test_without_an_adjusted_p_value_none_of_several_is_favoured() -> None:
    assert favoured(a=None, b=0.01) == {"a": None, "b": "right"}
    assert favoured(a=None) == {"a": "right"}


@pytest.mark.parametrize("side", ["input_0", "input_1"])
def test_a_curve_with_uneven_columns_is_refused_on_either_side(side: str) -> None:
    run = run_from_document(toy_run(12))
    artifact = acumen.evaluate(run, run, confidence="llm", resamples=0).artifact
    document = artifact.model_dump(mode="json")
    document["confidence_variants"]["llm"][side]["curve"]["threshold"].append(0.5)
    damaged = MetricsArtifact.model_validate(document)
    assert isinstance(damaged.confidence_variants["llm"], PairedVariant)
    artifact.check()
    with pytest.raises(DataError, match=r"llm.*curve: ragged columns"):
        damaged.check()

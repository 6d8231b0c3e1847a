"""A metric has one name, and is found by the others that people call it."""

from __future__ import annotations

import pytest

import acumen
from acumen.errors import UsageError
from acumen.metrics import METRICS, find_metric
from acumen.metrics.registry import ALIASES
from acumen.report.explain import explain
from acumen.results.metrics import MetricsArtifact

TABLE = acumen.from_columns(
    case=range(12),
    truth=[0, 1, 2] * 4,
    prediction=[0, 1, 1, 0, 1, 2, 0, 2, 2, 1, 1, None],
    confidence=[k / 12 for k in range(12)],
    scale=[0, 1, 2],
)


def test_another_name_is_of_one_metric_and_hides_none() -> None:
    assert {*ALIASES.values()} <= {*METRICS}
    assert not {*ALIASES} & {*METRICS}
    assert [*ALIASES] == [name.casefold() for name in ALIASES]


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("qwk", "quadratic_kappa"),
        ("QWK", "quadratic_kappa"),
        ("AUGRC", "augrc"),
        ("mae_levels", "mae"),
        ("mean_loss", "mean_loss"),
        ("AUROC", "failure_auroc"),
    ],
)
def test_a_metric_is_found_in_any_case_and_by_what_people_call_it(word: str, name: str) -> None:
    evaluation = acumen.evaluate(TABLE, resamples=0)
    metric = find_metric(word)
    assert metric is not None
    assert metric.name == name == explain(word).metric.name
    keys = {"augrc": "augrc_full"}
    assert evaluation[word] == evaluation[keys.get(name, name)]


def test_a_mistyped_metric_is_answered_with_those_that_were_measured() -> None:
    evaluation = acumen.evaluate(TABLE, resamples=0)
    with pytest.raises(UsageError, match=r"no metric 'Acuracy' was measured; did you mean acc"):
        evaluation["Acuracy"]
    with pytest.raises(UsageError, match="did you mean quadratic_kappa"):
        explain("quadratic_kapa")


def test_files_from_before_have_the_name_of_today() -> None:
    document = acumen.evaluate(TABLE, resamples=0).document
    overall = {("mae_levels" if k == "mae" else k): v for k, v in document.overall.items()}
    older = document.model_dump(mode="json") | {
        "overall": {k: v.model_dump(mode="json") for k, v in overall.items()}
    }
    again = MetricsArtifact.model_validate(older)
    assert again.overall_by_input[0]["mae"] == document.overall_by_input[0]["mae"]
    assert "mae_levels" not in again.overall_by_input[0]

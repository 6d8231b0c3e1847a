"""Documents of one system each on one page: side by side where they judged the same rows."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Cases, Table
from acumen.report.html import render_report, study_of
from acumen.report.selective.together import joined
from acumen.results.metrics import MetricsArtifact
from tests.report.kinds import QUICK, systems, table


def alone(place: int, rows: list[dict[str, Any]] | None = None, **more: Any) -> Evaluation:
    """One of the systems, evaluated by itself."""
    name = f"system {'abcdefg'[place]}"
    own = [row for row in rows or systems(5) if row.pop("system") == name]
    label = more.pop("label", name)
    return acumen.evaluate(own, item="item", labels=[label], **more, **QUICK)


@pytest.fixture(scope="module")
def five() -> list[MetricsArtifact]:
    return [alone(place).document for place in range(5)]


def test_systems_evaluated_apart_on_the_same_rows_are_one_study(
    five: list[MetricsArtifact],
) -> None:
    (whole,), note = joined(five)
    study = study_of(whole)
    names = [f"system {letter}" for letter in "abcde"]
    assert (whole.input_names, note) == (names, "")
    (cases,) = (b for section in study.sections for b in section.blocks if isinstance(b, Cases))
    assert (cases.systems, cases.n) == (tuple(names), 120)
    charts = {b.key for s in study.sections for b in s.blocks if hasattr(b, "spec")}
    assert {"s1-chart-risk-coverage", "s1-chart-agreement", "s1-chart-confusion"} <= charts
    assert render_report(five).count("<article") == 1


def test_every_number_is_the_one_that_was_measured_apart(five: list[MetricsArtifact]) -> None:
    (whole,), _ = joined(five)
    for at, single in enumerate(five):
        assert whole.overall_by_input[at] == single.overall
        assert whole.sides["confidence"][at] == single.confidence_variants["confidence"]
        assert whole.population.outcomes_by_input[at] == single.population.outcomes
        assert whole.rows[at] == single.rows[0]
    tables = [b for s in study_of(whole).sections for b in s.blocks if isinstance(b, Table)]
    right = next(t for t in tables if t.rows[0][0].text == "Accuracy of all rows")
    values = [single.overall_by_input[0]["total_accuracy"].value for single in five]
    assert [cell.value for cell in right.rows[0][1:]] == values
    assert all(cell.interval for cell in right.rows[0][1:])


@pytest.mark.parametrize("count", [2, 5])
def test_nothing_is_claimed_of_what_was_not_compared(
    five: list[MetricsArtifact], count: int
) -> None:
    study = study_of(joined(five[:count])[0][0])
    lead = study.answer
    assert "evaluated separately" in lead
    assert "tests them on the same rows" in lead
    assert study.facts.facts[0].label == "system a: exactly right"
    assert not [s for s in study.sections if "is better" in s.finding]


def changed(key: str, to: Any) -> list[dict[str, Any]]:
    return [{**row, key: to if row["id"] == "case 3" else row[key]} for row in systems(5)]


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (lambda: alone(1, changed("truth", 0)), "rows"),
        (lambda: alone(1, changed("id", "another")), "rows"),
        (lambda: alone(1, loss="zero_one"), "loss"),
        (lambda: alone(1, levels="0-4"), "levels"),
        (lambda: alone(1, confidence_level=0.9), "settings"),
    ],
)
def test_a_page_says_why_systems_stand_one_after_another(
    five: list[MetricsArtifact], other: Any, what: str
) -> None:
    page = render_report([five[0], other()])
    assert page.count("<article") == 2
    assert f"One system after another: they do not share their {what}." in page


def test_what_a_comparison_on_the_page_already_tells_stays_apart() -> None:
    modes = [table("zero_shot"), table("few_shot")]
    both, *each = (
        acumen.evaluate(*inputs, confidence="token_msp", **QUICK).document
        for inputs in (modes, modes[:1], modes[1:])
    )
    assert joined([both, *each]) == ([both, *each], "")


def test_two_systems_of_one_name_are_told_apart(five: list[MetricsArtifact]) -> None:
    (whole,), _ = joined([five[0], alone(1, label="system a").document])
    assert len({*whole.input_names}) == 2


def test_documents_without_rows_are_not_joined(five: list[MetricsArtifact]) -> None:
    bare = [artifact.model_copy(update={"rows": []}) for artifact in five]
    assert joined(bare)[0] == bare

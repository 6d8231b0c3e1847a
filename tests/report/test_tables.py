"""Words and tables of documents, without a browser."""

from __future__ import annotations

from typing import Any

import pytest

from acumen.metrics import METRICS, find_metric, metrics_of
from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Cases, Folded, Section, Table
from acumen.report.cells import title_of
from acumen.report.html import study_of
from acumen.report.sections import sections_of
from acumen.report.selective.facts import UNDRAWN, provenance
from acumen.report.selective.metrics import metric_table
from acumen.results.metrics import Input, MetricsArtifact, Rows
from acumen.results.verdicts import PairDocument, results_of
from acumen.views.abstention import Abstention
from acumen.views.level_forecast import LevelForecast
from acumen.views.scores import Scores


def blocks(document: Any) -> list[Any]:
    return [block for section in study_of(document).sections for block in section.blocks]


def case_tables(document: Any) -> list[Cases]:
    return [block for block in blocks(document) if isinstance(block, Cases)]


def column(table: Cases, title: str) -> list[str]:
    (found,) = [c for c in table.columns if c.title == title]
    return [found.text(row) for row in range(table.n)]


def changed(evaluation: Evaluation, **parts: Any) -> MetricsArtifact:
    return evaluation.document.model_copy(update=parts)


def test_the_lowest_level_has_its_name_in_the_table_of_cases(single: Evaluation) -> None:
    rows = Rows(
        case=[1, 1, 2],
        item=["a", "b", "a"],
        truth=[0, 2, 1],
        prediction=[0, None, 3],
        outcome=["answered", "abstained", "answered"],
    )
    scale = single.document.scale | {"levels": ["never", "rarely", "often", "always"]}
    (table,) = case_tables(changed(single, rows=[rows], scale=scale))
    assert column(table, "truth") == ["never", "often", "rarely"]
    assert column(table, "prediction") == ["never", "–", "always"]
    assert column(table, "outcome") == ["right", "abstained", "wrong"]


def test_cases_are_filtered_by_their_outcome(single: Evaluation, results: PairDocument) -> None:
    for document in (single, results):
        for table in case_tables(document):
            assert {"outcome", "truth", "prediction"} <= {column.key for column in table.columns}
            assert "right" in table.filters["outcome"][1]


@pytest.mark.parametrize(
    ("mode", "title"), [(None, "toy1"), ("toy1", "toy1"), ("few_shot", "toy1, few_shot")]
)
def test_a_title_names_the_mode_once(mode: str | None, title: str, single: Evaluation) -> None:
    inputs = [Input(run_id="toy1", mode=mode)]
    assert study_of(changed(single, inputs=inputs)).head.title == title


@pytest.mark.parametrize(
    "left_out", [(None, None), ("many_rows", None), (None, "many_rows"), ("many_rows",) * 2]
)
def test_one_side_without_resamples_is_enough_to_say_so(
    left_out: tuple[str | None, str | None], paired: Evaluation
) -> None:
    variants: dict[str, Any] = {}
    for function, sides in paired.document.sides.items():
        variants[function] = {}
        for at, (side, reason) in enumerate(zip(sides, left_out, strict=True)):
            bootstrap = side.bootstrap.model_copy(update={"left_out": reason})
            variants[function][f"input_{at}"] = side.model_copy(update={"bootstrap": bootstrap})
    _, settings = provenance(changed(paired, confidence_variants=variants), "acumen evaluate x")
    rows = {name.text: value.text for name, value in settings.rows}
    assert rows["command"] == "acumen evaluate x"
    assert rows.get("left out: percentile intervals") == (UNDRAWN if any(left_out) else None)


@pytest.mark.parametrize(
    ("scores", "texts"),
    [
        ([1.5, None, 3], ["1.5", "–", "3"]),
        ([1.5, "high", None], ["1.5", "high", "–"]),
        ([True, 2, 3], ["True", "2", "3"]),
    ],
)
def test_risk_scores_are_numbers_only_where_all_are(scores: list[Any], texts: list[str]) -> None:
    rows = [{"business_id": at, "risk_score": score} for at, score in enumerate(scores)]
    (table,) = case_tables(results_of({"unified_scores": {}, "results": rows}, "x"))
    (found,) = [c for c in table.columns if c.title == "risk score"]
    assert bool(found.values) == (texts[0] == "1.5" and texts[1] == "–")
    assert column(table, "risk score") == texts


TWINS = {"augrc_pairs", "aurc_random_ties"}
"""The same areas by another road: in no document; acumen reconcile sets them side by side."""


def every_metric(parts: Any) -> Table:
    (section,) = [p for p in parts if isinstance(p, Section) and p.key == "metrics"]
    block, *_ = section.blocks
    table = block.table if isinstance(block, Folded) else block
    assert isinstance(table, Table)
    return table


def metric_name(key: str) -> str:
    return key.partition("@")[0]


@pytest.mark.parametrize("kind", ["single", "paired"])
def test_every_metric_is_in_the_document_the_full_view_and_the_page(
    kind: str, request: pytest.FixtureRequest
) -> None:
    evaluation: Evaluation = request.getfixturevalue(kind)
    artifact = evaluation.document
    keys = {key for _, _, variant in artifact.variants() for key in variant.metrics}
    keys |= set(artifact.overall_by_input[0])
    names = {metric_name(key) for key in keys}
    views = {METRICS[name].view for name in names}
    assert names == {
        name for name, metric in METRICS.items() if metric.view in views and name not in TWINS
    }
    levels = artifact.scale["levels"]
    metrics = [metric for key in keys if (metric := find_metric(key, levels)) is not None]
    titles = {metric.title for metric in metrics}
    assert len(titles) == len(keys)
    assert {row[0].text for row in metric_table(artifact, ["all"]).rows} == titles
    variants = {metric.title for metric in metrics if metric.is_relative}
    assert 0 < len(variants) < len(titles)
    for parts in (sections_of(artifact, full=True), study_of(evaluation).sections):
        assert {row[0].text for row in every_metric(parts).rows} == titles - variants


def test_what_needs_no_confidence_has_one_row(single: Evaluation) -> None:
    rows = metric_table(single.document, ["coverage"]).rows
    assert [[cell.text for cell in row[:2]] for row in rows] == [["Coverage", "any"]]


def test_every_metric_of_verdicts_is_scored_and_shown(results: PairDocument) -> None:
    document = results.systems[0]
    names = {key.partition("@")[0] for key in document.metrics}
    views = {METRICS[name].view for name in names}
    assert names == {name for name, metric in METRICS.items() if metric.view in views}
    titles = {title_of(key, document.levels) for key in document.metrics}
    assert len(titles) == len(document.metrics)
    one = PairDocument(systems=[document])
    for parts in (sections_of(one, full=True), study_of(one).sections):
        assert {row[0].text for row in every_metric(parts).rows} == titles


def test_every_metric_is_of_a_view_that_some_document_has(
    single: Evaluation, results: PairDocument
) -> None:
    keys = {key for _, _, variant in single.document.variants() for key in variant.metrics}
    keys |= {*single.document.overall_by_input[0], *results.systems[0].metrics}
    keys |= {metric.name for metric in metrics_of(Abstention)}  # of documents whose truth has gaps
    keys |= {metric.name for metric in metrics_of(LevelForecast)}  # and of those with probabilities
    keys |= {metric.name for metric in metrics_of(Scores)}  # and with decimals
    assert {metric_name(key) for key in keys} == set(METRICS) - TWINS
    assert all(metric.title != metric.name for metric in METRICS.values())

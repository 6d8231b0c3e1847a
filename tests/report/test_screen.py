"""The screen of an evaluation: one section a question, in the order people ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import UsageError
from acumen.evaluation.evaluation import Evaluation
from acumen.report.blocks import Paragraph, Table
from acumen.report.html import study_of
from acumen.report.notebook import html
from acumen.report.selective.brief import brief
from acumen.report.selective.screen import screen
from acumen.report.terminal import render

QUESTIONS = {
    "judged": "What was judged, and what became of it",
    "right": "How right is it",
    "knows": "Does it know when it does not",
    "honest": "Is its confidence honest",
    "severity": "Does it rank severity",
}


def stars(**options: Any) -> Evaluation:
    """Sixty prompts on 1–5, every fourth left open, wrong by a level where confidence is low."""
    n = 60
    truth = [1 + i % 5 for i in range(n)]
    confidence = [0.5 + 0.49 * ((i * 7) % n) / n for i in range(n)]
    prediction = [
        None if i % 4 == 3 else t + (1 if t < 5 else -1) * (c < 0.65)
        for i, (t, c) in enumerate(zip(truth, confidence, strict=True))
    ]
    groups = {"language": ["en" if i % 2 else "de" for i in range(n)]}
    table = acumen.from_columns(
        case=range(n), truth=truth, prediction=prediction, confidence=confidence,
        groups=groups, scale=acumen.Scale(name="stars", levels=range(1, 6)),
    )  # fmt: skip
    return acumen.evaluate(table, resamples=100, **options)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return stars(by="language")


def table_of(evaluation: Evaluation, key: str) -> dict[str, tuple[str, ...]]:
    """Rows of a section: first cell -> the other texts."""
    (section,) = [s for s in screen(evaluation.artifact) if s.key == key]
    tables = [block for block in section.blocks if isinstance(block, Table)]
    return {r[0].text: tuple(c.text for c in r[1:]) for table in tables for r in table.rows}


def test_each_question_has_a_section_that_begins_with_words(evaluation: Evaluation) -> None:
    sections = screen(evaluation.artifact)
    assert [section.key for section in sections] == [*QUESTIONS, "slices"]
    for section in sections:
        assert section.title.startswith(QUESTIONS.get(section.key, "For whom"))
        assert isinstance(section.blocks[0], Paragraph)


def test_it_fits_a_screen_and_any_width(evaluation: Evaluation) -> None:
    alone = evaluation.artifact.model_copy(update={"slices": []})
    assert len(render(brief(alone), width=80).splitlines()) <= 50
    for width in (56, 80, 140):
        for artifact in (alone, evaluation.artifact):
            assert max(map(len, render(brief(artifact), width=width).splitlines())) <= width


def test_numbers_are_those_of_the_document_in_levels(evaluation: Evaluation) -> None:
    rows, numbers = table_of(evaluation, "right"), evaluation.artifact.overall_by_input[0]
    error = numbers["mae_levels"].value
    assert error is not None
    assert rows["Mean error (MAE), levels"] == (f"{error:.3f}",)
    assert rows["Signed error, levels"][0][0] in "+-"
    assert rows["Accuracy of all rows"] == (f"{100 * (numbers['total_accuracy'].value or 0):.1f}%",)


def test_thresholds_are_said_by_their_level(evaluation: Evaluation) -> None:
    names = [row.partition(",")[0] for row in table_of(evaluation, "severity")]
    assert names == ["Kendall's tau-b", "AUPRC ≥ 2", "AUPRC ≥ 3", "AUPRC ≥ 4", "AUPRC ≥ 5"]
    keys = {record["metric"] for record in evaluation.records()}
    assert {"auprc_ge@2", "auroc_ge@5"} <= keys
    assert "auprc_ge@1" not in keys


def test_the_error_by_cut_is_that_of_the_rows_above_it(evaluation: Evaluation) -> None:
    artifact = evaluation.artifact
    (rows,) = artifact.rows
    shown = 0
    for cut, texts in table_of(evaluation, "knows").items():
        if not cut.startswith("≥"):
            continue
        kept, loss = texts
        least = float(cut.removeprefix("≥ "))
        above = [
            abs((t or 0) - (p or 0)) / 4
            for t, p, c in zip(
                rows.truth, rows.prediction, rows.confidence["confidence"], strict=True
            )
            if c is not None and c >= least - 1e-6
        ]
        assert kept == f"{100 * len(above) / len(rows.truth):.1f}%"
        assert loss == f"{sum(above) / len(above):.3f}"
        shown += 1
    assert shown >= 3


def test_a_risk_that_is_asked_for_has_its_coverage_and_cut() -> None:
    evaluation = stars(loss="zero_one", risk=[0.05, 0.2])
    rows = table_of(evaluation, "knows")
    variant = evaluation.artifact.sides["confidence"][0]
    for risk in (0.05, 0.2):
        value = variant.metrics[f"coverage_at_risk@{risk:g}"].value
        (label,) = [key for key in rows if key.startswith(f"Coverage at risk ≤ {risk:g}, cut ≥ ")]
        assert value is not None
        assert rows[label] == (f"{100 * value:.1f}%",)
        cut = float(label.rpartition(" ")[2])
        points = zip(variant.curve.threshold, variant.curve.coverage, strict=True)
        assert min(points, key=lambda point: abs(point[0] - cut))[1] == pytest.approx(value)
    assert "error rate" in render(brief(evaluation.artifact))
    with pytest.raises(UsageError, match="a risk must be 0 or more, not -1"):
        stars(risk=-1)


def test_the_other_functions_are_one_table(single: Evaluation) -> None:
    artifact = single.artifact
    (section,) = [s for s in screen(artifact) if s.key == "functions"]
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    names = [name for row in table.rows for name in row[0].text.split(" = ")]
    assert sorted(names) == sorted(artifact.confidence_variants)
    values = [row[1].value for row in table.rows if row[1].value is not None]
    assert values == sorted(values)


def test_groups_are_a_table_with_what_is_claimed_of_them() -> None:
    evaluation = stars(by="level")
    (section,) = [s for s in screen(evaluation.artifact) if s.key == "slices"]
    words, table = section.blocks[:2]
    assert isinstance(words, Paragraph)
    assert isinstance(table, Table)
    claimed = [
        part.group
        for part in evaluation.artifact.slices
        if part.difference["total_accuracy"].favours is not None
    ]
    assert ("no group is shown to differ" in words.text) == (not claimed)
    assert [row[0].text for row in table.rows] == ["1", "2", "3", "4", "5"]


def test_notebook_and_page_have_the_same_blocks(evaluation: Evaluation) -> None:
    page = study_of(evaluation).sections[0]
    cells = html(brief(evaluation.artifact))
    for section in screen(evaluation.artifact):
        assert section.title in cells
        assert set(section.blocks) <= set(page.blocks)


def test_a_saved_evaluation_is_printed_again(
    evaluation: Evaluation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.json"
    evaluation.write(path)
    assert run(["show", str(path)]) == 0
    assert render(brief(evaluation.artifact)) in capsys.readouterr().out
    assert run(["show", str(path), "--metrics", "accuracy,auprc_ge"]) == 0
    out = capsys.readouterr().out
    assert "AUPRC ≥ 5" in out
    assert "AUGRC" not in out
    assert run(["show", str(path), "--json", "--metrics", "accuracy"]) == 0
    assert '"metric": "Accuracy of answered rows"' in capsys.readouterr().out
    assert run(["show", str(path), "--metrics", "acuracy"]) == 2
    assert "no metric acuracy here; there are accuracy" in capsys.readouterr().err

"""The screen of an evaluation: one section a question, in the order people ask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import UsageError
from acumen.questions.evaluation import Evaluation
from acumen.report.blocks import Paragraph, Table
from acumen.report.cells import measured_cell
from acumen.report.html import study_of
from acumen.report.notebook import html
from acumen.report.sections import sections_of
from acumen.report.selective.screen import screen
from acumen.report.terminal import render
from acumen.values.measured import Delta, Flag, Interval

QUESTIONS = {
    "right": "How right is it",
    "knows": "Does its confidence separate right from wrong answers",
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
        groups=groups, scale=acumen.Scale(name="stars", levels=(1, 2, 3, 4, 5)),
    )  # fmt: skip
    return acumen.evaluate(table, resamples=100, **options)


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return stars(by="language")


def table_of(evaluation: Evaluation, key: str) -> dict[str, tuple[str, ...]]:
    """Rows of a section: first cell -> the other texts."""
    (section,) = [s for s in screen(evaluation.document) if s.key == key]
    tables = [block for block in section.blocks if isinstance(block, Table)]
    return {r[0].text: tuple(c.text for c in r[1:]) for table in tables for r in table.rows}


def test_each_question_has_a_section_that_begins_with_words(evaluation: Evaluation) -> None:
    sections = screen(evaluation.document)
    assert [section.key for section in sections] == [*QUESTIONS, "slices", "judged"]
    for section in sections:
        others = {"slices": "For whom", "judged": "Data and settings"}
        assert section.title.startswith({**QUESTIONS, **others}[section.key])
        assert isinstance(section.parts[0], Paragraph)


def test_it_fits_a_screen_and_any_width(evaluation: Evaluation) -> None:
    alone = evaluation.document.model_copy(update={"slices": []})
    for width in (56, 80, 140):
        for artifact in (alone, evaluation.document):
            assert max(map(len, render(sections_of(artifact), width=width).splitlines())) <= width


def test_numbers_are_those_of_the_document_in_levels(evaluation: Evaluation) -> None:
    rows, numbers = table_of(evaluation, "right"), evaluation.document.overall_by_input[0]
    error = numbers["mae"].value
    assert error is not None
    assert rows["Mean error (MAE)"] == (f"{error:.3f}",)
    assert rows["Signed error"][0][0] in "+-"
    assert rows["Accuracy of all rows"] == (f"{100 * (numbers['total_accuracy'].value or 0):.1f}%",)


def test_thresholds_are_said_by_their_level(evaluation: Evaluation) -> None:
    names = [row.partition(",")[0] for row in table_of(evaluation, "severity")]
    assert names == ["Kendall's tau-b", "AUPRC ≥ 2", "AUPRC ≥ 3", "AUPRC ≥ 4", "AUPRC ≥ 5"]
    keys = {record["metric"] for record in evaluation.records()}
    assert {"auprc_ge@2", "auroc_ge@5"} <= keys
    assert "auprc_ge@1" not in keys


def test_the_error_by_cut_is_that_of_the_rows_above_it(evaluation: Evaluation) -> None:
    artifact = evaluation.document
    (rows,) = artifact.rows
    shown = 0
    for cut, texts in table_of(evaluation, "knows").items():
        if not cut.startswith("≥"):
            continue
        kept, loss = texts
        least = float(cut.removeprefix("≥ "))
        above = [
            abs((t or 0) - (p or 0))
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
    variant = evaluation.document.sides["confidence"][0]
    for risk in (0.05, 0.2):
        value = variant.metrics[f"coverage_at_risk@{risk:g}"].value
        (label,) = [key for key in rows if key.startswith(f"Coverage at risk ≤ {risk:g}, cut ≥ ")]
        assert value is not None
        assert rows[label] == (f"{100 * value:.1f}%",)
        cut = float(label.rpartition(" ")[2])
        points = list(zip(variant.curve.threshold, variant.curve.coverage, strict=True))
        kept = min(points, key=lambda point: abs(point[0] - cut))[1]
        beyond = [share for _, share in points if share > kept + 1e-9]
        assert kept <= value + 1e-9  # of the tie beyond the cut only a part would be within
        assert value < min(beyond, default=2.0)
    assert "error rate" in render(sections_of(evaluation.document))
    with pytest.raises(UsageError, match="a risk must be 0 or more, not -1"):
        stars(risk=-1)


def test_the_other_functions_are_one_table(single: Evaluation) -> None:
    artifact = single.document
    (section,) = [s for s in screen(artifact) if s.key == "functions"]
    (table,) = [block for block in section.blocks if isinstance(block, Table)]
    names = [name for row in table.rows for name in row[0].text.split(" = ")]
    assert sorted(names) == sorted(artifact.confidence_variants)
    values = [row[1].value for row in table.rows if row[1].value is not None]
    assert values == sorted(values)


def test_groups_are_a_table_with_what_is_claimed_of_them() -> None:
    evaluation = stars(by="level")
    (section,) = [s for s in screen(evaluation.document) if s.key == "slices"]
    table = section.blocks[0]
    assert isinstance(table, Table)
    claimed = [
        part.group
        for part in evaluation.document.slices
        if part.difference["total_accuracy"].favours is not None
    ]
    assert ("no group is shown to differ" in section.finding) == (not claimed)
    assert [row[0].text for row in table.rows] == ["1", "2", "3", "4", "5"]


def test_notebook_and_page_have_the_same_blocks(evaluation: Evaluation) -> None:
    page = {section.key: section for section in study_of(evaluation).sections}
    cells = html(sections_of(evaluation.document, fit=False))
    for section in screen(evaluation.document):
        assert section.title in cells
        assert [b for b in section.blocks if b not in page[section.key].blocks] == []


def test_a_saved_evaluation_is_printed_again(
    evaluation: Evaluation, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.json"
    evaluation.write(path)
    assert run(["show", str(path)]) == 0
    assert render(sections_of(evaluation.document)) in capsys.readouterr().out
    assert run(["show", str(path), "--metrics", "accuracy,auprc_ge"]) == 0
    out = capsys.readouterr().out
    assert "AUPRC ≥ 5" in out
    assert "AUGRC" not in out
    assert run(["show", str(path), "--json", "--metrics", "accuracy"]) == 0
    assert '"metric": "Accuracy of answered rows"' in capsys.readouterr().out
    assert run(["show", str(path), "--metrics", "acuracy"]) == 2
    assert "no metric acuracy here; did you mean accuracy" in capsys.readouterr().err


def pair(silent: float = 0.0, cases: int = 24) -> dict[str, Any]:
    """Two systems as columns, the second with this share of its rows left open."""
    rng, rows = np.random.default_rng(5), cases * 4
    truth = rng.integers(0, 4, rows)
    named: dict[str, Any] = {}
    for name, share in {"loud": 0.0, "quiet": silent}.items():
        given = np.where(rng.random(rows) < 0.4, (truth + 1) % 4, truth).tolist()
        named[name] = acumen.from_columns(
            case=np.repeat(np.arange(cases), 4), item=np.tile(list("abcd"), cases).tolist(),
            prediction=[None if rng.random() < share else level for level in given],
            truth=truth, confidence=rng.random(rows), scale=[0, 1, 2, 3],
        )  # fmt: skip
    return named


def words_of(systems: Any, **options: Any) -> str:
    return " ".join(
        render(
            sections_of(acumen.evaluate(systems, resamples=0, **options).document, fit=False)
        ).split()
    )


def test_a_system_that_answers_nothing_is_not_compared() -> None:
    systems = pair(silent=1.0)
    words = words_of(systems)
    assert "Nothing can be compared: a side answers nothing." in words
    assert "At equal coverage" not in words
    assert "at least 2 cases" not in words
    three = words_of({**systems, "third": pair()["loud"]})
    assert "Nothing can be compared: a system answers nothing." in three
    assert "Nothing can be compared: a side answers nothing." in words_of(systems, items="random")


def test_what_counts_alike_is_said_where_a_share_is_averaged_by_case() -> None:
    assert "of all rows; an abstention" in words_of(pair())
    by_case = words_of(pair(), estimand="case")
    assert "of all rows, each case counting alike; an abstention" in by_case
    assert "items fixed, estimand case" in by_case


def test_an_interval_that_the_test_overrules_is_marked_with_its_note() -> None:
    overruled = Interval(low=0.1, high=0.3, method="x", flags=(Flag.TEST_DECIDES,))
    cell = measured_cell(Delta(delta=0.2, interval=overruled), signed=True)
    assert cell.marked
    assert cell.hint == "alone it excludes 0; the test of all differences together decides"
    noted = overruled.model_copy(update={"flags": (Flag.HULL,)})
    assert not measured_cell(Delta(delta=0.2, interval=noted)).marked

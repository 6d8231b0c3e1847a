"""The table of cases: evidence as counts, and what it says only where that was asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acumen.artifacts import MetricsArtifact
from acumen.cli import run
from acumen.evaluating import Plan, evaluate
from acumen.inference import Options
from acumen.readers.run import run_from_document
from acumen.report.html import render_report
from acumen.report.metric_parts import cases
from acumen.report.verdict_sections import study_of
from acumen.results_document import check_document
from acumen.strict_json import write_json
from tests.toy_runs import toy_run

QUOTE = "I have not slept since March"


def quoting_run() -> dict[str, Any]:
    document = toy_run(3)
    first = document["experiments"][0]["results"]["results"][0]["item_signals"]
    for signals in first.values():
        signals["evidence"] = []
    first["Sleep"]["evidence"] = [QUOTE, {"not": "a text"}, "tired"]
    first["Sleep"]["llm_evidence_count"] = 2
    return document


def artifact(document: dict[str, Any], *, texts: bool) -> MetricsArtifact:
    plan = Plan(options=Options(resamples=0), texts=texts)
    return evaluate(run_from_document(document), None, plan).artifact


def column(found: MetricsArtifact, title: str, *, texts: bool = False) -> list[str]:
    table = cases(found, found.rows[0], "run", texts=texts)
    (chosen,) = [c for c in table.columns if c.title == title]
    return [chosen.text(row) for row in range(table.n)]


def test_every_row_shows_how_much_evidence_there_was_abstentions_among_them() -> None:
    document = quoting_run()
    given = [
        signals["llm_evidence_count"]
        for case in document["experiments"][0]["results"]["results"]
        for signals in case["item_signals"].values()
    ]
    assert column(artifact(document, texts=False), "evidence") == list(map(str, given))


def test_a_count_that_is_none_is_a_dash() -> None:
    document = quoting_run()
    case = document["experiments"][0]["results"]["results"][0]
    case["predicted_items"]["Sleep"] = None
    case["item_signals"]["Sleep"]["llm_evidence_count"] = None
    assert column(artifact(document, texts=False), "evidence")[2] == "–"


def test_no_text_is_kept_or_shown_unless_asked_for() -> None:
    without, kept = (artifact(quoting_run(), texts=texts) for texts in (False, True))
    assert QUOTE not in without.model_dump_json()
    assert QUOTE in kept.model_dump_json()
    # kept for oneself is not yet shown to others
    page = render_report([kept])
    assert QUOTE not in page
    assert "No text of a case is in this page" in page
    shown = render_report([kept], texts=True)
    assert f"“{QUOTE}” / “tired”" in shown
    assert "No text of a case is in this page" not in shown
    assert column(kept, "what the evidence says", texts=True)[3] == "–"


@pytest.mark.parametrize("asked", [True, False])
def test_the_commands_take_texts_along_when_asked(
    asked: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(tmp_path / "run.json", quoting_run())
    texts = ["--texts"] if asked else []
    metrics, page = tmp_path / "metrics.json", tmp_path / "page.html"
    command = ["evaluate", str(tmp_path / "run.json"), "--bootstrap-resamples", "0", "-q", *texts]
    assert run([*command, "--output", str(metrics), "--html", str(page)]) == 0
    assert (QUOTE in metrics.read_text("utf-8")) is (QUOTE in page.read_text("utf-8")) is asked
    assert run(["report", str(metrics), "-o", str(page), *texts]) == 0
    assert (QUOTE in page.read_text("utf-8")) is asked
    assert QUOTE not in "".join(capsys.readouterr())


def test_it_is_told_where_texts_are_asked_for_and_there_are_none() -> None:
    (told,) = [w for w in artifact(toy_run(3), texts=True).warnings if "texts" in w]
    assert told == "texts were asked for, but no evidence is quoted in the input"


def test_a_failed_verdict_has_no_evidence_to_speak_of_and_is_counted(
    results: dict[str, Any],
) -> None:
    document = check_document(results["systems"][1], "results")
    study = study_of([document], None, "s1")
    assert study.subtitle.startswith("Verdict study, 100 cases,")
    (table,) = study.cases
    outcome, trace = table.columns[3], table.columns[-1]
    told = [trace.text(row) for row in range(table.n) if outcome.text(row) == "failed"]
    assert (table.n, told) == (100, ["–"])

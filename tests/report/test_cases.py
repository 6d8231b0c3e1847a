"""The table of cases: evidence as counts, and what it says only where that was asked for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.evaluation.plan import Plan
from acumen.files.json import write_json
from acumen.inference.options import Options
from acumen.policy import find_policy
from acumen.readers.run import run_from_document
from acumen.report.blocks import Cases
from acumen.report.html import render_report, study_of
from acumen.report.selective.facts import cases
from acumen.results.metrics import MetricsArtifact
from acumen.results.verdicts import Full, PairDocument, ResultsDocument
from acumen.verdicts.read import parse_results
from acumen.verdicts.score import document, score_study
from acumen.verdicts.study import prepare
from tests.evaluations import evaluate
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
    return evaluate(run_from_document(document), None, plan).document


def column(found: MetricsArtifact, title: str, *, texts: bool = False) -> list[str]:
    table = cases(found, found.rows[0], "run", "rows", texts=texts)
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
    results: PairDocument,
) -> None:
    assert study_of(results.systems[1]).head.subtitle.startswith("Verdict study, 100 cases,")
    table = case_table(results.systems[1])
    outcome, trace = table.columns[3], table.columns[-1]
    told = [trace.text(row) for row in range(table.n) if outcome.text(row) == "failed"]
    assert (table.n, told) == (100, ["–"])


def case_table(document: ResultsDocument) -> Cases:
    blocks = [block for section in study_of(document).sections for block in section.blocks]
    (table,) = [block for block in blocks if isinstance(block, Cases)]
    return table


def traces_of(document: ResultsDocument) -> list[tuple[str, ...]]:
    """(case, outcome, what is said of its evidence), row by row."""
    table = case_table(document)
    told = (table.columns[0], table.columns[3], table.columns[-1])
    return [tuple(column.text(row) for column in told) for row in range(table.n)]


def abstaining_document() -> ResultsDocument:
    """A abstains with two claims, B abstains with none, C and D judge with one and with none."""
    policy = find_policy("G1_allergy_V2")

    def claim(place: int) -> dict[str, str]:
        row = {"field": "INCIDENT_SEVERITY", "judgement": "moderate"}
        return {"evidence_id": f"E{place}", "review_id": f"R{place}", **row}

    given = {"A": (None, 2), "B": (None, 0), "C": ("High Risk", 1), "D": ("Low Risk", 0)}
    rows = [
        {
            "business_id": case,
            "verdict": verdict,
            "gt_verdict": "Low Risk",
            "parsed": {"evidences": [claim(place) for place in range(1, n + 1)]},
        }
        for case, (verdict, n) in given.items()
    ]
    study = prepare(parse_results(rows, policy), None, policy)
    return document(score_study(study, Options(resamples=0)))


def test_an_abstention_is_not_said_to_claim_nothing() -> None:
    assert traces_of(abstaining_document()) == [
        ("A", "abstained", "not asked, as there is no verdict"),
        ("B", "abstained", "not asked, as there is no verdict"),
        ("C", "wrong", "High Risk: at least 4 points (E1; 5 points)"),
        ("D", "right", "no evidence claimed"),
    ]


def test_nothing_is_said_of_evidence_that_was_not_scored() -> None:
    untold = abstaining_document().model_copy(update={"unified_metrics_full": Full()})
    assert {told for _, _, told in traces_of(untold)} == {"–"}


def test_the_page_says_where_an_abstention_counts(results: PairDocument) -> None:
    page = " ".join(re.sub("<[^>]*>", "", render_report([results])).split())
    assert (
        "An abstention is wrong in accuracy and outside ranking, other agreement, verdict support "
        "and consistency. What it claimed still counts in the rest of the process score." in page
    )
    assert "leave them out" not in page

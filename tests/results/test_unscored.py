"""Results that nobody scored yet, as a method leaves them: shown, with what they lack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run

ROWS: list[dict[str, Any]] = [
    {"business_id": "A", "verdict": "High Risk", "risk_score": 5, "gt_verdict": "Low Risk"},
    {"business_id": "B", "verdict": "Low Risk", "risk_score": None, "gt_verdict": None},
    {"business_id": "C", "verdict": None, "risk_score": None, "gt_verdict": None},
    {"business_id": "D", "verdict": None, "error": "timed out"},
]
RUN: dict[str, Any] = {
    "run_id": "G1_allergy_V2",
    "task_id": None,
    "policy_id": "G1_allergy_V2",
    "method": "rlm",
    "model": None,
    "accuracy": 0.0,
    "total": 0,
    "auprc": {},
    "results": ROWS,
}


def shown(tmp_path: Path, document: Any, *words: str) -> int:
    path = tmp_path / "results.json"
    path.write_text(json.dumps(document))
    return run(["show", str(path), *words])


def test_results_without_scores_are_shown_with_what_they_lack(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(tmp_path, RUN, "--full") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Nothing yet: these results were not scored." in text
    assert "there are no scores in the file: acumen score FILE makes them." in text
    assert "2 of 3 results carry no truth: give it with --truth FILE." in text
    assert "2 of 3 results have no risk_score" in text
    assert "3 of 3 results name no evidence" in text
    assert "D – – failed" in text
    assert "B – Low Risk no truth" in text
    assert "A Low Risk High Risk wrong" in text


def test_beside_others_they_are_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(tmp_path, RUN) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "rlm G1_allergy_V2" in text
    assert "Not scored: results.json; --full says what is lacking." in text


@pytest.mark.parametrize("case", ["case_id", "sample_id"])
def test_a_case_may_go_by_other_names(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {case: r["business_id"], **{k: v for k, v in r.items() if k != "business_id"}} for r in ROWS
    ]
    assert shown(tmp_path, {**RUN, "results": rows}, "--full") == 0
    assert "A Low Risk High Risk wrong" in " ".join(capsys.readouterr().out.split())


def test_a_run_is_no_verdict_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(tmp_path, {"results": [{"participant_id": 1, "verdict": "x"}]}) == 3
    assert "is no document of acumen" in capsys.readouterr().err

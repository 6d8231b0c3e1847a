"""The metrics artifact of the source's own script: read, shown, drawn, set beside acumen's."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.errors import DataError
from acumen.results.kinds import document_of
from acumen.results.metrics import MetricsArtifact
from acumen.results.source import completed, is_source

VARIANT: dict[str, Any] = {
    "cmax": 0.65625,
    "aurc_full": 0.192,
    "augrc_full": 0.058,
    "aurc_optimal": 0.110,
    "augrc_optimal": 0.035,
    "eaurc": 0.082,
    "eaugrc": 0.023,
    "aurc_achievable": 0.170,
    "interpretation": {"aurc_gap_pct": 74.3, "augrc_gap_pct": 65.7, "achievable_gain_pct": 11.5},
    "aurc_at_c": {"requested": 0.5, "used": 0.5, "value": 0.123},
    "augrc_at_c": {"requested": 0.5, "used": 0.5, "value": 0.041},
    "mae_at_coverage": {
        "0.10": {"requested": 0.1, "achieved": 0.125, "value": 0.5},
        "0.90": None,
    },
    "bootstrap": {
        "seed": 42,
        "n_resamples": 10000,
        "ci95": {"cmax": [0.6, 0.7], "aurc_full": [0.1, 0.2], "augrc_full": None},
    },
    "curve": {
        "coverage": [0.125, 0.65625],
        "selective_risk": [0.5, 0.7],
        "generalized_risk": [0.0625, 0.459375],
        "threshold": [3.0, 2.0],
    },
}
ARTIFACT: dict[str, Any] = {
    "schema_version": "1",
    "created_at": "2026-01-03T00:00:00Z",
    "inputs": [{"path": "a/run.json", "run_id": None, "git_commit": None, "mode": "few_shot"}],
    "population": {
        "participants_total": 41,
        "participants_included": 40,
        "participants_failed": 1,
        "items_total": 320,
    },
    "loss": {"name": "abs_norm", "definition": "abs(pred - gt) / 3", "raw_multiplier": 3},
    "confidence_variants": {"llm": VARIANT},
    "comparison": {"enabled": False, "intersection_only": False, "deltas": None},
}


def pair() -> dict[str, Any]:
    both = copy.deepcopy(ARTIFACT)
    both["inputs"].append({"path": "a/run.json", "mode": "zero_shot"})
    other = {**VARIANT, "cmax": 0.7, "augrc_full": None, "bootstrap": None, "curve": None}
    both["confidence_variants"] = {"llm": {"input_0": VARIANT, "input_1": other}}
    both["comparison"] = {
        "enabled": True,
        "intersection_only": False,
        "deltas": {"llm": {"cmax": {"delta": 0.04375, "ci95": [0.01, 0.09]}}},
        "participants_left_only": 0,
    }
    return both


def read(content: dict[str, Any]) -> MetricsArtifact:
    document = document_of(content, "metrics.json")
    assert isinstance(document, MetricsArtifact)
    document.check()
    return document


def test_its_numbers_stand_under_our_names_with_its_intervals() -> None:
    (variant,) = read(ARTIFACT).sides["llm"]
    values = {key: measured.value for key, measured in variant.metrics.items()}
    assert values == {
        "coverage": 0.65625,
        "aurc": 0.192,
        "augrc": 0.058,
        "aurc_optimal": 0.110,
        "augrc_optimal": 0.035,
        "eaurc": 0.082,
        "eaugrc": 0.023,
        "aurc_achievable": 0.170,
        "aurc_gap_pct": 74.3,
        "augrc_gap_pct": 65.7,
        "achievable_gain_pct": 11.5,
        "aurc_at_coverage@0.5": 0.123,
        "augrc_at_coverage@0.5": 0.041,
        "mean_loss_at_cut@0.1": 0.5,  # the risk at the first cut that reaches so much
        "mean_loss_at_cut@0.9": None,
        "mean_loss": 0.7,  # the risk at the last point, where all answers are kept
    }
    interval = variant.metrics["aurc"].interval
    assert interval is not None
    assert (interval.low, interval.high, interval.method) == (0.1, 0.2, "bootstrap percentile")
    assert variant.metrics["augrc"].interval is None
    assert variant.mae_at_coverage["0.90"].model_dump(exclude_unset=True) == {"requested": 0.9}


def test_the_answered_rows_are_counted_where_the_share_is_one_of_rows() -> None:
    assert read(ARTIFACT).population.outcomes_by_input == [{"answered": 210, "abstained": 110}]
    odd = copy.deepcopy(ARTIFACT)
    odd["confidence_variants"]["llm"]["cmax"] = 0.655  # 209.6 of 320
    assert read(odd).population.outcomes_by_input == []


def test_a_pair_has_its_differences_with_both_sides() -> None:
    artifact = read(pair())
    assert artifact.comparison.deltas is not None
    delta = artifact.comparison.deltas["llm"]["cmax"]
    assert (delta.left, delta.right, delta.delta) == (0.65625, 0.7, 0.04375)
    assert delta.interval is not None
    assert delta.interval.ends == (0.01, 0.09)
    assert delta.favours is None  # nothing is claimed on an interval that is not ours


@pytest.mark.parametrize("content", [ARTIFACT, pair()], ids=["one", "pair"])
def test_any_part_of_a_variant_may_be_null_or_absent(content: dict[str, Any]) -> None:
    sides = content["confidence_variants"]["llm"]
    for key in VARIANT:
        for put in (None, "absent"):
            changed = copy.deepcopy(content)
            variant = changed["confidence_variants"]["llm"]
            variant = variant["input_0"] if "input_0" in sides else variant
            variant.pop(key)
            if put is None:
                variant[key] = None
            artifact = read(changed)
            assert artifact.sides["llm"][0].augrc_full in (0.058, None)


@pytest.mark.parametrize("key", ["loss", "comparison", "created_at", "schema_version"])
def test_what_is_not_numbers_may_be_null_as_well(key: str) -> None:
    nothing = {"loss": {"name": "abs", "definition": None}}.get(key)
    assert read({**ARTIFACT, key: nothing}).functions == ["llm"]


@pytest.mark.parametrize("key", [*ARTIFACT, "nothing but a number", "no variant", "no curve"])
def test_any_part_of_it_may_be_absent_or_null_and_the_rest_is_shown(
    key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one: dict[str, Any] = {"confidence_variants": {"llm": {"aurc_full": 0.2}}}
    curveless = {"llm": VARIANT | {"curve": None}}
    contents: list[dict[str, Any]] = {
        "nothing but a number": [one],
        "no variant": [{"confidence_variants": {}}],
        "no curve": [ARTIFACT | {"confidence_variants": curveless}],
        "confidence_variants": [],  # by which it is known
    }.get(key, [{k: v for k, v in ARTIFACT.items() if k != key}, ARTIFACT | {key: None}])
    for content in contents:
        path = tmp_path / "theirs.json"
        path.write_text(json.dumps(content))
        assert run(["show", str(path)]) == 0
        text = capsys.readouterr().out
        assert "not by acumen" in text
        assert not {"nan", "None"} & {*text.split()}
        assert run(["report", str(path), "--output", str(tmp_path / "page.html")]) == 0
        whole = tmp_path / "whole.json"
        whole.write_text(json.dumps(ARTIFACT))
        assert run(["show", str(path), str(whole)]) == 0
        assert "an unknown number" in text or "40 of 41 cases" in text
        capsys.readouterr()


def test_ours_is_left_as_it_is() -> None:
    assert not is_source({**ARTIFACT, "acumen_version": "0.1"})
    assert is_source(ARTIFACT)
    assert completed(ARTIFACT)["confidence_variants"]["llm"]["curve"] == VARIANT["curve"]


def test_what_is_wrong_in_it_is_told() -> None:
    broken = copy.deepcopy(ARTIFACT)
    broken["confidence_variants"]["llm"]["cmax"] = "much"
    with pytest.raises(DataError, match=r"confidence_variants\.llm\.input\.cmax"):
        read(broken)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    contents = {"one": ARTIFACT, "pair": pair()}
    for name, content in contents.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return {name: str(tmp_path / f"{name}.json") for name in contents}


def test_it_is_shown_and_says_what_it_lacks(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", files["one"], "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "40 of 41 cases included (1 failed, 2.4%) 320 judgments: 210 answered" in text.replace(
        "· ", ""
    )
    assert "Whether it separates right from wrong answers is not in the file" in text
    assert "this file is not by acumen: its intervals are bootstrap percentiles" in text
    assert "Exactly right in" not in text
    assert run(["show", files["pair"], "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "compares no risk at equal coverage, so neither is shown to be better" in text


def test_its_errors_stand_at_its_cuts_and_nothing_is_said_to_be_ours(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", files["one"], "--full"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "≥ 3 12.5% 0.500 – all answers 65.6% 0.700 –" in text
    assert "Made by another tool on 2026-01-03 at 00:00 (UTC)." in text
    assert "None" not in text


def test_a_file_that_is_named_alone_is_shown_and_no_run_is_looked_for_in_it(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([files["one"]]) == 0
    assert "not by acumen" in capsys.readouterr().out
    for command in (["evaluate"], ["gate", "--metric", "augrc", "--at-most", "1"]):
        assert run([*command, files["one"]]) == 3
        told = " ".join(capsys.readouterr().err.split())
        assert "one.json: these are metrics, not the run they are of: show them with" in told


def test_two_artifacts_stand_in_one_table(
    files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", files["one"], files["pair"]]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Side by side system confidence cases coverage mean loss" in text
    assert "AUGRC" not in text.split("Measured separately")[0]
    assert "few_shot llm 40 65.6% [60.0%, 70.0%] 0.700" in text
    assert "Measured separately, so no difference is claimed" in text


def test_it_makes_a_page_and_its_curve_is_drawn(files: dict[str, str], tmp_path: Path) -> None:
    pytest.importorskip("altair")
    page, curve = tmp_path / "page.html", tmp_path / "curve.svg"
    assert run(["report", *files.values(), "--output", str(page)]) == 0
    assert run(["plot", files["one"], "--chart", "risk-coverage", "-o", str(curve)]) == 0
    assert "0.65625" in page.read_text() or "0.6563" in page.read_text()
    assert curve.read_text().startswith("<svg")

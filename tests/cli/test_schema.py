"""``acumen schema``: the schema says what the artifact holds."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import acumen
from acumen.calibration import fit_calibration
from acumen.calibration.artifact import calibration_from
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.files.json import parse_json, to_json
from acumen.files.toml import parse_toml
from acumen.readers.run import run_from_document
from acumen.results.calibration import CalibrationDocument
from acumen.results.kinds import KINDS
from acumen.studies import phq8_run
from tests.toy_runs import toy_run


def schema(capsys: pytest.CaptureFixture[str], name: str) -> dict[str, Any]:
    assert run(["schema", name]) == 0
    document: Any = parse_json(capsys.readouterr().out)
    return dict(document)


def test_the_metrics_schema_has_a_place_for_every_key_of_an_artifact(
    capsys: pytest.CaptureFixture[str],
) -> None:
    described = schema(capsys, "metrics")
    table = acumen.from_columns(
        case=[1, 2, 3], truth=[0, 1, 2], prediction=[0, 1, None], confidence=[3, 2, 1]
    )
    artifact: Any = parse_json(acumen.evaluate(table, resamples=0).to_json())
    assert set(artifact) == set(described["properties"])
    assert set(described["required"]) <= set(artifact)
    variant = artifact["confidence_variants"]["confidence"]
    assert set(variant) == set(described["$defs"]["Variant"]["properties"])
    assert described["$defs"]["Variant"]["properties"]["aurc_full"]["anyOf"] == [
        {"type": "number"},
        {"type": "null"},
    ]


def test_the_results_schema_names_the_three_scores(capsys: pytest.CaptureFixture[str]) -> None:
    described = schema(capsys, "results")
    assert set(described["$defs"]["Scores"]["properties"]) == {
        *("auprc", "process_score", "consistency_score")
    }


@pytest.mark.parametrize(
    ("method", "features", "confidence"),
    [
        ("temperature", (), None),
        ("platt", (), "token_pe"),
        ("platt", (), "hybrid_evidence_similarity"),
        ("logistic", ("token_pe", "token_msp"), None),
        ("linear", ("verbalized_confidence",), None),
        ("isotonic", (), "token_pe"),
    ],
)
@pytest.mark.parametrize("cases", [12, 1])
def test_the_calibration_schema_describes_what_calibrate_writes(
    method: str,
    features: tuple[str, ...],
    confidence: str | None,
    cases: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    described = schema(capsys, "calibration")
    table = run_from_document(toy_run(cases))
    fitted = fit_calibration(table, method=method, features=features, confidence=confidence)
    document: Any = parse_json(to_json(fitted.document("2025-01-01T00:00:00Z")))
    jsonschema.validate(document, described)
    older = {"temperature", "source_run_id"}
    older |= {"kind", "command", "warnings"}  # what the question adds to a fit
    assert set(document) == set(described["properties"]) - older
    # every key has its place: one that the model does not know would be gone
    read = CalibrationDocument.model_validate(document)
    assert read.model_dump(mode="json", exclude_unset=True) == document
    assert calibration_from(document).document("2025-01-01T00:00:00Z") == document


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("scale", "acumen.scales"),
        ("task", "acumen.runner.tasks"),
        ("policy", "acumen.policy.builtin"),
    ],
)
def test_a_schema_of_files_takes_those_that_ship_and_no_other_key(
    name: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    described = schema(capsys, name)
    shipped = [f for f in files(folder).iterdir() if f.name.endswith(".toml")]
    assert shipped
    for file in shipped:
        document = parse_toml(file.read_text("utf-8"), file.name)
        jsonschema.validate(document, described)
        with pytest.raises(jsonschema.ValidationError, match="'colour' was unexpected"):
            jsonschema.validate(document | {"colour": 1}, described)


def test_without_a_name_the_artifacts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(KINDS)


def test_an_unknown_name_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["schema", "metric\x1b[2J"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    known = ", ".join(KINDS)
    assert captured.err == f"acumen: no schema 'metric\\x1b[2J'; there are {known}\n"


BAD = Path(__file__).parents[1] / "badinputs"
RUNS = [
    file["file"]
    for file in json.loads((BAD / "index.json").read_text("utf-8"))["files"]
    if file["kind"] in ("run", "pair") and file["file"].endswith(".json")
]
BROKEN = [
    *("031_experiments_empty", "032_experiments_dict", "033_experiment_null"),
    *("039_results_is_dict", "041_entry_null", "042_entry_list", "043_pid_missing"),
    *("044_pid_null", "045_pid_bool", "046_pid_float", "050_success_missing"),
    *("051_success_string_false", "052_success_one", "072_pred_1_5", "077_pred_true"),
    *("053_success_but_error_null_items", "084_gt_false", "101_pred_nested_object"),
    *("161_schema_version_object",),
]
"""Files whose fault is one of structure."""


def is_of(schema: dict[str, Any], document: object) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(document))


def test_the_run_schema_accepts_every_run_that_can_be_read_and_refuses_broken_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    described = schema(capsys, "run")
    accepted = []
    for name in RUNS:
        try:
            document = parse_json((BAD / name).read_bytes())
        except DataError:
            continue  # no JSON, so nothing a schema could speak of
        accepted += [name] if is_of(described, document) else []
        try:
            run_from_document(document, mode=None)
        except (DataError, UsageError):
            continue
        assert name in accepted
    assert "000_valid_control.json" in accepted
    assert not {f"{name}.json" for name in BROKEN} & set(accepted)


def test_the_run_schema_accepts_what_ships_and_what_the_runner_writes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    described = schema(capsys, "run")
    for document in (phq8_run(), toy_run()):
        assert is_of(described, parse_json(to_json(document)))


def test_the_loss_schema_describes_costs(capsys: pytest.CaptureFixture[str]) -> None:
    described = schema(capsys, "loss")
    assert is_of(described, {"matrix": [[0, 1], [2.5, 0]]})
    assert is_of(described, {"levels": {"Low": 1, "High": 2}})
    assert not is_of(described, {"matrix": [[0, -1], [1, 0]]})
    assert not is_of(described, {"matrx": []})

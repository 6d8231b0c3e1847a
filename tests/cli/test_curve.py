"""``acumen curve``: the working points, by hand and against a curve computed elsewhere."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import acumen
from acumen.cli import run
from acumen.files.json import write_json
from acumen.studies import phq8_run

HEADER = "confidence,coverage,selective_risk,generalized_risk,threshold"


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("case,truth,prediction,confidence\n1,2,2,2\n2,1,3,2\n3,1,1,1\n4,0,,0\n")
    return path


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "run.json"
    write_json(path, phq8_run())
    return path


def test_a_tie_is_one_point_and_an_abstained_row_none(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["curve", str(rows), "--loss", "abs"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        HEADER,
        "confidence,0.5,1.0,0.5,2.0",
        "confidence,0.75,0.6666666666666666,0.5,1.0",
    ]


def test_the_curve_is_the_one_of_the_evaluation(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "curve.csv"
    names = "verbalized,token_msp"
    arguments = ["--mode", "few_shot", "--confidence", names, "--output", str(out)]
    assert run(["curve", str(study), *arguments]) == 0
    found = list(csv.DictReader(io.StringIO(out.read_text())))
    assert {row["confidence"] for row in found} == set(names.split(","))
    evaluation = acumen.evaluate(study, mode="few_shot", confidence=names, resamples=0)
    for name, _, variant in evaluation.variants():
        mine = [row for row in found if row["confidence"] == name]
        assert variant.curve.thinned_from is None
        for key, values in variant.curve:
            if key != "thinned_from":
                assert [float(row[key]) for row in mine] == values


@pytest.mark.parametrize(
    ("arguments", "code", "told", "command"),
    [
        (["missing.json"], 3, "missing.json: there is no such file", []),
        (["run.json"], 2, "no mode was chosen; the file holds zero_shot, few_shot", []),
        (["run.json", "--mode", "few_shot", "--loss", "huber"], 2, "squared", []),
        (["run.json", "--mode", "few_shot", "--confidence", "tokens"], 2, "tokens", []),
        (
            ["run.json", "--mode", "few_shot", "--output", "run.json"],
            2,
            "would overwrite an input, run.json",
            [],
        ),
        (
            ["bad.json"],
            3,
            "bad.json: participant 7, item Sleep, predicted_items: 4 is outside",
            ["try: python -m json.tool bad.json | grep -n -w -C 15 -e 7"],
        ),
    ],
)
def test_what_is_wrong_is_one_line_and_the_output_stays_as_it_was(
    arguments: list[str],
    code: int,
    told: str,
    command: list[str],
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_bytes(study.read_bytes())
    entry = {"participant_id": 7, "success": True, "predicted_items": {"Sleep": 4}}
    entry["ground_truth_items"] = {"Sleep": 1}
    write_json("bad.json", {"experiments": [{"results": {"mode": "x", "results": [entry]}}]})
    Path("curve.csv").write_text("old")
    output = [] if "--output" in arguments else ["--output", "curve.csv"]
    assert run(["curve", *arguments, *output]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    cause, *more = captured.err.splitlines()
    assert told in cause
    assert more == command
    assert Path("curve.csv").read_text() == "old"
    assert Path("run.json").read_bytes() == study.read_bytes()
    assert {p.name for p in Path().iterdir()} == {"run.json", "bad.json", "curve.csv"}

"""``acumen confidence`` and ``acumen calibrate``, as typed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from acumen import confidence
from acumen.calibration import read_calibration
from acumen.cli import run
from acumen.files.json import write_json
from acumen.readers import read
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.results.calibration import (
    CalibrationDocument,
    CrossFitted,
    InSample,
    Measures,
    MetricsPart,
)
from acumen.table.distribution import OF_LEVELS
from acumen.values.measured import Measured
from tests.toy_runs import toy_run


@pytest.fixture
def train(tmp_path):
    write_json(tmp_path / "train.json", toy_run(20))
    return str(tmp_path / "train.json")


def test_confidence_lists_every_function_with_its_signals(capsys) -> None:
    assert run(["confidence"]) == 0
    out = capsys.readouterr().out
    for name in confidence.names():
        assert f"\n{name}\n" in f"\n{out}"
    assert "needs llm_evidence_count, retrieval_similarity_mean" in out
    assert "this run" not in out


def test_confidence_says_what_a_run_can_compute_and_why_not_the_rest(tmp_path, capsys) -> None:
    document = toy_run(3)
    for entry in document["experiments"][0]["results"]["results"]:
        for signals in entry["item_signals"].values():
            del signals["consistency_score_std"]
            signals["token_pe"] = None
            signals["token_msp"] = 1.5
    write_json(tmp_path / "run.json", document)
    assert run(["confidence", str(tmp_path / "run.json"), "--mode", "few_shot"]) == 0
    out = capsys.readouterr().out
    lines = out.split("\n")
    verdict = {n: lines[lines.index(n) + 3].strip() for n in confidence.names()}
    assert verdict["llm"] == "this run: yes"
    assert verdict["consistency_inverse_std"].startswith("this run: no: no consistency_score_std")
    assert "token_pe is missing or null in" in verdict["token_pe"]
    assert "1.5 is out of range (0..1)" in verdict["token_msp"]
    assert verdict["verbalized_calibrated"] == "this run: with an artifact: temperature"


def test_confidence_names_the_columns_of_ones_own_and_warns_of_text_in_them(
    tmp_path, capsys
) -> None:
    rows = "case,gt,pred,self_conf,half\n1,0,0,0.5,1\n2,1,1,0.25,low\n"
    (tmp_path / "rows.csv").write_text(rows)
    assert run(["confidence", str(tmp_path / "rows.csv")]) == 0
    told = capsys.readouterr()
    own = told.out.partition("\nself_conf\n")[2].split("\n")
    assert own[1:3] == ["    this run: yes", "half"]
    assert own[4].startswith("    this run: no: line 3, case 2, half: the text")
    assert "warning: column half holds text in 1 of 2 rows, first in line 3" in told.err


def test_calibrate_prints_the_fit_and_writes_what_loads(train, tmp_path, capsys) -> None:
    target = tmp_path / "cal.json"
    assert run(["calibrate", train, "--mode", "few_shot", "--output", str(target)]) == 0
    out, err = capsys.readouterr()
    artifact = read_calibration(target)
    assert f"{artifact.model.temperature:.6g}" in out
    assert f"n = {artifact.training.n} answered rows of 20 cases" in out
    for title in ("before", "in-", "cross-"):
        assert title in out
    after = json.loads(target.read_text())["metrics"]["cross_fitted"]["after"]
    assert f"{after['metrics']['nll']['value']:.3f}" in out
    assert err == ""
    assert run(["show", str(target)]) == 0
    assert out.strip() in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "method"),
    [
        (["--method", "temperature"], "temperature_scaling"),
        (["--method", "platt", "--features", "token_msp"], "platt"),
        (["--method", "logistic", "--features", "verbalized_confidence,token_pe"], "logistic"),
        (["--method", "logistic", "--features", "token_pe", "--target", "loss"], "linear"),
        (["--method", "linear", "--target", "loss"], "linear"),
        (["--method", "isotonic", "--features", "token_msp"], "isotonic"),
        (["--method", "isotonic", "--confidence", "hybrid_consistency"], "isotonic"),
    ],
)
def test_every_method_writes_an_artifact_that_names_it(
    train, tmp_path, capsys, options: list[str], method: str
) -> None:
    target = tmp_path / "cal.json"
    assert run(["calibrate", "--input", train, *options, "--output", str(target)]) == 0
    document = json.loads(target.read_text())
    assert document["method"] == method
    assert document["training"]["run_id"] == "toy0"
    assert document["training"]["mode"] == "few_shot"
    assert 0 < document["training"]["positive_rate"] < 1
    assert document["metrics"]["in_sample"]["after"]["metrics"]["brier"]["value"] > 0
    table = read(train)
    assert confidence.compute("calibrated", table, calibration=read_calibration(target)).size == 160


def test_feature_defaults_are_warned_about(train, tmp_path, capsys) -> None:
    target = str(tmp_path / "cal.json")
    options = ["--method", "logistic", "--features", "verbalized_confidence"]
    assert run(["calibrate", train, *options, "--output", target]) == 0
    assert "warning: feature verbalized_confidence: missing or null in" in capsys.readouterr().out


def test_the_same_run_gives_the_same_bytes(train, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    options = ["--method", "logistic", "--features", "token_msp,token_pe"]
    for name in ("a.json", "b.json"):
        assert run(["calibrate", train, *options, "--output", str(tmp_path / name)]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert json.loads((tmp_path / "a.json").read_text())["created_at"] == "2023-11-14T22:13:20Z"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--output", "x.json"], 2, "give a run file"),
        (["RUN", "--method", "beta", "--output", "x.json"], 2, "no method 'beta'"),
        (["RUN", "--features", "nothing", "--output", "x.json"], 3, "nothing: missing"),
        (["RUN", "--mode", "zero_shot", "--output", "x.json"], 2, "zero_shot"),
    ],
)
def test_what_cannot_be_fitted_ends_in_one_line_and_writes_nothing(
    train, tmp_path, capsys, monkeypatch, arguments: list[str], code: int, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["calibrate", *(train if a == "RUN" else a for a in arguments)]) == code
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


def test_rows_without_a_rating_are_told_what_to_name(tmp_path, capsys) -> None:
    rows = "case,truth,prediction,self_conf\n" + "".join(
        f"{c},{c % 4},{(c + (c % 3 == 0)) % 4},{0.3 + c / 40}\n" for c in range(20)
    )
    (tmp_path / "rows.csv").write_text(rows)
    path = str(tmp_path / "rows.csv")
    assert run(["calibrate", path]) == 3
    assert capsys.readouterr().err == (
        "acumen: rows.csv: there is no verbalized_confidence, which is fitted by default; "
        "name features or a confidence (signals: self_conf)\n"
        f"try: acumen map {path}\n"
    )
    assert run(["calibrate", path, "--confidence", "self_conf", "--method", "platt"]) == 0
    out = capsys.readouterr().out
    told = "It does not help: the calibration error was 0.168 [0.000, 0.303]; on cases left"
    assert out.startswith(f"Before and after\n{told}")
    assert "\nWhat was fitted\nplatt of self_conf for correctness\n" in out


def test_rows_with_a_confidence_of_their_own_are_fitted_on_it(tmp_path, capsys) -> None:
    rows = "case,truth,prediction,confidence\n" + "".join(
        f"{c},{c % 4},{(c + (c % 3 == 0)) % 4},{0.9 - 0.5 * (c % 3 == 0) + c / 400}\n"
        for c in range(20)
    )
    (tmp_path / "rows.csv").write_text(rows)
    assert run(["calibrate", str(tmp_path / "rows.csv"), "--method", "isotonic"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Before and after\nThe calibration error was ")
    assert "\nWhat was fitted\nisotonic of confidence for correctness\n" in said.out
    assert "levels inferred: 0–3" in said.out


def test_the_run_is_never_overwritten_by_its_calibrator(train, capsys) -> None:
    assert run(["calibrate", train, "--output", train]) == 2
    assert "--output would overwrite an input, train.json" in capsys.readouterr().err
    assert read(train).source.run_id == "toy0"


def test_a_run_where_every_answer_is_right_has_no_temperature(tmp_path, capsys) -> None:
    document = toy_run(5)
    for entry in document["experiments"][0]["results"]["results"]:
        entry["predicted_items"] = dict(entry["ground_truth_items"])
    write_json(tmp_path / "run.json", document)
    target = tmp_path / "cal.json"
    assert run(["calibrate", str(tmp_path / "run.json"), "--output", str(target)]) == 3
    said = capsys.readouterr().err
    assert "run.json: temperature has no finite optimum: every answer is right" in said
    assert not target.exists()


def test_a_run_with_every_signal_can_be_ranked_by_every_function_without_an_artifact(train) -> None:
    table = read(train)
    chosen = confidence.select("all", table)
    assert chosen.names == tuple(
        n for n in confidence.FUNCTIONS if n not in ("confidence", "grounded", *OF_LEVELS)
    )
    assert len(chosen.names) == 13  # a run of this study does not count invented quotes
    for name in chosen.names:
        values = confidence.compute(name, table)
        assert np.array_equal(np.isfinite(values), table.answered)


def test_a_confidence_that_is_no_probability_is_told_once_with_what_to_take(
    train, tmp_path, capsys
) -> None:
    options = ["--confidence", "llm", "--output", str(tmp_path / "cal.json")]
    assert run(["calibrate", train, *options]) == 3
    line, command = capsys.readouterr().err.splitlines()
    assert command == f"try: python -m json.tool {train} | grep -n -w -C 15 -e 300"
    assert "is outside 0..1, where temperature works" in line
    assert "of 125 answered rows: take isotonic or logistic" in line
    assert run(["calibrate", train, *options, "--method", "isotonic"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(
        "Before and after\nOn cases left out of the fit, its calibration error is "
    )
    assert "\nWhat was fitted\nisotonic of llm for correctness\n" in out


def test_a_tokens_probability_is_described_as_the_runner_makes_it(capsys) -> None:
    assert run(["confidence"]) == 0
    told = "Mean probability of the tokens (of the item's score, when acumen made the run)."
    assert f"token_msp\n    {told}\n" in capsys.readouterr().out


@pytest.mark.parametrize("method", ["temperature", "isotonic", "logistic"])
def test_a_fit_is_told_within_80_columns_and_kept_only_where_asked(
    train, tmp_path, capsys, method: str
) -> None:
    features = "verbalized_confidence,token_msp,token_pe,retrieval_similarity_mean"
    options = ["--features", features if method == "logistic" else "token_msp"]
    assert run(["calibrate", train, "--method", method, *options]) == 0
    out, err = capsys.readouterr()
    assert max(map(len, out.splitlines())) <= 80
    assert err == ""
    assert [path.name for path in tmp_path.iterdir()] == ["train.json"]


def test_a_fit_that_did_not_help_is_said_to_have_not() -> None:
    def measures(ece: float) -> Measures:
        return Measures(metrics={"ece": Measured(value=ece), "nll": Measured(value=0.5)})

    def screen(ece: float) -> str:
        before, after = measures(0.137), measures(ece)
        metrics = MetricsPart(
            in_sample=InSample(before=before, after=before),
            cross_fitted=CrossFitted(before=before, by="participant", after=after, folds=10),
        )
        fit = {"method": "temperature_scaling", "temperature": 2}
        return render(sections_of(CalibrationDocument.model_validate({**fit, "metrics": metrics})))

    said = "the calibration error was 0.137; on cases left out of the fit it is"
    helped, did_not = (" ".join(screen(ece).split()) for ece in (0.101, 0.166))
    assert f" It does not help: {said} 0.166 after. " in did_not
    assert f" T{said[1:]} 0.101 after. " in helped

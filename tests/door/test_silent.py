"""What was done without a word, and gave a wrong answer: now it is refused, or told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import UsageError
from acumen.results.survey import Survey

ROWS = [(case, 1 + case % 5) for case in range(40)]


def write(path: Path, header: str, rows: list[str]) -> str:
    path.write_text("\n".join([header, *rows]) + "\n", "utf-8")
    return str(path)


@pytest.fixture
def pair(tmp_path: Path) -> str:
    """A file of two systems side by side: ``good`` is mostly right, ``bad`` mostly wrong."""
    rows = [f"{c},{t},{t if c % 8 else 6 - t},{1 + (t + c) % 5},{'xy'[c % 2]}" for c, t in ROWS]
    return write(tmp_path / "pair.csv", "id,truth,good,bad,site", rows)


def looked(path: str, **reading: Any) -> Survey:
    return acumen.survey(path, **reading).document


def test_an_option_given_twice_that_takes_one_value_is_refused(
    pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = ["gate", pair, "--prediction", "good", "--metric", "accuracy"]
    assert run([*gate, "--at-least", ".1", "--at-least", ".99"]) == 2
    assert "--at-least is given twice and takes one value" in capsys.readouterr().err
    assert run(["evaluate", pair, "--prediction", "good", "--truth", "truth", "--truth", "id"]) == 2
    assert run(["plan", "--detect", ".1", "--sd", ".1", "--detect", ".01"]) == 2
    assert run([*gate, "--metric", "mean_loss", "--at-least", ".1", "--json", "--json"]) in (
        0,
        1,
        5,
    )


def test_two_predictions_of_one_file_are_two_systems(pair: str) -> None:
    for said in ("bad,good", ["bad", "good"]):
        evaluation = acumen.evaluate(pair, prediction=said, resamples=0)
        assert evaluation.systems == ["bad", "good"]  # in the order in which they are named
    assert evaluation.document.comparison is not None
    table = acumen.read(pair, prediction=["good", "bad"])
    assert (len(table), len(table.cases)) == (80, 40)  # a case with two predictions is one case


def test_a_gate_holds_the_first_prediction_against_the_second(pair: str) -> None:
    asked: dict[str, Any] = {"metric": "accuracy", "margin": 0.05}
    verdicts = {
        said: acumen.gate(pair, prediction=said, **asked).document.verdict
        for said in ("bad,good", "good,bad")
    }
    assert verdicts == {"bad,good": "fail", "good,bad": "pass"}
    with pytest.raises(UsageError, match="not 3"):
        acumen.gate(pair, prediction="good,bad,truth", **asked)
    with pytest.raises(UsageError, match="a margin needs a baseline"):
        acumen.gate(pair, prediction="good", **asked)


@pytest.mark.parametrize("question", ["threshold", "sets", "cost", "calibrate"])
def test_two_systems_are_not_taken_for_one(pair: str, question: str) -> None:
    more: dict[str, Any] = {"threshold": {"risk": 0.1}, "cost": {"abstain_cost": 0.1}}
    ask = getattr(acumen, question)
    with pytest.raises(UsageError, match=r"holds 2 systems \(bad, good\)"):
        ask(pair, prediction="good,bad", **more.get(question, {}))


def test_identical_sides_are_refused(pair: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy.csv"
    copy.write_bytes(Path(pair).read_bytes())
    asked: dict[str, Any] = {"metric": "accuracy", "margin": 0.05, "prediction": "good"}
    for other in (pair, str(copy)):
        with pytest.raises(UsageError, match="one and the same"):
            acumen.gate(pair, other, **asked)
        with pytest.raises(UsageError, match="one and the same"):
            acumen.evaluate(pair, other, prediction="good", resamples=0)
    with pytest.raises(UsageError, match="named twice"):
        acumen.evaluate(pair, prediction="good,good", resamples=0)
    renamed = write(
        tmp_path / "renamed.csv",
        "id,truth,good,note",
        [",".join([*line.split(",")[:3], "n"]) for line in Path(pair).read_text().split()[1:]],
    )
    with pytest.raises(UsageError, match="same answers and the same confidences in every row"):
        acumen.gate(
            renamed,
            write(tmp_path / "again.csv", *_head(renamed)),
            metric="mean_loss",
            margin=0.1,
            prediction="good",
        )


def _head(path: str) -> tuple[str, list[str]]:
    """A file's rows with another column of texts, so that it is another file."""
    header, *rows = Path(path).read_text().split()
    return f"{header},more", [f"{row},x" for row in rows]


def test_no_order_of_words_is_proposed_as_it_was_seen(tmp_path: Path) -> None:
    words = ["zinc", "argon", "neon"]
    rows = [f"{c},{words[c % 3]},{words[c % 3]}" for c in range(12)]
    path = write(tmp_path / "w.csv", "id,truth,prediction", rows)
    with pytest.raises(acumen.DataError) as refused:
        acumen.read(path)
    assert "argon, neon, zinc" in str(refused.value)  # by the alphabet, and said so
    assert "--levels LOWEST,…,HIGHEST" in str(refused.value)
    survey = looked(path)
    assert "levels" not in survey.mapping
    assert "zinc,argon" not in survey.model_dump_json()


@pytest.mark.parametrize("name", ["model", "model_name", "provider", "engine", "model_id"])
@pytest.mark.parametrize("values", [("gpt-4", "llama"), ("1", "2")])
def test_a_column_of_models_is_never_a_prediction(
    tmp_path: Path, name: str, values: tuple[str, str]
) -> None:
    rows = [f"{c},{1 + c % 2},{values[c % 2]}" for c in range(12)]
    path = write(tmp_path / "m.csv", f"id,human_label,{name}", rows)
    assert "prediction" not in looked(path).columns
    with pytest.raises(acumen.DataError, match="no column for the prediction"):
        acumen.read(path)


@pytest.mark.parametrize(("often", "proposed"), [(20, ["-1"]), (5, None)])
def test_abstain_is_proposed_for_few_rows_alone(
    tmp_path: Path, often: int, proposed: list[str] | None
) -> None:
    rows = [f"{c},{t},{-1 if c % often == 0 else t}" for c, t in ROWS]
    survey = looked(write(tmp_path / "n.csv", "id,truth,prediction", rows))
    assert survey.mapping.get("abstain") == proposed


def test_abstain_is_never_proposed_for_a_level(tmp_path: Path) -> None:
    rows = [f"{c},{t},{t}" for c, t in ROWS] + ["98,-1,-1", "99,2,-1"]
    survey = looked(write(tmp_path / "l.csv", "id,truth,prediction", rows))
    assert "abstain" not in survey.mapping
    mixed = [f"{c},{'low' if c % 2 else 'x1'},{'x1' if c % 3 else 'low'}" for c in range(12)]
    for levels, proposes in (("low,high", False), (None, False)):
        with pytest.raises(acumen.DataError) as refused:
            acumen.read(write(tmp_path / "w.csv", "id,truth,prediction", mixed), levels=levels)
        assert ("--abstain" in str(refused.value)) is proposes


def test_the_code_of_an_error_does_not_stretch_the_scale(tmp_path: Path) -> None:
    for codes in ([500], [429, 503]):
        rows = [f"{c},{t},{codes[c % len(codes)] if c % 20 == 3 else t}" for c, t in ROWS]
        path = write(tmp_path / "codes.csv", "id,truth,prediction", rows)
        with pytest.raises(acumen.DataError, match=f"{codes[-1]} in .* far from the other"):
            acumen.read(path)
        assert acumen.read(path, abstain=list(map(str, codes))).scale.levels == (1, 2, 3, 4, 5)


def test_parts_of_another_whole_are_not_read_on_the_scale_of_the_truth(tmp_path: Path) -> None:
    rows = [f"{c},{t},{t} of 10" for c, t in ROWS]
    path = write(tmp_path / "of.csv", "id,truth,prediction", rows)
    with pytest.raises(acumen.DataError, match="said to be of 10, and no truth is above 5"):
        acumen.read(path)
    assert len(acumen.read(path, levels="1-10").scale.levels) == 10


def test_a_zero_that_no_truth_has_is_told(tmp_path: Path) -> None:
    rows = [f"{c},{t},{0 if c % 13 == 3 else t}" for c, t in ROWS]
    read = acumen.read(write(tmp_path / "zero.csv", "id,truth,prediction", rows))
    assert any("0 is no truth and read as a level" in warning for warning in read.warnings)
    lower = [f"{c},{t},{t - 1}" for c, t in ROWS]
    read = acumen.read(write(tmp_path / "lower.csv", "id,truth,prediction", lower))
    assert not any("0 is no truth" in warning for warning in read.warnings)


@pytest.mark.parametrize("cells", [("1,000", "2,000"), ("01-Feb", "02-Mar")])
def test_thousands_and_dates_are_no_small_levels(tmp_path: Path, cells: tuple[str, str]) -> None:
    rows = [f'{c},{1 + c % 2},"{cells[c % 2]}"' for c in range(12)]
    with pytest.raises(acumen.DataError):
        acumen.read(write(tmp_path / "cells.csv", "id,truth,prediction", rows))


def test_what_a_log_says_went_wrong_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    faults = [None, "", "TimeoutError", {"type": "RateLimit"}, "none"]
    lines = [
        json.dumps({"id": c, "truth": t, "prediction": 1, "error": faults[c % 5]}) for c, t in ROWS
    ]
    path.write_text("\n".join(lines))
    table = acumen.read(path)
    assert (table.outcomes["failed"], table.outcomes["answered"]) == (16, 24)
    assert any("16 rows failed, as error says" in warning for warning in table.warnings)
    errors = [f"{c},{t},{t},{c % 3}" for c, t in ROWS]  # how far it is off: a number
    assert acumen.read(write(tmp_path / "e.csv", "id,truth,pred,error", errors)).outcomes[
        "answered"
    ] == len(ROWS)


@pytest.mark.parametrize(
    ("bound", "verdict"), [({"at_least": 0.5}, "pass"), ({"at_least": 0.99}, "fail")]
)
def test_a_gate_is_true_only_where_it_passes(
    pair: str, bound: dict[str, float], verdict: str
) -> None:
    gate = acumen.gate(pair, prediction="good", metric="accuracy", **bound)  # type: ignore[arg-type]
    assert (gate.document.verdict, bool(gate)) == (verdict, verdict == "pass")
    assert bool(gate.document) is (verdict == "pass")


def test_an_undecided_gate_is_not_true_whatever_it_counts_as(pair: str) -> None:
    for counts_as in (None, "pass", "fail"):
        gate = acumen.gate(
            pair, prediction="good", metric="accuracy", at_least=0.88, undecided=counts_as
        )
        assert gate.document.verdict == "undecided"
        assert not gate
        assert not gate.document


def test_a_group_without_effect_is_refused(pair: str, capsys: pytest.CaptureFixture[str]) -> None:
    one = [pair, "--prediction", "good"]
    assert run(["evaluate", *one, "--group", "site"]) == 2
    assert "slice by it with --by site" in capsys.readouterr().err
    assert run(["threshold", *one, "--risk", ".1", "--group", "site"]) == 2
    assert "leave it out" in capsys.readouterr().err
    assert run(["curve", *one, "--group", "site"]) == 2
    assert run(["evaluate", *one, "--group", "site", "--by", "site", "-q", "--resamples", "0"]) == 0
    with pytest.raises(UsageError, match="--group site alone has no effect"):
        acumen.threshold(pair, prediction="good", group="site", risk=0.1)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--point", "best", "must be 'mode', 'median', 'mean' or 'loss', not the text 'best'"),
        ("--unparseable", "gone", "must be 'abstained' or 'failed', not the text 'gone'"),
        ("--unanswerable", "", "must not be empty"),
        ("--truth", "", "must not be empty"),
        ("--confidence-column", " ", "must not be empty"),
    ],
)
def test_what_an_option_cannot_be_is_an_error_of_the_command_line(
    option: str, value: str, message: str, pair: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", pair, "--prediction", "good", option, value]) == 2
    assert f"{option}: {message}" in capsys.readouterr().err

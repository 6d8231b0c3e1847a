"""Every bad input of the collection is read or refused as its index says.

The files and the scoring (``check.py``) lie in ``tests/badinputs``. Most cases run in this process,
because a process each would take minutes; a few that could hang or exhaust memory run through
``check.py`` itself, with its limits.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.readers import read

FOLDER = Path(__file__).parents[1] / "badinputs"
CONTROL = FOLDER / "000_valid_control.json"
CASES = [
    case
    for case in json.loads((FOLDER / "index.json").read_text("utf-8"))["files"]
    if not case["file"].endswith("b_right.json")
]
READ_ON_PURPOSE = {
    "201_missing_column.csv": (
        "its header has 'truth' in place of 'gt', and truth is the first name a column of truths "
        "goes by here: the file is complete under the wider convention"
    ),
    "218_weights_negative.csv": (
        "a column is a weight where it is said to be, and never by its name"
    ),
}
_spec = importlib.util.spec_from_file_location("badinputs_check", FOLDER / "check.py")
assert _spec is not None
assert _spec.loader is not None
check = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check)


def arguments(case: dict[str, Any], out: Path) -> list[str]:
    """The command that reads a case's file."""
    file, kind = str(FOLDER / case["file"]), case["kind"]
    given = "confidence" if kind.startswith("rows") else "llm"
    confidence = ["--confidence", case.get("use_confidence", given)]
    options = ["--bootstrap-resamples", "50", "--output", str(out)]
    if kind == "policy_toml":
        return ["score", "--demo", "--policy", file, "--resamples", "0", "--output", str(out)]
    if kind == "calibration":
        control = [str(CONTROL), "--confidence", "calibrated", "--calibration", file]
        return ["evaluate", *control, *options]
    if kind == "log":
        return ["evaluate", file, *options]
    if "pair_with" in case:
        if case.get("with_option") == "intersection":
            options.append("--intersection-only")
        return ["evaluate", file, str(FOLDER / case["pair_with"]), *confidence, *options]
    return ["evaluate", file, *confidence, *options]


def outcome(
    case: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, Path]:
    out = folder / "out.json"
    capsys.readouterr()
    code = run(arguments(case, out))
    said = capsys.readouterr()
    return code, said.out + said.err, out


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def case_of(name: str) -> dict[str, Any]:
    return next(case for case in CASES if case["file"] == name)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["file"])
def test_a_bad_input_ends_as_the_index_says(
    case: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, out = outcome(case, folder, capsys)
    if case["file"] in READ_ON_PURPOSE:
        assert code == 0
        return
    assert check.faults_of(case, code, said.encode(), folder, out) == []
    assert code in (0, 2, 3)
    assert (code == 3) is ("\ntry: " in said)  # a command to copy
    assert [p.name for p in folder.iterdir()] == (["out.json"] if code == 0 else [])


def test_a_negative_weight_is_refused_where_the_column_is_said_to_be_one(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = case_of("218_weights_negative.csv")
    code = run([*arguments(case, folder / "out.json"), "--weight", "weight"])
    said = capsys.readouterr().err
    assert check.faults_of(case, code, said.encode(), folder, folder / "out.json") == []


def test_the_whole_index_is_run() -> None:
    kinds = {case["kind"] for case in CASES}
    assert kinds == set(check.KINDS) - {"pair"}
    assert len(CASES) == 145


def metrics(out: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(out.read_text("utf-8"))
    (variant,) = document["confidence_variants"].values()
    names = ("cmax", "aurc_full", "augrc_full", "eaurc", "eaugrc", "aurc_achievable")
    return {name: variant[name] for name in names} | {
        "mean_loss": variant["metrics"]["mean_loss"]["value"],
        "rows": document["population"]["items_total"],
    }


def test_the_control_has_the_numbers_the_index_states(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, out = outcome(case_of("000_valid_control.json"), folder, capsys)
    found = metrics(out)
    assert found["rows"] == 24
    assert found["cmax"] == 16 / 24
    assert found["mean_loss"] == pytest.approx(7 / 16 / 3, abs=1e-15)


@pytest.mark.parametrize(
    "name",
    [
        "010_utf8_bom.json",
        "073_pred_2_0.json",
        "182_blank_and_crlf.jsonl",
        "187_bom.jsonl",
        "188_u2028_in_string.jsonl",
        "200_valid_control.csv",
        "201_missing_column.csv",
        "280_valid_control.parquet",
        "284_float_pred_with_null.parquet",
        "306_rows_duplicate.jsonl",
    ],
)
def test_the_same_data_in_another_dress_gives_the_same_numbers(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, out = outcome(case_of("000_valid_control.json"), folder, capsys)
    expected = metrics(out)
    code, _, out = outcome(case_of(name), folder, capsys)
    assert code == 0
    assert metrics(out) == expected


def test_a_row_that_is_an_exact_copy_is_told_with_its_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The row counts once: its numbers are the control's, which the test above holds."""
    code, said, out = outcome(case_of("306_rows_duplicate.jsonl"), folder, capsys)
    assert code == 0
    told = "1 row is an exact copy of another, the first in line 25: counted once"
    assert f"warning: {told}" in said
    assert told in json.loads(out.read_text("utf-8"))["warnings"]


def test_undefined_numbers_are_null_with_a_reason(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, out = outcome(case_of("110_all_abstained.json"), folder, capsys)
    found = metrics(out)
    assert found["cmax"] == 0.0
    assert found["aurc_full"] is found["augrc_full"] is found["mean_loss"] is None
    (variant,) = json.loads(out.read_text())["confidence_variants"].values()
    assert variant["metrics"]["aurc"]["reason"] == "no row was answered"


def test_ids_that_differ_by_a_zero_stay_three_cases() -> None:
    assert len(read(FOLDER / "212_leading_zero_ids.csv").cases) == 3


@pytest.mark.parametrize(
    ("name", "points"), [("103_negative_zero_tie.json", -1), ("102_tiny_subnormal_ties.json", 1)]
)
def test_zeros_tie_and_the_smallest_number_does_not(name: str, points: int) -> None:
    table = read(FOLDER / name)
    values = table.signals["llm_evidence_count"].values[table.answered]
    distinct = len({float(v) for v in values})
    by_text = len({repr(float(v)) for v in values})
    assert (by_text > distinct) if points < 0 else (5e-324 in values and by_text == distinct)


def test_what_could_hang_or_exhaust_memory_holds_under_the_limits(tmp_path: Path) -> None:
    """Through ``check.py``: one process each, killed after its time, 6 GiB of memory."""
    names = ["000_valid_control.json", "019_deep_nesting.json", "027_gzip_padding_bomb.json.gz"]
    names.append("152_megabyte_error.json")
    chosen = [case_of(name) for name in names]
    for name in (*names, "check.py"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "index.json").write_text(json.dumps({"files": chosen}))
    template = (
        f"{sys.executable} -m acumen evaluate {{file}} --confidence {{conf}} "
        "--bootstrap-resamples 50 --output {out}"
    )
    source = str(Path(acumen.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, tmp_path / "check.py", "--timeout", "120", "--run", template],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": source},
        check=False,
    )
    assert done.stdout.strip() == "4 of 4 hold {}"
    assert done.returncode == 0

"""Whatever goes wrong on the way in or out ends with one line, an exit code, and nothing left."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from acumen.files.json import to_json
from acumen.studies import phq8_run

QUICK = ["--mode", "few_shot", "--bootstrap-resamples", "50"]


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "run.json"
    path.write_text(to_json(phq8_run()), "utf-8")
    # compiled now: where no cache is yet, the first evaluation says one line more
    assert run(["evaluate", str(path), *QUICK]) == 0
    return path


def acumen(
    *arguments: str | Path, stdout: int | None = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "acumen", *map(str, arguments)],
        stdout=stdout, stderr=subprocess.PIPE, text=True, encoding="utf-8", check=False,
    )  # fmt: skip


def one_line(stderr: str) -> str:
    lines = stderr.strip().splitlines()
    assert len(lines) == 1, stderr
    assert lines[0].startswith("acumen: ")
    return lines[0]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nothing.json", "there is no such file"),
        (".", "is a folder"),
        ("/dev/null", "is empty"),
    ],
)
def test_an_input_that_is_no_run_is_told_in_one_line(
    path: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evaluate", path]) == 3
    assert said in one_line(capsys.readouterr().err)


def test_a_process_ends_with_the_code_and_the_line_of_its_command(tmp_path: Path) -> None:
    done = acumen("evaluate", tmp_path / "nothing.json")
    assert done.returncode == 3
    assert "there is no such file" in one_line(done.stderr)


def test_a_folder_that_cannot_be_written_is_told_and_left_as_it_was(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "no" / "o.json")
    assert run(["evaluate", str(run_file), *QUICK, "-q", "--output", output]) == 3
    assert "cannot be written" in one_line(capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


def test_an_old_artifact_survives_a_failed_evaluation(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "o.json"
    output.write_text("old")
    options = [*QUICK, "--confidence", "nope", "--output", str(output)]
    assert run(["evaluate", str(run_file), *options]) == 2
    one_line(capsys.readouterr().err)
    assert output.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["o.json"]


@pytest.mark.parametrize("option", ["--output", "--html"])
def test_evaluate_does_not_write_over_what_it_reads(
    option: str, run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy, link = tmp_path / "run.json", tmp_path / "link.json"
    copy.write_bytes(run_file.read_bytes())
    link.hardlink_to(copy)
    for target in (copy, link):
        assert run(["evaluate", str(copy), *QUICK, option, str(target)]) == 2
        assert f"{option} would overwrite an input" in capsys.readouterr().err
    pattern = str(tmp_path / "r*.json")
    assert run(["evaluate", pattern, "--engine", "duckdb", option, str(copy)]) == 2
    assert f"{option} would overwrite an input, run.json" in capsys.readouterr().err
    assert copy.read_bytes() == run_file.read_bytes()


def test_the_artifact_and_the_page_are_not_one_file(
    run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = str(tmp_path / "both")
    assert run(["evaluate", str(run_file), *QUICK, "--output", both, "--html", both]) == 2
    assert "are one file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("page", ["no/page.html", "folder"])
def test_an_artifact_is_not_left_behind_where_its_page_cannot_be_written(
    page: str, run_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "o.json").write_text("old")
    targets = ["--output", str(tmp_path / "o.json"), "--html", str(tmp_path / page)]
    assert run(["evaluate", str(run_file), *QUICK, "-q", *targets]) == 3
    assert "cannot be written" in capsys.readouterr().err
    assert (tmp_path / "o.json").read_text() == "old"
    assert {p.name for p in tmp_path.iterdir()} == {"folder", "o.json"}


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_cannot_show_every_character_shows_the_rest(
    encoding: str, run_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (["evaluate", "--help"], ["evaluate", str(run_file), *QUICK], ["plot"]):
        terminal = io.TextIOWrapper(io.BytesIO(), encoding)
        with redirect_stdout(terminal):
            assert run(arguments) == 0
        assert capsys.readouterr().err == ""
        terminal.seek(0)
        assert len(terminal.read().splitlines()) > 10


def test_a_process_shows_what_its_terminal_can(run_file: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "acumen", "evaluate", str(run_file), *QUICK],
        capture_output=True, check=False,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(done.stdout.decode("ascii").splitlines()) > 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_told_in_one_line_for_files_and_for_standard_output(run_file: Path) -> None:
    done = acumen("evaluate", run_file, *QUICK, "-q", "--output", "/dev/full")
    assert done.returncode == 3
    assert "No space left" in one_line(done.stderr)
    with open("/dev/full", "w") as full:
        done = acumen("evaluate", run_file, *QUICK, stdout=full.fileno())
    assert done.returncode == 3
    assert "No space left" in one_line(done.stderr)


def test_a_reader_that_leaves_early_ends_the_command_quietly(run_file: Path) -> None:
    command = [sys.executable, "-m", "acumen", "evaluate", str(run_file), *QUICK, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 0


AS_ANOTHER_USER = """
import contextlib, io, os, sys
from acumen.cli import run

evaluate = ["evaluate", sys.argv[1], "--mode", "few_shot", "-q"]
with contextlib.redirect_stderr(io.StringIO()):
    assert run([*evaluate, "--confidence", "nope"]) == 2
assert run(evaluate) == 0
os.seteuid(65534)
sys.exit(run(evaluate))
"""
"""The command as its owner first, to a good and a bad end: all that it imports is there before
the user changes. The checkout may lie where nobody else may look."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can turn into another user")
def test_a_file_of_somebody_else_may_not_be_read(run_file: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.json"
    secret.write_bytes(run_file.read_bytes())
    secret.chmod(0o600)
    done = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER_USER, str(secret)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3
    assert "permission denied" in one_line(done.stderr)


def test_without_debug_an_internal_error_shows_no_traceback_and_no_data(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from acumen import cli

    def broken(*_: object, **__: object) -> None:
        raise KeyError("what the participant said")

    monkeypatch.setattr(cli, "app", broken)
    assert cli.run(["evaluate", "x"]) == 70
    said = capsys.readouterr().err
    assert said == "acumen: internal error (KeyError); --debug shows where\n"
    assert cli.run(["evaluate", "x", "--debug"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_the_version_is_told_without_numpy_or_typer() -> None:
    code = (
        "import sys; sys.argv = ['acumen', '--version']; import acumen.__main__ as m; m.main()\n"
        "assert not {'numpy', 'typer', 'rich'} & set(sys.modules), sorted(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("acumen ")


def test_evaluate_imports_nothing_that_a_screen_does_not_need(
    run_file: Path, tmp_path: Path
) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, Any] = {
        "case": [1, 2, 3, 4],
        "truth": [0, 1, 2, 1],
        "prediction": [0, 1, None, 2],
    }
    columns |= {"item": ["a", "b", "a", "b"], "confidence": [0.5, 0.25, None, 1.0]}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    inputs = [[str(run_file), "--confidence", "all", *QUICK], [str(tmp_path / "rows.parquet")]]
    code = (
        "import sys, acumen.cli\n"
        f"assert not any(acumen.cli.run(['evaluate', *rest]) for rest in {inputs!r})\n"
        "heavy = {'scipy.stats', 'scipy.optimize', 'sklearn', 'altair', 'pandas'}\n"
        "heavy |= {'acumen.results.decisions'}\n"
        "heavy &= {*sys.modules}\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

"""A plain install answers; what needs an extra says which, before anything is done."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from acumen.extras import DISTRIBUTION, EXTRAS
from tests.docs.stage import ROOT

MODULES = {module for modules in EXTRAS.values() for module in modules} | {"pandas", "polars"}
SCRIPT = """
import contextlib, io, json, sys
modules, commands = map(json.loads, sys.argv[1:])
sys.modules |= dict.fromkeys(modules)  # as if they were not installed
from acumen.cli import run

for command in commands:
    data, talk = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(data), contextlib.redirect_stderr(talk):
        code = run(command.split())
    print(json.dumps([command, code, talk.getvalue(), data.buffer.getvalue().decode()]))
"""
PLAIN = (
    "evaluate rows.csv --resamples 50 -o metrics.json --full",
    "evaluate rows.csv rows2.csv --resamples 50 --by human --json",
    "threshold rows.csv --risk 0.3",
    "sets rows.csv --alpha 0.3",
    "cost rows.csv --abstain-cost 0.2",
    "gate rows.csv --metric mae --at-most 2 --junit gate.xml --markdown gate.md",
    "plan --detect 0.03 --sd 0.1",
    "rate rows.csv --case case --raters truth,human --judge prediction --full",
    "estimate rows.csv --case case --prediction prediction --labelled human",
    "score --demo --resamples 50 --full",
    "calibrate rows.csv --confidence confidence",
    "curve rows.csv",
    "reconcile rows.csv",
    "map rows.csv.gz",
    "show metrics.json --format markdown",
    "show metrics.json --full",
    "explain mae",
    "confidence",
    "plot --chart list",
    "run --help",
)
REFUSED = {
    "evaluate rows.csv --output new.json --html page.html": ("report", "--html"),
    "report metrics.json --output page.html": ("report", "acumen report"),
    "plot metrics.json --chart confusion --output figure.svg": ("report", "acumen plot"),
    "demo demo": ("report", "acumen demo"),
    "calibrate rows.csv --confidence confidence --method isotonic": ("fit", "the calibrator"),
    "calibrate rows.csv --confidence confidence --method platt": ("fit", "the calibrator"),
    "calibrate rows.csv --confidence confidence --method linear": ("fit", "the calibrator"),
    "calibrate rows.csv --confidence confidence --method logistic": ("fit", "the calibrator"),
    "run phq8 --cases demo --model m --base-url http://127.0.0.1:9": ("run", "acumen run"),
    "task check phq8": ("run", "acumen task"),
    "task list": ("run", "acumen task"),
    "evaluate rows.csv.zst": ("logs", "reading .zst"),
    "map rows.parquet": ("parquet", "reading Parquet"),
    "evaluate rows.csv --engine duckdb": ("large", "the engine duckdb"),
}
"""Command -> the extra it lacks, and what lacks it."""


Answers = dict[str, tuple[int, str, str]]
"""Command -> its exit code, its talk and its data."""


def answers_without(modules: Iterable[str], commands: Iterable[str], folder: Path) -> Answers:
    """What commands answer where some modules are not installed."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([*modules]), json.dumps([*commands])],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = (json.loads(line) for line in done.stdout.splitlines())
    return {command: (code, talk, data) for command, code, talk, data in lines}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plain")
    rows = ["case,truth,prediction,human,confidence"]
    rows += [f"{k},{k % 4},{k * 7 % 11 % 4},{k % 3},{k % 17 / 17}" for k in range(60)]
    (folder / "rows.csv").write_text("\n".join(rows), "utf-8")
    other = [f"{k},{k % 4},{k * 5 % 11 % 4},{k % 3},{k % 13 / 13}" for k in range(60)]
    (folder / "rows2.csv").write_text("\n".join([rows[0], *other]), "utf-8")
    (folder / "rows.csv.gz").write_bytes(gzip.compress("\n".join(rows).encode()))
    (folder / "rows.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    (folder / "rows.parquet").write_bytes(b"PAR1" + bytes(20) + b"PAR1")
    return folder


@pytest.fixture(scope="module")
def answers(folder: Path) -> Answers:
    """What a plain install answers to every command."""
    return answers_without(MODULES, [*PLAIN, *REFUSED], folder)


@pytest.mark.parametrize("command", PLAIN)
def test_a_plain_install_answers(command: str, answers: Answers) -> None:
    code, talk, _ = answers[command]
    assert code in (0, 1, 5), talk


@pytest.mark.parametrize("command", REFUSED)
def test_what_an_extra_brings_is_said_with_the_command_that_installs_it(
    command: str, answers: Answers
) -> None:
    code, talk, _ = answers[command]
    extra, what = REFUSED[command]
    packages = ", ".join(EXTRAS[extra].values())
    message = rf"acumen: {re.escape(what)}.* needs {packages}: pip install 'acumen-eval\[{extra}\]'"
    assert code == 2, talk
    assert re.fullmatch(message, talk.strip()), talk


def test_nothing_is_written_where_an_extra_is_missing(answers: Answers, folder: Path) -> None:
    made = {"metrics.json", "gate.xml", "gate.md"}
    inputs = {"rows.csv", "rows2.csv", "rows.csv.gz", "rows.csv.zst", "rows.parquet"}
    assert answers
    assert {path.name for path in folder.iterdir()} == made | inputs


def test_a_text_is_the_same_where_nothing_draws(answers: Answers, folder: Path) -> None:
    commands = [command for command in PLAIN if command.startswith("show")]
    assert len(commands) == 2
    assert answers_without((), commands, folder) == {name: answers[name] for name in commands}


def packages_of(extra: str, extras: dict[str, list[str]]) -> set[str]:
    """The packages of an extra, with those of the extras it is made of."""
    packages: set[str] = set()
    for entry in extras[extra]:
        own = re.fullmatch(rf"{DISTRIBUTION}\[([\w,]+)\]", entry)
        others = own[1].split(",") if own else ()
        packages |= set().union(*(packages_of(other, extras) for other in others))
        packages |= set() if own else {re.split(r"[\[<>=]", entry)[0]}
    return packages


def test_extras_bring_what_is_asked_of_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    extras = project["optional-dependencies"]
    bring = {extra: packages_of(extra, extras) for extra in EXTRAS}
    assert bring == {extra: {*modules.values()} for extra, modules in EXTRAS.items()}
    assert packages_of("all", extras) == set().union(
        *(packages for extra, packages in bring.items() if extra != "local")
    )
    plain = {re.split("[<>=]", entry)[0] for entry in project["dependencies"]}
    assert plain.isdisjoint(set().union(*bring.values()))


def test_no_text_names_another_distribution() -> None:
    texts = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    texts += (ROOT / "src").rglob("*.py")
    wrong = [
        p.name for p in texts if re.search(r"pip install '?acumen\b(?!-eval)", p.read_text("utf-8"))
    ]
    assert wrong == []

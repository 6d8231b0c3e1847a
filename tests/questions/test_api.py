"""The public names and the Python door."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name

import pandas as pd
import polars as pl
import pytest

import acumen
from acumen.errors import UsageError
from acumen.files.json import write_json
from acumen.results.metrics import Variant
from acumen.studies import phq8_run

NAMES: list[str] = import_module("acumen").__all__  # made when asked for: no type checker sees it
ROWS = {
    "participant_id": [1, 1, 2, 2],
    "item": ["Sleep", "Tired", "Sleep", "Tired"],
    "truth": [2, 1, 1, 0],
    "prediction": [2, 3, 1, None],
    "confidence": [2.0, 2.0, 1.0, 0.0],
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.json"
    write_json(path, phq8_run())
    return path


def test_importing_acumen_imports_neither_numpy_nor_pydantic() -> None:
    code = "import acumen, sys; sys.exit(bool({'numpy', 'pydantic', 'typer'} & {*sys.modules}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_public_name_is_there_and_type_checkers_see_it_too() -> None:
    names = set(NAMES)
    assert {"__version__", "evaluate", "score", "Result", "errors"} <= names == set(dir(acumen))
    for name in names:
        assert getattr(acumen, name) is not None
    stub = ast.parse(Path(acumen.__file__).with_suffix(".pyi").read_text("utf-8"))
    aliases = [alias for node in stub.body for alias in getattr(node, "names", [])]
    assert {alias.asname for alias in aliases} == names  # `as` makes it public to a type checker
    assert len(aliases) == len(names)


def test_a_star_import_brings_every_public_name() -> None:
    code = "from acumen import *; print(evaluate.__name__, Result.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "evaluate Result\n"


@pytest.mark.parametrize("name", sorted({*NAMES} - {"errors"}))
def test_no_module_can_take_the_place_of_a_public_name(name: str) -> None:
    """Importing ``acumen.x`` sets ``x`` in the package, whatever stood there."""
    assert find_spec(f"acumen.{name}") is None


ROOT = Path(__file__).parents[2]


GUIDES = [p for p in sorted((ROOT / "docs").glob("*.md")) if p.name != "changelog.md"]
"""Not the changelog, which the site copies there: it names what is gone."""


def _with_its_tool(name: str) -> None:
    """What stands on Inspect is looked at where Inspect is."""
    if name.startswith("acumen.bridge.inspect"):
        pytest.importorskip("inspect_ai")


@pytest.mark.parametrize("guide", [ROOT / "README.md", *GUIDES])
def test_every_name_that_a_guide_takes_from_acumen_is_there(guide: Path) -> None:
    for path in set(re.findall(r"(?<![\w/.])acumen\.(?!toml)([\w.]*\w)", guide.read_text("utf-8"))):
        _with_its_tool(f"acumen.{path}")
        assert resolve_name(f"acumen.{path}") is not None


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_imports_what_is_public(page: Path) -> None:
    """That is what ``acumen`` lists, and the ``__init__`` of its packages; all else is private."""
    for name, imported in re.findall(
        r"^from (acumen\.[\w.]+) import ([\w, ]+)$", page.read_text("utf-8"), re.MULTILINE
    ):
        _with_its_tool(name)
        module = import_module(name)
        assert hasattr(module, "__path__") or name.startswith("acumen.bridge."), name
        assert {part.strip() for part in imported.split(",")} <= set(module.__all__), name


def test_a_package_is_there_without_having_been_imported() -> None:
    code = "import acumen; print(acumen.compat.compute_aurc.__name__, acumen.defaults.SEED)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "compute_aurc 42\n"


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        _ = acumen.evalute  # type: ignore[attr-defined]


def test_evaluate_stays_a_function_whatever_else_is_imported() -> None:
    for module in ("evaluation.evaluate", "questions.evaluate", "cli.questions", "readers"):
        import_module(f"acumen.{module}")
    assert inspect.isfunction(acumen.evaluate)
    assert inspect.isfunction(acumen.read)
    assert inspect.ismodule(acumen.errors)


def test_a_path_a_table_and_a_frame_give_the_same_numbers(run: Path) -> None:
    by_path = acumen.evaluate(run, mode="few_shot", resamples=0)
    by_table = acumen.evaluate(acumen.read_run(run, mode="few_shot"), resamples=0)
    assert by_path.records() == by_table.records()
    for frame in (pd.DataFrame(ROWS), pl.DataFrame(ROWS)):
        evaluation = acumen.evaluate(frame, loss="abs", resamples=0)
        variant = evaluation.document.confidence_variants["confidence"]
        assert isinstance(variant, Variant)
        assert variant.aurc_full == pytest.approx(17 / 24)
        assert variant.augrc_full == pytest.approx(1 / 4)


def test_two_modes_of_one_run_are_compared_right_minus_left(run: Path) -> None:
    paired = acumen.compare(run, mode=("zero_shot", "few_shot"), confidence="llm", resamples=0)
    spelled = acumen.compare(
        acumen.read_run(run, mode="zero_shot"),
        acumen.read_run(run, mode="few_shot"),
        confidence="llm",
        resamples=0,
    )
    assert paired.systems == ["zero_shot", "few_shot"]
    assert paired.records() == spelled.records()
    areas = {r["system"]: r["estimate"] for r in paired.records() if r["metric"] == "augrc"}
    delta = areas.pop("few_shot − zero_shot")
    assert delta == pytest.approx(areas["few_shot"] - areas["zero_shot"])
    assert set(areas) == {"few_shot", "zero_shot"}


def test_confidence_may_be_names_or_functions(run: Path) -> None:
    def margin(token_msp: float, token_pe: float) -> float:
        return token_msp - token_pe

    def names(confidence: object) -> list[str]:
        evaluation = acumen.evaluate(run, mode="few_shot", confidence=confidence, resamples=0)  # type: ignore[arg-type]
        return [name for name, _, _ in evaluation.variants()]

    assert names(["llm", "token_msp"]) == ["llm", "token_msp"]
    assert names(margin) == ["margin"]
    assert names({"ours": margin, "other": lambda token_pe: -token_pe}) == ["ours", "other"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda run: acumen.evaluate(run), "no mode was chosen"),
        (lambda run: acumen.compare(pd.DataFrame(ROWS)), "compare needs two inputs"),
        (lambda run: acumen.evaluate(7), "a dataframe or a list of rows, not int"),
        (lambda run: acumen.evaluate(pd.DataFrame(ROWS), mode="few_shot"), "this input has none"),
        (
            lambda run: acumen.evaluate(run, mode="few_shot", interval="bcb"),  # type: ignore[arg-type]  # refused
            "no interval 'bcb'",
        ),
        (lambda run: acumen.evaluate(run, mode="few_shot", loss="sq"), "sq"),
    ],
)
def test_a_call_that_cannot_be_meant_is_refused_and_told(call, message: str, run: Path) -> None:
    with pytest.raises(acumen.UsageError, match=message):
        call(run)


def test_a_column_is_not_held_against_itself() -> None:
    rows = pd.DataFrame({"case": ["a", "b"], "stars": [1, 2]})
    with pytest.raises(UsageError, match="one column"):
        acumen.evaluate(rows, truth="stars", prediction="stars")


def test_weights_are_told() -> None:
    rows = pd.DataFrame({"case": [1, 2], "truth": [1, 2], "prediction": [1, 1], "w": [5, 1]})
    plain, weighted = acumen.evaluate(rows), acumen.evaluate(rows, weight="w")
    assert "rows weighted (counts are not)" in " ".join(repr(weighted).split())
    assert "weighted" not in repr(plain)
    assert "weighted" not in plain.document.options

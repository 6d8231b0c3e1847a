"""A command and its Python door take the same keywords, with the same defaults."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.main import get_command

import acumen
from acumen import defaults
from acumen.cli import COMMANDS
from acumen.readers.reading import Reading
from acumen.runner.cases import CaseReading

SOURCE = Path(acumen.__file__).parent


class Difference(NamedTuple):
    """The door of a command, and what only one of them takes."""

    door: Any
    command: frozenset[str] = frozenset()
    """Where results go and how they are shown, which a caller of Python decides after."""
    python: frozenset[str] = frozenset()


DOORS: Mapping[str, Difference] = {
    "evaluate": Difference(
        acumen.evaluate,
        frozenset(
            {"inputs", "output", "html", "as_json", "quiet", "full", "metrics", "debug", "engine"}
        ),
        frozenset({"progress", "columns"}),
    ),
    "score": Difference(acumen.score, frozenset({"output", "html", "demo", "full"})),
    "calibrate": Difference(
        acumen.calibrate, frozenset({"input_file", "output"}), frozenset({"columns"})
    ),
    "rate": Difference(
        acumen.rate, frozenset({"output", "html", "as_json", "full"}), frozenset({"columns"})
    ),
    "estimate": Difference(
        acumen.estimate, frozenset({"output", "html", "as_json", "full"}), frozenset({"columns"})
    ),
    "threshold": Difference(
        acumen.threshold, frozenset({"output", "html", "as_json"}), frozenset({"columns"})
    ),
    "sets": Difference(
        acumen.sets, frozenset({"output", "html", "as_json"}), frozenset({"columns"})
    ),
    "gate": Difference(
        acumen.gate,
        frozenset({"output", "html", "junit", "markdown", "as_json"}),
        frozenset({"columns"}),
    ),
    "cost": Difference(
        acumen.cost, frozenset({"output", "html", "as_json"}), frozenset({"columns"})
    ),
    "plan": Difference(
        acumen.plan, frozenset({"output", "html", "as_json"}), frozenset({"columns"})
    ),
    "map": Difference(acumen.survey, frozenset({"as_json", "output"}), frozenset({"columns"})),
    "report": Difference(acumen.write_report, frozenset({"output"}), frozenset({"command"})),
    "plot": Difference(
        acumen.chart, frozenset({"chart", "output", "width", "font_size"}), frozenset({"columns"})
    ),
    "run": Difference(
        acumen.run,
        frozenset({"cases", "model", "compute_aurc"}),
        frozenset({"watcher"}),
    ),
}


def options_of(command: str) -> dict[str, Any]:
    module = import_module(COMMANDS[command])
    parameters = get_command(module.app).params
    return {p.name: p for p in parameters if p.param_type_name == "option" and p.name != "help"}


def keywords_of(door: Any) -> dict[str, inspect.Parameter]:
    """Its keywords, and those that say how rows are read where it takes them."""
    parameters = inspect.signature(door).parameters.values()
    keywords = {p.name: p for p in parameters if p.kind is p.KEYWORD_ONLY}
    flags = ("complete", "strict")
    for rest in (p for p in parameters if p.kind is p.VAR_KEYWORD):
        table = {"Unpack[Reading]": Reading, "Unpack[CaseReading]": CaseReading}[rest.annotation]
        keywords |= {
            name: inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=False if name in flags else None
            )
            for name in table.__annotations__
        }
    return keywords


@pytest.mark.parametrize("command", ["evaluate", "map", "curve", "calibrate", "plot", "reconcile"])
def test_every_command_that_reads_rows_has_the_options_that_say_how(command: str) -> None:
    assert Reading.__annotations__.keys() - {"columns"} <= options_of(command).keys()


@pytest.mark.parametrize("door", [acumen.read, acumen.from_frame, acumen.compare])
def test_every_door_that_reads_rows_takes_the_keywords_that_say_how(door: Any) -> None:
    assert Reading.__annotations__.keys() <= keywords_of(door).keys()


def test_a_keyword_that_no_door_has_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'truht'"):
        acumen.read("rows.csv", truht="human")


@pytest.mark.parametrize("command", DOORS)
def test_a_door_has_the_keywords_that_its_command_has_options(command: str) -> None:
    door, only_command, only_python = DOORS[command]
    options, keywords = set(options_of(command)), set(keywords_of(door))
    assert only_command <= options
    assert only_python <= keywords
    assert options - only_command == keywords - only_python


@pytest.mark.parametrize("command", DOORS)
def test_a_door_has_the_defaults_that_its_command_has(command: str) -> None:
    options, keywords = options_of(command), keywords_of(DOORS[command].door)
    own = {"coverage_grid", "features", "omit", "judge", "labelled"}
    for name in options.keys() & keywords.keys() - own:
        default = keywords[name].default
        assert options[name].default == (None if default is inspect.Parameter.empty else default), (
            name
        )


def test_the_default_grid_of_the_command_is_the_doors() -> None:
    text = options_of("evaluate")["coverage_grid"].default
    assert tuple(map(float, text.split(","))) == defaults.COVERAGE_GRID


@pytest.mark.parametrize("door", [d.door for d in DOORS.values()] + [acumen.compare, acumen.read])
def test_every_door_is_typed_and_documented(door: Any) -> None:
    signature = inspect.signature(door)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values())
    assert len(inspect.getdoc(door) or "") > 100


def test_compare_takes_what_evaluate_takes() -> None:
    assert inspect.signature(acumen.compare) == inspect.signature(acumen.evaluate)


DEFAULTS = (defaults.RESAMPLES, defaults.SEED, defaults.CONFIDENCE_LEVEL, defaults.LOSS)


def is_default(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and any(
        type(node.value) is type(number) and node.value == number for number in DEFAULTS
    )


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.name))
def test_a_default_number_is_written_once(path: Path) -> None:
    """Nobody spells 10_000, 42, 0.95 or abs_norm as a default or a constant of their own."""
    homes = {"defaults.py", "losses.py"}  # losses.py names the losses
    tree = ast.parse(path.read_text("utf-8"))
    wrong = [
        value.lineno
        for node in ast.walk(tree)
        for value in (
            [*node.args.defaults, *node.args.kw_defaults]
            if isinstance(node, ast.FunctionDef)
            else [node.value]
            if isinstance(node, ast.Assign | ast.AnnAssign)
            else []
        )
        if value is not None and is_default(value)
    ]
    assert path.name in homes or wrong == []

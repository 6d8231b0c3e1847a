"""Laws of all questions: what is declared once shows everywhere, and what is missing is named."""

from __future__ import annotations

import ast
import inspect
import shlex
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
import typer
from pydantic import BaseModel
from typer.main import get_command

import acumen
from acumen import defaults
from acumen.cli import COMMANDS, QUESTIONS, app_of
from acumen.cli.questions import MORE, OUTPUTS
from acumen.declare import Parameter
from acumen.questions import HOMES, find_question
from acumen.questions.question import Question
from acumen.readers.reading import Reading
from acumen.results.kinds import KINDS, OLDER

PARSER = tuple(map(int, typer.__version__.split(".")[:2]))
SOURCE = Path(acumen.__file__).parent
PUBLIC = {"map": "survey", "card make": "card", "card check": "check_card"}
"""Questions whose Python function has another name: ``map`` is Python's own."""
UNASKED = {"measure"}
"""Questions without a command of their own: another one hands over to them."""
LEAVES = {"count"}
"""Questions whose documents leave a site, and tell nothing of its files."""


def function_of(name: str) -> Any:
    return getattr(acumen, PUBLIC.get(name, name))


def model_of(name: str) -> list[type[BaseModel]]:
    """The models of the documents that a question makes."""
    hint = str(inspect.signature(find_question(name).function).return_annotation)
    known = {kind.home.partition(":")[2]: kind for kind in KINDS.values()}
    return [known[part].model for part in hint.split(" | ") if part in known]


def options(name: str) -> dict[str, Any]:
    return {o.name: o for o in get_command(app_of(name)).params}


@pytest.mark.parametrize("name", HOMES)
def test_a_question_is_a_command_with_a_heading_and_a_public_function(name: str) -> None:
    assert name in UNASKED or name.split()[0] in COMMANDS, f"list {name} in cli.QUESTIONS"
    assert function_of(name).question is find_question(name), f"list {name} in __init__.pyi"
    assert find_question(name).name == name
    handed = {q.hand_over[1] for q in map(find_question, HOMES) if q.hand_over is not None}
    assert (name in UNASKED) == (name in handed)


@pytest.mark.parametrize("name", [n for n in HOMES if n not in ("evaluate", "label", "run")])
def test_what_a_question_makes_is_a_kind_of_document(name: str) -> None:
    models = model_of(name)
    assert models, f"say in results/kinds.py what {name} makes"
    for model in models:
        assert "kind" in model.model_fields, f"{model.__name__} does not say its kind"
        has_command = "command" in model.model_fields
        assert has_command or name in LEAVES, f"{model.__name__} has no place for its command"


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.command])
def test_a_kind_names_a_command_that_there_is(kind: str) -> None:
    assert str(KINDS[kind].command).split()[0] in COMMANDS
    assert KINDS[kind].model.model_json_schema()["properties"]


def test_the_kinds_of_older_files_are_kinds_of_documents() -> None:
    assert OLDER.keys() <= KINDS.keys()


@pytest.mark.parametrize("name", HOMES)
def test_every_option_is_a_keyword_and_every_keyword_an_option(name: str) -> None:
    question = find_question(name)
    keywords = {p.name for p in question.options}
    signature = inspect.signature(question.function).parameters.values()
    declared = {p.name for p in signature}
    assert keywords - {p.name for p in question.options if p.is_reading} <= declared
    if name not in UNASKED:
        beside = {p.name for p in (*OUTPUTS, *MORE.get(name, ()))} | {"engine", "compute_aurc"}
        own = options(name).keys() - {"help", "input", "demo", *(p.name for p in question.inputs)}
        assert own - beside == keywords - beside


@pytest.mark.parametrize("name", [n for n in HOMES if n not in UNASKED])
def test_a_command_has_the_defaults_of_its_function(name: str) -> None:
    own = options(name)
    for parameter in find_question(name).options:
        default = own[parameter.name].default
        expected = parameter.default
        empty: tuple[object, ...] = (None, (), [])
        assert default == expected or (default in empty and expected in empty), parameter.name


@pytest.mark.parametrize("name", [n for n in HOMES if n not in (*UNASKED, "run")])
def test_every_document_can_be_kept_shown_and_drawn_in_the_same_ways(name: str) -> None:
    assert {"output", "html", "as_json", "full"} <= options(name).keys()


@pytest.mark.parametrize("name", HOMES)
def test_every_parameter_says_what_it_means_in_a_sentence(name: str) -> None:
    question = find_question(name)
    for parameter in question.parameters:
        text = parameter.say.text
        assert text.endswith((".", "?")), (parameter.name, text)
        assert parameter.say.more.rstrip()[-1:] in ("", "."), parameter.name
        own = {"reading"} if parameter.is_reading else {parameter.name}
        assert own & {*question.documentation.split()}, parameter.name
    assert question.examples
    assert all(line.startswith(f"acumen {COMMAND.get(name, name)} ") for line in question.examples)


COMMAND = {"measure": "evaluate"}


@pytest.mark.parametrize("name", HOMES)
def test_a_python_function_is_typed_and_documented(name: str) -> None:
    function = function_of(name)
    signature = inspect.signature(function)
    assert "Examples\n--------" in function.__doc__ or name in ("merge", "map")
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values())


def sample(parameter: Parameter) -> Any:
    """Some value of an option that is not its default."""
    kind = parameter.kind
    while type(None) in get_args(kind) and len(get_args(kind)) == 2:
        kind = next(part for part in get_args(kind) if part is not type(None))
    least = parameter.say.least or 0
    if get_origin(kind) is list:
        part = get_args(kind)[0]
        return [part(2.5), part(3.5)] if part is float else [part("a b"), part("--c")]
    choices = [c for c in get_args(kind) if c != parameter.default]
    simple = {
        bool: True,
        int: int(least) + 3,
        float: least + 1.5,
        str: "a 'b' c",
        Path: Path("x y"),
    }
    return choices[0] if choices else simple[kind]


@pytest.mark.parametrize("name", [n for n in HOMES if n not in (*UNASKED, "run")])
def test_the_command_that_makes_it_again_says_every_option(name: str) -> None:
    """Its words, parsed as the command line parses them, are the values that were given."""
    question: Question = find_question(name)
    for parameter in question.options:
        value = sample(parameter)
        line = question.command(
            [Path("in put.csv")] if question.inputs else [], {parameter.name: value}
        )
        if parameter.say.is_secret:
            assert line is not None
            assert str(value) not in line
            continue
        assert line is not None, parameter.name
        words = shlex.split(line)[1 + len(name.split()) :]
        parser = get_command(app_of(name)).make_context(
            name, [*words, *_needed(question, parameter)], resilient_parsing=True
        )
        assert plain(parser.params[parameter.name]) == plain(value), (parameter.name, line)


def plain(value: Any) -> Any:
    """A value before an older parser makes a list of a tuple, and a path of a text."""
    if PARSER >= (0, 29):
        return value
    if isinstance(value, list | tuple):
        return [*map(plain, value)]
    return str(value) if isinstance(value, Path) else value


def _needed(question: Question, but: Parameter) -> list[str]:
    others = [p for p in question.options if p.is_needed and p.name != but.name]
    return [word for p in others for word in (p.option, "1")]


@pytest.mark.parametrize("name", ["evaluate", "map", "curve", "calibrate", "plot", "reconcile"])
def test_every_command_that_reads_rows_has_the_options_that_say_how(name: str) -> None:
    assert Reading.__annotations__.keys() - {"columns"} <= options(name).keys()


def test_a_keyword_that_no_function_has_is_refused_as_python_does() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'truht'"):
        acumen.read("rows.csv", truht="human")  # type: ignore[call-arg]  # refused


def test_the_default_grid_of_the_command_is_that_of_python() -> None:
    text = options("evaluate")["coverage_grid"].default
    assert tuple(map(float, text.split(","))) == defaults.COVERAGE_GRID


def test_compare_takes_what_evaluate_takes() -> None:
    assert inspect.signature(acumen.compare) == inspect.signature(acumen.evaluate)


def test_every_question_stands_under_one_heading() -> None:
    names = [name for commands in QUESTIONS.values() for name in commands]
    assert sorted(names) == sorted({*names})


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

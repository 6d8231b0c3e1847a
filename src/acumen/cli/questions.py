"""The commands of questions, made of their declarations: no option is spelled here twice.

Beside what a question declares, each command says where its document goes and how it is shown.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, get_args, get_origin

import typer

from acumen.cli.output import check_targets, emit, warn
from acumen.cli.progress import waiting
from acumen.declare import Parameter, Say, say
from acumen.errors import UsageError, printable
from acumen.extras import need
from acumen.questions import find_question
from acumen.questions.question import Question
from acumen.stages import stage

if TYPE_CHECKING:
    from acumen.questions.result import Result

_FILE: Final = Path | None
METRICS: Final = Annotated[str | None, say("Print these metrics alone, separated by commas.")]
OUTPUTS: Final = (
    Parameter("output", say("Write here; else nothing is kept.", "--output", "-o"), _FILE, None),
    Parameter("html", say("Write a report as one HTML page."), _FILE, None),
    Parameter("as_json", say("Print the document instead of the tables.", "--json"), bool, False),
    Parameter("full", say("Print every metric and table."), bool, False),
)
"""How every document can be kept and shown."""
MORE: Final[Mapping[str, tuple[Parameter, ...]]] = {
    "evaluate": (
        Parameter("metrics", get_args(METRICS)[1], str | None, None),
        Parameter("quiet", say("Print warnings only.", "--quiet", "-q"), bool, False),
        Parameter("debug", say("Show how long each part took, and tracebacks."), bool, False),
    ),
    "gate": (
        Parameter("junit", say("Write JUnit XML here."), _FILE, None),
        Parameter("markdown", say("Write Markdown here, for a comment."), _FILE, None),
    ),
    "label": (Parameter("page", say("Write the page to label on here."), _FILE, None),),
}
"""How some documents can be shown besides."""


FIRST: Final[Mapping[str, tuple[str, ...]]] = {
    "evaluate": (
        *("truth", "prediction", "confidence_column", "case", "levels", "mode"),
        *("baseline", "by", "loss", "output", "html", "full"),
    ),
}
"""Question -> the options that most people need: its help lists them first."""
FURTHER: Final = "Further options"
VALUES: Final = {bool: "", str: "TEXT", Path: "PATH", int: "NUMBER", float: "NUMBER"}
"""What help calls the value of an option that has no word of its own; a flag has none."""


def ordered(question: Question, own: Sequence[Parameter]) -> list[Parameter]:
    """The options as help lists them: those that most people need, then the others by heading."""
    names = FIRST.get(question.name, ())
    first = {p.name: replace(p, say=replace(p.say, panel=None)) for p in own if p.name in names}
    rest = [p for p in own if p.name not in names]
    if names:
        rest = [replace(p, say=replace(p.say, panel=p.say.panel or FURTHER)) for p in rest]
    return [*(first[name] for name in names if name in first), *rest]


def _plain(kind: Any) -> Any:
    """The type of one value, of several or of none."""
    if get_origin(kind) is Literal:
        return kind
    parts = [part for part in get_args(kind) if part is not type(None)]
    return _plain(parts[0]) if parts else kind


def option_of(parameter: Parameter) -> inspect.Parameter:
    """A declared parameter as an option of a command."""
    what, kind = parameter.say, parameter.kind
    is_flag = kind is bool
    names = what.flags or ((parameter.option,) if is_flag else ())
    bounds = {k: v for k, v in (("min", what.least), ("max", what.most)) if v is not None}
    if int in (kind, *get_args(kind)):
        bounds = {name: int(bound) for name, bound in bounds.items()}
    metavar = VALUES.get(_plain(kind)) if what.metavar is None else what.metavar
    facts: dict[str, Any] = {"metavar": metavar, "rich_help_panel": what.panel, **bounds}
    default = ... if parameter.is_needed else parameter.default
    default = None if isinstance(default, tuple) and not default else default
    info = typer.Option(*names, help=what.text, **facts)
    return _signed(parameter.name or "option", kind, info, default, what)


def inputs_of(question: Question) -> list[inspect.Parameter]:
    """What is given by its place, and flags that stand for it."""
    options = []
    for parameter in question.inputs:
        what = parameter.say
        one: Any = parameter.kind
        kind: Any = list[one] | None if parameter.is_several else one
        default = ... if parameter.is_needed and what.alias is None else None
        name = what.metavar or parameter.name.upper()
        metavar = name if default is ... or parameter.is_several else f"[{name}]"
        info = typer.Argument(help=what.text, metavar=metavar, show_default=False)
        kind = kind if default is ... or parameter.is_several else kind | None
        options.append(_signed(parameter.name, kind, info, default))
        if what.alias is not None:
            same = list[str] | None if parameter.is_several else str | None
            info = typer.Option(
                what.alias, help="The same as RUN.", rich_help_panel=_aside(question)
            )
            options.append(_signed(what.alias.removeprefix("--"), same, info, None, what))
        if what.also is not None:
            flag, _, text = what.also
            info = typer.Option(flag, help=text)
            options.append(_signed(flag.removeprefix("--"), bool, info, False))
    return options


def _aside(question: Question) -> str | None:
    """Where an option stands that few need."""
    return FURTHER if question.name in FIRST else None


def _signed(
    name: str, kind: Any, info: Any, default: Any, what: Say | None = None
) -> inspect.Parameter:
    """A parameter of a command's function; Typer passes over what is declared of it."""
    default = inspect.Parameter.empty if default is ... else default
    annotation = Annotated[kind, info, what]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def signed(
    function: Callable[..., None], parameters: Sequence[inspect.Parameter], text: str
) -> Callable[..., None]:
    """A command's function with the parameters and the help that Typer reads."""
    needed_first = sorted(parameters, key=lambda p: p.default is not inspect.Parameter.empty)
    setattr(function, "__signature__", inspect.Signature(needed_first))  # noqa: B010  (PEP 362)
    function.__annotations__ = {p.name: p.annotation for p in parameters}
    function.__doc__ = text
    return function


def help_of(question: Question) -> str:
    """The text of a command's help: what it does, then its examples."""
    examples = [f"Example: {line}" for line in question.examples]
    text = re.sub(r":\w+:`[~]?([\w.]+)`", r"\1", question.text).replace("``", "")
    return "\n\n".join([text, *examples])


def app_of_question(name: str) -> typer.Typer:
    """The command of a question."""
    question = find_question(name)
    app = typer.Typer(add_completion=False)
    app.command()(command_of(question))
    return app


def command_of(question: Question) -> Callable[..., None]:
    """The function of a question's command."""
    own = [*question.options, *OUTPUTS, *MORE.get(question.name, ())]
    if question.hand_over is not None:
        option, other = question.hand_over
        own += [p for p in find_question(other).options if p.name == option]

    def call(context: typer.Context, **values: Any) -> None:
        if question.hand_over is not None and values.pop(question.hand_over[0]) is not None:
            return _hand_over(question, context, values)
        _answer(question, values)

    context = inspect.Parameter(
        "context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    unique = {p.name: option_of(p) for p in ordered(question, own)}
    parameters = [context, *inputs_of(question), *unique.values()]
    return signed(call, parameters, help_of(question))


def _hand_over(question: Question, context: typer.Context, options: Mapping[str, Any]) -> None:
    """Let the other question answer; what it does not take is refused, not ignored."""
    assert question.hand_over is not None
    option, other = question.hand_over[0], find_question(question.hand_over[1])
    (inputs,) = question.inputs
    known = {p.name for p in (*other.options, *OUTPUTS, *MORE[question.name], inputs)}
    named = {name for name in options if _is_given(context, name)}
    if odd := sorted(named - known - {"input"}):
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in odd)
        raise UsageError(f"--{option} leaves the rows where they are; not with it: {listed}")
    values = {name: value for name, value in options.items() if name in known}
    values[option] = context.params[option]
    files = [*(values.pop(inputs.name) or ()), *(options.get("input") or ())]
    if len(files) > len(other.inputs):
        raise UsageError(f"--{option} compares two files, or the systems of one: not {len(files)}")
    values |= dict(zip((p.name for p in other.inputs), files, strict=False))
    _answer(other, values)


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _answer(question: Question, values: dict[str, Any]) -> None:
    """Ask, keep what is to be kept, and show the answer."""
    places = _places(question, values)
    words = {p.name: values[p.name] for p in question.options if _is_said(values.get(p.name))}
    values_of = (words.get(p.name) for p in question.options if p.say.is_file)
    files = [f for v in values_of for f in (v if isinstance(v, list | tuple) else [v])]
    targets: dict[str, Path | None] = {
        f"--{name}": values.get(name) for name in ("output", "html", "junit", "markdown", "page")
    }
    check_targets(targets, [*places, *files])
    if targets["--html"] is not None:
        need("report", "--html")
    quiet = bool(values.get("quiet") or question.says)
    if question.says is not None:
        words[question.says] = partial(_say, as_json=values["as_json"])
    with waiting(quiet=quiet) as wait:
        with stage(share=0.7 if any(targets.values()) else 1.0):
            result = ask(question, places, words)
        _keep(question, result, targets, texts=bool(words.get("texts")))
    if values["as_json"] and question.says is None:
        emit(result.to_json())
    elif not quiet or (values["full"] and not values["as_json"]):
        from acumen.report.terminal import print_parts

        metrics = [name.strip() for name in (values.get("metrics") or "").split(",")]
        print_parts(
            result.sections(full=values["full"], metrics=[name for name in metrics if name])
        )
    if values["as_json"] or quiet:
        warn(result.warnings)
    if values.get("debug"):
        print(wait, file=sys.stderr)
    raise typer.Exit(result.exit_code)


def _say(document: Any, *, as_json: bool) -> None:
    """What is known so far, as a line that whoever reads a pipe has at once."""
    from acumen.files.json import to_json
    from acumen.report.watching import line_of, record_of

    emit(to_json(record_of(document), compact=True) if as_json else f"{line_of(document)}\n")


def ask(question: Question, places: Sequence[Any], words: Mapping[str, Any]) -> Result[Any]:
    """The result of a question, by what was said on the command line."""
    from acumen.questions.result import result_of

    question.refuse_idle(words, typed=True)
    answer = question.function(*places, **words)
    return result_of(answer, question.command(places, words))  # type: ignore[no-any-return]


def _is_said(value: Any) -> bool:
    """Whether an option has a value: by identity, since 0 is one and equals False."""
    return not (value is None or value is False or value in ([], ()))


def _places(question: Question, values: dict[str, Any]) -> list[Any]:
    """The inputs that were named, in one of the ways there are."""
    places: list[Any] = []
    for parameter in question.inputs:
        own = values.pop(parameter.name, None)
        own = list(own or ()) if parameter.is_several else [] if own is None else [own]
        if parameter.say.alias is not None:
            same = values.pop("input", None)
            own += [] if same is None else same if parameter.is_several else [same]
        if parameter.say.also is not None:
            flag, stands_for, _ = parameter.say.also
            if values.pop(flag.removeprefix("--")):
                own.insert(0, stands_for)
        if len(own) > 1 and not parameter.is_several:
            raise UsageError("give one run: RUN or --input FILE")
        if parameter.is_needed and not own:
            raise UsageError(f"give a run file; see acumen {question.name} --help")
        places += own
    return places


def _keep(
    question: Question,
    result: Result[Any],
    targets: Mapping[str, Path | None],
    *,
    texts: bool,
) -> None:
    """Every file that was asked for, all of them or none."""
    from acumen.files.json import write_files

    files: dict[str | Path, bytes] = {}
    makers: dict[str, Callable[[], str]] = {
        "--output": lambda: question.keep(result.document) if question.keep else result.to_json(),
        "--html": lambda: result.to_html(texts=texts),
        "--junit": lambda: _junit(result),
        "--markdown": result.to_markdown,
        "--page": lambda: _page(result),
    }
    for option, path in targets.items():
        if path is not None:
            verb = "drawing" if option == "--html" else "writing"
            with stage(f"{verb} {printable(path.name)}", 0.5):
                files[path] = makers[option]().encode("utf-8")
    write_files(files)


def _page(result: Result[Any]) -> str:
    page: str = result.page()  # type: ignore[attr-defined]  # of a sample, which alone has one
    return page


def _junit(result: Result[Any]) -> str:
    from acumen.report.decisions import as_junit

    return as_junit(result.document)

"""The command line: arguments in, exit code out.

One file a command, imported only when it is asked for. A command's module imports nothing heavy at
its top (no NumPy), because ``acumen --help`` imports them all.

Data goes to standard output, talk to standard error, a traceback only with ``--debug``.
"""

from __future__ import annotations

import difflib
import io
import os
import shlex
import sys
import textwrap
import traceback
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from acumen.errors import INTERRUPTED, AcumenError, UsageError, printable

PROGRAM: Final = "acumen"
FAULT: Final = 70  # what sysexits.h calls a fault of the software

EXITS: Final = {
    0: "All went well; of a gate, it passed.",
    1: "A gate failed, or a promise that is watched is broken.",
    2: "Usage: an error in the command line.",
    3: "Bad data, or a file that cannot be read or written.",
    4: "Partial: some cases of a run have no answer.",
    5: "A gate is undecided: there are too few data.",
    70: "A fault of acumen itself.",
    130: "Interrupted.",
}
"""What a command ends with."""
QUESTIONS: Final[dict[str, tuple[str, ...]]] = {
    "Begin here": ("demo", "map", "explain", "skill"),
    "How right is it, and how useful its confidence? Which is better?": (
        "evaluate",
        "curve",
        "reconcile",
    ),
    "Is its confidence honest?": ("confidence", "calibrate"),
    "May its answers be used?": ("threshold", "cascade", "sets", "cost", "gate"),
    "Does the promise last?": ("card", "watch"),
    "What do its answers add up to, and may that be used?": ("total",),
    "How many cases does it take?": ("plan",),
    "Which cases shall people label?": ("label",),
    "Can it stand in for a person?": ("rate", "estimate"),
    "Is it right for the right reasons?": ("score",),
    "Ask a model": ("run", "task"),
    "Count rows that stay where they are": ("count", "merge"),
    "Look at results": ("show", "report", "plot", "export", "schema"),
}
"""What one may ask -> the commands that answer, as ``--help`` shows them."""
WIDTH: Final = 79
"""Of the lines of help that list the commands: one each."""
MODULES: Final = {"run": "run_command"}
"""Commands whose module has another name: ``acumen.cli.run`` is the function below."""
ONCE: Final = ("help", "debug")
"""Options that the environment does not set: what they ask for is said with the command."""
COMMANDS: Final = tuple(name for names in QUESTIONS.values() for name in names)


@cache
def app_of(name: str) -> typer.Typer:
    """A command by its name: made of a question's declaration, or of a module of its own."""
    from acumen.questions import HOMES

    if name in HOMES and name != "run":
        from acumen.cli.questions import app_of_question

        return app_of_question(name)
    own: typer.Typer = import_module(f"acumen.cli.{MODULES.get(name, name)}").app
    return own


@cache
def _command_of(name: str) -> Any:
    """The parser of a command, once a process: it takes a fifth of a small evaluation."""
    command = get_command(app_of(name))
    return _strict(command)


def _strict(command: Any) -> Any:
    """A command that refuses an option given twice, where the last value would win unsaid."""
    make = command.make_parser

    def make_parser(ctx: Any) -> Any:
        parser = make(ctx)
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            values, rest, order = parse(args)
            if not ctx.resilient_parsing:
                _refuse_twice(order)
            return values, rest, order

        parser.parse_args = parse_args
        return parser

    command.make_parser = make_parser
    for inner in getattr(command, "commands", {}).values():
        _strict(inner)
    return command


def _refuse_twice(order: Sequence[Any]) -> None:
    seen: set[int] = set()
    for parameter in order:
        if parameter.param_type_name != "option" or parameter.multiple or parameter.is_flag:
            continue
        if id(parameter) in seen:
            name = max(parameter.opts, key=len)
            raise UsageError(f"{name} is given twice and takes one value: say it once")
        seen.add(id(parameter))


class _Lazy(TyperGroup):
    """Imports a command's module when the command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        command = _command_of(cmd_name)
        command.name = cmd_name
        panel = next(question for question, names in QUESTIONS.items() if cmd_name in names)
        setattr(command, "rich_help_panel", panel)  # noqa: B010  (Typer reads it, undeclared)
        command.context_settings["auto_envvar_prefix"] = f"{PROGRAM}_{cmd_name}".upper()
        for parameter in command.get_params(ctx):
            setattr(parameter, "show_envvar", False)  # noqa: B010  (every option has one)
            parameter.allow_from_autoenv = parameter.name not in ONCE
        return command

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """One line a command, the most used first: all of it fits a screen."""
        from acumen.cli.summary import MORE, MOST_USED

        lines = [f"Usage: {PROGRAM} COMMAND [OPTIONS]", "", *textwrap.wrap(str(self.help), WIDTH)]
        for title, commands in (("Most used", MOST_USED), ("More", MORE)):
            lines += ["", f"{title}:", *(f"  {name:12}{text}" for name, text in commands.items())]
        lines += ["", f"{PROGRAM} COMMAND --help has the options and examples of a command."]
        lines += ["Options: --version (-V), --help (-h), --show-completion SHELL."]
        formatter.write("\n".join(lines) + "\n")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing:
            close = difflib.get_close_matches(args[0], COMMANDS, 1)
            hint = f"; is {close[0]} meant?" if close else f"; there are {', '.join(COMMANDS)}"
            raise UsageError(f"no command '{printable(args[0])}'{hint}")
        name, command, rest = super().resolve_command(ctx, args)
        # help is shown and words are completed even where the file of defaults is wrong
        if name is not None and not ctx.resilient_parsing and not {"-h", "--help"} & {*args}:
            from acumen.cli.config import defaults_of

            defaults = defaults_of(name, command, list(COMMANDS), ctx)
            ctx.default_map = {name: defaults}
        return name, command, rest


app = typer.Typer(
    name=PROGRAM,
    cls=_Lazy,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(value: bool) -> None:
    if value:
        from acumen._version import __version__

        typer.echo(f"acumen {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", callback=_show_version, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """How far can an AI's ordinal judgments be trusted, when it may abstain?"""


def _show_completion(shell: str) -> None:
    """The completion script of a shell that is named; without a name Typer looks which one runs."""
    # typer has no public door to its scripts by the shell's name
    from typer.completion import (  # type: ignore[attr-defined]
        Shells,
        get_completion_script,
    )

    known = [entry.value for entry in Shells]
    if shell not in known:
        raise UsageError(f"no completion for '{printable(shell)}'; there is {', '.join(known)}")
    typer.echo(
        get_completion_script(
            prog_name=PROGRAM, complete_var=f"_{PROGRAM.upper()}_COMPLETE", shell=shell
        )
    )


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; errors become one line on standard error."""
    arguments = list(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a terminal that cannot show a character shows another: help is full of them
        sys.stdout.reconfigure(errors="replace")
    debug = "--debug" in arguments
    if debug and arguments[0] != "evaluate":
        arguments.remove("--debug")  # every command takes it; evaluate tells its times as well
    try:
        return _run(arguments)
    except AcumenError as error:
        if debug:
            traceback.print_exc()
        from acumen.cli.way_out import way_out

        command = way_out(arguments, error)
        return _fail(
            "\n".join([str(error), *([f"try: {command}"] * bool(command))]), error.exit_code
        )
    except BrokenPipeError:
        # the reader left (`| head`): end quietly, and keep Python from flushing into the void
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    except Exception as error:  # noqa: BLE001
        # the last line of defence: never a traceback that nobody asked for
        if debug:
            traceback.print_exc()
        if isinstance(error, OSError) and error.strerror:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _fail(f"cannot go on: {error.strerror}", 3)
        # the message may quote data, so only the kind of error is shown
        return _fail(f"internal error ({type(error).__name__}); --debug shows where", FAULT)


def _run(arguments: list[str]) -> int:
    if len(arguments) == 2 and arguments[0] == "--show-completion":
        _show_completion(arguments[1])
        return 0
    if arguments and arguments[0] not in COMMANDS and os.path.isfile(arguments[0]):
        return _look(arguments)
    out, err = sys.stdout, sys.stderr
    try:
        code = app(args=arguments, prog_name=PROGRAM, standalone_mode=True)
        sys.stdout.flush()
    except SystemExit as leaving:
        if sys.stdout is not out:  # Typer wraps it when the reader left in the middle of a write
            sys.stdout, sys.stderr = out, err
            raise BrokenPipeError from None
        sys.stdout.flush()
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    return int(code or 0)


def _look(arguments: list[str]) -> int:
    """Say what is in a file, and evaluate it where nothing about that had to be guessed."""
    if len(arguments) > 1:
        files = all(map(os.path.isfile, arguments))
        instead = "evaluate" if files else "map"
        raise UsageError(f"name a command: acumen {instead} {shlex.join(arguments)}")
    from acumen.cli.look import look

    return _run(look(arguments[0]))


def _fail(message: str, exit_code: int) -> int:
    print(f"acumen: {message}", file=sys.stderr)
    return exit_code

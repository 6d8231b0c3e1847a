"""The command line: arguments in, exit code out.

One file a command, imported only when it is asked for. A command's module imports nothing heavy at
its top (no NumPy), because ``acumen --help`` imports them all.

Exit codes: 0 ok, 1 a gate failed, 2 usage, 3 bad data, 4 partial run, 130 interrupted.
Data goes to standard output, talk to standard error, a traceback only with ``--debug``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

from acumen.errors import AcumenError

COMMANDS: Final[dict[str, str]] = {
    "evaluate": "acumen.cli.evaluate",
    "confidence": "acumen.cli.confidence",
    "calibrate": "acumen.cli.calibrate",
    "score": "acumen.cli.score",
    "show": "acumen.cli.show",
    "report": "acumen.cli.report",
    "plot": "acumen.cli.plot",
}
"""Name of a command -> the module whose ``app`` it is. The order is the one ``--help`` shows."""


class _Lazy(TyperGroup):
    """Imports a command's module when the command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        command = get_command(import_module(COMMANDS[cmd_name]).app)
        command.name = cmd_name
        return command


app = typer.Typer(
    name="acumen",
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


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; errors become one line on standard error."""
    debug = "--debug" in arguments
    try:
        code = app(args=list(arguments), standalone_mode=True)
        sys.stdout.flush()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
    except AcumenError as error:
        if debug:
            raise
        print(f"acumen: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # the reader left (`| head`): end quietly, and keep Python from flushing into the void
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("acumen: interrupted", file=sys.stderr)
        return 130
    return int(code or 0)

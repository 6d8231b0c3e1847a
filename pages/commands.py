"""The reference of the command line: commands and options, ``acumen.toml``, exit codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

from typer import Context
from typer.main import get_command

from acumen.cli import EXITS, QUESTIONS, app
from acumen.cli.config import options_of
from pages.rst import anchor, block, heading, literal, page, prose, table

WORDS: Final[dict[type, str]] = {
    str: "text", int: "whole number", float: "number", bool: "yes or no", Path: "path",
}  # fmt: skip


def commands() -> str:
    """Every command by the question that it answers; each has a page of its own."""
    parts = []
    for question, answers in QUESTIONS.items():
        rows = [(f":doc:`commands/{name}`", _first_line(command_of(name))) for name in answers]
        parts += [heading(question, "-"), table(("command", "what it does"), rows)]
    about = (
        "Every option is also a keyword of the Python function of the same name. "
        "``acumen COMMAND --help`` prints the same as the page of a command."
    )
    listed = "\n".join(f"   commands/{name}" for name in names())
    return page("Commands", about, *parts, f".. toctree::\n   :hidden:\n\n{listed}")


def pages_of_commands() -> dict[str, str]:
    """Command -> its page: what it does, examples, arguments and options."""
    return {name: _command(name) for name in names()}


def configuration() -> str:
    """Every key of acumen.toml, a table a command."""
    parts = []
    for name in names():
        keys = options_of(command_of(name))
        rows = [
            (
                literal(key.replace("-", "_")),
                _kind(option),
                _default(option),
                prose(option.help or ""),
            )
            for key, option in keys.items()
        ]
        if rows:
            parts += [anchor(f"key-{name}"), heading(f"[{name}]", "-")]
            parts += [table(("key", "type", "default", "meaning"), rows)]
    about = (
        "The keys that a file ``acumen.toml`` may hold, one table a command. "
        ":doc:`../configuration` says how the file is found and what may not stand in it."
    )
    return page("Keys of acumen.toml", about, *parts)


def exits() -> str:
    """The exit codes."""
    rows = [(literal(str(code)), meaning) for code, meaning in EXITS.items()]
    about = (
        "What a command ends with. Data go to standard output and all talk to standard error. "
        "A traceback is shown with ``--debug`` alone."
    )
    return page("Exit codes", about, table(("code", "meaning"), rows))


def command_of(name: str) -> Any:
    """A command as the command line has it."""
    group: Any = get_command(app)
    return group.get_command(Context(group), name)


def examples(name: str) -> list[str]:
    """The example command lines of a command's help."""
    return re.findall(r"^(?:Example: )?(acumen .*)$", command_of(name).help, re.MULTILINE)


def names() -> Iterator[str]:
    """The commands in the order of the questions that they answer."""
    for answers in QUESTIONS.values():
        yield from answers


def _command(name: str) -> str:
    command = command_of(name)
    text = re.sub(r"^(Examples?: ?.*|acumen .*)$", "", command.help, flags=re.MULTILINE).strip()
    tables = _tables(command)
    for part, inner in getattr(command, "commands", {}).items():
        tables += [f"``acumen {name} {part}``: {_first_line(inner)}", *_tables(inner)]
    lines = "\n".join(f"$ {line}" for line in examples(name))
    whole = page(f"acumen {name}", prose(text), block("console", lines), *tables)
    return f"{anchor(f'command-{name}')}\n\n{whole}"


def _first_line(command: Any) -> str:
    return prose(command.help.partition("\n")[0])


def _tables(command: Any) -> list[str]:
    """The arguments and options of a command, a table a panel."""
    groups: dict[str, list[tuple[str, ...]]] = {}
    for parameter in command.params:
        is_argument = parameter.param_type_name == "argument"
        panel = getattr(parameter, "rich_help_panel", None)
        title = panel or ("Arguments" if is_argument else "Options")
        flags = [parameter.metavar or parameter.name.upper()] if is_argument else parameter.opts
        names, about = ", ".join(map(literal, flags)), prose(parameter.help or "")
        row = (names, _kind(parameter), _default(parameter), about)
        groups.setdefault(title, []).append(row)
    titles = ("name", "type", "default", "meaning")
    return [f"**{title}**\n\n{table(titles, rows)}" for title, rows in groups.items()]


def _kind(parameter: Any) -> str:
    """What an option takes: its type in plain words."""
    annotation = parameter.type_descriptor.annotation
    if get_origin(annotation) is Literal:
        return " or ".join(get_args(annotation))
    one = next(iter(get_args(annotation)), annotation)
    several = parameter.multiple or parameter.nargs == -1
    return WORDS[one] + (", several" if several else "")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    return "" if value in (None, False) or callable(value) else literal(str(value))

"""The reference of the command line: commands and options, ``acumen.toml``, exit codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from typer.main import get_command

from acumen.cli import EXITS, QUESTIONS, app
from acumen.cli.config import options_of
from pages.rst import anchor, block, heading, literal, page, prose, table


def commands() -> str:
    """Every command with its options and examples, by the question that it answers."""
    parts = []
    for question, names in QUESTIONS.items():
        parts += [heading(question, "-")]
        parts += [_command(name) for name in names]
    about = (
        "Every option is also a keyword of the Python function of the same name. "
        "``acumen COMMAND --help`` prints the same as this page."
    )
    return page("Commands", about, *parts)


def configuration() -> str:
    """Every key of acumen.toml, a table a command."""
    parts = []
    for name in _names():
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
    return get_command(app).get_command(None, name)  # type: ignore[attr-defined]


def examples(name: str) -> list[str]:
    """The example command lines of a command's help."""
    return re.findall(r"^(?:Example: )?(acumen .*)$", command_of(name).help, re.MULTILINE)


def _names() -> Iterator[str]:
    for names in QUESTIONS.values():
        yield from names


def _command(name: str) -> str:
    command = command_of(name)
    text = re.sub(r"^(Examples?: ?.*|acumen .*)$", "", command.help, flags=re.MULTILINE).strip()
    groups: dict[str, list[tuple[str, ...]]] = {}
    for parameter in command.params:
        panel = getattr(parameter, "rich_help_panel", None)
        is_argument = parameter.param_type_name == "argument"
        title = panel or ("Arguments" if is_argument else "Options")
        flags = [parameter.metavar or parameter.name.upper()] if is_argument else parameter.opts
        row = (
            ", ".join(map(literal, flags)), _kind(parameter), _default(parameter),
            prose(parameter.help or ""),
        )  # fmt: skip
        groups.setdefault(title, []).append(row)
    tables = [
        f"**{title}**\n\n" + table(("name", "type", "default", "meaning"), rows)
        for title, rows in groups.items()
    ]
    lines = "\n".join(f"$ {line}" for line in examples(name))
    for part, inner in getattr(command, "commands", {}).items():
        tables += [f"``acumen {name} {part}``: {prose(inner.help.partition(chr(10))[0])}"]
    title = heading(f"acumen {name}", "~")
    return "\n\n".join(
        [anchor(f"command-{name}"), title, prose(text), block("console", lines), *tables]
    )


def _kind(parameter: Any) -> str:
    """What an option takes: its type in plain words."""
    annotation = parameter.type_descriptor.annotation
    name = re.sub(r"^list\[(.*)\]$", r"\1", getattr(annotation, "__name__", str(annotation)))
    inner = getattr(annotation, "__args__", None)
    if inner and inner[0] is not type(None):
        name = getattr(inner[0], "__name__", str(inner[0]))
    words = {
        "str": "text", "int": "whole number", "float": "number", "bool": "yes or no",
        "Path": "path",
    }  # fmt: skip
    several = parameter.multiple or getattr(parameter, "nargs", 1) == -1
    return words.get(name, name) + (", several" if several else "")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    return "" if value in (None, False) or callable(value) else literal(str(value))

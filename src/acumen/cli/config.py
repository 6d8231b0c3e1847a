"""Defaults for options from ``acumen.toml``, or ``[tool.acumen]`` of ``pyproject.toml``.

One table a command, its keys the command's long options: ::

    [evaluate]
    bootstrap_resamples = 2000
    confidence = ["llm", "token_msp"]

The working folder's file alone is read, and ``acumen.toml`` goes first. An option on the command
line wins. Where results are written, whether they hold texts of cases, and which endpoint gets
texts and keys is said on the command line or in the environment and nowhere else, so that a file
that lies in a folder cannot choose what is overwritten or given away.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args, get_type_hints

import typer

from acumen.errors import Problem, label, printable, refuse, what_came
from acumen.files.json import decode_text, read_bytes
from acumen.files.toml import parse_toml

OWN_FILE: Final = "acumen.toml"
SHARED_FILE: Final = "pyproject.toml"
NOT_HERE: Final = ("output", "html", "texts", "base_url", "api_key_env", "header", "help", "debug")

_TYPES: Final[Mapping[type, tuple[tuple[type, ...], str]]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str, int, float), "a text"),
}
"""Type of an option -> the TOML types it may be given in, and how a message calls them."""


def defaults_of(
    name: str, command: Any, function: Any, commands: Sequence[str], ctx: Any
) -> dict[str, Any]:
    """The defaults that the folder's file gives to a command, by the name of its parameter."""
    source, tables = _read(Path())
    if not tables:
        return {}
    problems = _strangers(tables, commands, source)
    entries = tables.get(name, {})
    options, kinds = options_of(command), _kinds(function)
    values: dict[str, Any] = {}
    for key, value in entries.items() if isinstance(entries, dict) else ():
        where = f"{name}.{printable(key)}"
        parameter = options.get(key.replace("_", "-"))
        if parameter is None:
            problems.append(Problem(_no_option(key, name, options), field=where))
        elif parameter.name in values:
            problems.append(Problem("is given twice", field=where))
        else:
            try:
                values[parameter.name] = _value(parameter, kinds[parameter.name], value, ctx)
            except ValueError as error:
                problems.append(Problem(str(error), field=where))
    refuse(problems, source)
    return values


def _read(folder: Path) -> tuple[str, dict[str, Any]]:
    """Which file there is, and its tables by command; none in a folder one may not look into."""
    own, shared = folder / OWN_FILE, folder / SHARED_FILE
    if os.path.isfile(own):
        return OWN_FILE, _parsed(own)
    if os.path.isfile(shared) and b"tool.acumen" in read_bytes(shared):
        tool = _parsed(shared).get("tool")
        tables = tool.get("acumen") if isinstance(tool, dict) else None
        return SHARED_FILE, tables if isinstance(tables, dict) else {}
    return OWN_FILE, {}


def _parsed(path: Path) -> dict[str, Any]:
    return parse_toml(decode_text(read_bytes(path), path.name), path.name)


def _strangers(tables: Mapping[str, Any], commands: Sequence[str], source: str) -> list[Problem]:
    """What is no table of a command."""
    problems = []
    prefix = "tool.acumen." if source == SHARED_FILE else ""
    for key, value in tables.items():
        if key not in commands:
            message = (
                f"is no command{_meant(key, commands)}"
                if isinstance(value, dict)
                else f"stands outside a command's table, such as [{prefix}evaluate]"
            )
            problems.append(Problem(message, field=label(key)))
        elif not isinstance(value, dict):
            problems.append(Problem(f"must be a table, not {what_came(value)}", field=key))
    return problems


def options_of(command: Any) -> dict[str, Any]:
    """A command's options that a file may set, by their long name without dashes."""
    return {
        flag.removeprefix("--"): parameter
        for parameter in command.params
        if parameter.param_type_name == "option" and parameter.name not in NOT_HERE
        for flag in parameter.opts
        if flag.startswith("--")
    }


def _no_option(key: str, command: str, options: Mapping[str, Any]) -> str:
    if key in NOT_HERE:
        return "can only be given on the command line"
    known = [name.replace("-", "_") for name in options]
    hint = _meant(key, known) or f" (there are {', '.join(known) or 'none'})"
    return f"is no option of {command}{hint}"


def _meant(key: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(key.replace("-", "_"), known, 1, 0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def _value(parameter: Any, kind: type, value: object, ctx: Any) -> Any:
    """A value as its option takes it; ``ValueError`` says what is wrong with it."""
    content: object
    if not isinstance(value, list):
        one = _scalar(kind, value)
        content = [one] if parameter.multiple else one
    elif parameter.multiple or kind is str:
        several = [_scalar(kind, part) for part in value]
        content = several if parameter.multiple else ",".join(map(str, several))
    else:
        raise ValueError("takes one value, not a list")
    try:
        parameter.process_value(ctx, content)
    except typer.BadParameter as error:
        raise ValueError(printable(error.message, 200)) from None
    return content


def _scalar(kind: type, value: object) -> object:
    """The value, if TOML gave it in a type the option takes."""
    types, name = _TYPES.get(kind, _TYPES[str])
    if isinstance(value, bool) != (kind is bool) or not isinstance(value, types):
        raise ValueError(f"must be {name}, not {what_came(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"must be finite, not {value}")
    return value if kind in (bool, int, float) else str(value)


def _kinds(function: Any) -> dict[str, type]:
    """The type of each parameter of a command, without what makes it optional or a list of them."""
    kinds = {}
    for name, hint in get_type_hints(function).items():
        while get_args(hint):
            hint = next(part for part in get_args(hint) if part is not type(None))
        kinds[name] = hint
    return kinds

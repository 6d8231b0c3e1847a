"""Defaults for options from ``acumen.toml``, or ``[tool.acumen]`` of ``pyproject.toml``.

One table a command, its keys the command's long options: ::

    [evaluate]
    bootstrap_resamples = 2000
    confidence = ["llm", "token_msp"]

The working folder's file alone is read, and ``acumen.toml`` goes first. An option on the command
line wins. What may not stand in the file goes by what an option is and not by its name: a path that
is not declared to be read, since it is written; a secret; what decides whether texts of cases are
shown; and of a command that sends cases every text and every file (model, address, headers, fields,
cases, columns). So a file that lies in a folder chooses neither what is overwritten nor what is
given away; numbers, switches and choices among fixed words it may set.
"""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import typer

from acumen.cli import ONCE
from acumen.declare import Say
from acumen.errors import Problem, label, printable, refuse, what_came
from acumen.files.toml import parse_toml, toml_bytes, toml_text

OWN_FILE: Final = "acumen.toml"
SHARED_FILE: Final = "pyproject.toml"

_TYPES: Final[Mapping[type, tuple[tuple[type, ...], str]]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str, int, float), "a text"),
}
"""Type of an option -> the TOML types it may be given in, and how a message calls them."""


def defaults_of(name: str, command: Any, commands: Sequence[str], ctx: Any) -> dict[str, Any]:
    """The defaults that the folder's file gives to a command, by the name of its parameter."""
    source, tables = _read(Path())
    if not tables:
        return {}
    problems = _strangers(tables, commands, source)
    entries = tables.get(name, {})
    options, kinds = options_of(command), _kinds(command)
    values: dict[str, Any] = {}
    for key, value in entries.items() if isinstance(entries, dict) else ():
        where = f"{name}.{printable(key)}"
        parameter = options.get(key.replace("_", "-"))
        if parameter is None:
            problems.append(Problem(_no_option(key, name, command), field=where))
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
    if os.path.isfile(shared) and b"tool.acumen" in toml_bytes(shared):
        tool = _parsed(shared).get("tool")
        tables = tool.get("acumen") if isinstance(tool, dict) else None
        return SHARED_FILE, tables if isinstance(tables, dict) else {}
    return OWN_FILE, {}


def _parsed(path: Path) -> dict[str, Any]:
    return parse_toml(toml_text(path), path.name)


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
    hints = _hints(command)
    return {
        flag: parameter
        for flag, parameter in _flags(command)
        if parameter.name not in ONCE and _may_stand(hints.get(parameter.name))
    }


def _flags(command: Any) -> Iterator[tuple[str, Any]]:
    """Every option by its long names without dashes."""
    for parameter in command.params:
        if parameter.param_type_name == "option":
            for flag in parameter.opts:
                if flag.startswith("--"):
                    yield flag.removeprefix("--"), parameter


def _may_stand(hint: Any) -> bool:
    """Whether an option of such a declaration may stand in a file that lies in a folder."""
    marks = [mark for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Say)]
    if any(mark.is_by_hand or mark.is_secret for mark in marks):
        return False
    return _kind(hint) is not Path or any(mark.is_file for mark in marks)


def _no_option(key: str, name: str, command: Any) -> str:
    if key.replace("_", "-") in dict(_flags(command)):
        return "can only be given on the command line or in the environment"
    known = [option.replace("-", "_") for option in options_of(command)]
    hint = _meant(key, known) or f" (there are {', '.join(known) or 'none'})"
    return f"is no option of {name}{hint}"


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


def _hints(command: Any) -> dict[str, Any]:
    """What each parameter of a command is declared as."""
    function = getattr(command, "callback", None)
    return get_type_hints(function, include_extras=True) if function is not None else {}


def _kinds(command: Any) -> dict[str, Any]:
    return {name: _kind(hint) for name, hint in _hints(command).items()}


def _kind(hint: Any) -> Any:
    """A type without what makes it optional or a list; a choice of fixed words is a text."""
    while get_args(hint):
        if get_origin(hint) is Literal:
            return str
        hint = next(part for part in get_args(hint) if part is not type(None))
    return hint

"""What a parameter means, said once, where it is declared: ``Annotated[float, say("…")]``.

The command line and its help, Python's documentation, the keys of ``acumen.toml``, the command that
makes a result again and the reference pages are all derived from it.
"""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, get_args, get_origin

SIMPLE: Final = (bool, int, float, str, Path)
"""What the command line takes without being told how."""


@dataclass(frozen=True, slots=True)
class Say:
    """What a parameter means, and how the command line takes it."""

    text: str
    flags: tuple[str, ...] = ()
    """Its names on the command line, where the parameter's own is not the only one."""
    kind: Any = None
    """Its type on the command line, where Python takes more than text and numbers."""
    metavar: str | None = None
    panel: str | None = None
    """The heading that it stands under in help."""
    least: float | None = None
    most: float | None = None
    more: str = ""
    """What Python's documentation adds."""
    is_input: bool = False
    """Whether it is given by its place: a file, or several."""
    alias: str | None = None
    """Of an input: an option that gives the same."""
    also: tuple[str, str, str] | None = None
    """A flag that stands for an input: its name, the input, and its help."""
    is_on_command_line: bool = True
    is_secret: bool = False
    """Whether no document may keep it."""
    is_file: bool = False
    """Whether it names a file that is read, which no output may overwrite."""
    is_by_hand: bool = False
    """Whether no file that lies in a folder may say it: it decides what is sent, or shown."""


def say(text: str, *flags: str, **facts: Any) -> Say:
    """An option, with its help."""
    return Say(text, flags, **facts)


def given(text: str, **facts: Any) -> Say:
    """An input, which is given by its place."""
    return Say(text, is_input=True, is_file=True, **facts)


def python(text: str) -> Say:
    """A keyword of Python alone."""
    return Say(text, is_on_command_line=False)


def taken_by(taker: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of some values that a function or a class takes under their names.

    What a question declares reaches the parts that need it this way, not one line a keyword.

    >>> taken_by(sorted, {"reverse": True, "loss": "abs"})
    {'reverse': True}
    """
    names = inspect.signature(taker).parameters
    return {name: value for name, value in values.items() if name in names}


class Unknown:
    """Stands for a type that only type checkers import."""

    def __class_getitem__(cls, _: Any) -> type[Unknown]:
        return cls


class _Names(dict[str, Any]):
    """The names of a module, and of types that it does not import at run time."""

    def __missing__(self, name: str) -> Any:
        return Unknown


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a question, as its function declares it."""

    name: str
    say: Say
    annotation: Any
    default: Any
    is_needed: bool = False
    is_several: bool = False
    """Whether any number may be given by their place."""
    is_reading: bool = False
    """Whether it says how rows are read, as many questions have it."""

    @property
    def kind(self) -> Any:
        """Its type on the command line."""
        if self.say.kind is not None:
            return self.say.kind
        parts = get_args(self.annotation) if get_origin(self.annotation) is not None else ()
        if typing.Literal in (get_origin(self.annotation),):
            return self.annotation
        known = [part for part in parts or (self.annotation,) if part in SIMPLE]
        if len(known) != 1 or {*parts} - {*known, type(None)}:
            raise TypeError(f"{self.name}: say its kind on the command line")
        return self.annotation

    @property
    def option(self) -> str:
        """Its long name on the command line."""
        long = [flag for flag in self.say.flags if flag.startswith("--")]
        return long[0] if long else f"--{self.name.replace('_', '-')}"

    @property
    def is_repeated(self) -> bool:
        """Whether it is an option that may be given several times."""
        return get_origin(_without_none(self.kind)) is list

    @property
    def is_free(self) -> bool:
        """Whether it is a text, which may be a place, a secret or somebody's words."""
        return not {str, Path}.isdisjoint(_simple(self.kind))

    def by_hand(self) -> Parameter:
        """The same, which no file that lies in a folder may say."""
        return replace(self, say=replace(self.say, is_by_hand=True))

    def words(self, value: Any) -> list[str] | None:
        """A value as words of a command line; None where it has no words."""
        if value is None or value is False or value == self.default or self.say.is_secret:
            return []
        if value is True:
            return [self.option]
        values = [value] if isinstance(value, str | Path | int | float) else value
        if not isinstance(values, Sequence) or not all(
            isinstance(part, str | Path | int | float) and not isinstance(part, bool)
            for part in values
        ):
            return None
        texts = [f"{part:g}" if isinstance(part, float) else str(part) for part in values]
        if self.is_repeated:
            return [word for text in texts for word in (self.option, text)]
        return [self.option, ",".join(texts)]


def _simple(kind: Any) -> Iterator[Any]:
    """The types in a type: of a list those of its parts; of fixed words none."""
    if get_origin(kind) is None:
        yield kind
    elif get_origin(kind) is not typing.Literal:
        for part in get_args(kind):
            yield from _simple(part)


def _without_none(kind: Any) -> Any:
    parts = [part for part in get_args(kind) if part is not type(None)]
    return parts[0] if type(None) in get_args(kind) and len(parts) == 1 else kind


def parameters_of(function: Callable[..., Any]) -> Iterator[Parameter]:
    """The parameters of a function, in order; keywords of a table of them come last."""
    names = _Names(vars(builtins) | function.__globals__)
    hints = typing.get_type_hints(function, {}, names, include_extras=True)
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        if parameter.kind is parameter.VAR_KEYWORD:
            yield from keywords_of(get_args(hint)[0])
            continue
        annotation, what = _parts(hint, f"{function.__name__}, {parameter.name}")
        is_several = parameter.kind is parameter.VAR_POSITIONAL
        is_needed = parameter.default is parameter.empty and not is_several
        default = None if parameter.default is parameter.empty else parameter.default
        yield Parameter(parameter.name, what, annotation, default, is_needed, is_several)


@functools.cache
def keywords_of(table: Any) -> tuple[Parameter, ...]:
    """The keywords of a ``TypedDict``, each with what it means."""
    names = _Names(vars(builtins))
    for hint in table.__annotations__.values():  # those of a base are of another module
        module = getattr(hint, "__forward_module__", None) or table.__module__
        names.update(vars(sys.modules[module]))
    hints = typing.get_type_hints(table, {}, names, include_extras=True)
    parts = {name: _parts(hint, name) for name, hint in hints.items()}
    return tuple(
        Parameter(name, what, annotation, False if annotation is bool else None, is_reading=True)
        for name, (annotation, what) in parts.items()
    )


def _parts(hint: Any, where: str) -> tuple[Any, Say]:
    annotation, *facts = get_args(hint) if get_origin(hint) is typing.Annotated else (hint,)
    what = next((fact for fact in facts if isinstance(fact, Say)), None)
    if what is None:
        raise TypeError(f"{where}: say what it means")
    return annotation, what

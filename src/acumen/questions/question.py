"""A question: one function, whose signature says all there is to know of it.

From the declaration follow the command and its help, the Python function and its documentation, the
keys of ``acumen.toml``, the command that makes a result again, and the reference pages. The body of
the function makes the document; whoever calls it gets a :class:`~acumen.questions.result.Result`.

Neither this module nor those that declare questions import anything heavy at their top: the command
line imports them all to show its help.
"""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent, wrap
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Protocol, TypeVar, overload

from acumen.declare import Parameter, parameters_of
from acumen.errors import UsageError, printable

if TYPE_CHECKING:
    from pydantic import BaseModel

    from acumen.questions.result import Result

P = ParamSpec("P")
D = TypeVar("D", bound="BaseModel")
R = TypeVar("R", bound="Result[Any]")

READING: Final = (
    'How rows are read: ``truth="human_rating"``, ``scale=[1, 2, 3, 4, 5]``, '
    '``mapping="m.toml"`` and all the others of :class:`~acumen.readers.reading.Reading`.'
)


@dataclass(frozen=True, eq=False)
class Question:
    """A question that one may ask of data, and all that is known of it."""

    name: str
    function: Callable[..., Any]
    examples: tuple[str, ...]
    """Command lines for its help."""
    keep: Callable[[Any], str] | None = None
    """What ``--output`` writes of the document, where it is not the document itself."""
    hand_over: tuple[str, str] | None = None
    """An option, and the question that answers instead where it is given."""
    sends: bool = False
    """Whether it sends cases somewhere: a person says every text and file of it."""
    slices: bool = False
    """Whether ``group`` alone slices; elsewhere ``by`` does, or nothing."""
    says: str | None = None
    """A parameter that is called with what is known so far, which a screen shows line by line."""

    def refuse_idle(self, keywords: Mapping[str, Any], *, typed: bool) -> None:
        """Refuse a group that nothing would be made of.

        In Python the result has the table: a group may be read now and sliced by later.
        """
        by = [part.strip() for name in _listed(keywords.get("by")) for part in name.split(",")]
        idle = [name for name in _listed(keywords.get("group")) if name not in by]
        if idle and not self.slices:
            does = any(p.name == "by" for p in self.options)
            if does and not typed:
                return
            instead = f"slice by it with --by {idle[0]}" if does else "leave it out"
            raise UsageError(
                f"--group {printable(idle[0])} alone has no effect in acumen {self.name}: {instead}"
            )

    @functools.cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its parameters, in order; those that say how rows are read come last."""
        return tuple(parameters_of(self.function))

    @property
    def inputs(self) -> list[Parameter]:
        """What is given by its place."""
        return [parameter for parameter in self.parameters if parameter.say.is_input]

    @property
    def options(self) -> list[Parameter]:
        """What is given by its name on the command line."""
        own = [p for p in self.parameters if p.say.is_on_command_line and not p.say.is_input]
        return [p.by_hand() if self.sends and p.is_free else p for p in own]

    @property
    def text(self) -> str:
        """What it does, with its notes."""
        return inspect.cleandoc(self.function.__doc__ or "").partition("\n\nExamples\n--------")[0]

    @property
    def documentation(self) -> str:
        """The docstring of its Python function: the text, every parameter, then the examples."""
        examples = inspect.cleandoc(self.function.__doc__ or "")[len(self.text) :]
        own = {p.name: f"{p.say.text} {p.say.more}" for p in self.parameters if not p.is_reading}
        own |= {"reading": READING} if len(own) < len(self.parameters) else {}
        entries = [f"{name}\n{indent(_filled(text), '    ')}" for name, text in own.items()]
        return "\n".join([self.text, "", "Parameters", "----------", *entries]) + examples + "\n"

    def command(self, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> str | None:
        """The command line that asks it with these arguments; None where they have no words."""
        words, left = ["acumen", *self.name.split()], list(arguments)
        for parameter in self.inputs:
            taken, left = (left, []) if parameter.is_several else (left[:1], left[1:])
            taken = taken or [keywords[n] for n in [parameter.name] if n in keywords]
            for value in taken:
                if parameter.say.also is not None and value == parameter.say.also[1]:
                    words.append(parameter.say.also[0])
                    continue
                source = getattr(value, "source", None)  # of a table that was read from a file
                path = value if source is None else source.path
                if not isinstance(path, str | Path):
                    return None
                words += [str(path), *(["--mode", source.mode] if source and source.mode else [])]
        for parameter in self.options:
            own = parameter.words(keywords.get(parameter.name))
            if own is None:
                return None
            words += own
        return shlex.join(words)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _filled(text: str) -> str:
    return "\n".join(wrap(" ".join(text.split()), 92))


class Declaration(Protocol):
    """Makes a question of a function that returns a document, or its result."""

    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, D], /) -> Callable[P, Result[D]]: ...


def question(
    *examples: str,
    keep: Callable[[Any], str] | None = None,
    hand_over: tuple[str, str] | None = None,
    sends: bool = False,
    slices: bool = False,
    says: str | None = None,
    name: str | None = None,
) -> Declaration:
    """Declare a question: the function makes the document, and its callers get a result."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        own = name or function.__name__.rstrip("_")
        asked = Question(own, function, examples, keep, hand_over, sends, slices, says)

        @functools.wraps(function)
        def ask(*arguments: Any, **keywords: Any) -> Any:
            from acumen.questions.result import result_of

            asked.refuse_idle(keywords, typed=False)
            answer = function(*arguments, **keywords)
            return result_of(answer, asked.command(arguments, keywords))

        return _documented(ask, asked)  # type: ignore[no-any-return]  # the same, with facts

    return declare


def _documented(function: Any, asked: Question) -> Any:
    """The function with its declaration, and with the documentation that follows from it."""
    signature = inspect.signature(asked.function)
    answer = str(signature.return_annotation)
    if answer.endswith(("Document", "Artifact", "Survey")):
        signature = signature.replace(return_annotation=f"Result[{answer}]")
    function.__signature__, function.question = signature, asked
    function.__doc__ = asked.documentation
    return function


def question_of(function: Any) -> Question:
    """The declaration behind a public function."""
    asked: Question = function.question
    return asked

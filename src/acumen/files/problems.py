"""Documents with a schema: pydantic checks them, and this tells its errors as ours.

The one adaptor: each error says where (path, and line where the source is TOML), what came, what is
allowed; all come at once. The models that are read this way are those ``acumen schema`` prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from acumen.errors import DataError, Problem, label, printable, what_came
from acumen.files.toml import Lines, Path, parse_toml

M = TypeVar("M", bound=BaseModel)
_BRANCHES: Final = (("str",), ("int",), ("float",), ("bool",))
"""How pydantic ends the path of an error in one of several kinds a value may be of."""
_OURS: Final = "acumen"
"""The type of an error whose message is ours already."""


@dataclass(frozen=True, slots=True)
class ReadingMode:
    """How a document is read: as a whole, or as a draft; and what its tables are called."""

    draft: bool = False
    table: str = "an object"


def refusal(lines: Iterable[tuple[Path, str]]) -> ValidationError:
    """What a validator raises that has several things to say, each with its path from there."""
    errors = [
        InitErrorDetails(
            type=PydanticCustomError(_OURS, "{message}", {"message": message}), loc=path, input=None
        )
        for path, message in lines
    ]
    return ValidationError.from_exception_data("document", errors)


def lines_of(error: ValidationError) -> list[tuple[Path, str]]:
    """Paths and messages of an error that a :class:`Document` raised."""
    return [(entry["loc"], entry["msg"]) for entry in error.errors(include_input=False)]


def validated(
    document: object, model: type[M], source: str, *, lines: Lines | None = None, at: str = ""
) -> M:
    """A document as its model, or every problem; ``at`` is where in the file it stands."""
    record, problems = _read(document, model, source, lines, at)
    if record is None:
        raise DataError(_by_line(problems), source=source)
    return record


class Draft(Generic[M]):
    """A TOML document as far as it can be read; ``problems`` is what is wrong with the rest.

    Every :data:`Part` of ``table`` that is not sound is None, so that what needs another part can
    still be looked at.
    """

    def __init__(self, text: str, model: type[M], source: str) -> None:
        self.source = source
        self.lines = Lines(text)
        document = parse_toml(text, source)
        table, self.problems = _read(document, model, source, self.lines, "")
        self.table = table or model.model_validate(document, context=ReadingMode(draft=True))

    def wrong(self, path: Path, message: str) -> None:
        """Note one problem, with the line of the key it is about."""
        self.problems.append(Problem(message, field=place(path), line=self.lines.find(path)))

    @property
    def refusal(self) -> DataError:
        """All that is wrong, in the order of the file; what has no line comes first."""
        return DataError(_by_line(self.problems), source=self.source)


def _by_line(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.line or 0)


def _read(
    document: object, model: type[M], source: str, lines: Lines | None, at: str
) -> tuple[M | None, list[Problem]]:
    reading = ReadingMode(table="an object" if lines is None else "a table")
    try:
        return model.model_validate(document, context=reading), []
    except RecursionError:
        raise DataError(["is nested too deep"], source=source) from None
    except ValidationError as error:
        problems = []
        for path, message in _by_place(error, reading.table):
            field = ".".join(part for part in (at, place(path)) if part)
            line = None if lines is None else lines.find(path)
            problems.append(Problem(message, field=field or None, line=line))
        return None, problems


def _by_place(error: ValidationError, table: str) -> Iterator[tuple[Path, str]]:
    """Paths and messages; a value that is none of several plain kinds is one problem."""
    places: dict[Path, list[ErrorDetails]] = {}
    for entry in error.errors(include_url=False):
        path = entry["loc"]
        is_branch = path[-1:] in _BRANCHES and entry["type"] in _MUST and "ctx" not in entry
        places.setdefault(path[:-1] if is_branch else path, []).append(entry)
    for path, entries in places.items():
        kinds = [_MUST[entry["type"]]({}) for entry in entries if entry["loc"] != path]
        if len(kinds) > 1:
            yield path, f"must be {' or '.join(kinds)}, not {what_came(entries[0]['input'])}"
        else:
            yield from ((entry["loc"], message_of(entry, table)) for entry in entries)


def place(path: Path) -> str:
    """A path as messages show it.

    >>> place(("rules", 0, "where"))
    'rules[0].where'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{label(step)}" for step in path)
    return "".join(steps).removeprefix(".")


_MUST: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "string_type": lambda _: "text",
    "int_type": lambda _: "a whole number",
    "int_from_float": lambda _: "a whole number",
    "float_type": lambda _: "a number",
    "bool_type": lambda _: "true or false",
    "list_type": lambda _: "a list",
    "finite_number": lambda _: "finite",
    "literal_error": lambda ctx: ctx["expected"],
    "greater_than": lambda ctx: f"greater than {ctx['gt']:g}",
    "greater_than_equal": lambda ctx: f"at least {ctx['ge']:g}",
    "less_than": lambda ctx: f"below {ctx['lt']:g}",
    "less_than_equal": lambda ctx: f"at most {ctx['le']:g}",
}
"""What a value must be, by the type of pydantic's error."""


def message_of(error: ErrorDetails, table: str) -> str:
    """What is wrong: what came, what is allowed; of the value no more than ``what_came`` shows."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    match kind:
        case "missing":
            return "is missing"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"must be {table}, not {what_came(value)}"
        case "string_too_short" | "too_short" if context["min_length"] == 1:
            return "must not be empty"
        case "string_too_long":
            return f"is longer than {context['max_length']:,} characters"
        case "float_type" if isinstance(value, int) and not isinstance(value, bool):
            return f"{what_came(value)} is too large: a number must be finite"
        case "value_error":
            return str(context["error"])
        case "less_than_equal" if error["loc"][-1:] == ("schema_version",):
            newest = f"this acumen reads up to {context['le']}: update it"
            return f"{what_came(value)} is not known; {newest}"
    if kind in _MUST:
        return f"must be {_MUST[kind](context)}, not {what_came(value)}"
    message = error["msg"]
    return message if kind == _OURS else printable(message[:1].lower() + message[1:], limit=200)

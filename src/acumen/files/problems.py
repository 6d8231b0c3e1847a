"""Documents with a schema: pydantic checks them, and its errors are told as ours.

The one adaptor: each error says where (path, and line where the source is TOML), what came, what is
allowed; all come at once. The models that are read this way are those ``acumen schema`` prints.
"""

from __future__ import annotations

import difflib
import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, ClassVar, Final, Generic, Self, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import with_info_wrap_validator_function

from acumen.errors import DataError, Problem, label, printable, what_came
from acumen.files.toml import parse_toml
from acumen.files.toml_lines import Lines
from acumen.files.toml_lines import Path as Path  # for those whose validators tell paths

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
_OURS: Final = "told"
"""The type of an error whose message is ours already."""
_ABSENT: Final = object()


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a document is read: as a whole, or as a draft; and what its tables are called."""

    draft: bool = False
    table: str = "an object"


class Document(BaseModel):
    """A table of a file: no unknown key, no value of another kind. ``noun`` is what it is called.

    A misspelt key is named together with the one that seems to be meant, and that one is then not
    called missing.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
    noun: ClassVar[str] = "document"
    _unknown: dict[str, str | None] = PrivateAttr(default_factory=dict)

    @property
    def unknown(self) -> Mapping[str, str | None]:
        """Of a draft: its unknown keys, each with the key that seems to be meant."""
        return self._unknown

    @model_validator(mode="wrap")
    @classmethod
    def _check(
        cls, value: object, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        reading = info.context or _Reading()
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise refusal([((), f"must be {reading.table}, not {what_came(value)}")])
        keys = {field.alias or name: field for name, field in cls.model_fields.items()}
        unknown = _unknown(value, keys)
        if reading.draft:
            known = (k for k, field in keys.items() if k in value or field.is_required())
            value = {key: value.get(key, _ABSENT) for key in known}
        try:
            document = handler(value)
        except ValidationError as error:
            raise refusal(cls._lines(error, keys, unknown, reading)) from None
        document._unknown = unknown
        return document

    @classmethod
    def _lines(
        cls,
        error: ValidationError,
        keys: Mapping[str, FieldInfo],
        unknown: Mapping[str, str | None],
        reading: _Reading,
    ) -> Iterator[tuple[Path, str]]:
        for entry in error.errors(include_url=False):
            path, message = entry["loc"], _message(entry, reading.table)
            key = str(path[0]) if len(path) == 1 else None
            match entry["type"]:
                case "extra_forbidden" if key is not None:
                    guess = unknown[key]
                    hint = f"; is '{guess}' meant?" if guess else ""
                    yield path, f"is not a key of a {cls.noun}{hint}"
                case "missing" if key is not None:
                    about = keys[key].description
                    if key not in unknown.values():
                        yield path, f"{message}: {about}" if about else message
                case "string_pattern_mismatch" if key is not None:
                    yield path, f"must be {keys[key].description}, not {what_came(entry['input'])}"
                case _:
                    yield path, message


def _unknown(table: Mapping[str, object], known: Iterable[str]) -> dict[str, str | None]:
    free = [key for key in known if key not in table]
    close = {k: difflib.get_close_matches(str(k), free, 1) for k in table if k not in known}
    return {key: guesses[0] if guesses else None for key, guesses in close.items()}


class _OrNone:
    """Of ``T | None``, only a T is sound; in a draft, None stands for what is not."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        kinds = (kind for kind in get_args(source) if kind is not NoneType)
        inner = handler(functools.reduce(operator.or_, kinds))
        return with_info_wrap_validator_function(_or_none, inner)


def _or_none(value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    try:
        return handler(value)
    except ValidationError:
        if (info.context or _Reading()).draft:
            return None
        raise


Part = Annotated[T | None, _OrNone()]
"""A value that a draft of its document may lack: the other values are looked at all the same."""


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _as_written(value: object, handler: ValidatorFunctionWrapHandler) -> object:
    handler(value)
    return value


Text = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
"""A text with something in it."""
AS_WRITTEN: Final = WrapValidator(_as_written)
"""Checked as its type, kept as it came: a whole number is no float."""


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
    document: object,
    model: type[M],
    source: str,
    *,
    lines: Lines | None = None,
    at: str = "",
) -> M:
    """A document as its model; ``DataError`` with every problem. ``at`` is its place in the file.

    >>> class Stars(Document):
    ...     noun = "rating"
    ...     stars: int
    >>> validated({"star": 3}, Stars, "r.json")
    Traceback (most recent call last):
    acumen.errors.DataError: r.json: star: is not a key of a rating; is 'stars' meant?
    """
    made, problems = _read(document, model, source, lines, at)
    if made is None:
        raise DataError(_by_line(problems), source=source)
    return made


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
        self.table = table or model.model_validate(document, context=_Reading(draft=True))

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
    reading = _Reading(table="an object" if lines is None else "a table")
    try:
        return model.model_validate(document, context=reading), []
    except RecursionError:
        raise DataError(["is nested too deep"], source=source) from None
    except ValidationError as error:
        problems = []
        for entry in error.errors(include_url=False):
            field = ".".join(part for part in (at, place(entry["loc"])) if part)
            line = None if lines is None else lines.find(entry["loc"])
            message = _message(entry, reading.table)
            problems.append(Problem(message, field=field or None, line=line))
        return None, problems


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


def _message(error: ErrorDetails, table: str) -> str:
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
    if kind in _MUST:
        return f"must be {_MUST[kind](context)}, not {what_came(value)}"
    message = error["msg"]
    return message if kind == _OURS else printable(message[:1].lower() + message[1:], limit=200)

"""Base of the models that read a file by its keys, and the types of their values."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic.fields import FieldInfo

from acumen.errors import what_came
from acumen.files.problems import ReadingMode, message_of, refusal
from acumen.files.toml import Path

T = TypeVar("T")
_ABSENT: Final = object()


class Document(BaseModel):
    """A table of a file: no unknown key, no value of another kind. ``noun`` is what it is called.

    >>> from acumen.files.problems import validated
    >>> class Stars(Document):
    ...     noun = "rating"
    ...     stars: int
    >>> validated({"star": 3}, Stars, "r.json")
    Traceback (most recent call last):
    acumen.errors.DataError: r.json: star: is not a key of a rating; is 'stars' meant?

    The key that a misspelt one seems to mean is not called missing.
    """

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)
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
        reading = info.context or ReadingMode()
        if isinstance(value, cls):
            return value
        if not isinstance(value, dict):
            raise refusal([((), f"must be {reading.table}, not {what_came(value)}")])
        keys = {field.alias or name: field for name, field in cls.model_fields.items()}
        forbids = cls.model_config["extra"] == "forbid"
        unknown = _unknown(value, keys) if forbids else {}
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
        reading: ReadingMode,
    ) -> Iterator[tuple[Path, str]]:
        for entry in error.errors(include_url=False):
            path, message = entry["loc"], message_of(entry, reading.table)
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


def _or_none(value: object, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    try:
        return handler(value)
    except ValidationError:
        if (info.context or ReadingMode()).draft:
            return None
        raise


if TYPE_CHECKING:
    Part: TypeAlias = T | None
else:
    Part = Annotated[T, WrapValidator(_or_none)]
"""Only a T is sound; in a draft None stands for what is not, and the others are looked at."""


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

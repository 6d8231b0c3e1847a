"""The mapping file: which column or path plays which role, in one grammar for every source of rows.

A format has a mapping of its own, a file of the user's goes over it, and what is said on the
command line or in a call goes over both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from acumen.errors import UsageError, printable
from acumen.files.documents import Document, Text
from acumen.files.json import source_name
from acumen.files.problems import validated
from acumen.files.toml import Lines, parse_toml, shipped, shipped_text, toml_text
from acumen.readers.paths import parse_path
from acumen.readers.patterns import checked_pattern

_SHIPPED: Final = "acumen.readers.mappings"
OutcomeName = Literal["abstained", "refused", "unparseable", "unscored", "failed"]
Scalar = str | int | float | bool


def _passes(check: Callable[..., object], **options: Any) -> AfterValidator:
    """That a text is let through as it is, unless a check refuses it."""

    def let_through(text: str) -> str:
        check(text, **options)
        return text

    return AfterValidator(let_through)


def _listed(value: object) -> object:
    return value if isinstance(value, list) or value is None else [value]


class _OneToo:
    """In the schema, that one of them may stand without a list around it."""

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Any:
        schema = handler(core)
        return {"anyOf": [schema["items"], schema]}


PathText = Annotated[Text, _passes(parse_path)]
Rules = Annotated["list[Rule]", BeforeValidator(_listed), _OneToo()]
Scalars = Annotated[list[Scalar], BeforeValidator(_listed), _OneToo()]
Words = Annotated[list[str], BeforeValidator(_listed), _OneToo()]


class Cell(Document):
    """Where a value stands, and how it is taken out of what stands there."""

    noun = "column"
    path: Text = Field(description="a column's name, or a path into nested rows")
    is_json: bool = Field(
        default=False, alias="json", description="whether it is JSON kept as text"
    )
    then: PathText | None = Field(default=None, description="a path inside of that JSON")
    extract: Annotated[Text, _passes(checked_pattern, groups=1)] | None = Field(
        default=None, description="a regular expression with one group: the value"
    )
    labels: dict[str, Scalar] = Field(default_factory=dict, description="text -> level")

    @classmethod
    def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
        """A text is a path, or a table."""
        return {"anyOf": [{"type": "string", "minLength": 1}, handler(core)]}


_Cell = Annotated[Cell, BeforeValidator(lambda v: {"path": v} if isinstance(v, str) else v)]
_Cells = Annotated[list[_Cell], Field(min_length=1), BeforeValidator(_listed), _OneToo()]


class Columns(Document):
    """Role -> column."""

    noun = "table of columns"
    case: _Cell | None = None
    item: _Cell | None = None
    truth: _Cells | None = Field(default=None, description="one column, or one for each rater")
    prediction: _Cells | None = Field(default=None, description="one column, or one a system")
    confidence: _Cells | None = Field(
        default=None, description="one column, or one for each prediction"
    )
    distribution: _Cells | None = Field(
        default=None, description="a column for each level, or one of lists or mappings"
    )
    outcome: _Cell | None = None
    risk_score: _Cell | None = None
    weight: _Cell | None = None
    rater: _Cell | None = None
    repeat: _Cell | None = None
    system: _Cell | None = None
    group: _Cells | None = Field(default=None, description="columns to slice by")


class Rule(Document):
    """What must hold of a row; everything that is said must."""

    noun = "rule"
    path: Text | None = None
    equals: Scalars | None = None
    null: bool | None = None
    nan: bool | None = None
    absent: bool | None = None
    matches: Annotated[Text, _passes(checked_pattern)] | None = None
    every: list[Rule] = Field(
        default_factory=list, alias="all", description="rules that must hold together"
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        says = {"equals", "null", "nan", "absent", "matches"} & self.model_fields_set
        if says and self.path is None:
            raise ValueError("needs a path: of which value?")
        if not says and not self.every:
            raise ValueError("says nothing: equals, null, nan, absent, matches or all")
        return self


class MappingTable(Document):
    """How the rows of a file are judgments."""

    noun = "mapping"
    format: Text | None = Field(default=None, description="the file's format; else by its content")
    rows: Annotated[Text, _passes(parse_path, explodes=True)] | None = Field(
        default=None, description="path to the rows of a JSON document"
    )
    scale: Text | None = Field(default=None, description="a scale's name or file")
    levels: list[int | float | str] | str | None = Field(
        default=None, description="the levels, lowest first"
    )
    columns: Columns = Field(default_factory=Columns)
    outcome: dict[OutcomeName, Rules] = Field(
        default_factory=dict, description="the outcome of a row: the first rule that holds"
    )
    signals: dict[str, _Cell] = Field(default_factory=dict, description="further numbers, by name")
    where: dict[str, Scalars] = Field(
        default_factory=dict, description="only rows that have one of these values"
    )
    abstain: Words = Field(default_factory=list, description="words that mean no answer")
    unanswerable: Annotated[list[Text], BeforeValidator(_listed), _OneToo()] = Field(
        default_factory=list, description="words of the truth: this row cannot be judged"
    )
    unparseable: Literal["abstained", "failed"] = "abstained"
    point: Literal["mode", "median", "mean", "loss"] | None = Field(
        default=None, description="which level is taken of the probabilities"
    )
    confidence_range: Annotated[list[float], Field(min_length=2, max_length=2)] | None = Field(
        default=None, description="the lowest and the highest possible confidence"
    )
    complete: bool = Field(default=False, description="refuse cases that lack an item of others")
    strict: bool = Field(default=False, description="refuse rows without truth")
    truth_is: Text | None = Field(
        default=None, description="of several raters: a name, median, mean, majority or panel"
    )

    @property
    def roles(self) -> dict[str, Sequence[Cell]]:
        """The columns of each role that has any."""
        cells = ((role, cells) for role, cells in self.columns if cells is not None)
        return {role: own if isinstance(own, list) else [own] for role, own in cells}


def find_mapping(mapping: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """A mapping by its name, from a TOML file, or as it is; checked, as plain tables."""
    if isinstance(mapping, Mapping):
        document, name, lines = dict(mapping), "mapping", None
    else:
        text, name = _text(mapping)
        document, lines = parse_toml(text, name), Lines(text)
    validated(document, MappingTable, name, lines=lines)
    scale = document.get("scale")
    if isinstance(scale, str) and scale.endswith(".toml") and not isinstance(mapping, Mapping):
        document["scale"] = str(Path(mapping).parent / scale)  # beside the file that names it
    return document


def _text(mapping: str | Path) -> tuple[str, str]:
    if isinstance(mapping, Path) or mapping.endswith(".toml"):
        return toml_text(mapping), source_name(mapping)
    names = shipped(_SHIPPED)
    if mapping not in names:
        known = ", ".join(names) or "none that ship"
        raise UsageError(f"no mapping '{printable(mapping)}'; there are {known}, or a .toml file")
    return shipped_text(_SHIPPED, mapping), f"{mapping}.toml"


def resemblance(names: Collection[str]) -> str:
    """A hint at the shipped mapping whose columns are all there; or ""."""
    for name in shipped(_SHIPPED):
        paths = [cell for cell in find_mapping(name)["columns"].values() if isinstance(cell, str)]
        if {*paths} <= {*names}:
            return f"this looks like a file of {name}: --mapping {name} reads it"
    return ""


def merged(*mappings: Mapping[str, Any]) -> MappingTable:
    """Mappings laid over each other, the last on top; its rules of outcomes are tried first."""
    out: dict[str, Any] = {}
    for mapping in mappings:
        for key, value in mapping.items():
            if value is None:
                continue
            if key == "outcome":
                below = {k: v for k, v in out.get(key, {}).items() if k not in value}
                out[key] = {**value, **below}
            elif isinstance(value, Mapping):
                out[key] = {**out.get(key, {}), **value}
            else:
                out[key] = value
    return validated(out, MappingTable, "mapping")

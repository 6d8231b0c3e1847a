"""What ``acumen map`` says of a file."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from acumen.values.measured import Model


class ColumnPart(Model):
    """A column: what stands in it, and which role it may play."""

    path: str
    role: str | None = None
    reason: str = ""
    kind: str
    distinct: int
    missing: int = 0
    values: list[Any] = Field(default_factory=list, description="its levels, where they are few")


class Question(Model):
    """Something one may want to know, and whether the file can tell."""

    about: str
    possible: bool
    command: str | None = Field(None, description="what to run")
    lacks: str | None = Field(None, description="what would change it")


class Survey(Model):
    """What is in a file, which roles its columns may play, and what can be measured with it."""

    kind: Literal["survey"] = "survey"
    command: str | None = Field(default=None, description="what makes it again")
    file: str
    format: str
    rows: int
    cases: int | None = None
    items: int | None = None
    levels: list[Any] | None = None
    columns: dict[str, str] = Field(default_factory=dict, description="role -> column")
    outcomes: dict[str, int] = Field(default_factory=dict)
    measurable: dict[str, Question] = Field(default_factory=dict)
    details: list[ColumnPart] = Field(default_factory=list)
    sure: bool = Field(default=False, description="whether acumen FILE alone evaluates it so")
    notes: list[str] = Field(default_factory=list)
    problems: list[str] = Field(
        default_factory=list, description="why it cannot be read as a table yet"
    )
    mapping: dict[str, Any] = Field(default_factory=dict, description="a mapping to start from")

"""How rows are to be read: the keywords of every door, which are the options of every command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypedDict

from acumen.errors import UsageError, label, printable

if TYPE_CHECKING:
    from acumen.table.scale import Scale

ROLES: Final = {
    keyword: keyword.removesuffix("_column")
    for keyword in (
        *("case", "item", "truth", "prediction", "confidence_column"),
        *("rater", "repeat", "system", "group", "weight"),
    )
}
"""Keyword -> the role whose column it names."""


class Reading(TypedDict, total=False):
    """Keywords of every door that reads rows; those left out are decided by the file."""

    scale: str | Path | Scale | Sequence[Any] | None
    """A scale: its name, its file, or its levels, lowest first."""
    levels: str | Sequence[Any] | None
    """Levels, lowest first: a list, ``"1-5"`` or ``"poor,fair,good"``."""
    mapping: str | Path | Mapping[str, Any] | None
    """A mapping file, or the name of one that ships."""
    format: str | None
    """The file's format, where its content cannot tell."""
    rows: str | None
    """The path to the rows of a JSON document."""
    columns: Mapping[str, str] | None
    """Role -> column, for all of the next at once."""
    case: str | None
    """The column, or path, of the cases; so with the next ones."""
    item: str | None
    truth: str | Sequence[str] | None
    """The column of the truth; several, one a rater."""
    prediction: str | None
    confidence_column: str | None
    rater: str | None
    repeat: str | None
    system: str | None
    group: str | Sequence[str] | None
    """Columns to slice by."""
    weight: str | None
    where: str | Sequence[str] | None
    """Only rows where ``column=value``."""
    abstain: str | Sequence[str] | None
    """Words that mean no answer."""
    unparseable: str | None
    """What a reply without a level counts as: ``abstained`` or ``failed``."""
    confidence_range: str | Sequence[float] | None
    """What the confidence may run from and to, such as ``(0, 100)``."""
    complete: bool
    """Refuse cases that lack an item that others have."""
    strict: bool
    """Refuse rows without a truth instead of leaving them out."""
    truth_is: str | None
    """Of several raters: one's name, ``median``, ``mean``, ``majority`` or ``panel``."""


def known_only(reading: Mapping[str, Any]) -> None:
    """Refuse a keyword that no door has, as Python does."""
    unknown = [key for key in reading if key not in Reading.__annotations__]
    if unknown:
        raise TypeError(f"unexpected keyword argument '{unknown[0]}'")


def overlay(reading: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords in the grammar of a mapping file; the scale apart, which may be any object."""
    out: dict[str, Any] = {
        key: reading.get(key) for key in ("format", "rows", "unparseable", "truth_is")
    }
    out |= {key: True for key in ("complete", "strict") if reading.get(key)}
    roles = {role: reading.get(key) for key, role in ROLES.items()}
    roles |= reading.get("columns") or {}
    known = (*ROLES.values(), "outcome", "risk_score")
    if unknown := [role for role in roles if role not in known]:
        raise UsageError(f"no role {label(unknown[0])}; there are {', '.join(known)}")
    out["columns"] = {
        role: name if isinstance(name, str | Mapping) else list(name)
        for role, name in roles.items()
        if name is not None
    }
    out["where"] = _where(_texts(reading.get("where")))
    if reading.get("abstain") is not None:
        out["abstain"] = _texts(reading.get("abstain"))
    if reading.get("confidence_range") is not None:
        out["confidence_range"] = _range(reading["confidence_range"])
    return out


def options_of(reading: Mapping[str, Any]) -> tuple[str, ...]:
    """The same as options of a command; the scale apart, which a result names itself.

    >>> options_of({"truth": ["a", "b"], "abstain": ["?", "-"], "strict": True, "levels": "1-5"})
    ('--truth', 'a,b', '--abstain', '?', '--abstain', '-', '--strict')
    """
    keywords = {role: key for key, role in ROLES.items()}
    columns = {keywords.get(k, k): v for k, v in (reading.get("columns") or {}).items()}
    words: list[str] = []
    for key, value in {**reading, **columns}.items():
        option = f"--{key.replace('_', '-')}"
        if key in ("scale", "levels", "columns") or value is None or isinstance(value, Mapping):
            continue
        if isinstance(value, bool):
            words += [option] if value else []
        elif isinstance(value, str | Path | int | float):
            words += [option, str(value)]
        elif key in ("group", "where", "abstain"):
            words += [word for entry in value for word in (option, str(entry))]
        else:
            words += [option, ",".join(map(str, value))]
    return tuple(words)


def _texts(value: Any) -> list[str]:
    values = [value] if isinstance(value, str | int | float) else value
    return [] if values is None else [str(each) for each in values]


def _where(conditions: Iterable[str]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for condition in conditions:
        column, mark, value = condition.partition("=")
        if not mark or not column.strip():
            raise UsageError(f"where takes COLUMN=VALUE, not '{printable(condition)}'")
        out.setdefault(column.strip(), []).append(value.strip())
    return out


def _range(value: str | Sequence[float]) -> list[float]:
    parts: Sequence[Any] = value.split(",") if isinstance(value, str) else value
    try:
        low, high = (float(part) for part in parts)
    except (TypeError, ValueError):
        low, high = 0.0, 0.0
    if not low < high:
        content = printable(str(value))
        raise UsageError(f"a confidence range is two numbers, LOW,HIGH, not '{content}'")
    return [low, high]

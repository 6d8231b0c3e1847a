"""How rows are to be read: the keywords of every door, which are the options of every command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from acumen.declare import Say, keywords_of, python, say
from acumen.errors import UsageError, label, printable

if TYPE_CHECKING:
    from acumen.table.scale import Scale

ROLES: Final = {
    keyword: keyword.removesuffix("_column")
    for keyword in (
        *("case", "item", "truth", "prediction", "confidence_column"),
        *("distribution", "rater", "repeat", "system", "group", "weight"),
    )
}
"""Keyword -> the role whose column it names."""


COLUMNS: Final = "Columns of rows: a name, or a path into nested rows"
ROWS: Final = "How rows are read"


def column(text: str, panel: str = COLUMNS, **facts: Any) -> Say:
    """An option that names a column."""
    return say(text, metavar="COLUMN", panel=panel, **facts)


def _rows(
    text: str, metavar: str | None = None, kind: Any = None, *flags: str, **facts: Any
) -> Say:
    return say(text, *flags, metavar=metavar, panel=ROWS, kind=kind, **facts)


_TEXT: Final = str | None
_TEXTS: Final = list[str] | None


class Located(TypedDict, total=False):
    """Keywords that say where things stand in a file of rows."""

    case: Annotated[str | None, column("Which rows belong together: a person, a document.")]
    item: Annotated[str | None, column("What was judged: a question, a criterion.")]
    truth: Annotated[
        str | Sequence[str] | None,
        column("The true level; several columns, one a rater, with commas.", kind=_TEXT),
    ]
    mapping: Annotated[
        str | Path | Mapping[str, Any] | None,
        _rows(
            "A mapping file (TOML), or the name of one that ships.", "MAPPING", _TEXT, is_file=True
        ),
    ]
    format: Annotated[
        str | None, _rows("The file's format, where its content does not show it.", "FORMAT")
    ]
    rows: Annotated[str | None, _rows("Path to the rows of a JSON document.", "PATH")]
    where: Annotated[
        str | Sequence[str] | None,
        _rows("Only rows where COLUMN=VALUE; repeatable.", "COLUMN=VALUE", _TEXTS),
    ]


class Reading(Located, total=False):
    """Keywords of every question about rows; those left out are decided by the file."""

    prediction: Annotated[
        str | Sequence[str] | None,
        column("The level that the system gave; several columns are systems.", kind=_TEXTS),
    ]
    confidence_column: Annotated[
        str | Sequence[str] | None,
        column("How sure it was; one for all predictions, or one for each.", kind=_TEXTS),
    ]
    distribution: Annotated[
        str | Sequence[str] | None,
        column(
            "Probabilities: a column for each level, with commas, or one that holds lists or "
            "mappings.",
            kind=_TEXT,
        ),
    ]
    point: Annotated[
        str | None,
        _rows(
            "The level that is taken of the probabilities: mode, median, mean, or the best one "
            "under the loss.",
            "mode|median|mean|loss",
        ),
    ]
    rater: Annotated[str | None, column("Who gave the truth, where several did.")]
    repeat: Annotated[str | None, column("Which draw of the same judgment it is.")]
    system: Annotated[str | None, column("Whose prediction it is, where there are several.")]
    group: Annotated[
        str | Sequence[str] | None, column("A column to slice by; repeatable.", kind=_TEXTS)
    ]
    weight: Annotated[str | None, column("How much a row counts.")]
    encoding: Annotated[
        str | None, _rows("Encoding of a text file that is not UTF-8: cp1252.", "ENCODING")
    ]
    label_files: Annotated[
        Any,
        _rows(
            "Labels in a file of their own; several files are raters; repeatable.",
            "FILE",
            _TEXTS,
            "--labels",
            is_file=True,
            more="A path, a dataframe or a list of rows, or a list of these.",
        ),
    ]
    on: Annotated[
        str | Sequence[str] | None,
        _rows("The column that tells which row a label is of: ID, A,B or ID=THEIRS.", "ID", _TEXT),
    ]
    scale: Annotated[
        str | Path | Scale | Sequence[Any] | None,
        _rows("A scale: its name or TOML file.", "SCALE", _TEXT, is_file=True),
    ]
    levels: Annotated[
        str | Sequence[Any] | None,
        _rows("The levels, lowest first: 1-5, 0-1:0.25 or poor,fair,good.", "LEVELS", _TEXT),
    ]
    abstain: Annotated[
        str | Sequence[str] | None,
        _rows("A word that means no answer; repeatable.", "WORD", _TEXTS),
    ]
    unanswerable: Annotated[
        str | Sequence[str] | None,
        _rows("A word of the truth that means: cannot be judged; repeatable.", "WORD", _TEXTS),
    ]
    unparseable: Annotated[
        str | None, _rows("What a reply without a level counts as: abstained or failed.", "OUTCOME")
    ]
    confidence_range: Annotated[
        str | Sequence[float] | None,
        _rows("The lowest and the highest possible confidence.", "LOW,HIGH", _TEXT),
    ]
    truth_is: Annotated[
        str | None,
        _rows(
            "Of several raters: one's name, median, mean, majority or panel (the default).", "TRUTH"
        ),
    ]
    complete: Annotated[bool, _rows("Refuse cases that lack an item others have.")]
    strict: Annotated[bool, _rows("Refuse rows without truth; else they are left out and counted.")]
    columns: Annotated[Mapping[str, str] | None, python("Role -> column, for all columns at once.")]


NAMES: Final = (*Located.__annotations__, *Reading.__annotations__)
"""Every keyword."""


def known_only(reading: Mapping[str, Any]) -> None:
    """Refuse a keyword that no door has, as Python does."""
    unknown = [key for key in reading if key not in NAMES]
    if unknown:
        raise TypeError(f"unexpected keyword argument '{unknown[0]}'")


def overlay(reading: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords in the grammar of a mapping file; the scale apart, which may be any object."""
    out: dict[str, Any] = {
        key: reading.get(key) for key in ("format", "rows", "unparseable", "truth_is", "point")
    }
    out |= {key: True for key in ("complete", "strict") if reading.get(key)}
    roles = {role: reading.get(key) for key, role in ROLES.items()}
    roles |= reading.get("columns") or {}
    known = (*ROLES.values(), "outcome", "risk_score")
    if unknown := [role for role in roles if role not in known]:
        raise UsageError(f"no role {label(unknown[0])}; there are {', '.join(known)}")
    out["columns"] = {
        role: name if isinstance(name, str | Mapping) else _one_or_all(list(name))
        for role, name in roles.items()
        if name is not None
    }
    out["where"] = _where(_texts(reading.get("where")))
    for key in ("abstain", "unanswerable"):
        if reading.get(key) is not None:
            out[key] = _texts(reading.get(key))
    if reading.get("confidence_range") is not None:
        out["confidence_range"] = _range(reading["confidence_range"])
    return out


def predictions_of(reading: Mapping[str, Any]) -> list[str]:
    """The columns that are named as predictions.

    >>> predictions_of({"prediction": "a, b"}), predictions_of({"prediction": ["a"]})
    (['a', 'b'], ['a'])
    """
    said = reading.get("prediction") or []
    names = [said] if isinstance(said, str) else said
    return [part.strip() for name in names for part in name.split(",")]


def words_of(reading: Mapping[str, Any]) -> list[str]:
    """The keywords as words of a command line, but those that a file says better than words.

    >>> words_of({"truth": ["a", "b"], "abstain": ["?", "-"], "strict": True, "mapping": {}})
    ['--truth', 'a,b', '--abstain', '?', '--abstain', '-', '--strict']
    """
    keywords = {role: key for key, role in ROLES.items()}
    columns = {keywords.get(k, k): v for k, v in (reading.get("columns") or {}).items()}
    values = {**reading, **columns}
    parameters = (p for p in keywords_of(Reading) if p.say.is_on_command_line)
    return [word for p in parameters for word in p.words(values.get(p.name)) or ()]


def _one_or_all(names: list[str]) -> str | list[str]:
    return names[0] if len(names) == 1 else names


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

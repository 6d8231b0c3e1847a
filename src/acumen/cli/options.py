"""Every option that more than one command takes, declared once; what is special stands in place.

The defaults are those of :mod:`acumen.defaults`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer

from acumen.defaults import ENGINES
from acumen.errors import UsageError
from acumen.readers.formats import titles
from acumen.readers.reading import Reading as Reading

FORMATS = ", ".join(titles())
"""The formats of a run, as help texts list them."""


def say(text: str, *names: str, **facts: Any) -> Any:
    """An option with its help."""
    return typer.Option(*names, help=text, **facts)


RunFile = Annotated[str, typer.Argument(help=f"A run file ({FORMATS}); - is stdin.")]
OneRun = Annotated[Path | None, typer.Argument(metavar="[RUN]", help=f"A run file ({FORMATS}).")]
Input = Annotated[Path | None, say("The same as RUN.", "--input")]
Mode = Annotated[str | None, say("Which experiment of the run.")]
Confidence = Annotated[str, say("default, all, or names separated by commas.")]
Loss = Annotated[str, say("abs_norm, abs, zero_one, squared, or a TOML file of costs.")]
Calibration = Annotated[Path | None, say("A calibration artifact, for the calibrated functions.")]
RESAMPLES = ("--resamples", "--bootstrap-resamples")
Resamples = Annotated[int, say("Resamples of the cases.", *RESAMPLES, min=0)]
Seed = Annotated[int, say("Seed of the resamples.", min=0)]
Interval = Annotated[str, say("default, percentile or bca.")]
ConfidenceLevel = Annotated[
    float, say("Confidence level of the intervals.", "--confidence-level", "--level")
]
Output = Annotated[Path | None, say("Write here; else nothing is kept.", "--output", "-o")]
AsJson = Annotated[bool, say("Print the document instead of the tables.", "--json")]
OneConfidence = Annotated[str, say("The confidence function to go by.")]
Html = Annotated[Path | None, say("Write a report as one HTML page.")]
Texts = Annotated[bool, say("Keep and show the texts of cases that a run quotes.", "--texts")]
Engine = Annotated[
    str | None, say(f"Leave rows in files and let an engine count: {', '.join(ENGINES)}.")
]
Full = Annotated[bool, say("Print every metric.", "--full")]
Json = Annotated[bool, say("Print the artifact instead of the tables.", "--json")]
Metrics = Annotated[str | None, say("Print these metrics alone, separated by commas.")]

COLUMNS: Final = "Columns of rows: a name, or a path into nested rows"
_ROWS: Final = "How rows are read"


def column(what: str, panel: str = COLUMNS) -> Any:
    """An option that names a column."""
    return say(what, metavar="COLUMN", rich_help_panel=panel)


def _column(what: str, kind: Any = str | None) -> Any:
    return Annotated[kind, column(what)]


def _said(what: str, metavar: str, kind: Any = str | None) -> Any:
    return Annotated[kind, say(what, metavar=metavar, rich_help_panel=_ROWS)]


def _flag(name: str, what: str) -> Any:
    return Annotated[bool, say(what, name, rich_help_panel=_ROWS)]


READING: Final[Mapping[str, Any]] = {
    "case": _column("What is resampled as a whole: a person, a document."),
    "item": _column("What is judged of it."),
    "truth": _column("The true level; several columns, one a rater, with commas."),
    "prediction": _column("The level that the system gave."),
    "confidence_column": _column("How sure it was."),
    "rater": _column("Who gave the truth, where several did."),
    "repeat": _column("Which draw of the same judgment it is."),
    "system": _column("Whose prediction it is, where there are several."),
    "group": _column("A column to slice by; repeatable.", list[str] | None),
    "weight": _column("How much a row counts."),
    "scale": _said("A scale: its name or TOML file.", "SCALE"),
    "levels": _said("The levels, lowest first: 1-5, 0-1:0.25 or poor,fair,good.", "LEVELS"),
    "mapping": _said("A mapping file (TOML), or the name of one that ships.", "MAPPING"),
    "format": _said("The file's format, where its content does not tell.", "FORMAT"),
    "rows": _said("Path to the rows of a JSON document.", "PATH"),
    "where": _said("Only rows where COLUMN=VALUE; repeatable.", "COLUMN=VALUE", list[str] | None),
    "abstain": _said("A word that means no answer; repeatable.", "WORD", list[str] | None),
    "unparseable": _said("What a reply without a level counts as: abstained or failed.", "OUTCOME"),
    "confidence_range": _said("What the confidence runs from and to.", "LOW,HIGH"),
    "truth_is": _said(
        "Of several raters: one's name, median, mean, majority or panel (the default).", "TRUTH"
    ),
    "complete": _flag("--complete", "Refuse cases that lack an item others have."),
    "strict": _flag("--strict", "Refuse rows without truth; else they are left out and counted."),
}
"""The options of every command that reads rows: the keywords of ``acumen.readers.Reading``."""


def takes(
    options: Mapping[str, Any], name: str, **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command further options; those that are used it gets together, under ``name``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def call(**values: Any) -> None:
            said = {option: values.pop(option) for option in options}
            # by identity: 0 is used, and equals False
            used = {k: v for k, v in said.items() if not (v is None or v is False or v == [])}
            command(**values, **{name: used})

        hints = get_type_hints(command, include_extras=True)
        own = [p for p in inspect.signature(command).parameters.values() if p.name != name]
        signature = [p.replace(annotation=hints[p.name]) for p in own]
        signature += [
            inspect.Parameter(
                option,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults.get(option, False if get_args(kind)[0] is bool else None),
                annotation=kind,
            )
            for option, kind in options.items()
        ]
        call.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]  # PEP 362
        call.__annotations__ = {p.name: p.annotation for p in signature}
        return call

    return decorate


reads_rows = takes(READING, "reading")
"""Give a command the options of :data:`READING`."""


def names_of(text: str | None) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def inputs_of(reading: Reading) -> list[str]:
    """The files among what says how rows are read, which no output may overwrite."""
    return [str(reading[key]) for key in ("scale", "mapping") if key in reading]


def one_run(run: Path | None, same: Path | None) -> Path | None:
    """The run that was named, in one of the two ways there are."""
    if run is not None and same is not None:
        raise UsageError("give one run: RUN or --input FILE")
    return run or same

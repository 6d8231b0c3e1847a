"""Options of the commands that answer no question: the same declarations, as Typer takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from acumen.cli.questions import METRICS, option_of
from acumen.declare import Parameter, Say, keywords_of
from acumen.errors import UsageError
from acumen.questions import options
from acumen.questions.options import FORMATS as FORMATS
from acumen.readers.reading import Reading as Reading


def say(text: str, *names: str, **facts: Any) -> Any:
    """An option with its help."""
    return typer.Option(*names, help=text, **facts)


def as_typer(declaration: Any) -> Any:
    """An option that questions share, as Typer takes it."""
    kind, what = get_args(declaration)
    return option_of(Parameter("", what, kind, None)).annotation


FILE = Say("", is_file=True)
"""Marks a path that is read; one without the mark is written, for all that is known."""
BY_HAND = Say("", is_by_hand=True)
"""Marks what no file that lies in a folder may say."""
RunFile = Annotated[str, typer.Argument(help=f"A run file ({FORMATS}); - is stdin.")]
OneRun = Annotated[Path | None, typer.Argument(metavar="[RUN]", help=f"A run file ({FORMATS}).")]
Input = Annotated[Path | None, say("The same as RUN.", "--input"), FILE]
Confidence = Annotated[str, say("default, all, or names separated by commas.")]
Mode = as_typer(options.Mode)
Loss = as_typer(options.Loss)
Calibration = as_typer(options.Calibration)
Resamples = as_typer(options.Resamples)
Seed = as_typer(options.Seed)
Texts = as_typer(options.Texts)
Metrics = as_typer(METRICS)


def reads_rows(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say how rows are read; it gets them as ``reading``."""
    declared = [p for p in keywords_of(Reading) if p.say.is_on_command_line]

    @functools.wraps(command)
    def call(**values: Any) -> None:
        said = {p.name: values.pop(p.name) for p in declared}
        # by identity: 0 is used, and equals False
        used = {k: v for k, v in said.items() if not (v is None or v is False or v == [])}
        if "group" in used:
            raise UsageError("--group has no effect here: nothing is sliced; leave it out")
        command(**values, reading=used)

    hints = get_type_hints(command, include_extras=True)
    own = [p for p in inspect.signature(command).parameters.values() if p.name != "reading"]
    signature = [p.replace(annotation=hints[p.name]) for p in own]
    signature += [option_of(p) for p in declared]
    setattr(call, "__signature__", inspect.Signature(signature))  # noqa: B010  (PEP 362)
    call.__annotations__ = {p.name: p.annotation for p in signature}
    return call


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

"""Every option that more than one command takes, declared once; what is special stands in place.

The defaults are those of :mod:`acumen.defaults`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.errors import UsageError
from acumen.readers.formats import titles

FORMATS = ", ".join(titles())
"""The formats of a run, as help texts list them."""

RunFile = Annotated[str, typer.Argument(help=f"A run file ({FORMATS}); - is stdin.")]
OneRun = Annotated[Path | None, typer.Argument(metavar="[RUN]", help=f"A run file ({FORMATS}).")]
Input = Annotated[Path | None, typer.Option("--input", help="The same as RUN.")]
Mode = Annotated[str | None, typer.Option(help="Which experiment of the run.")]
Scale = Annotated[
    str | None, typer.Option(help="A scale: name or TOML file; else the run's own, or phq8.")
]
Confidence = Annotated[str, typer.Option(help="default, all, or names separated by commas.")]
Loss = Annotated[
    str, typer.Option(help="abs_norm, abs, zero_one, squared, or a TOML file of costs.")
]
Calibration = Annotated[
    Path | None, typer.Option(help="A calibration artifact, for the calibrated functions.")
]
Resamples = Annotated[
    int,
    typer.Option("--resamples", "--bootstrap-resamples", min=0, help="Resamples of the cases."),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resamples.")]
Interval = Annotated[str, typer.Option(help="default, percentile or bca.")]
ConfidenceLevel = Annotated[
    float,
    typer.Option("--confidence-level", "--level", help="Confidence level of the intervals."),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write here; else nothing is kept.")
]
Html = Annotated[Path | None, typer.Option(help="Write a report as one HTML page.")]
Texts = Annotated[
    bool, typer.Option("--texts", help="Keep and show the texts of cases that a run quotes.")
]
Full = Annotated[bool, typer.Option("--full", help="Print every metric.")]


def one_run(run: Path | None, same: Path | None) -> Path | None:
    """The run that was named, in one of the two ways there are."""
    if run is not None and same is not None:
        raise UsageError("give one run: RUN or --input FILE")
    return run or same

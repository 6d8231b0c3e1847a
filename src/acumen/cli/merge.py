"""``acumen merge``: the counts of several sites as one study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets, emit
from acumen.cli.progress import waiting

if TYPE_CHECKING:
    from pydantic import BaseModel

    from acumen.results.counts import LargeArtifact

app = typer.Typer(add_completion=False)


@app.command()
def merge(
    files: Annotated[
        list[Path], typer.Argument(help="Counts of sites; or pooled counts and all their sums.")
    ],
    output: Annotated[Path | None, say("Write the pooled counts here.", "--output", "-o")] = None,
    loss: options.Loss = defaults.LOSS,
    confidence_level: options.ConfidenceLevel = defaults.CONFIDENCE_LEVEL,
    as_json: Annotated[bool, say("Print the numbers as JSON.", "--json")] = False,
) -> None:
    """Merge the counts of sites: the metrics of all rows, which nobody has seen together.

    Example: acumen merge a.counts b.counts --output pooled.counts

    Example: acumen merge pooled.counts a.moments b.moments
    """
    check_targets({"--output": output}, files)
    from acumen import large

    with waiting("merging counts"):
        pooled, artifact = large.merge(files, loss=loss, confidence_level=confidence_level)
    put_out(artifact, pooled, output, as_json=as_json)


def put_out(
    artifact: LargeArtifact, document: BaseModel, output: Path | None, *, as_json: bool
) -> None:
    """The numbers on standard output, and the document that is kept."""
    from acumen.files.json import to_json, write_bytes
    from acumen.report.large import blocks
    from acumen.report.terminal import print_parts

    if output is not None:
        write_bytes(output, to_json(document.model_dump(mode="json")).encode("utf-8"))
    if as_json:
        emit(to_json(artifact.model_dump(mode="json")))
    else:
        print_parts(blocks(artifact))

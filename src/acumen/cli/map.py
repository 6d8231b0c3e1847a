"""``acumen map``: what is in a file, and what can be measured with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets, emit
from acumen.cli.progress import waiting

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def map_(
    run: options.RunFile,
    reading: options.Reading,
    mode: options.Mode = None,
    as_json: Annotated[bool, say("Print the findings as JSON.", "--json")] = False,
    output: Annotated[
        Path | None, say("Write a mapping to start from (TOML).", "--output", "-o")
    ] = None,
) -> None:
    """What is in a file: its columns' roles with reasons, levels, outcomes, what it can answer.

    Example: acumen map ratings.csv

    Example: acumen map log.json --output mapping.toml
    """
    check_targets({"--output": output}, [run])
    from acumen.readers.survey import survey

    with waiting("reading columns"):
        findings = survey(run, mode=mode, **reading)
    if output is not None:
        from acumen.files.json import write_bytes
        from acumen.files.toml import to_toml

        write_bytes(output, to_toml(findings.mapping).encode("utf-8"))
    if as_json:
        from acumen.files.json import to_json

        emit(to_json(findings.model_dump(mode="json")))
        return
    from acumen.report.survey import blocks
    from acumen.report.terminal import print_parts

    print_parts(blocks(findings))

"""Commands that only declare their options: the Python door of the same name does the work."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import typer

from acumen.cli import options
from acumen.cli.output import check_targets, emit, write_results
from acumen.cli.progress import waiting
from acumen.stages import stage

INPUTS: Final = ("run", "new", "base", "pilot", "other", "ratings", "judged")
FILES: Final = (*INPUTS, "calibration", "loss", "costs", "file")


def by_door(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a declaration: its door has its name and its options as keywords."""
    name = command.__name__

    @functools.wraps(command)
    def call(
        *,
        reading: options.Reading,
        output: Path | None,
        html: Path | None,
        as_json: bool,
        full: bool = False,
        junit: Path | None = None,
        markdown: Path | None = None,
        **asked: Any,
    ) -> None:
        targets = {"--output": output, "--html": html, "--junit": junit, "--markdown": markdown}
        files = [asked.get(file) for file in FILES]
        check_targets(targets, [*files, *options.inputs_of(reading)])
        places = [asked.pop(place) for place in INPUTS if place in asked]
        words = {option: value for option, value in asked.items() if value is not None}
        with waiting():
            door = getattr(import_module("acumen"), name)
            with stage(share=0.7 if output or html else 1.0):
                findings = door(*places, **words, **reading)
            write_results(findings, output, html)
        from acumen.files.json import write_bytes
        from acumen.report.brief import brief
        from acumen.report.decisions import as_junit
        from acumen.report.formats import as_markdown
        from acumen.report.terminal import print_parts

        document = findings.results
        if junit is not None:
            write_bytes(junit, as_junit(document).encode("utf-8"))
        if markdown is not None:
            write_bytes(markdown, as_markdown(brief(document)).encode("utf-8"))
        emit(findings.to_json()) if as_json else print_parts(brief(document, full=full))
        raise typer.Exit(getattr(document, "exit_code", 0))

    return call

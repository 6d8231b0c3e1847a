"""What the commands that decide have in common: they declare options, a Python door decides."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import typer

from acumen.cli import options
from acumen.cli.output import check_targets, emit, write_results

INPUTS: Final = ("run", "new", "base", "pilot", "other")
FILES: Final = (*INPUTS, "calibration", "loss", "costs", "file")


def say(text: str, *names: str, **facts: Any) -> Any:
    """An option with its help."""
    return typer.Option(*names, help=text, **facts)


def decides(command: Callable[..., None]) -> Callable[..., None]:
    """Make a command of a declaration: its door has its name and its options as keywords."""
    name = command.__name__

    @functools.wraps(command)
    def decide(
        *,
        reading: options.Reading,
        output: Path | None,
        html: Path | None,
        as_json: bool,
        junit: Path | None = None,
        markdown: Path | None = None,
        **asked: Any,
    ) -> None:
        targets = {"--output": output, "--html": html, "--junit": junit, "--markdown": markdown}
        files = [asked.get(file) for file in FILES]
        check_targets(targets, [*files, *options.inputs_of(reading)])
        places = [asked.pop(place) for place in INPUTS if place in asked]
        door = getattr(import_module(f"acumen.decisions.{name}"), name)
        decision = door(*places, **asked, **reading)
        from acumen.files.json import write_bytes
        from acumen.report.decisions import as_junit, brief
        from acumen.report.formats import as_markdown
        from acumen.report.terminal import print_parts

        document = decision.artifact
        write_results(decision, output, html)
        if junit is not None:
            write_bytes(junit, as_junit(document).encode("utf-8"))
        if markdown is not None:
            write_bytes(markdown, as_markdown(brief(document)).encode("utf-8"))
        emit(decision.to_json()) if as_json else print_parts(brief(document))
        raise typer.Exit(getattr(document, "exit_code", 0))

    return decide

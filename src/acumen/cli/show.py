"""``acumen show``: result files side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from acumen.cli.output import emit
from acumen.errors import DataError, UsageError, printable

if TYPE_CHECKING:
    from acumen.results.found import Found

RESULTS: Final = Path("results")
"""Where to look when nothing is named."""

app = typer.Typer(add_completion=False)


@app.command()
def show(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Result files, or folders to look under.", show_default="results"),
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="Only these methods, separated by commas.")
    ] = None,
    policy: Annotated[str | None, typer.Option(help="Only this policy.")] = None,
    latest: Annotated[
        bool, typer.Option("--latest", help="Only the newest run of each method and policy.")
    ] = False,
    dev: Annotated[
        Path | None, typer.Option(help="A run's folder: show its results in full.")
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="table, markdown, latex, csv or json.")
    ] = "table",
    debug: Annotated[bool, typer.Option(help="Show a traceback on errors.", hidden=True)] = False,
) -> None:
    """Show result files: one table to compare methods, or one run in full with --dev.

    Examples:

    acumen show results --method rag,direct --latest

    acumen show results --format latex

    acumen show --dev results/dev/20260119_004007_G1_allergy_V2
    """
    from acumen.report.result_formats import FORMATS, terminal_table
    from acumen.report.verdict_tables import show as print_parts
    from acumen.report.verdict_tables import terminal
    from acumen.results.found import choose, find_results

    if form not in ("table", *FORMATS):
        known = ", ".join(FORMATS)
        raise UsageError(f"no format '{printable(form)}'; there are table, {known}")
    if dev is not None and paths:
        raise UsageError("--dev names the folder to show; leave the paths out")
    places = [dev] if dev is not None else paths or [RESULTS]
    if dev is None and not paths and not RESULTS.exists():
        raise UsageError(f"there is no folder '{RESULTS}' here; name result files or folders")
    everything, unreadable = find_results(places)
    for line in unreadable:
        typer.echo(f"acumen: passed over {line}", err=True)
    methods = [name.strip() for name in method.split(",")] if method else []
    found = choose(everything, methods, policy, latest=latest)
    if not found:
        kept = " that match" if everything else ""
        under = ", ".join(printable(str(place), limit=400) for place in places)
        raise DataError([f"there are no result files{kept} under {under}"])
    if form != "table":
        emit(FORMATS[form](found))
    elif dev is not None:
        print_parts(terminal(), _in_full(found))
    else:
        print_parts(terminal(), [terminal_table(found)])


def _in_full(found: list[Found]) -> list[Any]:
    """Everything the files hold of each method, then how pairs of them compare."""
    from acumen.report.verdict_comparison import comparison_report
    from acumen.report.verdict_tables import report

    parts = [part for entry in found for part in report(entry.document)]
    for entry in found:
        if entry.comparison is not None:
            level = entry.document["interval_settings"]["confidence_level"]
            parts += comparison_report(entry.comparison, entry.document["levels"], level)
    return parts

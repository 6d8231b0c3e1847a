"""``acumen show``: documents in brief, result files side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import emit
from acumen.cli.progress import waiting
from acumen.errors import DataError, UsageError, printable

if TYPE_CHECKING:
    from acumen.report.blocks import Block, Section
    from acumen.results.files import Document, ResultFile

RESULTS: Final = Path("results")
"""Where to look when nothing is named."""

app = typer.Typer(add_completion=False)


@app.command()
def show(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Documents, or folders to look under.", show_default="results"),
    ] = None,
    method: Annotated[str | None, say("Only these methods, separated by commas.")] = None,
    policy: Annotated[str | None, say("Only this policy.")] = None,
    latest: Annotated[
        bool, say("Only the newest run of each method and policy.", "--latest")
    ] = False,
    dev: Annotated[Path | None, say("A run's folder: show its results one by one.")] = None,
    full: Annotated[bool, say("Show documents one by one, with every metric.", "--full")] = False,
    metrics: options.Metrics = None,
    form: Annotated[str, say("table, markdown, latex, csv or json.", "--format")] = "table",
    as_json: Annotated[bool, say("The same as --format json.", "--json")] = False,
    debug: Annotated[bool, say("Show a traceback on errors.", hidden=True)] = False,
) -> None:
    """Show what acumen wrote: metrics, results, calibrations. Results stand side by side.

    Examples:

    acumen show metrics.json --metrics accuracy,augrc

    acumen show results --method rag,direct --latest --format latex

    acumen show --dev results
    """
    from acumen.report.formats import FORMATS
    from acumen.report.terminal import print_parts
    from acumen.results.files import choose, find_documents, result_files
    from acumen.results.verdicts import PairDocument

    form, named = "json" if as_json else form, options.names_of(metrics)
    if form not in ("table", *FORMATS):
        known = ", ".join(FORMATS)
        raise UsageError(f"no format '{printable(form)}'; there are table, {known}")
    if dev is not None and paths:
        raise UsageError("--dev names the folder to show; leave the paths out")
    places = [dev] if dev is not None else paths or [RESULTS]
    if dev is None and not paths and not RESULTS.exists():
        raise UsageError(f"there is no folder '{RESULTS}' here; name documents or folders")
    with waiting("reading documents"):
        documents, unreadable = find_documents(places)
    for line in unreadable:
        typer.echo(f"acumen: passed over {line}", err=True)
    methods = options.names_of(method)
    files = choose(result_files(documents.items()), methods, policy, latest=latest)
    picky = bool(methods or policy is not None or latest)
    others = [d for d in documents.values() if not isinstance(d, PairDocument) and not picky]
    if not files and not others:
        match = " that match" if documents else ""
        under = ", ".join(printable(str(place), limit=400) for place in places)
        raise DataError([f"there are no result files{match} under {under}"])
    whole = dev is not None or full
    parts = list(_parts(files, others, form, whole=whole, full=full, metrics=named))
    if form == "table":
        print_parts(parts)
    else:
        emit(FORMATS[form](parts))


def _parts(
    files: Sequence[ResultFile],
    others: Sequence[Document],
    form: str,
    *,
    whole: bool,
    full: bool,
    metrics: Sequence[str],
) -> Iterator[Section | Block]:
    """Results side by side or one by one, with how pairs compare; then other documents."""
    from acumen.report.blocks import Paragraph, Section, Tone
    from acumen.report.brief import brief, kind
    from acumen.report.formats import FOR_PROGRAMS
    from acumen.report.verdicts.brief import comparison_parts
    from acumen.report.verdicts.tables import records, side_by_side
    from acumen.results.verdicts import PairDocument

    for_programs = form in FOR_PROGRAMS
    if files and whole and not for_programs:
        for file in files:
            yield from brief(PairDocument(systems=[file.document]), full=full)
        for file in files:
            if file.comparison is not None:
                level = file.document.interval_settings.confidence_level
                yield from comparison_parts(file.comparison, file.document.levels, level)
    elif files:
        yield from records(files) if for_programs else side_by_side(files)
    for document in others:
        blocks = brief(document, full=full or for_programs, metrics=metrics)
        if for_programs:  # the table of every metric alone
            tables = (
                part for part in blocks if isinstance(part, Section) and part.key == "metrics"
            )
            yield from (block for table in tables for block in table.blocks)
            continue
        yield Paragraph(kind(document), Tone.QUIET)
        yield from blocks

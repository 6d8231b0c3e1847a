"""``acumen show``: documents in brief, result files side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import emit
from acumen.cli.progress import waiting
from acumen.errors import DataError, UsageError, counted, printable

if TYPE_CHECKING:
    from acumen.report.blocks import Block, Section
    from acumen.results.files import Document, ResultFile

NUMBERS: Final = "metrics"
"""The section that holds the numbers of a document, whatever its kind."""
RESULTS: Final = Path("results")
"""Where to look when nothing is named."""

MOST_DOCUMENTS: Final = 3
"""Of which a screen has the answers."""

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
    dev: Annotated[
        Path | None, say("A run's folder: show its results one by one."), options.FILE
    ] = None,
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
        typer.echo(f"acumen: ignored {line}", err=True)
    methods = options.names_of(method)
    files = choose(result_files(documents.items()), methods, policy, latest=latest)
    picky = bool(methods or policy is not None or latest)
    others = [d for d in documents.values() if not isinstance(d, PairDocument) and not picky]
    if not files and not others:
        match = " that match" if documents else ""
        under = ", ".join(printable(str(place), limit=400) for place in places)
        raise DataError([f"there are no result files{match} under {under}"])
    if dev is not None or full:
        others, files = [*_by_file(documents, files), *others], []
    parts = [*_side_by_side(files, form), *_one_by_one(others, form, full=full, metrics=named)]
    if form == "table" and not full and len(files) + len(others) > 1:
        print_parts(_on_a_screen(files, others, metrics=named))
    elif form == "table":
        print_parts(parts)
    else:
        emit(FORMATS[form](parts))


def _by_file(documents: Mapping[Path, Document], files: Sequence[ResultFile]) -> Iterator[Document]:
    """Results, whole where all of a file is chosen; else the methods that are, each alone."""
    from acumen.results.verdicts import PairDocument

    for path, document in documents.items():
        own = [file.document for file in files if file.path == path]
        if own and len(own) == len(document.systems):
            yield document
        else:
            yield from (PairDocument(systems=[system]) for system in own)


def _side_by_side(files: Sequence[ResultFile], form: str) -> list[Block]:
    """Results, one row each."""
    from acumen.report.formats import FOR_PROGRAMS
    from acumen.report.verdicts.tables import records, side_by_side

    if not files:
        return []
    return records(files) if form in FOR_PROGRAMS else side_by_side(files)


def _on_a_screen(
    files: Sequence[ResultFile], others: Sequence[Document], *, metrics: Sequence[str]
) -> list[Section]:
    """The tables of many documents and the answers of so many that all of it fits a screen."""
    from acumen.report.blocks import Detail, Section
    from acumen.report.screenful import LINES, screenful
    from acumen.report.sections import sections_of
    from acumen.report.selective.beside import beside
    from acumen.report.terminal import height

    tables = (*_side_by_side(files, "table"), *beside(others, full=False))
    top = Section("beside", "", tables, Detail.ANSWER)
    if len(others) == 1:
        return screenful([top, *sections_of(others[0], metrics=metrics)])
    for most in range(MOST_DOCUMENTS, -1, -1):
        answers = tuple(_in_brief(others, most)) if others else ()
        sections = screenful([top, Section("answers", "", answers, Detail.ANSWER)])
        if height(sections) <= LINES:
            break
    return sections


def _one_by_one(
    documents: Sequence[Document], form: str, *, full: bool, metrics: Sequence[str]
) -> Iterator[Section | Block]:
    """Documents, each below its name if there are several; for programs their numbers alone."""
    from acumen.report.blocks import Folded, Paragraph, Table, Tone, in_text
    from acumen.report.formats import FOR_PROGRAMS
    from acumen.report.sections import sections_of
    from acumen.report.selective.beside import beside
    from acumen.results.kinds import title_of

    if form not in FOR_PROGRAMS:
        yield from beside(documents, full=full or form != "table")
    for document in documents:
        if form in FOR_PROGRAMS:
            sections = sections_of(document, full=True, metrics=metrics or ["all"])
            blocks = (block for s in sections if s.key == NUMBERS for block in s.blocks)
            tables = in_text(block for block in blocks if isinstance(block, Table | Folded))
            yield from (table for table in tables if isinstance(table, Table))
        else:
            if len(documents) > 1:
                yield Paragraph(title_of(document), Tone.QUIET)
            yield from sections_of(document, full=full, metrics=metrics)


def _in_brief(documents: Sequence[Document], most: int) -> Iterator[Block]:
    """The answer of each of several documents, and where the rest is."""
    from acumen.report.blocks import Detail, Paragraph, Tone
    from acumen.report.sections import sections_of
    from acumen.results.kinds import title_of

    for document in documents[:most]:
        answers = (s for s in sections_of(document) if s.detail is Detail.ANSWER and s.finding)
        answer = next(answers, None)
        yield Paragraph(title_of(document), Tone.HEADING)
        yield Paragraph("" if answer is None else answer.finding)
    more = len(documents) - most
    rest = f"and {counted(more, 'more document')}; " if more > 0 else ""
    yield Paragraph(f"{rest}one of them: acumen show FILE; all of each: --full", Tone.QUIET)

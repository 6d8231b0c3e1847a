"""What there is to say of a verdict study: of one method, or of two side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from acumen.defaults import TARGET
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import (
    Block,
    Cell,
    Detail,
    Fact,
    Facts,
    Folded,
    Head,
    Note,
    Notes,
    Paragraph,
    Plot,
    Section,
    Table,
    Tone,
)
from acumen.report.cells import command_line, difference, fact, plain, text, title_of
from acumen.report.joint import case_section
from acumen.report.plots import plot, plots
from acumen.report.sections import Ask, Family, remarks
from acumen.report.verdicts import several, tables
from acumen.report.verdicts.words import (
    LIMITS,
    checked_words,
    compared_cases,
    comparison_notes,
    comparison_paragraphs,
    judged,
    lacks,
    luck,
    paragraphs,
)
from acumen.results.verdicts import (
    SCORES,
    ComparisonDocument,
    PairDocument,
    ResultsDocument,
    method_names,
)

CONCLUDED: Final = "What can be concluded"
RIGHT_REASONS: Final = "Is it right for the right reasons"
CELLS_APART: Final = (
    "These four are tested together, apart from the other differences; where both gave a verdict."
)
NOT_SCORED: Final = "Nothing yet: these results were not scored."


def _head(pair: PairDocument) -> Head:
    title = " and ".join(method_names(pair.systems))
    return Head(title, _subtitle(pair.systems), ("verdicts", "intervals"))


def _subtitle(documents: Sequence[ResultsDocument]) -> str:
    """The cases, failed ones among them, and the policies, as far as they are told."""
    words = ["Verdict study"]
    if documents[0].total is not None:
        words.append(counted(documents[0].total + documents[0].failed, "case"))
    policies = {plain(d.policy_id) for d in documents if d.policy_id is not None}
    if policies:
        words.append(f"policy {', '.join(sorted(policies))}")
    return ", ".join(words)


def _main(pair: PairDocument, _: Ask) -> Iterator[Section]:
    """What was judged, the tables of it, what they say, and what to know of them."""
    documents, comparison = pair.systems, pair.comparison
    lines = Paragraph("\n".join(judged(documents)))
    yield Section("judged", "What was judged", (lines,))
    for (key, title), parts in _PARTS.items():
        own = (table_of(documents) for table_of in dict.fromkeys(part.table for part in parts))
        yield Section(key, title, tuple(table for table in own if table.rows))
        if key == "components":
            yield _cells(pair)
    if comparison is not None:
        yield _comparison(comparison, documents[0])
    yield from (several.leaders(pair), several.groups(pair), several.doubts(pair))
    yield _concluded(pair)
    whose = [*zip(_whose(documents), documents, strict=True)]
    warnings = [w for d in documents for w in d.warnings]
    warnings += [*pair.remarks, *([] if comparison is None else comparison.warnings)]
    notes = [note for one in whose for note in tables.notes(*one)]
    notes += [Note(f"{name}{line}.") for name, document in whose for line in lacks(document)]
    yield remarks(notes, warnings)


def _whose(documents: Sequence[ResultsDocument]) -> list[str]:
    """Of several methods, the name of each before a note."""
    names = method_names(documents)
    return [f"{name}: " for name in names] if len(names) > 1 else [""]


def _concluded(pair: PairDocument) -> Section:
    """Which of two is better, and what can be said of each."""
    documents, comparison = pair.systems, pair.comparison
    words = [] if comparison is None else comparison_paragraphs(comparison, documents[0].levels)
    board = several.leaders(pair).finding
    lines = [*several.decisions(pair), *([board] if board else []), *words]
    lines += [line for document in documents for line in paragraphs(document)]
    first, *others = lines or [NOT_SCORED]
    return Section("concluded", CONCLUDED, tuple(map(Paragraph, others)), Detail.ANSWER, first)


def _cells(pair: PairDocument) -> Section:
    """Right or wrong × sound or unsound: the cells, their differences, and who was lucky."""
    documents, comparison = pair.systems, pair.comparison
    table = tables.cell_table(documents)
    if not table.rows:
        return Section("cells", RIGHT_REASONS)
    blocks: list[Block] = [table]
    if comparison is not None:
        first, names = documents[0], tables.short_names(comparison)
        level = first.interval_settings.confidence_level
        deltas = tables.delta_table(comparison, first.levels, level, names, of_cells=True)
        if deltas.rows:
            blocks += [deltas, Paragraph(CELLS_APART, Tone.QUIET)]
    whose = zip(_whose(documents), documents, strict=True)
    blocks.append(Paragraph("\n".join(line for name, d in whose for line in luck(d, name))))
    return Section("cells", RIGHT_REASONS, tuple(blocks), finding=checked_words(documents))


def _comparison(pair: ComparisonDocument, first: ResultsDocument) -> Section:
    """The paired differences."""
    level = first.interval_settings.confidence_level
    table = tables.delta_table(pair, first.levels, level, tables.short_names(pair))
    notes = [*map(Note, comparison_notes(pair, first.levels))]
    # what neither has a value for is told of each
    sides = {k: d for k, d in pair.deltas.items() if (d.left, d.right) != (None, None)}
    known = {key: title_of(key, first.levels) for key in sides}
    notes += tables.reasons(known, pair.deltas)
    return Section("comparison", _on_cases(pair), (table, Notes(tuple(notes))))


def _on_cases(pair: ComparisonDocument) -> str:
    where = "" if pair.n_cases is None else f" on the same {counted(pair.n_cases, 'case')}"
    return f"How the two differ{where}"


class _Part(NamedTuple):
    """A table of a section; where it has a chart, its name and the words beside it."""

    table: Callable[[Sequence[ResultsDocument]], Table]
    chart: str = ""
    title: str = ""
    caption: str = ""

    def plot(self, documents: Sequence[ResultsDocument], ask: Ask) -> Plot | None:
        """The chart with its table."""
        from acumen.charts.verdicts import VERDICT_CHARTS

        table = self.table(documents)
        if not self.chart or not table.rows:
            return None
        figure = partial(VERDICT_CHARTS[self.chart], documents)
        return plot(ask.study, self.chart, figure, self.title, self.caption, table)


_PARTS: Final[Mapping[tuple[str, str], tuple[_Part, ...]]] = {
    ("scores", "The three scores"): (
        _Part(
            tables.score_table,
            "scores",
            "Ranking, process, consistency",
            f"Percent, with intervals; the target is above {TARGET:g}.",
        ),
    ),
    ("components", "Are its reasons right"): (
        _Part(
            tables.component_table,
            "components",
            "Components of the process score",
            "The share of claims that hold, component by component.",
        ),
    ),
    ("ranking", "Does the worst come first"): (
        _Part(
            tables.threshold_table,
            "thresholds",
            "Average precision by threshold",
            "How well the risk score finds the cases at a level or above.",
        ),
        _Part(
            tables.threshold_table,
            "precision-recall",
            "Precision and recall by threshold",
            "As more cases are flagged, by falling score; dotted is the prevalence.",
        ),
    ),
    ("agreement", "Does it agree with the truth"): (
        _Part(
            tables.agreement_table,
            "agreement",
            "Agreement of verdict and truth",
            "1 is perfect; for kappa, tau and alpha 0 is no better than guessing. An abstention is "
            "wrong in the accuracy and left out of the rest.",
        ),
        _Part(
            tables.confusion_table,
            "confusion",
            "Truth and verdict",
            "Cases by true level and verdict; abstentions are a column of their own.",
        ),
    ),
    ("steps", "How right are its steps"): (_Part(tables.step_table),),
    ("file", "Also in the file"): (_Part(tables.file_table),),
}
"""Sections of tables and charts, in their order. To add one, add a line."""


def _rest(pair: PairDocument, ask: Ask) -> Iterator[Section]:
    """Charts, limits, every metric, every case, and where it all comes from."""
    from acumen.report.verdicts.cases import case_table

    documents, comparison = pair.systems, pair.comparison
    yield Section("concluded", CONCLUDED, (Facts(tuple(_facts(documents, comparison))),))
    for (key, title), parts in _PARTS.items():
        yield Section(key, title, plots(*(part.plot(documents, ask) for part in parts)))
    if comparison is not None:
        drawn = plots(_differences(comparison, documents[0], ask))
        yield Section("comparison", _on_cases(comparison), drawn)
    yield several.ranking(pair, ask)
    yield Section("limits", "What cannot be concluded", tuple(map(Paragraph, LIMITS)))
    every = tables.metric_table(documents)
    yield Section("metrics", "Every metric", (Folded(every),) if every.rows else ())
    named = zip(documents, method_names(documents), strict=True)
    key = f"{ask.study}-rows"
    yield case_section(key, [case_table(d, m, key) for d, m in named if d.results])
    yield Section("provenance", "Provenance", _provenance(documents, ask.command or pair.command))


def _facts(
    documents: Sequence[ResultsDocument], comparison: ComparisonDocument | None
) -> Iterator[Fact]:
    """The three scores; of two methods, what they differ by."""
    for key in SCORES:
        if comparison is not None and (delta := comparison.deltas.get(key)) is not None:
            yield difference(title_of(key), delta, comparison.names, Unit.SHARE)
        elif comparison is None:
            for document, method in zip(documents, method_names(documents), strict=True):
                note = method * (len(documents) > 1)
                yield fact(title_of(key), document.measured(key), Unit.SHARE, note)


def _differences(pair: ComparisonDocument, first: ResultsDocument, ask: Ask) -> Plot | None:
    from acumen.charts.verdicts import comparison

    left, right = pair.names
    level = first.interval_settings.confidence_level
    caption = " ".join([f"{right} minus {left}, in points.", *compared_cases(pair)])
    table = tables.delta_table(pair, first.levels, level, pair.names, with_counts=True)
    figure = partial(comparison, pair)
    return plot(ask.study, "comparison", figure, "Paired differences", caption, table)


def _provenance(documents: Sequence[ResultsDocument], command: str | None) -> tuple[Table, ...]:
    def row(title: str, values: Sequence[object]) -> tuple[Cell, ...]:
        return (text(title), *map(text, values))

    keys = ("run_id", "method", "model", "policy_id", "domain", "k", "n", "timestamp")
    rows = [row(key, [getattr(d, key) for d in documents]) for key in keys]
    rows.append(row("acumen", [d.acumen_version for d in documents]))
    settings = [d.interval_settings for d in documents]
    rows += [
        row(f"interval {key.replace('_', ' ')}", [getattr(s, key) for s in settings])
        for key in ("method", "confidence_level", "resamples", "seed")
    ]
    commands = [command or d.made_from.command for d in documents]
    if any(commands):
        rows.append((text("command"), *map(command_line, commands)))
    files = dict.fromkeys((i.role, i.path, i.sha256) for d in documents for i in d.made_from.inputs)
    inputs = tuple(tuple(map(text, file)) for file in files)
    table = Table("Runs and settings", ("setting", *method_names(documents)), tuple(rows))
    return (*([Table("Inputs", ("what", "file", "SHA-256"), inputs)] if inputs else []), table)


RESULTS: Final = Family(_head, (_main,), (_rest,))

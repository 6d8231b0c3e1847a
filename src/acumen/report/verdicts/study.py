"""Results of verdict studies as blocks: in brief for a terminal, whole for a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from acumen.charts.tables import ABSTAINED
from acumen.charts.verdicts import VERDICT_CHARTS
from acumen.charts.verdicts import comparison as comparison_chart
from acumen.defaults import TARGET
from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import (
    UNDEFINED,
    Cases,
    Cell,
    Column,
    Fact,
    Facts,
    Folded,
    Section,
    Study,
    Table,
    Warnings,
)
from acumen.report.cells import coded, difference, fact, plain, text, title_of
from acumen.report.joint import case_sections
from acumen.report.plots import plot, plots
from acumen.report.verdicts import tables
from acumen.report.verdicts.words import (
    compared_cases,
    comparison_paragraphs,
    paragraphs,
)
from acumen.results.verdicts import (
    SCORES,
    CaseRow,
    CheckedCase,
    ComparisonDocument,
    Computed,
    PairDocument,
    ResultsDocument,
    method_names,
)


def study_of(pair: PairDocument, key: str, command: str | None = None) -> Study:
    """Everything a page tells of one method, or of two side by side."""
    documents, comparison = pair.systems, pair.comparison
    named = zip(documents, method_names(documents), strict=True)
    warnings = [w for d in documents for w in d.warnings]
    warnings += [] if comparison is None else comparison.warnings
    return Study(
        key=key,
        title=" and ".join(method_names(documents)),
        subtitle=_subtitle(documents),
        answers=_answers(documents, comparison),
        facts=Facts(tuple(_facts(documents, comparison))),
        warnings=Warnings(tuple(map(plain, warnings))),
        sections=(
            *(section for section in _sections(pair, key) if section.blocks),
            *case_sections(key, [case_table(d, m, f"{key}-rows") for d, m in named if d.results]),
            Section("provenance", "Provenance", _provenance(documents, command)),
        ),
        definitions=("verdicts", "intervals"),
    )


def _subtitle(documents: Sequence[ResultsDocument]) -> str:
    """The cases, failed ones among them, and the policies, as far as they are told."""
    words = ["Verdict study"]
    if documents[0].total is not None:
        words.append(counted(documents[0].total + documents[0].failed, "case"))
    policies = {plain(d.policy_id) for d in documents if d.policy_id is not None}
    if policies:
        words.append(f"policy {', '.join(sorted(policies))}")
    return ", ".join(words)


def _answers(
    documents: Sequence[ResultsDocument], comparison: ComparisonDocument | None
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    measured = [
        f"{method}: {counted(d.answered, 'verdict')}, {d.abstained} abstained, {d.failed} failed."
        for d, method in zip(documents, method_names(documents), strict=True)
        if d.answered is not None
    ]
    measured.append(
        "An abstention is wrong in accuracy and outside ranking, other agreement, verdict support "
        "and consistency. What it claimed still counts in the rest of the process score."
    )
    concluded = [] if comparison is None else comparison_paragraphs(comparison, documents[0].levels)
    concluded += [line for document in documents for line in paragraphs(document)]
    limits = (
        "The intervals speak of cases like these; a level with few cases says little, whatever its "
        "score.",
        "Process and consistency look at the evidence a method cites, not at what it left unsaid; "
        "evidence recall does.",
    )
    return (
        ("What can be concluded", tuple(concluded)),
        ("What cannot be concluded", limits),
        ("What was measured", tuple(measured)),
    )


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


def _comparison(pair: ComparisonDocument, first: ResultsDocument, study: str) -> Section:
    left, right = pair.names
    level = first.interval_settings.confidence_level
    figure = plot(
        study,
        "comparison",
        comparison_chart(pair),
        "Paired differences",
        " ".join([f"{right} minus {left}, in points.", *compared_cases(pair)]),
        tables.delta_table(pair, first.levels, level, pair.names, with_counts=True),
    )
    where = "" if pair.n_cases is None else f" on the same {counted(pair.n_cases, 'case')}"
    return Section("comparison", f"How the two differ{where}", plots(figure))


class _Drawing(NamedTuple):
    """A chart by its name, its words, and the table under it."""

    chart: str
    title: str
    caption: str
    table: Callable[[Sequence[ResultsDocument]], Table]


_DRAWINGS: Final[Mapping[tuple[str, str], tuple[_Drawing, ...]]] = {
    ("scores", "The three scores"): (
        _Drawing(
            "scores",
            "Ranking, process, consistency",
            f"Percent, with intervals; the target is above {TARGET:g}.",
            tables.score_table,
        ),
    ),
    ("components", "Are its reasons right"): (
        _Drawing(
            "components",
            "Components of the process score",
            "The share of claims that hold, component by component.",
            tables.component_table,
        ),
    ),
    ("ranking", "Does the worst come first"): (
        _Drawing(
            "thresholds",
            "Average precision by threshold",
            "How well the risk score finds the cases at a level or above.",
            tables.threshold_table,
        ),
        _Drawing(
            "precision-recall",
            "Precision and recall by threshold",
            "As more cases are flagged, by falling score; dotted is the prevalence.",
            tables.threshold_table,
        ),
    ),
    ("agreement", "Does it agree with the truth"): (
        _Drawing(
            "agreement",
            "Agreement of verdict and truth",
            "1 is perfect; for kappa, tau and alpha 0 is no better than guessing. An abstention is "
            "wrong in the accuracy and left out of the rest.",
            tables.agreement_table,
        ),
        _Drawing(
            "confusion",
            "Truth and verdict",
            "Cases by true level and verdict; abstentions are a column of their own.",
            tables.confusion_table,
        ),
    ),
}
"""Sections of charts alone, in the order they stand on the page. To add one, add a line."""


def _sections(pair: PairDocument, study: str) -> Iterator[Section]:
    """The sections that have something to show."""
    systems = pair.systems
    if pair.comparison is not None:
        yield _comparison(pair.comparison, systems[0], study)
    for (key, heading), drawings in _DRAWINGS.items():
        figures = (
            plot(study, chart, VERDICT_CHARTS[chart](systems), title, caption, table_of(systems))
            for chart, title, caption, table_of in drawings
        )
        if blocks := plots(*figures):
            yield Section(key, heading, blocks)
    if (table := tables.metric_table(systems)).rows:
        yield Section("metrics", "Every metric", (Folded(table),))


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
        rows.append(row("command", commands))
    files = dict.fromkeys((i.role, i.path, i.sha256) for d in documents for i in d.made_from.inputs)
    inputs = tuple(tuple(map(text, file)) for file in files)
    table = Table("Runs and settings", ("setting", *method_names(documents)), tuple(rows))
    return (*([Table("Inputs", ("what", "file", "SHA-256"), inputs)] if inputs else []), table)


def case_table(document: ResultsDocument, method: str, key: str) -> Cases:
    """The cases of one method, with what the policy makes of the evidence of each."""
    rows = document.results
    details = document.unified_metrics_full.consistency_details
    checked: Mapping[object, CheckedCase] | None = None
    if details is not None:
        checked = {case.business_id: case for case in details.per_sample}
    scores = [row.risk_score for row in rows]
    numbers = tuple(s for s in scores if not isinstance(s, str | bool))
    columns = (
        coded("case", [_word(row.business_id) for row in rows]),
        coded("truth", [_word(row.gt_verdict) for row in rows]),
        replace(coded("verdict", [_word(row.verdict) for row in rows]), key="prediction"),
        coded("outcome", [_outcome(row) for row in rows]),
        Column("risk score", values=numbers, key="risk score")
        if len(numbers) == len(scores)
        else coded("risk score", [_word(score) for score in scores]),
        replace(coded("its evidence", [_fit(row, checked) for row in rows]), key="fit"),
        coded("what the policy makes of its evidence", [_trace(row, checked) for row in rows]),
    )
    return Cases(key, f"Cases of {method}", (method,), columns, len(rows))


def _made_of(computed: Computed) -> str:
    """What the policy makes of a case's evidence; empty where there is none."""
    if computed.verdict is None and computed.rule is None:
        return ""
    ids = ", ".join(map(str, computed.because)) or "no row"
    return f"{computed.verdict}: {computed.rule} ({ids}; {computed.score} points)"


def _word(value: object) -> object:
    return UNDEFINED if value is None else value


def _outcome(row: CaseRow) -> str:
    if row.error is not None:
        return "failed"
    if row.verdict is None:
        return ABSTAINED
    return "right" if row.verdict == row.gt_verdict else "wrong"


def _trace(row: CaseRow, checked: Mapping[object, CheckedCase] | None) -> str:
    if row.error is not None or checked is None:
        return UNDEFINED
    if row.verdict is None:  # with evidence or without
        return "not asked, as there is no verdict"
    return _made_of(checked.get(row.business_id, CheckedCase()).computed) or "no evidence claimed"


def _fit(row: CaseRow, checked: Mapping[object, CheckedCase] | None) -> str:
    """Whether the policy draws the same verdict from the evidence that was claimed for it."""
    case = (checked or {}).get(row.business_id)
    if row.verdict is None or row.error is not None or case is None or case.consistent is None:
        return UNDEFINED
    return "bears it out" if case.consistent else "contradicts it"

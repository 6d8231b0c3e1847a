"""Results of verdict studies in brief: what a terminal shows of one method, or of two."""

from __future__ import annotations

from collections.abc import Iterator

from acumen.errors import counted
from acumen.report.blocks import UNDEFINED, Block, Note, Notes, Paragraph, Section
from acumen.report.cells import plain, title_of
from acumen.report.verdicts import tables
from acumen.report.verdicts.words import (
    compared_cases,
    comparison_paragraphs,
    paragraphs,
)
from acumen.results.verdicts import ComparisonDocument, PairDocument, ResultsDocument

Parts = Iterator[Section | Block]


def brief(pair: PairDocument, *, full: bool = False) -> Parts:
    """Each method, then how two compare; ``full`` adds every metric."""
    for document in pair.systems:
        yield from method_parts(document, full=full)
    if pair.comparison is not None:
        first = pair.systems[0]
        level = first.interval_settings.confidence_level
        yield from comparison_parts(pair.comparison, first.levels, level)


def screen(pair: PairDocument) -> Parts:
    """Both methods side by side on one screen, and what their comparison says."""
    both = pair.systems
    yield Section("scores", "HOW GOOD ARE VERDICTS AND REASONS", (tables.score_table(both),))
    yield Section("components", "WHERE REASONS FAIL", (tables.component_table(both),))
    yield Section("ranking", "DO VERDICTS RANK SEVERITY", (tables.threshold_table(both),))
    if pair.comparison is not None:
        words = comparison_paragraphs(pair.comparison)
        yield Section("reading", "WHICH IS BETTER", tuple(map(Paragraph, words)))


def method_parts(document: ResultsDocument, *, full: bool = False) -> Parts:
    """Everything there is to show of one method."""
    one = [document]
    yield from (_header(document), _counts(document))
    yield Section("scores", "UNIFIED SCORES", (tables.score_table(one),))
    if any(share is not None for share in document.components.values()):
        yield Section("components", "PROCESS COMPONENTS", (tables.component_table(one),))
    if document.auprc.thresholds:
        yield Section("ranking", "RANKING, BY THRESHOLD", (tables.threshold_table(one),))
    if document.agreement is not None:
        yield Section("agreement", "AGREEMENT OF VERDICTS", (tables.agreement_table(one),))
    if document.primitives is not None:
        yield _primitives(document)
    if (rest := tables.file_table(document)).rows:
        yield Section("file", "ALSO IN THE FILE", (rest,))
    if full:
        yield Section("metrics", "EVERY METRIC", (tables.metric_table(one),))
    if notes := tuple(_notes(document)):
        yield Section("notes", "NOTES", (Notes(notes),))
    yield Section("reading", "READING", tuple(map(Paragraph, paragraphs(document))))


def _header(document: ResultsDocument) -> Paragraph:
    words = [f"RUN: {_name(document.run_id or document.policy_id)}"]
    words.append(f"Method: {_name(document.method)}")
    if document.k is not None:
        words.append(f"K={_name(document.k)}")
    words.append(f"N={_name(document.n)}")
    rule = "═" * 67
    return Paragraph(f"{rule}\n {' | '.join(words)}\n{rule}")


def _name(value: object) -> str:
    return "unnamed" if value is None else plain(value)


def _counts(document: ResultsDocument) -> Paragraph:
    policy = f"Policy {_name(document.policy_id)}"
    origin = {"model": document.model, "domain": document.domain, "time": document.timestamp}
    if words := [f"{key} {_name(word)}" for key, word in origin.items() if word is not None]:
        policy += f"\nOrigin: {', '.join(words)}"
    if document.answered is None:
        return Paragraph(policy)
    text = counted(document.answered, "verdict")
    if document.abstained:
        whose = "its" if document.abstained == 1 else "their"
        text += (
            f", {document.abstained} abstained (wrong in accuracy, outside ranking, "
            f"other agreement and consistency; {whose} claims still count in the process score)"
        )
    if document.failed:
        text += f", {document.failed} failed (left out)"
    return Paragraph(f"{text}\n{policy}")


def _primitives(document: ResultsDocument) -> Paragraph:
    primitives, auprc = document.primitives, document.auprc.ordinal_auprc
    assert primitives is not None
    accuracy, adjusted = primitives.primitive_accuracy, primitives.adjusted_auprc
    product = f"{UNDEFINED} (no AUPRC)"
    if adjusted is not None and auprc is not None:
        product = f"{adjusted:.3f}  = {auprc:.3f} × {accuracy:.3f}"
    lines = (
        "PROCESS-REWARD ADJUSTED METRICS:",
        "-" * 50,
        f"  Primitive Acc:  {accuracy:.3f}  (mean accuracy of intermediate calculations)",
        f"    - Range:      [{primitives.min:.3f}, {primitives.max:.3f}]",
        f"    - Std Dev:    {primitives.std:.3f}",
        "",
        f"  Adjusted AUPRC: {product}",
    )
    return Paragraph("\n".join(lines))


def _notes(document: ResultsDocument) -> Iterator[Note]:
    weight = document.total_weight
    if weight and weight < 1:
        yield Note(
            "The weight of a component without a value goes to the others in proportion "
            f"(they weigh {weight:g} in all)."
        )
    rows = document.auprc.thresholds
    covered = [_name(row.at_least) for row in rows if row.ap is not None]
    if 0 < len(covered) < len(rows):
        yield Note(f"The mean AUPRC covers {' and '.join(covered)} only.")
    yield from tables.reasons(tables.known_titles(document), document.metrics)
    yield from (Note(f"Note: {plain(text)}.") for text in document.warnings)


def comparison_parts(pair: ComparisonDocument, levels: list[str | int], level: float) -> Parts:
    """The paired differences and what they say."""
    left, right = pair.names
    cases = pair.n_cases
    same = "THE SAME CASES" if cases is None else f"THE SAME {counted(cases, 'CASE').upper()}"
    notes = [Note(text) for text in _comparison_notes(pair, levels)]
    # what neither has a value for is told in the report of each
    titles = {
        key: title_of(key, levels)
        for key, delta in pair.deltas.items()
        if delta.left is not None or delta.right is not None
    }
    notes += tables.reasons(titles, pair.deltas)
    notes += [Note(f"Note: {plain(text)}.") for text in pair.warnings]
    yield Section(
        "comparison",
        f"{left} AND {right} ON {same}",
        (
            tables.delta_table(pair, levels, level, tables.short_names(pair)),
            Notes(tuple(notes)),
            *map(Paragraph, comparison_paragraphs(pair)),
        ),
    )


def _comparison_notes(pair: ComparisonDocument, levels: list[str | int]) -> Iterator[str]:
    left, right = pair.names
    if tables.short_names(pair) != pair.names:
        yield f"left is {left}, right is {right}."
    yield f"Difference: {right} minus {left}, paired by case; of percents, in percentage points."
    yield from compared_cases(pair)
    checked = [
        f"{title_of(key, levels)} {counts}"
        for key, delta in pair.deltas.items()
        if (counts := tables.right_of_checked(delta)) is not None
    ]
    if checked:
        yield f"Right of checked, {left} and {right}: {', '.join(checked)}."

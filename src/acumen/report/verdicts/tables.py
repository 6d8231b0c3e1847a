"""The tables of verdict studies, of one method or of several, for every medium alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from acumen.defaults import CELLS, PROCESS_WEIGHTS, TARGET
from acumen.errors import printable, source_name
from acumen.metrics import METRICS, find_metric, kin_of
from acumen.metrics.registry import Unit
from acumen.report.blocks import UNDEFINED, Block, Cell, Note, Paragraph, Table, Tone
from acumen.report.cells import (
    amount,
    measured_cell,
    number,
    plain,
    text,
    title_of,
    unit_of,
)
from acumen.report.words import note_of, why_no_interval
from acumen.results.files import ResultFile
from acumen.results.verdicts import (
    SCORES,
    ComparisonDocument,
    ResultsDocument,
    method_names,
)
from acumen.values.measured import Delta, Measured

Documents = Sequence[ResultsDocument]


def _methods(documents: Documents) -> Iterator[tuple[tuple[Cell, ...], ResultsDocument]]:
    """Each document after the cell that names its method, which one alone does not need."""
    for method, document in zip(method_names(documents), documents, strict=True):
        yield ((text(method),) if len(documents) > 1 else ()), document


def _columns(documents: Documents, first: str, *others: str) -> tuple[str, ...]:
    method = ("Method",) if len(documents) > 1 else ()
    return (first, *method, *others)


def _level(documents: Documents, what: str = "Value") -> str:
    return f"{what} and {100 * documents[0].interval_settings.confidence_level:g}% interval"


def score_table(documents: Documents) -> Table:
    """The three scores; a tick above the target only, and what consistency is counted over."""
    rows = []
    for key in SCORES:
        for method, document in _methods(documents):
            score, counts = document.measured(key), document.right_of(key)
            title = title_of(key) + ("" if counts is None else " ({}/{})".format(*counts))
            above = score.value is not None and 100 * score.value > TARGET
            tick = ("✓" if score.interval else "✓ (no interval)") if above else ""
            if key == "process" and (lone := document.lone_component) is not None:
                tick = f"{title_of(lone)} alone"
            rows.append((text(title), *method, _measured(document, key), Cell(tick)))
    columns = _columns(documents, "Metric", _level(documents), "Status")
    return Table("", columns, tuple(rows))


def component_table(documents: Documents) -> Table:
    """The five components with their weights, then what is reported beside them."""
    elsewhere = (*PROCESS_WEIGHTS, *SCORES, *CELLS, "primitive_accuracy")
    beside = [m.name for m in kin_of("process") if m.name not in elsewhere]
    rows = []
    has_shares = any(share is not None for d in documents for share in d.components.values())
    for key in (*PROCESS_WEIGHTS, *beside) if has_shares else ():
        for method, document in _methods(documents):
            if key not in document.metrics and key not in document.components:
                continue
            counts = document.right_of(key)
            checked = UNDEFINED if counts is None else "{}/{}".format(*counts)
            weight = f"{PROCESS_WEIGHTS[key]}%" if key in PROCESS_WEIGHTS else ""
            cells = (_measured(document, key), Cell(checked), Cell(weight))
            rows.append((text(title_of(key)), *method, *cells))
    columns = (_level(documents), "Right/of", "Weight")
    return Table("", _columns(documents, "Component", *columns), tuple(rows))


def threshold_table(documents: Documents) -> Table:
    """Average precision at every threshold, against its prevalence; then over them all."""
    rows = []
    for method, document in _methods(documents):
        ranking = document.auprc
        if not ranking.thresholds:
            continue
        n = UNDEFINED if ranking.n_samples is None else ranking.n_samples
        for at in ranking.thresholds:
            auprc = _measured(document, METRICS["auprc_ge"].at(level=at.threshold).name)
            others = (amount(at.nap, Unit.NUMBER), amount(at.auroc, Unit.NUMBER))
            share = Cell(f"{at.n_positive}/{n}")
            rows.append((text(at.at_least), *method, auprc, share, *others))
        means = (amount(v, Unit.NUMBER) for v in (ranking.ordinal_nap, ranking.ordinal_auroc))
        mean = _measured(document, "ordinal_auprc")
        rows.append((text("Mean"), *method, mean, Cell(""), *means))
        ordering = _measured(document, "severity_ordering_ap")
        title = text(title_of("severity_ordering_ap"))
        rows.append((title, *method, ordering, Cell(""), Cell(""), Cell("")))
    columns = (_level(documents, "AUPRC"), "Share", "nAP", "AUROC")
    return Table("", _columns(documents, "Truth at least", *columns), tuple(rows))


def agreement_table(documents: Documents) -> Table:
    """How the verdicts themselves agree with the truth."""
    rows = []
    for metric in kin_of("total_accuracy"):
        for method, document in _methods(documents):
            if document.agreement is None:
                continue
            title = metric.title
            if metric.name == "total_accuracy" and document.correct is not None:
                title += f" ({document.correct}/{document.total})"
            rows.append((text(title), *method, _measured(document, metric.name)))
    columns = _columns(documents, "Measure", _level(documents))
    return Table("", columns, tuple(rows))


def cell_table(documents: Documents) -> Table:
    """Verdicts right and wrong, with sound and unsound reasons: four cells with intervals."""
    rows = []
    for verdict in ("right", "wrong"):
        for method, document in _methods(documents):
            if document.soundness is None:
                continue
            cells: list[Cell] = []
            for key in (f"{verdict}_sound", f"{verdict}_unsound"):
                cells += [number(document.soundness.cells.get(key)), _measured(document, key)]
            rows.append((text(verdict), *method, *cells))
    columns = ("sound", "share", "unsound", "share ")
    return Table("", _columns(documents, "Verdict", *columns), tuple(rows))


def step_table(documents: Documents) -> Table:
    """How right the steps are that lead to a verdict, and the ranking that they discount."""
    rows = []
    for method, document in _methods(documents):
        if (steps := document.primitives) is not None:
            numbers = (steps.primitive_accuracy, steps.min, steps.max, steps.std)
            cells = (amount(value, Unit.NUMBER) for value in (*numbers, steps.adjusted_auprc))
            rows.append((text(title_of("primitive_accuracy")), *method, *cells))
    columns = _columns(documents, "Steps", "Mean", "Lowest", "Highest", "SD", "AUPRC × mean")
    return Table("", columns, tuple(rows))


def file_table(documents: Documents) -> Table:
    """What files of another tool hold and no other table shows."""
    rows = []
    for method, document in _methods(documents):
        if document.accuracy is not None and document.agreement is None:
            title = title_of("total_accuracy")
            title += "" if document.total is None else f" ({document.correct}/{document.total})"
            rows.append((text(title), *method, amount(document.accuracy, Unit.SHARE)))
        own = {} if document.auprc.thresholds else document.auprc.model_extra or {}
        for key, value in {**own, **(document.model_extra or {})}.items():
            if isinstance(value, str):
                rows.append((text(key), *method, text(value)))
            elif isinstance(value, int | float):
                rows.append((text(key), *method, amount(float(value), Unit.NUMBER)))
    return Table("", _columns(documents, "What", "Value"), tuple(rows))


def metric_table(documents: Documents) -> Table:
    """Every metric of the documents."""
    keys = dict.fromkeys(key for document in documents for key in document.metrics)
    rows = [
        (text(title_of(key, document.levels)), *method, _measured(document, key))
        for key in keys
        for method, document in _methods(documents)
    ]
    columns = _columns(documents, "Metric", _level(documents))
    return Table("", columns, tuple(rows))


def _measured(document: ResultsDocument, key: str) -> Cell:
    return measured_cell(document.measured(key), unit_of(key))


def confusion_table(documents: Documents) -> Table:
    """Cases by truth and verdict."""
    rows, levels = [], []
    for method, document in _methods(documents):
        if document.summary is not None:
            levels = document.summary.levels
            for level, counts in zip(levels, document.summary.confusion, strict=False):
                rows.append((text(level), *method, *(number(n) for n in counts)))
    columns = _columns(documents, "Truth", *map(plain, levels), "abstained")
    return Table("", columns, tuple(rows))


LONGEST_NAME: Final = 6
"""With longer names the table of differences would not fit into 80 columns."""


def short_names(pair: ComparisonDocument) -> tuple[str, str]:
    """The two methods by name, or by side where a name is long."""
    return pair.names if max(map(len, pair.names)) <= LONGEST_NAME else ("left", "right")


def delta_table(
    pair: ComparisonDocument,
    levels: Sequence[object],
    level: float,
    names: tuple[str, str],
    *,
    with_counts: bool = False,
    of_cells: bool = False,
) -> Table:
    """Every difference that has a value; shares and percent differ by points.

    The four cells stand apart, as they are tested apart.
    """
    better = dict(zip(("left", "right"), names, strict=True))
    rows = []
    for key, delta in pair.deltas.items():
        if delta.delta is None or (key in CELLS) is not of_cells:
            continue
        unit = unit_of(key)
        undecided = UNDEFINED if delta.interval is None else "not shown"
        cells = [
            text(title_of(key, levels)),
            amount(delta.left, unit),
            amount(delta.right, unit),
            measured_cell(delta, unit, signed=True),
            Cell(undecided if delta.favours is None else better[delta.favours]),
        ]
        rows.append((*cells, text(right_of_checked(delta))) if with_counts else tuple(cells))
    columns = ("Metric", *names, f"Difference and {100 * level:g}% interval", "Better")
    checked = ("Right of checked",) if with_counts else ()
    return Table("", (*columns, *checked), tuple(rows))


def right_of_checked(delta: Delta) -> str | None:
    """What a difference of shares is counted over, left and right."""
    if delta.counts is None:
        return None
    return "{}/{} and {}/{}".format(*delta.counts.left, *delta.counts.right)


def reasons(
    titles: Mapping[str, str], numbers: Mapping[str, Measured | Delta], whose: str = ""
) -> list[Note]:
    """Why numbers or intervals are not there, and what to know of intervals: each reason once."""
    concerned: dict[tuple[str, str, bool], list[str]] = {}
    for key, title in titles.items():
        if (one := numbers.get(key)) is not None:
            for what, why, marked in _remarks(one):
                concerned.setdefault((what, why, marked), []).append(title)
    return [
        Note(f"{whose}{what} for {', '.join(names)}: {plain(why)}.", marked)
        for (what, why, marked), names in concerned.items()
    ]


def _remarks(one: Measured | Delta) -> Iterator[tuple[str, str, bool]]:
    if one.reason:
        yield "No value", one.reason, False
    elif one.no_interval is not None:
        yield "No interval", why_no_interval(one.no_interval), False
    if one.interval is not None and (note := note_of(one.interval)) is not None:
        yield "Interval", note, not one.interval.is_reliable


_RESULT_COLUMNS: Final[Mapping[str, str]] = {
    "accuracy": "total_accuracy",
    "auprc": "ordinal_auprc",
    "process": "process",
    "consistency": "consistency",
}
"""Columns of result files side by side, and their metrics."""


def side_by_side(files: Sequence[ResultFile]) -> list[Block]:
    """One row a result."""
    sizes = {str(file.document.k) for file in files}
    with_size = len(sizes) > 1
    rows = tuple(
        (
            *(_word(file.document.method), _word(file.document.policy_id)),
            *((_word(file.document.k),) if with_size else ()),
            _cases(file),
            *(
                measured_cell(file.document.measured(m), Unit.SHARE)
                for m in _RESULT_COLUMNS.values()
            ),
        )
        for file in files
    )
    titles = (title_of(metric) for metric in _RESULT_COLUMNS.values())
    blocks: list[Block] = [
        Table("", ("Method", "Policy", *(("K",) if with_size else ()), "N", *titles), rows)
    ]
    if any(cell.marked for row in rows for cell in row):
        blocks.append(Paragraph("* rests on too few cases: unreliable.", Tone.QUIET))
    unscored = [source_name(file.path) for file in files if not file.document.is_scored]
    if unscored:
        names = ", ".join(unscored[:3]) + (" …" if len(unscored) > 3 else "")
        blocks.append(Paragraph(f"Not scored: {names}; --full says what is lacking.", Tone.QUIET))
    return blocks


def _word(value: object) -> Cell:
    return Cell(UNDEFINED if value is None else printable(str(value)))


def _cases(file: ResultFile) -> Cell:
    """What accuracy is divided by, of all cases: failed ones are left out of it."""
    n, scored = file.document.n, file.document.total
    if scored is None or scored == n:
        return Cell(UNDEFINED if n is None else plain(n), n if isinstance(n, int) else None)
    return Cell(f"{scored}" if n is None else f"{scored}/{plain(n)}")


def records(files: Iterable[ResultFile]) -> list[Block]:
    """One row a result for other programs, scores in percent, names as they came."""
    words = ("method", "policy", "model", "run_id", "timestamp", "n", "scored")
    rows = []
    for file in files:
        d = file.document
        values = (d.method, d.policy_id, d.model, d.run_id, d.timestamp, d.n, d.total)
        cells = [
            Cell(UNDEFINED if v is None else str(v), v if isinstance(v, int | float) else None)
            for v in values
        ]
        for metric in _RESULT_COLUMNS.values():
            share = d.measured(metric)
            cells.append(measured_cell(share.times(100.0), Unit.PERCENT))
        rows.append(tuple(cells))
    return [Table("", (*words, *_RESULT_COLUMNS), tuple(rows))]


def notes(whose: str, document: ResultsDocument) -> Iterator[Note]:
    """What to know of the numbers of a method: what its means cover, and why some are missing."""
    weight = document.total_weight
    if weight and weight < 1:
        yield Note(
            f"{whose}The weight of a component without a value goes to the others in proportion "
            f"(they weigh {weight:g} in all)."
        )
    rows = document.auprc.thresholds
    covered = [plain(row.at_least) for row in rows if row.ap is not None]
    if 0 < len(covered) < len(rows):
        yield Note(f"{whose}The mean AUPRC covers {' and '.join(covered)} only.")
    keys = dict.fromkeys((*document.metrics, *SCORES))
    known = {k: title_of(k, document.levels) for k in keys if find_metric(k) is not None}
    yield from reasons(known, document.metrics, whose)

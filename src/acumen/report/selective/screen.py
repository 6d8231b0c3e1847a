"""The screen of a metrics document, in the order people ask.

What was judged, how right it is, whether it knows when it is not, whether its confidence is honest,
whether it ranks severity; then who is better, and for whom not. One section each, a line of plain
words first; the function with the lowest AUGRC in full, the others in one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from acumen.defaults import COVERAGE_TOLERANCE, ESTIMAND, ITEMS
from acumen.errors import printable
from acumen.metrics import METRICS
from acumen.metrics.registry import Unit, floor_of
from acumen.report.blocks import UNDEFINED, Cell, Detail, Paragraph, Section, Table, Tone
from acumen.report.cells import (
    amount,
    measured_cell,
    metric_cell,
    percent,
    plain,
    title_of,
    written,
)
from acumen.report.selective import abstention, missing, probabilities
from acumen.report.selective.compared import comparison_table, verdict
from acumen.report.selective.leaderboard import blocks as among_several
from acumen.report.selective.outcomes import (
    WEIGHTED,
    in_units,
    loss_line,
    loss_words,
    not_probability,
    nothing_ranked,
    population,
    side_names,
)
from acumen.report.selective.slices import for_whom
from acumen.report.selective.words import conclusion, knows
from acumen.results.metrics import MetricsArtifact, Variant, name
from acumen.values.measured import Measured

Numbers = Sequence[Measured | None]
"""Of each input."""
Row = tuple[str, str, Numbers]
"""What a row is called, its metric, and its numbers."""

MOST_CUTS: Final = 5
MOST_SIDES: Final = 3
"""Systems that stand side by side; of more, those that lead."""
RIGHT: Final = (
    *("total_accuracy", "accuracy", "mae", "noise_floor_mae", "signed_error"),
    *("quadratic_kappa", "replacement_alpha", "raters_alpha"),
)
AREAS: Final = ("augrc", "augrc_achievable", "failure_auroc")
HONEST: Final = ("overconfidence", "ece", "brier")
BESIDE: Final = {"eaugrc": "excess", "failure_auroc": "AUROC", "ece": "ECE"}
"""Of every function beside its AUGRC, under words short enough for a column."""


def screen(artifact: MetricsArtifact) -> list[Section]:
    """The sections there is something to say in."""
    leading = _leading(artifact)
    sections = [_compared(artifact), missing.of_screen(artifact)]
    sections += [build(leading) for build in OF_EACH]
    sections += [for_whom(artifact), _judged(artifact)]
    return [section for section in sections if section.blocks or section.finding]


def _leading(artifact: MetricsArtifact) -> MetricsArtifact:
    """The systems that lead, as many as stand side by side; the leaderboard has them all."""
    names, board = artifact.input_names, artifact.leaderboard
    if len(names) <= MOST_SIDES or board is None:
        return artifact
    order = [name(s.system) for s in board.standings]
    places = [names.index(system) for system in order[:MOST_SIDES]]
    sides = {function: [v[at] for at in places] for function, v in artifact.sides.items()}
    lists: dict[str, Sequence[object]] = {
        "inputs": artifact.inputs,
        "systems": names,
        "overall": artifact.overall_by_input,
        "summaries": artifact.summaries,
        "abstention": artifact.abstention,
    }
    return artifact.model_copy(
        update={key: [part[at] for at in places if part] for key, part in lists.items()}
        | {"confidence_variants": {f: dict(zip(order, v, strict=False)) for f, v in sides.items()}}
    )


def _judged(artifact: MetricsArtifact) -> Section:
    note = artifact.scale_note
    blocks = (
        *([] if note is None else [Paragraph(note, Tone.STRONG)]),
        Paragraph(origin(artifact)),
    )
    return Section("judged", "Data and settings", blocks)


def origin(artifact: MetricsArtifact) -> str:
    """What was judged, what became of the rows, and the settings: a line each."""
    loss = f"loss {loss_line(artifact.loss)}"
    options = {"items": ITEMS, "estimand": ESTIMAND, **artifact.options}
    of = f"items {options['items']}, estimand {options['estimand']}"
    of += f", {WEIGHTED}" if options.get("weighted") else ""
    about = f"{loss} · {artifact.confidence_level:.0%} intervals · {of}"
    return "\n".join([population(artifact), *_inputs(artifact), about])


def _inputs(artifact: MetricsArtifact) -> Iterator[str]:
    """Which file in which mode stands on which side."""
    for side, entry in zip(side_names(artifact), artifact.inputs, strict=False):
        mode = f" · mode {printable(entry.mode)}" if entry.mode else ""
        where = f"{printable(entry.path or 'rows', limit=200)}{mode}"
        yield f"{side}: {where}" if len(artifact.inputs) > 1 else where


def _right(artifact: MetricsArtifact) -> Section:
    numbers = artifact.overall_by_input
    rows = [
        (title_of(key, artifact.scale.get("levels", ())), key, [n.get(key) for n in numbers])
        for key in RIGHT
    ]
    said = _said(artifact, [m.get("total_accuracy") for m in numbers], Unit.SHARE)
    by_case = artifact.options.get("estimand") == "case"
    alike = f", each {artifact.population.case_noun} counting alike" * by_case
    which = "all rows that can be judged" if artifact.abstention else "all rows"
    words = f"Exactly right in {said} of {which}{alike}; an abstention does not count as right."
    if not artifact.population.has_truth or not any("total_accuracy" in m for m in numbers):
        return Section("right", "")
    return Section("right", "How right is it", (_numbers(artifact, rows),), finding=words)


def _said(artifact: MetricsArtifact, numbers: Numbers, unit: Unit) -> str:
    """A number of each input in a sentence."""
    values = [
        UNDEFINED if m is None or m.value is None else written(m.value, unit) for m in numbers
    ]
    if len(values) == 1:
        return values[0]
    return ", ".join(f"{v} ({who})" for v, who in zip(values, side_names(artifact), strict=False))


def _numbers(artifact: MetricsArtifact, rows: Iterable[Row]) -> Table:
    """A row a metric, a column an input; what no input has a value or a reason for is left out."""
    cells = tuple(
        (Cell(title), *(metric_cell(key, m) for m in numbers))
        for title, key, numbers in rows
        if any(m is not None and (m.value is not None or m.reason) for m in numbers)
    )
    names = side_names(artifact) if len(artifact.inputs) > 1 else [""]
    return Table("", ("", *names), cells)


def _of(artifact: MetricsArtifact, keys: Iterable[str]) -> list[Row]:
    """The rows of some metrics of the best function."""
    variants = artifact.sides[artifact.best_function or ""]
    return [(title_of(key), key, [v.metrics.get(key) for v in variants]) for key in keys]


def _knows(artifact: MetricsArtifact) -> Section:
    title, best = "Does its confidence separate right from wrong answers", artifact.best_function
    if best is None:
        return Section("knows", title, (), Detail.ANSWER, nothing_ranked(artifact))
    variants = artifact.sides[best]
    limits = [key for key in variants[0].metrics if key.startswith("coverage_at_risk")]
    rows = [("Coverage", *row[1:]) for row in _of(artifact, ["coverage"])] + _of(artifact, AREAS)
    ends, detail = [""] * len(limits), Detail.MAIN
    cuts: tuple[Table, ...] = ()
    if len(variants) == 1:
        words, detail = f"By {name(best)}: {knows(artifact, variants[0])}.", Detail.ANSWER
        ends = [f", cut {_threshold(variants[0], key)}" for key in limits]
        cuts = (cut_table(artifact, variants[0]),)
    else:
        words = f"By {name(best)}: {loss_words(artifact)}, as fewer and surer answers are kept."
        rows = [*_surest(artifact, variants), *rows]
    rows += [(row[0] + end, *row[1:]) for row, end in zip(_of(artifact, limits), ends, strict=True)]
    return Section("knows", title, (*cuts, _numbers(artifact, rows)), detail, words)


def _surest(artifact: MetricsArtifact, variants: Sequence[Variant]) -> Iterator[Row]:
    """The risk of the surest rows; coverages that ties make the same are one."""
    grid, before = _grid(variants), None
    for coverage, (_, key, numbers) in zip(grid, _of(artifact, grid.values()), strict=True):
        if (values := [m and m.value for m in numbers]) != before:
            yield f"Surest {coverage:.0%} of all rows", key, numbers
            floors = [v.metrics.get(floor_of(key)) for v in variants]
            yield f"  noise floor, surest {coverage:.0%}", key, floors
        before = values


def _grid(
    variants: Sequence[Variant], risk: str = "mean_loss_at_coverage", most: int = MOST_CUTS
) -> dict[float, str]:
    """Coverages that all inputs reach -> the metric of the risk there; of many, some."""
    least = min(variant.cmax or 0.0 for variant in variants)
    points = variants[0].mae_at_coverage.values()
    grid = [point.requested for point in points if point.requested <= least]
    some = grid if len(grid) <= most else grid[:: -(-len(grid) // most)]
    return {c: METRICS[risk].at(coverage=c).name for c in some}


def cut_table(artifact: MetricsArtifact, variant: Variant, most: int = MOST_CUTS) -> Table:
    """The error by cut, and the share of all rows that is kept: at each coverage, then of all."""
    points = {point.requested: point.achieved for point in variant.mae_at_coverage.values()}
    metrics = {
        points[c] or 0.0: key for c, key in _grid([variant], "mean_loss_at_cut", most).items()
    }
    if variant.cmax is not None:
        metrics[variant.cmax] = "mean_loss"
    has_floor = floor_of("mean_loss") in variant.metrics

    def floor(key: str) -> Measured | None:
        return variant.metrics.get(floor_of(key))

    rows = tuple(
        (
            Cell(_cut(variant, share) if key != "mean_loss" else "all answers"),
            percent(share),
            measured_cell(in_units(artifact, variant.metrics.get(key))),
            *([measured_cell(in_units(artifact, floor(key)))] if has_floor else []),
        )
        for share, key in metrics.items()
    )
    head = ("confidence", "rows kept", loss_words(artifact))
    return Table("", (*head, "noise floor") if has_floor else head, rows)


def _cut(variant: Variant, coverage: float) -> str:
    """The confidence down to which so many rows are kept, where the curve is in the file."""
    curve = zip(variant.curve.coverage, variant.curve.threshold, strict=True)
    cut = next((cut for share, cut in curve if share >= coverage - 1e-9), None)
    return UNDEFINED if cut is None else f"≥ {cut:g}"


def _threshold(variant: Variant, key: str) -> str:
    """The last cut whose risk is within: of a tie beyond it only a part would be."""
    coverage = variant.metrics[key].value or 0.0
    curve = zip(variant.curve.coverage, variant.curve.threshold, strict=True)
    cuts = [cut for share, cut in curve if share <= coverage + COVERAGE_TOLERANCE]
    return f"≥ {cuts[-1]:g}" if cuts else UNDEFINED


def _honest(artifact: MetricsArtifact) -> Section:
    best = artifact.best_function
    if best is None:
        return Section("honest", "")
    numbers = [variant.metrics.get("ece") for variant in artifact.sides[best]]
    title = f"Is its confidence honest ({name(best)})"
    if all(m is None or m.value is None for m in numbers):
        return Section("honest", title, finding=not_probability(artifact, best))
    said = _said(artifact, numbers, Unit.NUMBER)
    words = f"Confidence and share of right answers lie {said} apart on average; 0 is honest."
    return Section("honest", title, (_numbers(artifact, _of(artifact, HONEST)),), finding=words)


def _severity(artifact: MetricsArtifact) -> Section:
    if not artifact.summaries or not artifact.summaries[0].precision_recall:
        return Section("severity", "")
    first, numbers = artifact.summaries[0], artifact.overall_by_input
    shares = {f"≥ {curve.at_least}": curve.prevalence for curve in first.precision_recall}
    levels = artifact.scale.get("levels", [])
    rows = []
    for key in ("kendall_tau_b", *(key for key in numbers[0] if key.startswith("auprc_ge@"))):
        title = title_of(key, levels)
        chance = shares.get(title.removeprefix("AUPRC "))
        among = "" if chance is None or len(numbers) > 1 else f", by chance {chance:.1%}"
        rows.append((title + among, key, [metrics.get(key) for metrics in numbers]))
    ranked = f"Ranked by {plain(first.ranked_by).replace('_', ' ')}, worst first"
    area = METRICS["ordinal_auprc"]
    said = _said(artifact, [m.get(area.name) for m in numbers], area.unit)
    words = f"{ranked}: {area.title} {said}; 100% is perfect."
    blocks = (_numbers(artifact, rows),)
    return Section("severity", "Does it rank severity", blocks, finding=words)


def function_table(artifact: MetricsArtifact) -> Table | None:
    """Every function in a line, lowest AUGRC first; those with the same numbers share one."""
    if len(artifact.functions) < 2:
        return None
    paired = len(artifact.inputs) > 1
    columns = {"augrc": "AUGRC"} if paired else {"augrc": "AUGRC", **BESIDE}
    lines: dict[tuple[Cell, ...], list[str]] = {}
    for function in artifact.functions:
        cells = [
            measured_cell(m)
            if key == "augrc"
            else amount(None if m is None else m.value, Unit.NUMBER)
            for variant in artifact.sides[function]
            for key in columns
            for m in [variant.metrics.get(key)]
        ]
        lines.setdefault(tuple(cells), []).append(name(function))
    rows = tuple((Cell(" = ".join(names)), *cells) for cells, names in lines.items())
    sides = [f"AUGRC, {side}" for side in side_names(artifact)]
    return Table("", ("confidence", *(sides if paired else columns.values())), rows)


def _functions(artifact: MetricsArtifact) -> Section:
    table = function_table(artifact)
    if table is None:
        return Section("functions", "")
    title = "Which confidence ranks best"
    if len(artifact.inputs) > 1:
        words = "Lowest first; where coverage differs it does not say which system is better."
        return Section("functions", title, (table,), finding=words)
    return Section("functions", title, (table,), Detail.ANSWER, conclusion(artifact))


def _compared(artifact: MetricsArtifact) -> Section:
    """Of two, by the best function what is tested and what is described; the words are of all."""
    best = artifact.best_function
    if artifact.is_list:
        words, blocks = conclusion(artifact), tuple(among_several(artifact))
        return Section("compared", "Which is better", blocks, Detail.ANSWER, words)
    if len(artifact.inputs) < 2 or best is None:
        return Section("compared", "")
    names = side_names(artifact)
    table = comparison_table(artifact, names)
    if table is None:
        return Section("compared", "")
    title = f"Which is better ({names[1]} − {names[0]}, {name(best)})"
    words = verdict(artifact, names)
    return Section("compared", title, (table,), Detail.ANSWER, words)


OF_EACH: Final = (
    _right,
    abstention.of_screen,
    _knows,
    _honest,
    probabilities.of_screen,
    _severity,
    _functions,
)
"""What is asked of each system, in the order people ask; one without blocks is left out."""

"""What a page adds to the screen of a metrics document: charts with their tables, and every row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from acumen.charts.curves import ALONE
from acumen.charts.tables import bin_name
from acumen.metrics import METRICS, kin_of
from acumen.metrics.registry import Unit, floor_of
from acumen.report.blocks import Cell, Facts, Folded, Paragraph, Section, Table, Tone
from acumen.report.cells import (
    amount,
    measured_cell,
    number,
    p_cell,
    percent,
    plain,
    text,
    title_of,
    unit_of,
)
from acumen.report.joint import case_section
from acumen.report.plots import drawing, plots
from acumen.report.sections import Ask
from acumen.report.selective import abstention, levels, missing, probabilities, slices
from acumen.report.selective.compared import details, listed, rows_of, shared_rows
from acumen.report.selective.cut import commands
from acumen.report.selective.facts import cases, fact_list, provenance
from acumen.report.selective.leaderboard import section
from acumen.report.selective.metrics import metric_table
from acumen.report.selective.words import limits
from acumen.results.metrics import MetricsArtifact, name
from acumen.values.measured import Measured

_AREAS: Final = ("augrc", "aurc", "aurc_exact", "eaugrc", "failure_auroc")
"""What a confidence function is judged by first."""

NOTABLE: Final = 0.005
"""A coverage that is reached is told where it lies so far from what was asked for."""
_WITHIN: Final = (
    " It ranks the functions of one system: an area up to what a system answers rewards "
    "abstaining, so it does not compare two systems."
)
_COLOURED: Final = (
    " The colours compare each function with the lowest on the same cases, all at once: functions "
    "whose intervals overlap may still differ."
)


def _metric_table(artifact: MetricsArtifact, title: str, metrics: Sequence[str]) -> Table:
    """Metrics of each confidence function with their intervals; functions without any left out."""
    columns = ["confidence function", *(["input"] if artifact.comparison.enabled else [])]
    columns += map(title_of, metrics)
    rows = []
    for function, side, variant in artifact.variants():
        if any(
            key in variant.metrics and variant.metrics[key].value is not None for key in metrics
        ):
            who = [text(name(function)), *([text(side)] if artifact.comparison.enabled else [])]
            numbers = (measured_cell(variant.metrics.get(key), unit_of(key)) for key in metrics)
            rows.append((*who, *numbers))
    return Table(title, tuple(columns), tuple(rows))


def _functions(artifact: MetricsArtifact, ask: Ask) -> Section:
    table = _metric_table(artifact, "Areas by confidence function", _AREAS)
    paired = len(artifact.input_names) > 1
    draw = drawing(ask, artifact)
    figure = draw(
        "forest",
        "AUGRC of every confidence function",
        "Each dot is the area under the generalized risk curve, each line its interval; lower is "
        "better." + (_WITHIN if paired else _COLOURED * (artifact.best is not None)),
        table,
    )
    return Section("functions", "Which confidence ranks best", plots(figure))


def _curve_table(artifact: MetricsArtifact) -> Table:
    rows = []
    first = next(iter(artifact.sides.values()))[0]
    grid = [at.requested for at in first.mae_at_coverage.values()]
    keys = [METRICS["mean_loss_at_cut"].at(coverage=coverage).name for coverage in grid]
    for function, side, variant in artifact.variants():
        risks = [
            # documents written before cuts had a metric of their own have the value alone
            variant.metrics.get(key, Measured(value=at.value, reason=None))
            for key, at in zip(keys, variant.mae_at_coverage.values(), strict=True)
        ]
        reached = [at.achieved for at in variant.mae_at_coverage.values()]
        cells = (_reached(*at) for at in zip(grid, reached, risks, strict=True))
        rows.append((text(name(function)), text(side), percent(variant.cmax), *cells))
        if floor_of("mean_loss") in variant.metrics:
            cells = (measured_cell(variant.metrics.get(floor_of(key))) for key in keys)
            rows.append((text(f"{name(function)}: noise floor"), text(side), text(None), *cells))
    asked = [f"surest {coverage:.0%}" for coverage in grid]
    columns = ("confidence function", "input", "largest coverage", *asked)
    return Table("Selective risk where a coverage is first reached", columns, tuple(rows))


def _reached(asked: float, coverage: float | None, risk: Measured) -> Cell:
    """A risk, with the coverage it is of where ties make that another than was asked for."""
    cell = number(risk.value, reason=risk.reason)
    if coverage is None or abs(coverage - asked) < NOTABLE:
        return cell
    return replace(cell, interval=f"at {percent(coverage).text}")


def _area_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for function, side, variant in artifact.variants():
        area, achievable = (
            measured_cell(variant.metrics.get(key)) for key in ("augrc", "augrc_achievable")
        )
        part = variant.augrc_at_c
        rows.append(
            (
                *(text(name(function)), text(side), percent(variant.cmax)),
                *(area, number(variant.augrc_optimal), replace(achievable, interval="", ends=None)),
                *(number(variant.eaugrc), number(part.value), percent(part.used)),
            )
        )
    columns = (
        *("confidence function", "input", "largest coverage", "AUGRC", "optimum"),
        *("achievable", "excess", "AUGRC up to a coverage", "that coverage"),
    )
    return Table("Areas under generalized risk", columns, tuple(rows))


def _twins(artifact: MetricsArtifact) -> str:
    """Which functions rank alike, so that one curve hides the other."""
    alike: dict[object, list[str]] = {}
    for function, variants in artifact.sides.items():
        curves = tuple((*v.curve.coverage, *v.curve.selective_risk) for v in variants)
        alike.setdefault(curves, []).append(name(function))
    groups = [listed(names) for names in alike.values() if len(names) > 1]
    return "".join(f" {names} rank alike: their curves are one." for names in groups)


def _curves(artifact: MetricsArtifact, ask: Ask) -> Section:
    table = _curve_table(artifact)
    paired = artifact.comparison.enabled
    reasons = {
        f"{name(function)}{f' of {side}' if paired else ''}: no band, {plain(part.band_reason)}."
        for side, summary in zip(artifact.input_names, artifact.summaries, strict=False)
        for function, part in summary.functions.items()
        if part.band_reason
    }
    several = len(artifact.sides) > (1 if paired else ALONE)
    faint = " Faint curves are of the other functions." if several else ""
    has_floor = any(
        floor_of("mean_loss") in variant.metrics for _, _, variant in artifact.variants()
    )
    floor = ", dashes and dots how far two raters are apart" if has_floor else ""
    draw = drawing(ask, artifact)
    figures = (
        draw(
            "risk-coverage",
            "Selective risk by coverage",
            "Mean loss of the accepted answers, surest first. The shade is a simultaneous "
            f"band; dotted is what the function could achieve, dashed the optimum{floor}."
            f"{faint}{_twins(artifact)}",
            table,
        ),
        draw(
            "generalized-risk",
            "Generalized risk by coverage",
            "Summed loss of the accepted answers over all judgments. The area under it is AUGRC.",
            _area_table(artifact),
        ),
    )
    if figures[0] is not None:
        figures = (replace(figures[0], commands=commands(artifact)), figures[1])
    notes = (Paragraph(reason, Tone.QUIET) for reason in sorted(reasons)[:3])
    return Section("knows", "Risk as fewer answers are accepted", (*plots(*figures), *notes))


def _deltas(artifact: MetricsArtifact, ask: Ask) -> Section:
    if artifact.is_list:
        return section(artifact, ask)
    if not artifact.comparison.enabled:
        return Section("compared", "How the two differ")
    rows = []
    by_function = [(name(f), rows_of(artifact, f)) for f in artifact.functions]
    for function, compared in [*by_function, ("any", shared_rows(artifact))]:
        for row in compared:
            d = row.delta
            sides = (amount(value, row.unit) for value in (d.left, d.right))
            change = measured_cell(d, row.unit, signed=True)
            p = p_cell(d.p_value), p_cell(d.p_adjusted)
            rows.append((text(function), text(row.title), *sides, change, *p))
    left, right = artifact.input_names
    columns = (
        *("confidence function", "metric", left, right),
        *("difference", "p", "p, all together"),
    )
    draw = drawing(ask, artifact)
    figure = draw(
        "deltas",
        "Paired difference in risk at equal coverage",
        f"{right} minus {left}, of the surest judgments up to the coverage that both reach: left "
        f"of the line, {right} is better. Coloured is what also holds when all functions are "
        "tested together and against all that the other side answers; one interval alone may "
        "miss the line by chance.",
        Table("Paired differences", columns, tuple(rows)),
    )
    words = tuple(Paragraph(line) for line in details(artifact))
    return Section("compared", "How the two differ", (*words, *plots(figure)))


def _confidence(artifact: MetricsArtifact, ask: Ask) -> Section:
    counts, bins = [], []
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        for function, part in summary.functions.items():
            d = part.distribution
            first = (text(name(function)), text(side))
            for low, high, right, wrong in zip(d.low, d.high, d.right, d.wrong, strict=True):
                counts.append((*first, text(bin_name(low, high)), number(right), number(wrong)))
            if part.reliability is None:
                why = part.reliability_reason
                bins.append((*first, number(None, reason=why), *[text(None)] * 2))
                continue
            r = part.reliability
            for said, share, n in zip(r.confidence, r.accuracy, r.n, strict=True):
                cells = (number(said), measured_cell(share, Unit.SHARE), number(n))
                bins.append((*first, *cells))
    who = ("confidence function", "input")
    columns = (*who, "mean confidence", "share right", "rows")
    draw = drawing(ask, artifact)
    figures = (
        draw(
            "reliability",
            "Reliability",
            "Stated confidence and share of right answers, in ten bins of equal width; on the "
            "dashed line confidence is a probability. Larger dots hold more rows.",
            Table("Reliability bins", columns, tuple(bins)),
        ),
        draw(
            "calibration",
            "Calibration error",
            "How far confidence and share right lie apart on average, in those bins; 0 is "
            "honest. Noise raises it in small studies, and the low ends allow for that. "
            "Functions whose values are no probabilities have none.",
            _metric_table(artifact, "Calibration", [m.name for m in kin_of("ece")]),
        ),
        draw(
            "confidence",
            "Confidence of right and wrong answers",
            "The further apart the two are, the better the function warns. Abstained rows have "
            "no confidence and stand apart.",
            Table("Answers by confidence", (*who, "confidence", "right", "wrong"), tuple(counts)),
        ),
    )
    return Section("honest", "Is the confidence honest", plots(*figures))


RANKED: Final = (_deltas, _functions, _curves, _confidence)
"""Sections that need a confidence."""


def rest(artifact: MetricsArtifact, ask: Ask) -> Iterator[Section]:
    """What is added below a screen, in the order it stands. To add a section, add a line."""
    answer = "knows" if len(artifact.inputs) == 1 else "compared"
    yield Section(answer, "In a few numbers", (Facts(tuple(fact_list(artifact))),))
    yield from (b(artifact, ask) for b in (RANKED if artifact.confidence_variants else ()))
    yield levels.agreement(artifact, ask)
    yield levels.errors(artifact, ask)
    yield from missing.rest(artifact)
    yield from abstention.rest(artifact)
    yield from probabilities.rest(artifact, ask)
    if artifact.slices:
        yield slices.drawn(artifact, ask)
    yield Section("limits", "What cannot be concluded", tuple(map(Paragraph, limits(artifact))))
    table = metric_table(artifact)
    more = Paragraph("Variants of AURC and AUGRC are left out: --metrics all.", Tone.QUIET)
    yield Section("metrics", "All metrics", (Folded(table), more) if table.rows else ())
    rows, key = zip(artifact.input_names, artifact.rows, strict=False), f"{ask.study}-rows"
    yield case_section(key, [cases(artifact, r, n, key, texts=ask.texts) for n, r in rows])
    yield Section("provenance", "Provenance", tuple(provenance(artifact, ask.command)))

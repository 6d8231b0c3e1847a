"""A metrics artifact as sections: charts, the table under each, provenance, cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from acumen.charts import CHARTS
from acumen.charts.tables import bin_name
from acumen.errors import counted
from acumen.metrics import METRICS, kin_of
from acumen.metrics.registry import floor_of
from acumen.report.blocks import Facts, Folded, Paragraph, Section, Study, Table, Tone, Warnings
from acumen.report.cells import (
    measured_cell,
    number,
    plain,
    reach,
    text,
    title_of,
    value_and_interval,
)
from acumen.report.joint import case_sections
from acumen.report.plots import plot, plots
from acumen.report.selective import levels
from acumen.report.selective.brief import metric_table
from acumen.report.selective.compared import DESCRIBED, is_described, listed, rows_of, shared_rows
from acumen.report.selective.facts import cases, fact_list, provenance
from acumen.report.selective.leaderboard import section
from acumen.report.selective.screen import screen
from acumen.report.selective.words import summary as answers
from acumen.report.words import why_missing
from acumen.results.metrics import MetricsArtifact, name


def study_of(
    artifact: MetricsArtifact, key: str, command: str | None = None, *, texts: bool = False
) -> Study:
    """Everything a page tells of a metrics artifact."""
    artifact.check()
    names = artifact.input_names
    people = artifact.population
    paired = artifact.comparison.enabled
    by_influence = any(v.bootstrap.leave_one_out for _, _, v in artifact.variants())
    return Study(
        key=key,
        title=listed(names, 4) if paired else _title(artifact, names[0]),
        subtitle=f"{counted(people.participants_included, people.case_noun)}, "
        f"{counted(people.items_total, 'judgment')}, "
        f"{counted(len(artifact.confidence_variants), 'confidence function')}",
        answers=answers(artifact),
        facts=Facts(tuple(fact_list(artifact))),
        warnings=Warnings(tuple(plain(w) for w in artifact.warnings)),
        sections=(
            *(s for build in _sections(artifact) if (s := build(artifact, key)).blocks),
            *case_sections(
                key,
                [
                    cases(artifact, rows, side, f"{key}-rows", texts=texts)
                    for side, rows in zip(names, artifact.rows, strict=False)
                ],
            ),
            Section("provenance", "Provenance", tuple(provenance(artifact, command))),
        ),
        definitions=("selective", "intervals", *(["influence"] if by_influence else [])),
    )


def _title(artifact: MetricsArtifact, run: str) -> str:
    mode = artifact.inputs[0].mode
    return run if mode is None or name(mode) == run else f"{run}, {name(mode)}"


_AREAS: Final = ("augrc", "aurc", "aurc_exact", "eaugrc", "failure_auroc")
"""What a confidence function is judged by first."""

_COLOURED: Final = (
    " The colours compare each function with the lowest on the same cases, all at once: intervals "
    "that overlap may still be told apart."
)


def _metric_table(artifact: MetricsArtifact, title: str, metrics: Sequence[str]) -> Table:
    """Metrics of each confidence function with their intervals; functions without any left out."""
    columns = ["confidence function", *(["input"] if artifact.comparison.enabled else [])]
    for key in metrics:
        columns += [title_of(key), f"{title_of(key)}, interval"]
    rows = []
    for function, side, variant in artifact.variants():
        if any(
            key in variant.metrics and variant.metrics[key].value is not None for key in metrics
        ):
            who = [text(name(function)), *([text(side)] if artifact.comparison.enabled else [])]
            numbers = [value_and_interval(variant.metrics.get(key)) for key in metrics]
            rows.append((*who, *(cell for cells in numbers for cell in cells)))
    return Table(title, tuple(columns), tuple(rows))


def _functions(artifact: MetricsArtifact, study: str) -> Section:
    table = _metric_table(artifact, "Areas by confidence function", _AREAS)
    figure = plot(
        study,
        "forest",
        CHARTS["forest"](artifact),
        "AUGRC of every confidence function",
        "Each dot is the area under the generalized risk curve, each line its interval; lower is "
        "better." + _COLOURED * (artifact.best is not None),
        table,
    )
    return Section("functions", "Which confidence ranks best", plots(figure))


def _curve_table(artifact: MetricsArtifact) -> Table:
    rows = []
    first = next(iter(artifact.sides.values()))[0]
    grid = [at.requested for at in first.mae_at_coverage.values()]
    keys = [METRICS["mae_at_coverage"].at(coverage=coverage).name for coverage in grid]
    for function, side, variant in artifact.variants():
        risks = [variant.metrics[key] for key in keys]
        cells = (number(risk.value, reason=risk.reason) for risk in risks)
        rows.append((text(name(function)), text(side), number(variant.cmax), *cells))
        if floor_of("mae") in variant.metrics:
            cells = (measured_cell(variant.metrics.get(floor_of(key))) for key in keys)
            rows.append((text(f"{name(function)}: noise floor"), text(side), text(None), *cells))
    asked = [f"risk at {coverage:g}" for coverage in grid]
    columns = ("confidence function", "input", "largest coverage", *asked)
    return Table("Selective risk where a coverage is first reached", columns, tuple(rows))


def _area_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for function, side, variant in artifact.variants():
        area = value_and_interval(variant.metrics.get("augrc"))
        achievable, _ = value_and_interval(variant.metrics.get("augrc_achievable"))
        part = variant.augrc_at_c
        rows.append(
            (
                *(text(name(function)), text(side), number(variant.cmax)),
                *(*area, number(variant.augrc_optimal), achievable),
                *(number(variant.eaugrc), number(part.value), number(part.used)),
            )
        )
    columns = (
        *("confidence function", "input", "largest coverage", "AUGRC", "interval", "optimum"),
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


def _curves(artifact: MetricsArtifact, study: str) -> Section:
    table = _curve_table(artifact)
    paired = artifact.comparison.enabled
    reasons = {
        f"{name(function)}{f' of {side}' if paired else ''}: no band, {plain(part.band_reason)}."
        for side, summary in zip(artifact.input_names, artifact.summaries, strict=False)
        for function, part in summary.functions.items()
        if part.band_reason
    }
    has_floor = any(floor_of("mae") in variant.metrics for _, _, variant in artifact.variants())
    floor = ", dashes and dots how far two raters are apart" if has_floor else ""
    figures = (
        plot(
            study,
            "risk-coverage",
            CHARTS["risk-coverage"](artifact),
            "Selective risk by coverage",
            "Mean loss of the accepted answers, surest first. The shade is a simultaneous "
            f"band; dotted is what the function could achieve, dashed the optimum{floor}. Choose a "
            f"name to see it alone, again to see all; with Shift it is added.{_twins(artifact)}",
            table,
        ),
        plot(
            study,
            "generalized-risk",
            CHARTS["generalized-risk"](artifact),
            "Generalized risk by coverage",
            "Summed loss of the accepted answers over all judgments. The area under it is AUGRC.",
            _area_table(artifact),
        ),
    )
    notes = (Paragraph(reason, Tone.QUIET) for reason in sorted(reasons)[:3])
    return Section("curves", "Risk as fewer answers are accepted", (*plots(*figures), *notes))


def _deltas(artifact: MetricsArtifact, study: str) -> Section:
    if artifact.is_list:
        return section(artifact, study)
    if not artifact.comparison.enabled:
        return Section("deltas", "How the two differ")
    rows = []
    by_function = [(name(f), rows_of(artifact, f)) for f in artifact.functions]
    for function, compared in [*by_function, ("any", shared_rows(artifact))]:
        for row in compared:
            d = row.delta
            cells = (text(function), text(row.title), number(d.left), number(d.right))
            change = (number(d.delta, "+.4f", d.reason), reach(*d.ends, "+.4f", why_missing(d)))
            rows.append((*cells, *change, number(d.p_value, ".3g"), number(d.p_adjusted, ".3g")))
    left, right = artifact.input_names
    columns = (
        *("confidence function", "metric", left, right),
        *("difference", "interval", "p", "p, all together"),
    )
    figure = plot(
        study,
        "deltas",
        CHARTS["deltas"](artifact),
        "Paired difference in risk at equal coverage",
        f"{right} minus {left}, of the surest judgments up to the coverage that both reach: left "
        f"of the line, {right} is better. Coloured is what also holds when all functions are "
        "tested together and against all that the other side answers; one interval alone may "
        "miss the line by chance.",
        Table("Paired differences", columns, tuple(rows)),
    )
    notes = (Paragraph(f"{DESCRIBED}.", Tone.QUIET),) if is_described(artifact) else ()
    return Section("deltas", "How the two differ", (*notes, *plots(figure)))


def _confidence(artifact: MetricsArtifact, study: str) -> Section:
    counts, bins = [], []
    for side, summary in zip(artifact.input_names, artifact.summaries, strict=False):
        for function, part in summary.functions.items():
            d = part.distribution
            first = (text(name(function)), text(side))
            for low, high, right, wrong in zip(d.low, d.high, d.right, d.wrong, strict=True):
                counts.append((*first, text(bin_name(low, high)), number(right), number(wrong)))
            if part.reliability is None:
                why = part.reliability_reason
                bins.append((*first, number(None, reason=why), *[text(None)] * 3))
                continue
            r = part.reliability
            for said, share, n in zip(r.confidence, r.accuracy, r.n, strict=True):
                interval = reach(*share.ends, why=why_missing(share))
                bins.append((*first, number(said), number(share.value), interval, number(n)))
    who = ("confidence function", "input")
    columns = (*who, "mean confidence", "share right", "interval", "rows")
    figures = (
        plot(
            study,
            "reliability",
            CHARTS["reliability"](artifact),
            "Reliability",
            "Said against true, in ten bins of equal width; on the dashed line confidence is "
            "a probability. Larger dots hold more rows.",
            Table("Reliability bins", columns, tuple(bins)),
        ),
        plot(
            study,
            "calibration",
            CHARTS["calibration"](artifact),
            "Calibration error",
            "How far confidence and share right lie apart on average, in those bins; 0 is "
            "honest. Noise raises it in small studies, and the low ends allow for that. "
            "Functions whose values are no probabilities have none.",
            _metric_table(artifact, "Calibration", [m.name for m in kin_of("ece")]),
        ),
        plot(
            study,
            "confidence",
            CHARTS["confidence"](artifact),
            "Confidence of right and wrong answers",
            "The further apart the two are, the better the function warns. Abstained rows have "
            "no confidence and stand apart.",
            Table("Answers by confidence", (*who, "confidence", "right", "wrong"), tuple(counts)),
        ),
    )
    return Section("confidence", "Is the confidence honest", plots(*figures))


def _metrics(artifact: MetricsArtifact, _: str) -> Section:
    """Every metric of the best function, for size; the document has them of all."""
    best = artifact.best_function
    table = metric_table(artifact, () if best is None else (best,))
    return Section("metrics", "Every metric", (Folded(table),) if table.rows else ())


def _glance(artifact: MetricsArtifact, _: str) -> Section:
    """What a terminal shows, before the charts."""
    parts = [(Paragraph(part.title, Tone.STRONG), *part.blocks) for part in screen(artifact)]
    return Section("glance", "At a glance", tuple(block for blocks in parts for block in blocks))


RANKED: Final = (_deltas, _functions, _curves, _confidence)
"""Sections that need a confidence."""
SECTIONS: Final[tuple[Callable[[MetricsArtifact, str], Section], ...]] = (
    _glance,
    *RANKED,
    levels.agreement,
    levels.errors,
    _metrics,
)
"""In the order they stand on the page; one without blocks is left out. To add one, add a line."""


def _sections(artifact: MetricsArtifact) -> Iterator[Callable[[MetricsArtifact, str], Section]]:
    yield from (s for s in SECTIONS if artifact.confidence_variants or s not in RANKED)

"""A metrics artifact as sections: charts, the table under each, provenance, cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from acumen.artifact_parts import (
    check,
    input_names,
    sides,
    sorted_functions,
)
from acumen.artifacts import MetricsArtifact, MetricValue
from acumen.charts import CHARTS
from acumen.charts.tables import ABSTAINED, bin_name
from acumen.charts.theme import name, spec_and_data
from acumen.report import metric_reading
from acumen.report.metric_parts import cases, facts, provenance
from acumen.report.phrases import plural
from acumen.report.sections import (
    Cell,
    Plot,
    Section,
    Study,
    Table,
    number,
    percent,
    reach,
    shown,
    text,
)


def study_of(artifact: MetricsArtifact, key: str, command: str | None = None) -> Study:
    """Everything a page tells of a metrics artifact."""
    check(artifact)
    names = input_names(artifact)
    people = artifact.population
    paired = artifact.comparison.enabled
    return Study(
        key=key,
        title=f"{names[0]} and {names[1]}" if paired else _title(artifact, names[0]),
        subtitle=f"{plural(people.participants_included, people.case_noun)}, "
        f"{plural(people.items_total, 'judgment')}, "
        f"{plural(len(artifact.confidence_variants), 'confidence function')}",
        summary=metric_reading.summary(artifact),
        facts=tuple(facts(artifact)),
        warnings=tuple(shown(w) for w in artifact.warnings),
        sections=tuple(s for build in SECTIONS if (s := build(artifact, key)) is not None),
        provenance=tuple(provenance(artifact, command)),
        cases=tuple(
            cases(artifact, rows, side) for side, rows in zip(names, artifact.rows, strict=False)
        ),
        definitions=("selective", "intervals"),
    )


def _title(artifact: MetricsArtifact, run: str) -> str:
    mode = artifact.inputs[0].mode
    return run if mode is None or name(mode) == run else f"{run}, {name(mode)}"


def _plot(
    artifact: MetricsArtifact, study: str, chart: str, title: str, caption: str, table: Table
) -> Plot | None:
    figure = CHARTS[chart](artifact)
    if figure is None:
        return None
    alt = f"{title}. {caption} The numbers are in the table below the chart."
    return Plot(f"{study}-chart-{chart}", title, caption, alt, *spec_and_data(figure), table)


def _section(
    key: str, title: str, plots: Sequence[Plot | None], *paragraphs: str
) -> Section | None:
    drawn = tuple(plot for plot in plots if plot is not None)
    return Section(key, title, paragraphs, drawn) if drawn else None


def _metric(found: MetricValue | None) -> tuple[Cell, Cell]:
    if found is None:
        return number(None), reach(None, None)
    i = found.interval
    ends = (None, None) if i is None else (i.low, i.high)
    return number(found.value, reason=found.reason), reach(*ends, why=found.interval_reason)


SHOWN_METRICS: Final = (
    ("augrc", "AUGRC"),
    ("aurc", "AURC"),
    ("aurc_exact", "AURC, exact"),
    ("eaugrc", "excess AUGRC"),
    ("failure_auroc", "AUROC of being right"),
)


def _functions(artifact: MetricsArtifact, study: str) -> Section | None:
    columns = ["confidence function", *(["input"] if artifact.comparison.enabled else [])]
    for _, title in SHOWN_METRICS:
        columns += [title, f"{title}, interval"]
    rows = []
    for function in sorted_functions(artifact):
        for side, variant in zip(input_names(artifact), sides(artifact)[function], strict=True):
            cells = [text(name(function)), *([text(side)] if artifact.comparison.enabled else [])]
            for key, _ in SHOWN_METRICS:
                cells += _metric(variant.metrics.get(key))
            rows.append(tuple(cells))
    table = Table("Areas by confidence function", tuple(columns), tuple(rows))
    plot = _plot(
        artifact,
        study,
        "forest",
        "AUGRC of every confidence function",
        "Each dot is the area under the generalized risk curve, each line its interval; lower is "
        "better.",
        table,
    )
    return _section("functions", "Which confidence ranks best", [plot])


def _curve_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for function in sorted_functions(artifact):
        for side, variant in zip(input_names(artifact), sides(artifact)[function], strict=True):
            cells = [text(name(function)), text(side), number(variant.cmax)]
            for at in variant.mae_at_coverage.values():
                found = variant.metrics.get(f"mae_at_coverage@{at.requested:g}")
                cells.append(number(at.value, reason=None if found is None else found.reason))
            rows.append(tuple(cells))
    first = next(iter(sides(artifact).values()))[0]
    asked = [f"risk at {c.requested:g}" for c in first.mae_at_coverage.values()]
    columns = ("confidence function", "input", "largest coverage", *asked)
    return Table("Selective risk where a coverage is first reached", columns, tuple(rows))


def _area_table(artifact: MetricsArtifact) -> Table:
    rows = []
    for function in sorted_functions(artifact):
        for side, variant in zip(input_names(artifact), sides(artifact)[function], strict=True):
            found = {key: variant.metrics.get(key) for key in ("augrc", "augrc_achievable")}
            part = variant.augrc_at_c
            rows.append(
                (
                    *(text(name(function)), text(side), number(variant.cmax)),
                    *_metric(found["augrc"]),
                    *(number(variant.augrc_optimal), _metric(found["augrc_achievable"])[0]),
                    *(number(variant.eaugrc), number(part.value), number(part.used)),
                )
            )
    columns = (
        *("confidence function", "input", "largest coverage", "AUGRC", "interval", "optimum"),
        *("achievable", "excess", "AUGRC up to a coverage", "that coverage"),
    )
    return Table("Areas under generalized risk", columns, tuple(rows))


def _curves(artifact: MetricsArtifact, study: str) -> Section | None:
    table = _curve_table(artifact)
    reasons = {
        f"{name(function)}: no band, {shown(found.bands_reason)}."
        for summary in artifact.summaries
        for function, found in summary.functions.items()
        if found.bands_reason
    }
    return _section(
        "curves",
        "Risk as fewer answers are accepted",
        [
            _plot(
                artifact,
                study,
                "risk-coverage",
                "Selective risk by coverage",
                "Mean loss of the accepted answers, surest first. The shade is a simultaneous "
                "band; dotted is what the function could achieve, dashed the optimum. Choose a "
                "name in the legend to single it out, again to let it go.",
                table,
            ),
            _plot(
                artifact,
                study,
                "generalized-risk",
                "Generalized risk by coverage",
                "Summed loss of the accepted answers over all judgments. The area under it is "
                "AUGRC.",
                _area_table(artifact),
            ),
        ],
        *sorted(reasons)[:3],
    )


def _deltas(artifact: MetricsArtifact, study: str) -> Section | None:
    if not artifact.comparison.enabled:
        return None
    rows = []
    told = {"augrc_full": "AUGRC", "aurc_full": "AURC", "cmax": "coverage", "mae": "mean loss"}
    told |= {"failure_auroc": "AUROC of being right"}
    for function, found in (artifact.comparison.deltas or {}).items():
        for key, title in told.items():
            if key not in found:
                continue
            d = found[key]
            ends = (None, None) if d.interval is None else (d.interval.low, d.interval.high)
            cells = (text(name(function)), text(title), number(d.left), number(d.right))
            change = (number(d.delta, "+.4f", d.reason), reach(*ends, "+.4f", d.interval_reason))
            rows.append((*cells, *change, number(d.p_value, ".3g"), number(d.p_holm, ".3g")))
    left, right = input_names(artifact)
    columns = (
        "confidence function",
        "metric",
        left,
        right,
        "difference",
        "interval",
        "p",
        "p, Holm",
    )
    plot = _plot(
        artifact,
        study,
        "deltas",
        "Paired difference in AUGRC",
        f"{right} minus {left}: left of the line, {right} is better.",
        Table("Paired differences", columns, tuple(rows)),
    )
    return _section("deltas", "How the two differ", [plot])


def _confidence(artifact: MetricsArtifact, study: str) -> Section | None:
    counts, bins = [], []
    for side, summary in zip(input_names(artifact), artifact.summaries, strict=False):
        for function, found in summary.functions.items():
            d = found.distribution
            first = (text(name(function)), text(side))
            for low, high, right, wrong in zip(d.low, d.high, d.right, d.wrong, strict=True):
                counts.append((*first, text(bin_name(low, high)), number(right), number(wrong)))
            if found.reliability is None:
                why = found.reliability_reason
                bins.append((*first, number(None, reason=why), *[text(None)] * 3))
                continue
            r = found.reliability
            for said, came, n in zip(r.confidence, r.accuracy, r.n, strict=True):
                interval = reach(came.low, came.high, why=came.reason)
                bins.append((*first, number(said), number(came.value), interval, number(n)))
    who = ("confidence function", "input")
    columns = (*who, "mean confidence", "share right", "interval", "rows")
    return _section(
        "confidence",
        "Is the confidence honest",
        [
            _plot(
                artifact,
                study,
                "reliability",
                "Reliability",
                "Said against true, in ten bins of equal width; on the dashed line confidence is "
                "a probability. Larger dots hold more rows.",
                Table("Reliability bins", columns, tuple(bins)),
            ),
            _plot(
                artifact,
                study,
                "confidence",
                "Confidence of right and wrong answers",
                "The further apart the two are, the better the function warns. Abstained rows have "
                "no confidence and stand apart.",
                Table(
                    "Answers by confidence", (*who, "confidence", "right", "wrong"), tuple(counts)
                ),
            ),
        ],
    )


def _errors(artifact: MetricsArtifact, study: str) -> Section | None:
    confusion, groups, curves = [], [], []
    for side, summary in zip(input_names(artifact), artifact.summaries, strict=False):
        for level, row in zip(summary.levels, summary.confusion, strict=True):
            confusion.append((text(side), text(name(level)), *(number(n) for n in row)))
        for kind, found in (("item", summary.by_item), ("truth", summary.by_level)):
            for g in found:
                interval = reach(g.risk.low, g.risk.high, why=g.risk.reason)
                risk = (number(g.risk.value, reason=g.risk.reason), interval)
                first = (text(side), text(kind), text(name(g.name)))
                groups.append((*first, number(g.n), number(g.answered), *risk))
        for c in summary.precision_recall:
            ap = c.average_precision
            cells = (
                text(side),
                text(name(c.at_least)),
                number(c.n_positive),
                percent(c.prevalence),
            )
            curves.append((*cells, number(ap.value), reach(ap.low, ap.high, why=ap.reason)))
    if not artifact.summaries:
        return None
    levels = [f"predicted {name(level)}" for level in artifact.summaries[0].levels]
    by_group = Table(
        "Risk by group",
        ("input", "by", "group", "rows", "answered", "risk", "interval"),
        tuple(groups),
    )
    ap_columns = ("input", "truth at least", "rows", "prevalence", "average precision", "interval")
    return _section(
        "errors",
        "Where it errs",
        [
            _plot(
                artifact,
                study,
                "confusion",
                "Truth and prediction",
                "Rows by true and predicted level; abstentions are a column of their own.",
                Table("Confusion", ("input", "truth", *levels, ABSTAINED), tuple(confusion)),
            ),
            _plot(
                artifact,
                study,
                "risk-by-item",
                "Risk by item",
                "Mean loss of the answered rows of each item, with its interval.",
                by_group,
            ),
            _plot(
                artifact,
                study,
                "risk-by-level",
                "Risk by level of truth",
                "Mean loss of the answered rows at each true level.",
                by_group,
            ),
            _plot(
                artifact,
                study,
                "precision-recall",
                "Precision and recall by threshold",
                f"Rows ranked by {shown(artifact.summaries[0].ranked_by)}, all items together; "
                "dashed is the prevalence.",
                Table("Average precision", ap_columns, tuple(curves)),
            ),
        ],
    )


SECTIONS: Final[tuple[Callable[[MetricsArtifact, str], Section | None], ...]] = (
    _deltas,
    _functions,
    _curves,
    _confidence,
    _errors,
)
"""In the order they stand on the page; to add one, add a line."""

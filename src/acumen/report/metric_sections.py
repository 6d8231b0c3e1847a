"""A metrics artifact as sections: charts, the table under each, provenance, cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from acumen.charts import CHARTS
from acumen.charts.tables import bin_name
from acumen.errors import counted
from acumen.report import level_sections, metric_reading
from acumen.report.metric_parts import cases, facts, provenance
from acumen.report.plots import plot, section, value_and_interval
from acumen.report.sections import Section, Study, Table, number, reach, shown, text
from acumen.report.words import why_missing
from acumen.results.metrics import MetricsArtifact
from acumen.results.parts import (
    check,
    input_names,
    name,
    shown_coverage,
    sides,
    sorted_functions,
)


def study_of(
    artifact: MetricsArtifact, key: str, command: str | None = None, *, texts: bool = False
) -> Study:
    """Everything a page tells of a metrics artifact."""
    check(artifact)
    names = input_names(artifact)
    people = artifact.population
    paired = artifact.comparison.enabled
    return Study(
        key=key,
        title=f"{names[0]} and {names[1]}" if paired else _title(artifact, names[0]),
        subtitle=f"{counted(people.participants_included, people.case_noun)}, "
        f"{counted(people.items_total, 'judgment')}, "
        f"{counted(len(artifact.confidence_variants), 'confidence function')}",
        summary=metric_reading.summary(artifact),
        facts=tuple(facts(artifact)),
        warnings=tuple(shown(w) for w in artifact.warnings),
        sections=tuple(s for build in SECTIONS if (s := build(artifact, key)) is not None),
        provenance=tuple(provenance(artifact, command)),
        cases=tuple(
            cases(artifact, rows, side, texts=texts)
            for side, rows in zip(names, artifact.rows, strict=False)
        ),
        definitions=("selective", "intervals"),
    )


def _title(artifact: MetricsArtifact, run: str) -> str:
    mode = artifact.inputs[0].mode
    return run if mode is None or name(mode) == run else f"{run}, {name(mode)}"


SHOWN_METRICS: Final = (
    ("augrc", "AUGRC"),
    ("aurc", "AURC"),
    ("aurc_exact", "AURC, exact"),
    ("eaugrc", "excess AUGRC"),
    ("failure_auroc", "AUROC of being right"),
)


_COLOURED: Final = (
    " The colours compare each function with the lowest on the same cases, all at once: intervals "
    "that overlap may still be told apart."
)


CALIBRATION_METRICS: Final = (
    ("ece", "ECE, ten equal bins"),
    ("ece_equal_mass", "ECE, bins of equal count"),
    ("smooth_ece", "smooth ECE"),
    ("brier", "Brier score"),
    ("nll", "negative log-likelihood"),
)


def _metric_table(
    artifact: MetricsArtifact, title: str, metrics: Sequence[tuple[str, str]]
) -> Table:
    """Metrics of each confidence function with their intervals; functions without any left out."""
    columns = ["confidence function", *(["input"] if artifact.comparison.enabled else [])]
    for _, called in metrics:
        columns += [called, f"{called}, interval"]
    rows = []
    for function in sorted_functions(artifact):
        for side, variant in zip(input_names(artifact), sides(artifact)[function], strict=True):
            if not any(key in variant.metrics for key, _ in metrics):
                continue
            cells = [text(name(function)), *([text(side)] if artifact.comparison.enabled else [])]
            for key, _ in metrics:
                cells += value_and_interval(variant.metrics.get(key))
            rows.append(tuple(cells))
    return Table(title, tuple(columns), tuple(rows))


def _functions(artifact: MetricsArtifact, study: str) -> Section | None:
    table = _metric_table(artifact, "Areas by confidence function", SHOWN_METRICS)
    drawn = plot(
        study,
        "forest",
        CHARTS["forest"](artifact),
        "AUGRC of every confidence function",
        "Each dot is the area under the generalized risk curve, each line its interval; lower is "
        "better." + _COLOURED * (artifact.best is not None),
        table,
    )
    return section("functions", "Which confidence ranks best", [drawn])


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


def _curves(artifact: MetricsArtifact, study: str) -> Section | None:
    table = _curve_table(artifact)
    paired = artifact.comparison.enabled
    reasons = {
        f"{name(function)}{f' of {side}' if paired else ''}: no band, {shown(found.band_reason)}."
        for side, summary in zip(input_names(artifact), artifact.summaries, strict=False)
        for function, found in summary.functions.items()
        if found.band_reason
    }
    return section(
        "curves",
        "Risk as fewer answers are accepted",
        [
            plot(
                study,
                "risk-coverage",
                CHARTS["risk-coverage"](artifact),
                "Selective risk by coverage",
                "Mean loss of the accepted answers, surest first. The shade is a simultaneous "
                "band; dotted is what the function could achieve, dashed the optimum. Choose a "
                "name in the legend to single it out, again to let it go.",
                table,
            ),
            plot(
                study,
                "generalized-risk",
                CHARTS["generalized-risk"](artifact),
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
    at = shown_coverage(artifact)
    told = {"augrc_full": "AUGRC", "aurc_full": "AURC", "cmax": "coverage"}
    told |= {f"mae_at_coverage@{at:g}": f"risk at {at:g}", "failure_auroc": "AUROC of being right"}
    for function, found in (artifact.comparison.deltas or {}).items():
        for key, title in told.items():
            if key not in found:
                continue
            d = found[key]
            cells = (text(name(function)), text(title), number(d.left), number(d.right))
            change = (number(d.delta, "+.4f", d.reason), reach(*d.ends, "+.4f", why_missing(d)))
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
    drawn = plot(
        study,
        "deltas",
        CHARTS["deltas"](artifact),
        "Paired difference in AUGRC",
        f"{right} minus {left}: left of the line, {right} is better. Coloured is what also holds "
        "when all functions are tested together (Holm); one interval alone may miss the line by "
        "chance.",
        Table("Paired differences", columns, tuple(rows)),
    )
    return section("deltas", "How the two differ", [drawn])


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
                interval = reach(*came.ends, why=why_missing(came))
                bins.append((*first, number(said), number(came.value), interval, number(n)))
    who = ("confidence function", "input")
    columns = (*who, "mean confidence", "share right", "interval", "rows")
    return section(
        "confidence",
        "Is the confidence honest",
        [
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
                _metric_table(artifact, "Calibration", CALIBRATION_METRICS),
            ),
            plot(
                study,
                "confidence",
                CHARTS["confidence"](artifact),
                "Confidence of right and wrong answers",
                "The further apart the two are, the better the function warns. Abstained rows have "
                "no confidence and stand apart.",
                Table(
                    "Answers by confidence", (*who, "confidence", "right", "wrong"), tuple(counts)
                ),
            ),
        ],
    )


SECTIONS: Final[tuple[Callable[[MetricsArtifact, str], Section | None], ...]] = (
    _deltas,
    _functions,
    _curves,
    _confidence,
    level_sections.agreement,
    level_sections.errors,
)
"""In the order they stand on the page; to add one, add a line."""

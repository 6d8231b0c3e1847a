"""Every metric of a metrics document, or those that are asked for by name."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from acumen.errors import UsageError, label
from acumen.report.blocks import Table
from acumen.report.cells import amount, interval, text, title_of, unit_of
from acumen.results.metrics import MetricsArtifact, name


def metric_table(artifact: MetricsArtifact, named: Collection[str] = ()) -> Table:
    """Every metric: whatever the confidence, then by confidence function, the best first.

    ``named`` are those to show, as documents name them, with their parameter or without.
    """
    levels, inputs = artifact.scale.get("levels", []), artifact.input_names
    numbers = [
        ("any", side, ms) for side, ms in zip(inputs, artifact.overall_by_input, strict=False)
    ]
    numbers += [(name(f), side, variant.metrics) for f, side, variant in artifact.variants()]
    _refuse_unknown(named, {key for _, _, metrics in numbers for key in metrics})
    rows = []
    for function, side, metrics in numbers:
        who = (text(function), *([text(side)] if len(inputs) > 1 else []))
        for key, measured in metrics.items():
            if named and not {key, key.partition("@")[0]} & {*named}:
                continue
            unit = unit_of(key)
            value = amount(measured.value, unit, reason=measured.reason)
            rows.append((text(title_of(key, levels)), *who, value, interval(measured, unit)))
    several = ("input",) if len(inputs) > 1 else ()
    level = f"{100 * artifact.confidence_level:g}% interval"
    columns = ("metric", "confidence function", *several, "value", level)
    return Table("", columns, tuple(rows))


def _refuse_unknown(named: Collection[str], keys: Collection[str]) -> None:
    known = sorted({*keys, *(key.partition("@")[0] for key in keys)})
    for metric in named:
        if metric not in known:
            near = get_close_matches(metric, known, n=3) or known
            raise UsageError(f"no metric {label(metric)} here; there are {', '.join(near)}")

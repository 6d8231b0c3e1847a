"""Every metric of a metrics document, or those that are asked for by name."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from acumen.errors import UsageError, label
from acumen.metrics import find_metric
from acumen.metrics.registry import did_you_mean, key_among
from acumen.report.blocks import Table
from acumen.report.cells import is_signed, measured_cell, text, title_of, unit_of
from acumen.results.metrics import MetricsArtifact, name

EVERY: Final = "all"
"""Asks for every metric."""


def metric_table(artifact: MetricsArtifact, named: Collection[str] = ()) -> Table:
    """Every metric: whatever the confidence, then by confidence function, the best first.

    ``named`` are those to show, as documents name them, with their parameter or without; without
    any, the variants of AURC and AUGRC are left out, which ``all`` shows too.
    """
    levels, inputs = artifact.scale.get("levels", []), artifact.input_names
    numbers = [
        ("any", side, ms) for side, ms in zip(inputs, artifact.overall_by_input, strict=False)
    ]
    numbers += [(name(f), side, variant.metrics) for f, side, variant in artifact.variants()]
    named = _asked(named, {key for _, _, metrics in numbers for key in metrics})
    rows, general = [], set()
    for function, side, metrics in numbers:
        who = (text(function), *([text(side)] if len(inputs) > 1 else []))
        for key, measured in metrics.items():
            if not _is_wanted(key, named):
                continue
            cell = measured_cell(measured, unit_of(key), signed=is_signed(key))
            if (side, key, cell) in general:  # the same whatever the confidence
                continue
            if function == "any":
                general.add((side, key, cell))
            rows.append((text(title_of(key, levels)), *who, cell))
    several = ("input",) if len(inputs) > 1 else ()
    value = f"value and {100 * artifact.confidence_level:g}% interval"
    columns = ("metric", "confidence function", *several, value)
    return Table("", columns, tuple(rows))


def _is_wanted(key: str, named: Collection[str]) -> bool:
    if not named:
        metric = find_metric(key)
        return metric is None or not metric.is_relative
    return EVERY in named or bool({key, key.partition("@")[0]} & {*named})


def _asked(named: Collection[str], keys: Collection[str]) -> list[str]:
    """The keys that the words stand for, in any case and by their other names."""
    known = sorted({EVERY, *keys, *(key.partition("@")[0] for key in keys)})
    asked = []
    for metric in named:
        key = key_among(metric, known)
        if key is None:
            raise UsageError(f"no metric {label(metric)} here; {did_you_mean(metric, known)}")
        asked.append(key)
    return asked

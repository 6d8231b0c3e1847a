"""The theory of metrics: every registered one, from its docstring and its notes."""

from __future__ import annotations

import inspect
from importlib import import_module

from acumen.metrics import METRICS
from acumen.report.explain import Explanation, explain
from pages.rst import anchor, heading, page, prose, table


def metrics() -> str:
    """Every metric by family: definition, formula, reference, range, direction, caution."""
    families: dict[str, list[Explanation]] = {}
    for name, metric in METRICS.items():
        families.setdefault(metric.function.__module__, []).append(explain(name))
    parts = []
    for module, entries in families.items():
        title, _, text = (import_module(module).__doc__ or "").strip().partition("\n\n")
        parts += [heading(" ".join(title.split(". ")[0].rstrip(".").split()), "-")]
        parts += [inspect.cleandoc(text)]
        parts += [_entry(entry) for entry in entries]
    about = (
        "Every metric that acumen computes, from the registry that computes it. "
        "``acumen explain NAME`` prints one. The words are those of :doc:`../definitions`: N rows "
        "in all, K answered, a *case* is what is resampled. :doc:`intervals` says which interval "
        "each has."
    )
    return page("Metrics", about, *parts)


def _entry(entry: Explanation) -> str:
    rows = [
        ("Name", f"``{entry.metric.name}``"),
        ("Range", prose(entry.range)),
        ("Better", entry.metric.better or "neither"),
        ("Reference", prose(entry.reference)),
        ("Example", prose(entry.example)),
        ("Caution", prose(entry.caution)),
    ]
    facts = table(("", ""), rows).replace(":header-rows: 1", ":stub-columns: 1", 1)
    return "\n\n".join(
        [anchor(entry.metric.anchor), heading(entry.metric.title, "~"), entry.text, facts]
    )

"""Systems that were evaluated separately, told side by side where they judged the same rows.

A difference is tested on rows, system beside system: nothing is claimed of what stands apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from acumen.results.metrics import Comparison, MetricsArtifact, names_of


def _rows(artifact: MetricsArtifact) -> list[tuple[str, str, str]]:
    columns = [(map(str, r.case), r.item, map(str, r.truth)) for r in artifact.rows]
    return sorted(row for own in columns for row in zip(*own, strict=True))


_SETTINGS: Final = ("confidence_level", "interval", "items", "estimand", "price")
_SAME: Final[Mapping[str, Callable[[MetricsArtifact], Any]]] = {
    "rows": _rows,
    "cases that count": lambda a: a.population.participants_included,
    "levels": lambda a: a.scale.get("levels"),
    "loss": lambda a: a.loss,
    "settings": lambda a: [a.options.get(key) for key in _SETTINGS],
    "confidence functions": lambda a: [{*a.sides}, *({*s.functions} for s in a.summaries)],
}
"""What systems must have in common to stand side by side."""


def joined(documents: Sequence[Any]) -> tuple[list[Any], str]:
    """Metrics of one system each as one document, where that can be; else why it cannot."""
    metrics = [d for d in documents if isinstance(d, MetricsArtifact)]
    single = [d for d in metrics if len(d.inputs) == 1]
    compared = [entry for d in metrics if len(d.inputs) > 1 for entry in d.inputs]
    if len(single) < 2 or any(d.inputs[0] in compared for d in single):
        return [*documents], ""
    for what, part in _SAME.items():
        if any(part(d) != part(single[0]) or not d.rows for d in single):
            return [*documents], f"One system after another: they do not share their {what}."
    return [_together(single), *(d for d in documents if d not in single)], ""


def _together(artifacts: Sequence[MetricsArtifact]) -> MetricsArtifact:
    """One document of several of one system each; nothing is compared in it."""
    first, inputs = artifacts[0], [artifact.inputs[0] for artifact in artifacts]
    labels = [artifact.input_names[0] for artifact in artifacts]

    def every(*keys: str, of: Sequence[Any] = artifacts) -> dict[str, list[Any]]:
        return {key: [part for one in of for part in getattr(one, key)] for key in keys}

    people = [artifact.population for artifact in artifacts]
    counts = every("answered_by_input", "outcomes_by_input", "failed", of=people)
    return first.model_copy(
        update={
            **every("rows", "summaries", "slices"),
            "inputs": inputs,
            "systems": labels if len({*labels}) == len(labels) else names_of(inputs),
            "population": people[0].model_copy(update=counts),
            "confidence_variants": {
                function: {f"input_{at}": a.sides[function][0] for at, a in enumerate(artifacts)}
                for function in first.confidence_variants
            },
            "comparison": Comparison(enabled=True, intersection_only=False),
            "leaderboard": None,
            "command": "; ".join(filter(None, (a.command for a in artifacts))) or None,
            "best": None,
            "overall": [artifact.overall_by_input[0] for artifact in artifacts],
            "warnings": [*dict.fromkeys(every("warnings")["warnings"])],
        }
    )

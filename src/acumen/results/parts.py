"""What charts and reports ask of a metrics artifact: inputs by name, functions in order."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from acumen.errors import DataError, label, printable
from acumen.results.metrics import Input, MetricsArtifact, PairedVariant, Variant

LONGEST_NAME: Final = 60


def name(value: object) -> str:
    """A name as charts and reports show it: nothing invisible in it, cut when very long."""
    return printable(str(value), limit=LONGEST_NAME)


def check(artifact: MetricsArtifact) -> None:
    """Refuse an artifact whose parts do not fit together: edited by hand, or damaged."""
    expected = 2 if artifact.comparison.enabled else 1
    problems = []
    if len(artifact.inputs) != expected:
        problems.append(f"inputs: {len(artifact.inputs)}, where {expected} are compared")
    for function, found in sides(artifact).items():
        if len(found) != expected:
            problems.append(f"confidence_variants, {label(function)}: must be of {expected} inputs")
        for variant in found:
            curve = variant.curve
            columns = (curve.coverage, curve.selective_risk, curve.generalized_risk)
            if len({len(c) for c in (*columns, curve.threshold)}) > 1:
                problems.append(f"confidence_variants, {label(function)}: curve: ragged columns")
    ragged = [rows for rows in artifact.rows if len(set(map(len, rows.columns()))) > 1]
    problems += ["rows: ragged columns" for _ in ragged]
    if len(artifact.rows) > expected or len(artifact.summaries) > expected:
        problems.append("rows, summaries: more of them than inputs")
    if problems:
        raise DataError(problems)


def input_names(artifact: MetricsArtifact) -> list[str]:
    """How each input is called: by what tells them apart."""
    inputs = artifact.inputs
    if len(inputs) == 1:
        return [_called(inputs[0], 0)]
    for key in ("run_id", "mode", "path"):
        found = [_told(given, key) for given in inputs]
        if len(set(found)) == len(found) and None not in found:
            return [str(text) for text in found]
    return [_called(given, at) for at, given in enumerate(inputs)]


def _told(given: Input, key: str) -> str | None:
    value = getattr(given, key)
    if value is None:
        return None
    return name(PurePath(value).name if key == "path" else value)


def _called(given: Input, at: int) -> str:
    told = next((t for key in ("run_id", "mode", "path") if (t := _told(given, key))), "run")
    return told if at == 0 else f"{told} ({at + 1})"


def sides(artifact: MetricsArtifact) -> dict[str, list[Variant]]:
    """Function -> its numbers on each input."""
    return {
        function: [v.input_0, v.input_1] if isinstance(v, PairedVariant) else [v]
        for function, v in artifact.confidence_variants.items()
    }


def sorted_functions(artifact: MetricsArtifact) -> list[str]:
    """The functions, lowest AUGRC (of the first input) first; those without one last."""

    def place(function: str) -> tuple[bool, float]:
        found = sides(artifact)[function][0].augrc_full
        return (found is None, found or 0.0)

    return sorted(artifact.confidence_variants, key=place)


def best_function(artifact: MetricsArtifact) -> str | None:
    """The function with the lowest AUGRC."""
    if artifact.best is not None:
        return artifact.best.name
    return next(iter(sorted_functions(artifact)), None)


def shown_coverage(artifact: MetricsArtifact) -> float:
    """The coverage whose MAE is shown: .5 when the grid has it, else the largest all reach.

    Without a coverage an MAE is not compared: who answers less errs less.
    """
    variants = [variant for found in sides(artifact).values() for variant in found]
    grid = [at.requested for at in variants[0].mae_at_coverage.values()] if variants else []
    if 0.5 in grid or not grid:
        return 0.5
    least = min(variant.cmax or 0.0 for variant in variants)
    return max((c for c in grid if c <= least), default=grid[0])

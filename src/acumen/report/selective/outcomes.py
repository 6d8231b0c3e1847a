"""What came of the rows, in words: who was judged, on which levels, what needs no confidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from acumen.errors import counted
from acumen.metrics import kin_of
from acumen.report.cells import plain, title_of, unit_of, written
from acumen.results.measured import Measured
from acumen.results.metrics import MetricsArtifact, name
from acumen.table.judgments import JUDGED, LEFT_OUT
from acumen.table.levels import spell
from acumen.table.scale import Scale

LONGEST_SIDE: Final = 12
"""With longer names a table of several inputs would not fit into 80 columns."""
_LINE: Final = {
    "accuracy": "exactly right {} of answered",
    "total_accuracy": "{} of all",
    "mae_levels": "mean error in levels {}",
    "mae_units": "in units of the scale {}",
    "quadratic_kappa": "quadratic kappa {}",
}
"""What a line shows of what needs no confidence, and how."""


def side_names(artifact: MetricsArtifact) -> list[str]:
    """The inputs by name; of several, long names by the beginning or the end that tells them."""
    names = artifact.input_names
    if len(names) == 1 or max(map(len, names)) <= LONGEST_SIDE:
        return names
    cut = LONGEST_SIDE - 1
    heads = [n if len(n) <= LONGEST_SIDE else f"{n[:cut]}…" for n in names]
    tails = [n if len(n) <= LONGEST_SIDE else f"…{n[-cut:]}" for n in names]
    apart = next((short for short in (heads, tails) if len({*short}) == len(names)), None)
    return apart or [f"{at}: {n[: cut - 3]}…" for at, n in enumerate(names, 1)]


def scale_note(scale: Mapping[str, Any]) -> str | None:
    """That nobody named the levels, and how to; None where somebody did."""
    if not scale.get("inferred"):
        return None
    span = spell(scale["levels"])
    return (
        f"levels inferred: {span.replace('-', '–')}, the range of the numbers in the data; "
        f"if the scale has others, name them: --levels {span} (scale= in Python)"
    )


def scale_warning(scale: Scale) -> list[str]:
    """The same of a table that is not evaluated."""
    note = scale_note({"levels": scale.levels, "inferred": scale.inferred})
    return [] if note is None else [note]


def population(artifact: MetricsArtifact) -> str:
    """Who was judged, and what came of the rows: the denominator of every number."""
    p = artifact.population
    failed = ""
    if p.participants_failed:
        share = p.participants_failed / p.participants_total
        failed = f" ({p.participants_failed} failed, {share:.1%})"
    planned = "" if p.rows_planned is None else f" of {p.rows_planned:,} planned"
    who = f"{p.participants_included} of {p.participants_total} {p.case_noun}s included{failed}"
    parts = (f"{who} · {counted(len(p.items), 'item')}", *outcome_lines(artifact))
    return ("\n" if artifact.comparison.enabled else " · ").join(parts) + planned


def outcome_lines(artifact: MetricsArtifact) -> Iterator[str]:
    """What the rows of each input came to, every count that is not 0."""
    sides = side_names(artifact) if artifact.comparison.enabled else [""]
    for side, outcomes in zip(sides, artifact.population.outcomes_by_input, strict=False):
        judged = {o.name.lower(): outcomes.get(o.name.lower(), 0) for o in JUDGED}
        total = sum(judged.values())
        share = f" ({judged['answered'] / max(total, 1):.1%})"
        counts = [f"{n:,} {o}{share * (o == 'answered')}" for o, n in judged.items() if n]
        gone = [f"{n:,} {o.name.lower()}" for o in LEFT_OUT if (n := outcomes.get(o.name.lower()))]
        if outcomes.get("no_truth"):
            gone.append(f"{outcomes['no_truth']:,} without truth")
        left_out = f"; left out: {', '.join(gone)}" if gone else ""
        whose = f"{side}, " if side else ""
        yield f"{whose}{counted(total, 'judgment')}: {', '.join(counts) or 'none'}{left_out}"


def overall(artifact: MetricsArtifact) -> Iterator[str]:
    """What needs no confidence, in a line for each input."""
    sides = side_names(artifact) if artifact.comparison.enabled else ["overall"]
    levels = artifact.scale.get("levels", [])
    in_units = len(levels) > 1 and not isinstance(levels[0], str) and levels[1] - levels[0] != 1
    for side, numbers in zip(sides, artifact.overall_by_input, strict=False):
        parts = [
            text.format(_with_ends(key, numbers[key]))
            for key, text in _LINE.items()
            if key in numbers and numbers[key].value is not None
            if key != "mae_units" or in_units
        ]
        if parts:
            yield f"{side}: {', '.join(parts)}"


def _with_ends(key: str, measured: Measured) -> str:
    unit = unit_of(key)
    value = written(measured.value or 0.0, unit)
    if measured.interval is None:
        return value
    low, high = (written(end or 0.0, unit).removesuffix("%") for end in measured.interval.ends)
    return f"{value} ({low}–{high})"


def nothing_ranked(artifact: MetricsArtifact) -> str:
    """Why there is no selective part, and what would bring it."""
    if not artifact.population.has_truth:
        return "No truth: only outcomes and coverage can be counted (name its column with --truth)."
    if artifact.left_out:
        return "Nothing is ranked: see below what the confidence lacks."
    return (
        "No confidence, so nothing is ranked: name its column with --confidence-column, or a "
        "signal with --confidence."
    )


def not_probabilities(artifact: MetricsArtifact) -> list[str]:
    """Which confidences are no probabilities, so that their honesty has no measure, and why."""
    metrics = ", ".join(title_of(m.name) for m in kin_of("ece")[:3])
    reasons = {
        (function, plain(measured.reason))
        for function, _, variant in artifact.variants()
        if (measured := variant.metrics.get("ece")) is not None
        if measured.value is None and measured.reason is not None
    }
    own = "; if it has a range, declare it: --confidence-range 0,100"
    return [
        f"– no {metrics} of {name(function)}: {reason}{own if function == 'confidence' else ''}"
        for function, reason in sorted(reasons)[:3]
    ]

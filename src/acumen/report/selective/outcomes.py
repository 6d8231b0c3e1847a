"""What came of the rows, in words: who was judged, on which levels, what needs no confidence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from acumen.defaults import RELIABLE_CASES
from acumen.errors import counted
from acumen.report.cells import UNIT_OF_WORDS, of_words, plain
from acumen.results.metrics import LossDescription, MetricsArtifact, Population
from acumen.results.source import UNKNOWN_LOSS
from acumen.table.judgments import JUDGED, LEFT_OUT
from acumen.values.measured import Measured

WEIGHTED: Final = "rows weighted (counts are not)"
LONGEST_SIDE: Final = 12
"""With longer names a table of several inputs would not fit into 80 columns."""
_LOSSES: Final = {
    "abs_norm": "mean error, share of the scale",
    "zero_one": "error rate",
    "squared": "mean squared error",
    UNKNOWN_LOSS: "mean loss",
}
"""What the mean of a loss is called."""


def side_names(artifact: MetricsArtifact, longest: int = LONGEST_SIDE) -> list[str]:
    """The inputs by name; of several, long names by the beginning or the end that tells them."""
    names = artifact.input_names
    if len(names) == 1 or max(map(len, names)) <= longest:
        return names
    cut = longest - 1
    heads = [n if len(n) <= longest else f"{n[:cut]}…" for n in names]
    tails = [n if len(n) <= longest else f"…{n[-cut:]}" for n in names]
    apart = next((short for short in (heads, tails) if len({*short}) == len(names)), None)
    return apart or [f"{at}: {n[: cut - 3]}…" for at, n in enumerate(names, 1)]


def judged(people: Population) -> str:
    """How many cases were judged; another tool's file need not say it."""
    if people.participants_included is None:
        return f"an unknown number of {people.case_noun}s"
    return counted(people.participants_included, people.case_noun)


def is_small(people: Population) -> bool:
    """Whether they are known to be too few for a claim."""
    return people.participants_included is not None and (
        people.participants_included < RELIABLE_CASES
    )


def population(artifact: MetricsArtifact) -> str:
    """Who was judged, and what came of the rows: the denominator of every number."""
    p = artifact.population
    if p.participants_included is None or p.participants_total is None:
        parts = (f"{judged(p)} included", *outcome_lines(artifact))
        return " · ".join(parts)
    failed = ""
    if p.participants_failed:
        share = p.participants_failed / p.participants_total
        failed = f" ({p.participants_failed} failed, {share:.1%})"
    planned = "" if p.rows_planned is None else f" of {p.rows_planned:,} planned"
    total = counted(p.participants_total, p.case_noun)
    who = f"{p.participants_included:,} of {total} included{failed}"
    items = f" · {counted(len(p.items), 'item')}" if p.items else ""
    parts = (f"{who}{items}", *outcome_lines(artifact))
    return ("\n" if artifact.comparison.enabled else " · ").join(parts) + planned


def people_line(artifact: MetricsArtifact) -> str:
    """Who was judged, in a line: the rows that came to nothing are counted in the full text."""
    p = artifact.population
    parts = [f"{judged(p)} included"]
    if p.participants_total is not None and p.participants_included is not None:
        total = counted(p.participants_total, p.case_noun)
        failed = p.participants_failed
        parts = [f"{p.participants_included:,} of {total} ({failed} failed)" if failed else total]
    parts += [counted(len(p.items), "item")] if len(p.items) > 1 else []
    rows = []
    for outcomes in p.outcomes_by_input:
        answers = sum(outcomes.get(o.name.lower(), 0) for o in JUDGED)
        gone = sum(outcomes.get(o.name.lower(), 0) for o in LEFT_OUT)
        gone += outcomes.get("no_truth", 0)
        rows.append(counted(answers, "judgment") + (f", {gone:,} left out" if gone else ""))
    each = f"{rows[0]} each" if len(rows) > 1 and len({*rows}) == 1 else "; ".join(rows[:2])
    return " · ".join([*parts, each, *(["…"] if len({*rows}) > 1 and len(rows) > 2 else [])])


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


def loss_words(artifact: MetricsArtifact) -> str:
    """What the mean of the loss in use is."""
    if artifact.distance is not None:
        return f"mean error{in_words(artifact)}"
    loss = artifact.loss.name
    return _LOSSES.get(loss, f"mean loss {plain(loss)}")


def in_words(artifact: MetricsArtifact) -> str:
    """What errors are counted in, where the levels are words and so no numbers."""
    return UNIT_OF_WORDS if of_words(artifact.scale.get("levels", ())) else ""


def in_units(artifact: MetricsArtifact, loss: Measured | None) -> Measured | None:
    """A mean loss as :func:`loss_words` calls it: a distance is told in units of the scale."""
    return None if loss is None else loss.times(artifact.distance or 1.0)


def loss_line(loss: LossDescription) -> str:
    """The loss with its definition, where the file has one."""
    return " = ".join(filter(None, (plain(loss.name), plain(loss.definition))))


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


def not_probability(artifact: MetricsArtifact, function: str) -> str:
    """Why a confidence is no probability, so that its honesty has no measure."""
    measured = (variant.metrics.get("ece") for variant in artifact.sides[function])
    reasons = dict.fromkeys(plain(m.reason) for m in measured if m is not None and m.reason)
    has_range = function == "confidence" and any(artifact.population.answered_by_input)
    own = "; if it has a range, declare it: --confidence-range 0,100" if has_range else ""
    return f"Not measured: {'; '.join(reasons) or 'it is not in the file'}{own}."

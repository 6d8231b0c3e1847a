"""What the numbers allow one to say, in plain words. Shared by the terminal and the page."""

from __future__ import annotations

from acumen.artifacts import DeltaModel, MetricsArtifact
from acumen.errors import printable
from acumen.limits import RELIABLE_CASES


def population(artifact: MetricsArtifact) -> str:
    """Who was judged: the denominator of every number."""
    p = artifact.population
    failed = ""
    if p.participants_failed:
        share = p.participants_failed / p.participants_total
        failed = f" ({p.participants_failed} failed, {share:.1%})"
    shares = [f"{n} ({n / max(p.items_total, 1):.1%})" for n in p.answered_by_input]
    if len(shares) == 2:
        answers = f"judgments a side: answered left {shares[0]}, right {shares[1]}"
    else:
        share = p.items_answered / max(p.items_total, 1)
        told = f"{p.items_answered} answered ({share:.1%})"
        answers = f"judgments: {told}, {p.items_abstained} abstained"
    return (
        f"{p.participants_included} of {p.participants_total} {p.case_noun}s included{failed} · "
        f"{len(p.items)} item{'s' if len(p.items) != 1 else ''} · {p.items_total} {answers}"
    )


def conclusion(artifact: MetricsArtifact) -> str:
    """One or two sentences: which is better, or that these cases cannot show it."""
    if artifact.comparison.enabled:
        return _of_comparison(artifact)
    return _of_functions(artifact)


def _of_functions(artifact: MetricsArtifact) -> str:
    best = artifact.best
    if best is None:
        return "Read AUGRC beside cmax: an area to cmax rewards silence."
    name = printable(best.name, limit=60)
    if not best.indistinguishable:
        return f"Lowest AUGRC: {name}, below every other function ({best.level:.0%}, all at once)."
    shown = [printable(n, limit=60) for n in best.indistinguishable]
    more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
    return (
        f"Lowest AUGRC: {name}, but {artifact.population.participants_included} "
        f"{artifact.population.case_noun}s cannot tell it from {', '.join(shown[:4])}{more}."
    )


def _of_comparison(artifact: MetricsArtifact) -> str:
    n, noun = artifact.population.participants_included, artifact.population.case_noun
    if n < RELIABLE_CASES:
        return f"AUGRC: {n} {noun}s are too few to claim a difference (at least {RELIABLE_CASES})."
    deltas = {c: d["augrc_full"] for c, d in (artifact.comparison.deltas or {}).items()}
    better: dict[str, list[str]] = {"left": [], "right": []}
    for name, side in artifact.comparison.favoured("augrc_full", artifact.level).items():
        if side:
            better[side].append(name)
    nothing = f"no difference that {n} {noun}s could show"
    if not better["left"] and not better["right"]:
        return f"AUGRC: {nothing}."
    parts = []
    for side, names in better.items():
        if names and len(deltas) == 1:
            return f"AUGRC: {side} is better ({_by(deltas[names[0]])})."
        if names:
            shown = ", ".join(printable(x, limit=60) for x in names[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            parts.append(f"{side} is better by {shown}{more}")
    rest = len(deltas) - len(better["left"]) - len(better["right"])
    if rest:
        parts.append(f"by the other {rest} {nothing}")
    return f"AUGRC: {'; '.join(parts)}."


def _by(delta: DeltaModel) -> str:
    interval = delta.interval
    if delta.delta is None or interval is None or interval.low is None or interval.high is None:
        return "by its interval"
    return f"right − left {delta.delta:+.3f}, {interval.low:+.3f} to {interval.high:+.3f}"

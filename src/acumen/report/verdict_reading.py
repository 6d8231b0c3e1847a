"""What a verdict study's numbers say about *this* result, in one or two plain sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import counted, printable

TARGET: Final = 75.0
"""Each of the three scores should lie above this, in percent."""

FEW: Final = 5
"""With fewer cases than this at a level, what is said of the level rests on very little."""

MOST_WEIGHT: Final = 0.5
"""Below this weight of components there is too little to judge the reasons by."""

UNRELIABLE: Final = "*"
"""Marks an interval that rests on too few cases."""

_OF_REASONS: Final = ("process", "consistency")
_UNNAMED: Final = "this method"
_HOLD: Final = ("its reasons hold", "its reasons mostly hold")
_OPEN: Final = "whether its reasons hold"
_UNTOLD: Final = "cannot be told from these cases"
_FAULTS: Final[Mapping[str, str]] = {
    "incident_precision": "{wrong} of the incidents it claims did not happen",
    "severity_accuracy": "{wrong} of its severities are wrong",
    "modifier_accuracy": "{wrong} of its modifiers are wrong",
    "verdict_support_rate": "{wrong} of its verdicts do not follow from their evidence",
    "snippet_validity": "{wrong} of its quotations are not in the review they cite",
}
_NAMES: Final[Mapping[str, str]] = {
    "incident_precision": "claims incidents that happened",
    "severity_accuracy": "judges their severity right",
    "modifier_accuracy": "judges their circumstances right",
    "verdict_support_rate": "draws verdicts that follow from its evidence",
    "snippet_validity": "quotes what the reviews say",
}


def paragraphs(document: Mapping[str, Any]) -> list[str]:
    """One or two sentences on the ranking, one or two on the reasons."""
    name = _name(document.get("method"))
    ranking, reasons = _ranking(document, name), _reasons(document)
    if ranking is None and reasons is None:
        return ["There is nothing to read: no score has a value."]
    if ranking is None:
        return [_sentence(f"{name} cannot be judged on its ranking; {reasons}")]
    if reasons is None:
        return [_sentence(ranking)]
    well = side_of_target(document["intervals"]["ordinal_auprc"], 100)
    if well is None or reasons.startswith(_OPEN):
        return [f"{_sentence(ranking)} {reasons[0].upper()}{reasons[1:]}."]
    alike = (well == "above") == reasons.startswith(_HOLD)
    return [f"{_sentence(ranking)} {'And' if alike else 'But'} {reasons}."]


def is_unreliable(entry: Mapping[str, Any]) -> bool:
    """Whether there is an interval, and a note that it rests on too few cases."""
    return entry.get("low") is not None and "unreliable" in (entry.get("note") or "")


def side_of_target(entry: Mapping[str, Any], factor: float = 1) -> str | None:
    """``above`` or ``below`` where a score's interval lies; None where that cannot be told.

    >>> side_of_target({"low": 0.8, "high": 0.9}, 100), side_of_target({"low": 40.0, "high": 75.0})
    ('above', 'below')
    >>> side_of_target({"low": 0.7, "high": 0.9}, 100) is side_of_target({"low": None}) is None
    True
    """
    low, high = entry.get("low"), entry.get("high")
    if low is None or high is None or is_unreliable(entry):
        return None
    if factor * low > TARGET:
        return "above"
    return "below" if factor * high <= TARGET else None


def _reach(entry: Mapping[str, Any], factor: float = 1) -> str:
    low, high = entry.get("low"), entry.get("high")
    if low is None or high is None:
        return "no interval"
    kind = "unreliable interval" if is_unreliable(entry) else "interval"
    return f"{kind} {factor * low:.1f}% to {factor * high:.1f}%"


def _name(method: object) -> str:
    return _UNNAMED if method is None else printable(str(method))


def _sentence(text: str) -> str:
    """The text as a sentence; a method's own name keeps its letters as they are."""
    return f"{text[0].upper()}{text[1:]}." if text.startswith(_UNNAMED) else f"{text}."


def _ranking(document: Mapping[str, Any], name: str) -> str | None:
    auprc = document["unified_scores"]["auprc"]
    if auprc is None:
        return None
    rows = [row for row in document["auprc"]["thresholds"] if row["ap"] is not None]
    worst = min(rows, key=lambda row: float(row["ap"]), default=None)
    entry, told = document["intervals"]["ordinal_auprc"], f"AUPRC {100 * auprc:.1f}%"
    side = side_of_target(entry, 100)
    if side is None:
        told += f", {_reach(entry, 100)}, target above {TARGET:g}%"
        text = f"Whether {name} ranks well by severity {_UNTOLD} ({told})"
    elif side == "above":
        text = f"{name} ranks well by severity ({told})"
    else:
        text = f"{name} ranks poorly by severity ({told}, target above {TARGET:g}%)"
        if worst is not None:
            level = printable(str(worst["at_least"]))
            text += f", worst at finding '{level}' ({100 * worst['ap']:.1f}%)"
    few = [row for row in rows if row["n_positive"] < FEW]
    if few:
        n = few[0]["n_positive"]
        cases = "one case" if n == 1 else f"{n} cases"
        text += f"; '{printable(str(few[0]['at_least']))}' rests on {cases}"
    return text


def _reasons(document: Mapping[str, Any]) -> str | None:
    """Reasons hold where both scores lie above the target, and do not where one lies below."""
    scores = {key: document["unified_scores"][f"{key}_score"] for key in _OF_REASONS}
    if scores["process"] is None:
        return None
    components = document["unified_metrics_full"]["process_components"] or {}
    checked = components.get("total_weight")
    if checked is not None and checked < MOST_WEIGHT:
        share = f"{100 * checked:.0f}% of the process score"
        return f"its reasons can hardly be judged: what could be checked is worth {share}"
    entries = {
        key: document["intervals"][f"{key}_score"] for key, v in scores.items() if v is not None
    }
    sides = {key: side_of_target(entry) for key, entry in entries.items()}
    told = ", ".join(f"{key} {scores[key]:.1f}%" for key in entries)
    undecided = [f"{key}: {_reach(entry)}" for key, entry in entries.items() if sides[key] is None]
    faults = _faults(document, components)
    if "below" in sides.values():
        listed = "; ".join(faults) if faults else "no component stands out"
        told += "".join(f"; it cannot be told of {text}" for text in undecided)
        return f"its reasons do not hold ({told}): {listed}"
    if undecided:
        why = f"{'; '.join(undecided)}, target above {TARGET:g}%"
        kind, told = f"{_OPEN} {_UNTOLD}", f"{told}; {why}"
    else:
        kind = "its reasons mostly hold" if faults else "its reasons hold"
    return f"{kind} ({told}): {'; '.join(faults)}" if faults else f"{kind} ({told})"


def _faults(document: Mapping[str, Any], components: Mapping[str, float | None]) -> list[str]:
    """What is at or below the target, in words."""
    shares = {key: components.get(key) for key in _FAULTS}
    found = [
        _FAULTS[key].format(wrong=f"{100 * (1 - share):.0f}%")
        for key, share in shares.items()
        if share is not None and 100 * share <= TARGET
    ]
    consistency = document["unified_scores"]["consistency_score"]
    if consistency is not None and consistency <= TARGET:
        found.append(_contradicted(document, consistency))
    return found


def consistency_counts(document: Mapping[str, Any]) -> tuple[int, int] | None:
    """Verdicts that follow from their evidence, of those that cite any; None where not told."""
    match document["unified_metrics_full"].get("consistency_details"):
        case {"consistent": int(right), "total": int(of)} if of:
            return right, of
    return None


def _contradicted(document: Mapping[str, Any], consistency: float) -> str:
    match consistency_counts(document):
        case (right, of):
            return f"{of - right} of the {of} verdicts that cite evidence contradict it"
    return f"{100 - consistency:.0f}% of the verdicts that cite evidence contradict it"


def comparison_paragraphs(comparison: Mapping[str, Any]) -> list[str]:
    """Which method reasons better and why, and whether one ranks better."""
    left, right = _name(comparison["left"]), _name(comparison["right"])
    deltas = comparison["deltas"]
    found = []
    if "process_score" in deltas and deltas["process_score"]["delta"] is not None:
        found.append(_better(left, right, deltas["process_score"], "reasons", "process", "%", 1))
        parts = [key for key in _NAMES if deltas.get(key, {}).get("favours") is not None]
        side = deltas["process_score"].get("favours")
        chief = [key for key in parts if deltas[key]["favours"] == side][:5]
        if side is not None and chief:
            # what moves the score is a component's difference times its weight
            chief.sort(key=lambda key: -abs(deltas[key]["delta"]) * PROCESS_WEIGHTS[key])
            winner = left if side == "left" else right
            why = " and ".join(f"{_NAMES[key]} ({_both(deltas[key], side)})" for key in chief[:2])
            found.append(f"Chiefly, {winner} more often {why}.")
    ranked = next(
        (k for k in ("ordinal_auprc", "auprc_ge_1") if deltas.get(k, {}).get("low") is not None),
        None,
    )
    if ranked is not None:
        name = "AUPRC" if ranked == "ordinal_auprc" else "AUPRC at the first threshold"
        found.append(_better(left, right, deltas[ranked], "ranks", name, "%", 100))
    return [" ".join(found)] if found else []


def compared_cases(comparison: Mapping[str, Any]) -> list[str]:
    """What a comparison is over, as far as it is told."""
    cases, ranked = comparison.get("n_cases"), comparison.get("n_ranked")
    if cases is None or ranked is None:
        return []
    return [
        f"Accuracy is over all {counted(cases, 'case')}, an abstention being wrong. Ranking, other "
        f"agreement, verdict support and consistency are over the {ranked} where both have a "
        "verdict."
    ]


def _both(delta: Mapping[str, Any], side: str) -> str:
    other = "right" if side == "left" else "left"
    return f"{100 * delta[side]:.0f}% against {100 * delta[other]:.0f}%"


def _better(
    left: str, right: str, delta: Mapping[str, Any], verb: str, name: str, unit: str, factor: float
) -> str:
    values = (
        f"{name} {factor * delta['left']:.1f}{unit} for {left}, "
        f"{factor * delta['right']:.1f}{unit} for {right}"
    )
    if delta["low"] is None:
        why = printable(delta.get("no_interval") or "there is no interval", limit=200)
        return f"Whether one {verb} better cannot be told: {values}, and {why}."
    reach = (
        f"difference {factor * delta['delta']:+.1f} points, "
        f"interval {factor * delta['low']:+.1f} to {factor * delta['high']:+.1f}"
    )
    if delta["favours"] is None:
        return f"Whether one {verb} better cannot be told: {values} ({reach})."
    winner = left if delta["favours"] == "left" else right
    return f"{winner} {verb} better: {values} ({reach})."

"""The metrics artifact as the source's own script writes it -> the same with acumen's keys beside.

Nothing is computed anew: numbers move to where tables look for them, each with the interval that
the file gives, under the name of its method. What the file lacks stays away.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

OWN: Final = ("kind", "acumen_version", "options", "overall", "agreement")
"""Keys of which acumen writes at least one."""
NAMES: Final = {
    "cmax": "coverage",
    "aurc_full": "aurc",
    "augrc_full": "augrc",
    "aurc_optimal": "aurc_optimal",
    "augrc_optimal": "augrc_optimal",
    "eaurc": "eaurc",
    "eaugrc": "eaugrc",
    "aurc_achievable": "aurc_achievable",
}
"""The source's key -> the metric."""
PERCENT: Final = ("aurc_gap_pct", "augrc_gap_pct", "achievable_gain_pct")
AREAS: Final = {"aurc_at_c": "aurc_at_coverage", "augrc_at_c": "augrc_at_coverage"}
AT_CUT: Final = "mean_loss_at_cut"
"""What the source calls the error at a coverage: the risk at the first cut that reaches it."""
HIGHER: Final = frozenset({"coverage", "achievable_gain_pct"})
PEOPLE: Final = (
    *("participants_total", "participants_included", "participants_failed", "items_total"),
)
UNKNOWN_LOSS: Final = "unknown"
"""The name of a loss that a file does not name."""
NO_LOSS: Final = {"name": UNKNOWN_LOSS, "definition": "", "raw_multiplier": None}
METHOD: Final = "bootstrap percentile"
"""How the source makes its intervals."""
FOREIGN: Final = (
    "this file is not by acumen: its intervals are bootstrap percentiles, and what it does not "
    "hold is not shown; acumen evaluate of its run has it all"
)


def is_source(content: Mapping[str, Any]) -> bool:
    """Whether a metrics artifact was written by the source's script.

    >>> is_source({"confidence_variants": {}}), is_source({"confidence_variants": {}, "kind": "x"})
    (True, False)
    """
    return "confidence_variants" in content and not any(key in content for key in OWN)


def completed(content: Mapping[str, Any]) -> dict[str, Any]:
    """The artifact with the metrics of every variant, the shares answered, and its differences."""
    variants = _record(content.get("confidence_variants"))
    sides = {function: _sides(entry) for function, entry in variants.items()}
    first = next(iter(sides.values()), [])
    people = {**dict.fromkeys(PEOPLE), **_record(content.get("population"))}
    outcomes = [_outcomes(side.get("cmax"), people.get("items_total")) for side in first]
    if None not in outcomes:
        people.setdefault("outcomes_by_input", outcomes)
    overall = [{"coverage": _measured("cmax", "coverage", side)} for side in first]
    comparison = {"enabled": len(first) > 1, "intersection_only": False}
    comparison |= _record(content.get("comparison"))
    deltas = _record(comparison.get("deltas"))
    return {
        **_record(content),
        "population": people,
        "inputs": _inputs(content.get("inputs"), len(first)),
        "loss": {**NO_LOSS, **_record(content.get("loss"))},
        "confidence_variants": {
            function: {name: _variant(side) for name, side in entry.items()}
            if _is_pair(entry)
            else _variant(entry)
            for function, entry in variants.items()
        },
        "comparison": {
            **comparison,
            "deltas": {
                function: {key: _delta(key, d, sides.get(function, [])) for key, d in by.items()}
                for function, by in deltas.items()
                if isinstance(by, Mapping)
            }
            if deltas
            else None,
        },
        "overall": overall if len(overall) > 1 else next(iter(overall), {}),
        "warnings": [FOREIGN],
    }


def _inputs(inputs: object, sides: int) -> object:
    """What was evaluated; where the file does not say it, so many that nobody named."""
    return inputs if inputs else [{"run_id": f"input {at}"} for at in range(1, max(sides, 1) + 1)]


def _record(value: object) -> dict[str, Any]:
    """An object without what is null in it: a null there says no more than an absent key."""
    known = value.items() if isinstance(value, Mapping) else ()
    return {key: entry for key, entry in known if entry is not None}


def _is_pair(entry: object) -> bool:
    return isinstance(entry, Mapping) and "input_0" in entry


def _sides(entry: object) -> list[dict[str, Any]]:
    """The numbers of each input."""
    if _is_pair(entry):
        return [_record(side) for side in _record(entry).values()]
    return [_record(entry)]


def _variant(side: Any) -> Any:
    """The numbers of a function on an input, with null where a coverage was not reached."""
    if not isinstance(side, Mapping):
        return side
    grid = side.get("mae_at_coverage")
    side = {k: _record(v) if isinstance(v, Mapping) else v for k, v in _record(side).items()}
    metrics = {name: _measured(key, name, side) for key, name in NAMES.items() if key in side}
    percents = _record(side.get("interpretation"))
    metrics |= {
        name: {"value": percents[name], "better": _better(name)}
        for name in PERCENT
        if name in percents
    }
    for key, name in AREAS.items():
        area = _record(side.get(key))
        if (requested := area.get("requested")) is not None:
            at = {key: area.get("value"), "bootstrap": side.get("bootstrap")}
            metrics[f"{name}@{requested:g}"] = _measured(key, name, at)
    reached = grid if isinstance(grid, Mapping) else {}  # a coverage beyond the largest is null
    risks = {key: {"requested": float(key), **_record(point)} for key, point in reached.items()}
    ends = _record(_ci95(side).get("mae_at_coverage"))
    for key, point in risks.items():
        at = {key: _record(point).get("value"), "bootstrap": {"ci95": {key: ends.get(key)}}}
        metrics[f"{AT_CUT}@{float(key):g}"] = _measured(key, AT_CUT, at)
    curve = _record(side.get("curve"))
    shares, losses = (curve.get(key) or [None] for key in ("coverage", "selective_risk"))
    if shares[-1] is not None and shares[-1] == side.get("cmax"):  # of all answers
        metrics["mean_loss"] = {"value": losses[-1], "better": "lower"}
    return {**side, "mae_at_coverage": risks, "metrics": metrics}


def _ci95(side: Mapping[str, Any]) -> dict[str, Any]:
    return _record(_record(side.get("bootstrap")).get("ci95"))


def _measured(key: str, name: str, side: Mapping[str, Any]) -> dict[str, Any]:
    """A number of the file with the interval it gives."""
    reason = "the file gives none" if side.get(key) is None else None
    ends = _interval(_ci95(side).get(key))
    return {"value": side.get(key), "reason": reason, "better": _better(name), **ends}


def _better(name: str) -> str:
    return "higher" if name in HIGHER else "lower"


def _interval(ends: object) -> dict[str, Any]:
    match ends:
        case [int() | float() as low, int() | float() as high]:
            return {"interval": {"low": low, "high": high, "method": METHOD}}
    return {}


def _outcomes(cmax: object, items: object) -> dict[str, int] | None:
    """How many rows were answered, where the share of them is that of a whole number."""
    if not isinstance(cmax, int | float) or not isinstance(items, int):
        return None
    answered = round(cmax * items)
    is_whole = abs(answered - cmax * items) < 1e-6 * max(items, 1)
    return {"answered": answered, "abstained": items - answered} if is_whole else None


def _delta(key: str, delta: Any, sides: list[dict[str, Any]]) -> Any:
    """A difference of the file with both sides and its interval; no claim is made of it here."""
    if not isinstance(delta, Mapping) or len(sides) != 2:
        return delta
    left, right = (side.get(key) for side in sides)
    numbers = {"left": left, "right": right, "better": _better(NAMES.get(key, key))}
    return {**numbers, **_interval(delta.get("ci95")), **delta}

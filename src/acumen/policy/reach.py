"""Rules that can never decide, levels that can never be given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acumen.errors import printable
from acumen.policy.lines import Path
from acumen.policy.model import AllOf, AnyOf, Condition, Points, Rule, implies
from acumen.scale import Scale


def unreachable(
    scale: Scale, default: int | str | None, rules: Sequence[Rule], written: int
) -> Iterator[tuple[Path, str]]:
    """What in these rules can never happen, as (path of the key, message).

    The first ``written`` rules stand in the file; the rest are its thresholds.
    """
    for later, rule in enumerate(rules):
        path = _path(rules, later, written)
        if _always(rule.when):
            yield path, "always holds, so nothing below it is ever reached"
        for earlier in range(later):
            if implies(rule.when, rules[earlier].when):
                above = printable(rules[earlier].name, limit=80)
                yield path, f"is never reached: wherever it holds, '{above}' above it holds first"
                break
    given = {default, *(rule.verdict for rule in rules)}
    for level in scale.levels:
        if default is not None and level not in given:
            yield ("levels",), f"no rule or threshold ever gives '{level}'"


def _path(rules: Sequence[Rule], place: int, written: int) -> Path:
    return ("rules", place) if place < written else ("thresholds", str(rules[place].verdict))


def _always(condition: Condition) -> bool:
    match condition:
        case Points(at_least=least):
            return least <= 0
        case AnyOf(parts=parts):
            return any(_always(part) for part in parts)
        case AllOf(parts=parts):
            return all(_always(part) for part in parts)
    return False

"""Rules that can never decide, levels that can never be given."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from acumen.errors import printable
from acumen.files.toml import Path
from acumen.policy.model import AllOf, AnyOf, Condition, Count, Points, Rule, implies
from acumen.table.scale import Scale

MOST_WAYS: Final = 256
"""A rule on more combinations of values than this is looked at as a whole."""
_NOTHING: Final = Points(0)
"""What any evidence fulfils."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule as far as it could be read: None for the part of it that is wrong."""

    path: Path
    """Where it stands in the file."""
    name: str
    verdict: int | float | str | None
    when: Condition | None

    @property
    def rule(self) -> Rule | None:
        """The rule, if nothing is wrong with it."""
        if self.verdict is None or self.when is None:
            return None
        return Rule(self.name, self.verdict, self.when)

    @property
    def is_threshold(self) -> bool:
        """Whether it comes from the thresholds, which are tried after the rules."""
        return self.path[0] == "thresholds"


def unreachable(
    scale: Scale, default: int | float | str | None, drafts: Sequence[Draft]
) -> Iterator[tuple[Path, str]]:
    """What in these rules can never happen, as (path of the key, message).

    A rule with a mistake in its condition is not judged, nor are others against it, and no level
    is called out of reach while some verdict could not be read: that would only echo the mistake.
    """
    for later, draft in enumerate(drafts):
        if draft.when is None:
            continue
        last = later == len(drafts) - 1
        if implies(_NOTHING, draft.when) and not (last and draft.verdict == default):
            yield draft.path, "always holds, so nothing below it is ever reached"
        # of two thresholds, that they must rise with the levels says it all
        above = [
            (other.name, other.when)
            for other in drafts[:later]
            if other.when is not None and not (other.is_threshold and draft.is_threshold)
        ]
        hiding = _hiding(draft.when, above)
        if hiding is not None:
            first = " or ".join(f"'{printable(name, limit=80)}'" for name in hiding)
            yield draft.path, f"is never reached: wherever it holds, {first} above it holds first"
    verdicts = {default, *(draft.verdict for draft in drafts)}
    if None not in verdicts:
        for level in scale.levels:
            if level not in verdicts:
                yield ("levels",), f"no rule or threshold ever gives '{printable(str(level))}'"


def _hiding(when: Condition, rules: Sequence[tuple[str, Condition]]) -> tuple[str, ...] | None:
    """Names of rules of which one surely holds wherever this condition does; None if none do."""
    for name, condition in rules:
        if implies(when, condition):
            return (name,)
    match when:
        case AllOf(parts=parts):
            each = (_hiding(part, rules) for part in parts)
            return next((names for names in each if names is not None), None)
        case AnyOf(parts=parts):
            return _hiding_all(parts, rules)
        case Count():
            return _hiding_all(_single_values(when), rules)
    return None


def _hiding_all(
    ways: Sequence[Condition], rules: Sequence[tuple[str, Condition]]
) -> tuple[str, ...] | None:
    hiding: dict[str, None] = {}
    for way in ways:
        names = _hiding(way, rules)
        if names is None:
            return None
        hiding.update(dict.fromkeys(names))
    return tuple(hiding) or None


def _single_values(count: Count) -> Sequence[Condition]:
    """Counts of one review with one value a field: where this holds, one of them does."""
    ways = math.prod(len(values) for _, values in count.where)
    if not 1 < ways <= MOST_WAYS:
        return ()
    names, values = [name for name, _ in count.where], [sorted(v) for _, v in count.where]
    return [
        Count(1, tuple((n, frozenset({v})) for n, v in zip(names, single, strict=True)))
        for single in itertools.product(*values)
    ]

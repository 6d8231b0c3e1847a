"""Rules that can never decide, levels that can never be given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from acumen.errors import printable
from acumen.policy.lines import Path
from acumen.policy.model import AllOf, AnyOf, Condition, Points, Rule, implies
from acumen.scale import Scale


@dataclass(frozen=True, slots=True)
class Draft:
    """A rule as far as it could be read: None for the part of it that is wrong."""

    path: Path
    """Where it stands in the file."""
    name: str
    verdict: int | str | None
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
    scale: Scale, default: int | str | None, drafts: Sequence[Draft]
) -> Iterator[tuple[Path, str]]:
    """What in these rules can never happen, as (path of the key, message).

    A rule with a mistake in its condition is not judged, nor are others against it, and no level
    is called out of reach while some verdict could not be read: that would only echo the mistake.
    """
    for later, draft in enumerate(drafts):
        if draft.when is None:
            continue
        last = later == len(drafts) - 1
        if _always(draft.when) and not (last and draft.verdict == default):
            yield draft.path, "always holds, so nothing below it is ever reached"
        for above in drafts[:later]:
            # of two thresholds, that they must rise with the levels says it all
            if above.when is None or (above.is_threshold and draft.is_threshold):
                continue
            if implies(draft.when, above.when):
                first = printable(above.name, limit=80)
                told = f"is never reached: wherever it holds, '{first}' above it holds first"
                yield draft.path, told
                break
    given = {default, *(draft.verdict for draft in drafts)}
    if None not in given:
        for level in scale.levels:
            if level not in given:
                yield ("levels",), f"no rule or threshold ever gives '{printable(str(level))}'"


def _always(condition: Condition) -> bool:
    match condition:
        case Points(at_least=least):
            return least <= 0
        case AnyOf(parts=parts):
            return any(_always(part) for part in parts)
        case AllOf(parts=parts):
            return all(_always(part) for part in parts)
    return False

"""A rule that is called unreachable is never the one that decides, whatever the evidence."""

from __future__ import annotations

from random import Random

from acumen.policy import Evidence, Policy, decide
from acumen.policy.model import AllOf, AnyOf, Condition, Count, Points, Rule
from acumen.policy.reach import Draft, unreachable
from acumen.table.scale import Scale

FIELDS = {"SEVERITY": ("a", "b", "c"), "HAND": ("x", "y")}
SCALE = Scale("toy", ("Low", "High"))


def condition(random: Random, depth: int = 0) -> Condition:
    kind = random.random()
    if depth < 2 and kind < 0.4:
        parts = tuple(condition(random, depth + 1) for _ in range(random.randint(1, 3)))
        return AnyOf(parts) if kind < 0.2 else AllOf(parts)
    if kind < 0.5:
        return Points(random.randint(1, 3))
    named = random.sample(list(FIELDS), random.randint(1, 2))
    chosen = {name: random.sample(FIELDS[name], random.randint(1, 2)) for name in named}
    where = tuple((name, frozenset(values)) for name, values in chosen.items())
    return Count(random.randint(1, 2), where)


def evidence(random: Random) -> list[Evidence]:
    possible = [
        (str(review), field, value)
        for review in range(random.randint(0, 3))
        for field, values in FIELDS.items()
        for value in values
    ]
    kept = [row for row in possible if random.random() < 0.35]
    return [Evidence(str(place), *row) for place, row in enumerate(kept)]


def test_a_rule_called_unreachable_never_decides() -> None:
    random = Random(5)
    points = {("SEVERITY", "a"): 1, ("HAND", "x"): 1}
    hidden = held = 0
    for _ in range(800):
        drafts = [Draft(("rules", n), str(n), "High", condition(random)) for n in range(4)]
        paths = {path for path, _ in unreachable(SCALE, "Low", drafts)}
        hidden += len(paths)
        rules = [Rule(draft.name, "High", draft.when) for draft in drafts if draft.when]
        policy = Policy("toy", SCALE, "Low", points=points, rules=tuple(rules))
        for claims in [evidence(random) for _ in range(12)]:
            decided = decide(policy, claims).trace.rule
            held += decided in "0123"
            assert ("rules", int(decided) if decided.isdigit() else -1) not in paths
    assert hidden > 300
    assert held > 3000

"""A rule that is called unreachable is never the one that decides, whatever the evidence."""

from __future__ import annotations

from random import Random

import pytest

from acumen.policy import Evidence, Policy, decide
from acumen.policy.model import AllOf, AnyOf, Condition, Count, Points, Rule
from acumen.policy.reach import MOST_WAYS, Draft, unreachable
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


def reviews(at_least: int = 1, **where: str) -> Count:
    """So many reviews with any of the letters that a field has here."""
    return Count(at_least, tuple((name, frozenset(values)) for name, values in where.items()))


A, B, X = reviews(SEVERITY="a"), reviews(SEVERITY="b"), reviews(HAND="x")
EITHER = reviews(SEVERITY="ab")
LETTERS = "".join(map(chr, range(0x100, 0x101 + MOST_WAYS)))
"""One more than the values that are looked at one by one."""


def drafts(*conditions: Condition | None) -> list[Draft]:
    """Rules that give High, named by their places."""
    return [Draft(("rules", n), str(n), "High", when) for n, when in enumerate(conditions)]


@pytest.mark.parametrize(
    ("above", "last", "names"),
    [
        ([A], reviews(2, SEVERITY="a"), "'0'"),
        ([reviews(2, SEVERITY="a")], A, None),
        ([B, A], A, "'1'"),
        ([X], A, None),
        # of several parts that must hold, one that is hidden is enough
        ([A, B], AllOf((Points(9), EITHER)), "'0' or '1'"),
        ([A, B], AllOf((EITHER, Points(9))), "'0' or '1'"),
        ([A, X], AllOf((Points(9), EITHER)), None),
        # of several of which one must hold, each has to be hidden
        ([A, B], AnyOf((B, A)), "'1' or '0'"),
        ([A, B], AnyOf((A, reviews(2, SEVERITY="a"), B)), "'0' or '1'"),
        ([A, B], AnyOf((A, B, X)), None),
        # a field with one of several values has one of them
        ([A, B], EITHER, "'0' or '1'"),
        ([A, B], reviews(3, SEVERITY="ab"), "'0' or '1'"),
        ([A, B], reviews(SEVERITY="abc"), None),
        ([A, reviews(SEVERITY="b", HAND="xy")], reviews(SEVERITY="ab", HAND="x"), "'0' or '1'"),
        ([A, reviews(SEVERITY="b", HAND="x")], reviews(SEVERITY="ab", HAND="xy"), None),
        (
            [reviews(F=LETTERS[:9]), reviews(F=LETTERS[9:])],
            reviews(F=LETTERS[:MOST_WAYS]),
            "'0' or '1'",
        ),
        ([reviews(F=LETTERS[:9]), reviews(F=LETTERS[9:])], reviews(F=LETTERS), None),
        # a rule that could not be read hides nothing
        ([None, A], A, "'1'"),
        ([None], A, None),
    ],
)
def test_a_rule_is_hidden_by_those_that_hold_wherever_it_does(
    above: list[Condition | None], last: Condition, names: str | None
) -> None:
    message = f"is never reached: wherever it holds, {names} above it holds first"
    path = ("rules", len(above))
    hidden = [] if names is None else [(path, message)]
    assert list(unreachable(SCALE, "Low", drafts(*above, last))) == hidden


ALWAYS = "always holds, so nothing below it is ever reached"


@pytest.mark.parametrize(
    ("conditions", "default", "places"),
    [
        ([Points(0)], "Low", [0]),
        ([Points(0)], "High", []),  # says the default in other words
        ([Points(1)], "High", []),
        ([AnyOf((A, Points(0)))], "Low", [0]),
        ([Points(0), None], "High", [0]),
    ],
)
def test_a_rule_that_always_holds_may_only_be_the_last_and_the_default(
    conditions: list[Condition | None], default: str, places: list[int]
) -> None:
    messages = unreachable(SCALE, default, drafts(*conditions))
    assert [path for path, message in messages if message == ALWAYS] == [
        ("rules", place) for place in places
    ]


def test_a_level_that_nothing_gives_is_told_once_every_verdict_could_be_read() -> None:
    scale = Scale("toy", ("Low", "Middle", "High"))
    message = (("levels",), "no rule or threshold ever gives 'Middle'")
    assert list(unreachable(scale, "Low", drafts(A))) == [message]
    assert list(unreachable(scale, "Low", [*drafts(A), Draft(("x",), "x", None, B)])) == []
    assert list(unreachable(scale, None, drafts(A))) == []
    assert list(unreachable(scale, "Middle", [*drafts(A), Draft(("x",), "x", "Low", B)])) == []


def test_thresholds_are_not_judged_against_one_another() -> None:
    low, high = (Draft(("thresholds", v), v, v, Points(3)) for v in ("Low", "High"))
    assert list(unreachable(SCALE, "Low", [low, high])) == []
    rule = Draft(("rules", 0), "r", "High", Points(2))
    first = "is never reached: wherever it holds, 'r' above it holds first"
    assert list(unreachable(SCALE, "Low", [rule, high])) == [(high.path, first)]

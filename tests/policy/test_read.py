"""What is wrong with a policy file is said with its line and its key, all of it at once."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path

import pytest

from acumen.errors import DataError, UsageError
from acumen.policy import builtin_policies, find_policy, parse_policy

GOOD = """\
name = "toy"
levels = ["Low", "High", "Critical"]
[points.INCIDENT_SEVERITY]
mild = 2
severe = 9
[thresholds]
High = 2
Critical = 8
"""


def problems(text: str) -> str:
    with pytest.raises(DataError) as caught:
        parse_policy(text, "toy.toml")
    return str(caught.value)


def test_the_policies_that_ship_are_sound() -> None:
    assert {"G1_allergy_V2", "G1_allergy_counts"} <= set(builtin_policies())
    for name in builtin_policies():
        assert find_policy(name).name == name


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "Critical = 8",
            "Severe = 8",
            "line 8, thresholds.Severe: the text 'Severe' is not one of",
        ),
        (
            "mild = 2",
            "mild = -2",
            "line 4, points.INCIDENT_SEVERITY.mild: must be at least 0, not -2",
        ),
        ("mild = 2", "mild = nan", "line 4, points.INCIDENT_SEVERITY.mild: must be finite"),
        ("mild = 2", f"mild = 1{'0' * 400}", "is too large: a number must be"),
        ("mild = 2", "mild = 1e300", "mild: must be below 1e+12"),
        ("mild = 2", "mild = true", "mild: must be a number, not the boolean true"),
        ("mild = 2", 'mild = "2"', "mild: must be a number, not the text '2'"),
        (
            "Critical = 8",
            "Critical = 2",
            "line 8, thresholds.Critical: thresholds must rise with the levels: 2 for 'Critical'",
        ),
        ("Critical = 8", "Critical = 1", "thresholds must rise with the levels"),
        ("High = 2", "High = 0", "line 7, thresholds.High: always holds"),
        ("Critical = 8", "", "line 2, levels: no rule or threshold ever gives 'Critical'"),
        ("High = 2", "High = 2026-01-08", "line 7, thresholds.High: must be a number"),
        ("[thresholds]", "[threshold]", "line 6, threshold: is not a key of a policy; is 'thresh"),
        ('name = "toy"', "", "name: is missing"),
        ('name = "toy"', "name = 3", "line 1, name: must be text, not 3"),
        ('["Low", "High", "Critical"]', '["Low"]', "line 2, levels: needs 2 to"),
        ('["Low", "High", "Critical"]', '["Low", "LOW"]', "line 2, levels: must differ"),
        ('["Low", "High", "Critical"]', "3", "line 2, levels: must be a list, not 3"),
        ("mild = 2", "mild = 2\nmild = 3", "line 5, column 9: the key is given twice"),
        ("[points.INCIDENT_SEVERITY]", "[points.X]", "severity: no field 'INCIDENT_SEVERITY'"),
        ("mild = 2\nsevere = 9", "", "line 5, thresholds: nothing in the policy gives points"),
        ('name = "toy"', 'name = "toy"\ndefault = "Risky"', "line 2, default: the text 'Risky'"),
    ],
)
def test_one_mistake_gives_one_message(old: str, new: str, message: str) -> None:
    assert old in GOOD
    text = problems(GOOD.replace(old, new))
    assert message in text
    assert text.count("\n") == 0


RULES = """\
name = "toy"
levels = ["Low", "High", "Critical"]
[fields]
INCIDENT_SEVERITY = ["none", "mild", "severe"]
HAND = ["first", "second"]

[[rules]]
name = "one severe"
verdict = "Critical"
at_least = 1
where = { INCIDENT_SEVERITY = "severe" }

[[rules]]
name = "mild ones"
verdict = "High"
any = [
  { at_least = 2, where = { INCIDENT_SEVERITY = "mild" } },
  { at_least = 1, where = { INCIDENT_SEVERITY = "mild", HAND = "first" } },
]
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('verdict = "High"', 'verdict = "Higher"', "line 15, rules[1].verdict: the text 'Higher'"),
        ('verdict = "High"\n', "", "line 13, rules[1].verdict: is missing"),
        ("at_least = 1\n", "at_least = 0\n", "line 10, rules[0].at_least: must be at least 1, not"),
        ("at_least = 1\n", "", "line 7, rules[0]: needs exactly one of any, all, at_least, points"),
        (
            '"severe" }',
            '"dire" }',
            "line 11, rules[0].where.INCIDENT_SEVERITY: 'dire' is not among",
        ),
        ('HAND = "first"', 'FOOT = "first"', "line 16, rules[1].any[1].where.FOOT: no such field"),
        ("at_least = 2, ", "points = 2, at_least = 2, ", "rules[1].any[0]: needs exactly one of"),
        ("at_least = 2, ", "points = 2, ", "rules[1].any[0].where: goes with at_least only"),
        ('verdict = "High"', 'verdict = "Critical"', "line 2, levels: no rule or threshold ever"),
        ("any = [", "some = [", "line 16, rules[1].some: is not a key of a rule"),
        ('{ INCIDENT_SEVERITY = "severe" }', "{}", "line 11, rules[0].where: must say what is"),
    ],
)
def test_a_mistake_in_a_rule_is_found(old: str, new: str, message: str) -> None:
    assert old in RULES
    assert message in problems(RULES.replace(old, new))


@pytest.mark.parametrize(
    "rule",
    [
        'at_least = 1\nwhere = { INCIDENT_SEVERITY = "severe" }',
        'at_least = 3\nwhere = { INCIDENT_SEVERITY = "severe", HAND = "first" }',
        'at_least = 2\nwhere = { INCIDENT_SEVERITY = "mild", HAND = ["first", "second"] }',
        'any = [ { at_least = 1, where = { INCIDENT_SEVERITY = "severe" } } ]',
        'all = [ { at_least = 1, where = { HAND = "first" } },'
        ' { at_least = 2, where = { INCIDENT_SEVERITY = "severe" } } ]',
    ],
)
def test_a_rule_hidden_by_one_above_it_is_unreachable(rule: str) -> None:
    text = problems(f'{RULES}\n[[rules]]\nverdict = "High"\n{rule}\n')
    assert "line 21, rules[2]: is never reached" in text


def test_a_rule_hidden_by_several_above_it_together_is_unreachable() -> None:
    one = '[[rules]]\nname = "{0}"\nverdict = "High"\nat_least = 1\nwhere = {{ {1} }}\n'
    first, second = one.format("a", 'HAND = "first"'), one.format("b", 'HAND = "second"')
    head = RULES[: RULES.index("[[rules]]")] + '[[rules]]\nverdict = "Critical"\nat_least = 2\n'
    head += 'where = { INCIDENT_SEVERITY = "severe" }\n'
    both = one.format("c", 'HAND = ["first", "second"]')
    text = problems(head + first + second + both)
    assert "rules[3]: is never reached: wherever it holds, 'a' or 'b' above it holds first" in text
    assert len(parse_policy(head + first + both).rules) == 3
    twice = both.replace("at_least = 1", "at_least = 2")
    assert "rules[3]: is never reached" in problems(head + first + second + twice)


@pytest.mark.parametrize(
    "rule",
    [
        'at_least = 1\nwhere = { INCIDENT_SEVERITY = "mild" }',
        'at_least = 1\nwhere = { INCIDENT_SEVERITY = ["mild", "severe"] }',
        'at_least = 1\nwhere = { HAND = "first" }',
        'any = [ { at_least = 1, where = { INCIDENT_SEVERITY = "severe" } },'
        ' { at_least = 1, where = { HAND = "second" } } ]',
    ],
)
def test_a_rule_that_can_still_decide_is_left_alone(rule: str) -> None:
    policy = parse_policy(f'{RULES}\n[[rules]]\nverdict = "High"\n{rule}\n')
    assert policy.rules[-1].verdict == "High"


BOTH = """\
name = "both"
levels = ["Low", "High", "Critical"]
default = "Low"
severity = "INCIDENT_SEVERITY"
[fields]
HAND = ["first", "second"]
[points.INCIDENT_SEVERITY]
mild = 2
severe = 9
[[modifiers]]
name = "Rude"
field = "STAFF"
values = ["rude"]
points = 1
[[rules]]
verdict = "Critical"
at_least = 2
where = { INCIDENT_SEVERITY = "severe", HAND = "first" }
[[rules]]
verdict = "Critical"
all = [ { at_least = 1, where = { STAFF = "rude" } }, { points = 9 } ]
[[rules]]
verdict = "High"
any = [ { at_least = 1, where = { HAND = "second" } } ]
[thresholds]
High = 2
Critical = 8
"""

MISTAKES = (
    ('name = "both"', "name = 3"),
    ('default = "Low"', 'default = "Risky"'),
    ('severity = "INCIDENT_SEVERITY"', 'severity = "HARM"'),
    ('HAND = ["first", "second"]', "HAND = 3"),
    ("mild = 2", "mild = -2"),
    ("severe = 9", 'severe = "9"'),
    ("points = 1\n", "points = nan\n"),
    ('name = "Rude"', 'nmae = "Rude"'),
    ('values = ["rude"]', "values = []"),
    ("at_least = 2", "at_least = 0"),
    ('verdict = "Critical"\nall', 'verdict = "Crit"\nall'),
    (
        'all = [ { at_least = 1, where = { STAFF = "rude" } }, { points = 9 } ]',
        'al = [ { at_least = 1, where = { STAFF = "rude" } }, { points = 9 } ]',
    ),
    ("{ points = 9 }", "{ points = 0 }"),
    ("{ points = 9 }", "3"),
    ('where = { HAND = "second" }', 'where = { FOOT = "second" }'),
    ('"High"\nany', '"High"\nwhere = { HAND = "first" }\nany'),
    ('any = [ { at_least = 1, where = { HAND = "second" } } ]', "any = []"),
    ("High = 2", "High = -2"),
    ("High = 2\nCritical = 8", "High = 2\nCritical = 1"),
    ("Critical = 8", "Critical = 8\nDire = 9"),
    ("[fields]", "extra = 1\n[fields]"),
)


def told(*mistakes: tuple[str, str]) -> set[str]:
    """The messages, without their lines: one mistake may push another down."""
    text = BOTH
    for old, new in mistakes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return {re.sub(r"line \d+, ", "", line) for line in problems(text).splitlines()}


def test_a_sound_policy_with_everything_in_it() -> None:
    assert len(parse_policy(BOTH).rules) == 5


def test_all_problems_come_at_once_and_none_is_an_echo() -> None:
    spans = {m: range(BOTH.index(m[0]), BOTH.index(m[0]) + len(m[0])) for m in MISTAKES}
    compared = 0
    for one, other in itertools.combinations(MISTAKES, 2):
        if not set(spans[one]) & set(spans[other]):
            assert told(one, other) == told(one) | told(other), (one, other)
            compared += 1
    assert compared > 150


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_mistake_in_a_policy_that_does_both_is_told_once(mistake: tuple[str, str]) -> None:
    assert len(told(mistake)) == 1


def test_a_hostile_name_is_escaped_in_the_message() -> None:
    text = problems(GOOD.replace("mild", '"\\u001b[2J"').replace("= 2\nsevere", "= -2\nsevere"))
    assert "\x1b" not in text
    assert "\\x1b[2J" in text


def test_a_threshold_of_nothing_may_say_what_the_default_is() -> None:
    policy = parse_policy(GOOD.replace("High = 2", "Low = 0\nHigh = 1"))
    assert [rule.name for rule in policy.rules] == [
        *("at least 8 points", "at least 1 point", "at least 0 points"),
    ]
    assert "line 7, thresholds.HIGH: always holds" in problems(GOOD.replace("High = 2", "HIGH = 0"))


def test_equal_thresholds_are_refused_in_either_order() -> None:
    for lines in ("High = 8\nCritical = 8", "Critical = 8\nHigh = 8"):
        text = problems(GOOD.replace("High = 2\nCritical = 8", lines))
        assert "line 8, thresholds." in text
        assert "thresholds must rise with the levels: 8 for" in text


def test_lines_are_counted_as_an_editor_counts_them() -> None:
    text = GOOD.replace("[points", "# a\u2028comment\x85here\r\n[points").replace(
        "mild = 2", "mild = -2"
    )
    assert "line 5, points.INCIDENT_SEVERITY.mild" in problems(text)


@pytest.mark.parametrize("key", ["²", "--2", "3", "two", "9" * 5000])
def test_a_threshold_of_a_numeric_scale_names_one_of_its_levels(key: str) -> None:
    numeric = GOOD.replace('["Low", "High", "Critical"]', "[0, 1, 2]").replace("High", "1")
    assert parse_policy(numeric.replace("Critical", "2")).scale.levels == (0, 1, 2)
    assert "line 8, thresholds." in problems(numeric.replace("Critical", f'"{key}"'))


def test_no_control_character_of_a_level_reaches_a_message() -> None:
    for change in (("High = 2", '"Hi\\u001b[2Jgh" = 9'), ("High = 2", "")):
        text = GOOD.replace("High", "Hi\\u001b[2Jgh", 1).replace(*change)
        assert "\x1b" not in problems(text)


def test_a_number_of_too_many_digits_is_refused() -> None:
    assert "digits" in problems(GOOD.replace("mild = 2", f"mild = 1{'0' * 5000}"))


def test_deep_conditions_are_refused() -> None:
    deep = "{ any = [ " * 21 + '{ at_least = 1, where = { HAND = "first" } }' + " ] }" * 21
    text = problems(f'{RULES}\n[[rules]]\nverdict = "High"\nall = [ {deep} ]\n')
    assert "nested deeper than" in text
    deeper = deep.replace("{ any = [ " * 21, "{ any = [ " * 150).replace(" ] }" * 21, " ] }" * 150)
    text = problems(f'{RULES}\n[[rules]]\nverdict = "High"\nall = [ {deeper} ]\n')
    assert "nested" in text
    assert text.count("\n") == 0


def test_a_policy_is_found_by_name_or_by_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert find_policy(path).name == "toy"
    assert find_policy(str(path)).name == "toy"
    with pytest.raises(UsageError, match="no policy 'G2'; there are G1_allergy_V2"):
        find_policy("G2")
    with pytest.raises(DataError, match="no such file"):
        find_policy(tmp_path / "other.toml")


SEVERE = """\
name = "toy"
levels = ["Low", "High"]
[points.INCIDENT_SEVERITY]
severe = 9
[thresholds]
High = 2
[[modifiers]]
name = "hot"
field = "HEAT"
values = ["high", "higher"]
points = 1
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("severe = 9", "severe = 9\nSEVERE = 8", "line 5, points.INCIDENT_SEVERITY.SEVERE: is giv"),
        (
            "[[mod",
            '[[modifiers]]\nname = "HOT"\nfield = "A"\nvalues = "x"\n[[mod',
            "12, modifiers[1]",
        ),
        ('"higher"]', '"", "x"]', "line 10, modifiers[0].values: must be text or a list of texts"),
        ('["high", "higher"]', "[]", "line 10, modifiers[0].values: must be text or a list of"),
        ('["high", "higher"]', "3", "line 10, modifiers[0].values: must be text or a list of"),
        (
            "points = 1\n",
            'points = 1\n[[modifiers]]\nname = "b"\nfield = "HEAT"\nvalues = "high"\npoints = 2\n',
            "line 15, modifiers[1].values: 'high' has other points above",
        ),
        ("severe = 9", "severe = 1e12", "severe: must be below 1e+12"),
        ("High = 2", "High = 2\nTop = 3\nhigh = 4", "line 7, thresholds.Top: the text 'Top' is"),
    ],
)
def test_what_is_said_twice_or_of_nothing_is_refused(old: str, new: str, message: str) -> None:
    parse_policy(SEVERE)
    assert SEVERE.count(old) == 1
    assert message in problems(SEVERE.replace(old, new))


def test_a_modifier_s_points_may_be_said_again_as_they_are() -> None:
    again = '[[modifiers]]\nname = "b"\nfield = "HEAT"\nvalues = "high"\npoints = 1\n'
    policy = parse_policy(SEVERE + again)
    assert policy.points["HEAT", "high"] == policy.points["HEAT", "higher"] == 1
    assert [m.name for m in policy.by_field["HEAT"]] == ["hot", "b"]


def test_one_level_has_one_threshold_however_it_is_written() -> None:
    text = GOOD.replace('["Low", "High", "Critical"]', "[0, 1, 2]")
    text = text.replace("High = 2\nCritical = 8", "1 = 2\n2 = 8\n02 = 9")
    assert problems(text) == "toy.toml: line 9, thresholds.02: this level has a threshold already"


@pytest.mark.parametrize("rule", ["rules = [3]", 'rules = "none"'])
def test_rules_that_cannot_be_read_are_told_once(rule: str) -> None:
    text = problems(GOOD.replace("[points", f"{rule}\n[points").replace("Critical = 8\n", ""))
    assert text.count("\n") == 0
    assert text.startswith("toy.toml: line 3, rules")


def test_points_of_nothing_add_nothing() -> None:
    policy = find_policy("G1_allergy_V2")
    assert policy.adds
    assert not replace(policy, points=dict.fromkeys(policy.points, 0.0)).adds
    assert not replace(policy, points={}).adds


def test_a_field_that_a_lost_declaration_may_hold_is_not_called_undeclared() -> None:
    text = RULES.replace('HAND = ["first", "second"]', 'HAND = ["first", "second"]\nFOOT = 3')
    lost = text.replace('HAND = "first"', 'FOOT = "left"')
    assert problems(lost).splitlines() == [
        "toy.toml: line 6, fields.FOOT: must be text or a list of texts, and not empty"
    ]
    misspelt = RULES.replace("[fields]", "[field]")
    assert [line.split(":")[1] for line in problems(misspelt).splitlines()] == [" line 3, field"]


def test_conditions_may_be_nested_twenty_deep() -> None:
    inner = '{ at_least = 1, where = { INCIDENT_SEVERITY = "severe" } }'

    def rules(depth: int) -> str:
        nested = "{ any = [" * (depth - 1) + inner + "] }" * (depth - 1)
        old = 'at_least = 1\nwhere = { INCIDENT_SEVERITY = "severe" }'
        return RULES.replace(old, f"any = [{nested}]")

    assert parse_policy(rules(20)).name == "toy"
    assert "conditions nested deeper than 20" in problems(rules(21))


def test_a_rule_on_an_undeclared_field_is_told_once() -> None:
    start = RULES.index("any = [")
    rule = 'at_least = 1\nwhere = { INCIDENT_SEVERITY = "severe", FOOT = "left" }\n'
    assert problems(RULES[:start] + rule).splitlines() == [
        "toy.toml: line 17, rules[1].where.FOOT: no such field is declared under [fields], "
        "[points] or modifiers"
    ]

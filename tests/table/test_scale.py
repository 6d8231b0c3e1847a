"""Scales are data: any number of levels, numbers or labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.errors import DataError, Problem, UsageError
from acumen.table.levels import parse_levels
from acumen.table.scale import MOST_LEVELS, Scale, builtin_scales, find_scale


def test_the_scales_that_ship() -> None:
    clinical = ("auditc", "cesd", "dass21", "epds", "gad7", "isi", "k6")
    assert builtin_scales() == (*clinical, "phq2", "phq8", "phq9", "pss10", "risk", "who5")
    phq8, risk = Scale.named("phq8"), Scale.named("risk")
    assert (phq8.levels, len(phq8.items), phq8.case) == ((0, 1, 2, 3), 8, "participant")
    assert (risk.levels[0], risk.levels[-1], risk.range) == ("Low Risk", "Critical Risk", 2)


@pytest.mark.parametrize(("lowest", "highest"), [(0, 1), (0, 3), (1, 5), (-3, 3), (0, 10), (7, 8)])
def test_a_rank_counts_rungs_from_the_lowest_level(lowest: int, highest: int) -> None:
    scale = Scale.numbered(lowest, highest)
    assert scale.range == highest - lowest
    assert [scale.rank(level) for level in range(lowest, highest + 1)] == list(
        range(scale.range + 1)
    )
    assert scale.allowed == f"{lowest}..{highest}"
    for outside in (lowest - 1, highest + 1):
        with pytest.raises(ValueError, match=rf"{outside} is outside {lowest}\.\.{highest}"):
            scale.rank(outside)


def test_two_point_zero_is_two_and_nothing_else_stands_for_a_level() -> None:
    scale = Scale.numbered(1, 5)
    assert scale.rank(2.0) == 1
    for value, said in [
        (1.5, "1.5 is not a level of 1..5"),
        (True, "the boolean true"),
        ("3", "the text '3' where a level 1..5 is expected"),
        (None, "null"),
        (float("nan"), "nan is not a level"),
        (float("inf"), "inf is not a level"),
        ([3], "a list"),
        (10**400, "is outside 1..5"),
    ]:
        with pytest.raises(ValueError, match=said):
            scale.rank(value)


@pytest.mark.parametrize(
    "written", ["High Risk", "HIGH_RISK", "high-risk", " 'High  Risk' ", '"high risk"']
)
def test_a_label_is_found_however_its_words_are_joined(written: str) -> None:
    assert Scale.named("risk").rank(written) == 1


@pytest.mark.parametrize("written", ["High", "Highrisk", "", 1, None, True, ["High Risk"]])
def test_what_is_no_label_is_refused_with_the_labels_there_are(written: object) -> None:
    with pytest.raises(ValueError, match="is not one of 'Low Risk', 'High Risk', 'Critical Risk'"):
        Scale.named("risk").rank(written)


def test_levels_may_be_given_as_a_list() -> None:
    assert Scale("mood", ["low", "high"], items=["a"]).rank("HIGH") == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("levels", "items", "said"),
    [
        ((), (), f"levels: needs 2 to {MOST_LEVELS} levels, has 0"),
        ((1,), (), "has 1"),
        (tuple(range(1001)), (), "has 1001"),
        ((0, 2, 3), (), "must be evenly spaced numbers, lowest first"),
        ((3, 2, 1), (), "must be evenly spaced numbers, lowest first"),
        ((1, 1.5, 2.5), (), "must be evenly spaced numbers, lowest first"),
        ((False, True), (), "must be all numbers or all text"),
        ((0, "one"), (), "must be all numbers or all text"),
        (("low", "LOW "), (), "must differ from each other"),
        ((0, 1), ("a", "a"), "items: must differ from each other"),
        ((0, 1), ("a", 2), "items: must be text, not 2"),
        ((0, 1), ("a", None), "items: must be text, not null"),
        ((0, 1), ("a", ""), "items: an item must not be empty"),
        (("low", " '' "), (), "levels: a label must not be empty"),
    ],
)
def test_a_scale_that_cannot_be_is_refused(levels: tuple, items: tuple, said: str) -> None:
    with pytest.raises(DataError, match="scale odd") as refused:
        Scale("odd", levels, items)
    assert said in str(refused.value)


def test_all_problems_of_a_scale_come_at_once() -> None:
    with pytest.raises(DataError) as refused:
        Scale("odd", (1,), ("a", "a"))
    assert len(refused.value.problems) == 2


def test_a_scale_is_read_from_toml(tmp_path: Path) -> None:
    path = tmp_path / "stars.toml"
    path.write_text('name = "stars"\ntitle = "Stars"\nlevels = [1, 2, 3]\nitems = ["taste"]\n')
    assert (
        find_scale(path) == find_scale(str(path)) == Scale("stars", (1, 2, 3), ("taste",), "Stars")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("levels = [0, 1]", "name: is missing"),
        ('name = "x"', "levels: is missing"),
        ('name = "x"\nlevels = 4', "levels: must be a list"),
        ("name = 7\nlevels = [0, 1]", "name: must be text, not 7"),
        ('name = "x"\nlevels = [0, 1]\nitems = "a"', "items: must be a list"),
        ('name = "x"\nlevels = [0, 1]\nevil = "x"', "evil: is not a key of a scale"),
        ('name = "x"\nlevels = [0, 1]\n"\\u001b[2J" = 1', "'\\x1b[2J': is not a key"),
        ('name = "x"\nlevels = [[0], [1]]', "must be all numbers or all text"),
        ("name = \nlevels = [0, 1]\n", "line 1"),
        ('name = "x"\nname = "y"\nlevels = [0, 1]\n', "line 2"),
        ('name = ""\ncase = ""\nlevels = [0, 1]', "case: must not be empty"),
        ("levels = " + "[" * 50_000, "nested too deep"),
        (f"levels = [0, {'9' * 5_000}]", "bad.toml: holds a number of too many digits"),
    ],
)
def test_a_scale_file_that_is_wrong_is_refused_by_name(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(DataError) as refused:
        Scale.read(path)
    assert said in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_all_problems_of_a_scale_file_come_at_once(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text('case = 7\nevil = 1\nlevels = [0, 2, 3]\nitems = ["a", "a", ""]\n')
    with pytest.raises(DataError) as refused:
        Scale.read(path)
    assert str(refused.value).splitlines() == [
        "bad.toml: name: is missing",
        "bad.toml: line 1, case: must be text, not 7",
        "bad.toml: line 2, evil: is not a key of a scale",
        "bad.toml: line 3, levels: must be evenly spaced numbers, lowest first",
        "bad.toml: line 4, items: an item must not be empty",
        "bad.toml: line 4, items: must differ from each other",
    ]


def test_a_scale_file_that_is_not_there_or_not_text_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(DataError, match=r"nothing\.toml: there is no such file"):
        Scale.read(tmp_path / "nothing.toml")
    with pytest.raises(DataError, match=r"latin\.toml: line 1: is not UTF-8 text"):
        Scale.read(tmp_path / "latin.toml")


def test_an_unknown_scale_names_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no scale '\.\./phq8'; there are auditc, cesd"):
        find_scale("../phq8")


OFF, OTHER = Problem("9 is outside 0..3", off_scale=True), Problem("is missing")


@pytest.mark.parametrize(
    ("numbers", "hint"),
    [
        ([1, 2, 9], "these look like levels 1–9: add --levels 1-9 (scale= in Python)"),
        ([0, 9], "these look like levels 0–9: add --levels 0-9 (scale= in Python)"),
        ([0, 1, 2, 3], "if the data are on another scale than pain, give it with --scale"),
        ([9], "if the data are on another scale than pain, give it with --scale"),
        ([], "if the data are on another scale than pain, give it with --scale"),
    ],
)
def test_the_first_problem_of_a_level_says_which_scale_may_solve_it(
    numbers: list[int], hint: str
) -> None:
    scale = Scale.numbered(0, 3, "pain")
    later = Problem("8 is outside 0..3", off_scale=True)
    missing, first, second = scale.hint([OTHER, OFF, later], numbers)
    assert (missing, second) == (OTHER, later)
    assert first.message.startswith(f"9 is outside 0..3; {hint}")
    assert scale.hint([OTHER], numbers) == [OTHER]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("1-5", (1, 2, 3, 4, 5)),
        ("2-2", ()),
        ("-1..1", (-1, 0, 1)),
        ("0-1:0.5", (0, 0.5, 1)),
        ("0-1:0.3", ()),
        ("a,b", ("a", "b")),
        ("1,2,x", ("1", "2", "x")),
        ("1,3", (1, 3)),
        ("a", None),
    ],
)
def test_levels_as_people_write_them(text: str, levels: object) -> None:
    assert parse_levels(text) == levels


def test_levels_that_fall_are_refused() -> None:
    with pytest.raises(UsageError, match="from the lowest to the highest: 1-5"):
        parse_levels("5-1")

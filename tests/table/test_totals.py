"""Totals as scale files declare them: points of levels, ends, and everything that cannot be."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import acumen
from acumen.errors import DataError
from acumen.table.scale import Scale, builtin_scales
from acumen.table.totals import Total

SHIPPED = {
    "auditc": (0, 12, None, 3),
    "cesd": (0, 60, 16, 20),
    "epds": (0, 30, 13, 10),
    "gad7": (0, 21, 10, 7),
    "isi": (0, 28, 15, 7),
    "k6": (0, 24, 13, 6),
    "phq2": (0, 6, 3, 2),
    "phq8": (0, 24, 10, 8),
    "phq9": (0, 27, 10, 9),
    "pss10": (0, 40, None, 10),
    "who5": (0, 100, 50, 5),
}
"""Scale -> lowest and highest total, cut and items, as the papers have them."""


@pytest.mark.parametrize("name", SHIPPED)
def test_a_scale_that_ships_has_the_total_of_its_paper(name: str) -> None:
    scale = Scale.named(name)
    (total,) = scale.totals
    assert (*total.ends(scale.levels, scale.items), total.cut, len(scale.items)) == SHIPPED[name]
    assert total.title
    assert total.reference


def test_of_who_5_a_low_total_is_looked_for() -> None:
    assert {n for n in SHIPPED if Scale.named(n).totals[0].positive == "low"} == {"who5"}


def test_the_three_totals_of_dass_share_its_items_among_them() -> None:
    scale = Scale.named("dass21")
    assert [total.name for total in scale.totals] == ["depression", "anxiety", "stress"]
    assert sorted(i for t in scale.totals for i in t.items) == sorted(scale.items)
    assert all(t.ends(scale.levels, t.items) == (0, 42) for t in scale.totals)


def test_a_scale_has_the_same_totals_by_its_name_and_by_its_file() -> None:
    folder = Path(__file__).parents[2] / "src" / "acumen" / "scales"
    for name in builtin_scales():
        assert Scale.read(folder / f"{name}.toml").totals == Scale.named(name).totals, name


def test_items_that_are_reversed_count_from_the_other_end() -> None:
    """PSS-10 by hand: 3 on all items is 6·3 + 4·(4 − 3) = 22."""
    scale = Scale.named("pss10")
    points = scale.totals[0].points(scale.levels, scale.items)
    assert points[:, 3].sum() == 22
    assert points[:, 0].sum() == 16
    assert (points.min(axis=1) == 0).all()


def test_the_ends_are_those_of_every_combination_of_levels() -> None:
    total = Total(weights={"b": -0.5, "c": 2.0}, reversed=("c",), times=3)
    levels, items = (1, 2, 4), ("a", "b", "c")
    points = total.points(levels, items)
    every = [sum(points[i, k] for i, k in enumerate(ks)) for ks in product(range(3), repeat=3)]
    assert total.ends(levels, items) == (min(every), max(every)) == (3.0, 34.5)


def test_a_label_counts_as_its_rank() -> None:
    assert Total().points(("low", "middle", "high"), ("a",)).tolist() == [[0, 1, 2]]


def test_a_sum_of_tenths_is_tidy() -> None:
    total = Total(weights={"a": 0.1, "b": 0.2})
    assert sum(total.points((0, 1), ("a", "b"))[:, 1]) != 0.3
    assert total.ends((0, 1), ("a", "b")) == (0.0, 0.3)


def test_another_cut_keeps_the_rest_and_other_bands_lose_their_names() -> None:
    phq8 = Scale.named("phq8").totals[0]
    assert phq8.cut_at(12, None, None).bands == phq8.bands
    other = phq8.cut_at(None, (8, 16), "low")
    assert (other.cut, other.bands, other.band_names, other.positive) == (10, (8, 16), (), "low")


HEAD = 'name = "x"\nlevels = [0, 1, 2]\nitems = ["a", "b"]\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cut = 5", "line 5, totals[0].cut: 5 parts nothing: the total runs from 0 to 4"),
        ("cut = 0", "so a cut must be above 0 and at most 4"),
        ('cut = 4\npositive = "low"', "so a cut must be 0 or more, below 4"),
        ('positive = "up"', "positive: "),
        ("bands = [2, 2]", "line 5, totals[0].bands: must rise"),
        ("bands = [1, 9]", "bands: 9 begins no band: the total runs from 0 to 4"),
        ('bands = [1]\nband_names = ["one"]', "band_names: must be 2: one more than bands"),
        ('items = ["a", "z"]', "items: names z, which is not among the items"),
        ('items = ["a"]\nreversed = ["b"]', "reversed: names b, which is not among the items"),
        ('reversed = ["a", "a"]', "reversed: must differ from each other"),
        ("weights = {a = 0.0}", "weights: 0 must be a finite number and not 0"),
        ("weights = {c = 1}", "weights: names c, which is not among the items"),
        ("times = inf", "times: must be finite, not inf"),
        ('times = "2"', "times: must be a number, not the text '2'"),
        ("[[totals]]", "line 5, totals[1].name: is the name of two totals"),
        ("kut = 3", "totals[0].kut: is not a key of a total; is 'cut' meant?"),
    ],
)
def test_a_total_that_cannot_be_is_refused_with_its_line(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(f"{HEAD}[[totals]]\n{text}\n")
    with pytest.raises(DataError) as refused:
        Scale.read(path)
    assert said in str(refused.value)


def test_everything_wrong_with_the_totals_of_a_scale_comes_at_once() -> None:
    wrong = Total(cut=99, bands=(3, 2), weights={"z": 1.0}, items=("a", "a"))
    with pytest.raises(DataError, match="totals, entry 1, cut: 99 parts nothing") as refused:
        Scale("odd", (0, 1), ("a", "b"), totals=(wrong,))
    fields = [str(problem.field).rpartition(" ")[2] for problem in refused.value.problems]
    assert fields == ["items", "weights", "cut", "bands", "bands"]


def test_a_scale_is_known_by_its_items_only_where_their_names_say_enough() -> None:
    table = acumen.from_columns(
        case=[1, 1], item=["q1", "q2"], truth=[1, 7], prediction=[2, 7], confidence=[0.5, 0.5]
    )
    assert table.scale.inferred


def test_scales_that_differ_in_their_totals_alone_are_one_scale() -> None:
    phq8 = Scale.named("phq8")
    assert Scale(phq8.name, phq8.levels, phq8.items, phq8.title, phq8.case) == phq8
    assert np.array_equal(phq8.totals[0].points(phq8.levels, phq8.items)[0], [0, 1, 2, 3])

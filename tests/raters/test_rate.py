"""The door and the command of ratings: shapes, judges, biases, and what cannot be measured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.raters import agreement
from tests.raters.tables import PEOPLE, clip, five_and_a_judge, panel_of, rated


def long_rows(*, judge_is_rater: bool = True) -> list[dict[str, Any]]:
    rows = []
    for row in five_and_a_judge():
        for who in [*PEOPLE, *(["judge"] if judge_is_rater else [])]:
            rows.append({"case": row["case"], "who": who, "stars": row[who], "judge": row["judge"]})
    return rows


@pytest.mark.parametrize("judge_is_rater", [True, False])
def test_long_and_wide_ratings_are_one(judge_is_rater: bool) -> None:
    rows = long_rows(judge_is_rater=judge_is_rater)
    if judge_is_rater:
        rows = [{k: v for k, v in row.items() if k != "judge"} for row in rows]
    found = rated(rows, rater="who", rating="stars", judge="judge")
    wide = rated()
    for name in ("agreement", "judges", "pairs", "noise_floor"):
        assert getattr(found, name) == getattr(wide, name), name


def test_the_order_of_rows_does_not_show() -> None:
    rows = five_and_a_judge()
    assert rated(rows[::-1], raters=PEOPLE, judge="judge").judges == rated().judges


def test_replacement_by_hand() -> None:
    found = rated().judges["judge"]
    rows = five_and_a_judge()
    with_judge, with_person = [], []
    for person in PEOPLE:
        held = [[row[p] for p in PEOPLE] for row in rows]
        at = PEOPLE.index(person)
        for cells, row in zip(held, rows, strict=True):
            cells[at] = None if row["judge"] is None else cells[at]
        swapped = [list(cells) for cells in held]
        for cells, row in zip(swapped, rows, strict=True):
            cells[at] = None if cells[at] is None else row["judge"]
        with_person.append(agreement.alpha(panel_of(held), "ordinal").value)
        with_judge.append(agreement.alpha(panel_of(swapped), "ordinal").value)
    assert found.replacement.value == pytest.approx(np.mean(with_judge), abs=1e-12)
    assert found.replaced.value == pytest.approx(np.mean(with_person), abs=1e-12)
    delta = found.replacement_delta.delta
    assert delta == pytest.approx(np.mean(with_judge) - np.mean(with_person), abs=1e-12)


def test_a_person_among_the_others_by_hand() -> None:
    rows = [{"case": 0, "a": 1, "b": 3, "c": 4}, {"case": 1, "a": 2, "b": 2, "c": None}]
    person = rated(rows, raters="a,b,c").people["a"]
    assert person.distance.value == pytest.approx(((2 + 3) / 2 + 0) / 2)
    assert person.leniency.value == pytest.approx((-2.5 + 0) / 2)
    assert person.levels == [1, 1, 0, 0, 0]


def test_risk_and_noise_floor_are_of_the_same_units() -> None:
    rows = [
        {"case": 0, "a": 1, "b": 3, "ai": 2},
        {"case": 1, "a": 5, "b": 5, "ai": None},
        {"case": 2, "a": 2, "b": None, "ai": 5},
    ]
    judge = rated(rows, raters="a,b", judge="ai").judges["ai"]
    assert (judge.units, judge.answered) == (2, 1)
    assert judge.risk.value == 1.0
    assert judge.noise_floor.value == 2.0


def test_whoever_stands_out_is_named() -> None:
    rows = [row | {"r5": 6 - row["r1"]} for row in five_and_a_judge()]
    assert rated(rows, raters=PEOPLE).people["r5"].stands_out == "disagrees"
    rows = [row | {"r2": clip(row["r1"] + 1)} for row in five_and_a_judge()]
    people = rated(rows, raters=["r1", "r2", "r3"]).people
    assert people["r2"].stands_out == "lenient"
    assert people["r1"].stands_out is people["r3"].stands_out is None
    assert rated().people["r1"].stands_out is None


def test_leniency_and_the_ends_by_hand() -> None:
    rows = [
        {"case": 0, "a": 1, "b": 2, "ai": 2},
        {"case": 1, "a": 5, "b": 5, "ai": 5},
        {"case": 2, "a": 3, "b": 3, "ai": 5},
        {"case": 3, "a": 3, "b": 3, "ai": 3},
    ]
    bias = rated(rows, raters="a,b", judge="ai").judges["ai"].bias
    assert bias.leniency.value == pytest.approx((0.5 + 0 + 2 + 0) / 4)
    assert bias.highest.delta == pytest.approx(2 / 4 - 1 / 4)
    assert bias.lowest.delta == pytest.approx(0 - 1 / 8)
    by_level = {name: measured.value for name, measured in bias.by_level.items()}
    assert by_level == {"1": 1.0, "2": 0.0, "3": 1.0, "5": 0.0}
    assert bias.length is bias.self_preference is bias.flips is bias.repeats_equal is None


def test_the_slope_of_length_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for i in range(60):
        a = int(rng.integers(2, 5))
        length = int(rng.integers(10, 1000))
        rows.append({"case": i // 3, "item": i % 3, "a": a, "b": a, "n": length})
        rows[-1]["ai"] = clip(a + round(np.log2(length / 100) / 2))
    bias = rated(rows, raters="a,b", judge="ai", item="item", length="n").judges["ai"].bias
    x, y = np.log2([r["n"] for r in rows]), [r["ai"] - r["a"] for r in rows]
    assert bias.length is not None
    assert bias.length.value == pytest.approx(np.polyfit(x, y, 1)[0])
    assert bias.length.interval is not None
    assert bias.length.interval.low > 0


def test_self_preference_is_leniency_to_its_own() -> None:
    rows = [{"case": i, "a": 3, "b": 3, "ai": 4 if i % 2 else 3, "by": i % 2} for i in range(20)]
    delta = rated(rows, raters="a,b", judge="ai", own="by").judges["ai"].bias.self_preference
    assert delta is not None
    assert delta.delta == 1.0
    named = [row | {"by": "ai" if row["by"] else "other"} for row in rows]
    again = rated(named, raters="a,b", judge="ai", own="by").judges["ai"].bias.self_preference
    assert again is not None
    assert again.delta == 1.0


def test_order_effects_by_hand() -> None:
    # the outputs are rated when they stand first and second
    first, second = [5, 4, 3, 1], [5, 2, 3, 2]
    rows = [{"case": i, "who": w, "v": 3, "slot": "-"} for i in range(4) for w in ("a", "b")]
    for slot, given in (("1", first), ("2", second)):
        rows += [{"case": i, "who": "ai", "v": v, "slot": slot} for i, v in enumerate(given)]
    bias = rated(rows, rater="who", rating="v", judge="ai", position="slot").judges["ai"].bias
    assert bias.flips is not None
    assert bias.first_slot is not None
    assert bias.order_effect is not None
    assert bias.flips.value == 2 / 4
    # above the middle in the first slot, or below it in the second, favours the first
    assert bias.first_slot.value == pytest.approx((0.5 + 1.0 + 0.5 + 0.5) / 4)
    assert bias.order_effect.value == pytest.approx((0 + 2 + 0 - 1) / 4)


def test_the_lowest_level_counts_in_either_slot() -> None:
    rows = [{"case": i, "who": w, "v": 3, "slot": "-"} for i in range(3) for w in ("a", "b")]
    for slot, given in (("1", (1, 2, 1)), ("2", (1, 1, 2))):
        rows += [{"case": i, "who": "ai", "v": v, "slot": slot} for i, v in enumerate(given)]
    bias = rated(rows, rater="who", rating="v", judge="ai", position="slot").judges["ai"].bias
    assert bias.flips is not None
    assert bias.flips.value == pytest.approx(2 / 3)


def test_repeats_by_hand() -> None:
    draws = [(1, 1, 2), (3, 3, 3), (5, 4, 5)]
    rows = [{"case": i, "who": w, "v": 3, "t": 0} for i in range(3) for w in ("a", "b")]
    rows += [
        {"case": i, "who": "ai", "v": v, "t": t}
        for i, d in enumerate(draws)
        for t, v in enumerate(d)
    ]
    judge = rated(rows, rater="who", rating="v", judge="ai", repeat="t").judges["ai"]
    assert judge.bias.repeats_equal is not None
    assert judge.bias.repeats_alpha is not None
    assert judge.bias.repeats_equal.value == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)
    alpha = agreement.alpha(panel_of(draws), "interval").value
    assert judge.bias.repeats_alpha.value == pytest.approx(alpha)
    assert judge.bias.ceiling == pytest.approx(alpha**0.5)
    assert judge.risk.value == pytest.approx((2 + 0 + 2) / 3)  # of the first draws


def test_two_judges_differ_on_what_both_answered() -> None:
    rows = [row | {"other": clip(row["r1"] + 1)} for row in five_and_a_judge()]
    found = rated(rows, raters=PEOPLE, judge=["judge", "other"])
    (pair,) = found.differences
    assert (pair.left, pair.right, pair.units) == ("judge", "other", 73)
    held = [row | {"other": None if row["judge"] is None else row["other"]} for row in rows]
    alone = rated(held, raters=PEOPLE, judge="other").judges["other"]
    assert pair.risk.right == pytest.approx(alone.risk.value)
    assert pair.risk.left == pytest.approx(found.judges["judge"].risk.value)
    assert pair.advantage.left == pytest.approx(0.875010532, abs=1e-9)


BAD: dict[str, tuple[list[dict[str, Any]], dict[str, Any], str]] = {
    "one rater": ([{"case": 1, "a": 1}], {"raters": ["a"]}, "only a rated"),
    "no overlap": (
        [{"case": 1, "a": 1, "b": None}, {"case": 2, "a": None, "b": 2}],
        {"raters": "a,b"},
        "no two of the 2 people rated the same thing",
    ),
    "all skip": ([{"case": 1, "a": None, "b": None}], {"raters": "a,b"}, "nobody rated anything"),
    "judge missing": (
        [{"case": i, "a": 1, "b": 2, "ai": None} for i in range(3)],
        {"raters": "a,b", "judge": "ai"},
        "judge ai rated nothing",
    ),
    "judge elsewhere": (
        [{"case": 1, "a": 1, "b": 2, "ai": None}, {"case": 2, "a": 1, "b": None, "ai": 1}],
        {"raters": "a,b", "judge": "ai"},
        "nothing that two people rated",
    ),
    "no such judge": (
        [{"case": 1, "a": 1, "b": 2}],
        {"raters": "a,b", "judge": "x"},
        "no column for the truth",
    ),
    "no such rater": ([{"case": 1, "a": 1}], {"raters": "a,z"}, "no column for the truth"),
    "nobody named": ([{"case": 1, "a": 1}], {}, "--raters A,B,C"),
    "off the scale": (
        [{"case": 1, "a": 1, "b": 9}],
        {"raters": "a,b"},
        "rating: 9 is outside 1..5",
    ),
    "twice": (
        [{"case": 1, "who": "a", "v": 1}, {"case": 1, "who": "a", "v": 2}],
        {"rater": "who", "rating": "v"},
        "rows 1 and 2",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_measured_is_told_in_a_word(name: str) -> None:
    rows, options, words = BAD[name]
    with pytest.raises(DataError, match=words.replace(".", r"\.")):
        rated(rows, **options)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "close"}, "ordinal or nominal"),
        ({"epsilon": 1.5}, "epsilon"),
        ({"q": 0.0}, "between 0 and 1"),
        ({"fewest_instances": 1}, "at least 2"),
        ({"rating": "x"}, "not both"),
    ],
)
def test_options_that_cannot_be_meant(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        rated(**options)


def test_a_rater_of_one_level_only_has_no_kappa() -> None:
    rows = [{"case": i, "a": 3, "b": 3} for i in range(10)]
    found = rated(rows, raters="a,b")
    assert found.agreement["alpha_ordinal"].value is None
    assert found.pairs[0].kappa.value is None
    assert found.agreement["ac1"].value == 1.0


def test_ten_thousand_raters_are_not_looked_at_one_by_one() -> None:
    rows = [{"case": i // 3, "who": i % 10_000, "v": i % 5 + 1} for i in range(20_000)]
    found = rated(rows, rater="who", rating="v")
    assert found.most_raters == 10_000
    assert len(found.people) == 50


def test_the_command_prints_writes_and_shows(tmp_path: Path, capsys: Any) -> None:
    import pandas as pd

    pd.DataFrame(five_and_a_judge()).to_csv(tmp_path / "r.csv", index=False)
    words = ["rate", str(tmp_path / "r.csv"), "--raters", ",".join(PEOPLE), "--judge", "judge"]
    out, page = tmp_path / "out.json", tmp_path / "page.html"
    assert run([*words, "--output", str(out), "--html", str(page)]) == 0
    assert "judge passes the alternative annotator test" in " ".join(
        capsys.readouterr().out.split()
    )
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document == json.loads(out.read_text())
    test = document["judges"]["judge"]["alt_test"]
    assert test["winning_rate"] == 0.6
    assert test["advantage"]["value"] == pytest.approx(0.875010532, abs=1e-9)
    assert set(test["raters"]) == set(PEOPLE)
    assert run(["show", str(out), "--full"]) == 0
    assert "Gwet's AC2, ordinal" in capsys.readouterr().out
    assert "Who agrees with whom" in page.read_text()


def test_the_findings_show_themselves() -> None:
    found = acumen.rate(five_and_a_judge(), raters=PEOPLE, judge="judge", levels="1-5")
    assert "Judges compared with people" in repr(found)
    assert "<table>" in found._repr_html_()


SHORT: list[dict[str, Any]] = [
    {"case": 1, "a": 1, "b": 2, "ai": 1, "n": "x"},
    {"case": 2, "a": 2, "b": 2, "ai": 2, "n": "y"},
]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"raters": ["a", "b"], "rating": "a"}, "give rating .* or raters, not both"),
        ({"raters": ["a", "b"], "repeat": "n", "position": "n"}, "give a repeat or a position"),
        ({"raters": ["a", "b"], "rater": "n"}, "one column of ratings with a rater, or several"),
        ({"raters": ["a", "b"], "judge": "ai", "length": "n"}, "column n holds no numbers"),
        ({"raters": ["a"], "judge": "ai"}, "only a rated: agreement takes two people"),
        ({"raters": ["a", "ai"], "judge": ["a", "ai"]}, "nobody but the judge rated: agreement"),
    ],
)
def test_ratings_that_cannot_be_meant_are_refused(options: Any, message: str) -> None:
    with pytest.raises((DataError, UsageError), match=message):
        acumen.rate(SHORT, **options)


def test_an_estimate_says_what_it_lacks() -> None:
    with pytest.raises(UsageError, match="which column is the judge's"):
        acumen.estimate(SHORT, labelled="a")
    for level in (0.0, 1.0):
        with pytest.raises(UsageError, match="must lie between 0 and 1, not"):
            acumen.estimate(SHORT, labelled="a", prediction="ai", confidence_level=level)
    few = [{**row, "a": row["a"] if row["case"] == 1 else None} for row in SHORT]
    with pytest.raises(DataError, match="labels of at least 2 cases are needed; there are 1 of 2"):
        acumen.estimate(few, labelled="a", prediction="ai", levels="1-2")

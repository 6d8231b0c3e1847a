"""Totals and ranges by hand, and every way in which a case may not have one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.table.scale import Scale
from acumen.table.totals import Total
from acumen.totals.formula import total_of
from acumen.totals.sums import OPEN, read_sums
from tests.totals.studies import ANSWERS, CUT, TRUTH, of, random_study, sums, table


def test_totals_ranges_and_sides_by_hand() -> None:
    own = sums()
    assert own.cases == tuple(TRUTH)
    assert own.low.tolist() == [5, 5, 6, 1, 3, 1]
    assert own.high.tolist() == [5, 5, 9, 4, 6, 1]
    assert own.truth.tolist() == [6, 3, 9, 0, 6, 1]
    assert np.array_equal(own.total, [5, 5, np.nan, np.nan, np.nan, 1], equal_nan=True)
    assert own.side.tolist() == [1, 1, 1, 0, OPEN, 0]
    assert own.true_side.tolist() == [1, 0, 1, 0, 1, 0]
    assert own.band.tolist() == [1, 1, 2, OPEN, OPEN, 0]
    assert own.n_open.tolist() == [0, 0, 1, 1, 1, 0]


def test_where_a_low_total_is_looked_for_a_total_at_the_cut_is_found() -> None:
    own = sums(Total(cut=5, positive="low"))
    # C is at least 6, so it is not; E reaches from 3 to 6 and is open
    assert own.side.tolist() == [1, 1, 0, 1, OPEN, 1]
    assert own.true_side.tolist() == [0, 1, 0, 1, 0, 1]


def test_prorated_totals_by_hand() -> None:
    own = sums(CUT, 2 / 3)
    assert own.total.tolist() == [5, 5, 9, 1.5, 4.5, 1]
    assert own.prorated.tolist() == [False, False, True, True, True, False]
    assert own.side.tolist() == [1, 1, 1, 0, 0, 0]
    assert not sums(CUT, 0.7).prorated.any()


def test_a_prorated_total_lies_between_its_ends_as_its_answers_do() -> None:
    """Levels 1–5: two items of 4 and 5 are 7/8 of the way up, so three make 3 + 7/8·12 = 13.5."""
    own = of([[4, 5, 5]], [[4, 5, None]], levels=6).on_levels
    total = Total(items=("x", "y", "z"))
    assert read_sums(own, total, 0.5).sums.total.tolist() == [13.5]
    five = acumen.from_columns(
        case=[1] * 3, item=list("xyz"), truth=[4, 5, 5], prediction=[4, 5, None], scale="1-5"
    )
    assert read_sums(five, total, 0.5).sums.total.tolist() == [13.5]


def test_without_any_answer_there_is_no_total_however_small_the_share() -> None:
    own = read_sums(of([[1, 1], [1, 1]], [[None, None], [1, 1]]), Total(), 1e-9).sums
    assert np.isnan(own.total[0])
    assert (own.low[0], own.high[0], own.estimate[0]) == (0, 6, 3)


@pytest.mark.parametrize("seed", range(5))
def test_a_range_holds_what_every_answer_to_its_open_items_would_make(seed: int) -> None:
    total = Total(weights={"x": 2, "y": -1}, reversed=("z",), times=0.5, cut=1)
    own = read_sums(random_study(seed, silence=0.4), total).sums
    for at in range(len(own)):
        places = np.flatnonzero(own.open[at])
        known = np.nansum(own.added[at])
        ends = [
            known + sum(own.formula.points[i, k] for i, k in zip(places, levels, strict=True))
            for levels in product(range(4), repeat=len(places))
        ]
        assert (own.low[at], own.high[at]) == (min(ends), max(ends))
        sides = {end >= 1 for end in ends}
        assert own.side[at] == (OPEN if len(sides) == 2 else sides.pop())


def test_a_sum_of_tenths_meets_a_cut_of_tenths() -> None:
    total = Total(weights={"x": 0.1, "y": 0.2}, cut=0.3, items=("x", "y"))
    own = read_sums(of([[1, 1]], [[1, 1]], levels=2), total).sums
    assert own.side.tolist() == [1]


def test_a_true_total_may_lie_between_levels() -> None:
    rows = [
        {"case": 1, "item": i, "a": a, "b": b, "ai": 1}
        for i, (a, b) in {"x": (1, 2), "y": (0, 0)}.items()
    ]
    own = acumen.total(
        rows, truth=["a", "b"], prediction="ai", truth_is="mean", levels="0-3"
    ).document
    assert own.systems[0].rows[0].truth == 1.5


def rows(**changes: Any) -> list[dict[str, Any]]:
    return [
        {"case": c, "item": i, "truth": t, "prediction": p, **changes}
        for c in TRUTH
        for i, t, p in zip("xyz", TRUTH[c], ANSWERS[c], strict=True)
    ]


def test_a_case_that_lacks_the_truth_of_an_item_is_left_out_and_named() -> None:
    own = [r for r in rows() if (r["case"], r["item"]) != ("B", "y")]
    document = acumen.total(own, levels="0-3", cut=5).document
    assert (document.systems[0].cases, document.systems[0].without_truth) == (5, 1)
    warning = "1 case without the truth of every item, not scored: B (B lacks that of y)"
    assert warning in document.warnings


def test_without_truth_a_lacking_row_is_an_open_item() -> None:
    own = [
        {k: v for k, v in r.items() if k != "truth"}
        for r in rows()
        if (r["case"], r["item"]) != ("B", "y")
    ]
    document = acumen.total(own, levels="0-3", cut=5).document
    assert not document.has_truth
    b = document.systems[0].rows[1]
    assert (b.low, b.high, b.open_items, b.failed_items) == (3.0, 6.0, ["y"], ["y"])
    assert document.systems[0].cut is not None
    assert (document.systems[0].cut.open, document.systems[0].cut.measures) == (2, {})


def test_failed_items_are_open_and_told_apart_from_abstentions() -> None:
    own = rows()
    for row in own:
        row["outcome"] = "answered" if row["prediction"] is not None else "abstained"
    own[0] |= {"prediction": None, "outcome": "failed"}
    document = acumen.total(own, levels="0-3", cut=5, columns={"outcome": "outcome"}).document
    a = document.systems[0].rows[0]
    assert (a.low, a.high, a.open_items, a.failed_items) == (3.0, 6.0, ["x"], ["x"])
    assert document.systems[0].rows[2].failed_items == []


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"cut": 40}, "cut: 40 parts nothing: the total runs from 0 to 9, so a cut must be above"),
        ({"cut": 0}, "above 0 and at most 9"),
        ({"cut": 9, "positive": "low"}, "0 or more, below 9"),
        ({"positive": "up"}, "positive is high or low"),
        ({"bands": "3,12"}, "bands: 12 begins no band: the total runs from 0 to 9"),
        ({"bands": "5,3"}, "bands: must rise"),
        ({"bands": "a,b"}, "bands: numbers with commas"),
        ({"prorate": 0.0}, "prorate is a share of the items"),
        ({"prorate": 1.5}, "prorate is a share of the items"),
        ({"alpha": 1.0}, "alpha is a chance between 0 and 1"),
        ({"confidence_level": 1.0}, "a confidence level lies between 0 and 1"),
        ({"aggregate": "max"}, "min or mean of its items', not 'max'"),
        ({"total": "stress"}, r"levels has no total stress: name one with --total: total"),
        ({"risk": 2.0}, r"a threshold needs a confidence \(--confidence-column COLUMN\)$"),
        ({"wrong": 0.1}, r"a threshold needs a confidence \(.*\) and a cut \(--cut\)$"),
        ({"by": "site"}, "no group site"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_word(keywords: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        acumen.total(table(), **keywords)


def test_items_that_the_total_needs_and_the_data_lack_are_named() -> None:
    total = Total(items=("x", "q"))
    with pytest.raises(DataError, match=r"the total needs q; the items are x, y, z"):
        read_sums(table(), total)


def test_where_no_case_is_left_it_says_why() -> None:
    own = [r for r in rows() if r["item"] != "y" or r["case"] == "none"]
    own.append({"case": "none", "item": "y", "truth": 1, "prediction": 1})
    with pytest.raises(DataError, match="no case is left: 0 failed, 7 lack the truth of an item"):
        acumen.total(own, levels="0-3")


def test_several_answers_to_one_item_are_refused() -> None:
    twice = rows(draw=1) + rows(draw=2)
    with pytest.raises(UsageError, match="choose a repeat with --where"):
        acumen.total(twice, levels="0-3", repeat="draw")


def test_rows_with_weights_and_several_raters_are_refused() -> None:
    with pytest.raises(UsageError, match="leave the weights out"):
        acumen.total(rows(w=1.0), levels="0-3", weight="w")
    several = [r | {"b": r["truth"]} for r in rows()]
    with pytest.raises(UsageError, match="say which by --truth-is"):
        acumen.total(several, levels="0-3", truth=["truth", "b"])


def test_a_total_is_chosen_among_those_of_a_scale() -> None:
    scale = Scale.named("dass21")
    assert total_of(scale, "stress").title == "DASS-21 stress"
    with pytest.raises(
        UsageError, match="DASS-21 has several totals: name one with --total: depression, "
    ):
        total_of(scale, None)


def test_a_run_that_repeats_the_levels_of_a_scale_that_ships_has_its_total() -> None:
    phq8 = Scale.named("phq8")
    assert total_of(Scale("phq8", phq8.levels, phq8.items), None).cut == 10
    assert total_of(Scale("phq8", (0, 1)), None).cut is None


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([[1, 1, 1]], "one case only: nothing can be said of others"),
        ([[None] * 3] * 2, "no case has an answer to every item: no total has an error"),
        ([[None] * 3] * 2, "every case is open at the cut"),
    ],
)
def test_too_little_is_said_in_a_word(answers: list[list[int | None]], said: str) -> None:
    document = acumen.total(of([[1, 1, 1]] * len(answers), answers), cut=5).document
    assert said in document.warnings
    assert acumen.total(of([[1, 1, 1]] * len(answers), answers), cut=5).sections(full=True)

"""Decisions at a cut: by hand, every way to decide open cases, and scikit-learn."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix, precision_score, recall_score

from acumen.table.totals import Total
from acumen.totals.asking import asks_of
from acumen.totals.cut import RATES, bands_of, cut_of, measure, measures_of
from acumen.totals.sums import OPEN, Sums, read_sums
from tests.totals.studies import CUT, random_study, sums


def test_decisions_by_hand() -> None:
    part = cut_of(sums(), 0.95)
    assert part is not None
    assert (part.positive, part.negative, part.open) == (3, 2, 1)
    counts = (part.true_positive, part.false_positive, part.false_negative, part.true_negative)
    assert counts == (2, 1, 0, 2)
    assert (part.open_positive, part.open_negative) == (1, 0)
    expected = {  # decided, lowest, highest, open as found, open as not found
        "sensitivity": (1, 2 / 3, 1, 1, 2 / 3),
        "specificity": (2 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3),
        "ppv": (2 / 3, 2 / 3, 3 / 4, 3 / 4, 2 / 3),
        "npv": (1, 2 / 3, 1, 1, 2 / 3),
        "accuracy": (4 / 5, 4 / 6, 5 / 6, 5 / 6, 4 / 6),
        "kappa": (8 / 13, 1 / 3, 2 / 3, 2 / 3, 1 / 3),
    }
    ways = ("decided", "lowest", "highest", "open_as_positive", "open_as_negative")
    for name, values in expected.items():
        own = [getattr(part.measures[name], way).value for way in ways]
        assert own == pytest.approx(values, abs=1e-12), name


@pytest.mark.parametrize("seed", range(6))
def test_the_bounds_are_those_of_every_way_to_decide_the_open_cases(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true, side = rng.random(9) < 0.4, rng.integers(0, 2, 9)
    side[rng.random(9) < 0.4] = OPEN
    own = measures_of(side, true, 0.95)
    places = np.flatnonzero(side == OPEN)
    for name in (*RATES, "kappa"):
        values = []
        for way in product([False, True], repeat=len(places)):
            is_ = side == 1
            is_[places] = way
            value = measure(name, is_, true, 0.95).value
            values += [] if value is None else [value]
        for end, expected in ((own[name].lowest, min), (own[name].highest, max)):
            if end.value is not None and values:
                assert end.value == pytest.approx(expected(values), abs=1e-12), name


@pytest.mark.parametrize("seed", range(4))
def test_measures_are_those_of_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    true, is_ = rng.random(40) < 0.4, rng.random(40) < 0.5
    own = {name: measure(name, is_, true, 0.95).value for name in (*RATES, "kappa")}
    assert own["sensitivity"] == pytest.approx(recall_score(true, is_), abs=1e-12)
    assert own["specificity"] == pytest.approx(recall_score(true, is_, pos_label=False), abs=1e-12)
    assert own["ppv"] == pytest.approx(precision_score(true, is_), abs=1e-12)
    assert own["npv"] == pytest.approx(precision_score(true, is_, pos_label=False), abs=1e-12)
    assert own["kappa"] == pytest.approx(cohen_kappa_score(true, is_), abs=1e-12)


def test_what_nobody_is_has_no_measure_and_says_why() -> None:
    part = measures_of(np.array([1, 0]), np.array([False, False]), 0.95)
    assert part["sensitivity"].decided.value is None
    assert part["sensitivity"].decided.reason == "no such case is truly positive"
    assert part["specificity"].decided.value == 0.5


def test_bands_by_hand() -> None:
    part = bands_of(sums(), 0.95)
    assert part is not None
    assert part.names == ["from 0", "from 3", "6 to 9"]
    # truths 6 3 9 0 6 1 in bands 2 1 2 0 2 0; totals in 1 1 2 open open 0
    assert part.table == [[1, 0, 0, 1], [0, 1, 0, 0], [0, 1, 1, 1]]
    assert (part.open, part.cases) == (2, [1, 2, 1])
    assert part.right is not None
    assert part.right.value == 3 / 4
    expected = cohen_kappa_score([2, 1, 2, 0], [1, 1, 2, 0], weights="quadratic", labels=[0, 1, 2])
    assert part.kappa is not None
    assert part.kappa.value == pytest.approx(expected, abs=1e-12)


def test_the_confusion_of_bands_is_that_of_scikit_learn() -> None:
    own = read_sums(random_study(3, cases=40, silence=0.0), Total(bands=(4, 8))).sums
    part = bands_of(own, 0.95)
    assert part is not None
    expected = confusion_matrix(np.digitize(own.truth, [4, 8]), np.digitize(own.total, [4, 8]))
    assert part.table is not None
    assert np.array_equal(np.array(part.table)[:, :-1], expected)


def test_what_asking_an_item_closes_by_hand() -> None:
    """Only E is open, and only its second item: whatever the answer, it is then decided."""
    asks = asks_of(sums())
    assert [(a.item, a.open_in, a.closes, a.closes_surely) for a in asks] == [
        ("y", 1, 1, 1),
        ("x", 0, 0, 0),
        ("z", 0, 0, 0),
    ]


def closed(own: Sums, at: int, item: int, points: float) -> bool:
    """Whether a case is decided once an item adds these points, by every other open answer."""
    ends = []
    others = [i for i in np.flatnonzero(own.open[at]) if i != item]
    for levels in product(range(own.formula.points.shape[1]), repeat=len(others)):
        extra = sum(own.formula.points[i, k] for i, k in zip(others, levels, strict=True))
        ends.append(np.nansum(own.added[at]) + points + extra >= own.formula.total.cut)
    return len({*ends}) == 1


@pytest.mark.parametrize("seed", range(4))
def test_what_asking_closes_is_what_every_other_answer_leaves_decided(seed: int) -> None:
    total = Total(cut=7, weights={"x": 2}, reversed=("y",))
    own = read_sums(random_study(seed, silence=0.5), total).sums
    for ask in asks_of(own):
        item = own.formula.items.index(ask.item)
        rows = np.flatnonzero((own.side == OPEN) & own.open[:, item]).tolist()
        every = [
            [closed(own, at, item, points) for points in own.formula.points[item]] for at in rows
        ]
        true = [closed(own, at, item, own.true[at, item]) for at in rows]
        assert (ask.open_in, ask.closes) == (len(rows), sum(true))
        assert ask.closes_surely == sum(all(each) for each in every)


def test_without_a_cut_or_bands_there_is_nothing_to_decide() -> None:
    own = sums(Total())
    assert cut_of(own, 0.95) is None
    assert bands_of(own, 0.95) is None
    assert asks_of(own) == []
    assert CUT.cut == 5

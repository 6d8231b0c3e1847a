"""What precision is expected: by hand, and against what a simulated study then has."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from acumen.labels.precision import expected

ROWS = np.array([1.0, 2, 1, 2])
RATINGS = np.array([1.0, 8, 3, 8])


def at(purpose: Any, budget: int, **assumed: float) -> float:
    ((kind, value),) = assumed.items()
    entries = expected(purpose, np.ones(4), ROWS, RATINGS, budget, 0.95, 0.2)
    (reach,) = [e.reach for e in entries if (e.cases, e.assumption, e.at) == (budget, kind, value)]
    return reach


def test_a_mean_by_hand() -> None:
    # 20 / 6 a row; f = -14/6, 8/6, -2/6, 8/6 squared sum to 328/36; chances are 1/2
    squares = (14**2 + 8**2 + 2**2 + 8**2) / 36
    t = stats.t.ppf(0.975, 1)
    assert at("estimate", 2, correlation=0.0) == pytest.approx(t * math.sqrt(2 * squares) / 6)
    half = t * math.sqrt(0.75 * 2 * squares + 0.25 * squares) / 6
    assert at("estimate", 2, correlation=0.5) == pytest.approx(half)


def test_a_risk_and_an_agreement_by_hand() -> None:
    worth = 36 / (2 * 10)  # (1 + 2 + 1 + 2) squared over (1 + 4 + 1 + 4) / .5
    assert at("threshold", 2, errors=0.0) == pytest.approx(1 - 0.1 ** (1 / worth))
    share = stats.beta.ppf(0.9, 0.05 * worth + 1, 0.95 * worth)
    assert at("threshold", 2, errors=0.05) == pytest.approx(share)
    half = stats.t.ppf(0.975, 1) * math.sqrt(0.16 / worth)
    assert at("rate", 2, agreement=0.8) == pytest.approx(half)


def test_sizes_are_half_the_budget_all_of_it_and_twice_as_much_as_far_as_there_are_cases() -> None:
    def sizes(budget: int) -> list[int]:
        entries = expected("rate", np.ones(40), np.ones(40), np.ones(40), budget, 0.95, 0.1)
        return [e.cases for e in entries]

    assert sizes(10) == [5, 10, 20]
    assert sizes(30) == [15, 30, 40]
    assert sizes(2) == [2, 4]


def test_more_labels_and_a_better_judge_are_more_precise() -> None:
    entries = expected("estimate", np.ones(4), ROWS, RATINGS, 4, 0.95, 0.1)
    by_size = {size: [e.reach for e in entries if e.cases == size] for size in (2, 4)}
    for reaches in by_size.values():
        assert reaches == sorted(reaches, reverse=True)
    assert all(few > many for few, many in zip(by_size[2], by_size[4], strict=True))

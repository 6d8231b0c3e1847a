"""A default is a promise: whoever gives no option gets these numbers, in every release."""

from __future__ import annotations

import pytest

from acumen import defaults

PROMISED = {
    "CONFIDENCE_LEVEL": 0.95,
    "RESAMPLES": 10_000,
    "RESAMPLED_ROWS": 4_000,
    "SWAPS": 10_000,
    "SEED": 42,
    "COVERAGE_GRID": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9),
    "RISKS": (0.1, 0.25),
    "FOLDS": 10,
    "AREA_COVERAGE": 0.5,
    "PRICE": 1.0,
    "FEWEST_CASES": 2,
    "RELIABLE_CASES": 10,
    "FEWEST_ITEMS": 5,
    "LARGEST_SHARE": 0.2,
    "BINS": 10,
    "FEWEST_AT_LEVEL": 9,
    "TARGET": 75,
    "CONSISTENCY_SAMPLES": 5,
    "EPSILON": 0.15,
    "FALSE_DISCOVERY": 0.05,
    "TESTED_BY_T": 30,
    "PASSING_RATE": 0.5,
    "MOST_RATERS": 50,
    "DELTA": 0.1,
    "ALPHA": 0.1,
    "COST_FOLDS": 5,
    "FEWEST_IN_GROUP": 20,
    "POWER": 0.8,
    "COVERAGE_TOLERANCE": 1e-9,
    "FALSE_ALARM": 0.05,
    "EVERY": 10,
}


@pytest.mark.parametrize("name", PROMISED)
def test_a_default_number_stays_what_was_promised(name: str) -> None:
    assert getattr(defaults, name) == PROMISED[name]


def test_no_default_number_is_without_its_promise() -> None:
    numbers = {n for n, v in vars(defaults).items() if n.isupper() and isinstance(v, int | float)}
    assert numbers <= PROMISED.keys()


def test_the_weights_of_the_process_score_are_the_published_ones() -> None:
    assert list(defaults.PROCESS_WEIGHTS.values()) == [35, 30, 15, 15, 5]

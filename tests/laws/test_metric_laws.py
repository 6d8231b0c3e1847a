"""Laws that every registered metric obeys, whatever it measures. New metrics are taken up unasked.

A view family is listed once in ``FAMILIES`` with a strategy for its rows and a way to build it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from acumen.metrics import METRICS, Metric, Unit
from acumen.views.forecast import Forecast, forecast
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights
from tests.laws.verdict_families import VERDICT_FAMILIES


@dataclass(frozen=True)
class Family:
    rows: st.SearchStrategy[list[tuple[Any, ...]]]
    build: Callable[[list[tuple[Any, ...]]], Any]


def _ranking(rows: list[tuple[Any, ...]]) -> Ranking:
    loss, confidence, answered = zip(*rows, strict=True)
    return rank(loss, confidence, answered, most_loss=3)


def _forecast(rows: list[tuple[Any, ...]]) -> Forecast:
    probability, target, answered = zip(*rows, strict=True)
    return forecast(probability, target, answered)


FAMILIES: dict[type, Family] = {
    Ranking: Family(
        rows=st.lists(
            st.tuples(st.integers(0, 3), st.integers(0, 3).map(float), st.booleans()),
            min_size=1,
            max_size=12,
        ),
        build=_ranking,
    ),
    Forecast: Family(
        rows=st.lists(
            st.tuples(
                st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 0.6, 0.7, 1.0]),
                st.sampled_from([0.0, 1.0, 1 / 3]),
                st.booleans(),
            ),
            min_size=1,
            max_size=12,
        ),
        build=_forecast,
    ),
}

FAMILIES |= {view: Family(*family) for view, family in VERDICT_FAMILIES.items()}

DEFINITIONS = (Path(__file__).parents[2] / "docs" / "definitions.md").read_text("utf-8")

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda m: m.name)


def value(metric: Metric, view: Any, weights: Any) -> float:
    return float(metric(view, np.asarray(weights, np.float64)))


def same(a: float, b: float) -> bool:
    return (np.isnan(a) and np.isnan(b)) or abs(a - b) <= 1e-11 * max(1.0, abs(a))


def test_every_view_has_a_family() -> None:
    assert {m.view for m in METRICS.values()} <= set(FAMILIES)


@every_metric
def test_every_metric_has_a_title_of_its_own_and_a_place_in_the_definitions(
    metric: Metric,
) -> None:
    assert metric.title.strip() == metric.title != ""
    assert [m.name for m in METRICS.values() if m.title == metric.title] == [metric.name]
    assert isinstance(metric.unit, Unit)
    assert DEFINITIONS.count(f'<a id="{metric.anchor}"></a>`{metric.name}`') == 1


@every_metric
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_weight_k_is_the_row_written_k_times(metric: Metric, data: st.DataObject) -> None:
    family = FAMILIES[metric.view]
    rows = data.draw(family.rows)
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    written = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]
    once = value(metric, family.build(written), np.ones(len(written))) if written else math.nan
    assert same(value(metric, family.build(rows), weights), once)


@pytest.mark.parametrize(
    "metric", [m for m in METRICS.values() if m.gaps is not None], ids=lambda m: m.name
)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_what_stands_in_for_a_metric_is_undefined_where_it_is(
    metric: Metric, data: st.DataObject
) -> None:
    family = FAMILIES[metric.view]
    view = family.build(data.draw(family.rows))
    counts = data.draw(st.lists(st.integers(0, 2), min_size=view.n_cases, max_size=view.n_cases))
    block = CaseWeights(np.array([counts, [0] * view.n_cases, [1] * view.n_cases], np.uint16).T)
    values, gaps = metric(view, block), metric.stand_in(view, block)
    assert np.isnan(values).tolist() == np.isnan(gaps).tolist()


@every_metric
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_shuffling_rows_gives_the_same_bits(metric: Metric, data: st.DataObject) -> None:
    family = FAMILIES[metric.view]
    rows = data.draw(family.rows)
    order = data.draw(st.permutations(range(len(rows))))
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    a = value(metric, family.build(rows), weights)
    b = value(metric, family.build([rows[i] for i in order]), [weights[i] for i in order])
    assert a == b or (np.isnan(a) and np.isnan(b))


@pytest.mark.parametrize(
    "metric",
    [m for m in METRICS.values() if not m.exempt_from_scaling],
    ids=lambda m: m.name,
)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_scaling_all_weights_changes_nothing(metric: Metric, data: st.DataObject) -> None:
    family = FAMILIES[metric.view]
    rows = data.draw(family.rows)
    weights = np.array(
        data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    )
    factor = data.draw(st.sampled_from([2.0, 0.5, 3.7]))
    view = family.build(rows)
    assert same(value(metric, view, weights), value(metric, view, weights * factor))


@every_metric
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_block_of_weightings_gives_what_each_gives_alone(
    metric: Metric, data: st.DataObject
) -> None:
    family = FAMILIES[metric.view]
    rows = data.draw(family.rows)
    view = family.build(rows)
    counts = np.array(
        data.draw(
            st.lists(
                st.lists(st.integers(0, 3), min_size=3, max_size=3),
                min_size=len(rows),
                max_size=len(rows),
            )
        ),
        np.uint16,
    )
    block = np.asarray(metric(view, CaseWeights(counts)))
    alone = [value(metric, view, counts[:, b]) for b in range(3)]
    assert all(same(x, y) for x, y in zip(block.tolist(), alone, strict=True))


@every_metric
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_values_stay_in_the_range_their_kind_declares(metric: Metric, data: st.DataObject) -> None:
    family = FAMILIES[metric.view]
    view = family.build(data.draw(family.rows))
    low, high = metric.kind.bounds
    v = value(metric, view, np.ones(view.n_cases))
    assert np.isnan(v) or low - 1e-12 <= v <= high + 1e-12


@every_metric
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_no_weight_at_all_is_undefined_with_a_reason(metric: Metric, data: st.DataObject) -> None:
    family = FAMILIES[metric.view]
    rows = data.draw(family.rows)
    view = family.build(rows)
    estimate = metric.measure(view, CaseWeights(np.zeros((view.n_cases, 1))))
    assert estimate.value is None
    assert estimate.reason == "no row has weight"


ranking_metrics = pytest.mark.parametrize(
    "metric", [m for m in METRICS.values() if m.view is Ranking], ids=lambda m: m.name
)


@ranking_metrics
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_an_increasing_change_of_confidence_leaves_a_ranking_metric_alone(
    metric: Metric, data: st.DataObject
) -> None:
    rows = data.draw(FAMILIES[Ranking].rows)
    stretched = [(loss, float(np.exp(c) - 7), answered) for loss, c, answered in rows]
    ones = np.ones(len(rows))
    a, b = value(metric, _ranking(rows), ones), value(metric, _ranking(stretched), ones)
    assert a == b or (np.isnan(a) and np.isnan(b))


@pytest.mark.parametrize(
    ("area", "optimum"), [("augrc", "augrc_optimal"), ("aurc_exact", "aurc_exact_optimal")]
)
@settings(max_examples=200, deadline=None)
@given(rows=FAMILIES[Ranking].rows)
def test_no_ranking_beats_the_optimum(area: str, optimum: str, rows: list[tuple[Any, ...]]) -> None:
    view, ones = _ranking(rows), np.ones(len(rows))
    best = value(METRICS[optimum], view, ones)
    assert np.isnan(best) or value(METRICS[area], view, ones) >= best - 1e-12


@pytest.mark.parametrize(
    ("achievable", "area"),
    [
        ("aurc_achievable", "aurc"),
        ("augrc_achievable", "augrc"),
        ("aurc_exact_achievable", "aurc_exact"),
    ],
)
@settings(max_examples=200, deadline=None)
@given(rows=FAMILIES[Ranking].rows)
def test_what_is_achievable_is_at_most_what_was_achieved(
    achievable: str, area: str, rows: list[tuple[Any, ...]]
) -> None:
    view, ones = _ranking(rows), np.ones(len(rows))
    least = value(METRICS[achievable], view, ones)
    assert np.isnan(least) or least <= value(METRICS[area], view, ones) + 1e-12

"""Laws that every registered metric obeys, whatever it measures. New metrics are taken up unasked.

A view family is listed once in ``FAMILIES`` with a strategy for its rows and a way to build it.
Drawing rows takes longer than measuring them, so every example is put to all metrics of its view.
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

from acumen.metrics import METRICS, Metric, Unit, metrics_of
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


every_view = pytest.mark.parametrize("view", FAMILIES, ids=lambda view: view.__name__)


def value(metric: Metric, view: Any, weights: Any) -> float:
    return float(metric(view, np.asarray(weights, np.float64)))


def values(view: Any, weights: Any) -> dict[str, float]:
    """Of every metric of this kind of view."""
    return {m.name: value(m, view, weights) for m in metrics_of(type(view))}


def same(a: float, b: float) -> bool:
    return (np.isnan(a) and np.isnan(b)) or abs(a - b) <= 1e-11 * max(1.0, abs(a))


def differing(a: dict[str, float], b: dict[str, float]) -> list[str]:
    """The metrics whose value is another one."""
    return [name for name in a | b if not same(a[name], b[name])]


def to_the_bit(numbers: dict[str, float]) -> dict[str, str]:
    """Numbers as text, in which NaN is NaN."""
    return {name: (number + 0.0).hex() for name, number in numbers.items()}


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


def drawn(data: st.DataObject, view: type) -> tuple[list[tuple[Any, ...]], list[int]]:
    """Rows of a view, and how often each counts."""
    rows = data.draw(FAMILIES[view].rows)
    return rows, data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))


@every_view
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_weight_k_is_the_row_written_k_times(view: type, data: st.DataObject) -> None:
    build = FAMILIES[view].build
    rows, weights = drawn(data, view)
    written = [row for row, w in zip(rows, weights, strict=True) for _ in range(w)]
    weighted = values(build(rows), weights)
    none = dict.fromkeys(weighted, math.nan)
    once = values(build(written), np.ones(len(written))) if written else none
    assert differing(weighted, once) == []


@pytest.mark.parametrize(
    "view", {m.view: None for m in METRICS.values() if m.gaps is not None}, ids=lambda v: v.__name__
)
@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_what_stands_in_for_a_metric_is_undefined_where_it_is(
    view: type, data: st.DataObject
) -> None:
    table = FAMILIES[view].build(data.draw(FAMILIES[view].rows))
    counts = data.draw(st.lists(st.integers(0, 2), min_size=table.n_cases, max_size=table.n_cases))
    ends = [counts, [0] * table.n_cases, [1] * table.n_cases]
    block = CaseWeights(np.array(ends, np.uint16).T)
    for metric in metrics_of(view):
        values, gaps = metric(table, block), metric.stand_in(table, block)
        assert np.isnan(values).tolist() == np.isnan(gaps).tolist(), metric.name


@every_view
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_shuffling_rows_gives_the_same_bits(view: type, data: st.DataObject) -> None:
    build = FAMILIES[view].build
    rows, weights = drawn(data, view)
    order = data.draw(st.permutations(range(len(rows))))
    shuffled = values(build([rows[i] for i in order]), [weights[i] for i in order])
    assert to_the_bit(values(build(rows), weights)) == to_the_bit(shuffled)


@every_view
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_scaling_all_weights_changes_nothing(view: type, data: st.DataObject) -> None:
    rows, weights = drawn(data, view)
    factor = data.draw(st.sampled_from([2.0, 0.5, 3.7]))
    table = FAMILIES[view].build(rows)
    scaled = values(table, np.array(weights) * factor)
    names = differing(values(table, weights), scaled)
    assert [name for name in names if not METRICS[name].exempt_from_scaling] == []


@every_view
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_block_of_weightings_gives_what_each_gives_alone(view: type, data: st.DataObject) -> None:
    rows = data.draw(FAMILIES[view].rows)
    table = FAMILIES[view].build(rows)
    three = st.lists(st.integers(0, 3), min_size=3, max_size=3)
    columns = data.draw(st.lists(three, min_size=len(rows), max_size=len(rows)))
    counts = np.array(columns, np.uint16)
    blocks = {m.name: np.asarray(m(table, CaseWeights(counts))) for m in metrics_of(view)}
    assert {block.shape for block in blocks.values()} == {(3,)}
    for at in range(3):
        block = {name: float(block[at]) for name, block in blocks.items()}
        assert differing(block, values(table, counts[:, at])) == []


@every_view
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_values_stay_in_the_range_their_kind_declares(view: type, data: st.DataObject) -> None:
    table = FAMILIES[view].build(data.draw(FAMILIES[view].rows))
    for name, v in values(table, np.ones(table.n_cases)).items():
        low, high = METRICS[name].kind.bounds
        assert np.isnan(v) or low - 1e-12 <= v <= high + 1e-12, name


@every_view
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_no_weight_at_all_is_undefined_with_a_reason(view: type, data: st.DataObject) -> None:
    table = FAMILIES[view].build(data.draw(FAMILIES[view].rows))
    for metric in metrics_of(view):
        estimate = metric.measure(table, CaseWeights(np.zeros((table.n_cases, 1))))
        assert estimate.value is None, metric.name
        assert estimate.reason == "no row has weight", metric.name


@settings(max_examples=30, deadline=None)
@given(rows=FAMILIES[Ranking].rows)
def test_an_increasing_change_of_confidence_leaves_a_ranking_metric_alone(
    rows: list[tuple[Any, ...]],
) -> None:
    stretched = [(loss, float(np.exp(c) - 7), answered) for loss, c, answered in rows]
    a, b = (values(_ranking(each), np.ones(len(rows))) for each in (rows, stretched))
    assert to_the_bit(a) == to_the_bit(b)


@settings(max_examples=200, deadline=None)
@given(rows=FAMILIES[Ranking].rows)
def test_no_ranking_beats_the_optimum(rows: list[tuple[Any, ...]]) -> None:
    view, ones = _ranking(rows), np.ones(len(rows))
    for area in ("augrc", "aurc_exact"):
        best = value(METRICS[f"{area}_optimal"], view, ones)
        assert np.isnan(best) or value(METRICS[area], view, ones) >= best - 1e-12, area


@settings(max_examples=200, deadline=None)
@given(rows=FAMILIES[Ranking].rows)
def test_what_is_achievable_is_at_most_what_was_achieved(rows: list[tuple[Any, ...]]) -> None:
    view, ones = _ranking(rows), np.ones(len(rows))
    for area in ("aurc", "augrc", "aurc_exact"):
        least = value(METRICS[f"{area}_achievable"], view, ones)
        assert np.isnan(least) or least <= value(METRICS[area], view, ones) + 1e-12, area

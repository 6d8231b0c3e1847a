"""Decimal scores: how they are read, and what is measured of them, against pingouin and others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pingouin  # type: ignore[import-untyped]  # it has no types
import pytest
from sklearn.metrics import root_mean_squared_error

import acumen
from acumen.errors import DataError
from acumen.evaluation.plan import Plan, System
from acumen.metrics import METRICS
from acumen.views.scores import score_rows


def measured(view: Any, name: str) -> float:
    value = METRICS[name].measure(view).value
    assert value is not None
    return value


@pytest.mark.filterwarnings("ignore")  # pingouin's own
@pytest.mark.parametrize("seed", range(200))
def test_measures_are_those_of_other_libraries(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, far = int(rng.integers(5, 60)), 10.0 ** rng.integers(0, 4)
    truth = far + rng.integers(1, 6, n)
    truth[:2] = far + 1, far + 5
    score = truth + rng.normal(0.2, 0.6, n)
    view = score_rows(score, truth)
    rmse = root_mean_squared_error(truth, score)
    assert measured(view, "score_rmse") == pytest.approx(rmse, abs=1e-9)
    off = score - truth
    ends = off.mean() + 1.96 * off.std(ddof=1) * np.array([-1, 1])
    assert measured(view, "score_bias") == pytest.approx(off.mean(), abs=1e-9)
    assert measured(view, "score_lower_limit") == pytest.approx(ends[0], abs=1e-9)
    assert measured(view, "score_upper_limit") == pytest.approx(ends[1], abs=1e-9)
    covariance = np.cov(score, truth, bias=True)
    apart = (score.mean() - truth.mean()) ** 2
    ccc = 2 * covariance[0, 1] / (covariance[0, 0] + covariance[1, 1] + apart)
    assert measured(view, "score_ccc") == pytest.approx(ccc, abs=1e-9)
    if seed < 40:  # it is slow, and rounds nothing
        rows = pd.DataFrame(
            {"case": [*range(n)] * 2, "who": ["x"] * n + ["y"] * n, "v": [*score, *truth]}
        )
        table = pingouin.intraclass_corr(rows, "case", "who", "v").set_index("Type")
        row = table.index[table.index.str.contains("A,1") | (table.index == "ICC2")][0]
        assert measured(view, "score_icc") == pytest.approx(table.loc[row, "ICC"], abs=1e-9)


def table_of(scores: list[Any], truth: list[Any], **more: Any) -> acumen.Judgments:
    return acumen.from_columns(case=range(len(truth)), truth=truth, prediction=scores, **more)


SCORES = [3.7, 1.21, 4.93, 2.5, None, 5.0, 1.0, 3.333]
TRUTH = [4, 1, 5, 2, 3, 5, 1, 3]


@pytest.mark.parametrize("scale", [None, "1-5"])
def test_decimals_are_read_as_they_are_and_levels_are_those_next_to_them(scale: Any) -> None:
    table = table_of(SCORES, TRUTH, scale=scale)
    assert table.scale.levels == (1, 2, 3, 4, 5)
    assert table.score is not None
    expected = [np.nan if s is None else s - 1 for s in SCORES]
    np.testing.assert_allclose(table.score, expected, rtol=0, atol=1e-12)
    assert table.prediction.tolist() == [3, 0, 4, 1, -1, 4, 0, 2]  # 2.5 is nearest to 2 and 3
    assert "decimals in 7 rows, read as they are" in table.warnings[-1]


@pytest.mark.parametrize(
    "scores", [[3.5, 1.5, 4.5, 2.0, 5, 1, 1, 3], [3.25, 1.75, 5, 2, 3, 4, 1, 3]]
)
def test_half_points_and_quarters_are_levels_of_a_finer_scale(scores: list[float]) -> None:
    table = table_of(scores, TRUTH)
    assert table.score is None
    assert len(table.scale.levels) in (9, 17)
    with pytest.raises(DataError, match="add --levels"):
        table_of(scores, TRUTH, scale="1-5")


def test_a_truth_in_tenths_is_a_scale_of_tenths() -> None:
    table = table_of([1.0, 1.4, 2.0, 1.7], [1.1, 1.4, 2.0, 1.6])
    assert table.score is None
    assert len(table.scale.levels) == 11


def test_a_few_numbers_between_levels_are_no_decimals() -> None:
    scores: list[Any] = [*([1, 2, 3, 4, 5] * 4), 3.7]
    table = table_of(scores, [*([1, 2, 3, 4, 5] * 4), 4], scale="1-5")
    assert (table.score, table.outcomes["unparseable"]) == (None, 1)


def test_a_stray_number_beside_the_scale_cannot_be_read_and_many_are_of_another_scale() -> None:
    table = table_of([3.7, 1.21, 4.93, 2.6, 7.2, *[3.33] * 15], [3] * 20, scale="1-5")
    assert table.outcomes["unparseable"] == 1
    assert table.score is not None
    assert np.isnan(table.score[4])
    with pytest.raises(DataError, match=r"are no levels of 1..5"):  # most are of another scale
        table_of([37.1, 12.1, 49.3, 2.6, 72.0, 5.0, 1.0, 33.33], TRUTH, scale="1-5")


def test_they_are_in_the_document_in_groups_and_in_differences() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(1, 6, 80)
    rows: dict[str, Any] = {"groups": {"site": ["a", "b"] * 40}}
    a, b = (
        table_of(np.clip(truth + rng.normal(0, s, 80), 1, 5).tolist(), truth.tolist(), **rows)
        for s in (0.3, 0.8)
    )
    both = acumen.evaluate({"a": a, "b": b}, by="site", resamples=0).document
    views = [System(t, Plan(), {}).scores for t in (a, b)]
    values = [measured(v, "score_rmse") for v in views]
    assert [o["score_rmse"].value for o in both.overall_by_input] == pytest.approx(values)
    delta = both.comparison.agreement["score_rmse"]
    assert delta.delta == pytest.approx(values[1] - values[0])
    assert delta.interval is not None
    part = next(p for p in both.slices if p.group == "b" and p.input == "a")
    assert part.metrics["score_ccc"].value is not None
    assert acumen.gate(a, metric="score_rmse", at_most=5.0).document.verdict == "pass"
    plain = table_of(truth.tolist(), truth.tolist())
    assert "score_rmse" not in acumen.evaluate(plain, resamples=0).document.overall_by_input[0]


def test_units_are_those_of_the_scale() -> None:
    table = table_of([10.3, 29.1, 50.0, 40.7], [10, 30, 50, 40], scale=[10, 20, 30, 40, 50])
    view = System(table, Plan(), {}).scores
    assert measured(view, "score_bias") == pytest.approx((0.3 - 0.9 + 0 + 0.7) / 4)


def test_map_takes_decimals_for_the_answer_where_nothing_else_is_one() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(1, 6, 40)
    table = pd.DataFrame({"case": range(40), "truth": truth, "sure": rng.random(40).round(3)})
    table["judged"] = np.clip(truth + rng.normal(0, 0.5, 40), 1, 5).round(2)
    document = acumen.survey(table).document
    assert document.columns["prediction"] == "judged"
    assert "prediction='judged'" in str(document.measurable["agreement"].command)
    assert not document.problems
    two = acumen.survey(table.assign(other=table["judged"])).document
    assert "prediction" not in two.columns  # nobody can say which of two
    halves = acumen.survey(table.assign(judged=truth / 10)).document
    assert "prediction" not in halves.columns

"""A derivative is exact or absent: whatever a metric is made of, its interval is honest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from acumen.inference.infer import infer, leave_out
from acumen.inference.influence import without_groups
from acumen.inference.options import Options
from acumen.inference.resample import Bootstrap, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind, Metric, Unit, metric, ratio
from acumen.types import Floats
from acumen.views.forecast import Forecast
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights, UnknownSumError
from tests.inference.test_influence import studies

CASES = 1_500


def by_weigh(ranking: Ranking, weights: CaseWeights) -> Floats:
    """The mean loss, summed by the weighting itself."""
    rows = ranking.case_columns
    loss = ranking.grades.cost @ rows[1:] * ranking.unit
    lost, answered = weights.weigh(np.stack([loss, rows[1:].sum(axis=0)]))
    return ratio(lost, answered)


def by_counts(ranking: Ranking, weights: CaseWeights) -> Floats:
    """The same by the counts of the cases."""
    rows = ranking.case_columns
    return ratio(
        (ranking.grades.cost @ rows[1:] * ranking.unit) @ weights.counts,
        rows[1:].sum(axis=0) @ weights.counts,
    )


def by_half(ranking: Ranking, weights: CaseWeights) -> Floats:
    """The same, half of it by the sums of the view: half a derivative is none."""
    (lost,) = weights.weigh(ranking.grades.cost @ ranking.case_columns[1:][None] * ranking.unit)
    return ratio(lost, ranking.totals(weights).answered)


def by_other_ranking(ranking: Ranking, weights: CaseWeights) -> Floats:
    """The same of a ranking that was made on the way."""
    totals = replace(ranking, grid=(0.5,)).totals(weights)
    return ratio(totals.loss * ranking.unit, totals.answered)


ROADS: list[Callable[..., Floats]] = [by_weigh, by_counts, by_half, by_other_ranking]


@pytest.fixture(params=ROADS, ids=lambda road: road.__name__)
def mean_loss(request: pytest.FixtureRequest) -> Iterator[Metric]:
    """The mean loss by another road than its view's sums, registered as smooth, which it is."""
    road = request.param
    metric(
        title="Mean loss by another road", view=Ranking, better="lower",
        kind=Kind.RISK, unit=Unit.LOSS, smooth=True,
    )(road)  # fmt: skip
    yield METRICS[road.__name__]
    del METRICS[road.__name__]


def test_a_smooth_metric_that_sums_by_another_road_has_an_honest_interval(
    mean_loss: Metric,
) -> None:
    view = studies(CASES, tied=True)[Ranking]
    ours, known = (
        infer([each], view, Options(resamples=0))[each.name]
        for each in (mean_loss, METRICS["mean_loss"])
    )
    assert ours.value == pytest.approx(known.value, rel=1e-12)
    drawn = replicate(lambda block: np.asarray(mean_loss(view, block))[None], Bootstrap(CASES, 500))
    # 500 resamples, and 500 groups of cases, estimate a standard error to about 3% each
    assert ours.jackknife.standard_error == pytest.approx(float(drawn.std()), rel=0.15)
    assert ours.jackknife.standard_error == pytest.approx(known.jackknife.standard_error, rel=0.13)


def test_one_that_is_said_to_jump_is_left_out_group_by_group(mean_loss: Metric) -> None:
    view, jumping = (
        studies(CASES, tied=True)[Ranking],
        replace(mean_loss, smooth=False, in_many="steps"),
    )
    assert without_groups([jumping], view, 20) == {}
    ((_, ours),) = leave_out([jumping], view)
    ((_, known),) = leave_out([METRICS["mean_loss"]], view)
    assert ours.standard_error == pytest.approx(known.standard_error, rel=0.13)


def test_a_calibration_error_of_other_bins_has_an_honest_interval() -> None:
    view, seven = studies(CASES, tied=False)[Forecast], METRICS["ece"].at(bins=7)
    ((_, quick),) = leave_out([seven], view)
    drawn = replicate(lambda block: np.asarray(seven(view, block))[None], Bootstrap(CASES, 500))
    assert quick.n == CASES  # its influence is known
    assert quick.standard_error == pytest.approx(float(drawn.std()), rel=0.15)


def test_what_knows_sums_alone_has_no_counts_whatever_the_road() -> None:
    view = studies(40, tied=True)[Ranking]
    block = CaseWeights.once(40)
    METRICS["mean_loss"](view, block)
    known = block.sums_for(view, view)
    assert METRICS["mean_loss"](view, known) == pytest.approx(
        METRICS["mean_loss"](view, block), rel=1e-15
    )
    roads: list[Callable[[], object]] = [
        lambda: known.counts,
        lambda: known.weigh(np.ones((1, 40))),
        lambda: METRICS["aurc"](view, known),
    ]
    for road in roads:
        with pytest.raises(UnknownSumError):
            road()


def test_what_is_asked_of_a_view_has_one_spelling() -> None:
    view = studies(40, tied=True)[Forecast]
    with pytest.raises(TypeError, match="bins: what is asked has one spelling"):
        view.bins(CaseWeights.once(40), bins=7)

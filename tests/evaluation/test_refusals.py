"""Calls of the Python doors that cannot be meant, and what a small evaluation answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import UsageError
from acumen.evaluation.charted import optimum
from acumen.evaluation.inputs import confidence_of, is_by_name, with_groups
from acumen.evaluation.plan import Plan
from acumen.metrics import METRICS
from acumen.values.measured import Absence, Measured
from acumen.views.ranking import rank

TABLE = acumen.from_columns(
    case=[1, 2, 3, 4, 5],
    truth=[0, 1, 2, 3, 1],
    prediction=[0, 1, 1, 3, None],
    confidence=[0.9, 0.8, 0.7, 0.2, 0.1],
    scale="0-3",
)


@pytest.fixture(scope="module")
def study() -> acumen.Evaluation:
    return acumen.evaluate(TABLE, loss="abs", resamples=0)


def test_the_optimum_has_even_steps_and_the_ends_of_losses() -> None:
    points = optimum(rank([1, 0, 0], [3, 2, 1]))
    even = {round(k / 50, 9) for k in range(1, 51)}
    assert {round(c, 9) for c in points.coverage} == even | {round(2 / 3, 9)}
    at = dict(zip([round(c, 9) for c in points.coverage], points.generalized_risk, strict=True))
    assert at[round(2 / 3, 9)] == 0
    assert at[1.0] == pytest.approx(1 / 3, abs=1e-15)
    assert optimum(rank([0], [1], np.array([False]))).coverage == []


def test_groups_are_read_where_rows_are_yet_to_be_read() -> None:
    assert with_groups({}, ["site"], ["rows.csv"]) == {"group": ["site"]}
    assert with_groups({"group": "sex"}, ["site,sex"], ["a.csv"])["group"] == ["sex", "site"]
    assert with_groups({}, ["site"], [TABLE, "rows.csv"]) == {}
    assert with_groups({}, ["site"], [{"a": "a.csv", "b": TABLE}]) == {}
    assert with_groups({}, ["item,level"], ["rows.csv"]) == {}
    assert with_groups({"mapping": "m.toml"}, ["site"], ["rows.csv"]) == {"mapping": "m.toml"}


def test_inputs_by_name_are_tables_under_texts() -> None:
    assert is_by_name({"a": TABLE, "b": "b.csv"})
    assert is_by_name({"a": [{"truth": 1}]})
    assert not is_by_name({})
    assert not is_by_name({1: TABLE})
    assert not is_by_name({"truth": [1, 2], "prediction": [1, 2]})
    assert not is_by_name({"a": TABLE, "b": [1]})


@pytest.mark.parametrize(
    ("inputs", "options", "message"),
    [
        ((), {}, "give an input"),
        ((TABLE,) * 3, {"mode": "a,b"}, "2 modes for 3 inputs: one for all, or for each"),
        (("-", "-"), {}, "standard input can be read only once"),
        ((TABLE, TABLE), {"rank_by": "nonsense"}, "no metric 'nonsense' to rank by; there are ris"),
        ((TABLE,), {"estimand": "rows"}, "the estimand is row or case, not 'rows'"),
        ((TABLE,), {"coverage_grid": ()}, "the coverage grid is empty"),
        ((TABLE,), {"confidence": 3}, "a confidence is a name, a list of names or a function"),
        ((TABLE,), {"confidence": ["llm", 3]}, "a confidence is a name, a list of names or a fu"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    inputs: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        acumen.evaluate(*inputs, **options, resamples=0)


def test_systems_are_not_ranked_by_what_has_no_better_side() -> None:
    neither = [name for name, metric in METRICS.items() if metric.better is None]
    for name in neither:
        asked = f"'{name}' is no metric to rank by: no side of it is better"
        with pytest.raises(UsageError, match=asked):
            Plan(rank_by=name)
    with pytest.raises(UsageError, match="no metric 'magic' to rank by; "):
        Plan(rank_by="magic")
    assert Plan(rank_by="augrc").rank_by == "augrc"
    for name in ("mean_loss", "risk"):
        Plan(rank_by=name)


def test_a_confidence_is_names_or_functions() -> None:
    def sure(token_msp: Any) -> Any:
        return token_msp

    assert confidence_of("a,b") == ("a,b", {})
    assert confidence_of(["a", "b"]) == ("a,b", {})
    assert confidence_of({"x": "a", "y": "b"}) == ("x=a,y=b", {})
    assert confidence_of(sure) == ("default", {"sure": sure})
    assert [*confidence_of(lambda token_msp: token_msp)[1]] == ["custom"]
    assert confidence_of({"mine": sure}) == ("default", {"mine": sure})


def test_a_metric_that_was_not_measured_is_told_with_those_that_were(
    study: acumen.Evaluation,
) -> None:
    assert study["accuracy"].value == 3 / 4
    with pytest.raises(UsageError, match=r"'nonsense' was measured; there are .*accuracy"):
        study["nonsense"]


def test_an_error_is_a_share_of_wrong_answers_whatever_the_loss() -> None:
    # surest first: right, one level off, right, two levels off: of the surest 3 a third is wrong
    table = acumen.from_columns(
        case=[1, 2, 3, 4],
        truth=[0, 1, 2, 0],
        prediction=[0, 2, 2, 2],
        confidence=[0.9, 0.8, 0.7, 0.6],
        scale=[0, 1, 2, 3],
    )
    for loss in ("abs_norm", "abs", "zero_one", "squared"):
        trust = acumen.evaluate(table, loss=loss, resamples=0).trust(error=0.34)
        assert not isinstance(trust, dict)
        assert (trust.threshold, trust.risk) == (0.7, pytest.approx(1 / 3))
    evaluation = acumen.evaluate(table, loss="abs", resamples=0)
    by_loss = evaluation.trust(mean_loss=0.75)
    assert not isinstance(by_loss, dict)
    assert (by_loss.threshold, by_loss.risk) == (0.6, 0.75)
    again = acumen.Evaluation(evaluation.document)
    with pytest.raises(UsageError, match="not the share of wrong answers"):
        again.trust(error=0.34)
    assert not isinstance(kept := again.trust(mean_loss=0.75), dict)
    assert kept.threshold == 0.6


def test_no_more_than_all_may_be_trusted_where_raters_share_a_row() -> None:
    rows = [
        {"case": n, "a": n % 5, "b": (n + n % 3) % 5, "c": n // 2 % 5, "ai": n % 4, "sure": -n}
        for n in range(60)
    ]
    evaluation = acumen.evaluate(
        rows, case="case", truth="a,b,c", prediction="ai", confidence_column="sure", levels="0-4"
    )
    trust = evaluation.trust(1.0)
    assert not isinstance(trust, dict)
    assert trust.coverage.value == 1.0


def test_a_loss_function_is_not_called_with_rounded_decimals() -> None:
    rows = [{"case": n, "truth": 25 * (n % 5), "ai": (n * 17 % 100) + 0.3} for n in range(20)]
    asked: dict[str, Any] = {"case": "case", "truth": "truth", "prediction": "ai"}
    asked |= {"levels": "0-100:25", "resamples": 0}
    assert acumen.evaluate(rows, loss="abs", **asked)["mean_loss"].value is not None
    with pytest.raises(UsageError, match="predictions here are decimals"):
        acumen.evaluate(rows, loss=lambda predicted, truth: abs(predicted - truth), **asked)


def test_trust_is_the_largest_coverage_within_an_error(study: acumen.Evaluation) -> None:
    # surest first the losses are 0, 0, 1, 0 of five rows: the risks are 0, 0, 1/3, 1/4
    half, nothing = study.trust(0.25), study.trust(0.0)
    assert not isinstance(half, dict)
    assert not isinstance(nothing, dict)
    assert (half.coverage.value, half.threshold, half.risk) == (4 / 5, 0.2, 0.25)
    assert (nothing.coverage.value, nothing.threshold, nothing.risk) == (2 / 5, 0.8, 0.0)


def test_without_an_answer_within_the_error_there_is_no_threshold() -> None:
    wrong = acumen.from_columns(case=[1, 2], truth=[0, 0], prediction=[1, 1], confidence=[2, 1])
    trust = acumen.evaluate(wrong, loss="abs", resamples=0).trust(0.5)
    assert not isinstance(trust, dict)
    assert (trust.threshold, trust.risk) == (None, None)


def test_without_a_confidence_there_is_no_threshold() -> None:
    bare = acumen.from_columns(case=[1, 2], truth=[0, 1], prediction=[0, 0])
    with pytest.raises(UsageError, match="there is no confidence to set a threshold on"):
        acumen.evaluate(bare, resamples=0).trust()


def test_two_systems_answer_by_their_names() -> None:
    pair = acumen.evaluate({"a": TABLE, "b": TABLE}, loss="abs", resamples=0)
    accuracy = pair["accuracy"]
    assert isinstance(accuracy, dict)
    assert {name: m.value for name, m in accuracy.items()} == {"a": 0.75, "b": 0.75}
    trust = pair.trust(0.25)
    assert isinstance(trust, dict)
    assert list(trust) == ["a", "b"]


def test_a_chart_of_what_has_none_is_refused(study: acumen.Evaluation) -> None:
    document = acumen.gate(TABLE, TABLE, metric="mean_loss", margin=0.5)
    with pytest.raises(UsageError, match="there is no single chart of"):
        acumen.chart("risk-coverage", document.document)
    assert acumen.chart("risk-coverage", study).datasets
    assert acumen.chart("risk-coverage", study.document).datasets


def test_a_spread_of_rounding_errors_keeps_nobody_waiting() -> None:
    table = acumen.from_columns(
        case=[0, 0, 0, 1, 1, 1],
        item=[0, 1, 2] * 2,
        truth=[3, 3, 1, 3, 0, 0],
        prediction=[3, 0, 0, 3, 2, 2],
        confidence=[0.9, 0.3, 0.6, 0.7, 0.2, 0.3],
    )
    excess = acumen.evaluate(table, resamples=0)["eaurc"]
    assert isinstance(excess, Measured)
    assert excess.interval is not None
    assert excess.interval.low == pytest.approx(excess.value, rel=1e-9)


@pytest.mark.parametrize("systems", [2, 3])
def test_one_item_is_no_sample_of_items(systems: int) -> None:
    rows: dict[str, Any] = {"case": range(12), "truth": [0, 1, 2, 1] * 3, "scale": [0, 1, 2]}
    rows |= {"item": ["only"] * 12, "confidence": [0.1 * (i % 9) for i in range(12)]}
    guesses = [[0, 1, 1, 1] * 3, [0, 1, 2, 2] * 3, [0, 1, 0, 1] * 3]
    tables = {str(g): acumen.from_columns(**rows, prediction=g) for g in guesses[:systems]}
    pairs = acumen.evaluate(tables, items="random", resamples=0).document.comparison.pairs
    assert len(pairs) == systems * (systems - 1) // 2
    for pair in pairs:
        absent = pair.difference.no_interval
        assert absent is not None
        assert (absent.why, absent.of) == (Absence.TOO_FEW_ITEMS, 1)
        assert pair.winner is None


@pytest.mark.parametrize("systems", [2, 3])
def test_systems_without_any_weight_have_no_winner(systems: int) -> None:
    rows: dict[str, Any] = {"case": [0, 1], "truth": [1, 1], "scale": [0, 1], "weight": [0.0, 0.0]}
    rows |= {"confidence": [0.5, 0.5]}
    tables = {str(k): acumen.from_columns(**rows, prediction=[k % 2, 1]) for k in range(systems)}
    board = acumen.evaluate(tables, resamples=0).document.leaderboard
    assert board is not None
    assert [standing.measured.value for standing in board.standings] == [None] * systems
    assert not any(standing.beats for standing in board.standings)

"""Confidence functions: the formulas by hand, the strictness, the selectors and the grammar."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from acumen import confidence
from acumen.confidence import availability, compute, find, register, select, why_no_default
from acumen.confidence.grammar import SETS, uses_calibration
from acumen.confidence.registry import describe
from acumen.errors import DataError, UsageError
from acumen.readers.roles import CONVENTIONS
from acumen.table.distribution import OF_LEVELS
from acumen.table.judgments import Judgments, Outcome, Signal, Source
from acumen.table.scale import Scale
from acumen.table.signals import SIGNALS, declare

ABSENT = object()
SCALE = Scale("four", (0, 1, 2, 3), case="participant")


def table_of(signals: dict[str, list[object]], *, answered: list[bool] | None = None) -> Judgments:
    """Rows of participant 101, 102, … with items Sleep and Tired; an answered row is right."""
    n = len(next(iter(signals.values())))
    answered = [True] * n if answered is None else answered
    said = np.array(answered)
    return Judgments(
        scale=SCALE,
        cases=tuple(101 + c for c in range((n + 1) // 2)),
        items=("Sleep", "Tired"),
        case=np.arange(n, dtype=np.int32) // 2,
        item=np.arange(n, dtype=np.int32) % 2,
        truth=np.ones(n, np.int16),
        prediction=np.where(said, 1, -1).astype(np.int16),
        outcome=np.where(said, Outcome.ANSWERED, Outcome.ABSTAINED).astype(np.uint8),
        signals={key: Signal.of_objects(values, ABSENT) for key, values in signals.items()},
        source=Source(path="/somewhere/run.json", is_long=False),
    )


FOUR_ROWS = table_of(
    {
        "llm_evidence_count": [0, 2, 3, 7],
        "llm_evidence_invented": [0, 1, 3, 9],
        "retrieval_similarity_mean": [0.5, None, -0.25, 1.0],
        "retrieval_similarity_max": [None, 0.75, 1.0, 0.0],
        "verbalized_confidence": [1, 5, None, 4],
        "token_msp": [0.0, 0.25, 1.0, 0.5],
        "token_pe": [0.0, 1.0, 3.0, 0.25],
        "token_energy": [0.0, -1.0, 0.5, -800.0],
        "consistency_modal_confidence": [1.0, 0.6, 0.2, 0.5],
        "consistency_score_std": [0.0, 0.25, 1.0, 3.0],
        "level_probability": [1.0, 0.5, 0.25, 0.0],
        "level_near": [1.0, 1.0, 0.75, 0.5],
        "level_margin": [1.0, 0.25, 0.0, 0.5],
        "level_entropy": [0.0, 1.0, 0.25, 3.0],
        "level_spread": [0.0, 1.0, 0.25, 3.0],
        "expected_loss": [0.0, 0.25, 0.5, 1.0],
    }
)
# e = 0, 2/3, 1, 1; s = .5, 0, −.25, 1; v = 0, 1, .5, .75
BY_HAND: dict[str, Any] = {
    "llm": [0, 2, 3, 7],
    "total_evidence": [0, 2, 3, 7],
    "grounded": [0, 1, 0, -2],
    "retrieval_similarity_mean": [0.5, 0, -0.25, 1],
    "retrieval_similarity_max": [0, 0.75, 1, 0],
    "hybrid_evidence_similarity": [0.25, 1 / 3, 0.375, 1],
    "verbalized": [0, 1, 0.5, 0.75],
    "hybrid_verbalized": [0.15, 0.6, 0.425, 0.9],
    "token_msp": [0, 0.25, 1, 0.5],
    "token_pe": [1, 0.5, 0.25, 0.8],
    "token_energy": [1, 1 / math.e, math.sqrt(math.e), 0],
    "consistency": [1, 0.6, 0.2, 0.5],
    "consistency_inverse_std": [1, 0.8, 0.5, 0.25],
    "hybrid_consistency": [0.55, 0.44, 0.305, 0.8],
    "expected_loss": [0, -0.25, -0.5, -1],
    "level_probability": [1, 0.5, 0.25, 0],
    "level_near": [1, 1, 0.75, 0.5],
    "level_margin": [1, 0.25, 0, 0.5],
    "level_entropy": [1, 0.5, 0.8, 0.25],
    "level_spread": [1, 0.5, 0.8, 0.25],
    "secondary:token_msp+verbalized:average": [0, 0.625, 0.75, 0.625],
    "secondary:token_pe+llm:product": [0, 1, 0.75, 5.6],
}


@pytest.mark.parametrize("name", BY_HAND)
def test_each_formula_gives_what_was_worked_out_by_hand(name: str) -> None:
    np.testing.assert_allclose(compute(name, FOUR_ROWS), BY_HAND[name], rtol=0, atol=1e-15)


def test_every_function_that_ships_was_worked_out_by_hand() -> None:
    assert set(confidence.FUNCTIONS) - {"confidence"} <= set(BY_HAND)


NULL_HAS_A_VALUE = (
    "retrieval_similarity_mean",
    "retrieval_similarity_max",
    "verbalized_confidence",
)
PAIRS = [(name, key) for name, f in confidence.FUNCTIONS.items() for key in f.needs]


@pytest.mark.parametrize(("name", "key"), PAIRS)
def test_an_absent_key_is_told_by_case_item_and_key(name: str, key: str) -> None:
    signals: dict[str, list[object]] = {k: [0.5] * 4 for k in find(name).needs}
    signals |= {k: [3] * 4 for k in signals if k == "verbalized_confidence"}
    signals[key] = [*signals[key][:2], ABSENT, *signals[key][3:]]
    with pytest.raises(DataError) as refused:
        compute(name, table_of(signals))
    assert str(refused.value).startswith(f"run.json: participant 102, item Sleep, {key}: missing")
    assert len(refused.value.problems) == 1


@pytest.mark.parametrize(("name", "key"), PAIRS)
def test_null_is_an_error_unless_it_has_a_defined_value(name: str, key: str) -> None:
    signals: dict[str, list[object]] = {k: [0.5] * 4 for k in find(name).needs}
    signals |= {k: [3] * 4 for k in signals if k == "verbalized_confidence"}
    signals[key] = [*signals[key][:3], None]
    table = table_of(signals)
    if key in NULL_HAS_A_VALUE:
        assert np.isfinite(compute(name, table)).all()
        return
    with pytest.raises(DataError, match=f"participant 102, item Tired, {key}: null"):
        compute(name, table)


@pytest.mark.parametrize(
    ("name", "key", "value", "said"),
    [
        ("llm", "llm_evidence_count", -1, "-1 is out of range (0 or more)"),
        ("llm", "llm_evidence_count", float("1e309"), "a number too large is not finite"),
        ("retrieval_similarity_mean", "retrieval_similarity_mean", 1.5, "1.5 is out of range"),
        ("retrieval_similarity_max", "retrieval_similarity_max", -1.5, "(-1..1)"),
        ("verbalized", "verbalized_confidence", 0.9, "0.9"),
        ("verbalized", "verbalized_confidence", 6, "6 is out of range (1..5)"),
        ("token_msp", "token_msp", 1.0000001, "is out of range (0..1)"),
        ("token_msp", "token_msp", -0.1, "is out of range (0..1)"),
        ("token_pe", "token_pe", -0.5, "-0.5 is out of range (0 or more)"),
        ("token_energy", "token_energy", 800, "800 is out of range (at most 709.783)"),
        ("consistency", "consistency_modal_confidence", 1.2, "is out of range (0..1)"),
        ("consistency_inverse_std", "consistency_score_std", -1, "-1 is out of range (0 or more)"),
        ("llm", "llm_evidence_count", "3", "the text '3' where a number is expected"),
        ("llm", "llm_evidence_count", [1], "a list where a number is expected"),
        ("verbalized", "verbalized_confidence", True, "the boolean true where a number"),
        ("token_msp", "token_msp", "\x1b[2J", r"the text '\x1b[2J'"),
    ],
)
def test_a_value_out_of_range_is_refused_and_never_clamped(
    name: str, key: str, value: object, said: str
) -> None:
    values = [SIGNALS[key].low if key == "verbalized_confidence" else 0.5] * 4
    with pytest.raises(DataError) as refused:
        compute(name, table_of({key: [*values[:3], value]}))
    assert str(refused.value).startswith(f"run.json: participant 102, item Tired, {key}: ")
    assert said in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_all_problems_of_all_signals_come_at_once() -> None:
    table = table_of(
        {
            "verbalized_confidence": [0.9, 3, 3, 3],
            "llm_evidence_count": [1, ABSENT, None, "x"],
            "retrieval_similarity_mean": [1, 1, 1, 2],
        }
    )
    with pytest.raises(DataError) as refused:
        compute("hybrid_verbalized", table)
    told = [(p.case, p.item, p.field) for p in refused.value.problems]
    assert sorted(told) == [
        (101, "Sleep", "verbalized_confidence"),
        (101, "Tired", "llm_evidence_count"),
        (102, "Sleep", "llm_evidence_count"),
        (102, "Tired", "llm_evidence_count"),
        (102, "Tired", "retrieval_similarity_mean"),
    ]


def test_abstained_rows_need_no_confidence_and_get_none() -> None:
    table = table_of(
        {"token_msp": [0.5, ABSENT, None, "x", 7.0, 0.25]},
        answered=[True, False, False, False, False, True],
    )
    values = compute("token_msp", table)
    np.testing.assert_array_equal(values, [0.5, *[np.nan] * 4, 0.25])


def test_an_older_artifact_without_the_key_is_told_once_and_as_such() -> None:
    with pytest.raises(DataError) as refused:
        compute("token_msp", table_of({"llm_evidence_count": [1, 2, 3, 4]}))
    assert str(refused.value) == (
        "run.json: participant 101, item Sleep, token_msp: missing, here and in every answered "
        "row: older artifacts do not have this signal (it is filled only when the endpoint "
        "returns log probabilities); the run can be ranked by llm, total_evidence "
        "(--confidence NAME, or all)"
    )


def test_a_signal_that_is_null_throughout_says_when_it_is_filled() -> None:
    with pytest.raises(DataError, match=r"null, here and in every .* several replies are sampled"):
        compute("consistency", table_of({"consistency_modal_confidence": [None, None]}))


def test_a_run_without_evidence_says_what_it_can_be_ranked_by() -> None:
    table = table_of(
        {
            "llm_evidence_count": [None, None],
            "verbalized_confidence": [None, 4],
            "token_msp": [0.5, 0.6],
            "token_pe": [0.5, None],
            "retrieval_similarity_mean": [None, None],  # it has a value, the same everywhere
        }
    )
    with pytest.raises(DataError) as refused:
        compute(select("default", table).names[0], table)
    assert str(refused.value) == (
        "run.json: participant 101, item Sleep, llm_evidence_count: null, here and in every "
        "answered row: the run did not capture it; the run can be ranked by verbalized, token_msp "
        "(--confidence NAME, or all)"
    )


def test_a_run_without_any_signal_is_promised_none() -> None:
    table = table_of({"llm_evidence_count": [None, None], "verbalized_confidence": [None, None]})
    with pytest.raises(DataError, match="capture it; nor what any other confidence function needs"):
        compute("llm", table)


def test_a_signal_with_gaps_is_told_by_its_gaps_alone() -> None:
    table = table_of({"llm_evidence_count": [1, None], "token_msp": [0.5, 0.6]})
    with pytest.raises(DataError, match=r"there is no default$"):
        compute("llm", table)


def test_negative_zero_ties_with_zero_and_the_smallest_number_does_not() -> None:
    values = compute("llm", table_of({"llm_evidence_count": [0.0, -0.0, 5e-324, 0]}))
    assert len(set(values.tolist())) == 2
    assert not np.signbit(values).any()


def test_default_is_the_evidence_count_under_both_names() -> None:
    assert select("default", FOUR_ROWS).names == ("llm", "total_evidence")


def test_default_falls_back_to_the_given_confidence_and_says_so() -> None:
    chosen = select("default", table_of({"confidence": [0.1, 0.2]}))
    assert chosen.names == ("confidence",)
    assert "no llm_evidence_count" in chosen.notes[0]


def test_rows_without_a_confidence_column_are_told_so_once() -> None:
    bare = replace(table_of({"self_conf": [0.1, 0.2]}), source=Source(path="rows.csv"))
    with pytest.raises(DataError) as refused:
        select("default", bare)
    columns = " or ".join(CONVENTIONS["confidence"])
    assert str(refused.value) == (
        f"rows.csv: there is no confidence column ({columns}), so nothing to rank by; "
        "a numeric column can be one, asked for by its name: self_conf"
    )
    assert select("default", table_of({"self_conf": [0.1, 0.2]})).names == confidence.DEFAULT


def test_a_signal_that_no_function_is_named_after_is_a_confidence_by_itself() -> None:
    table = table_of({"self_conf": [-2.0, 7, 0, 1], "token_pe": [1.0, 3, 0, 1]})
    assert select("self_conf,token_pe", table).names == ("self_conf", "token_pe")
    np.testing.assert_array_equal(compute("self_conf", table), [-2, 7, 0, 1])
    np.testing.assert_array_equal(compute("token_pe", table), [0.5, 0.25, 1, 0.5])
    combined = compute("secondary:self_conf+token_pe:product", table)
    np.testing.assert_array_equal(combined, [-1, 1.75, 0, 0.5])
    with pytest.raises(UsageError, match="function or signal 'self_con'; did you mean 'self_c"):
        select("self_con", table)
    with pytest.raises(DataError, match="self_conf: null has no value"):
        compute("self_conf", table_of({"self_conf": [None, 1.0]}))


def test_all_is_every_function_and_names_the_signals_that_none_takes() -> None:
    signals: dict[str, list[object]] = {
        "token_msp": [0.1, 0.2],
        "consistency_na_rate": [0.5, 0.25],
        "self_conf": [1.0, 2.0],
        "quoted": ["a", "b"],
    }
    chosen = select("all", table_of(signals))
    assert chosen.names == ("token_msp",)
    assert chosen.left_out["self_conf"].endswith("by its name, --confidence self_conf")
    assert not {"consistency_na_rate", "quoted"} & chosen.left_out.keys()
    both = select("all,self_conf", table_of(signals))
    assert both.names == ("token_msp", "self_conf")
    assert "self_conf" not in both.left_out


def test_what_a_table_allows_includes_its_own_signals() -> None:
    verdicts = availability(table_of({"self_conf": [1.0, 2.0], "other": [1.0, "low"]}))
    assert verdicts["self_conf"] == "yes"
    assert "the text 'low' where a number is expected" in verdicts["other"]


def test_all_takes_what_the_run_can_give_and_says_why_not_the_rest() -> None:
    table = table_of(
        {
            "llm_evidence_count": [1, 2, 3, 4],
            "verbalized_confidence": [None, None, 3, 4],
            "token_msp": [0.1, 0.2, None, 0.3],
        }
    )
    chosen = select("all", table)
    assert chosen.names == ("llm", "total_evidence", "verbalized")
    assert chosen.left_out["token_msp"] == (
        "token_msp is missing or null in 1 of 4 answered rows, first at participant 102, item Sleep"
    )
    assert chosen.left_out["consistency"].startswith("no consistency_modal_confidence: ")
    assert "artifact" in chosen.left_out["calibrated"]
    rest = set(confidence.names()) - {
        *OF_LEVELS
    }  # a run without probabilities is not told of these
    assert set(chosen.names) | set(chosen.left_out) == rest


def test_all_does_not_leave_out_a_signal_that_is_there_but_wrong() -> None:
    chosen = select("all", table_of({"token_msp": [0.5, 1.5]}))
    assert chosen.names == ("token_msp",)
    with pytest.raises(DataError, match=r"1\.5 is out of range"):
        compute("token_msp", table_of({"token_msp": [0.5, 1.5]}))


def test_all_on_a_run_without_any_signal_is_refused() -> None:
    with pytest.raises(DataError, match="no confidence function can be computed"):
        select("all", table_of({"nothing_known": [1, 2]}))


def test_selectors_mix_and_repeat_nothing() -> None:
    chosen = select("token_msp, default,llm,all", FOUR_ROWS)
    assert chosen.names[:3] == ("token_msp", "llm", "total_evidence")
    assert len(set(chosen.names)) == len(chosen.names)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("token_mps", "did you mean 'token_msp'"),
        ("", "empty name"),
        ("llm,", "empty name"),
        ("secondary:llm:average", "is not secondary:<a>"),
        ("secondary:llm+token_msp:max", "is not secondary:<a>"),
        ("secondary:llm+token_msp+token_pe:average", "is not secondary:<a>"),
        ("secondary:llm+nope:average", "no confidence function or signal 'nope'"),
        ("secondary:secondary:llm+token_pe:average+llm:product", "is not secondary:<a>"),
        ("calibrated", "needs a calibration artifact"),
        ("verbalized_calibrated", "needs a calibration artifact"),
        ("calibrated:token_msp", "needs a calibration artifact"),
        ("calibrated:calibrated", "calibrated already"),
        ("secondary:calibrated:llm+llm:average", "needs a calibration artifact"),
        ("x\x1b[2J", r"x\x1b[2J"),
    ],
)
def test_a_name_that_cannot_be_meant_is_a_usage_error(name: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        select(name, FOUR_ROWS)
    assert said in str(refused.value)


def test_a_signal_that_this_table_lacks_is_told_with_the_name_of_its_file() -> None:
    with_it = table_of({"token_msp": [0.5, 1.0], "self_conf": [1, 2]})
    without = replace(
        table_of({"token_msp": [0.5, 1.0]}), source=Source(path="runs/right.json", is_long=False)
    )
    for name in ("self_conf", "secondary:token_msp+self_conf:product"):
        assert select(name, with_it).names == (name,)
        for refuse in (select, compute):
            with pytest.raises(
                UsageError, match=r"^right\.json: no .* or signal 'self_conf'; there"
            ):
                refuse(name, without)


def test_a_callable_names_its_signals_by_its_parameters() -> None:
    values = compute(
        lambda token_msp, llm_evidence_count: token_msp + llm_evidence_count, FOUR_ROWS
    )
    np.testing.assert_array_equal(values, [0, 2.25, 4, 7.5])


def test_a_function_of_ones_own_is_registered_in_one_line_and_checked_like_the_others() -> None:
    register(lambda token_msp, token_pe, half=0.5: half * token_msp - token_pe, name="margin")
    declare("mine", low=0, high=10, null=4.0)
    try:
        np.testing.assert_array_equal(compute("margin", FOUR_ROWS), [0, -0.875, -2.5, 0])
        assert "margin" in select("all", FOUR_ROWS).names
        table = table_of({"mine": [None, 2]})
        np.testing.assert_array_equal(compute(lambda mine: mine, table), [4, 2])
        with pytest.raises(DataError, match=r"mine: 11 is out of range \(0..10\)"):
            compute(lambda mine: mine, table_of({"mine": [11, 2]}))
    finally:
        del confidence.FUNCTIONS["margin"], SIGNALS["mine"]


def test_a_definition_run_again_replaces_itself_and_nobody_elses() -> None:
    def notebook_cell(half: float) -> None:
        def halved(token_msp: float) -> float:
            return half * token_msp

        halved.__qualname__ = "halved"  # as it is at the top of a cell
        register(halved)

    try:
        notebook_cell(0.25)
        notebook_cell(0.5)
        np.testing.assert_array_equal(compute("halved", FOUR_ROWS), [0, 0.125, 0.5, 0.25])
        with pytest.raises(UsageError, match="'halved' already"):
            register(abs, name="halved")
        with pytest.raises(UsageError, match="'halved' already"):
            register(lambda token_msp: token_msp, name="halved")
    finally:
        del confidence.FUNCTIONS["halved"]
    with pytest.raises(UsageError, match="'token_msp' already"):
        register(lambda token_msp: 1 - token_msp, name="token_msp")
    np.testing.assert_array_equal(compute("token_msp", FOUR_ROWS), [0, 0.25, 1, 0.5])


def test_what_is_not_a_confidence_function_is_refused() -> None:
    with pytest.raises(UsageError, match="as its parameters"):
        compute(lambda *columns: columns[0], FOUR_ROWS)
    with pytest.raises(UsageError, match="as its parameters"):
        compute(lambda: 1.0, FOUR_ROWS)
    with pytest.raises(UsageError, match=r"4 rows, shape \(\) returned"):
        compute(lambda token_msp: token_msp.sum(), FOUR_ROWS)
    with pytest.raises(UsageError, match="cannot name"):
        register(lambda token_msp: token_msp, name="a+b")
    with pytest.raises(DataError, match=r"participant 101, item Tired, <lambda>: .* nan"):
        compute(lambda token_msp: np.where(token_msp == 0.25, np.nan, 1.0), FOUR_ROWS)


def test_a_failed_case_needs_no_signals() -> None:
    from dataclasses import replace

    from acumen.table.judgments import FailedCase

    base = table_of({"token_msp": [0.5, 0.25, ABSENT, ABSENT]})
    outcome = base.outcome.copy()
    outcome[2:] = Outcome.FAILED
    table = replace(base, outcome=outcome, failed=(FailedCase(102, "timeout"),))
    np.testing.assert_array_equal(compute("token_msp", table), [0.5, 0.25])


def test_a_whole_number_beyond_every_float_is_not_finite_rather_than_a_crash() -> None:
    with pytest.raises(DataError, match="a number too large is not finite"):
        compute("llm", table_of({"llm_evidence_count": [1, 10**400]}))


@pytest.mark.parametrize(
    "function", [lambda token_msp, *others: token_msp, lambda token_msp, **others: token_msp]
)
def test_a_function_of_any_number_of_signals_is_refused(function: Any) -> None:
    with pytest.raises(UsageError, match="names the signals it needs"):
        describe(function)


def test_a_function_with_one_signal_that_the_run_never_filled_is_not_advised() -> None:
    signals: dict[str, list[object]] = {
        "llm_evidence_count": [1, 2],
        "retrieval_similarity_mean": [None, None],
    }
    with pytest.raises(DataError, match=r"can be ranked by llm, total_evidence \(--conf"):
        compute("token_msp", table_of(signals))


def artifact(method: str, *, of_verbalized: bool, signals: tuple[str, ...] = ("token_msp",)) -> Any:
    return SimpleNamespace(method=method, signals=signals, takes=lambda _: of_verbalized)


@pytest.mark.parametrize(
    ("calibration", "expected"),
    [
        (None, {"verbalized_calibrated", "calibrated", "interval_width"}),
        (
            artifact("isotonic", of_verbalized=False, signals=("gone",)),
            {"verbalized_calibrated", "calibrated", "interval_width"},
        ),
        (artifact("temperature_scaling", of_verbalized=True), {"calibrated", "interval_width"}),
        (
            artifact("temperature_scaling", of_verbalized=False),
            {"verbalized_calibrated", "interval_width"},
        ),
        (artifact("isotonic", of_verbalized=True), {"verbalized_calibrated", "interval_width"}),
        (artifact(SETS[0], of_verbalized=False), {"verbalized_calibrated", "calibrated"}),
    ],
)
def test_all_takes_one_name_made_from_an_artifact(calibration: Any, expected: set[str]) -> None:
    left_out = select("all", FOUR_ROWS, calibration=calibration).left_out
    assert left_out.keys() & confidence.ARTIFACT.keys() == expected


def test_the_reason_names_what_an_artifact_was_fitted_on() -> None:
    gone = artifact("isotonic", of_verbalized=False, signals=("gone", "token_msp"))
    why = select("all", FOUR_ROWS, calibration=gone).left_out["calibrated"]
    assert why == "no gone, on which the artifact was fitted"


def test_a_name_uses_an_artifact_on_either_side() -> None:
    for name in ("calibrated", "calibrated:token_msp"):
        assert uses_calibration(find(name)), name
    for name in ("token_msp", "llm"):
        assert not uses_calibration(find(name)), name


def test_a_table_is_told_why_it_has_nothing_to_rank_by() -> None:
    assert why_no_default(table_of({"token_msp": [0.5, 0.6]})) is None
    assert why_no_default(table_of({"own": [1, 2]})) == {
        "own": "a signal, no function: asked for by its name, --confidence own"
    }
    assert why_no_default(table_of({"confidence": [0.5, 0.6]})) is None


def test_what_is_wrong_with_a_signal_is_counted_where_it_is_more_than_one() -> None:
    table = table_of({"token_msp": [2.0, 3.0, 0.5], "verbalized_confidence": [9, 1, 2]})
    verdicts = availability(table)
    assert verdicts["token_msp"].endswith(" (and 1 more)")
    assert verdicts["verbalized"].startswith("no: participant 101, item Sleep, verbalized_conf")
    assert "more)" not in verdicts["verbalized"]


def test_of_two_signals_that_are_lacking_one_with_gaps_is_no_reason_to_stay_silent() -> None:
    table = table_of(
        {
            "llm_evidence_count": [None, None],
            "consistency_modal_confidence": [0.2, None],
            "token_msp": [0.5, 0.6],
        }
    )
    with pytest.raises(DataError, match=r"the run can be ranked by token_msp \(--confidence NAME"):
        compute("secondary:llm+consistency:average", table)

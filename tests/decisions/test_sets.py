"""Prediction sets: scores and bounds by hand, what they promise, and hostile files."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import acumen
from acumen import confidence
from acumen.calibration.sets import Entries, bound_of
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.evaluation.inputs import calibration_of
from acumen.files.json import write_json
from acumen.studies import phq8_run
from acumen.table.judgments import Judgments
from simulations.sets import ALPHA, CROWDS, Crowd, coverages

CASES: list[list[float]] = [
    [0.5, 0.7],
    [0.9],
    [0.4, 0.4, 0.6],
    [0.8, 0.3],
    [1],
    [0.2, 0.5],
    [0.7],
    [0.6, 0.9, 0.3],
]
CASES += [[0.5]]


def bound(cases: list[list[float]], alpha: float) -> float:
    case = np.repeat(np.arange(len(cases)), [len(c) for c in cases])
    return bound_of(np.concatenate(cases), case, alpha)


def test_a_set_grows_from_the_mode_by_the_likelier_neighbour() -> None:
    rows = {
        (0.1, 0.2, 0.5, 0.2): [1.0, 0.7, 0.5, 0.9],
        (0.25, 0.25, 0.25, 0.25): [0.25, 0.5, 0.75, 1.0],  # the lowest mode
        (0.3, 0.4, 0.3, 0.0): [0.7, 0.4, 1.0, 1.0],  # the lower neighbour
        (0.0, 0.05, 0.15, 0.8): [1.0, 1.0, 0.95, 0.8],
    }
    entries = Entries.of_chances(np.array([*rows]))
    assert entries.score.tolist() == [*rows.values()]
    assert entries.within(0.9).tolist()[0] == [False, True, True, True]
    assert entries.within(0.1).sum(axis=1).tolist() == [1, 1, 1, 1]  # the mode at least
    assert entries.within(math.inf).all()


@pytest.mark.parametrize(("alpha", "answer"), [(0.1, 1.0), (0.2, 0.9), (0.05, math.inf)])
def test_the_bound_of_cases_with_several_rows(alpha: float, answer: float) -> None:
    assert bound(CASES, alpha) == answer


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.integers(1, 19))
def test_with_one_row_a_case_it_is_an_order_statistic(scores: list[int], twentieths: int) -> None:
    rank = math.ceil((len(scores) + 1) * (1 - Fraction(twentieths, 20)))
    answer = math.inf if rank > len(scores) else sorted(scores)[rank - 1]
    assert bound([[float(score)] for score in scores], twentieths / 20) == answer


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=6), min_size=1, max_size=12),
    st.integers(1, 19),
)
def test_the_bound_is_the_exact_one(cases: list[list[int]], twentieths: int) -> None:
    weights: dict[int, Fraction] = {}
    for case in cases:
        for score in case:
            share = Fraction(1, (len(cases) + 1) * len(case))
            weights[score] = weights.get(score, Fraction(0)) + share
    total, answer = Fraction(0), math.inf
    for score in sorted(weights):
        total += weights[score]
        if total >= 1 - Fraction(twentieths, 20):
            answer = score
            break
    assert bound([[float(s) for s in case] for case in cases], twentieths / 20) == answer


def study(n: int = 20, **more: Any) -> Judgments:
    """Case k has one row, and is off by a level where k is a multiple of 4; one is open."""
    return acumen.from_columns(
        case=range(n + 1),
        truth=[int(k % 4 == 0) for k in range(n)] + [0],
        prediction=[0] * n + [None],
        scale=[0, 1, 2],
        **more,
    )


def test_sets_of_distance_by_hand() -> None:
    """20 cases, 5 of them a level off: the 19th of 21 is 1 off, the 15th is 0 off."""
    document = acumen.sets(study(), alpha=0.1).document
    assert (document.method, document.bound, document.cases) == ("distance", 1.0, 20)
    assert (document.width, document.shares) == (2.0, [0.0, 1.0, 0.0])
    assert document.coverage.value == 1.0
    assert acumen.sets(study(), alpha=0.3).document.bound == 0.0
    assert acumen.sets(study(), alpha=0.04).document.bound is None


def test_the_chances_of_levels_may_be_named() -> None:
    """The truth is the mode of .6 or its neighbour of .3: the bound is .9, and 2 levels are in."""
    chances = {"p0": [0.6] * 21, "p1": [0.3] * 21, "p2": [0.1] * 21}
    decision = acumen.sets(study(signals=chances), probabilities=["p0", "p1", "p2"])
    document = decision.document
    assert (document.method, document.bound, document.width) == ("aps", 0.9, 2.0)
    assert "The chances of levels come from p0, p1, p2." in repr(decision)


def test_a_case_counts_once_whatever_its_rows() -> None:
    """Nine cases of one row that is right, one of 30 rows that are off: rows would say 2."""
    table = acumen.from_columns(
        case=[*range(9), *[9] * 30],
        item=[*["a"] * 9, *map(str, range(30))],
        truth=[0] * 9 + [2] * 30,
        prediction=[0] * 39,
        scale=[0, 1, 2],
    )
    document = acumen.sets(table, alpha=0.2).document
    assert document.bound == 0.0
    assert document.coverage.value == pytest.approx(0.9)


def test_interval_width_is_minus_the_levels_in_the_set_of_other_cases() -> None:
    sets = acumen.sets(study())
    other = acumen.from_columns(
        case=["a", "b", "c"], truth=[0, 1, 2], prediction=[0, 1, 2], scale=[0, 1, 2]
    )
    values = confidence.compute("interval_width", other, calibration=calibration_of(sets))
    assert values.tolist() == [-2, -3, -2]
    result = acumen.evaluate(other, confidence="interval_width", calibration=sets, resamples=0)
    assert "in-sample" not in str(result.document.warnings)
    again = acumen.evaluate(study(), confidence="interval_width", calibration=sets, resamples=0)
    assert "was made from 21 of the" in str(again.document.warnings)


def test_interval_width_needs_sets_of_the_same_scale() -> None:
    sets = calibration_of(acumen.sets(study()))
    with pytest.raises(UsageError, match="needs a calibration artifact"):
        acumen.evaluate(study(), confidence="interval_width", resamples=0)
    other = acumen.from_columns(case=[1, 2], truth=[0, 1], prediction=[0, 1], scale=[0, 1])
    with pytest.raises(DataError, match="is for the scale"):
        confidence.compute("interval_width", other, calibration=sets)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha is a chance between 0 and 1, not 0"),
        ({"alpha": math.nan}, "alpha is a chance"),
        ({"method": "lac"}, "no method 'lac'"),
        ({"method": "distance", "probabilities": "p0,p1,p2"}, "takes no probabilities"),
        ({"method": "aps"}, "has no chances of levels"),
        ({"probabilities": "p0,p1"}, "2 signals of chances, and 3 levels"),
        ({"probabilities": "p0,p1,px"}, "px"),
        ({"probabilities": "p0,p0,p0"}, "that sum to 1.8"),
        ({"probabilities": "p0,p1,minus"}, "chances from -0.1"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    columns = {"p0": [0.6] * 21, "p1": [0.5] * 21, "minus": [-0.1] * 21}
    with pytest.raises((UsageError, DataError), match=message):
        acumen.sets(study(signals=columns), **options)


def test_few_cases_and_weights_are_refused() -> None:
    with pytest.raises(DataError, match="4 cases with an answer; sets need at least 5"):
        acumen.sets(study(4))
    with pytest.raises(UsageError, match="leave the weights out"):
        acumen.sets(study(weight=[1.0] * 21))


def test_samples_that_are_no_levels_are_told_by_case_and_item(tmp_path: Path) -> None:
    document = phq8_run()
    rows = document["experiments"][1]["results"]["results"]
    row = next(r for r in rows if r["success"] and r["predicted_items"]["Sleep"] is not None)
    for wrong in (None, [7, 2]):
        row["item_signals"]["Sleep"]["consistency_samples"] = wrong
        write_json(tmp_path / "run.json", document)
        with pytest.raises(DataError, match=rf"{row['participant_id']}.*Sleep"):
            acumen.sets(tmp_path / "run.json", mode="few_shot")


def test_the_command_its_schema_and_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(tmp_path / "run.json", phq8_run())
    files = ["-o", str(tmp_path / "sets.json"), "--html", str(tmp_path / "sets.html")]
    assert run(["sets", str(tmp_path / "run.json"), "--mode", "few_shot", *files]) == 0
    assert "hold the truth but for a chance of 0.1" in " ".join(capsys.readouterr().out.split())
    assert "Prediction sets" in (tmp_path / "sets.html").read_text("utf-8")
    document = json.loads((tmp_path / "sets.json").read_text())
    assert run(["schema", "sets"]) == 0
    jsonschema.validate(document, json.loads(capsys.readouterr().out))
    assert run(["show", str(tmp_path / "sets.json")]) == 0
    capsys.readouterr()
    for wrong in ({"method": "distance"}, {"bound": -1}, {"alpha": 2}, {"scale": 3}):
        write_json(tmp_path / "bad.json", document | wrong)
        arguments = ["evaluate", str(tmp_path / "run.json"), "--mode", "few_shot"]
        arguments += ["--confidence", "interval_width"]
        assert run([*arguments, "--calibration", str(tmp_path / "bad.json")]) == 3
        assert "bad.json" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("crowd", CROWDS, ids=lambda crowd: crowd.name)
@pytest.mark.parametrize("cases", [40, 100, 400])
def test_sets_hold_the_truth_as_often_as_promised(crowd: Crowd, cases: int) -> None:
    shares = coverages(crowd, cases, 200)
    for method in ("aps", "distance"):
        coverage, error, _ = shares[method]
        assert coverage >= 1 - ALPHA - 3 * error

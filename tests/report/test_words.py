"""Facts become words: every flag and every reason by its sentence, and cells at their edges."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import acumen
from acumen.metrics.registry import Unit
from acumen.report import cells
from acumen.report.blocks import Cell, Paragraph
from acumen.report.large import _exactness
from acumen.report.sections import sections_of
from acumen.report.selective.leaderboard import ranked_by
from acumen.report.selective.leaderboard import verdict as of_board
from acumen.report.selective.outcomes import side_names
from acumen.report.selective.screen import _numbers
from acumen.report.selective.words import limits
from acumen.report.words import note_of, rests_on, why_missing, why_no_interval
from acumen.results.calibration import CalibrationDocument
from acumen.table.levels import inferred_note
from acumen.values.measured import (
    Absence,
    Delta,
    Flag,
    Interval,
    Measured,
    NoInterval,
    RestsOn,
)

FLAGS = {
    Flag.FEW_CASES: "fewer than 10 cases: unreliable",
    Flag.FEW_ITEMS: "fewer than 5 items: unreliable",
    Flag.DOMINATED: "a few cases hold most of the weight: unreliable",
    Flag.ONE_CASE: "one case carries 40% of the variance",
    Flag.ONE_ROW: "may depend on the single surest row; aurc_exact_achievable does not",
    Flag.HULL: "thresholds chosen on the same rows: a little too good where rows are few",
    Flag.RARE_LEVEL: "rests on 3 cases of 'High': unreliable",
    Flag.FEW_ERRORS: "1 erring case",
    Flag.NO_ERRORS: "assumes that an erring case loses at most one level a row, on average",
    Flag.NOISE_RAISES: (
        "noise raises the estimate, most where rows are few; both ends allow for it"
    ),
    Flag.FALLBACK: "BCa does not exist here; this is the percentile interval",
    Flag.TEST_DECIDES: "alone it excludes 0; the test of all differences together decides",
}
HIGH = RestsOn(cases=3, where="at", level="High")


def interval(*flags: Flag, low: float = 0.1, high: float = 0.3) -> Interval:
    facts: Any = {"erring_cases": 1, "largest_case_share": 0.4, "rests_on": HIGH}
    return Interval(low=low, high=high, method="bca", flags=flags, **facts)


@pytest.mark.parametrize("flag", Flag)
def test_every_flag_has_its_sentence(flag: Flag) -> None:
    assert note_of(interval(flag)) == FLAGS[flag]


def test_flags_are_told_together_and_none_is_nothing() -> None:
    assert note_of(interval()) is None
    both = note_of(interval(Flag.ONE_CASE, Flag.FEW_CASES))
    assert both is not None
    assert sorted(both.split("; ")) == sorted([FLAGS[Flag.FEW_CASES], FLAGS[Flag.ONE_CASE]])
    at_zero = note_of(interval(Flag.TEST_DECIDES, low=-0.1))
    assert at_zero == "alone it has 0 in it; the test of all differences together decides"


ABSENCES = {
    Absence.NO_VALUE: "the value itself is undefined",
    Absence.TOO_FEW_CASES: "an interval needs at least 2 cases",
    Absence.TOO_FEW_ITEMS: "an interval for new items needs at least 2 of them, not 1",
    Absence.NO_RESAMPLES: "no resamples were asked for",
    Absence.TOO_FEW_RESAMPLES: "it needs at least 2 resamples, not 1",
    Absence.UNDEFINED_IN_RESAMPLES: "undefined in 25% of the resamples, too many",
    Absence.UNDEFINED_WITHOUT_CASES: "undefined when leaving out any of 2 cases (of 1)",
    Absence.UNDEFINED_WITHOUT_GROUPS: (
        "undefined when leaving out any of 2 groups of cases (of 1)"
    ),
    Absence.NO_VARIATION: "leaving out any one case changes nothing",
    Absence.SIDES_DIFFER: "leaving out some case makes one side undefined and not the other",
    Absence.NEEDS_ROWS: "needs all rows in memory",
}


@pytest.mark.parametrize("why", Absence)
def test_every_absence_has_its_reason(why: Absence) -> None:
    none = NoInterval(why=why, count=2, of=1, share=0.25)
    assert why_no_interval(none) == ABSENCES[why]
    left = none.model_copy(update={"side": "left"})
    assert why_no_interval(left) == f"no interval for the first: {ABSENCES[why]}"
    right = none.model_copy(update={"side": "right", "rests_on": HIGH})
    expected = f"it rests on 3 cases of 'High': no interval for the second: {ABSENCES[why]}"
    assert why_no_interval(right) == expected


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("at_least", "of 'High' or above"),
        ("below", "below 'High'"),
        ("between", "between 'High' and 'Top'"),
        ("right", "with a right answer"),
        ("wrong", "with a wrong answer"),
        ("certain", "that are certain and wrong"),
    ],
)
def test_cases_are_named_by_where_they_lie(where: Any, words: str) -> None:
    group = RestsOn(cases=1, where=where, level="High", upper="Top")
    assert rests_on(group) == f"rests on 1 case {words}"
    assert rests_on(None) == "rests on few cases of a level"


def test_a_value_that_is_missing_goes_before_its_interval() -> None:
    none = NoInterval(why=Absence.NO_VARIATION)
    assert why_missing(Measured(value=None, reason="no rows", no_interval=none)) == "no rows"
    assert why_missing(Measured(value=1.0, no_interval=none)) == ABSENCES[Absence.NO_VARIATION]
    assert why_missing(Measured(value=1.0)) is None


def test_cells_at_their_edges() -> None:
    assert cells.number(1234) == Cell("1,234", 1234)
    assert cells.number(None, reason="none there") == Cell("–", None, "none there")
    assert cells.reach(None, None, why="too few") == Cell("–", None, "too few")
    assert cells.reach(0.25, None).text == "[0.250, –]"
    assert cells.reach(None, 0.5, ".1f").text == "[–, 0.5]"
    assert cells.measured_cell(None).text == "–"
    assert [cells.p_cell(p).text for p in (None, 0.0009, 0.001, 0.25)] == [
        *("–", "<0.001", "0.001", "0.250")
    ]
    assert cells.text(None).text == "–"


@pytest.mark.parametrize(
    ("unit", "signed", "text", "ends"),
    [
        (Unit.NUMBER, False, "0.070", "[0.040, 1.100]"),
        (Unit.SHARE, False, "7.0%", "[4.0%, 110.0%]"),
        (Unit.NUMBER, True, "+0.070", "[+0.040, +1.100]"),
        (Unit.SHARE, True, "+7.0", "[+4.0, +110.0]"),
    ],
)
def test_a_measured_cell_has_its_interval_beside_it(
    unit: Unit, signed: bool, text: str, ends: str
) -> None:
    reach = interval(Flag.FEW_CASES, low=0.04, high=1.1)
    cell = cells.measured_cell(Measured(value=0.07, interval=reach), unit, signed=signed)
    assert (cell.text, cell.interval) == (text, ends)
    assert (cell.marked, cell.ends) == (True, (0.04, 1.1))
    assert cell.hint == FLAGS[Flag.FEW_CASES]


def test_a_difference_is_told_with_its_sides() -> None:
    delta = Delta(delta=0.1, left=0.2, right=0.3, interval=interval())
    told = cells.difference("Coverage", delta, ("a", "b"), Unit.SHARE)
    assert (told.label, told.note) == ("Coverage (points)", "b − a: a 20.0%, b 30.0%")
    assert (told.cell.text, told.cell.interval) == ("+10.0", "[+10.0, +30.0]")
    plain = cells.difference("Risk", delta, ("a", "b"), Unit.NUMBER)
    assert plain.label == "Risk"
    nothing = cells.fact("Risk", Measured(value=None, reason="no rows"), Unit.NUMBER)
    assert (nothing.cell.text, nothing.cell.interval) == ("–", "")


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a" * 20], ["a" * 20]),
        (["a" * 12, "b"], ["a" * 12, "b"]),
        (["a" * 13, "b"], ["a" * 11 + "…", "b"]),
        (["model-number-1", "model-number-2"], ["…el-number-1", "…el-number-2"]),
        (["m-aaaaaaaaaa-x-aaaaaaaaaaa", "m-aaaaaaaaaa-y-aaaaaaaaaaa"], ["1: m-aaaaaa…"] * 1),
    ],
)
def test_long_names_of_systems_are_cut_where_they_differ(
    names: list[str], short: list[str]
) -> None:
    sides = side_names(SimpleNamespace(input_names=names))  # type: ignore[arg-type]
    assert sides[: len(short)] == short
    assert len({*sides}) == len(names)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([0, 1, 2, 3], "levels inferred: 0–3, the range of the numbers in the data; if the"),
        ([-1, 0, 1], "levels inferred: -1 to 1, the range of the numbers in the data; if the"),
        (
            ["bad", "good"],
            "levels inferred: bad < good, the words in the data in their usual order; if the",
        ),
    ],
)
def test_levels_that_nobody_named_are_told(levels: list[Any], words: str) -> None:
    note = inferred_note(levels, True)
    assert note is not None
    assert note.startswith(words)
    assert inferred_note(levels, False) is None


def test_systems_are_ranked_by_a_metric_or_by_risk_at_equal_coverage() -> None:
    assert ranked_by(SimpleNamespace(metric="augrc")) == "AUGRC"  # type: ignore[arg-type]
    board: Any = SimpleNamespace(metric="risk", coverage=0.805)
    assert ranked_by(board) == "risk at equal coverage (80.5%)"
    board.coverage = None
    assert ranked_by(board) == "risk at equal coverage (0.0%)"


def test_systems_that_were_evaluated_apart_are_not_compared() -> None:
    people = SimpleNamespace(has_truth=True)
    apart: Any = SimpleNamespace(leaderboard=None, population=people)
    assert of_board(apart).startswith("No difference is claimed: the systems were")
    people.has_truth = False
    assert of_board(apart) == "Nothing can be compared: there is no truth."


@pytest.mark.parametrize(
    ("bits", "hidden", "end"),
    [
        (None, 0, "Every confidence is a bin of its own (7 cells): exact."),
        (None, 1, "so these are not the numbers of all rows."),
        (8, 0, "what has none is exact."),
        (8, 2, "so these are not the numbers of all rows."),
    ],
)
def test_counts_say_how_exact_they_are(bits: int | None, hidden: int, end: str) -> None:
    parts = {"suppressed_rows": hidden, "suppressed_weight": 1.5, "cells": 7, "bits": bits}
    text = _exactness(SimpleNamespace(**parts))  # type: ignore[arg-type]
    assert text.endswith(end)
    rows = {0: "", 1: "1 row (weight 1.5)", 2: "2 rows (weight 1.5)"}[hidden]
    assert rows in text
    assert ("too many confidences" in text) is (bits is not None)


def test_a_calibration_of_another_tool_says_that_it_holds_no_measures() -> None:
    fit = {"method": "temperature_scaling", "model": {"temperature": 1.5}, "features": ["a"]}
    document = CalibrationDocument.model_validate(
        {**fit, "target": "correctness", "metrics": {"theirs": 1}}
    )
    measures, fitted = sections_of(document)
    assert fitted.blocks[0] == Paragraph("temperature scaling of a for correctness")
    assert (measures.finding, measures.blocks) == ("It holds no measures of acumen.", ())


def test_a_metric_that_one_input_has_stands_in_the_table_and_one_that_none_has_does_not() -> None:
    artifact: Any = SimpleNamespace(inputs=["a", "b"], input_names=["a", "b"])
    some, why = Measured(value=0.5), Measured(value=None, reason="no rows")
    rows = [
        ("one has it", "mean_loss", [None, some]),
        ("one says why", "mean_loss", [why, None]),
        ("none has it", "mean_loss", [None, Measured(value=None)]),
    ]
    table = _numbers(artifact, rows)
    assert table.columns == ("", "a", "b")
    assert [[c.text for c in row] for row in table.rows] == [
        ["one has it", "–", "0.500"],
        ["one says why", "–", "–"],
    ]


@pytest.mark.parametrize(("cases", "is_told"), [(9, True), (10, False)])
def test_what_cannot_be_concluded_names_too_few_cases(cases: int, is_told: bool) -> None:
    rows = [{"case": k, "truth": k % 3, "prediction": 0} for k in range(cases)]
    words = limits(acumen.evaluate(rows, levels="0-2", resamples=0).document)
    assert (
        any("With fewer than 10 cases the intervals are unreliable" in w for w in words) == is_told
    )

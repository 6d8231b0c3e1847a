"""What a false answer costs, wherever losses are counted; and who abstains where it should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.report.blocks import Table
from acumen.views.forecast import TARGETS, target_of

OPEN: dict[str, Any] = {"unanswerable": "?", "levels": "0-2", "resamples": 0}
BY_HAND: list[dict[str, Any]] = [
    *({"truth": 2, "prediction": 2, "sure": 0.9}, {"truth": 0, "prediction": 1, "sure": 0.8}),
    *({"truth": 1, "prediction": None}, {"truth": "?", "prediction": 0, "sure": 0.7}),
    *({"truth": "?", "prediction": None}, {"truth": "?", "prediction": None}),
]
ROWS = [row | {"case": at, "sure": row.get("sure", 0.0)} for at, row in enumerate(BY_HAND)]


def rows(seed: int = 0, cases: int = 60, silence: float = 0.7) -> list[dict[str, Any]]:
    """Four rows a case, a fifth of which cannot be judged, whatever the seed."""
    rng, out = np.random.default_rng(seed), []
    for c in range(cases):
        own = np.random.default_rng(1000 + c)
        for i in "abcd":
            is_open, truth = bool(own.random() < 0.2), int(own.integers(0, 3))
            silent = rng.random() < (silence if is_open else 0.1)
            answer = int(np.clip(truth + rng.choice([-1, 0, 0, 1]), 0, 2))
            row = {"case": c, "item": i, "sure": round(float(rng.random()), 3), "sex": "fm"[c % 2]}
            row |= {"truth": "?" if is_open else truth, "prediction": None if silent else answer}
            out.append(row)
    return out


def asked(*inputs: Any, **keywords: Any) -> Any:
    keywords = {**OPEN, "confidence_column": "sure", **keywords}
    return acumen.evaluate(*(inputs or (ROWS,)), **keywords).document


def test_risks_and_areas_by_hand() -> None:
    document = asked(loss="abs")
    numbers = document.sides["confidence"][0].metrics
    assert numbers["coverage"].value == 0.5
    assert numbers["mean_loss"].value == 1.0  # losses 0, 1, and 2 for the false answer
    assert numbers["augrc"].value == pytest.approx(5 / 72)
    assert numbers["accuracy"].value == pytest.approx(1 / 3)
    (part,) = document.abstention
    assert (part.answered, part.false_abstentions) == (2, 1)
    assert (part.false_answers, part.right_abstentions) == (1, 2)
    assert (part.risk.value, part.risk_without.value) == (1.0, 0.5)
    with_them, without = part.augrc["confidence"]
    assert (with_them.value, without.value) == pytest.approx((5 / 72, (0 + 1) / 2 / 9))
    levels = {level.level: level.left_open.value for level in part.by_level}
    assert levels == {"0": 0.0, "1": 1.0, "2": 0.0}


@pytest.mark.parametrize(
    ("loss", "most"), [("abs", 2), ("abs_norm", 1), ("zero_one", 1), ("squared", 4)]
)
def test_a_false_answer_costs_as_much_as_any_can(loss: str, most: float) -> None:
    right = {"abs": 1.0, "abs_norm": 0.5, "zero_one": 1.0, "squared": 1.0}[loss]
    assert asked(loss=loss).abstention[0].risk.value == pytest.approx((right + most) / 3)


def test_costs_of_ones_own_have_their_dearest_for_a_false_answer() -> None:
    costs = [[0.0, 1, 2], [2, 0, 1], [9, 3, 0]]
    assert asked(loss=costs).abstention[0].risk.value == pytest.approx((0 + 1 + 9) / 3)


def test_levels_and_severity_are_of_the_rows_that_have_a_level() -> None:
    every = rows()
    known = [row for row in every if row["truth"] != "?"]
    whole, part = (asked(r).overall_by_input[0] for r in (every, known))
    for name in ("mae", "quadratic_kappa", "total_accuracy", "kendall_tau_b"):
        assert whole[name].value == part[name].value
    assert whole["abstention_recall"].value is not None
    assert "abstention_recall" not in asked(known, unanswerable=None).overall_by_input[0]


def test_calibration_takes_a_false_answer_for_a_wrong_one() -> None:
    numbers = asked(loss="zero_one").sides["confidence"][0].metrics
    assert numbers["brier"].value == pytest.approx((0.1**2 + 0.8**2 + 0.7**2) / 3)


@pytest.mark.parametrize("target", TARGETS)
def test_no_target_takes_a_false_answer_for_near_the_truth(target: str) -> None:
    """Of levels 0 and 1 the answer 0 is a level from where no truth is."""
    table = acumen.from_columns(
        case=[1, 2, 3], truth=["?", "?", 1], prediction=[0, 1, 1], scale="0-1", unanswerable="?"
    )
    assert target_of(table, target).tolist() == [0.0, 0.0, 1.0]


def test_two_systems_differ_at_equal_coverage_by_their_false_answers_too() -> None:
    """Both answer all; one row cannot be judged, and only the confidence tells them apart."""
    base: list[dict[str, Any]] = [
        {"case": c, "truth": c % 3, "prediction": c % 3, "sure": 0.5} for c in range(12)
    ]
    base[0]["truth"] = "?"
    bold = [row | ({"prediction": None} if row["case"] == 5 else {}) for row in base]
    wary = [row | ({"prediction": None} if row["case"] == 0 else {}) for row in base]
    document = asked({"bold": bold, "wary": wary}, loss="zero_one")
    matched = document.comparison.matched["confidence"]
    assert (matched.left, matched.right) == pytest.approx((1 / 11, 0.0))
    delta = document.comparison.agreement["abstention_recall"]
    assert (delta.left, delta.right) == (0.0, 1.0)


def test_slices_tell_who_is_left_open_wrongly() -> None:
    document = asked(rows(), by="sex")
    groups = {part.group: part.metrics for part in document.slices}
    alone = asked([row for row in rows() if row["sex"] == "f"]).overall_by_input[0]
    for name in ("false_abstentions", "false_answers"):
        assert groups["f"][name].value == alone[name].value
    result = acumen.evaluate(rows(), **OPEN, confidence_column="sure", by="sex")
    (section,) = [s for s in result.sections(full=True) if s.key == "abstention"]
    table = section.blocks[-1]
    assert isinstance(table, Table)
    assert (table.caption, table.columns[2:4]) == ("By sex", ("false answers", "false abstentions"))
    assert table.rows[0][3].value == alone["false_abstentions"].value
    by_level = asked(rows(), by="level").slices
    assert sum(part.rows for part in by_level) == sum(r["truth"] != "?" for r in rows())


def test_thresholds_and_costs_count_false_answers() -> None:
    keywords: dict[str, Any] = {**OPEN, "confidence_column": "sure"}
    del keywords["resamples"]
    every = rows(silence=0.0)
    with_them = acumen.threshold(every, risk=0.5, loss="zero_one", **keywords).document
    known = [row for row in every if row["truth"] != "?"]
    without = acumen.threshold(known, risk=0.5, loss="zero_one", **keywords).document
    pooled = with_them.grid[-1].risk, without.grid[-1].risk
    assert pooled[0] > pooled[1] + 0.1
    cost = acumen.cost(every, abstain_cost=0.3, costs="zero_one", **keywords).document
    less = acumen.cost(known, abstain_cost=0.3, costs="zero_one", **keywords).document
    assert (cost.always_answer.value or 0) > (less.always_answer.value or 1) + 0.1


def test_gates_hold_abstention_to_a_bound_and_against_another_system() -> None:
    keywords: dict[str, Any] = {**OPEN, "confidence_column": "sure"}
    del keywords["resamples"]
    silent = rows(silence=0.95)
    passed = acumen.gate(silent, metric="abstention_recall", at_least=0.5, **keywords)
    assert passed.exit_code == 0
    loud = rows(1, silence=0.1)
    worse = acumen.gate(loud, silent, metric="false_answers", margin=0.1, **keywords)
    assert worse.exit_code == 1
    known = [row for row in silent if row["truth"] != "?"]
    with pytest.raises(UsageError, match="abstention_f1 needs words for what cannot be judged"):
        acumen.gate(known, metric="abstention_f1", at_least=0.5, levels="0-2")


def test_systems_can_be_ranked_by_it() -> None:
    document = asked({"a": rows(1), "b": rows(2, silence=0.1)}, rank_by="abstention_f1")
    assert document.leaderboard.standings[0].system == "a"


def test_other_truths_are_not_the_same_cases() -> None:
    other = [row | {"truth": 1} if row["case"] == 3 else row for row in ROWS]
    with pytest.raises(DataError, match="differs, no level in a and 1 in b: not the same cases"):
        asked({"a": ROWS, "b": other})


def test_a_screen_has_a_line_and_a_page_the_tables() -> None:
    result = acumen.evaluate(rows(), **OPEN, confidence_column="sure")
    (section,) = [s for s in result.sections() if s.key == "abstention"]
    assert section.finding.startswith("It left open ")
    assert section.blocks == ()
    (full,) = [s for s in result.sections(full=True) if s.key == "abstention"]
    assert len(full.blocks) == 4
    text = result.to_markdown(full=True).replace("\\", "")
    assert "false answer" in text
    assert "cannot be judged" in text
    assert [
        s
        for s in acumen.evaluate(ROWS[:3], levels="0-2", resamples=0).sections()
        if s.key == "abstention"
    ] == []


def test_a_document_is_read_back_as_it_was_written(tmp_path: Any) -> None:
    result = acumen.evaluate(rows(), **OPEN, confidence_column="sure")
    path = tmp_path / "metrics.json"
    result.write(path)
    assert acumen.Result.read(path).document.abstention == result.document.abstention


def finding(result: Any, key: str) -> str:
    (section,) = [s for s in result.sections() if s.key == key]
    return str(section.finding)


def test_where_nothing_is_open_or_nothing_usable_the_line_says_so_and_no_more() -> None:
    known = [row | {"truth": 1} if row["truth"] == "?" else row for row in rows()]
    none = acumen.evaluate(known, **OPEN, confidence_column="sure")
    count = len(known)
    assert finding(none, "abstention") == (
        f"Of none of {count} rows the truth says that it cannot be judged."
    )
    failed = [row | {"prediction": None, "outcome": "failed"} for row in rows()]
    gone = acumen.evaluate(failed, **OPEN, confidence_column="sure", missing="bound")
    assert finding(gone, "abstention").startswith("No row has a usable reply")
    text = finding(gone, "missing")
    assert text.endswith("Whatever they are, 0.0% to 100.0% of all rows are exactly right.")
    reading = {key: value for key, value in OPEN.items() if key != "resamples"}
    gate = acumen.gate(
        failed, **reading, confidence_column="sure", missing="bound", metric="total_accuracy",
        at_least=0.5,
    )  # fmt: skip
    assert gate.exit_code == 5
    assert gate.document.checks[0].why == "missing"
    assert f"it depends on {count} missing rows" in gate.to_markdown()

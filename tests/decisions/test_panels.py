"""Decisions with several raters: as with one where all agree; refused where one truth is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.decisions.sample import sample_of
from acumen.readers.inputs import table_of

Doors = dict[str, Callable[..., Any]]

READING: dict[str, Any] = {
    "case": "doc",
    "item": "item",
    "prediction": "ai",
    "confidence_column": "sure",
    "levels": [0, 1, 2, 3],
}
PANEL = ["r0", "r1", "r2"]


def rows() -> list[dict[str, Any]]:
    """Sixty cases of two items, rated alike by three people."""
    return [
        {
            "doc": i // 2,
            "item": i % 2,
            **dict.fromkeys(PANEL, i * 7 % 4),
            "ai": None if i % 13 == 5 else (i * 7 + (i % 10 == 3)) % 4,
            "sure": round((i * 29 % 120) / 240 + 0.5 * (i % 10 != 3), 6),
        }
        for i in range(120)
    ]


DOORS: Doors = {
    "threshold": lambda **said: acumen.threshold(rows(), risk=0.2, **said),
    "cost": lambda **said: acumen.cost(rows(), abstain_cost=0.3, **said),
    "gate": lambda **said: acumen.gate(rows(), metric=["mean_loss"], at_most=0.3, **said),
    "plan": lambda **said: acumen.plan(rows(), detect=0.05, **said),
}


BESIDE = {"created_at", "designs"}
"""When it was made; and studies of more items, which need influences that panels have none of."""


def numbers(value: Any) -> Any:
    """Whatever is compared with a tolerance."""
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [numbers(part) for part in value]
    return pytest.approx(value, rel=1e-9) if isinstance(value, float) else value


@pytest.mark.parametrize("door", DOORS)
def test_raters_who_all_say_the_same_are_one(door: str) -> None:
    one, three = (
        DOORS[door](**READING, truth=truth).document.model_dump(mode="json", exclude=BESIDE)
        for truth in ("r0", PANEL)
    )
    assert three == numbers(one)


def test_the_cost_of_a_judgment_is_the_mean_over_its_raters() -> None:
    few = [
        {"doc": 1, "item": 0, "r0": 0, "r1": 1, "r2": 3, "ai": 0, "sure": 0.5},
        {"doc": 2, "item": 0, "r0": 2, "r1": None, "r2": None, "ai": 2, "sure": 0.7},
    ]
    reading: Any = {**READING, "truth": PANEL}
    sample = sample_of(table_of(few, None, reading), "confidence", "abs")
    assert sorted(sample.loss.tolist()) == pytest.approx([0.0, (0 + 1 + 3) / 3 / 3])
    assert sample.rows.tolist() == [1, 1]


def test_sets_need_one_truth_and_say_how_to_name_it() -> None:
    said = {k: v for k, v in READING.items() if k != "confidence_column"}
    with pytest.raises(acumen.UsageError, match="several raters, say which by --truth-is"):
        acumen.sets(rows(), truth=PANEL, **said)
    one = acumen.sets(rows(), truth="r0", **said).document
    median = acumen.sets(rows(), truth=PANEL, truth_is="median", **said).document
    assert median.bound == one.bound


def test_sets_leave_a_truth_between_two_levels_out() -> None:
    said = {k: v for k, v in READING.items() if k != "confidence_column"}
    odd = [row | ({"r1": row["r0"] ^ 1} if row["doc"] < 10 else {}) for row in rows()]
    found = acumen.sets(odd, truth=["r0", "r1"], truth_is="mean", **said).document
    assert found.cases == 50


def test_other_tools_have_no_panels(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    table = "\n".join(["case,r0,r1,prediction,confidence", *(f"{i},1,2,1,.{i}" for i in range(9))])
    path = tmp_path / "rows.csv"
    path.write_text(table)
    assert run(["reconcile", str(path), "--truth", "r0,r1", "--levels", "0-3"]) == 0
    assert "say which by --truth-is" in " ".join(capsys.readouterr().out.split())

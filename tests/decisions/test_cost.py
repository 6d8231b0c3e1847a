"""What abstaining costs: by hand, cross-fitted, and from hostile files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.files.json import write_json
from acumen.results.calibration import case_hash
from acumen.studies import phq8_run
from acumen.table.judgments import Judgments


def study(n: int = 40, seed: int = 0) -> Judgments:
    rng = np.random.default_rng(seed)
    sure = rng.integers(0, 8, n * 3) / 8
    off = np.where(rng.random(n * 3) > 0.4 + 0.6 * sure, rng.integers(1, 3, n * 3), 0)
    return acumen.from_columns(
        case=np.repeat(np.arange(n), 3),
        item=np.tile(list("abc"), n),
        truth=np.zeros(n * 3, int),
        prediction=[None if k % 11 == 0 else int(o) for k, o in enumerate(off)],
        confidence=sure,
        scale=[0, 1, 2],
    )


def test_the_curve_by_hand() -> None:
    """Four rows: right, two off, right, open; handing over costs a half."""
    table = acumen.from_columns(
        case=[1, 2, 3, 4],
        truth=[0, 0, 2, 1],
        prediction=[0, 2, 2, None],
        confidence=[0.9, 0.2, 0.5, 0.0],
        scale=[0, 1, 2],
    )
    document = acumen.cost(table, abstain_cost=0.5, folds=2).document
    assert [(p.threshold, p.coverage, p.cost) for p in document.curve] == [
        (0.9, 0.0, 0.5),
        (0.5, 0.25, 1.5 / 4),
        (0.2, 0.5, 1.0 / 4),
        (None, 0.75, 2.5 / 4),
    ]
    assert document.threshold == 0.2
    assert document.always_answer.value == 2.5 / 4


def test_of_equal_costs_the_larger_threshold_is_taken() -> None:
    table = acumen.from_columns(
        case=[1, 2, 3, 4],
        truth=[0] * 4,
        prediction=[0, 0, 1, 1],
        confidence=[4, 3, 2, 1],
        scale=[0, 1, 2],
    )
    assert acumen.cost(table, abstain_cost=1, folds=2).document.threshold == 2
    assert acumen.cost(table, abstain_cost=0, folds=2).document.threshold == 4  # hand all over


def test_the_printed_cost_is_paid_on_cases_that_did_not_choose() -> None:
    table = study()
    document = acumen.cost(table, abstain_cost=0.4, folds=5).document
    order = sorted(range(40), key=lambda case: case_hash(case, ""))
    fold = {case: place % 5 for place, case in enumerate(order)}
    confidence = table.signals["confidence"].values
    grid = [*sorted(set(confidence[table.answered].tolist()), reverse=True), -np.inf]

    def paid(threshold: float, cases: set[int]) -> float:
        rows = [r for r in range(len(table)) if int(table.case[r]) in cases]
        return sum(
            float(table.prediction[r]) if table.answered[r] and confidence[r] > threshold else 0.4
            for r in rows
        )

    total = 0.0
    for k in range(5):
        others = {case for case in range(40) if fold[case] != k}
        best = min(grid, key=lambda t: (round(paid(t, others), 9), -t))
        assert document.fold_thresholds[k] == (None if best == -np.inf else best)
        total += paid(best, set(range(40)) - others)
    assert document.cost.value == pytest.approx(total / 120)
    assert document.against_answering.value == pytest.approx(
        (document.cost.value or 0) - (document.always_answer.value or 0)
    )
    assert document.against_handing_over.value == pytest.approx((document.cost.value or 0) - 0.4)


def test_the_interval_is_the_jackknifes_of_a_mean_of_equal_cases() -> None:
    table = study()
    measured = acumen.cost(table, abstain_cost=0.4).document.always_answer
    values = np.where(table.answered, table.prediction, 0.4).reshape(40, 3).mean(axis=1)
    assert measured.interval is not None
    assert measured.interval.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(40))


def test_costs_may_be_a_matrix() -> None:
    """Missing a level 1 costs ten times a false alarm."""
    table = acumen.from_columns(
        case=range(6), truth=[1, 1, 0, 0, 1, 0], prediction=[1, 0, 0, 1, 1, 0],
        confidence=[0.9, 0.8, 0.7, 0.6, 0.5, 0.4], scale=[0, 1],
    )  # fmt: skip
    document = acumen.cost(table, abstain_cost=0.3, costs=[[0, 1], [10, 0]], folds=2).document
    assert document.always_answer.value == pytest.approx(11 / 6)
    assert document.threshold == 0.8  # one error of ten is more than handing five over


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"abstain_cost": -1}, "0 or more, not -1"),
        ({"abstain_cost": float("nan")}, "0 or more"),
        ({"folds": 1}, "cannot be cut into 1 folds"),
        ({"folds": 41}, "cannot be cut into 41 folds"),
        ({"costs": "dear"}, "no loss 'dear'"),
        ({"costs": [[0, 0, 0]] * 3}, "^every loss is 0: there is no risk to limit$"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        acumen.cost(study(), **{"abstain_cost": 0.5, **options})


def test_the_command_its_schema_and_its_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_json(tmp_path / "run.json", phq8_run())
    arguments = ["cost", str(tmp_path / "run.json"), "--mode", "few_shot", "--abstain-cost", ".5"]
    arguments += ["--confidence", "token_msp"]
    files = ["-o", str(tmp_path / "c.json"), "--html", str(tmp_path / "c.html")]
    assert run([*arguments, *files]) == 0
    text = " ".join(capsys.readouterr().out.split())
    decided = "Hand over what has token_msp at or below 0.498: a judgment then costs"
    costs = "0.352 [0.313, 0.390]; 0.367 [0.321, 0.413] if every answer is used"
    assert text.startswith(f"What was decided {decided} {costs}")
    assert run(["schema", "cost"]) == 0
    schema = json.loads(capsys.readouterr().out)
    jsonschema.validate(json.loads((tmp_path / "c.json").read_text()), schema)
    page = (tmp_path / "c.html").read_text("utf-8")
    assert "s1-chart-cost" in page
    (tmp_path / "costs.toml").write_text("matrix = [[0, -1], [1, 0]]")
    assert run([*arguments, "--costs", str(tmp_path / "costs.toml")]) == 3
    assert "matrix[0][1]: must be at least 0, not -1" in capsys.readouterr().err
    write_json(tmp_path / "bad.json", {"kind": "cost", "threshold": "x"})
    assert run(["show", str(tmp_path / "bad.json")]) == 3
    assert "threshold: must be a number" in capsys.readouterr().err


def test_a_cost_that_is_the_same_for_every_case_has_no_interval_and_says_why() -> None:
    rows = [
        {
            "id": k,
            "truth": 1 + (k + (k % 4 == 0)) % 5,
            "pred": 1 + k % 5,
            "conf": 0.1 + 0.8 * (k % 9 > 1),
        }
        for k in range(40)
    ]
    answer = acumen.cost(rows, abstain_cost=0.1).document
    assert answer.cost.value == pytest.approx(0.1)  # everything is handed over
    assert (answer.cost.interval, answer.cost.no_interval is None) == (None, False)
    assert answer.always_answer.interval is not None

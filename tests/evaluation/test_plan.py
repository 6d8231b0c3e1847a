"""Agreement of two systems is compared on what both of them answered."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from acumen import from_columns
from acumen.evaluation.plan import Plan, System, all_answered, compare_agreement
from acumen.inference.options import Options
from acumen.table.align import align
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale

LEVELS = Scale("four", (0, 1, 2, 3))


def study(prediction: list[int | None], truth: list[int]) -> Judgments:
    return from_columns(
        case=[f"c{n}" for n in range(len(truth))], truth=truth, prediction=prediction, scale=LEVELS
    )


def system(table: Judgments) -> System:
    return System(table, Plan(options=Options(resamples=0)), {})


def pair(seed: int = 3, rows: int = 60) -> tuple[Judgments, Judgments, list[int]]:
    """A careful system that leaves the rows open on which the bold one errs."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, rows)
    bold = np.where(rng.random(rows) < 0.6, truth, rng.integers(0, 4, rows))
    careful = [
        int(t) if b == t or n % 5 == 0 else None
        for n, (b, t) in enumerate(zip(bold, truth, strict=True))
    ]
    found = align(study(careful, truth.tolist()), study(bold.tolist(), truth.tolist()))
    return found.left, found.right, truth.tolist()


def test_a_row_that_one_side_left_open_is_open_on_both() -> None:
    left, right, _ = pair()
    a, b = all_answered([left, right])
    assert (a.answered == b.answered).all()
    assert (a.answered == (left.answered & right.answered)).all()
    assert (a.prediction[a.answered] == left.prediction[a.answered]).all()
    assert (b.prediction[b.answered] == right.prediction[b.answered]).all()
    assert not (b.answered == right.answered).all()


def test_agreement_is_compared_on_the_rows_that_both_answered_and_accuracy_on_all() -> None:
    left, right, truth = pair()
    deltas = compare_agreement(system(left), system(right))
    both = left.answered & right.answered
    kappa = [
        cohen_kappa_score(np.array(truth)[both], t.prediction[both], weights="quadratic")
        for t in (left, right)
    ]
    assert deltas["quadratic_kappa"].value == pytest.approx(kappa[1] - kappa[0], abs=1e-12)
    own = system(right).infer_agreement()["quadratic_kappa"].value
    assert own is not None
    assert abs(own - kappa[1]) > 0.05  # on its own rows, the hard ones included, it is another
    right_of_all = [float((t.answered & (t.prediction == t.truth)).mean()) for t in (left, right)]
    assert deltas["total_accuracy"].value == pytest.approx(right_of_all[1] - right_of_all[0])


def test_where_no_row_was_answered_by_both_the_reason_says_so() -> None:
    truth = [0, 1, 2, 3] * 3
    left = study([t if n % 2 else None for n, t in enumerate(truth)], truth)
    right = study([None if n % 2 else t for n, t in enumerate(truth)], truth)
    deltas = compare_agreement(system(left), system(right))
    assert deltas["quadratic_kappa"].value is None
    assert deltas["quadratic_kappa"].reason == "no row was answered by both"
    assert deltas["total_accuracy"].value == 0.0

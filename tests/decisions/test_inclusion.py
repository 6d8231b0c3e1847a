"""Thresholds from cases that were drawn with different chances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import acumen
from acumen.cli import run
from acumen.decisions.bounds import Accepted
from acumen.errors import UsageError
from acumen.results.decisions import ThresholdDocument
from simulations.labels import certified

ROWS = np.array([8.0, 8, 6, 0, 4, 8, 2, 8, 5, 7])
LOSS = np.array([0.0, 4, 0, 0, 1, 3, 0, 3, 1, 2])
WEIGHT = np.array([1.0, 2, 1, 4, 2, 1, 3, 2, 1, 2])


def test_the_bound_is_korn_and_graubards_of_weighted_sums() -> None:
    accepted = Accepted.of(ROWS, LOSS, WEIGHT)
    total = (WEIGHT * ROWS).sum()
    risk = (WEIGHT * LOSS).sum() / total
    variance = 10 / 9 * ((WEIGHT * (LOSS - risk * ROWS)) ** 2).sum() / total**2
    assert (accepted.risk, accepted.variance) == pytest.approx((risk, variance))
    squeeze = (stats.norm.ppf(0.9) / stats.t.ppf(0.9, 8)) ** 2
    worth = risk * (1 - risk) / variance * squeeze
    assert worth < ROWS.sum()
    assert accepted.effective(0.1) == pytest.approx(worth)
    upper = stats.beta.ppf(0.9, worth * risk + 1, worth * (1 - risk))
    assert accepted.p_value(upper) == pytest.approx(0.1, abs=1e-6)


def test_weights_that_are_all_the_same_change_nothing() -> None:
    one, same = Accepted.of(ROWS, LOSS), Accepted.of(ROWS, LOSS, np.full(10, 3.0))
    for alpha in (0.05, 0.1, 0.3):
        assert same.p_value(alpha) == pytest.approx(one.p_value(alpha))


def test_more_rows_than_there_are_is_no_bound_worth() -> None:
    # one error in each case and equal weights: no variance between cases
    accepted = Accepted.of(np.full(10, 4.0), np.ones(10), np.full(10, 50.0))
    assert accepted.effective(0.1) == pytest.approx(40)


def test_without_an_error_the_heaviest_case_is_what_may_be_unseen() -> None:
    rows, weight = np.ones(40), np.repeat([1.0, 3.0], 20)
    p = Accepted.of(rows, np.zeros(40), weight).p_value(0.2)
    # a share q of cases that each weigh 3 of 80: q = .2 * 80 / 40 / 3
    assert p == pytest.approx((1 - 0.2 * 80 / 40 / 3) ** 40, abs=1e-6)


def rows() -> list[dict[str, Any]]:
    """Two hundred cases of one row or two; those of the second half are drawn half as often."""
    return [
        {
            "doc": c,
            "part": r,
            "ai": c % 3,
            "human": (c % 3 + (c % 19 == 0)) % 3 if c % (2 if c < 100 else 4) == 0 else None,
            "sure": ((c * 37 + r * 11) % 100) / 100,
            "chance": 0.5 if c < 100 else 0.25,
        }
        for c in range(200)
        for r in range(c % 2 + 1)
    ]


def threshold(data: Any, **options: Any) -> ThresholdDocument:
    columns = {"case": "doc", "item": "part", "prediction": "ai", "truth": "human"}
    columns |= {"confidence_column": "sure", "levels": "0-2", "loss": "zero_one"}
    keywords: dict[str, Any] = columns | {"inclusion": "chance", "risk": 0.3} | options
    document = acumen.threshold(data, **keywords).document
    assert isinstance(document, ThresholdDocument)
    return document


def test_risk_and_coverage_are_those_of_weighted_rows() -> None:
    document = threshold(rows())
    assert document.certified
    assert (document.method, document.test) == ("approx", "korn-graubard")
    labelled = [row for row in rows() if row["human"] is not None]
    cut = -1.0 if document.threshold is None else document.threshold
    accepted = [row for row in labelled if row["sure"] > cut]
    share = sum(1 / row["chance"] for row in accepted)
    wrong = sum(1 / row["chance"] for row in accepted if row["ai"] != row["human"])
    assert document.coverage.value == pytest.approx(
        share / sum(1 / row["chance"] for row in labelled)
    )
    assert document.risk == pytest.approx(wrong / share)
    assert document.drawn is not None
    assert (document.drawn.stands_for, document.drawn.cases) == (200.0, 200)
    assert document.drawn.fits


def test_chances_that_are_all_the_same_change_nothing_but_what_is_said_of_them() -> None:
    even = [row | {"chance": 0.25} for row in rows() if row["doc"] >= 100]
    with_chances, without = threshold(even), threshold(even, inclusion=None)
    assert with_chances.drawn is not None
    assert with_chances.grid == without.grid
    assert with_chances.coverage == without.coverage


def test_labels_that_are_not_those_of_the_draw_are_flagged() -> None:
    fewer = [row | ({"human": None} if row["doc"] % 8 == 0 else {}) for row in rows()]
    facts = threshold(fewer).drawn
    assert facts is not None
    assert not facts.fits


def test_a_coverage_is_asked_for_of_weighted_rows() -> None:
    document = threshold(rows(), risk=None, coverage=0.5)
    assert document.coverage.value is not None
    assert document.coverage.value >= 0.5


@pytest.mark.parametrize("method", ["exact", "crc", "sgr"])
def test_methods_whose_promise_is_for_cases_drawn_alike_are_refused(method: str) -> None:
    with pytest.raises(UsageError, match=f"{method} takes no weights"):
        threshold(rows(), method=method)


def test_cases_that_come_one_by_one_are_not_drawn() -> None:
    with pytest.raises(UsageError, match="leave --inclusion out"):
        threshold(rows(), repeated=True)


def test_a_threshold_of_a_drawn_sample_keeps_its_promise() -> None:
    # every certificate is false here; 10% are promised, and three standard errors are 6 points
    share, _ = certified(np.random.default_rng(4), 200, 60, "doubt", 0.15)
    assert share <= 0.16


@pytest.mark.parametrize(
    "ask",
    ["threshold --risk .4", "cost --abstain-cost .2", "sets", "gate --metric mae --at-most 9"],
)
def test_what_is_odd_in_a_file_of_labels_is_told_beside_every_decision(
    ask: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"d{c},{c % 5 + 1},{(c * 37 % 100) / 100}" for c in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["doc,ai,sure", *rows]))
    labels = [f"d{c},{c % 5 + 1}" for c in range(40)]
    odd = ["doc,label", *labels, labels[0], "x9,3", ",2"]
    (tmp_path / "labels.csv").write_text("\n".join(odd))
    command, *options = ask.split()
    files = [str(tmp_path / "rows.csv"), "--labels", str(tmp_path / "labels.csv"), "--on", "doc"]
    columns = "--case doc --truth label --prediction ai --confidence-column sure --levels 1-5"
    assert run([command, *files, *columns.split(), *options]) in (0, 1, 5)
    told = " ".join(capsys.readouterr().out.split())
    assert "1 label given again, the same: once" in told
    assert "1 of its ids is of no row (x9)" in told
    assert "1 row without an id, left out" in told
    assert "40 of 60 rows have a label of labels.csv" in told

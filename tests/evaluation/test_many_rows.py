"""Resamples are drawn where they are needed or asked for; what large tables leave out is said."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import acumen
from acumen.defaults import RESAMPLED_ROWS
from acumen.evaluation import charted
from acumen.inference.jackknife import Jackknife
from acumen.inference.multiplicity import linear_replicates
from acumen.report.selective.facts import UNDRAWN, provenance


def frame(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(rows)
    truth = rng.integers(0, 4, rows)
    sure = rng.random(rows).round(3)
    wrong = rng.random(rows) > 0.4 + sure / 2
    prediction = np.where(wrong, (truth + 1) % 4, truth)
    return pl.DataFrame(
        {
            "case": np.arange(rows) // 4,
            "item": np.arange(rows) % 4,
            "truth": truth,
            "prediction": prediction,
            "confidence": sure,
        }
    )


def bootstrap_of(rows: int, **options: Any) -> Any:
    evaluation = acumen.evaluate(frame(rows), levels="0-3", **options)
    (variants,) = evaluation.document.sides.values()
    return evaluation.document, variants[0].bootstrap


@pytest.mark.parametrize("options", [{"resamples": 50}, {"interval": "percentile"}])
def test_resamples_that_are_asked_for_are_drawn_of_any_table(options: dict[str, Any]) -> None:
    artifact, bootstrap = bootstrap_of(RESAMPLED_ROWS + 4, **options)
    assert bootstrap.n_resamples == artifact.options["bootstrap_resamples"] > 0
    assert bootstrap.left_out is None
    assert bootstrap.ci95["cmax"] is not None


def test_a_large_table_has_none_by_default_and_says_so() -> None:
    _, bootstrap = bootstrap_of(RESAMPLED_ROWS)
    assert bootstrap.n_resamples == 10_000
    artifact, bootstrap = bootstrap_of(RESAMPLED_ROWS + 4)
    assert (bootstrap.n_resamples, bootstrap.left_out) == (0, "many_rows")
    assert bootstrap.ask_with == "--bootstrap-resamples"
    assert bootstrap.ci95["aurc_full"] is None
    assert artifact.options["bootstrap_resamples"] is None  # so that the command is made again
    assert UNDRAWN in str(provenance(artifact, None))


def test_any_number_of_threads_gives_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    first, *others = (
        acumen.evaluate(frame(8000), levels="0-3", threads=n, resamples=20).to_json()
        for n in (1, 2, 4)
    )
    assert others == [first, first]


def test_linear_replicates_vary_together_as_the_jackknives_do() -> None:
    moves = np.random.default_rng(1).normal(size=(2, 400))
    jackknives = [Jackknife(row) for row in (moves[0], moves[0], moves.sum(axis=0))]
    values = {"a": 1.0, "b": 1.0, "c": 2.0}
    draws = linear_replicates(values, jackknives, 100_000, seed=1)
    assert np.array_equal(draws["a"].values, draws["b"].values)
    spread = np.cov([draws["a"].values, draws["c"].values])
    both = np.stack([jackknives[0].deviations, jackknives[2].deviations])
    assert spread == pytest.approx(both @ both.T * 399 / 400, rel=0.02)
    assert linear_replicates(values, [*jackknives[:2], Jackknife(moves[0, 1:])], 9, 1) == {}


def test_a_curve_of_very_many_points_is_thinned_and_no_other_number_moves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    table = frame(3000).with_columns(confidence=pl.Series(np.random.default_rng(1).random(3000)))
    options: dict[str, Any] = {"levels": "0-3", "resamples": 0, "risk": [0.1, 0.15]}
    whole = acumen.evaluate(table, **options)
    documents = [json.loads(whole.to_json())]
    monkeypatch.setattr(charted, "MOST_POINTS", 1000)
    monkeypatch.setattr(charted, "LISTED_POINTS", 40)
    some = acumen.evaluate(table, **options)
    documents += [json.loads(some.to_json())]
    curves = [d["confidence_variants"]["confidence"].pop("curve") for d in documents]
    accepted = [d["summaries"][0]["functions"]["confidence"].pop("accepted") for d in documents]
    assert [curve.pop("thinned_from") for curve in curves] == [None, 3000]
    points = [
        [*zip(*curve.values(), n, strict=True)] for curve, n in zip(curves, accepted, strict=True)
    ]
    assert len(points[0]) == 3000
    assert 40 <= len(points[1]) <= 40 + 9 + 2
    assert {*points[1]} < {*points[0]}
    assert documents[0] == documents[1]
    assert str(whole) == str(some)  # the cuts that are shown are those of all points
    assert whole.trust(mean_loss=0.12) == some.trust(mean_loss=0.12)

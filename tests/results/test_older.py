"""Documents with the names and the units of older versions are read as those of today."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.results.counts import LargeArtifact
from acumen.results.decisions import GateDocument
from acumen.results.metrics import MetricsArtifact
from acumen.results.older import NAMES, name_of, of_totals
from acumen.results.verdicts import ComparisonDocument, ResultsDocument

ROWS: dict[str, Any] = {
    "case": range(12),
    "truth": [0, 25, 50] * 4,
    "confidence": [k / 12 for k in range(12)],
    "scale": [0, 25, 50, 75, 100],
    "groups": {"side": ["a", "b"] * 6},
}
LEFT = acumen.from_columns(prediction=[0, 25, 75, 0, 25, 50, 50, 50, 50, 25, 25, None], **ROWS)
RIGHT = acumen.from_columns(prediction=[0, 25, 50, 0, 25, 50, 0, 50, 100, 0, 25, 50], **ROWS)
OLDER = {new: old for old, new in NAMES.items() if old not in ("mae_levels",)}
IN_LEVELS = ("mae", "signed_error", "noise_floor_mae", "macro_mae")


def older(numbers: dict[str, Any]) -> dict[str, Any]:
    """Numbers under the names that they had, in levels where they were."""
    out = {}
    for key, number in numbers.items():
        base, at, value = key.partition("@")
        if key in IN_LEVELS:
            ends = number.get("interval")
            parts = [n for n in (number, ends) if isinstance(n, dict)]
            keys = ("value", "delta", "left", "right", "low", "high", "standard_error")
            for part in parts:
                for name in keys:
                    if part.get(name) is not None:
                        part[name] /= 25
        out[OLDER.get(base, base) + at + value] = number
    return out


def near(found: Any, wanted: Any) -> None:
    """The same but for the last digits."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key in wanted:
            near(found[key], wanted[key])
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            near(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-12)
    else:
        assert found == wanted


def test_a_metrics_document_of_before_is_that_of_today() -> None:
    asked: dict[str, Any] = {"resamples": 0, "by": ["side"], "rank_by": "mean_loss"}
    document = acumen.evaluate({"a": LEFT, "b": RIGHT}, **asked).document
    today = document.model_dump(mode="json")
    before = document.model_dump(mode="json")
    before["overall"] = [older(side) for side in before["overall"]]
    for side in before["overall"]:
        side["coverage"] = side.pop("cmax")  # which it was called already
    for variant in before["confidence_variants"]["confidence"].values():
        variant["metrics"] = older(variant["metrics"])
    deltas = before["comparison"]["deltas"]["confidence"]
    deltas["mae"] = deltas.pop("mean_loss")
    before["comparison"]["agreement"] = older(before["comparison"]["agreement"])
    for part in before["slices"]:
        part["metrics"] = {
            {"cmax": "coverage"}.get(key, key): n for key, n in older(part["metrics"]).items()
        }
        part["difference"] = {
            {"cmax": "coverage"}.get(key, key): n for key, n in older(part["difference"]).items()
        }
        part["worst"] = {
            {"cmax": "coverage"}.get(key, key): n for key, n in older(part["worst"]).items()
        }
    before["leaderboard"]["metric"] = before["options"]["rank_by"] = "mae"
    assert "level_mae" in before["overall"][0]
    near(MetricsArtifact.model_validate(before).model_dump(mode="json"), today)
    near(MetricsArtifact.model_validate(today).model_dump(mode="json"), today)


def test_a_gate_of_before_says_of_which_metric_it_was() -> None:
    gate = acumen.gate(RIGHT, LEFT, metric=["coverage", "mean_loss", "mae"], margin=50).document
    today = gate.model_dump(mode="json")
    before = gate.model_dump(mode="json")
    before["schema_version"] = 1
    for check, metric in zip(before["checks"], ("cmax", "mae", "level_mae"), strict=True):
        check["metric"] = metric
    last = before["checks"][2]
    last["bound"] /= 25
    last["values"] = [value / 25 for value in last["values"]]
    last["measured"] = older({"mae": last["measured"]})["level_mae"]
    near(GateDocument.model_validate(before).model_dump(mode="json"), today)


def test_other_documents_of_before_have_the_names_of_today() -> None:
    one = {"value": 0.5}
    large = LargeArtifact.model_validate(
        {
            "source": "x",
            "rows": 1,
            "bits": None,
            "cells": 1,
            "loss": "abs",
            "levels": [0, 25, 50],
            "confidence_level": 0.95,
            "systems": {"a": {"metrics": {"cmax": one, "mae": one, "level_mae": one}}},
        }
    )
    values = {key: number.value for key, number in large.systems["a"].metrics.items()}
    assert values == {"coverage": 0.5, "mean_loss": 0.5, "mae": 12.5}
    part = of_totals({"measures": {"cmax": one, "mae": one}})
    assert [*part["measures"]] == ["coverage", "mean_loss"]
    results = ResultsDocument.model_validate(
        {"metrics": {"level_mae": one, "accuracy": one}, "agreement": {"mae": 0.5}}
    )
    assert [*results.metrics] == ["mae", "accuracy"]
    assert results.agreement == {"mae": 0.5}
    pair = ComparisonDocument.model_validate(
        {"deltas": {"level_mae": {"delta": 0.0, "left": 1.0, "right": 1.0}}}
    )
    assert [*pair.deltas] == ["mae"]


def test_a_name_of_today_is_no_name_of_before_but_for_mae() -> None:
    assert {*NAMES} & {*NAMES.values()} == {"mae"}
    assert name_of("mae_at_cut@0.5") == "mean_loss_at_cut@0.5"

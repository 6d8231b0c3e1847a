"""What an evaluation says of raters is what ``acumen rate`` says of the same ratings."""

from __future__ import annotations

from typing import Any

import pytest

import acumen

RATERS = ["ann", "ben", "eve"]


def ratings() -> list[dict[str, Any]]:
    """Forty cases of two items; each rater skips some, and the judge leaves some open."""
    rows: list[dict[str, Any]] = []
    for i in range(80):
        level = (7 * i * i + 3 * i) % 5
        row: dict[str, Any] = {"doc": i // 2, "item": "ab"[i % 2], "sure": (i * 37 % 80) / 80}
        for j, who in enumerate(RATERS):
            off = {0: 1, 1: -1}.get((i * (j + 3) + j * j) % 7, 0)
            row[who] = None if (i + j) % 6 == 0 else min(max(level + off, 0), 4)
        row["ai"] = None if i % 11 == 7 else min(level + (i % 9 == 0), 4)
        rows.append(row)
    return rows


READING: dict[str, Any] = {"case": "doc", "item": "item", "levels": [0, 1, 2, 3, 4]}


@pytest.mark.parametrize("shape", ["wide", "long"])
def test_agreement_stands_beside_that_of_the_raters(shape: str) -> None:
    rows = ratings()
    judge = acumen.rate(rows, raters=RATERS, judge="ai", **READING).document.judges["ai"]
    said: dict[str, Any] = {"truth": RATERS}
    if shape == "long":
        said = {"truth": "stars", "rater": "who"}
        rows = [row | {"who": who, "stars": row[who]} for who in RATERS for row in rows]
    study = acumen.evaluate(
        rows, prediction="ai", confidence_column="sure", resamples=0, **said, **READING
    )
    assert study["replacement_alpha"].model_dump() == judge.replacement.model_dump()
    assert study["raters_alpha"].model_dump() == judge.replaced.model_dump()
    assert study["noise_floor_mae"].value == pytest.approx(judge.noise_floor.value)
    text = str(study)
    assert "Alpha, in a rater's place" in text
    assert "Alpha of the raters themselves" in text


def test_one_truth_has_no_ceiling() -> None:
    study = acumen.evaluate(ratings(), truth="ann", prediction="ai", resamples=0, **READING)
    assert "raters_alpha" not in study.document.overall_by_input[0]


def test_ratings_without_roles_are_asked_for_by_the_options_of_rate() -> None:
    with pytest.raises(acumen.DataError) as error:
        acumen.rate([{key: row[key] for key in ("doc", "item", *RATERS)} for row in ratings()])
    message = str(error.value)
    for words in ("--case", "--item", "--rater COLUMN --rating COLUMN", "--raters A,B,C", "ann"):
        assert words in message
    assert "--truth" not in message

"""Distances among raters are told in the numbers of the scale; in levels where these are words."""

from __future__ import annotations

from typing import Any

import pytest

import acumen
from acumen.results.raters import IN_LEVELS, RatingsDocument

RATINGS = [(0, 1, 0), (1, 1, 2), (2, 3, 3), (3, 3, 4), (4, 4, 4), (2, 1, 2), (0, 0, 1), (3, 4, 2)]


def rated(step: int) -> RatingsDocument:
    rows: list[dict[str, Any]] = [
        {"case": at, "ann": a * step, "bob": b * step, "ai": c * step}
        for at, (a, b, c) in enumerate(RATINGS)
    ]
    asked: dict[str, Any] = {"case": "case", "levels": f"0-{4 * step}:{step}", "judge": "ai"}
    return acumen.rate(rows, truth="ann,bob", prediction="ai", **asked).document


def test_distances_and_leniency_count_as_the_scale_does() -> None:
    one, many = rated(1), rated(25)
    assert many.noise_floor.value == pytest.approx(25 * 4 / 8)
    judge, same = many.judges["ai"], one.judges["ai"]
    pairs = [(judge, same), (judge.bias, same.bias), (many.people["ann"], one.people["ann"])]
    for found, of_one in pairs:
        for key in IN_LEVELS:
            if (number := getattr(of_one, key, None)) is not None:
                assert getattr(found, key).value == pytest.approx(25 * number.value)
                assert getattr(found, key).ends == pytest.approx([25 * e for e in number.ends])
    assert judge.bias.by_level["0"].value == pytest.approx(25 * same.bias.by_level["0"].value)
    assert many.agreement == one.agreement
    shown = repr(acumen.Result(many))
    assert "Risk: mean error" in shown
    assert "levels" not in shown


def test_a_file_in_levels_is_read_in_the_numbers_of_the_scale() -> None:
    many, one = rated(25), rated(1)
    older = one.model_dump(mode="json") | {"levels": list(many.levels)}
    older.pop("unit")
    again = RatingsDocument.model_validate(older)
    assert again.noise_floor.value == pytest.approx(many.noise_floor.value)
    assert RatingsDocument.model_validate(many.model_dump(mode="json")) == many

"""Draws of one judgment, worked out by hand and against the runner's own signals."""

from __future__ import annotations

import numpy as np
import pytest

import acumen
from acumen.runner.signals import agreement

DRAWS: dict[str, list[int | None]] = {
    "a": [2, 2, 1, None, 2],
    "b": [None, None],
    "c": [0, 3],
    "d": [1],
}
NAMES = ("consistency_modal_confidence", "consistency_score_std", "consistency_na_rate")


def table(**columns: object) -> acumen.Judgments:
    rows = [(case, n, level) for case, draws in DRAWS.items() for n, level in enumerate(draws)]
    case, repeat, prediction = map(list, zip(*rows, strict=True))
    return acumen.from_columns(
        case=case, truth=[1] * len(rows), prediction=prediction, repeat=repeat, scale=range(4),
        **columns,  # type: ignore[arg-type]  # any column
    )  # fmt: skip


def test_every_draw_has_what_the_runner_says_of_them_all() -> None:
    signals = table().signals
    row = 0
    for draws in DRAWS.values():
        own = agreement(draws)
        spread = np.nan if own.score_std is None else own.score_std
        for _ in draws:
            found = [signals[name].values[row] for name in NAMES]
            assert found == pytest.approx([own.modal_confidence, spread, own.na_rate], nan_ok=True)
            row += 1


def test_consistency_ranks_draws_without_another_confidence() -> None:
    evaluation = acumen.evaluate(table(), confidence="consistency", resamples=0)
    assert evaluation["augrc"].value is not None


def test_signals_of_the_rows_stay_and_single_draws_have_none() -> None:
    own = np.linspace(0.0, 1.0, sum(map(len, DRAWS.values())))
    brought = table(signals={"consistency_na_rate": own}).signals
    assert brought["consistency_na_rate"].values == pytest.approx(own)
    alone = acumen.from_columns(case=[1, 2], truth=[0, 1], prediction=[0, 1], repeat=[0, 0])
    assert not set(NAMES) & set(alone.signals)

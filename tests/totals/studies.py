"""Small studies of three items, and of random ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import acumen
from acumen.table.judgments import Judgments
from acumen.table.totals import Total
from acumen.totals.sums import Sums, read_sums

TRUTH = {
    "A": (2, 2, 2),
    "B": (1, 1, 1),
    "C": (3, 3, 3),
    "D": (0, 0, 0),
    "E": (2, 2, 2),
    "F": (0, 1, 0),
}
ANSWERS: dict[str, Sequence[int | None]] = {
    "A": (2, 2, 1),
    "B": (1, 2, 2),
    "C": (3, None, 3),
    "D": (0, None, 1),
    "E": (1, None, 2),
    "F": (0, 1, 0),
}
"""At a cut of 5: A found rightly, B wrongly; C and D decided with an open item; E open; F not."""
ITEMS = ("x", "y", "z")
CUT = Total(cut=5, bands=(3, 6))


def table(**keywords: Any) -> Judgments:
    """The study by hand."""
    return of(list(TRUTH.values()), list(ANSWERS.values()), cases=list(TRUTH), **keywords)


def of(
    truth: Sequence[Sequence[Any]],
    answers: Sequence[Sequence[Any]],
    *,
    cases: Sequence[Any] | None = None,
    levels: int = 4,
    **columns: Any,
) -> Judgments:
    """A study of rows of items."""
    names = list(range(len(truth))) if cases is None else list(cases)
    cells = [(c, i) for c in range(len(truth)) for i in range(len(truth[0]))]
    return acumen.from_columns(
        case=[names[c] for c, _ in cells],
        item=[(*ITEMS, *"abcdefgh")[i] for _, i in cells],
        truth=[truth[c][i] for c, i in cells],
        prediction=[answers[c][i] for c, i in cells],
        scale=list(range(levels)),
        **columns,
    )


def sums(total: Total = CUT, least: float | None = None) -> Sums:
    """The sums of the study by hand."""
    return read_sums(table(), total, least).sums


def random_study(seed: int, cases: int = 12, items: int = 4, silence: float = 0.3) -> Judgments:
    """Answers that are mostly near the truth, some of them open."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, (cases, items))
    answers = np.clip(truth + rng.integers(-1, 2, (cases, items)), 0, 3)
    open_ = rng.random((cases, items)) < silence
    told = [
        [None if o else int(v) for v, o in zip(*row, strict=True)]
        for row in zip(answers, open_, strict=True)
    ]
    return of(truth.tolist(), told)

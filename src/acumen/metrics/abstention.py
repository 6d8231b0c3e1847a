r"""Abstention from both sides, where the truth itself may be that a row cannot be judged.

Rows that can be judged are answered (:math:`A`, their weight) or falsely left open (:math:`S`);
rows that cannot are falsely answered (:math:`F`) or rightly left open (:math:`R`). A row is left
open by an abstention, a refusal, or a reply without a level.

The doctests share six rows: three that cannot be judged, of which the first two are left open, and
three that can, of which the last is.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from acumen.metrics.registry import Kind, Unit, metric, ratio
from acumen.types import Floats
from acumen.views.abstention import (
    NOTHING_OPEN,
    NOTHING_SILENT,
    Abstention,
    abstain_rows,  # noqa: F401 - for doctests
)
from acumen.views.weights import CaseWeights

_share = partial(metric, view=Abstention, kind=Kind.PROPORTION, unit=Unit.SHARE, smooth=True)


def _among(group: str) -> dict[str, Any]:
    """What a share is of: the cases with such rows, which it cannot do without."""
    return {
        "behind": lambda rows: getattr(rows, group).cases,
        "groups": lambda rows: [getattr(rows, group)],
    }


@_share(
    title="Abstention recall",
    better="higher",
    undefined=NOTHING_OPEN,
    **_among("unanswerable"),
)
def abstention_recall(rows: Abstention, weights: CaseWeights) -> Floats:
    r"""Share of the rows that cannot be judged that were left open; higher is better.

    .. math:: R \big/ (R + F)

    >>> view = abstain_rows([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1])
    >>> round(abstention_recall(view, [1] * 6), 6)
    0.666667
    """
    _, _, false, right = rows.cells(weights)
    return ratio(right, right + false)


@_share(
    title="Abstention precision",
    better="higher",
    undefined=NOTHING_SILENT,
    **_among("silent"),
)
def abstention_precision(rows: Abstention, weights: CaseWeights) -> Floats:
    r"""Share of the rows left open that cannot be judged; higher is better.

    .. math:: R \big/ (R + S)

    >>> view = abstain_rows([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1])
    >>> round(abstention_precision(view, [1] * 6), 6)
    0.666667
    """
    _, silent, _, right = rows.cells(weights)
    return ratio(right, right + silent)


@_share(
    title="Abstention F1",
    better="higher",
    undefined="nothing was left open, and nothing had to be",
    **_among("either"),
)
def abstention_f1(rows: Abstention, weights: CaseWeights) -> Floats:
    r"""Harmonic mean of abstention recall and precision; higher is better.

    .. math:: 2R \big/ (2R + S + F)

    >>> view = abstain_rows([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1])
    >>> round(abstention_f1(view, [1] * 6), 6)
    0.666667
    """
    _, silent, false, right = rows.cells(weights)
    return ratio(2 * right, 2 * right + silent + false)


@_share(
    title="False answers",
    better="lower",
    undefined=NOTHING_OPEN,
    **_among("unanswerable"),
)
def false_answers(rows: Abstention, weights: CaseWeights) -> Floats:
    r"""Share of the rows that cannot be judged that were answered; lower is better.

    .. math:: F \big/ (R + F)

    >>> view = abstain_rows([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1])
    >>> round(false_answers(view, [1] * 6), 6)
    0.333333
    """
    _, _, false, right = rows.cells(weights)
    return ratio(false, right + false)


@_share(
    title="False abstentions",
    better="lower",
    undefined="every row is one that cannot be judged",
    **_among("answerable"),
)
def false_abstentions(rows: Abstention, weights: CaseWeights) -> Floats:
    r"""Share of the rows that can be judged that were left open; lower is better.

    .. math:: S \big/ (A + S)

    >>> view = abstain_rows([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 1])
    >>> round(false_abstentions(view, [1] * 6), 6)
    0.333333
    """
    answered, silent, _, _ = rows.cells(weights)
    return ratio(silent, answered + silent)

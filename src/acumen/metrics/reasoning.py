r"""The reasons behind a verdict: are they true, do they carry it?

Every component is a ratio of sums over cases, :math:`\sum_c w_c a_c / \sum_c w_c n_c` with
:math:`a_c` right of :math:`n_c` checked. All are shares between 0 and 1; the scores a report shows
in percent are 100 times ``process`` and ``consistency``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from acumen.defaults import PROCESS_WEIGHTS
from acumen.metrics.ordinal import ordinal_auprc
from acumen.metrics.registry import Kind, Unit, metric, ratio
from acumen.types import Floats
from acumen.views.reasoning import NOTHING_TO_CHECK, PRIMITIVES, RankingWithReasons, Reasoning
from acumen.views.weights import CaseWeights

_component = partial(
    metric,
    view=Reasoning,
    better="higher",
    kind=Kind.PROPORTION,
    unit=Unit.SHARE,
    undefined=NOTHING_TO_CHECK,
    smooth=True,
)


_cell = partial(_component, kind=Kind.CASES)
"""A share of verdicts: each case is in one of the four."""


@_component(title="Incident precision")
def incident_precision(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    r"""Share of the claimed incidents that did happen, counted by review; higher is better.

    .. math:: \sum_c w_c\, |R_c \cap T_c| \big/ \sum_c w_c\, |R_c|

    with :math:`R_c` the reviews a method claims of case c and :math:`T_c` those that tell one.

    >>> sides = {"incident_precision": np.array([1.0, 0.0])}, {"incident_precision": np.ones(2)}
    >>> incident_precision(Reasoning(*sides, 2), [3, 1])
    0.75
    """
    return _share(reasoning, "incident_precision", weights)


@_component(title="Evidence recall")
def evidence_recall(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the true incidents that were claimed, counted by review; higher is better."""
    return _share(reasoning, "evidence_recall", weights)


@_component(title="Severity accuracy")
def severity_accuracy(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Of the claims about true incidents, the share with the right severity; higher is better."""
    return _share(reasoning, "severity_accuracy", weights)


@_component(title="Modifier accuracy")
def modifier_accuracy(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Of the claims about modifiers of true incidents, the share that agree; higher is better."""
    return _share(reasoning, "modifier_accuracy", weights)


@_component(title="Verdict support")
def verdict_support_rate(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the verdicts the policy gives too on the direct evidence; higher is better."""
    return _share(reasoning, "verdict_support_rate", weights)


@_component(title="Snippet validity")
def snippet_validity(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the quoted snippets that stand in the review they cite; higher is better."""
    return _share(reasoning, "snippet_validity", weights)


@_component(title="Score consistency")
def score_consistency(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the claimed totals that are the points of the direct evidence; higher is better."""
    return _share(reasoning, "score_consistency", weights)


@_component(title="Consistency")
def consistency(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the verdicts the policy gives too on *all* claimed evidence; higher is better.

    Over cases with a verdict and some evidence.
    """
    return _share(reasoning, "consistency", weights)


@_cell(title="Right for sound reasons")
def right_sound(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    r"""Share of the verdicts that are right and whose reasons are sound; higher is better.

    Sound: nothing it states of the case was found wrong, and its verdict follows from it.

    .. math:: \sum_c w_c [\hat y_c = y_c] s_c \big/ \sum_c w_c

    over cases with a verdict, with :math:`s_c` whether the reasons are sound. The four shares of
    right and wrong verdicts with sound and unsound reasons sum to 1.

    >>> columns = {"right_sound": np.array([1.0, 0.0, 1.0])}, {"right_sound": np.ones(3)}
    >>> right_sound(Reasoning(*columns, 3), [2, 1, 1])
    0.75
    """
    return _share(reasoning, "right_sound", weights)


@_cell(title="Right by luck", better="lower")
def right_unsound(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the verdicts that are right though their reasons are unsound; lower is better."""
    return _share(reasoning, "right_unsound", weights)


@_cell(title="Wrong for sound reasons", better="lower")
def wrong_sound(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the verdicts that are wrong though their reasons are sound; lower is better.

    They left something out, or the truth is to be doubted.
    """
    return _share(reasoning, "wrong_sound", weights)


@_cell(title="Wrong for unsound reasons", better="lower")
def wrong_unsound(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    """Share of the verdicts that are wrong and whose reasons are unsound; lower is better."""
    return _share(reasoning, "wrong_unsound", weights)


@_component(title="Primitive accuracy", undefined="no primitives are given")
def primitive_accuracy(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    r"""Mean over cases of the share of intermediate values within tolerance; higher is better.

    .. math:: \frac1n \sum_c \frac{1}{K} \sum_k [\,|\hat x_{ck} - x_{ck}| \le \tau_k\,]
    """
    return _share(reasoning, PRIMITIVES, weights)


@_component(title="Process")
def process(reasoning: Reasoning, weights: CaseWeights) -> Floats:
    r"""Weighted mean of the five components of reasoning; higher is better.

    .. math:: \sum_{k \in D} v_k p_k \Big/ \sum_{k \in D} v_k

    with weights .35 incident precision, .30 severity, .15 modifiers, .15 verdict support, .05
    snippets, and D the components the study has: the weight of one that is null goes to the others
    in proportion. After the idea of process supervision, Lightman et al. (2023), arXiv:2305.20050.

    Two cases, snippets never given: .35 · 3/4 + .30 · 1 + .15 · 1 + .15 · 1/2 over .95.

    >>> right = {"incident_precision": [1, 2], "severity_accuracy": [1, 2],
    ...          "modifier_accuracy": [1, 0], "verdict_support_rate": [1, 0],
    ...          "snippet_validity": [0, 0]}
    >>> of = right | {"incident_precision": [1, 3], "verdict_support_rate": [1, 1]}
    >>> columns = [{k: np.array(v, float) for k, v in side.items()} for side in (right, of)]
    >>> view = Reasoning(*columns, 2, components=tuple(PROCESS_WEIGHTS)[:4])
    >>> round(process(view, [1, 1]), 6)
    0.828947
    """
    present = reasoning.components
    if not present:
        return np.full(_share(reasoning, "incident_precision", weights).shape, np.nan)
    shares = np.stack([_share(reasoning, name, weights) for name in present])
    parts = np.array([PROCESS_WEIGHTS[name] for name in present], np.float64)
    mean: Floats = parts @ shares / parts.sum()
    return mean


@metric(
    title="Adjusted AUPRC",
    unit=Unit.SHARE,
    view=RankingWithReasons,
    better="higher",
    kind=Kind.PROPORTION,
    groups=lambda study: study.ranking.all_groups(),
    undefined="ordinal_auprc has no value",
    smooth=True,
)
def adjusted_auprc(study: RankingWithReasons, weights: CaseWeights) -> Floats:
    r"""Ordinal AUPRC times mean primitive accuracy; higher is better.

    .. math:: \overline{\mathrm{AP}} \times \overline{a}

    A product, so that neither a lucky ranking nor idle right steps are enough.
    """
    ranked = np.asarray(ordinal_auprc(study.ranking, weights), np.float64)
    return np.multiply(ranked, _share(study.reasoning, PRIMITIVES, weights))


def _share(reasoning: Reasoning, component: str, weights: CaseWeights) -> Floats:
    return ratio(*reasoning.sums(weights)[component])

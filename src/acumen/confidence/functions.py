"""The confidence functions that ship with acumen.

Columns in, one confidence a row out; higher is surer. Throughout, e = min(evidence, 3)/3, s is the
mean similarity (0 when null), v the model's own rating brought to 0..1 (0.5 when null). The ranges
and the nulls are those of :mod:`acumen.table.signals`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from acumen.confidence.registry import register
from acumen.types import Floats

ENOUGH_EVIDENCE: Final = 3
"""From this many pieces of evidence on, more do not count in the hybrids."""


def _evidence(llm_evidence_count: Floats) -> Floats:
    return np.minimum(llm_evidence_count, ENOUGH_EVIDENCE) / ENOUGH_EVIDENCE


def _rating(verbalized_confidence: Floats) -> Floats:
    return (verbalized_confidence - 1) / 4


@register
def llm(llm_evidence_count: Floats) -> Floats:
    """Number of pieces of evidence the model cited."""
    return llm_evidence_count


@register
def total_evidence(llm_evidence_count: Floats) -> Floats:
    """The same as llm, under its older name."""
    return llm_evidence_count


@register
def grounded(llm_evidence_count: Floats, llm_evidence_invented: Floats) -> Floats:
    """Quotes that stand in the text, less those that do not: an invented one takes a true one."""
    return llm_evidence_count - llm_evidence_invented


@register
def retrieval_similarity_mean(retrieval_similarity_mean: Floats) -> Floats:
    """Mean similarity of the retrieved references, 0 when there are none (null)."""
    return retrieval_similarity_mean


@register
def retrieval_similarity_max(retrieval_similarity_max: Floats) -> Floats:
    """Largest similarity of a retrieved reference, 0 when there are none (null)."""
    return retrieval_similarity_max


@register
def hybrid_evidence_similarity(
    llm_evidence_count: Floats, retrieval_similarity_mean: Floats
) -> Floats:
    """.5 e + .5 s, with e = min(evidence, 3)/3 and s the mean similarity."""
    return 0.5 * _evidence(llm_evidence_count) + 0.5 * retrieval_similarity_mean


@register
def verbalized(verbalized_confidence: Floats) -> Floats:
    """The model's own rating 1..5 brought to 0..1; 0.5 when null."""
    return _rating(verbalized_confidence)


@register
def hybrid_verbalized(
    verbalized_confidence: Floats, llm_evidence_count: Floats, retrieval_similarity_mean: Floats
) -> Floats:
    """.4 v + .3 e + .3 s, with v the rating brought to 0..1."""
    e = _evidence(llm_evidence_count)
    return 0.4 * _rating(verbalized_confidence) + 0.3 * e + 0.3 * retrieval_similarity_mean


@register
def token_msp(token_msp: Floats) -> Floats:
    """Mean probability of the tokens (of the item's score, when acumen made the run)."""
    return token_msp


@register
def token_pe(token_pe: Floats) -> Floats:
    """1/(1 + entropy), from the mean entropy of the same tokens as token_msp."""
    return 1 / (1 + token_pe)


@register
def token_energy(token_energy: Floats) -> Floats:
    """exp(energy): the mass that the top log probabilities capture."""
    return np.exp(token_energy)


@register
def consistency(consistency_modal_confidence: Floats) -> Floats:
    """Share of the most frequent score among the sampled replies."""
    return consistency_modal_confidence


@register
def consistency_inverse_std(consistency_score_std: Floats) -> Floats:
    """1/(1 + std) of the sampled scores."""
    return 1 / (1 + consistency_score_std)


@register
def hybrid_consistency(
    consistency_modal_confidence: Floats,
    llm_evidence_count: Floats,
    retrieval_similarity_mean: Floats,
) -> Floats:
    """.4 times consistency + .3 e + .3 s."""
    e = _evidence(llm_evidence_count)
    return 0.4 * consistency_modal_confidence + 0.3 * e + 0.3 * retrieval_similarity_mean


@register
def confidence(confidence: Floats) -> Floats:
    """The confidence given with the rows, as it is."""
    return confidence


@register
def expected_loss(expected_loss: Floats) -> Floats:
    """Minus what the answer is expected to cost, by the probabilities of the levels."""
    return -expected_loss


@register
def level_probability(level_probability: Floats) -> Floats:
    """Probability of the level that was answered."""
    return level_probability


@register
def level_near(level_near: Floats) -> Floats:
    """Probability of the level that was answered and of those next to it."""
    return level_near


@register
def level_margin(level_margin: Floats) -> Floats:
    """The largest probability of a level less the second."""
    return level_margin


@register
def level_entropy(level_entropy: Floats) -> Floats:
    """1/(1 + entropy) of the probabilities of the levels."""
    return 1 / (1 + level_entropy)


@register
def level_spread(level_spread: Floats) -> Floats:
    """1/(1 + standard deviation) of the levels, by their probabilities."""
    return 1 / (1 + level_spread)

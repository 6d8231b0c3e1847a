"""Few-shot references: for each item, the known passages most like something in the case.

A reference belongs to one item. Its similarity to a case is the largest cosine between it and any
passage of the case (a line of a transcript, a review). A cosine below 0 counts as 0, so a
similarity lies in 0..1: 0 is nothing in common, 1 the same direction. The best few at or above the
least similarity are used; a reference made from the case itself never is.

Vectors come from TF-IDF (scikit-learn, in this process) or from an embeddings endpoint.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from acumen.extras import need
from acumen.runner.cases import Case, Reference
from acumen.runner.endpoint import Endpoint
from acumen.runner.plan import Plan
from acumen.types import CaseId


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A reference for a case, with its similarity in 0..1."""

    text: str
    score: int | float | str
    similarity: float


References = Mapping[str, Sequence[Retrieved]]
"""What was retrieved for one case, by item."""


class TfidfSimilarity:
    """Cosine of TF-IDF vectors of words and pairs of words, weighted by the references."""

    def __init__(self, references: Sequence[Reference]) -> None:
        need("fit", "finding references by their words")
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.references = references
        # no stop list: "not", "never" and "nothing" are what these passages turn on
        self._vectorizer: Any = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
        try:
            self._vectors: Any = self._vectorizer.fit_transform([r.text for r in references])
        except ValueError:  # not one word in all the references
            self._vectors = None

    async def to_case(self, case: Case) -> list[float]:
        """The largest cosine of each reference with any passage of the case."""
        passages = case.passages()
        if self._vectors is None or not passages:
            return [0.0] * len(self.references)
        # rows are of unit length, so a cosine is a dot product
        cosines = self._vectors @ self._vectorizer.transform(passages).T
        return [_unit(float(best)) for best in cosines.max(axis=1).toarray().ravel()]


@dataclass(slots=True)
class EmbeddedSimilarity:
    """Cosine of vectors from an embeddings endpoint; the references are embedded once."""

    references: Sequence[Reference]
    endpoint: Endpoint
    model: str
    _vectors: Sequence[list[float]] = ()

    async def prepare(self) -> None:
        """Embed the references, before the first case."""
        self._vectors = await self._embed([r.text for r in self.references])

    async def to_case(self, case: Case) -> list[float]:
        """The largest cosine of each reference with any passage of the case."""
        passages = await self._embed(case.passages())
        return [
            max((_unit(_cosine(own, passage)) for passage in passages), default=0.0)
            for own in self._vectors
        ]

    async def _embed(self, texts: Sequence[str]) -> list[list[float]]:
        blocks = (texts[start : start + 64] for start in range(0, len(texts), 64))
        return [v for block in blocks for v in await self.endpoint.embed(block, self.model)]


Similarity = TfidfSimilarity | EmbeddedSimilarity
"""How alike each reference is to a case: one number in 0..1 a reference."""


@dataclass(slots=True)
class FewShots:
    """References by case, retrieved once for all its samples."""

    plan: Plan
    similarity: Similarity
    _tasks: dict[CaseId, asyncio.Task[References]] = field(default_factory=dict)

    async def of(self, case: Case) -> References:
        """The references of ``case``, by item."""
        if case.id not in self._tasks:
            items, settings = self.plan.task.scale.items, self.plan.settings
            most, least = settings.references_per_item, settings.least_similarity
            retrieval = retrieve(case, items, self.similarity, most=most, least=least)
            self._tasks[case.id] = asyncio.create_task(retrieval)
        return await asyncio.shield(self._tasks[case.id])


async def retrieve(
    case: Case, items: Sequence[str], similarity: Similarity, *, most: int, least: float
) -> References:
    """For each item its best references, most similar first; ties keep the file's order."""
    by_item: dict[str, list[Retrieved]] = {item: [] for item in items}
    values = await similarity.to_case(case)
    for reference, value in zip(similarity.references, values, strict=True):
        is_own = reference.case is not None and str(reference.case) == str(case.id)
        if reference.item in by_item and value >= least and value > 0 and not is_own:
            by_item[reference.item].append(Retrieved(reference.text, reference.score, value))
    return {item: sorted(r, key=lambda r: -r.similarity)[:most] for item, r in by_item.items()}


def retrieval_signals(retrieved: Sequence[Retrieved]) -> Mapping[str, float | int | None]:
    """Count, mean and largest similarity; null when nothing was retrieved.

    >>> retrieval_signals([])["retrieval_similarity_mean"] is None
    True
    """
    values = [r.similarity for r in retrieved]
    return {
        "retrieval_reference_count": len(values),
        "retrieval_similarity_mean": math.fsum(values) / len(values) if values else None,
        "retrieval_similarity_max": max(values, default=None),
    }


def _unit(cosine: float) -> float:
    return min(max(cosine, 0.0), 1.0)


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    length = math.hypot(*left) * math.hypot(*right)
    if not length or len(left) != len(right) or not math.isfinite(length):
        return 0.0
    return math.fsum(a * b for a, b in zip(left, right, strict=True)) / length

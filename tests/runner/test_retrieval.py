"""References for few-shot prompts."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import pytest

from acumen.runner.cases import Case, Reference
from acumen.runner.retrieval import (
    EmbeddedSimilarity,
    TfidfSimilarity,
    retrieval_signals,
    retrieve,
)

CASE = Case(7, {"text": "I wake at three every night\nI eat well"}, {"Sleep": 2, "Appetite": 0})
REFERENCES = [
    Reference("Sleep", "I wake at three every night", 3),
    Reference("Sleep", "I wake every night", 2),
    Reference("Sleep", "painting and dancing", 0),
    Reference("Appetite", "I eat well", 0, case="7"),
]


class Vectors:
    """An embeddings endpoint with known vectors."""

    def __init__(self, known: dict[str, list[float]]) -> None:
        self.known = known
        self.calls: list[Sequence[str]] = []

    async def embed(self, texts: Sequence[str], model: str) -> list[list[float]]:
        self.calls.append(texts)
        return [self.known[text] for text in texts]


def test_tfidf_finds_the_most_alike_first_and_never_the_cases_own() -> None:
    items, similarity = ["Sleep", "Appetite"], TfidfSimilarity(REFERENCES)
    references = asyncio.run(retrieve(CASE, items, similarity, most=2, least=0.1))
    assert [r.score for r in references["Sleep"]] == [3, 2]
    assert references["Sleep"][0].similarity == pytest.approx(1.0)
    assert 0.1 < references["Sleep"][1].similarity < 1
    assert references["Appetite"] == []


def test_similarity_is_the_best_cosine_with_any_passage_and_never_below_zero() -> None:
    vectors = Vectors(
        {
            "I wake at three every night": [1.0, 0.0],
            "I eat well": [0.0, 2.0],
            "I wake every night": [3.0, 3.0],
            "painting and dancing": [-1.0, -1.0],
        }
    )
    embedded = EmbeddedSimilarity(REFERENCES, vectors, "e")  # type: ignore[arg-type]

    async def similarities() -> list[float]:
        await embedded.prepare()
        return await embedded.to_case(CASE)

    assert asyncio.run(similarities()) == pytest.approx([1.0, math.sqrt(0.5), 0.0, 1.0])


def test_signals_of_what_was_retrieved() -> None:
    similarity = TfidfSimilarity(REFERENCES)
    references = asyncio.run(retrieve(CASE, ["Sleep"], similarity, most=2, least=0.1))["Sleep"]
    signals = retrieval_signals(references)
    values = [r.similarity for r in references]
    assert signals == {
        "retrieval_reference_count": 2,
        "retrieval_similarity_mean": pytest.approx(sum(values) / 2),
        "retrieval_similarity_max": values[0],
    }
    assert retrieval_signals([])["retrieval_similarity_max"] is None


def test_references_without_a_word_retrieve_nothing() -> None:
    similarity = TfidfSimilarity([Reference("Sleep", "… !", 3)])
    references = asyncio.run(retrieve(CASE, ["Sleep"], similarity, most=2, least=0.0))
    assert references == {"Sleep": []}

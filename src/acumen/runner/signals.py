"""Signals that need no log-probabilities: evidence found in the source, agreement of samples."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

_DOUBLE: Final = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02"
_SINGLE: Final = "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u00b4`\uff07"
_FOLD: Final = str.maketrans({**dict.fromkeys(_DOUBLE, '"'), **dict.fromkeys(_SINGLE, "'")})
_BLANKS: Final = re.compile(r"\s+")


def fold(text: str) -> str:
    r"""Text as it is compared: quote marks straightened, runs of white space made one blank.

    >>> fold("  I can\u2019t\n  sleep ")
    "I can't sleep"
    """
    return _BLANKS.sub(" ", text.translate(_FOLD)).strip()


SHORTEST_QUOTE: Final = 4
"""Characters below which a quote shows nothing: "I" stands in every text."""


@dataclass(frozen=True, slots=True)
class EvidenceCount:
    """How many quotes stand in the source, and how many were made up."""

    real: int
    invented: int


def count_quotes(
    quotes: Iterable[str], source: str, most: int = 100, longest: int = 2000
) -> EvidenceCount:
    """Distinct quotes that stand in ``source`` word for word, as many as the task asks for.

    One of fewer than 4 characters, or of more than the task allows, counts as neither.

    >>> count_quotes(["never sleep", "“never  sleep”", "cannot eat"], "I never\\nsleep now.")
    EvidenceCount(real=1, invented=1)
    """
    text = fold(source)
    distinct = dict.fromkeys(fold(quote).strip("\"' ") for quote in quotes)
    sound = [quote for quote in distinct if SHORTEST_QUOTE <= len(quote) <= longest][:most]
    real = sum(quote in text for quote in sound)
    return EvidenceCount(real, len(sound) - real)


def count_snippets(
    rows: Iterable[Mapping[str, str]],
    reviews: Iterable[Mapping[str, Any]],
    most: int = 100,
    longest: int = 2000,
) -> EvidenceCount:
    """Distinct evidence rows whose snippet stands in the review they cite.

    As many as the task asks for; a snippet of another length than quotes may have is not there.
    """
    texts = {review["review_id"]: fold(review["text"]) for review in reviews}
    distinct = {(row["review_id"], row["field"], row["judgement"]): row for row in rows}
    pairs = [(at[0], fold(row.get("snippet", "")).strip("\"' ")) for at, row in distinct.items()][
        :most
    ]
    real = sum(
        SHORTEST_QUOTE <= len(text) <= longest and text in texts.get(review, "")
        for review, text in pairs
    )
    return EvidenceCount(real, len(pairs) - real)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What several samples of one item agree on. Scores are ranks; None is an abstention."""

    modal: int | None
    modal_confidence: float
    score_std: float | None
    na_rate: float


def agreement(samples: Sequence[int | None]) -> Agreement:
    r"""The modal score, its share, the spread of the scores, the share of abstentions.

    A tie for the mode goes to abstention first, then to the smallest score. The spread is the
    population standard deviation of the numeric scores, None when every sample abstained.

    >>> agreement([2, 2, 1, 2, 1])
    Agreement(modal=2, modal_confidence=0.6, score_std=0.4898979485566356, na_rate=0.0)
    """
    counts = Counter(samples)
    most = max(counts.values())
    tied = [score for score, n in counts.items() if n == most]
    modal = None if None in tied else min(score for score in tied if score is not None)
    scores = [score for score in samples if score is not None]
    spread = None
    if scores:
        mean = math.fsum(scores) / len(scores)
        spread = math.sqrt(math.fsum((s - mean) ** 2 for s in scores) / len(scores))
    return Agreement(modal, most / len(samples), spread, counts[None] / len(samples))


def middle(samples: Sequence[int | None], levels: int) -> int:
    """The rank nearest to the mean of the samples; of two as near, the one nearer to the centre.

    >>> middle([0, 2], 3), middle([1, 2], 3), middle([2, 2, None], 3), middle([0, 1], 3)
    (1, 1, 2, 1)
    """
    scores = [score for score in samples if score is not None]
    mean, centre = Fraction(sum(scores), len(scores)), Fraction(levels - 1, 2)
    return min(range(levels), key=lambda rank: (abs(rank - mean), abs(rank - centre), rank))

"""The studies that are timed."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.views.ranking import Ranking, rank
from benchmarks.reference import Item


@dataclass(frozen=True)
class Columns:
    """A study as plain columns; prediction -1 is an abstention."""

    case: NDArray[np.int32]
    truth: NDArray[np.int8]
    prediction: NDArray[np.int8]
    confidence: NDArray[Any]

    @property
    def answered(self) -> NDArray[np.bool_]:
        answered: NDArray[np.bool_] = self.prediction >= 0
        return answered

    @property
    def loss(self) -> NDArray[np.int8]:
        return np.where(self.answered, np.abs(self.prediction - self.truth), np.int8(0))

    @property
    def n_cases(self) -> int:
        return int(self.case[-1]) + 1

    def ranking(self) -> Ranking:
        return rank(
            self.loss, self.confidence, self.answered,
            case=self.case, n_cases=self.n_cases, most_loss=3,
        )  # fmt: skip

    def items(self) -> dict[int, list[Item]]:
        """The rows as objects, by case."""
        out: dict[int, list[Item]] = {case: [] for case in range(self.n_cases)}
        columns = (self.case, self.prediction, self.truth, self.confidence)
        for case, guess, true, sure in zip(*(c.tolist() for c in columns), strict=True):
            out[case].append(Item(case, None if guess < 0 else guess, true, sure))
        return out


LEVELS: Final = ("Low Risk", "High Risk", "Critical Risk")
SHARES: Final = (78, 21, 1)
JUDGEMENTS: Final = {
    "INCIDENT_SEVERITY": ("none", "mild", "moderate"),
    "ASSURANCE_CLAIM": ("true", "false"),
    "STAFF_RESPONSE": ("bad", "kind"),
}
QUOTATIONS: Final = ("no nuts", "an ambulance")


@dataclass(frozen=True)
class VerdictDocuments:
    """A verdict study as it lies on disk, parsed: what a method claims, and what is true."""

    results: list[dict[str, Any]]
    truth: dict[str, Any]
    reviews: dict[str, dict[str, str]]


def verdict_study(cases: int, evidence: int = 20, *, seed: int = 1) -> VerdictDocuments:
    """Scores that follow the truth, verdicts and evidence at random, half of the reviews tell."""
    random = Random(seed)
    results, truth, reviews = [], {}, {}
    for number in range(cases):
        case = f"B{number}"
        rank = random.choices(range(len(LEVELS)), SHARES)[0]
        truth[case] = {
            "verdict": LEVELS[rank],
            "incidents": [{"review_id": f"R{r}", "severity": "mild"} for r in range(6)],
        }
        reviews[case] = {f"R{r}": "they said  no nuts, and there were nuts" for r in range(12)}
        results.append(
            {
                "business_id": case,
                "verdict": random.choice(LEVELS),
                "risk_score": rank + 3 * random.random(),
                "parsed": {
                    "evidences": [_claim(place, random) for place in range(evidence)],
                    "justification": {"direct_evidence": ["E0"]},
                },
            }
        )
    return VerdictDocuments(results, truth, reviews)


def _claim(place: int, random: Random) -> dict[str, str]:
    field = random.choice(tuple(JUDGEMENTS))
    return {
        "evidence_id": f"E{place}",
        "review_id": f"R{random.randrange(12)}",
        "field": field,
        "judgement": random.choice(JUDGEMENTS[field]),
        "snippet": random.choice(QUOTATIONS),
    }


def study(cases: int, items: int = 8, *, ties: int = 0, seed: int = 1) -> Columns:
    """A fifth abstained, half of the rest wrong, confidences untied unless asked for."""
    rng = np.random.default_rng(seed)
    rows = cases * items
    truth = rng.integers(0, 4, rows, dtype=np.int8)
    guess = np.where(rng.random(rows) < 0.5, truth, rng.integers(0, 4, rows, dtype=np.int8))
    confidence = rng.random(rows, dtype=np.float32)
    return Columns(
        np.repeat(np.arange(cases, dtype=np.int32), items),
        truth,
        np.where(rng.random(rows) < 0.2, np.int8(-1), guess).astype(np.int8),
        np.floor(confidence * ties) if ties else confidence,
    )

"""The bundled PHQ-8 study: 41 invented participants, judged twice from interviews that never were.

A participant has a severity, and each of the eight items a true score that follows from it. How
clearly an interview speaks of an item decides how much evidence there is, how often the system
abstains, and how far its replies scatter; a misreading it makes every time it does not notice. The
token and consistency signals know of the scatter, so they tell good answers from bad ones; the
model's own rating is mostly a 4, whatever the answer is worth.

``zero_shot`` retrieves nothing: its reference counts are 0 and its similarities null. ``few_shot``
reads better and abstains less. One participant failed in each. There is no text in it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from statistics import pstdev
from typing import Any, Final

from acumen.table.scale import Scale

SEED: Final = 8
PARTICIPANTS: Final = 41
SAMPLES: Final = 5
"""Replies sampled for an item; the answer is their modal score."""

_FIRST_ID: Final = 1001
_LOADING: Final = 0.75
"""How far the participant's severity, rather than chance, decides an item."""

_ITEMS: Final[Mapping[str, tuple[float, float]]] = {
    # item -> (latent value at which a 0 becomes a 1, how clearly interviews speak of it)
    "NoInterest": (0.2, 0.5),
    "Depressed": (0.0, 1.0),
    "Sleep": (-0.3, 1.2),
    "Tired": (-0.4, 0.7),
    "Appetite": (0.2, -0.6),
    "Failure": (0.1, 0.4),
    "Concentrating": (0.4, 0.0),
    "Moving": (0.9, -0.9),
}
_RUNGS: Final = (0.0, 0.75, 1.4)
"""Where 1, 2 and 3 begin, above an item's own beginning."""


@dataclass(frozen=True, slots=True)
class _Habits:
    """How a mode reads an interview."""

    misreads: float
    """Spread of the error that every sampled reply shares."""
    scatters: float
    """Spread among sampled replies where the interview is unclear."""
    silence: float
    """Clarity below which it would rather abstain."""
    retrieves: bool
    fails: int
    """Which participant, counted from 0, has no usable reply."""


_MODES: Final[Mapping[str, _Habits]] = {
    "zero_shot": _Habits(2.4, 1.7, -0.32, retrieves=False, fails=11),
    "few_shot": _Habits(0.78, 1.3, -0.9, retrieves=True, fails=29),
}


def phq8_run(seed: int = SEED, participants: int = PARTICIPANTS) -> dict[str, Any]:
    """The study as one run artifact with both modes; the same seed gives the same document.

    >>> run = phq8_run()
    >>> [experiment["provenance"]["mode"] for experiment in run["experiments"]]
    ['zero_shot', 'few_shot']
    """
    random = Random(seed)  # noqa: S311  # a reproducible study, no secrets
    people = [_participant(_FIRST_ID + place, random) for place in range(participants)]
    return {
        "run_metadata": {
            "run_id": "demo_phq8",
            "timestamp": "2026-01-08T12:00:00+00:00",
            "git_commit": None,
            "seed": seed,
        },
        "experiments": [
            _experiment(mode, habits, people, random) for mode, habits in _MODES.items()
        ],
    }


@dataclass(frozen=True, slots=True)
class _Participant:
    """What is true of a participant, whoever judges."""

    case: int
    truth: dict[str, int]
    latent: dict[str, float]
    """Where the item lies on the scale, a little beside its true score."""
    clarity: dict[str, float]


def _participant(case: int, random: Random) -> _Participant:
    severity = random.gauss(0, 1)
    talkative = random.gauss(0, 0.4)
    truth, latent, clarity = {}, {}, {}
    for item, (begins, spoken_of) in _ITEMS.items():
        value = _LOADING * severity + math.sqrt(1 - _LOADING**2) * random.gauss(0, 1)
        truth[item] = sum(value > begins + rung for rung in _RUNGS)
        latent[item] = truth[item] + random.uniform(-0.3, 0.3)
        # people speak of what troubles them
        clarity[item] = spoken_of - 0.6 + talkative + 0.35 * truth[item] + random.gauss(0, 0.8)
    return _Participant(case, truth, latent, clarity)


def _experiment(
    mode: str, habits: _Habits, people: Sequence[_Participant], random: Random
) -> dict[str, Any]:
    entries = []
    for place, person in enumerate(people):
        # judged in any case, so that who fails does not change the draws of the others
        entry = _judged(person, habits, random)
        entries.append(_failed(person) if place == habits.fails else entry)
    return {
        "provenance": {
            "mode": mode,
            "split": "synthetic",
            "quantitative_model": "none (simulated)",
            "participants_requested": len(entries),
            "participants_evaluated": len(entries),
        },
        "results": {"mode": mode, "prediction_mode": "item", "results": entries},
    }


def _failed(person: _Participant) -> dict[str, Any]:
    return {
        "participant_id": person.case,
        "success": False,
        "error": "TimeoutError: no reply within 300 s",
        "ground_truth_items": person.truth,
    }


def _judged(person: _Participant, habits: _Habits, random: Random) -> dict[str, Any]:
    predicted: dict[str, int | None] = {}
    signals: dict[str, dict[str, Any]] = {}
    for item in Scale.named("phq8").items:
        seen = person.clarity[item] + random.gauss(0, 0.25)
        scatter = habits.scatters / (1 + math.exp(1.5 * seen))
        reading = person.latent[item] + random.gauss(0, habits.misreads) * (0.15 + scatter)
        samples = [_reply(reading, scatter, seen - habits.silence, random) for _ in range(SAMPLES)]
        predicted[item], share = modal(samples)
        signals[item] = {
            "llm_evidence_count": _evidence(seen, random),
            **_retrieved(seen, habits, random),
            "verbalized_confidence": random.choices((2, 3, 4, 5, None), (2, 15, 55, 25, 3))[0],
            **_tokens(scatter, random),
            **_consistency(samples, share),
        }
    return {
        "participant_id": person.case,
        "success": True,
        "error": None,
        "predicted_items": predicted,
        "ground_truth_items": person.truth,
        "item_signals": signals,
    }


def _reply(reading: float, scatter: float, above: float, random: Random) -> int | None:
    """One sampled reply: a score, or nothing where the interview seems to say too little."""
    if random.random() < 1 / (1 + math.exp(4 * above)):
        return None
    return max(0, min(3, round(reading + random.gauss(0, 0.8 * scatter))))


def modal(samples: Sequence[int | None]) -> tuple[int | None, float]:
    """The most frequent score and its share; of equals abstention, then the smallest score.

    >>> modal([2, 2, 1, 2, 1]), modal([1, 1, None, None, 3])
    ((2, 0.6), (None, 0.4))
    """
    counts = Counter(samples)
    most = max(counts.values())
    score = min((s for s in counts if counts[s] == most), key=lambda s: -1 if s is None else s)
    return score, most / len(samples)


def _evidence(seen: float, random: Random) -> int:
    """Pieces of evidence: more where the interview is clearer, and counted with a heavy hand."""
    expected = 1.6 * math.exp(0.35 * seen)
    count, left = 0, math.exp(-expected)
    chance = random.random()
    term = left
    while chance > left and count < 9:
        count += 1
        term *= expected / count
        left += term
    return count


def _retrieved(seen: float, habits: _Habits, random: Random) -> dict[str, Any]:
    count, mean, most = 0, None, None
    if habits.retrieves:
        count = random.choices((0, 1, 2, 3), (1, 2, 3, 4))[0]
        likeness = [0.52 + 0.03 * seen + random.gauss(0, 0.07) for _ in range(count)]
        if likeness:
            mean, most = round(sum(likeness) / count, 3), round(max(likeness), 3)
    return {
        "retrieval_reference_count": count,
        "retrieval_similarity_mean": mean,
        "retrieval_similarity_max": most,
    }


def _tokens(scatter: float, random: Random) -> dict[str, float]:
    """What the log probabilities tell: the scatter, a little blurred."""
    unsure = max(0.0, scatter + random.gauss(0, 0.1))
    msp = math.exp(-0.25 - 0.5 * unsure)
    return {
        "token_msp": round(msp, 3),
        "token_pe": round(0.3 + 0.9 * unsure + abs(random.gauss(0, 0.15)), 3),
        "token_energy": round(-0.02 - 0.05 * unsure - abs(random.gauss(0, 0.03)), 4),
    }


def _consistency(samples: Sequence[int | None], share: float) -> dict[str, Any]:
    scores = [score for score in samples if score is not None]
    return {
        "consistency_modal_confidence": share,
        "consistency_score_std": round(pstdev(scores), 4) if scores else None,
        "consistency_na_rate": (len(samples) - len(scores)) / len(samples),
        "consistency_samples": list(samples),
    }

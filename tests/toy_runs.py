"""A run artifact made up from a seed, with every signal in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from acumen.table.scale import Scale

ITEMS = Scale.named("phq8").items


def toy_run(n_cases: int = 20, seed: int = 0, *, first_id: int = 300) -> dict[str, Any]:
    """Ratings and token probabilities that know something about being right; some abstentions."""
    rng = np.random.default_rng(seed)
    return {
        "run_metadata": {"run_id": f"toy{seed}", "git_commit": "abc"},
        "experiments": [
            {
                "provenance": {"mode": "few_shot"},
                "results": {
                    "mode": "few_shot",
                    "results": [_case(first_id + c, rng) for c in range(n_cases)],
                },
            }
        ],
    }


def other_run(n_cases: int = 20, times: int = 1) -> dict[str, Any]:
    """The same cases judged again: it answers otherwise in one item of some, others each time."""
    document = toy_run(n_cases)
    for case in document["experiments"][0]["results"]["results"][:: times + 1]:
        item, score = next((i, s) for i, s in case["predicted_items"].items() if s is not None)
        case["predicted_items"][item] = (score + 1) % 4
    return document


def _case(case_id: int, rng: np.random.Generator) -> dict[str, Any]:
    truth = {item: int(rng.integers(0, 4)) for item in ITEMS}
    predicted: dict[str, int | None] = {}
    signals: dict[str, dict[str, Any]] = {}
    for item in ITEMS:
        sure = float(rng.random())
        off = int(rng.random() > 0.3 + 0.6 * sure) * int(rng.integers(1, 3))
        predicted[item] = None if rng.random() < 0.2 else min(3, truth[item] + off)
        signals[item] = {
            "llm_evidence_count": int(rng.integers(0, 6)),
            "retrieval_similarity_mean": None if rng.random() < 0.2 else round(sure, 3),
            "retrieval_similarity_max": None if rng.random() < 0.2 else round(sure, 2),
            "verbalized_confidence": None if rng.random() < 0.1 else 1 + int(sure * 5),
            "token_msp": round(0.5 + sure / 2, 4),
            "token_pe": round(1 - sure, 4),
            "token_energy": round(-float(rng.random()), 4),
            "consistency_modal_confidence": round(0.2 + 0.8 * sure, 1),
            "consistency_score_std": round(1 - sure, 2),
        }
    return {
        "participant_id": case_id,
        "success": True,
        "error": None,
        "predicted_items": predicted,
        "ground_truth_items": truth,
        "item_signals": signals,
    }

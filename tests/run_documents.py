"""A small run artifact to change one thing in."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

from acumen.table.scale import Scale

ITEMS = Scale.named("phq8").items


def case(
    number: int | str,
    predicted: list[int | None],
    truth: list[int],
    evidence: list[int],
) -> dict[str, Any]:
    """One successful case; the lists go by the items of PHQ-8, in order."""
    return {
        "participant_id": number,
        "success": True,
        "error": None,
        "predicted_items": dict(zip(ITEMS, predicted, strict=True)),
        "ground_truth_items": dict(zip(ITEMS, truth, strict=True)),
        "item_signals": {
            item: {"llm_evidence_count": e} for item, e in zip(ITEMS, evidence, strict=True)
        },
    }


_RUN = {
    "run_metadata": {"run_id": "r1", "git_commit": "abc"},
    "experiments": [
        {
            "provenance": {"mode": "few_shot"},
            "results": {
                "mode": "few_shot",
                "results": [
                    case(
                        101,
                        [2, 1, None, 0, 3, 1, 0, None],
                        [2, 2, 1, 0, 1, 1, 0, 3],
                        [3, 1, 0, 2, 1, 1, 2, 0],
                    ),
                    case(
                        102,
                        [0, 0, 1, 1, None, 2, 3, 1],
                        [0, 1, 1, 1, 2, 2, 0, 1],
                        [2, 2, 1, 3, 0, 1, 0, 2],
                    ),
                ],
            },
        }
    ],
}


def run_document() -> dict[str, Any]:
    """Two cases; 13 of 16 rows answered, with 1 + 2 + 1 + 3 = 7 levels off in all."""
    return deepcopy(_RUN)


def entries(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The case records of the first experiment."""
    found: list[dict[str, Any]] = document["experiments"][0]["results"]["results"]
    return found


def write(folder: Path, document: object, name: str = "run.json") -> Path:
    """The document in a file."""
    path = folder / name
    path.write_text(json.dumps(document), "utf-8")
    return path

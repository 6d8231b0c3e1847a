"""The bundled studies, as data: all are invented, and no person's words are in them.

``phq8.json.gz`` holds 41 participants, judged twice from interviews that never were. A participant
has a severity, and each of the eight items a true score that follows from it. How clearly an
interview speaks of an item decides how much evidence there is, how often the system abstains, and
how far its five sampled replies scatter; a misreading it makes every time it does not notice. The
token and consistency signals know of the scatter, so they tell good answers from bad ones; the
model's own rating is mostly a 4, whatever the answer is worth. ``zero_shot`` retrieves nothing;
``few_shot`` reads better and abstains less. One participant failed in each.

``verdicts.json.gz`` holds 100 restaurants, their reviews, and two methods' claims under
``G1_allergy_V2``. ``direct`` guesses verdicts well and gives reasons that do not hold: incidents
nobody told, snippets nobody wrote, severities off, verdicts its own evidence contradicts. ``rag``
is right about as often and for reasons that can be looked up. One case of ``direct`` failed, and
``rag`` abstained once.

``ratings.json.gz`` holds 80 texts, three aspects of each rated by five people and two judges, with
the truth they were drawn around. ``dan`` is lenient by .7 levels and ``eve`` skips two of five.
``judge_a`` is as exact as a person and abstains at times; ``judge_b`` likes length (.35 levels a
doubling) and its own texts (.6). ``label`` is what ``ann`` said of every fourth text.

``tickets.json.gz`` holds 300 tickets, how urgent a person says each is (1 to 5), and a judge that
gives a probability for every level. It is surer than it may be, its own answer leans up, and 9
tickets it left open.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from acumen.files.json import parse_json

POLICY: Final = "G1_allergy_V2"
"""The policy that the verdicts are given under."""


def phq8_run() -> dict[str, Any]:
    """The PHQ-8 study as one run artifact with both modes.

    >>> [experiment["provenance"]["mode"] for experiment in phq8_run()["experiments"]]
    ['zero_shot', 'few_shot']
    """
    return _document("phq8")


@dataclass(frozen=True, slots=True)
class VerdictStudy:
    """The documents of a study, as they lie on disk."""

    truth: dict[str, Any]
    reviews: dict[str, Any]
    results: dict[str, dict[str, Any]]

    def documents(self) -> dict[str, dict[str, Any]]:
        """The documents by the name of their file, without its ending."""
        results = {f"results-{method}": document for method, document in self.results.items()}
        return {"truth": self.truth, "reviews": self.reviews, **results}


def verdict_study() -> VerdictStudy:
    """The verdict study.

    >>> from collections import Counter
    >>> Counter(case["verdict"] for case in verdict_study().truth.values())
    Counter({'Low Risk': 67, 'High Risk': 21, 'Critical Risk': 12})
    """
    return VerdictStudy(**_document("verdicts"))


def ratings() -> list[dict[str, Any]]:
    """The ratings, one row an aspect of a text.

    >>> ratings()[0]["truth"], len(ratings())
    (3, 240)
    """
    rows: list[dict[str, Any]] = _document("ratings")["rows"]
    return rows


def tickets() -> list[dict[str, Any]]:
    """The tickets, one row each.

    >>> tickets()[0]["probabilities"], len(tickets())
    ([0.29, 0.6, 0.11, 0.0, 0.0], 300)
    """
    rows: list[dict[str, Any]] = _document("tickets")["rows"]
    return rows


RATERS: Final = ("ann", "ben", "cleo", "dan", "eve")
JUDGES: Final = ("judge_a", "judge_b")
RATING: Final[dict[str, Any]] = {"case": "text", "item": "aspect", "levels": "1-5"}
"""How the ratings are read."""


def _document(name: str) -> dict[str, Any]:
    source = f"{name}.json.gz"
    document = parse_json(gzip.decompress(files(__name__).joinpath(source).read_bytes()), source)
    assert isinstance(document, dict)
    return document

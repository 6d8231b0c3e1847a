"""The questions that acumen answers: each declared once, in the module of its name.

A question is a function that makes a document (:mod:`acumen.questions.question`); its command, its
Python function and all that is said of it are derived from the declaration.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final

from acumen.questions.question import Question, question_of

HOMES: Final = {
    "evaluate": "evaluate:evaluate",
    "measure": "evaluate:measure",
    "calibrate": "calibrate:calibrate",
    "threshold": "threshold:threshold",
    "sets": "sets:sets",
    "cost": "cost:cost",
    "gate": "gate:gate",
    "watch": "watch:watch",
    "cascade": "cascade:cascade",
    "card make": "card:card",
    "card check": "card:check_card",
    "plan": "plan:plan",
    "rate": "rate:rate",
    "estimate": "estimate:estimate",
    "label": "label:label",
    "total": "total:total",
    "score": "score:score",
    "count": "count:count",
    "merge": "count:merge",
    "map": "map:map_",
    "run": "run:run",
}
"""Question -> the module here that declares it, and its function there."""


def find_question(name: str) -> Question:
    """A question by its name, imported when it is asked for."""
    module, _, function = HOMES[name].partition(":")
    return question_of(getattr(import_module(f"{__name__}.{module}"), function))

"""A page of every kind of document acumen writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

import acumen
from acumen.readers.run import run_from_document
from acumen.report.html import Reportable
from acumen.studies import JUDGES, RATERS, RATING, phq8_run, ratings
from acumen.table.judgments import Judgments
from tests.report.studies import paired_evaluation, single_evaluation, verdict_results

SYSTEMS: Final = "abcdefg"
QUICK: Final[Mapping[str, Any]] = {"resamples": 200}


def table(mode: str = "few_shot") -> Judgments:
    return run_from_document(phq8_run(), mode=mode)


def systems(count: int) -> list[dict[str, Any]]:
    """Rows of some systems on the same 40 cases of three items, each a little worse than the last.

    No random number: the errors of a system lie where a remainder says so.
    """
    return [
        {
            "id": f"case {case}",
            "item": item,
            "system": f"system {name}",
            "site": "north" if case % 3 else "south",
            "truth": (case + at) % 4,
            "prediction": None
            if (case * 7 + at + place) % 11 == 0
            else ((case + at) + ((case * 5 + at * 3 + place) % (9 - place) == 0)) % 4,
            "confidence": ((case * 37 + at * 11 + place * 5) % 100) / 100,
        }
        for place, name in enumerate(SYSTEMS[:count])
        for case in range(40)
        for at, item in enumerate(("sleep", "mood", "energy"))
    ]


def of_systems(count: int, **more: Any) -> Reportable:
    return acumen.evaluate(systems(count), system="system", item="item", **more, **QUICK)


MAKERS: Final[Mapping[str, Callable[[], Reportable]]] = {
    "evaluate": single_evaluation,
    "compare": paired_evaluation,
    "five": lambda: of_systems(5),
    "seven": lambda: of_systems(7),
    "slices": lambda: of_systems(2, by=["site", "item"]),
    "abstention": lambda: acumen.evaluate(
        [
            row | {"truth": "cannot tell"} if (at * 7 + at // 3) % 6 == 0 else row
            for at, row in enumerate(systems(1))
        ],
        item="item",
        by="site",
        unanswerable="cannot tell",
        **QUICK,
    ),
    "verdicts": verdict_results,
    "rate": lambda: acumen.rate(
        ratings(), raters=RATERS, judge=JUDGES, length="words", own="author", **RATING
    ),
    "estimate": lambda: acumen.estimate(
        ratings(), labelled="label", prediction=JUDGES[0], **RATING
    ),
    "label": lambda: acumen.label(
        ratings(), budget=20, purpose="estimate", prediction=JUDGES[0], **RATING
    ),
    "calibrate": lambda: acumen.calibrate(table()),
    "threshold": lambda: acumen.threshold(table(), confidence="token_msp", risk=0.2),
    "sets": lambda: acumen.sets(table(), alpha=0.2),
    "cost": lambda: acumen.cost(table(), confidence="token_msp", abstain_cost=0.5),
    "gate": lambda: acumen.gate(
        table(),
        table("zero_shot"),
        metric=["augrc", "mean_loss"],
        margin=0.01,
        confidence="token_msp",
    ),
    "total": lambda: acumen.total(
        table("zero_shot"), table(), prorate=0.5, confidence="token_msp", risk=4.0, wrong=0.3
    ),
    "plan": lambda: acumen.plan(table(), table("zero_shot"), confidence="token_msp", detect=0.005),
}
KINDS: Final = {kind: cache(make) for kind, make in MAKERS.items()}

"""Abstention from both sides as a part of the document: counts, levels, and what it costs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from acumen.evaluation.plan import System
from acumen.inference.infer import infer
from acumen.metrics import METRICS
from acumen.results.metrics import AbstentionPart, LevelOpen
from acumen.table.judgments import Judgments
from acumen.values.measured import Measured
from acumen.views.abstention import abstain_rows
from acumen.views.weights import CaseWeights

DIGITS: Final = 6
"""Of counts, where a rating is a part of its judgment."""


def abstention_part(system: System) -> AbstentionPart | None:
    """What is known of a system's abstentions; None where no words say what cannot be judged."""
    view = system.abstention
    if view is None:
        return None
    table, options = system.table.included, system.plan.options.without_resamples()
    shares = replace(view, weight=np.asarray(table.share, np.float64))
    cells = [round(float(c[0]), DIGITS) for c in shares.cells(CaseWeights.once(view.n_cases))]
    assert table.unanswerable is not None
    known = ~table.unanswerable
    alone = System(
        table.take(known),
        system.plan,
        {name: values[known] for name, values in system.confidence.items()},
    )

    def measured(name: str, of: System, function: str | None) -> Measured:
        return infer([METRICS[name]], of.ranked_by(function), options)[name].measured

    return AbstentionPart(
        answered=cells[0],
        false_abstentions=cells[1],
        false_answers=cells[2],
        right_abstentions=cells[3],
        by_level=_by_level(table, system),
        risk=measured("mean_loss", system, None),
        risk_without=measured("mean_loss", alone, None),
        augrc={
            name: (measured("augrc", system, name), measured("augrc", alone, name))
            for name in system.confidence
        },
    )


def _by_level(table: Judgments, system: System) -> list[LevelOpen]:
    """How many rows of each true level were left open: the hard ones may be the severe ones."""
    options, parts = system.plan.options.without_resamples(), []
    for rank, level in enumerate(table.scale.levels):
        rows = table.truth == rank
        if not rows.any():
            continue
        part = table.take(rows)
        view = abstain_rows(
            np.zeros(len(part), bool),
            ~part.answered,
            case=part.case,
            n_cases=len(part.cases),
            weight=part.weight,
        )
        metric = METRICS["false_abstentions"]
        parts.append(
            LevelOpen(
                level=str(level),
                cases=len(part.cases),
                rows=round(float(part.share.sum()), DIGITS),
                left_open=infer([metric], view, options)[metric.name].measured,
            )
        )
    return parts

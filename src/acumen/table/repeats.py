"""What several draws of one judgment agree on: the consistency signals of a run, from rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from acumen.table.judgments import Judgments, Outcome, Signal


def with_consistency(table: Judgments) -> Judgments:
    """The table with the signals of its draws, where judgments are drawn more than once.

    Every draw of a judgment has the share of its commonest answer (an abstention is one), the
    standard deviation of the ranks, and the share of abstentions. Draws that failed are no draws;
    signals that the rows bring themselves stay as they are.
    """
    if table.repeat is None:
        return table
    _, judgment = np.unique(table.row_keys("system"), return_inverse=True)
    levels, size = len(table.scale.levels), int(judgment.max(initial=-1)) + 1
    abstained = table.outcome == Outcome.ABSTAINED
    drawn = (table.answered | abstained) & table.once
    answer = np.where(abstained, levels, table.prediction)[drawn]
    counts = np.zeros((size, levels + 1))
    np.add.at(counts, (judgment[drawn], answer), 1.0)
    draws, scores = counts.sum(axis=1), counts[:, :levels].sum(axis=1)
    if not (draws > 1).any():
        return table
    ranks = np.arange(levels)
    with np.errstate(invalid="ignore"):  # of no draw there is no share
        mean = counts[:, :levels] @ ranks / scores
        square = (counts[:, :levels] * (ranks - mean[:, None]) ** 2).sum(axis=1) / scores
        of_judgment = {
            "consistency_modal_confidence": counts.max(axis=1) / draws,
            "consistency_score_std": np.sqrt(square),
            "consistency_na_rate": counts[:, levels] / draws,
        }
    signals = {
        name: Signal.of_numbers(values[judgment], np.isnan(values[judgment]))
        for name, values in of_judgment.items()
    }
    return replace(table, signals=signals | dict(table.signals))

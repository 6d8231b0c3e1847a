"""Which levels hold the truth? A set of neighbouring levels for each answer, with a promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from acumen.calibration.sets import bound_of, entries_of
from acumen.decisions.sample import hashes_of, mean_by_case, origin
from acumen.defaults import COST_FOLDS
from acumen.errors import DataError, UsageError, printable
from acumen.metrics.registry import Kind
from acumen.results.calibration import case_hash
from acumen.results.decisions import SetMethod, SetsDocument
from acumen.table.judgments import Judgments
from acumen.table.signals import SAMPLES, answered_rows
from acumen.types import Floats
from acumen.values.measured import finite


def document_of(
    table: Judgments, alpha: float, method: str | None, probabilities: str | Sequence[str]
) -> SetsDocument:
    """How far a set must reach, and how often and how wide sets are on cases held out."""
    if not table.once.all():
        raise UsageError("a set holds one truth: of several raters, say which by --truth-is")
    if table.weight is not None:
        raise UsageError("a decision counts every row alike; leave the weights out")
    rows, names = answered_rows(table), _chances(table, method, probabilities)
    entries, truth = entries_of(table, rows, names), (np.arange(len(rows)), table.truth[rows])
    place = np.argsort(np.argsort([case_hash(case, "") for case in table.cases]))
    answered, case = np.unique(place[table.case[rows]], return_inverse=True)
    if (n := len(answered)) < COST_FOLDS:
        message = f"{n} cases with an answer; sets need at least {COST_FOLDS}"
        raise DataError([message], source=table.source.name)
    fold, score = case % COST_FOLDS, entries.score[truth]
    others = [bound_of(score[fold != k], case[fold != k], alpha) for k in range(COST_FOLDS)]
    held_out = entries.within(np.array(others)[fold])
    width, sizes, levels = held_out.sum(axis=1), np.bincount(case), held_out.shape[1]
    of_case: Floats = np.bincount(case, held_out[truth]) / sizes
    return SetsDocument(
        **origin(table, None, None),
        method="aps" if names else "distance",
        probabilities=names,
        alpha=alpha,
        bound=finite(bound_of(score, case, alpha)),
        coverage=mean_by_case(of_case, np.ones(n), Kind.PROPORTION),
        width=float((np.bincount(case, width) / sizes).mean()),
        shares=(np.bincount(width, minlength=levels + 1)[1:] / len(width)).tolist(),
        cases=n,
        case_hashes=hashes_of(table),
    )


def _chances(table: Judgments, method: str | None, named: str | Sequence[str]) -> list[str]:
    """The signals that hold the chances of levels; none for sets of distance."""
    names = [n.strip() for n in (named.split(",") if isinstance(named, str) else named) if n]
    if method not in (None, *get_args(SetMethod)) or (method == "distance" and names):
        known = "aps, and distance, which takes no probabilities"
        raise UsageError(f"no method '{printable(str(method))}' of this; there are {known}")
    samples = table.signals.get(SAMPLES)
    if not names and method != "distance" and samples is not None and samples.other:
        return [SAMPLES]
    if not names and method == "aps":
        message = "has no chances of levels: name a signal for each level (--probabilities), "
        message += "sample several replies (acumen run --samples), or take the method distance"
        raise DataError([message], source=table.source.name)
    return names

"""Which levels hold the truth? A set of neighbouring levels for each answer, with a promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack, get_args

import numpy as np

from acumen.calibration.sets import bound_of, entries_of
from acumen.decisions.sample import hashes_of, mean_by_case, origin
from acumen.defaults import ALPHA, COST_FOLDS
from acumen.errors import DataError, UsageError, printable
from acumen.evaluation.inputs import table_of
from acumen.metrics.registry import Kind
from acumen.readers.reading import Reading
from acumen.report.findings import Decided
from acumen.results.calibration import case_hash
from acumen.results.decisions import SetMethod, SetsDocument
from acumen.results.measured import finite
from acumen.table.judgments import Judgments
from acumen.table.signals import SAMPLES, answered_rows
from acumen.types import Floats


def sets(
    data: Any,
    *,
    alpha: float = ALPHA,
    method: str | None = None,
    probabilities: str | Sequence[str] = "",
    mode: str | None = None,
    **reading: Unpack[Reading],
) -> Decided[SetsDocument]:
    """How far a set of levels must reach to hold the truth, but for a share ``alpha``.

    The promise is of a new case like these and any of its answered judgments. ``method``: ``aps``
    grows sets by the chances of levels, which are those of ``probabilities`` (signals, one a level,
    lowest first) or the shares of sampled replies; ``distance`` needs none. By default aps where
    there are chances. As ``calibration`` of other cases it makes the confidence ``interval_width``.

    >>> import acumen
    >>> table = acumen.from_columns(case=range(20), truth=[0] * 15 + [1] * 5, prediction=[0] * 20,
    ...                             scale=[0, 1, 2])
    >>> document = acumen.sets(table, alpha=0.1).artifact
    >>> document.method, document.bound, document.width
    ('distance', 1.0, 2.0)
    """
    table = table_of(data, mode, reading).scored
    if not 0.0 < alpha < 1.0:
        raise UsageError(f"alpha is a chance between 0 and 1, not {alpha:g}")
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
    document = SetsDocument(
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
    return Decided(document)


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

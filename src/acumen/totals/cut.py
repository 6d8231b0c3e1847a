"""Which side of a cut, and which band: against the truth, with open cases counted in every way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from acumen.inference.sums import Estimate
from acumen.metrics.registry import Kind
from acumen.raters.agreement import kappa
from acumen.results.totals import BandPart, CutMeasure, CutPart
from acumen.totals.formula import Codes, Mask
from acumen.totals.shares import share
from acumen.totals.sums import OPEN, Sums
from acumen.values.measured import Measured

RATES: Final[dict[str, Callable[[Mask, Mask], tuple[Mask, Mask]]]] = {
    "sensitivity": lambda is_, true: (is_ & true, true),
    "specificity": lambda is_, true: (~is_ & ~true, ~true),
    "ppv": lambda is_, true: (is_ & true, is_),
    "npv": lambda is_, true: (~is_ & ~true, ~is_),
    "accuracy": lambda is_, true: (is_ == true, np.ones(len(is_), bool)),
}
"""Measure -> which cases are a hit, and of which: called positive, and truly so."""
EMPTY: Final[dict[str, str]] = {
    "sensitivity": "no such case is truly positive",
    "specificity": "no such case is truly negative",
    "ppv": "no such case is called positive",
    "npv": "no such case is called negative",
    "accuracy": "no such case",
    "kappa": "no such case, or all are on one side of the cut in truth and prediction",
}


def cut_of(sums: Sums, level: float) -> CutPart | None:
    """The decisions at the cut; None where there is no cut."""
    if sums.formula.total.cut is None:
        return None
    side = sums.side
    part = CutPart(
        cases=len(side),
        positive=int((side == 1).sum()),
        negative=int((side == 0).sum()),
        open=int((side == OPEN).sum()),
    )
    if not sums.has_truth:
        return part
    true = sums.true_side
    table = np.zeros((2, 3), np.int64)
    np.add.at(table, (true, np.where(side == OPEN, 2, side)), 1)
    (tn, fp, open_negative), (fn, tp, open_positive) = table.tolist()
    return part.model_copy(
        update={
            "true_positive": tp,
            "false_positive": fp,
            "false_negative": fn,
            "true_negative": tn,
            "open_positive": open_positive,
            "open_negative": open_negative,
            "measures": measures_of(side, true == 1, level),
        }
    )


def measures_of(side: Codes, true: Mask, level: float) -> dict[str, CutMeasure]:
    """Every measure of the decided cases, and with open cases put on either side.

    All measures rise when an open case is put on its true side, and fall when on the other: what
    is lowest and highest over every way to decide the open cases are these two.
    """
    decided, is_ = side != OPEN, side == 1
    ways = {
        "decided": (is_[decided], true[decided]),
        "lowest": (np.where(decided, is_, ~true), true),
        "highest": (np.where(decided, is_, true), true),
        "open_as_positive": (np.where(decided, is_, True), true),
        "open_as_negative": (is_, true),
    }
    names = (*RATES, "kappa")
    return {
        name: CutMeasure(**{way: measure(name, *both, level) for way, both in ways.items()})
        for name in names
    }


def measure(name: str, is_: Mask, true: Mask, level: float) -> Measured:
    """One measure of cases called positive, and truly so."""
    if name == "kappa":
        return kappa_of(is_, true, 2).measured(Kind.CORRELATION, level, EMPTY[name])
    hits, of = RATES[name](is_, true)
    return share(int(hits.sum()), int(of.sum()), EMPTY[name], level)


def kappa_of(own: Codes | Mask, true: Codes | Mask, size: int) -> Estimate:
    """Cohen's kappa with squared distances; of two sides these are Cohen's own."""
    counts = np.zeros((len(own), size, size))
    counts[np.arange(len(own)), true.astype(int), own.astype(int)] = 1
    return kappa(counts, np.arange(size))


def bands_of(sums: Sums, level: float) -> BandPart | None:
    """True bands against those of the totals; None where none are declared."""
    total = sums.formula.total
    if not total.bands:
        return None
    size, own = len(total.bands) + 1, sums.band
    names = list(total.band_names) or _spans(sums)
    counts = np.bincount(np.where(own == OPEN, size, own), minlength=size + 1).tolist()
    part = BandPart(names=names, cases=counts[:-1], open=counts[-1])
    if not sums.has_truth:
        return part
    true, decided = sums.formula.band(sums.truth), own != OPEN
    table = np.zeros((size, size + 1), np.int64)
    np.add.at(table, (true, np.where(decided, own, size)), 1)
    right = int((own == true).sum())
    estimate = kappa_of(own[decided], true[decided], size)
    reason = "no band is decided, or all are one and the same"
    return part.model_copy(
        update={
            "table": table.tolist(),
            "right": share(right, int(decided.sum()), "no band is decided", level),
            "kappa": estimate.measured(Kind.CORRELATION, level, reason),
        }
    )


def _spans(sums: Sums) -> list[str]:
    """Bands without names, by where they begin."""
    low, high = sums.formula.ends
    starts = [low, *sums.formula.total.bands]
    return [f"from {start:g}" for start in starts[:-1]] + [f"{starts[-1]:g} to {high:g}"]

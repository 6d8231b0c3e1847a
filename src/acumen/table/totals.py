"""A total: what items add up to for a case, where it is cut, and which bands it has."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final, Literal

import numpy as np

from acumen.errors import label
from acumen.table.levels import Level
from acumen.types import Floats

Side = Literal["high", "low"]
DIGITS: Final = 9
"""Sums of the same weights in another order are equal to so many digits."""


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of items, weighted where that is declared, as a scale file holds it.

    >>> Total(items=("a", "b"), reversed=("b",), times=4).points((0, 1, 2), ("a", "b")).tolist()
    [[0.0, 4.0, 8.0], [8.0, 4.0, 0.0]]
    """

    name: str = "total"
    title: str = ""
    items: tuple[str, ...] = ()
    """None: all items that there are."""
    reversed: tuple[str, ...] = ()
    """Items that count from the other end: the lowest level has the most points."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """Of items that do not count once."""
    times: float = 1
    """What the sum is multiplied by."""
    cut: float | None = None
    positive: Side = "high"
    """Which side of the cut is looked for: ``high`` is at the cut or above, ``low`` at or below."""
    bands: tuple[float, ...] = ()
    """The lowest total of each band but the first, rising."""
    band_names: tuple[str, ...] = ()
    reference: str = ""

    def points(self, levels: Sequence[Level], items: Sequence[str]) -> Floats:
        """What each level of each item adds to the total: ``(item, level)``; a label its rank."""
        is_label = isinstance(levels[0], str)
        values: Floats = np.array(range(len(levels)) if is_label else levels, np.float64)
        rows = [values[::-1] if item in self.reversed else values for item in items]
        weight = np.array([self.weights.get(item, 1) * self.times for item in items], np.float64)
        return np.stack(rows) * weight[:, None]

    def ends(self, levels: Sequence[Level], items: Sequence[str]) -> tuple[float, float]:
        """The lowest and the highest total that there can be."""
        points = self.points(levels, items)
        low, high = points.min(axis=1).sum(), points.max(axis=1).sum()
        return float(tidy(low)), float(tidy(high))

    def cut_at(
        self, cut: float | None, bands: Sequence[float] | None, positive: Side | None
    ) -> Total:
        """The same with another cut or other bands, where these are asked for."""
        own = self if bands is None else replace(self, bands=tuple(bands), band_names=())
        own = own if cut is None else replace(own, cut=cut)
        return own if positive is None else replace(own, positive=positive)


def tidy(sums: Any) -> Any:
    """Sums without the last digits that their order may change."""
    return np.round(sums, DIGITS)


def of_tables(tables: Iterable[Mapping[str, Any]]) -> tuple[Total, ...]:
    """Totals from the keys of a scale file; lists become tuples."""
    keys: Iterator[dict[str, Any]] = (
        {k: tuple(v) if isinstance(v, list) else v for k, v in table.items()} for table in tables
    )
    return tuple(Total(**own) for own in keys)


def wrong_totals(
    totals: Sequence[Total], levels: Sequence[Level], items: Sequence[str]
) -> list[tuple[int, str, str]]:
    """What cannot be in the totals of a scale: place, key and message, all at once."""
    names = [total.name for total in totals]
    twice = [(at, "name", "is the name of two totals") for at in places_of_repeats(names)]
    wrong = ((at, *w) for at, total in enumerate(totals) for w in wrong_total(total, levels, items))
    return [*twice, *wrong]


def places_of_repeats(names: Sequence[str]) -> list[int]:
    """Where a name stands that came before."""
    return [at for at, name in enumerate(names) if name in names[:at]]


def wrong_total(
    total: Total, levels: Sequence[Level], items: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Key and message of everything that is wrong with a total of a scale."""
    own = total.items or tuple(items)
    for key, named, known in (
        ("items", total.items, items),
        ("reversed", total.reversed, own),
        ("weights", tuple(total.weights), own),
    ):
        yield from ((key, f"names the item {label(n)} twice") for n in sorted(_repeated(named)))
        if unknown := [name for name in named if known and name not in known]:
            yield key, f"names {label(unknown[0])}, which is not among the items"
    factors = [("times", total.times), *(("weights", w) for w in total.weights.values())]
    yield from (
        (key, f"{w:g} must be a finite number and not 0")
        for key, w in factors
        if not math.isfinite(w) or not w
    )
    if total.band_names and len(total.band_names) != len(total.bands) + 1:
        yield "band_names", f"must be {len(total.bands) + 1}: one more than bands"
    if own and all(math.isfinite(w) for _, w in factors):
        yield from wrong_places(total, *total.ends(levels, own))


def wrong_places(total: Total, low: float, high: float) -> Iterator[tuple[str, str]]:
    """Key and message of a cut or a band that parts no totals, where they run so."""
    span = f"the total runs from {low:g} to {high:g}"
    cut, above = total.cut, total.positive == "high"
    if cut is not None and not (low < cut <= high if above else low <= cut < high):
        word = (
            f"above {low:g} and at most {high:g}" if above else f"{low:g} or more, below {high:g}"
        )
        yield "cut", f"{cut:g} parts nothing: {span}, so a cut must be {word}"
    if any(a >= b for a, b in pairwise(total.bands)):
        yield "bands", "must rise: each the lowest total of a band, but of the first"
    outside = [band for band in total.bands if not low < band <= high]
    if outside:
        yield "bands", f"{outside[0]:g} begins no band: {span}"


def _repeated(names: Sequence[str]) -> set[str]:
    return {names[at] for at in places_of_repeats(names)}

"""Counts and sums as the files that sites exchange; hostile or inconsistent ones are refused."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, counted, printable
from acumen.files.json import read_json, source_name, to_json
from acumen.files.problems import validated
from acumen.inference.jackknife import ROUNDING
from acumen.large.api import rows_of
from acumen.large.cells import count_rows
from acumen.large.counts import CELL, COLUMNS, Counts
from acumen.large.gradient import MIXES, Measurement
from acumen.large.gradient import NEAR as NEAR_SLOPE
from acumen.large.passes import bins_of
from acumen.readers.reading import Reading
from acumen.results.counts import NEAR, CountsDocument, MomentsDocument
from acumen.table.judgments import JUDGED, WEIGHTS
from acumen.table.losses import AnyLoss, Loss, find_loss
from acumen.table.scale import Scale

MOST_HASHES: Final = 1_000_000
"""Cases of a site that are compared with those of others by their hashes."""
MOST_ROWS: Final = 10**12
"""Rows that a cell may have: sums of as many are whole numbers still."""
HASH: Final = 16
"""Letters of a hash that are kept."""
_HIDDEN: Final = ("bits", "ranked", "outcomes", "hidden_rows", "hidden_weight")


def document_of(counts: Counts, **facts: Any) -> CountsDocument:
    """The counts as the file that a site gives away."""
    facts |= {name: getattr(counts, name) for name in _HIDDEN}
    cells = {name: counts.cells[name].tolist() for name in COLUMNS}
    levels = list(counts.scale.levels)
    return CountsDocument(kind="acumen counts", version=1, levels=levels, cells=cells, **facts)


def counts_of(document: CountsDocument, source: str) -> Counts:
    """The counts of a document, or all that is wrong with them."""
    scale = Scale.parse({"name": "levels", "levels": document.levels}, source)
    sizes = {len(column) for column in document.cells.values()}
    if document.cells.keys() != {*COLUMNS} or len(sizes) > 1:
        raise DataError([f"cells: {', '.join(COLUMNS)}, all of one length"], source)
    cells = np.zeros(sizes.pop(), CELL)
    for name, column in document.cells.items():
        is_whole = CELL[name].kind == "i"
        cells[name] = np.clip(column, -MOST_ROWS, MOST_ROWS) if is_whole else column
    with np.errstate(all="ignore"):  # what is too large for a float is refused
        wrong = {what: mask for what, mask in _wrong(cells, document).items() if mask.any()}
    problems = [f"cell {np.argmax(mask)}: {what}" for what, mask in wrong.items()]
    rows = sum(document.outcomes.get(o.name.lower(), 0) for o in JUDGED)
    total, answers = int(cells["rows"].sum()), int(cells["rows"][cells["prediction"] >= 0].sum())
    hidden = document.outcomes.get("answered", 0) - answers
    if total + document.hidden_rows != rows or not 0 <= hidden <= document.hidden_rows:
        there = f"{total:,} rows in cells, {answers:,} of them answers"
        problems.append(f"the counts do not add up: {there}, of {rows:,} that are judged")
    if document.hidden_weight > document.hidden_rows * WEIGHTS[1] * (document.fewest > 1):
        problems.append("hidden_weight: no rows of cells that were left out weigh as much")
    if problems:
        raise DataError(problems, source)
    return Counts(scale, cells, **{name: getattr(document, name) for name in _HIDDEN})


def _wrong(cells: NDArray[Any], document: CountsDocument) -> dict[str, NDArray[np.bool_]]:
    """What cannot be, and which cells have it."""
    levels, some = len(document.levels), cells["prediction"] >= 0
    truth, prediction, low, high = (cells[n] for n in ("truth", "prediction", "low", "high"))
    weight, total, squares = (cells[n] for n in ("weight", "total", "squares"))
    room = NEAR * np.maximum(np.maximum(abs(low), abs(high)), NEAR) * weight
    is_between = (low * weight - room <= total) & (total <= high * weight + room)
    is_between &= total**2 <= weight * squares * (1 + NEAR)
    is_between &= squares <= np.maximum(low**2, high**2) * weight * (1 + NEAR) + room * NEAR
    seen = np.unique(cells[["bin", "truth", "prediction"]], return_index=True)[1]
    if document.bits is None:
        of_bin = (low == cells["bin"]) & (high == cells["bin"])
    else:
        of_bin = np.logical_and(*(bins_of(e, document.bits) == cells["bin"] for e in (low, high)))
    not_whole = [np.asarray(document.cells[n]) % 1 != 0 for n in ("truth", "prediction", "rows")]
    return {
        "ranks and rows are whole numbers": np.logical_or.reduce(not_whole),
        f"its rows must be 1 to {MOST_ROWS:,}": (cells["rows"] < 1) | (cells["rows"] == MOST_ROWS),
        f"its weight must be 0, or {WEIGHTS[0]:g} to {WEIGHTS[1]:g} a row": (weight != 0)
        & ((weight < WEIGHTS[0]) | (weight > WEIGHTS[1] * cells["rows"])),
        f"a rank is not one of {levels} levels": (truth < 0) | (truth >= levels)
        | (prediction < -1) | (prediction >= levels),
        "it is given twice": ~np.isin(np.arange(len(cells)), seen),
        "a confidence that is not of its bin": some & ~of_bin,
        "no confidences have these sums": some & ~is_between,
        "a confidence without an answer": ~some & (abs(cells["bin"]) + abs(total) + squares > 0),
    }  # fmt: skip


def read_counts(path: str | Path) -> CountsDocument | MomentsDocument:
    """Counts, or sums over cases, from a file."""
    content = read_json(path)
    if isinstance(content, dict) and content.get("kind") == "acumen moments":
        if content.get("version") == 1:
            raise DataError(["is old: make it anew, acumen count --against"], source_name(path))
        return validated(content, MomentsDocument, source_name(path))
    return validated(content, CountsDocument, source_name(path))


def fingerprints(document: CountsDocument, loss: Loss, scale: Scale) -> dict[str, str]:
    """What tells whether sums belong to these counts and to these costs."""
    costs = [loss.grades(scale).unit, *loss.costs(scale)]
    contents = {"pooled": document.model_dump(mode="json"), "costs": costs}
    return {k: hashlib.sha256(to_json(c).encode()).hexdigest() for k, c in contents.items()}


def hashed(salt: str, text: str) -> str:
    """A text that only who has the salt can tell."""
    return hmac.new(salt.encode(), text.encode(), hashlib.sha256).hexdigest()[:HASH]


def hashes_of(ids: Sequence[Any], salt: str) -> dict[str, Any]:
    """The ids of cases as hashes that only who has the salt can compare."""
    texts = (f"{i:.0f}" if isinstance(i, float) and i % 1 == 0 else str(i) for i in ids)
    return {"salt": hashed(salt, ""), "case_hashes": sorted(hashed(salt, text) for text in texts)}


def moments(
    data: Any, against: str | Path, engine: str | None, loss: AnyLoss, reading: Reading
) -> MomentsDocument:
    """The second round: sums over the cases of a site of what its rows do to the pooled metrics."""
    document, source = read_counts(against), source_name(against)
    if isinstance(document, MomentsDocument):
        raise DataError(["is no file of counts"], source)
    pooled, cost = counts_of(document, source), find_loss(loss)
    if not {"scale", "levels"} & {*reading}:
        reading = {**reading, "levels": list(pooled.scale.levels)}
    cells = count_rows(rows_of(data, None, engine, reading), pooled.bits)
    if cells.only.scale.levels != pooled.scale.levels:
        raise UsageError(f"the pooled counts have the levels {pooled.scale.allowed}, in this order")
    place = cells.only.find(pooled)
    if (place < 0).any() and not pooled.hidden_rows:
        raise DataError(["its rows are not among the pooled counts: other files, or other options"])
    sums = cells.sums([Measurement.of(pooled, cost)], [place])
    own = fingerprints(document, cost, pooled.scale)
    return MomentsDocument(kind="acumen moments", version=2, loss=cost.name, sums=sums, **own)


def pool(documents: Mapping[str, CountsDocument]) -> CountsDocument:
    """The counts of several sites as one document; a case at two of them is refused."""
    first, *others = documents.values()
    if not others:
        return first
    counts = {name: counts_of(document, source_name(name)) for name, document in documents.items()}
    for name, own in counts.items():
        if list(own.scale.levels) != first.levels:
            why = "its levels are not those of the first file; give all sites the same --levels"
            raise DataError([why], source_name(name))
    facts: dict[str, Any] = {}
    if len({d.salt for d in documents.values()}) > 1:
        raise DataError(["the sites used different salts, or some none: cases cannot be compared"])
    if first.salt is not None:
        hashes = sorted(h for d in documents.values() for h in d.case_hashes or ())
        twice = len(hashes) - len({*hashes})
        if twice:
            raise DataError([f"{counted(twice, 'case')} at two sites: a case lies wholly at one"])
        facts = {"salt": first.salt, "case_hashes": hashes}
    facts["fewest"] = max(d.fewest for d in documents.values())
    facts["sites"] = sum(d.sites for d in documents.values())
    return document_of(reduce(Counts.merge, counts.values()), **facts)


def total_of(
    pooled: CountsDocument, sums: Mapping[str, MomentsDocument], system: Measurement
) -> dict[str, float]:
    """The sums over the cases of all sites; refused where they do not belong together."""
    total: dict[str, float] = {}
    own, facts = fingerprints(pooled, system.loss, system.counts.scale), system.facts
    mixes = {n: sum((f * facts[p] for p, f in m.items()), np.zeros(1)) for n, m in MIXES.items()}
    parts = {**facts, **mixes, **system.slopes}
    keys = {"cases", *(f"{part}_0_{k}" for part in parts for k in MomentsDocument.powers)}
    for name, document in sums.items():
        again = {n for n, d in sums.items() if d.sums == document.sums and d.sums.get("rows_0_1")}
        wrong = {f"those of {source_name(n)} once more": True for n in sorted(again - {name})} | {
            "made against other pooled counts": document.pooled != own["pooled"],
            f"of the loss {printable(document.loss)}, or its costs": document.costs != own["costs"],
            "of other metrics": document.sums.keys() != keys,
        }
        if problems := [f"its sums are {what}" for what, is_wrong in wrong.items() if is_wrong]:
            raise DataError(problems, source_name(name))
        for key, value in document.sums.items():
            most = max(total.get(key, 0.0), value)
            total[key] = most if key.endswith("_most") else total.get(key, 0.0) + value
    if len(sums) != pooled.sites:
        raise UsageError(f"sums of {len(sums)} of {pooled.sites} sites: intervals need them all")
    rows = int(system.counts.cells["rows"].sum()) + system.counts.hidden_rows
    if total["cases"] > rows:
        raise DataError([f"sums of {total['cases']:,.10g} cases, but counts of {rows:,} rows"])
    if odd := next((p for p, each in parts.items() if not _can_be(system, total, p, each)), None):
        theirs, ours = f"{total['rows_0_1']:,.10g}", f"{system.counts.cells['weight'].sum():,.10g}"
        why = f"the sums are of other rows than the counts, by {odd}"
        raise DataError([f"{why} (their weight is {theirs}, that of the counts {ours})"])
    return total


def _can_be(system: Measurement, total: Mapping[str, float], part: str, each: NDArray[Any]) -> bool:
    """Whether rows that are counted, in whatever cases, can have these sums of a part.

    The first is that of the cells, and of what was left out. The power k of a case is at most the
    power k − 1 of its weight times the sum of the powers of its rows.
    """
    cells, hidden, largest = system.counts.cells, system.counts.hidden_weight, total["rows_0_most"]
    one, two, _, four, above, most = (total[f"{part}_0_{k}"] for k in MomentsDocument.powers)
    slack = (NEAR_SLOPE if part in system.slopes else NEAR) * abs(each).max(initial=0.0) + ROUNDING
    weight, size = cells["weight"], abs(each) + slack
    apart, room, peak = one - weight @ each, slack * weight.sum(), size.max(initial=slack)
    squares, fourths = (weight @ size**k + hidden * peak**k for k in (2, 4))
    able = cells["rows"][each > (-slack if part in system.slopes else 0.0)].sum()
    return bool(
        hidden * each.min(initial=-slack) - room <= apart <= hidden * each.max(initial=slack) + room
        and most <= largest * peak
        and two <= largest * squares
        and four <= largest * largest * largest * fourths
        and above <= able + system.counts.hidden_rows
    )

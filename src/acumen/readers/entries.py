"""One record a case, as run artifacts hold them -> the table.

A record has ``participant_id`` and ``success``; a successful one has ``predicted_items``, and may
have ``ground_truth_items``, ``item_signals`` (or the older ``evidence_counts``) and
``item_distributions``, each by item. A null prediction is a refusal where ``refused_items`` names
it, else abstention, and nothing else is; a prediction that is absent is an error, a truth may still
come. A case without success failed, or was refused as a whole, as its ``error`` says. All problems
are told at once.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import Any, Final

import numpy as np

from acumen.defaults import LOSS
from acumen.errors import DataError, OffScaleError, label, what_came
from acumen.files.fields import Fields
from acumen.readers.answers import NOTHING, choose_scale, rows_with_truth
from acumen.readers.content import Content
from acumen.readers.distribution import Probabilities, read_distribution
from acumen.readers.json_rows import parse_lines
from acumen.readers.keys import bad_id
from acumen.table.coded import Coded, check_ids, factorize
from acumen.table.distribution import under_loss
from acumen.table.judgments import (
    NO_PREDICTION,
    FailedCase,
    Judgments,
    Outcome,
    Signal,
    Source,
    unjudged_items,
)
from acumen.table.scale import Scale, scales_by_items
from acumen.types import CaseId, Floats

MOST_SIGNALS: Final = 1000
"""Every signal is a column of the table: keys that are values would fill the memory."""
_ABSENT: Final = object()
REFUSAL: Final = "RefusalError"
"""What the error of a case begins with that the system declined as a whole."""
_ERROR_NAME = re.compile(r"[A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout|Failure)\b")
_FIELDS = (
    *("predicted_items", "ground_truth_items", "item_signals", "evidence_counts"),
    "item_distributions",
)


_Record = tuple[str, CaseId, dict[str, Any]]
"""How a message names it, its case, and what it holds."""
_Row = tuple[CaseId, str, int, int, Outcome, Mapping[str, object], object]
"""Case, item, truth, prediction, outcome, signals, probabilities of the levels."""


def table_from_entries(
    entries: Sequence[object],
    *,
    scale: Scale | None,
    source: Source,
    name: str,
    strict: bool = False,
    warnings: Sequence[str] = (),
    places: Sequence[str] | None = None,
) -> Judgments:
    """The table of a list of case records; ``places`` says how a message names each record.

    Without a scale it is the shipped one that has items of theirs, else the range of the numbers.
    """
    scale = scale or _scale_of(entries, name)
    places = places or [f"results[{i}]" for i in range(len(entries))]
    fields = Fields(name, scale.case)
    records = list(_records(entries, places, fields))
    _note_duplicates(records, fields)
    id_problems, id_warnings = check_ids({case for _, case, _ in records}, scale.case)
    fields.problems += id_problems
    if not entries:
        fields.wrong(None, "there are no cases in it")
    items = _items(records, scale, fields)
    expected = dict.fromkeys(items)
    rows: list[_Row] = []
    failed: list[FailedCase] = []
    for _, case, record in records:
        if record["success"]:
            rows += _rows_of(case, record, expected, scale, fields)
        else:
            own = list(_open_rows(case, record, expected, scale))
            rows += own
            if not own or own[0][4] is Outcome.FAILED:
                failed.append(FailedCase(case, redacted(record.get("error"))))
    names = dict.fromkeys(key for *_, signals, _ in rows for key in signals)
    distribution = _distribution(rows, scale, fields)
    if len(names) > MOST_SIGNALS:
        first = ", ".join(label(key) for key in list(names)[:3])
        message = f"{len(names)} different signals ({first}, …), at most {MOST_SIGNALS} are read"
        fields.case = None
        fields.wrong("item_signals", message)
    if fields.problems:
        raise DataError(scale.hint(fields.problems), source=name)
    warnings = [*warnings, *id_warnings, *unjudged_items(items, scale), *_totals(records, scale)]
    cases, _ = factorize([case for _, case, _ in records])
    codes = {case: code for code, case in enumerate(cases)}, {i: c for c, i in enumerate(items)}
    columns = zip(*rows, strict=True) if rows else [()] * 7
    case_of, item_of, truth, prediction, outcome, signals, _ = columns
    table = Judgments(
        scale=scale,
        cases=cases,
        items=items,
        case=np.array([codes[0][case] for case in case_of], np.int32),
        item=np.array([codes[1][item] for item in item_of], np.int32),
        truth=np.array(truth, np.int16),
        prediction=np.array(prediction, np.int16),
        outcome=np.array(outcome, np.uint8),
        signals={
            name: Signal.of_objects([s.get(name, _ABSENT) for s in signals], _ABSENT)
            for name in names
        },
        distribution=distribution,
        failed=tuple(failed),
        warnings=tuple(warnings),
        source=source,
    )
    return rows_with_truth(under_loss(table, LOSS), strict=strict)


def _distribution(rows: Sequence[_Row], scale: Scale, fields: Fields) -> Floats | None:
    """The probabilities of the levels of each row, NaN where it has none; None where no row has."""
    if all(cell is None for *_, cell in rows):
        return None
    size = len(scale.levels)
    values = np.full((len(rows), size), np.nan)
    for at, (case, item, *_, cell) in enumerate(rows):
        fields.case = case
        numbers = [n for n in cell if type(n) in (int, float)] if isinstance(cell, list) else []
        if isinstance(cell, list) and len(numbers) == len(cell) == size:
            values[at] = numbers
        elif cell is not None:
            what = f"must be a list of {size} probabilities, lowest level first"
            fields.wrong("item_distributions", f"{what}, not {what_came(cell)}", item)
    reading = read_distribution(Probabilities.of(values), scale)
    for fault in reading.faults:
        fields.case = rows[fault.row][0]
        fields.wrong("item_distributions", str(fault.message), rows[fault.row][1])
    fields.case = None
    return reading.values


def read_cases(content: Content, scale: Scale | None = None, *, strict: bool = False) -> Judgments:
    """The table of JSON Lines with one case record a line, as a runner writes them."""
    entries, lines = parse_lines(content)
    return table_from_entries(
        entries,
        scale=scale,
        source=replace(content.source, is_long=False),
        name=content.name,
        strict=strict,
        places=[f"line {line}" for line in lines],
    )


def _scale_of(entries: Sequence[object], name: str) -> Scale:
    records = [entry for entry in entries if isinstance(entry, dict)]
    truth, prediction = (
        [pair for r in records if isinstance(r.get(key), dict) for pair in r[key].items()]
        for key in ("ground_truth_items", "predicted_items")
    )
    for scale in scales_by_items():
        if not prediction or any(item in scale.items for item, _ in (*truth, *prediction)):
            return scale
    truths, predictions = (Coded.of([v for _, v in pairs]) for pairs in (truth, prediction))
    try:
        return choose_scale(None, truths, predictions, NOTHING)
    except DataError as error:
        raise DataError(error.problems, source=name) from None


def _records(entries: Sequence[object], places: Sequence[str], fields: Fields) -> Iterator[_Record]:
    """The records whose id and outcome can be read; the others become problems."""
    for place, entry in zip(places, entries, strict=True):
        fields.case = None
        if not isinstance(entry, dict):
            fields.wrong(place, f"must be an object, not {what_came(entry)}")
            continue
        case = entry.get("participant_id", _ABSENT)
        if case is _ABSENT:
            fields.wrong(place, f"lacks participant_id{_like('participant_id', (*entry,))}")
            continue
        if (fault := bad_id(case)) is not None:
            fields.wrong(f"{place}.participant_id", fault)
            continue
        fields.case = case
        if isinstance(success := entry.get("success", _ABSENT), bool):
            yield place, case, entry
        else:
            value = "it is missing" if success is _ABSENT else f"not {what_came(success)}"
            fields.wrong("success", f"must be true or false, {value}")
    fields.case = None


def _note_duplicates(records: Sequence[_Record], fields: Fields) -> None:
    first: dict[CaseId, tuple[str, bool]] = {}
    for place, case, record in records:
        where, success = first.setdefault(case, (place, record["success"]))
        if where != place:
            both = ", both as a success and as a failure" if success != record["success"] else ""
            fields.case = case
            fields.wrong(None, f"duplicate: given twice, in {where} and {place}{both}")
    fields.case = None


def _items(records: Sequence[_Record], scale: Scale, fields: Fields) -> tuple[str, ...]:
    """The union of the items the successful cases name, in the scale's order."""
    named: dict[str, None] = {}
    for (_, case, record), key in product(records, _FIELDS[:2]):
        by_item = record.get(key) if record["success"] else None
        fields.case = case
        for item in by_item if isinstance(by_item, dict) else ():
            if scale.items and item not in scale.items:
                message = f"{scale.foreign}{_like(item, scale.items)}"
                fields.wrong(key, OffScaleError(message), item)
            else:
                named[item] = None
    fields.case = None
    return tuple(i for i in scale.items if i in named) or tuple(named)


def _rows_of(
    case: CaseId, record: dict[str, Any], items: Mapping[str, None], scale: Scale, fields: Fields
) -> Iterator[_Row]:
    fields.case = case
    objects = _objects(record, fields)
    if "predicted_items" not in objects:
        return
    truths, answers = objects.get(_FIELDS[1], items), objects["predicted_items"]
    items = {item: None for item in items if item in truths or item in answers}
    for key in ("predicted_items", "item_signals"):
        lacking = [item for item in items if item not in objects.get(key, items)]
        if lacking:  # one problem for all: a file of cases with items of their own is mostly gaps
            first, more = lacking[0], len(lacking) - 1
            rest = f", nor {more} more of the {len(items)} items" if more else ""
            fields.wrong(key, f"lacks this item{_like(first, (*objects[key],))}{rest}", first)
    refused = record.get("refused_items") or []
    if not isinstance(refused, list):
        fields.wrong("refused_items", f"must be a list of items, not {what_came(refused)}")
        return
    for item in (item for item in items if item in objects["predicted_items"]):
        ranks = []
        for key, none in zip(_FIELDS, (None, _ABSENT), strict=False):
            value = objects.get(key, {}).get(item, _ABSENT)
            if none is _ABSENT and value is None:
                value = _ABSENT  # a truth that is null is no truth, as one that is not there
            try:
                ranks.append(NO_PREDICTION if value is none else scale.rank(value))
            except ValueError as error:
                fields.wrong(key, error, item)
        signals = _signals_of(objects, item, fields)
        if len(ranks) == 2:
            open_ = Outcome.REFUSED if item in refused else Outcome.ABSTAINED
            outcome = open_ if ranks[0] == NO_PREDICTION else Outcome.ANSWERED
            chances = objects.get("item_distributions", {}).get(item)
            yield case, item, ranks[1], ranks[0], outcome, signals, chances


def _objects(record: dict[str, Any], fields: Fields) -> dict[str, dict[str, Any]]:
    """The fields that must be objects; the first must be there, and no name may be mistyped."""
    objects = {}
    others = tuple(k for k in record if not k.endswith("_total") and k not in _FIELDS)
    for key in _FIELDS:
        value = record.get(key, _ABSENT)
        if value is None and key == _FIELDS[1]:
            value = _ABSENT
        if isinstance(value, dict):
            objects[key] = value
        elif value is not _ABSENT:
            fields.wrong(key, f"must be an object by item, not {what_came(value)}")
        elif (hint := _like(key, others) if key in _FIELDS[:2] else "") or key == _FIELDS[0]:
            fields.wrong(key, f"is missing{hint}")
    return objects


def _signals_of(
    objects: Mapping[str, dict[str, Any]], item: str, fields: Fields
) -> dict[str, object]:
    if "item_signals" not in objects:
        counts = objects.get("evidence_counts", {})
        return {"llm_evidence_count": counts[item]} if item in counts else {}
    signals = objects["item_signals"].get(item, {})
    if isinstance(signals, dict):
        return signals
    fields.wrong("item_signals", f"must be an object, not {what_came(signals)}", item)
    return {}


def _open_rows(
    case: CaseId, record: Mapping[str, Any], items: Mapping[str, None], scale: Scale
) -> Iterator[_Row]:
    """The rows of a case that failed or was refused as a whole, as far as its truth can be read."""
    truths, error = record.get("ground_truth_items"), record.get("error")
    declined = isinstance(error, str) and error.partition(":")[0] == REFUSAL
    outcome = Outcome.REFUSED if declined else Outcome.FAILED
    for item, truth in truths.items() if isinstance(truths, dict) else ():
        if item in items:
            with suppress(ValueError):
                yield case, item, scale.rank(truth), NO_PREDICTION, outcome, {}, None


def redacted(error: object) -> str:
    """Why a case failed, without the text: an error may quote the transcript it failed on.

    >>> redacted("TimeoutError: while reading 'I have not slept'")
    'TimeoutError (error text of 46 characters, sha256 4eea4e50)'
    >>> redacted(None)
    'no reason given'
    """
    if not isinstance(error, str) or not error:
        return "no reason given"
    digest = hashlib.sha256(error.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    description = f"error text of {len(error)} characters, sha256 {digest}"
    name = _ERROR_NAME.match(error)
    return f"{name[0]} ({description})" if name else description


def _totals(records: Sequence[_Record], scale: Scale) -> list[str]:
    """Stated totals that contradict the items."""
    warnings = []
    for (_, case, record), kind in product(records, ("ground_truth", "predicted")):
        stated, by_item = record.get(f"{kind}_total"), record.get(f"{kind}_items")
        if not record["success"] or stated is None or not isinstance(by_item, dict):
            continue
        values = [v for v in by_item.values() if isinstance(v, int | float)]
        if len(values) == len(by_item) and sum(values) != stated:
            total_is = f"{scale.case} {label(case)}: {kind}_total is {what_came(stated)}"
            warnings.append(f"{total_is} but its items sum to {sum(values)}")
    more = f"and {len(warnings) - 3} more stated totals contradict their items"
    return warnings if len(warnings) <= 3 else [*warnings[:3], more]


@lru_cache(maxsize=1000)
def _like(name: str, known: tuple[str, ...]) -> str:
    """A hint at the name that may have been meant; none among so many that nobody typed them."""
    names = {k.strip().casefold(): k for k in known if len(known) <= 100}
    close = difflib.get_close_matches(name.strip().casefold(), names, 1, 0.75)
    return f" (did you mean {label(names[close[0]])}?)" if close else ""

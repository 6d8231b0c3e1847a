"""One record a case, as run artifacts hold them -> the table.

A record has ``participant_id`` and ``success``; a successful one has ``predicted_items``,
``ground_truth_items`` and ``item_signals`` (or the older ``evidence_counts``), each by item. Null
is abstention and nothing else is; an absent item is an error. All problems are told at once.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np

from acumen.errors import SHOWN_PROBLEMS, DataError, Problem, label, what_came
from acumen.table.judgments import (
    NO_PREDICTION,
    FailedCase,
    Judgments,
    Outcome,
    Signal,
    Source,
    check_ids,
    factorize,
    unjudged_items,
)
from acumen.table.scale import Scale
from acumen.types import CaseId

MOST_SIGNALS: Final = 1000
"""Every signal is a column of the table: keys that are values would fill the memory."""
_ABSENT: Final = object()
_ERROR_NAME = re.compile(r"[A-Z][A-Za-z]{2,40}(?:Error|Exception|Timeout|Failure)\b")
_FIELDS = ("predicted_items", "ground_truth_items", "item_signals", "evidence_counts")


@dataclass(slots=True)
class _Rows:
    """The columns while they grow."""

    case: list[CaseId] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    prediction: list[int] = field(default_factory=list)
    outcome: list[int] = field(default_factory=list)
    signals: list[Mapping[str, object]] = field(default_factory=list)

    def add(
        self,
        case: CaseId,
        item: str,
        truth: int,
        prediction: int,
        outcome: Outcome,
        signals: Mapping[str, object],
    ) -> None:
        self.case.append(case)
        self.item.append(item)
        self.truth.append(truth)
        self.prediction.append(prediction)
        self.outcome.append(outcome)
        self.signals.append(signals)


def table_from_entries(
    entries: Sequence[object],
    *,
    scale: Scale,
    source: Source,
    name: str,
    warnings: Sequence[str] = (),
    places: Sequence[str] | None = None,
) -> Judgments:
    """The table of a list of case records; ``places`` says how a message names each record."""
    places = places or [f"results[{i}]" for i in range(len(entries))]
    problems: list[Problem] = []
    records = list(_records(entries, places, problems, scale.case))
    problems += _duplicates(records, scale.case)
    id_problems, id_warnings = check_ids({case for _, case, _ in records}, scale.case)
    problems += id_problems
    if not entries:
        problems.append(Problem("there are no cases in it"))
    items = _items(records, scale, problems)
    wanted = dict.fromkeys(items)
    rows, failed = _Rows(), []
    for _, case, record in records:
        if record["success"]:
            _add_case(case, record, wanted, scale, rows, problems)
        else:
            failed.append(FailedCase(case, redacted(record.get("error"))))
            _add_failed(case, record, wanted, scale, rows)
    names = dict.fromkeys(key for signals in rows.signals for key in signals)
    if len(names) > MOST_SIGNALS:
        shown = ", ".join(label(key) for key in list(names)[:3])
        message = f"{len(names)} different signals ({shown}, …), at most {MOST_SIGNALS} are read"
        problems.append(Problem(message, field="item_signals"))
    if problems:
        raise DataError(scale.hint(problems), source=name)
    found = [*warnings, *id_warnings, *unjudged_items(items, scale), *_totals(records, scale)]
    return _table(rows, items, tuple(names), records, failed, scale, source, found)


def _records(
    entries: Sequence[object], places: Sequence[str], problems: list[Problem], noun: str
) -> Iterator[tuple[str, CaseId, dict[str, Any]]]:
    """The records whose id and outcome can be read; the others become problems."""
    for place, entry in zip(places, entries, strict=True):
        if not isinstance(entry, dict):
            problems.append(Problem(f"must be an object, not {what_came(entry)}", field=place))
            continue
        case = entry.get("participant_id", _ABSENT)
        if case is _ABSENT:
            problems.append(
                Problem(f"lacks participant_id{_near(entry, 'participant_id')}", field=place)
            )
            continue
        if isinstance(case, bool) or not isinstance(case, int | str) or case == "":
            message = f"must be a whole number or a text, not {what_came(case)}"
            problems.append(Problem(message, field=f"{place}.participant_id"))
            continue
        success = entry.get("success", _ABSENT)
        if not isinstance(success, bool):
            came = "it is missing" if success is _ABSENT else f"not {what_came(success)}"
            message = f"must be true or false, {came}"
            problems.append(Problem(message, case=case, field="success", noun=noun))
            continue
        yield place, case, entry


def _duplicates(records: Sequence[tuple[str, CaseId, Any]], noun: str) -> list[Problem]:
    first: dict[CaseId, tuple[str, bool]] = {}
    problems = []
    for place, case, record in records:
        if case not in first:
            first[case] = (place, record["success"])
            continue
        where, success = first[case]
        message = f"duplicate: given twice, in {where} and {place}"
        if success != record["success"]:
            message += ", both as a success and as a failure"
        problems.append(Problem(message, case=case, noun=noun))
    return problems


def _items(
    records: Sequence[tuple[str, CaseId, dict[str, Any]]], scale: Scale, problems: list[Problem]
) -> tuple[str, ...]:
    """The union of the items the successful cases name, in the scale's order."""
    named: dict[str, None] = {}
    for _, case, record in records:
        if not record["success"]:
            continue
        for key in ("predicted_items", "ground_truth_items"):
            given = record.get(key)
            if not isinstance(given, dict):
                continue
            for item in given:
                if scale.items and item not in scale.items:
                    message = f"{scale.foreign}{_like(item, scale.items)}"
                    problems.append(
                        Problem(message, case=case, item=item, field=key, noun=scale.case)
                    )
                else:
                    named[item] = None
    return tuple(i for i in scale.items if i in named) or tuple(named)


def _add_case(
    case: CaseId,
    record: dict[str, Any],
    items: Mapping[str, None],
    scale: Scale,
    rows: _Rows,
    problems: list[Problem],
) -> None:
    def wrong(message: str, key: str, item: str | None = None) -> None:
        problems.append(Problem(message, case=case, item=item, field=key, noun=scale.case))

    given = _objects(record, wrong)
    if "predicted_items" not in given or "ground_truth_items" not in given:
        return
    for item in _looked_at(given, items, wrong):
        ranks = {}
        for key in ("predicted_items", "ground_truth_items"):
            value = given[key].get(item, _ABSENT)
            if value is _ABSENT:
                wrong(f"lacks this item{_near(given[key], item)}", key, item)
            elif value is None and key == "predicted_items":
                ranks[key] = NO_PREDICTION
            else:
                try:
                    ranks[key] = scale.rank(value)
                except ValueError as error:
                    wrong(str(error), key, item)
        signals = _signals_of(given, item, wrong)
        if len(ranks) == 2:
            prediction = ranks["predicted_items"]
            outcome = Outcome.ABSTAINED if prediction == NO_PREDICTION else Outcome.ANSWERED
            rows.add(case, item, ranks["ground_truth_items"], prediction, outcome, signals)


def _looked_at(
    given: Mapping[str, dict[str, Any]], items: Mapping[str, None], wrong: Any
) -> Sequence[str]:
    """The study's items; of a case that lacks very many, its own and the first that it lacks.

    A file of many cases with items of their own is mostly gaps: they are counted, not listed.
    """
    predicted = given["predicted_items"]
    lacking = len(items) - sum(item in items for item in predicted)
    if lacking <= SHOWN_PROBLEMS:
        return tuple(items)
    wrong(f"lacks {lacking} of the {len(items)} items", "predicted_items")
    own = dict.fromkeys(i for key in _FIELDS[:3] for i in given.get(key, ()) if i in items)
    return *own, next(item for item in items if item not in predicted)


def _objects(record: dict[str, Any], wrong: Any) -> dict[str, dict[str, Any]]:
    """The fields that must be objects; the first two must be there."""
    given = {}
    for key in _FIELDS:
        value = record.get(key, _ABSENT)
        if value is _ABSENT and key in ("item_signals", "evidence_counts"):
            continue
        if value is _ABSENT:
            wrong(f"is missing{_near(record, key)}", key)
        elif not isinstance(value, dict):
            wrong(f"must be an object by item, not {what_came(value)}", key)
        else:
            given[key] = value
    return given


def _signals_of(given: Mapping[str, dict[str, Any]], item: str, wrong: Any) -> dict[str, object]:
    if "item_signals" in given:
        signals = given["item_signals"].get(item, _ABSENT)
        if signals is _ABSENT:
            wrong(f"lacks this item{_near(given['item_signals'], item)}", "item_signals", item)
        elif not isinstance(signals, dict):
            wrong(f"must be an object, not {what_came(signals)}", "item_signals", item)
        else:
            return signals
    elif "evidence_counts" in given and item in given["evidence_counts"]:
        return {"llm_evidence_count": given["evidence_counts"][item]}
    return {}


def _add_failed(
    case: CaseId, record: dict[str, Any], items: Mapping[str, None], scale: Scale, rows: _Rows
) -> None:
    """A failed case's rows, as far as its truth can be read."""
    truths = record.get("ground_truth_items")
    if not isinstance(truths, dict):
        return
    for item in (item for item in truths if item in items):
        try:
            truth = scale.rank(truths[item])
        except ValueError:
            continue
        rows.add(case, item, truth, NO_PREDICTION, Outcome.FAILED, {})


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
    told = f"error text of {len(error)} characters, sha256 {digest}"
    name = _ERROR_NAME.match(error)
    return f"{name[0]} ({told})" if name else told


def _totals(records: Sequence[tuple[str, CaseId, dict[str, Any]]], scale: Scale) -> list[str]:
    """Stated totals that contradict the items."""
    found = []
    for _, case, record in records:
        for total, key in (
            ("ground_truth_total", "ground_truth_items"),
            ("predicted_total", "predicted_items"),
        ):
            stated, given = record.get(total), record.get(key)
            if not record["success"] or stated is None or not isinstance(given, dict):
                continue
            values = [v for v in given.values() if isinstance(v, int | float)]
            if len(values) == len(given) and sum(values) != stated:
                shown = f"{scale.case} {label(case)}: {total} is {what_came(stated)}"
                found.append(f"{shown} but its items sum to {sum(values)}")
    if len(found) > 3:
        found = [*found[:3], f"and {len(found) - 3} more stated totals contradict their items"]
    return found


def _table(
    rows: _Rows,
    items: tuple[str, ...],
    names: tuple[str, ...],
    records: Sequence[tuple[str, CaseId, Any]],
    failed: Sequence[FailedCase],
    scale: Scale,
    source: Source,
    warnings: Sequence[str],
) -> Judgments:
    cases, _ = factorize([case for _, case, _ in records])
    code_of_case = {case: code for code, case in enumerate(cases)}
    code_of_item = {item: code for code, item in enumerate(items)}
    return Judgments(
        scale=scale,
        cases=cases,
        items=items,
        case=np.array([code_of_case[c] for c in rows.case], np.int32),
        item=np.array([code_of_item[i] for i in rows.item], np.int32),
        truth=np.array(rows.truth, np.int16),
        prediction=np.array(rows.prediction, np.int16),
        outcome=np.array(rows.outcome, np.uint8),
        signals={
            name: Signal.of_objects([s.get(name, _ABSENT) for s in rows.signals], _ABSENT)
            for name in names
        },
        failed=tuple(failed),
        warnings=tuple(warnings),
        source=source,
    )


@lru_cache(maxsize=1000)
def _like(name: str, known: tuple[str, ...]) -> str:
    """A hint at the name that may have been meant."""
    folded = {k.strip().casefold(): k for k in known}
    close = difflib.get_close_matches(name.strip().casefold(), folded, 1, 0.7)
    return f" (did you mean {label(folded[close[0]])}?)" if close else ""


def _near(record: Mapping[str, object], key: str) -> str:
    """A hint at a key that is there and looks like the one that is missing."""
    if len(record) > 100:
        return ""  # nobody typed these: comparing them all would only take time
    folded = {k.strip().casefold(): k for k in record}
    close = difflib.get_close_matches(key.casefold(), folded, 1, 0.8)
    return f" (found {label(folded[close[0]])}: did you mean it?)" if close else ""

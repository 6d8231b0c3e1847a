"""Truths that a person decided again, each with who, when and why."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from acumen.errors import DataError, label, printable, what_came
from acumen.files.fields import Fields, Record
from acumen.policy import Policy
from acumen.results.verdicts import Override
from acumen.verdicts.claims import CaseTruth, Truth
from acumen.verdicts.truth import incidents_of

PROVENANCE: Final = ("by", "when", "why")
KNOWN: Final = (*PROVENANCE, "verdict", "was", "incidents", "case")


@dataclass(frozen=True, slots=True)
class Decided:
    """What a person says of one case."""

    rank: int
    by: str
    when: str
    why: str
    truth: CaseTruth | None = None
    """With incidents of its own, where they are given."""


def parse_overrides(
    document: object, truth: Truth, policy: Policy, source: str = "overrides"
) -> Mapping[str, Decided]:
    """Case -> decision, from ``{case: {verdict, by, when, why}}`` or a list of such with ``case``.

    ``was`` is the verdict that they saw, where they say so. Everything that is wrong is told at
    once; no one may decide without a name, a date and a reason.
    """
    levels, fields = policy.scale.levels, Fields(source)
    decided: dict[str, Decided] = {}
    for place, case, row in _rows(document, fields):
        fields.case = case
        if case in decided:
            fields.wrong(place or None, "is decided twice")
        known = truth.get(case)
        if known is None:
            fields.wrong(None, "there is no truth of this case to override")
        texts = {key: _text(row.get(key), key, fields) for key in PROVENANCE}
        if texts["when"] and not _is_date(texts["when"]):
            fields.wrong("when", f"must be a date such as 2026-03-01, not {what_came(row['when'])}")
        for key in row:
            if key not in KNOWN:
                fields.wrong(printable(str(key)), f"is unknown; there are {', '.join(KNOWN)}")
        rank, was = (_rank(row, key, policy, fields) for key in ("verdict", "was"))
        if known is not None and was is not None and was != known.rank:
            seen, now = (label(str(levels[rank])) for rank in (was, known.rank))
            fields.wrong("was", f"{seen} was seen, but the truth is {now} now: look again")
        if rank is None:
            if row.get("verdict") is None:
                fields.wrong("verdict", "is missing")
            continue
        incidents = incidents_of(row.get("incidents"), policy, fields)
        own = None if incidents is None else CaseTruth(rank, incidents)
        decided[case] = Decided(rank, **texts, truth=own)
    fields.case = None
    fields.finish()
    return decided


def apply_overrides(
    truth: Truth, decided: Mapping[str, Decided], policy: Policy
) -> tuple[Truth, list[Override]]:
    """The truth with what was decided, and a list of it for the record."""
    levels = policy.scale.levels
    changed, record = dict(truth), []
    for case, one in decided.items():
        known = truth[case]
        incidents = known.incidents if one.truth is None else one.truth.incidents
        changed[case] = replace(known, rank=one.rank, incidents=incidents)
        before, after = (str(levels[rank]) for rank in (known.rank, one.rank))
        facts = {"by": one.by, "when": one.when, "why": one.why}
        record.append(Override(case=case, before=before, after=after, **facts))
    return changed, record


def _rows(document: object, fields: Fields) -> list[tuple[str, str, Record]]:
    if isinstance(document, Mapping):
        return [("", str(case), fields.record(str(case), row)) for case, row in document.items()]
    if isinstance(document, list):
        rows = [(place, row) for place, row in fields.records("", document)]
        named = [(place, fields.name(f"{place}.case", row.get("case")), row) for place, row in rows]
        return [(place, case, row) for place, case, row in named if case is not None]
    message = f"must map cases to decisions, not {what_came(document)}"
    raise DataError([message], source=fields.source)


def _text(value: object, key: str, fields: Fields) -> str:
    if isinstance(value, str) and value.strip():
        return value
    fault = "is missing" if value is None else f"must say something, not {what_came(value)}"
    fields.wrong(key, fault)
    return ""


def _is_date(text: str) -> bool:
    """Whether a text begins with a day; a time may follow it."""
    with suppress(ValueError):
        return bool(datetime.fromisoformat(text))
    return False


def _rank(row: Record, key: str, policy: Policy, fields: Fields) -> int | None:
    if row.get(key) is None:
        return None
    try:
        return policy.scale.rank(row[key])
    except ValueError as error:
        fields.wrong(key, str(error))
        return None

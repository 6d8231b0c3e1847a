"""Results of autorubric: a line an item, with the verdicts on its criteria inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from acumen.errors import counted
from acumen.readers.logs import at, own_mapping
from acumen.readers.records import Records

CRITERIA: Final = "report.criterion_reports[]"
_CHOICE: Final = ("final_multi_choice_verdict", "multi_choice_verdict")
_VERDICT: Final = ("final_verdict", "verdict")


def is_report(lines: Sequence[Any]) -> bool:
    """Whether the lines are items with reports on criteria, as a run keeps them."""
    return any(
        at(line, "item_idx") is not None
        and isinstance(at(line, "report", "criterion_reports"), list)
        for line in lines
    )


def with_verdicts(items: Sequence[Any], records: Records) -> Records:
    """The verdicts under the mapping that ships, with the items that were not graded as failed."""
    lost = sum(not at(item, "report", "criterion_reports") for item in items)
    verdict = _first(records.rows, _VERDICT)
    choice = "" if verdict else _first(records.rows, _CHOICE)
    others = 0 if not verdict else sum(row.get(verdict) is None for row in records.rows)
    columns = {
        "item": "criterion.name" if "criterion" in records.names else "name",
        "prediction": verdict or f"{choice}.value",
    }
    notes = (
        f"{counted(lost, 'item')} left out: autorubric did not grade it" * bool(lost),
        f"{counted(others, 'criterion')} of several choices left out" * bool(others),
        "the labels of people are in the dataset of autorubric and not here: "
        "--labels FILE --on item_idx,name joins them",
    )
    rows = [row for row in records.rows if not verdict or row.get(verdict) is not None]
    mapping: dict[str, Any] = own_mapping("autorubric", **columns)
    if choice:
        del mapping["levels"]
    return replace(
        records,
        rows=rows,
        lines=None,
        mapping=mapping,
        warnings=(*records.warnings, *filter(None, notes)),
    )


def _first(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """The first of the keys under which some row has something."""
    return next((name for name in names if any(row.get(name) for row in rows)), "")

"""Test runs of DeepEval: test cases, each with what several metrics gave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from acumen.errors import label
from acumen.readers.logs import at, own_mapping
from acumen.readers.records import Records

_LISTS: Final[Mapping[str, Mapping[str, str]]] = {
    "testCases": {},
    "conversationalTestCases": {"expectedOutcome": "expectedOutput"},
    "test_results": {"metrics_data": "metricsData", "expected_output": "expectedOutput"},
}
"""Where a test run, and what ``evaluate()`` returns, keep test cases; keys that a run spells so."""
_METRICS: Final = "metricsData"


def test_cases(document: Any) -> list[Mapping[str, Any]]:
    """The test cases of a test run, spelled as it spells them; none of any other document."""
    for key, spelled in _LISTS.items():
        listed = at(document, key)
        cases: list[Mapping[str, Any]] = [
            {spelled.get(k, k): value for k, value in case.items()}
            for case in (listed if isinstance(listed, list) else ())
            if isinstance(case, Mapping)
        ]
        if any(isinstance(case.get(_METRICS), list) for case in cases):
            return cases
    return []


def with_metrics(records: Records) -> Records:
    """Test cases under the mapping that ships: the metric that always comes first is judged."""
    listed = [row[_METRICS] for row in records.rows if isinstance(row.get(_METRICS), list)]
    orders = [[str(at(metric, "name")) for metric in metrics] for metrics in listed if metrics]
    names = list(dict.fromkeys(name for order in orders for name in order))
    if len({order[0] for order in orders}) > 1:
        return replace(records, mapping=own_mapping("deepeval", prediction=None))
    others = ", ".join(f"""'{_METRICS}[name="{label(name)}"].score'""" for name in names[1:6])
    note = f"the first of {len(names)} metrics is judged unless --prediction names another"
    notes = (f"{note}: {label(names[0])}; others: {others}",) if others else ()
    warnings = (*records.warnings, *notes)
    return replace(records, mapping=own_mapping("deepeval"), warnings=warnings)

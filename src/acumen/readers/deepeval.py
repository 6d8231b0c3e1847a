"""Test runs of DeepEval: test cases, each with what several metrics gave it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from acumen.errors import label
from acumen.readers.logs import at, own_mapping
from acumen.readers.records import Records

TEST_CASES: Final = "testCases"
_METRICS: Final = "metricsData"


def is_deepeval(document: Any) -> bool:
    """Whether a document is a test run: test cases, and lists of metrics in them."""
    cases = at(document, TEST_CASES)
    return isinstance(cases, list) and any(isinstance(at(c, _METRICS), list) for c in cases)


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

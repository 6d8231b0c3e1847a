"""The few numbers that intervals and reports share, in a file that imports nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

LEVEL: Final = 0.95
"""Confidence level of an interval unless another is asked for."""

RELIABLE_CASES: Final = 10
"""With fewer cases an interval is marked unreliable and no difference is claimed."""

PROCESS_WEIGHTS: Final[Mapping[str, int]] = {
    "incident_precision": 35,
    "severity_accuracy": 30,
    "modifier_accuracy": 15,
    "verdict_support_rate": 15,
    "snippet_validity": 5,
}
"""The five components of the process score and what each weighs, in percent: whole, so that sums
of them are exact and all right is 100 and not a hair more."""

"""The few numbers that intervals and reports share, in a file that imports nothing."""

from __future__ import annotations

from typing import Final

LEVEL: Final = 0.95
"""Confidence level of an interval unless another is asked for."""

RELIABLE_CASES: Final = 10
"""With fewer cases an interval is marked unreliable and no difference is claimed."""

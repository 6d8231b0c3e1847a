"""What is to be known of a metric before one trusts it: its docstring, its notes, its range."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from acumen.errors import UsageError, printable
from acumen.files.toml import parse_toml
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind, Metric, did_you_mean, find_metric


@dataclass(frozen=True, slots=True)
class Explanation:
    """A metric for people. Texts are in the markup of docstrings."""

    metric: Metric
    text: str
    """Its docstring, with a formula."""
    range: str
    reference: str
    """Empty where the text has it."""
    caution: str
    example: str
    """A value worked out, and what is perfect; empty of a user's own metric."""


@cache
def notes() -> dict[str, Any]:
    """The notes of every metric that ships."""
    path = Path(__file__).with_suffix(".toml")
    return parse_toml(path.read_text("utf-8"), path.name)


def explain(key: str) -> Explanation:
    """What a metric is, by its name or by its key in a document.

    >>> explain("augrc_full").range
    '0 or more'
    """
    metric = find_metric(key)
    if metric is None:
        near = did_you_mean(key, METRICS)
        hint = near if near.endswith("?") else "acumen explain lists them"
        raise UsageError(f"no metric '{printable(key)}'; {hint}")
    note = notes().get(metric.anchor.removeprefix("metric-"), {})  # a user's own has none
    about, _, rest = inspect.cleandoc(metric.function.__doc__ or metric.name).partition("\n")
    formula = f".. math:: {note['formula']}" if "formula" in note else ""
    text = "\n\n".join(filter(None, (about, formula, rest.strip())))
    caution = note.get("caution", "It is your own metric: its docstring says what it rewards.")
    reference, example = note.get("reference", ""), note.get("example", "")
    return Explanation(metric, text, _range(metric.kind), reference, caution, example)


def _range(kind: Kind) -> str:
    low, high = kind.bounds
    if math.isinf(high):
        return "any number" if math.isinf(low) else f"{low:g} or more"
    return f"at most {high:g}" if math.isinf(low) else f"{low:g} to {high:g}"


def plain(text: str) -> str:
    """Text without its markup and its examples, as a terminal shows it.

    >>> plain("See ``a`` and :math:`x^2`.")
    'See a and x^2.'
    """
    text = text.split("\n\n>>>")[0].replace(".. math:: ", "    ")
    return re.sub(r"``(.+?)``|:\w+:`(.+?)`", lambda match: match[1] or match[2], text)

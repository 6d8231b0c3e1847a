"""The Python door: a file, a frame or a table in, an Evaluation out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.defaults import (
    AREA_COVERAGE,
    CONFIDENCE_LEVEL,
    COVERAGE_GRID,
    LOSS,
    RESAMPLES,
    SEED,
)
from acumen.errors import UsageError, printable
from acumen.evaluation import evaluate as evaluating
from acumen.evaluation.evaluation import Evaluation
from acumen.evaluation.plan import Plan
from acumen.inference.options import Method, Options
from acumen.readers import from_frame, read
from acumen.table.judgments import Judgments
from acumen.table.scale import DEFAULT_SCALE, Scale, find_scale

if TYPE_CHECKING:
    from acumen.calibration import Calibration

Confidence = str | Sequence[str] | Callable[..., Any] | Mapping[str, Callable[..., Any]]
"""A selector, names, a function of signals, or several such functions by name."""

Modes = str | tuple[str | None, str | None] | None
"""One mode for every input, or one for each of two."""


def evaluate(
    data: Any,
    other: Any = None,
    *,
    mode: Modes = None,
    confidence: Confidence = "default",
    loss: str = LOSS,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    interval: Method = "default",
    confidence_level: float = CONFIDENCE_LEVEL,
    coverage_grid: Sequence[float] = COVERAGE_GRID,
    area_coverage: float = AREA_COVERAGE,
    calibration: str | Path | Calibration | None = None,
    intersection_only: bool = False,
    scale: str | Path | Scale | None = None,
    texts: bool = False,
    threads: int | None = None,
) -> Evaluation:
    """Evaluate one input; given two, both on their common cases and the paired deltas.

    An input is a :class:`Judgments`, the path of a run (JSON, JSON Lines, CSV, Parquet), a list of
    :class:`ItemPrediction`, or a dataframe of any library that narwhals knows. ``mode`` names the
    experiment of a run artifact; a pair of modes names one for each side, and of a single input
    compares two of its own.

    ``confidence`` is ``"default"``, ``"all"``, a name, a list of names, a function whose parameters
    are signals, or such functions by name. ``scale`` is by default the one a run names, else PHQ-8.
    ``texts`` keeps the evidence that a run quotes; without it no text of a case is kept.

    >>> from acumen.readers import judgments
    >>> table = judgments(case=[1, 2, 3], truth=[2, 1, 0], prediction=[2, 3, 0],
    ...                   confidence=[0.9, 0.5, 0.7])
    >>> found = evaluate(table, confidence=lambda confidence: -confidence, loss="abs", resamples=0)
    >>> [(name, numbers.cmax) for name, _, numbers in found.variants()]
    [('custom', 1.0)]
    """
    if isinstance(mode, tuple) and other is None:
        other = data
    left, right = mode if isinstance(mode, tuple) else (mode, mode)
    selector, functions = _confidence(confidence)
    plan = Plan(
        confidence=selector,
        functions=functions,
        loss=loss,
        coverage_grid=tuple(sorted(set(coverage_grid))),
        area_coverage=area_coverage,
        options=Options(
            resamples=resamples,
            seed=seed,
            confidence_level=confidence_level,
            method=interval,
            threads=threads,
        ),
        calibration=_calibration(calibration),
        intersection_only=intersection_only,
        texts=texts,
    )
    first = _table(data, left, scale)
    return evaluating.evaluate(first, None if other is None else _table(other, right, scale), plan)


def compare(left: Any, right: Any = None, **options: Any) -> Evaluation:
    """Compare two inputs, or two modes of one: deltas are right minus left.

    ``compare("run.json", mode=("zero_shot", "few_shot"))`` reads both from one file. The options
    are those of :func:`evaluate`.
    """
    if right is None and not isinstance(options.get("mode"), tuple):
        raise UsageError("compare needs two inputs, or one and a pair of modes")
    return evaluate(left, right, **options)


def _table(data: Any, mode: str | None, scale: str | Path | Scale | None) -> Judgments:
    if isinstance(data, str | Path):
        return read(data, mode=mode, scale=scale)
    if mode is not None:
        raise UsageError("a mode is chosen when a run file is read; this input has none")
    if isinstance(data, Judgments):
        return data
    if isinstance(data, list | tuple):
        from acumen.items.compute import judgments_of

        return judgments_of(data, scale=find_scale(scale or DEFAULT_SCALE))
    scale = find_scale(scale or DEFAULT_SCALE)
    if isinstance(data, Mapping) or not hasattr(data, "columns"):
        raise UsageError(
            "an input is a Judgments table (from_columns makes one), a path, a dataframe or a list "
            f"of rows, not {printable(type(data).__name__)}"
        )
    return from_frame(data, scale=scale)


def _confidence(confidence: Confidence) -> tuple[str, Mapping[str, Callable[..., Any]]]:
    """A selector and functions by name."""
    if isinstance(confidence, str):
        return confidence, {}
    if isinstance(confidence, Mapping):
        return "default", dict(confidence)
    if callable(confidence):
        name = getattr(confidence, "__name__", "custom")
        return "default", {"custom" if name == "<lambda>" else name: confidence}
    if not isinstance(confidence, list | tuple) or not all(isinstance(n, str) for n in confidence):
        raise UsageError(
            "a confidence is a name, a list of names or a function of signals; numbers come with "
            f"the rows, as a column of them; not {printable(type(confidence).__name__)}"
        )
    return ",".join(confidence), {}


def _calibration(given: str | Path | Calibration | None) -> Calibration | None:
    if not isinstance(given, str | Path):
        return given
    from acumen.calibration import read_calibration

    return read_calibration(given)

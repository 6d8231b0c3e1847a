"""The Python doors of an evaluation: their keywords are the options of the commands.

An input is a :class:`Judgments`, the path of a run, a list of :class:`ItemPrediction`, or a
dataframe of any library that narwhals knows.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Unpack

from acumen.defaults import (
    AREA_COVERAGE,
    CALIBRATION_TARGET,
    CALIBRATOR,
    CONFIDENCE,
    CONFIDENCE_LEVEL,
    COVERAGE_GRID,
    ESTIMAND,
    FOLDS,
    INTERVAL,
    ITEMS,
    LOSS,
    PRICE,
    RANK_BY,
    RESAMPLES,
    RISKS,
    SEED,
)
from acumen.errors import UsageError
from acumen.evaluation import evaluate as evaluating
from acumen.evaluation.abstain import threshold_of
from acumen.evaluation.evaluation import Evaluation
from acumen.evaluation.inputs import (
    Confidence,
    Modes,
    calibration_of,
    confidence_of,
    tables_of,
    with_groups,
)
from acumen.evaluation.plan import Plan
from acumen.inference.options import Items, Method, Options
from acumen.items.rows import table_of
from acumen.readers.reading import Reading, options_of
from acumen.stages import Watcher, watched
from acumen.table.losses import AnyLoss, find_loss

if TYPE_CHECKING:
    from acumen.calibration import Calibration

P = ParamSpec("P")


def evaluate(
    *inputs: Any,
    mode: Modes = None,
    labels: Sequence[str] | None = None,
    confidence: Confidence = CONFIDENCE,
    loss: AnyLoss = LOSS,
    resamples: int | None = None,
    seed: int = SEED,
    interval: Method = INTERVAL,
    confidence_level: float = CONFIDENCE_LEVEL,
    items: Items = ITEMS,
    estimand: str = ESTIMAND,
    coverage_grid: Sequence[float] = COVERAGE_GRID,
    area_coverage: float = AREA_COVERAGE,
    risk: float | Sequence[float] | None = None,
    calibration: str | Path | Calibration | None = None,
    threshold: Any = None,
    intersection_only: bool = False,
    baseline: str | None = None,
    pairwise: bool = False,
    rank_by: str = RANK_BY,
    price: float = PRICE,
    matched_coverage: float | None = None,
    by: str | Sequence[str] | None = None,
    texts: bool = False,
    threads: int | None = None,
    progress: Watcher | None = None,
    **reading: Unpack[Reading],
) -> Evaluation:
    """Evaluate one system, or any number on the cases that all share, with every pair compared.

    Parameters
    ----------
    inputs
        Inputs, as above, one a system; or a mapping of them by the names of the systems; or one
        with a column of systems (``system=``).
    mode
        The experiment of a run artifact: one for all inputs, or one for each; of a single input
        any number of its own, or ``"all"``.
    labels
        What the systems are called; by default the stem of the file, or the mode.
    confidence
        ``"default"``, ``"all"``, a name, a list of names, a function whose parameters are signals,
        such functions by name, or one name for each system: ``{"gpt": "token_msp", "llama": …}``.
    loss
        What a wrong level costs: ``abs_norm``, ``abs``, ``zero_one``, ``squared``, a TOML file of
        costs, costs by truth and prediction, or a function of the ranks predicted and true.
    coverage_grid, area_coverage
        Where the risk is measured, and up to where areas are.
    risk
        Risks, in units of the loss: how many rows can be kept with a mean loss of at most that.
    resamples, seed, interval, confidence_level
        How intervals are made: :class:`Options`. By default there are resamples of small tables
        alone: only percentile intervals and bands need them.
    items
        ``"fixed"``: these items are meant; ``"random"``: they are a sample, and intervals speak of
        new cases and new items.
    estimand
        ``"row"``: every row counts alike; ``"case"``: every case does, however many rows it has.
    calibration
        A calibration or its file, for the calibrated confidence functions.
    threshold
        What :func:`threshold` made, or its file: answers that it does not accept are left open.
    intersection_only
        Of two: compare the cases that both have, instead of refusing different ones. Of more, the
        cases that all have are compared, and what was left out is told.
    baseline, pairwise, rank_by
        The system that all others are compared with, instead of all pairs; whether each pair is
        compared on its own common cases; and the metric of the leaderboard, by default the risk
        at the coverage that all reach.
    price, matched_coverage
        What an abstention costs in the charged areas, in units of the loss, and the coverage at
        which risks are compared, by default the largest that all reach.
    by
        Columns to slice by: ``"sex"``, ``"item"``, ``"level"``, several of them, or two crossed,
        ``"sex,age"``. A column of the rows need not be named as ``group=`` again.
    texts
        Keep the evidence that a run quotes; without it no text of a case is kept.
    threads
        By default one for each core.
    progress
        Called with what is being done and the share of the work that is done, from 0 to 1.
    reading
        How rows are read: ``truth="human_rating"``, ``scale=[1, 2, 3, 4, 5]``, ``mapping="m.toml"``
        and all the others of :class:`~acumen.readers.reading.Reading`.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(case=[1, 2, 3], truth=[2, 1, 0], prediction=[2, 3, 0],
    ...                             confidence=[0.9, 0.5, 0.7])
    >>> evaluation = acumen.evaluate(table, confidence=lambda confidence: -confidence, resamples=0)
    >>> [(name, numbers.cmax) for name, _, numbers in evaluation.variants()]
    [('custom', 1.0)]
    >>> right = acumen.from_columns(case=[1, 2, 3], truth=[2, 1, 0], prediction=[2, 1, 0],
    ...                             confidence=[0.9, 0.5, 0.7])
    >>> several = acumen.evaluate({"a": table, "b": right, "c": table}, loss="abs", resamples=0)
    >>> [standing.system for standing in several.artifact.leaderboard.standings]
    ['b', 'a', 'c']
    """
    if not inputs:
        raise UsageError("give an input: a path, a table, a dataframe or a list of rows")
    selector, functions = confidence_of(confidence)
    columns = (by,) if isinstance(by, str) else tuple(by or ())
    if reading.get("truth") is not None and reading.get("truth") == reading.get("prediction"):
        raise UsageError("the truth and the prediction are one column: all would be right")
    reading = with_groups(reading, columns, inputs)
    with watched(progress, "measuring"):
        tables = tables_of(inputs, mode, reading)
        if labels is None and len(inputs) == 1 and isinstance(inputs[0], Mapping):
            labels = list(tables)
        options = Options(
            resamples=RESAMPLES if resamples is None else resamples,
            seed=seed,
            confidence_level=confidence_level,
            method=interval,
            items=items,
            threads=threads,
        )
        if resamples is None:
            options = options.unasked(max(len(table) for table in tables.values()))
        plan = Plan(
            confidence=selector,
            functions=functions,
            loss=find_loss(loss),
            coverage_grid=tuple(sorted(set(coverage_grid))),
            area_coverage=area_coverage,
            limits=_limits(risk),
            options=options,
            calibration=calibration_of(calibration),
            threshold=threshold_of(threshold),
            intersection_only=intersection_only,
            estimand=estimand,
            price=price,
            matched_coverage=matched_coverage,
            by=columns,
            labels=tuple(labels or ()),
            baseline=baseline,
            pairwise=pairwise,
            rank_by=rank_by,
            texts=texts,
            reading=options_of(reading),
        )
        return evaluating.evaluate_all(list(tables.values()), plan)


def _limits(risk: float | Sequence[float] | None) -> tuple[float, ...]:
    if risk is None:
        return RISKS
    return (float(risk),) if isinstance(risk, int | float) else tuple(sorted({*map(float, risk)}))


def _with_signature_of(
    door: Callable[P, Evaluation],
) -> Callable[[Callable[..., Evaluation]], Callable[P, Evaluation]]:
    """Say that a function takes what another does."""

    def sign(function: Callable[..., Evaluation]) -> Callable[P, Evaluation]:
        function.__signature__ = inspect.signature(door)  # type: ignore[attr-defined]  # PEP 362
        return function

    return sign


@_with_signature_of(evaluate)
def compare(*inputs: Any, **options: Any) -> Evaluation:
    """Compare two inputs or more, or modes or systems of one: of two, second minus first.

    The keywords are those of :func:`evaluate`, which this is, for several.

    >>> import acumen
    >>> rows = {"case": [1, 2, 3], "truth": [2, 1, 0], "confidence": [0.9, 0.5, 0.7]}
    >>> left = acumen.from_columns(prediction=[2, 3, 0], **rows)
    >>> right = acumen.from_columns(prediction=[2, 1, 0], **rows)
    >>> deltas = acumen.compare(left, right, loss="abs", resamples=0).artifact.comparison.deltas
    >>> round(deltas["confidence"]["mae"].delta, 4)
    -0.6667
    """
    evaluation = evaluate(*inputs, **options)
    if len(evaluation.systems) < 2:
        raise UsageError("compare needs two inputs, or one with several modes or systems")
    return evaluation


def calibrate(
    data: Any,
    *,
    mode: str | None = None,
    method: str = CALIBRATOR,
    features: str | Sequence[str] = (),
    confidence: str | None = None,
    target: str = CALIBRATION_TARGET,
    folds: int = FOLDS,
    seed: int = SEED,
    **reading: Unpack[Reading],
) -> Calibration:
    """Fit a calibrator on the answered rows of an input.

    Its ``metrics`` hold NLL, ECE, Brier and AUROC before and after: in-sample, and cross-fitted
    over ``folds`` of cases. It has ``document()`` and ``write(path)``, and is what
    ``evaluate(…, calibration=)`` takes.

    Parameters
    ----------
    data, mode, reading
        The training run, as :func:`evaluate` takes it.
    method
        ``temperature``, ``platt``, ``logistic``, ``linear`` or ``isotonic``.
    features, confidence
        Signals to fit on, or a confidence function; without either, the verbalized confidence.
    target
        ``correctness``, ``near_correct`` or ``loss``.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(
    ...     case=range(6), truth=[1, 1, 0, 2, 1, 0], prediction=[1, 0, 0, 2, 2, 0],
    ...     confidence=[0.9, 0.6, 0.8, 0.9, 0.7, 0.6])
    >>> calibration = acumen.calibrate(table, confidence="confidence", method="isotonic", folds=2)
    >>> calibration.method, calibration.training.n
    ('isotonic', 6)
    """
    from acumen.calibration import fit_calibration

    return fit_calibration(
        table_of(data, mode, reading),
        method=method,
        features=_names(features),
        confidence=confidence,
        target=target,
        folds=folds,
        seed=seed,
    )


def _names(names: str | Sequence[str]) -> list[str]:
    """Names with commas between, or a list of them."""
    listed = names.split(",") if isinstance(names, str) else names
    return [name.strip() for name in listed if name.strip()]

"""Does it know when it doesn't know, and who is better? One system, or any number of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec, Unpack

from acumen.declare import given, say, taken_by
from acumen.defaults import (
    AREA_COVERAGE,
    CONFIDENCE,
    CONFIDENCE_LEVEL,
    COVERAGE_GRID,
    ESTIMAND,
    INTERVAL,
    ITEMS,
    LOSS,
    MISSING,
    PRICE,
    RANK_BY,
    RESAMPLED_ROWS,
    RESAMPLES,
    RISKS,
    SEED,
)
from acumen.errors import UsageError, printable
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading, predictions_of

if TYPE_CHECKING:
    from acumen.evaluation.inputs import Confidence, Modes
    from acumen.inference.options import Items
    from acumen.questions.evaluation import Evaluation
    from acumen.results.counts import LargeArtifact

P = ParamSpec("P")
_NAMES = list[str] | None
GRID = ",".join(f"{coverage:g}".lstrip("0") for coverage in COVERAGE_GRID)


@question(
    "acumen evaluate run.json --mode few_shot --confidence all --output metrics.json",
    "acumen evaluate run.json --mode zero_shot,few_shot --html report.html",
    "acumen evaluate gpt.csv llama.csv qwen.csv --baseline gpt",
    hand_over=("engine", "measure"),
)
def evaluate(
    *inputs: Annotated[
        Any,
        given(
            f"Run files ({options.FORMATS}); - is stdin.",
            metavar="RUN…",
            kind=str,
            alias="--input",
            more="""One a system: a path, a table (:class:`Judgments`), a dataframe or a list of
            rows; or a mapping of them by the names of the systems; or one with a column of systems
            (``system=``).""",
        ),
    ],
    mode: Annotated[
        Modes,
        say(
            "Mode of each run, in order; one is used for all. For one run: a,b,c, or all.",
            kind=_NAMES,
        ),
    ] = None,
    labels: Annotated[
        Sequence[str] | None,
        say(
            "Name of each system; repeatable.",
            "--label",
            kind=_NAMES,
            more="By default the stem of the file, or the mode.",
        ),
    ] = None,
    confidence: Annotated[
        Confidence,
        say(
            "default, all, or names separated by commas.",
            kind=str,
            more="""Also a list of names, a function whose parameters are signals, such functions by
            name, or one name for each system: ``{"gpt": "token_msp", "llama": …}``.""",
        ),
    ] = CONFIDENCE,
    loss: options.Loss = LOSS,
    resamples: Annotated[
        int | None,
        say(
            f"Bootstrap resamples; by default {RESAMPLES:,} up to {RESAMPLED_ROWS:,} rows, "
            "0 above.",
            "--resamples",
            "--bootstrap-resamples",
            least=0,
            more="Only percentile intervals and bands need them.",
        ),
    ] = None,
    seed: options.Seed = SEED,
    interval: options.Interval = INTERVAL,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
    items: Annotated[
        Items, say("fixed, or random: intervals are about new items too.", kind=str)
    ] = ITEMS,
    estimand: Annotated[str, say("row, or case: every case has the same weight.")] = ESTIMAND,
    coverage_grid: Annotated[
        str | Sequence[float], say("Coverages at which the risk is measured.", kind=str)
    ] = GRID,
    area_coverage: Annotated[
        float, say("Coverage up to which areas are measured.")
    ] = AREA_COVERAGE,
    risk: Annotated[
        float | Sequence[float] | None,
        say(
            "Report the largest coverage with at most this mean loss; repeatable.",
            kind=list[float] | None,
        ),
    ] = None,
    calibration: options.Calibration = None,
    threshold: Annotated[
        Any,
        say(
            "Count answers that this threshold does not accept as abstentions.",
            kind=Path | None,
            is_file=True,
            more="What :func:`threshold` made, or its file.",
        ),
    ] = None,
    intersection_only: Annotated[
        bool,
        say(
            "With two inputs: compare the cases both have.",
            more="""Else different cases are refused. Of more systems, the cases that all have are
            compared, and what was left out is told.""",
        ),
    ] = False,
    baseline: Annotated[
        str | None, say("Compare all systems with this one; else all pairs.")
    ] = None,
    pairwise: Annotated[bool, say("Compare each pair on the cases the two share.")] = False,
    rank_by: Annotated[
        str, say("Metric of the leaderboard; risk is at the coverage all reach.")
    ] = RANK_BY,
    price: Annotated[
        float, say("What an abstention costs in charged areas, in units of the loss.")
    ] = PRICE,
    missing: options.Missing = MISSING,
    matched_coverage: Annotated[
        float | None, say("Compare systems at this coverage; by default, the most all reach.")
    ] = None,
    by: Annotated[
        options.Names | None,
        say(
            "Slice by a column, by item or by level; A,B crosses two; repeatable.",
            metavar="COLUMN",
            kind=_NAMES,
            more="A column of the rows need not be named as ``group=`` again.",
        ),
    ] = None,
    texts: options.Texts = False,
    threads: Annotated[int | None, say("Threads; by default all.", least=1)] = None,
    progress: options.Progress = None,
    **reading: Unpack[Reading],
) -> Evaluation:
    """Measure how often a system is right and what its confidence is worth; compare several.

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
    >>> [standing.system for standing in several.document.leaderboard.standings]
    ['b', 'a', 'c']
    """
    asked = dict(locals())
    from acumen.evaluation.abstain import threshold_of
    from acumen.evaluation.evaluate import evaluate_all
    from acumen.evaluation.inputs import (
        calibration_of,
        confidence_of,
        tables_of,
        with_groups,
    )
    from acumen.evaluation.plan import Plan
    from acumen.inference.options import Options
    from acumen.questions.evaluation import Evaluation
    from acumen.stages import watched
    from acumen.table.losses import find_loss

    if not inputs:
        raise UsageError("give an input: a path, a table, a dataframe or a list of rows")
    selector, functions = confidence_of(confidence)
    columns = (by,) if isinstance(by, str) else tuple(by or ())
    if isinstance(reading.get("truth"), str) and reading["truth"] in predictions_of(reading):
        raise UsageError("the truth and the prediction are one column: all would be right")
    reading = with_groups(reading, columns, inputs)
    with watched(progress, "measuring"):
        tables = tables_of(inputs, mode, reading)
        if labels is None and len(inputs) == 1 and isinstance(inputs[0], Mapping):
            labels = list(tables)
        drawn = Options(**taken_by(Options, asked | {"resamples": resamples or 0}), method=interval)
        if resamples is None:
            drawn = replace(drawn, resamples=RESAMPLES)
            drawn = drawn.unasked(max(len(table) for table in tables.values()))
        read: dict[str, Any] = {
            "confidence": selector,
            "loss": find_loss(loss),
            "coverage_grid": _coverages(coverage_grid),
            "calibration": calibration_of(calibration),
            "threshold": threshold_of(threshold),
            "by": columns,
            "labels": tuple(labels or ()),
        }
        read |= {"functions": functions, "limits": _limits(risk), "options": drawn}
        plan = Plan(**taken_by(Plan, asked | read))
        numbers = evaluate_all(list(tables.values()), plan)
    return Evaluation.of(numbers)


def _coverages(grid: str | Sequence[float]) -> tuple[float, ...]:
    try:
        parts = grid.split(",") if isinstance(grid, str) else grid
        return tuple(sorted({float(part) for part in parts if str(part).strip()}))
    except ValueError:
        raise UsageError(
            f"the coverage grid is numbers separated by commas, not '{printable(str(grid))}'"
        ) from None


def _limits(risk: float | Sequence[float] | None) -> tuple[float, ...]:
    if risk is None:
        return RISKS
    return (float(risk),) if isinstance(risk, int | float) else tuple(sorted({*map(float, risk)}))


@question("acumen evaluate 'part-*.parquet' --engine duckdb --levels 0-3", slices=True)
def measure(
    data: Annotated[
        Any,
        given(
            "Files: Parquet, CSV or JSON Lines; * is any name.",
            kind=str,
            more="Or a lazy frame of DuckDB, Polars, Dask, Spark or Ibis.",
        ),
    ],
    other: Annotated[
        Any, given("Files of a second system, compared with the first.", kind=str | None)
    ] = None,
    *,
    engine: options.Engine = None,
    loss: options.Loss = LOSS,
    confidence_level: options.ConfidenceLevel = CONFIDENCE_LEVEL,
    full: Annotated[bool, say("Every metric that counts are enough for.")] = False,
    **reading: Unpack[Reading],
) -> LargeArtifact:
    """Measure rows where they live: nothing is collected but counts and sums over cases.

    Columns by role and the scale are said as for :func:`acumen.evaluate`; ``group`` slices. Of two
    inputs, the second is compared with the first; so are the systems of one.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.LazyFrame({"case": [1, 2, 3, 4], "truth": [2, 1, 1, 0],
    ...                      "prediction": [2, 3, 1, None], "confidence": [2.0, 2.0, 1.0, 0.0]})
    >>> measure(rows, loss="abs").document.systems["all"].metrics["augrc"].value
    0.25
    """
    from acumen.inference.options import Options
    from acumen.large.api import measured, name_of, rows_of
    from acumen.large.cells import count_rows, slices
    from acumen.results.counts import LargeArtifact
    from acumen.table.losses import find_loss

    how = Options(resamples=0, confidence_level=confidence_level)
    rows, cost = rows_of(data, other, engine, reading), find_loss(loss)
    cells = count_rows(rows)
    first = next(iter(cells.counts.values()))
    parts = {name: count_rows(part) for name, part in slices(rows)}
    return LargeArtifact(
        source=", ".join(name_of(d) for d in (data, other) if d is not None),
        engine=str(rows.frame.implementation),
        rows=sum(int(c.cells["rows"].sum()) for c in cells.counts.values()),
        bits=first.bits,
        cells=len(cells.place),
        loss=cost.describe(first.scale),
        levels=list(first.scale.levels),
        confidence_level=confidence_level,
        systems=measured(cells, cost, how, full),
        slices={name: measured(part, cost, how, full) for name, part in parts.items()},
    )


def _like(door: Callable[P, Evaluation]) -> Callable[[Callable[..., Any]], Callable[P, Evaluation]]:
    """Say that a function takes what another does."""

    def sign(function: Callable[..., Any]) -> Callable[P, Evaluation]:
        setattr(function, "__signature__", inspect.signature(door))  # noqa: B010  (PEP 362)
        return function

    return sign


@_like(evaluate)
def compare(*inputs: Any, **keywords: Any) -> Evaluation:
    """Compare two inputs or more, or modes or systems of one: of two, second minus first.

    The keywords are those of :func:`evaluate`, which this is, for several.

    >>> import acumen
    >>> rows = {"case": [1, 2, 3], "truth": [2, 1, 0], "confidence": [0.9, 0.5, 0.7]}
    >>> left = acumen.from_columns(prediction=[2, 3, 0], **rows)
    >>> right = acumen.from_columns(prediction=[2, 1, 0], **rows)
    >>> deltas = acumen.compare(left, right, loss="abs", resamples=0).document.comparison.deltas
    >>> round(deltas["confidence"]["mean_loss"].delta, 4)
    -0.6667
    """
    evaluation = evaluate(*inputs, **keywords)
    if len(evaluation.systems) < 2:
        raise UsageError("compare needs two inputs, or one with several modes or systems")
    return evaluation

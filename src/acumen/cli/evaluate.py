"""``acumen evaluate``: selective-prediction metrics of one run, or of two compared."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen.cli.output import emit
from acumen.cli.ranked import warn
from acumen.cli.targets import check_targets
from acumen.errors import UsageError, printable

if TYPE_CHECKING:
    from acumen.evaluation.evaluation import Evaluation

app = typer.Typer(add_completion=False)


@app.command()
def evaluate(
    runs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN [RUN2]", help="Run files (JSON, JSONL, CSV, Parquet); - is stdin."
        ),
    ] = None,
    inputs: Annotated[
        list[str] | None, typer.Option("--input", help="A run file; the same as RUN.")
    ] = None,
    modes: Annotated[
        list[str] | None,
        typer.Option("--mode", help="Mode of each run, in order; one serves all."),
    ] = None,
    confidence: Annotated[
        str, typer.Option(help="default, all, or names separated by commas.")
    ] = "default",
    loss: Annotated[str, typer.Option(help="abs_norm or abs.")] = "abs_norm",
    resamples: Annotated[
        int, typer.Option("--bootstrap-resamples", min=0, help="Resamples of the cases.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 42,
    interval: Annotated[str, typer.Option(help="default, percentile or bca.")] = "default",
    confidence_level: Annotated[
        float,
        typer.Option("--confidence-level", "--level", help="Confidence level of the intervals."),
    ] = 0.95,
    coverage_grid: Annotated[
        str, typer.Option(help="Coverages at which MAE is told.")
    ] = ".1,.2,.3,.4,.5,.6,.7,.8,.9",
    area_coverage: Annotated[
        float, typer.Option(help="Coverage up to which areas are told.")
    ] = 0.5,
    calibration: Annotated[
        Path | None, typer.Option(help="A calibration artifact, for the calibrated functions.")
    ] = None,
    intersection_only: Annotated[
        bool, typer.Option("--intersection-only", help="Compare the cases both runs have.")
    ] = False,
    scale: Annotated[
        str | None, typer.Option(help="A scale: name or TOML file; else the run's own, or phq8.")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Write the metrics artifact here.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write the HTML report here.")] = None,
    texts: Annotated[
        bool,
        typer.Option("--texts", help="Keep the evidence that the run quotes: texts of cases."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the artifact instead of the tables.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print every metric.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print warnings only.")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads; by default all.")] = None,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where the time went; tracebacks.")
    ] = False,
) -> None:
    """Risk-coverage metrics of a run with honest intervals; of two runs, paired deltas.

    Example: acumen evaluate run.json --mode few_shot --confidence all --output metrics.json

    Example: acumen evaluate run.json --mode zero_shot --mode few_shot --html report.html
    """
    clock = _Clock()
    sources = _sources(runs or [], inputs or [], modes or [])
    check_targets(
        {"--output": output, "--html": html},
        [*(path for path, _ in sources), calibration, scale],
    )
    options = {
        "resamples": resamples,
        "seed": seed,
        "confidence_level": confidence_level,
        "threads": threads,
    }
    plan_options: dict[str, Any] = {
        "confidence": confidence,
        "loss": loss,
        "coverage_grid": _grid(coverage_grid),
        "area_coverage": area_coverage,
        "intersection_only": intersection_only,
        "texts": texts,
    }
    evaluation = _evaluate(sources, scale, calibration, interval, options, plan_options, clock)
    _write(evaluation, output, html)
    clock.lap("write")
    _show(evaluation, as_json=as_json, quiet=quiet, full=full)
    clock.lap("show")
    if debug:
        print(clock.told(), file=sys.stderr)


def _write(evaluation: Evaluation, output: Path | None, html: Path | None) -> None:
    """The artifact and the page, both or neither."""
    from acumen.files.json import write_files

    files: dict[str | Path, bytes] = {}
    if output is not None:
        files[output] = evaluation.to_json().encode("utf-8")
    if html is not None:
        from acumen.report.html import render_report

        page = render_report([evaluation], texts=bool(evaluation.artifact.options["texts"]))
        files[html] = page.encode("utf-8")
    write_files(files)


def _show(evaluation: Evaluation, *, as_json: bool, quiet: bool, full: bool) -> None:
    """The artifact or the tables on standard output; warnings are told in any case."""
    if as_json:
        emit(evaluation.to_json())
    elif not quiet:
        from acumen.report.selective.brief import brief
        from acumen.report.terminal import print_parts

        print_parts(brief(evaluation.artifact, full=full))
        return
    warn(evaluation.artifact.warnings)


def _evaluate(
    sources: list[tuple[str, str | None]],
    scale: str | None,
    calibration: Path | None,
    interval: str,
    options: dict[str, Any],
    plan_options: dict[str, Any],
    clock: _Clock,
) -> Evaluation:
    from acumen.cli.progress import bar
    from acumen.evaluation.evaluate import evaluate as evaluate_tables
    from acumen.evaluation.plan import Plan
    from acumen.inference.options import METHODS, Options
    from acumen.readers import read
    from acumen.table.losses import find_loss

    if interval not in METHODS:
        raise UsageError(f"no interval '{printable(interval)}'; there are {', '.join(METHODS)}")
    find_loss(plan_options["loss"])
    clock.lap("import")
    tables = [read(path, mode=mode, scale=scale) for path, mode in sources]
    clock.lap("read")
    calibrator = None
    if calibration is not None:
        from acumen.calibration import read_calibration

        calibrator = read_calibration(calibration)
    plan = Plan(options=Options(method=interval, **options), calibration=calibrator, **plan_options)
    other = tables[1] if len(tables) > 1 else None
    with bar("resampling", _steps(tables, plan)) as advance:
        watched = replace(plan, options=replace(plan.options, advance=advance))
        evaluation = evaluate_tables(tables[0], other, watched)
    clock.lap("evaluate")
    return evaluation


def _steps(tables: Sequence[Any], plan: Any) -> int:
    """How many weightings will be evaluated: each side's resamples, and the swaps of a pair."""
    from acumen.confidence import select

    functions = select(plan.confidence, tables[0], calibration=plan.calibration).names
    return len(functions) * int(plan.options.resamples) * (1 if len(tables) == 1 else 3)


def _sources(runs: list[str], inputs: list[str], modes: list[str]) -> list[tuple[str, str | None]]:
    """Which files are read in which mode."""
    files = [*runs, *inputs]
    if not files:
        raise UsageError("give a run file; see acumen evaluate --help")
    if len(files) == 1 and len(modes) == 2:
        files *= 2
    if len(files) > 2:
        raise UsageError(f"one or two runs can be evaluated, not {len(files)}")
    if len(modes) > len(files):
        raise UsageError(f"{len(modes)} modes for {len(files)} run(s)")
    if files.count("-") > 1:
        raise UsageError("standard input can be read only once")
    padded: list[str | None] = [*modes] * (len(files) if len(modes) == 1 else 1)
    padded += [None] * (len(files) - len(padded))
    return list(zip(files, padded, strict=True))


def _grid(text: str) -> tuple[float, ...]:
    try:
        return tuple(sorted({float(part) for part in text.split(",") if part.strip()}))
    except ValueError:
        raise UsageError(
            f"--coverage-grid takes numbers separated by commas, not '{printable(text)}'"
        ) from None


class _Clock:
    """Where the time went, for ``--debug``."""

    def __init__(self) -> None:
        self._last = time.perf_counter()
        self._laps: list[tuple[str, float]] = []

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self._laps.append((name, now - self._last))
        self._last = now

    def told(self) -> str:
        total = sum(seconds for _, seconds in self._laps)
        parts = " · ".join(f"{name} {seconds:.2f} s" for name, seconds in self._laps)
        return f"acumen: {parts} · in all {total:.2f} s"

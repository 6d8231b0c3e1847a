"""``acumen evaluate``: selective-prediction metrics of one run, or of several compared."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from acumen import defaults
from acumen.cli import PARTIAL, options
from acumen.cli.options import say
from acumen.cli.output import check_targets, emit, warn, write_results
from acumen.cli.progress import waiting
from acumen.errors import UsageError, printable
from acumen.stages import stage

if TYPE_CHECKING:
    from acumen.evaluation.evaluation import Evaluation

app = typer.Typer(add_completion=False)


@app.command()
@options.reads_rows
def evaluate(
    context: typer.Context,
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="RUN…", help=f"Run files ({options.FORMATS}); - is stdin."),
    ] = None,
    inputs: Annotated[list[str] | None, say("A run file; the same as RUN.", "--input")] = None,
    mode: Annotated[
        list[str] | None,
        say("Mode of each run, in order; one serves all. Of one run: a,b,c, or all."),
    ] = None,
    labels: Annotated[list[str] | None, say("Name of each system; repeatable.", "--label")] = None,
    confidence: options.Confidence = defaults.CONFIDENCE,
    loss: options.Loss = defaults.LOSS,
    resamples: Annotated[
        int | None,
        typer.Option(
            *options.RESAMPLES,
            min=0,
            help=f"Resamples of the cases; by default {defaults.RESAMPLES:,} of up to "
            f"{defaults.RESAMPLED_ROWS:,} rows, none of more.",
        ),
    ] = None,
    seed: options.Seed = defaults.SEED,
    interval: options.Interval = defaults.INTERVAL,
    confidence_level: options.ConfidenceLevel = defaults.CONFIDENCE_LEVEL,
    items: Annotated[
        str, say("fixed, or random: intervals speak of new items too.")
    ] = defaults.ITEMS,
    estimand: Annotated[str, say("row, or case: every case counts alike.")] = defaults.ESTIMAND,
    coverage_grid: Annotated[str, say("Coverages at which the risk is measured.")] = ",".join(
        f"{coverage:g}".lstrip("0") for coverage in defaults.COVERAGE_GRID
    ),
    area_coverage: Annotated[
        float, say("Coverage up to which areas are measured.")
    ] = defaults.AREA_COVERAGE,
    risk: Annotated[
        list[float] | None, say("Largest mean loss at which coverage is asked for; repeatable.")
    ] = None,
    calibration: options.Calibration = None,
    threshold: Annotated[
        Path | None, say("Answers that this threshold does not accept are open.")
    ] = None,
    intersection_only: Annotated[
        bool, say("Of two: compare the cases both have.", "--intersection-only")
    ] = False,
    baseline: Annotated[
        str | None, say("Compare all systems with this one; else all pairs.")
    ] = None,
    pairwise: Annotated[
        bool, say("Compare each pair on the cases the two share.", "--pairwise")
    ] = False,
    rank_by: Annotated[
        str, say("Metric of the leaderboard; risk is at the coverage all reach.")
    ] = defaults.RANK_BY,
    price: Annotated[
        float, say("What an abstention costs in charged areas, in units of the loss.")
    ] = defaults.PRICE,
    matched_coverage: Annotated[
        float | None, say("Compare systems at this coverage; by default, the most all reach.")
    ] = None,
    by: Annotated[
        list[str] | None,
        say(
            "Slice by a column, by item or by level; A,B crosses two; repeatable.", metavar="COLUMN"
        ),
    ] = None,
    output: options.Output = None,
    html: options.Html = None,
    texts: options.Texts = False,
    as_json: options.Json = False,
    full: options.Full = False,
    metrics: options.Metrics = None,
    quiet: Annotated[bool, say("Print warnings only.", "--quiet", "-q")] = False,
    engine: options.Engine = None,
    threads: Annotated[int | None, say("Threads; by default all.", min=1)] = None,
    debug: Annotated[bool, say("Show where the time went; tracebacks.", "--debug")] = False,
    *,
    reading: options.Reading,
) -> None:
    """Risk-coverage metrics of a run with honest intervals; of several, every pair compared.

    Example: acumen evaluate run.json --mode few_shot --confidence all --output metrics.json

    Example: acumen evaluate run.json --mode zero_shot,few_shot --html report.html

    Example: acumen evaluate gpt.csv llama.csv qwen.csv --baseline gpt
    """
    files = [*(runs or []), *(inputs or [])]
    if not files:
        raise UsageError("give a run file; see acumen evaluate --help")
    check_targets(
        {"--output": output, "--html": html},
        [*files, calibration, threshold, loss, *options.inputs_of(reading)],
    )
    if engine is not None:
        _refuse_beside_engine(context)
        from acumen.cli.merge import put_out
        from acumen.large import evaluate as count_and_measure

        if len(files) > 2:
            raise UsageError(
                f"--engine compares two files, or the systems of one: not {len(files)}"
            )
        asked = {"engine": engine, "loss": loss, "confidence_level": confidence_level}
        with waiting(quiet=quiet):
            artifact = count_and_measure(*files, **asked, full=full, **reading)  # type: ignore[arg-type]
        return put_out(artifact, artifact, output, as_json=as_json)
    with waiting(quiet=quiet) as wait:
        from acumen.evaluation.api import evaluate as evaluate_inputs

        with stage(share=0.7 if output or html else 1.0):
            evaluation = evaluate_inputs(
                *files,
                mode=mode,
                labels=labels,
                confidence=confidence,
                loss=loss,
                resamples=resamples,
                seed=seed,
                interval=interval,  # type: ignore[arg-type]  # Options refuses what is no method
                confidence_level=confidence_level,
                items=items,  # type: ignore[arg-type]  # Options refuses what is neither
                estimand=estimand,
                coverage_grid=_grid(coverage_grid),
                area_coverage=area_coverage,
                risk=risk,
                calibration=calibration,
                threshold=threshold,
                intersection_only=intersection_only,
                baseline=baseline,
                pairwise=pairwise,
                rank_by=rank_by,
                price=price,
                matched_coverage=matched_coverage,
                by=by,
                texts=texts,
                threads=threads,
                **reading,
            )
        write_results(evaluation, output, html, texts=texts)
    names = options.names_of(metrics)
    _show(evaluation, as_json=as_json, quiet=quiet, full=full, metrics=names)
    if debug:
        print(wait, file=sys.stderr)
    if evaluation.numbers.population.rows_planned is not None:
        raise typer.Exit(PARTIAL)


def _refuse_beside_engine(context: typer.Context) -> None:
    """Where the rows stay in an engine, what needs them at hand cannot be had."""
    fine = {"runs", "inputs", "engine", "loss", "confidence_level", "full", "output", "as_json"}
    fine |= {"debug"}
    names = {p.name or "" for p in context.command.params} - fine - {*options.READING}
    sources = {name: context.get_parameter_source(name) for name in names}
    odd = sorted(n for n, s in sources.items() if s is not None and s.name == "COMMANDLINE")
    if odd:
        listed = ", ".join(f"--{name.replace('_', '-')}" for name in odd)
        raise UsageError(f"--engine leaves the rows where they are; not with it: {listed}")


def _grid(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise UsageError(
            f"--coverage-grid takes numbers separated by commas, not '{printable(text)}'"
        ) from None


def _show(
    evaluation: Evaluation, *, as_json: bool, quiet: bool, full: bool, metrics: list[str]
) -> None:
    """The artifact or the tables on standard output; warnings in any case."""
    if as_json:
        emit(evaluation.to_json())
    elif not quiet:
        from acumen.report.selective.brief import brief
        from acumen.report.terminal import print_parts

        print_parts(brief(evaluation.numbers, full=full, metrics=metrics))
        return
    warn(evaluation.numbers.warnings)

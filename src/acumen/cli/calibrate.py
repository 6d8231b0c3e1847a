"""``acumen calibrate``: fit a calibrator on a run and keep it as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets, warn
from acumen.cli.progress import waiting
from acumen.errors import UsageError

if TYPE_CHECKING:
    from acumen.calibration import Calibration
    from acumen.results.calibration import Measures

app = typer.Typer(add_completion=False)

WIDTH = 80
MEASURES = (
    ("NLL", "nll"),
    ("ECE", "ece"),
    ("smooth ECE", "smooth_ece"),
    ("Brier", "brier"),
    ("AUROC", "auroc"),
)


@app.command()
@options.reads_rows
def calibrate(
    run: options.OneRun = None,
    input_file: options.Input = None,
    mode: options.Mode = None,
    method: Annotated[
        str, say("temperature, platt, logistic, linear or isotonic.")
    ] = defaults.CALIBRATOR,
    features: Annotated[
        str, say("Signals to fit on, with commas; else the verbalized confidence.")
    ] = "",
    confidence: Annotated[
        str | None, say("A confidence function to fit on, instead of features.")
    ] = None,
    target: Annotated[str, say("correctness, near_correct or loss.")] = defaults.CALIBRATION_TARGET,
    folds: Annotated[int, say("Folds of cases for cross-fitting.", min=2)] = defaults.FOLDS,
    seed: Annotated[int, say("Decides which case is in which fold.", min=0)] = defaults.SEED,
    output: options.Output = None,
    *,
    reading: options.Reading,
) -> None:
    """Fit a calibrator on the answered rows of a run.

    Prints its parameters, and NLL, ECE, Brier and AUROC before and after: in-sample, and
    cross-fitted, where each case is judged by a calibrator that never saw it.

    Example: acumen calibrate train.json --mode few_shot --output calibration.json

    Example: acumen calibrate train.json --mode few_shot --method isotonic --confidence token_pe
    """
    path = options.one_run(run, input_file)
    if path is None:
        raise UsageError("give one run: RUN or --input FILE")
    check_targets({"--output": output}, [path, *options.inputs_of(reading)])
    from acumen.calibration.inputs import default_warnings
    from acumen.evaluation.api import calibrate as fit
    from acumen.items.rows import table_of
    from acumen.report.selective.outcomes import scale_warning

    with waiting("fitting"):
        table = table_of(path, mode, reading)
        calibration = fit(
            table,
            method=method,
            features=features,
            confidence=confidence,
            target=target,
            folds=folds,
            seed=seed,
        )
    training = calibration.training
    warn(
        (
            *scale_warning(table.scale),
            *table.warnings,
            *default_warnings(training.feature_defaults, training.n or 0),
        )
    )
    if output is not None:
        calibration.write(output)
    for line in describe(calibration, table.scale.case):
        typer.echo(line)
    end = "nothing was kept; --output FILE keeps it" if output is None else f"wrote {output}"
    typer.echo(f"acumen: {end}", err=True)


def describe(calibration: Calibration, noun: str) -> list[str]:
    """The fit in a few lines: parameters, then the table of measures."""
    from acumen.confidence import spelled
    from acumen.results.calibration import MetricsPart

    method, training = spelled(calibration.method), calibration.training
    share = 100 * (training.positive_rate or 0.0)
    lines = [
        *wrap(f"{method} of {calibration.inputs.name} for {calibration.target}", WIDTH),
        f"n = {training.n} answered rows of {training.n_cases} {noun}s, {share:.1f}% positive",
        *wrap(_parameters(calibration), WIDTH),
        "",
    ]
    if not isinstance(calibration.metrics, MetricsPart):
        return lines  # of another tool, which measures in its own way
    in_sample, crossed = calibration.metrics.in_sample, calibration.metrics.cross_fitted
    rows = {
        "before": _values(in_sample.before),
        "after, in-sample": _values(in_sample.after),
        "after, cross-fitted": _values(crossed.after),
    }
    width = max(map(len, rows))
    lines.append(" " * width + "".join(f"{title:>12}" for title, _ in MEASURES))
    lines += [f"{title:{width}}{_cells(values)}" for title, values in rows.items()]
    if crossed.folds:
        lines.append(f"cross-fitted: {crossed.folds} folds by {noun}")
    reasons = (in_sample.before.reason, crossed.reason)
    lines += [f"– {reason}" for reason in reasons if reason]
    before, after = rows["before"].get("ece"), rows["after, cross-fitted"].get("ece")
    if before is not None and after is not None and after >= before:
        change = f"cross-fitted ECE {before:.4f} before, {after:.4f} after"
        lines += ["", f"calibration did not help here: {change}"]
    return lines


def _values(measures: Measures | None) -> dict[str, float | None]:
    return {} if measures is None else {k: m.value for k, m in measures.metrics.items()}


def _parameters(calibration: Calibration) -> str:
    model: Any = calibration.model
    match calibration.method:
        case "temperature_scaling":
            return f"T = {model.temperature:.6g}"
        case "isotonic":
            points = zip(model.x_thresholds, model.y_thresholds, strict=True)
            first = ", ".join(f"{x:.4g} → {y:.4g}" for x, y in list(points)[:12])
            more = len(model.x_thresholds) - 12
            return first + (f", and {more} more" if more > 0 else "")
        case _:
            names = calibration.inputs.features or (calibration.inputs.name,)
            pairs = zip(names, model.coefficients, strict=True)
            weights = ", ".join(f"{name} {weight:.6g}" for name, weight in pairs)
            return f"intercept {model.intercept:.6g}; per standard deviation: {weights}"


def _cells(values: Mapping[str, float | None]) -> str:
    numbers = (values.get(key) for _, key in MEASURES)
    return "".join(f"{'–' if n is None else format(n, '.4f'):>12}" for n in numbers)

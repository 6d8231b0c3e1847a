"""``acumen calibrate``: fit a calibrator on a run and keep it as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Any

import typer

from acumen.cli.targets import check_targets
from acumen.errors import UsageError

if TYPE_CHECKING:
    from acumen.calibration import Calibration
    from acumen.results.calibration import Measures

app = typer.Typer(add_completion=False)

WIDTH = 80
SHOWN = (
    ("NLL", "nll"),
    ("ECE", "ece"),
    ("smooth ECE", "smooth_ece"),
    ("Brier", "brier"),
    ("AUROC", "auroc"),
)


@app.command()
def calibrate(
    run: Annotated[Path | None, typer.Argument(help="The training run.")] = None,
    input_file: Annotated[Path | None, typer.Option("--input", help="The same as RUN.")] = None,
    mode: Annotated[str | None, typer.Option(help="Which experiment of the run.")] = None,
    method: Annotated[
        str, typer.Option(help="temperature, platt, logistic, linear or isotonic.")
    ] = "temperature",
    features: Annotated[
        str, typer.Option(help="Signals to fit on, with commas; else the verbalized confidence.")
    ] = "",
    confidence: Annotated[
        str | None, typer.Option(help="A confidence function to fit on, instead of features.")
    ] = None,
    target: Annotated[str, typer.Option(help="correctness, near_correct or loss.")] = "correctness",
    folds: Annotated[int, typer.Option(min=2, help="Folds of cases for cross-fitting.")] = 10,
    seed: Annotated[int, typer.Option(min=0, help="Decides which case is in which fold.")] = 42,
    scale: Annotated[
        str | None, typer.Option(help="A scale: name or TOML file; else the run's own, or phq8.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Where the artifact goes; else it is not kept.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Fit a calibrator on the answered rows of a run.

    Prints its parameters, and NLL, ECE, Brier and AUROC before and after: in-sample, and
    cross-fitted, where each case is judged by a calibrator that never saw it.

    Example: acumen calibrate train.json --mode few_shot --output calibration.json
    """
    if (run is None) == (input_file is None):
        raise UsageError("give one run: RUN or --input FILE")
    path = run or input_file or Path()
    check_targets({"--output": output}, (path, scale))
    from acumen.calibration import fit_calibration
    from acumen.calibration.inputs import default_warnings
    from acumen.files.json import created_at
    from acumen.readers import read

    table = read(path, mode=mode, scale=scale)
    fitted = fit_calibration(
        table,
        method=method,
        features=[name.strip() for name in features.split(",") if name.strip()],
        confidence=confidence,
        target=target,
        folds=folds,
        seed=seed,
    )
    defaults = default_warnings(fitted.training.feature_defaults, fitted.training.n or 0)
    for warning in (*table.warnings, *defaults):
        typer.echo(f"acumen: warning: {warning}", err=True)
    if output is not None:
        fitted.write(output, created_at())
    for line in describe(fitted, table.scale.case):
        typer.echo(line)
    end = "nothing was kept; --output FILE keeps it" if output is None else f"wrote {output}"
    typer.echo(f"acumen: {end}", err=True)


def describe(fitted: Calibration, noun: str) -> list[str]:
    """The fit in a few lines: parameters, then the table of measures."""
    from acumen.confidence import spelled
    from acumen.results.calibration import MetricsPart

    training = fitted.training
    share = 100 * (training.positive_rate or 0.0)
    lines = [
        *wrap(f"{spelled(fitted.method)} of {fitted.inputs.name} for {fitted.target}", WIDTH),
        f"n = {training.n} answered rows of {training.n_cases} {noun}s, {share:.1f}% positive",
        *wrap(_parameters(fitted), WIDTH),
        "",
    ]
    if not isinstance(fitted.metrics, MetricsPart):
        return lines  # of another tool, which measures in its own way
    in_sample, crossed = fitted.metrics.in_sample, fitted.metrics.cross_fitted
    rows = {
        "before": _values(in_sample.before),
        "after, in-sample": _values(in_sample.after),
        "after, cross-fitted": _values(crossed.after),
    }
    width = max(map(len, rows))
    lines.append(" " * width + "".join(f"{title:>12}" for title, _ in SHOWN))
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


def _parameters(fitted: Calibration) -> str:
    model: Any = fitted.model
    match fitted.method:
        case "temperature_scaling":
            return f"T = {model.temperature:.6g}"
        case "isotonic":
            points = zip(model.x_thresholds, model.y_thresholds, strict=True)
            shown = ", ".join(f"{x:.4g} → {y:.4g}" for x, y in list(points)[:12])
            more = len(model.x_thresholds) - 12
            return shown + (f", and {more} more" if more > 0 else "")
        case _:
            names = fitted.inputs.features or (fitted.inputs.name,)
            pairs = zip(names, model.coefficients, strict=True)
            shown = ", ".join(f"{name} {weight:.6g}" for name, weight in pairs)
            return f"intercept {model.intercept:.6g}; per standard deviation: {shown}"


def _cells(values: Mapping[str, float | None]) -> str:
    numbers = (values.get(key) for _, key in SHOWN)
    return "".join(f"{'–' if n is None else format(n, '.4f'):>12}" for n in numbers)

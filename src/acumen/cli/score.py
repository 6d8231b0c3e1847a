"""``acumen score``: verdicts, their ranking, and the reasons behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.options import say
from acumen.cli.output import check_targets, write_results
from acumen.cli.progress import waiting
from acumen.errors import UsageError

app = typer.Typer(add_completion=False)

Stated = Annotated[str | None, say("Fills what the file lacks.")]


@app.command()
def score(
    results: Annotated[
        list[Path] | None,
        typer.Argument(help="One results file, or two to compare.", show_default=False),
    ] = None,
    truth: Annotated[Path | None, say("Case id to verdict, incidents, primitives (JSON).")] = None,
    reviews: Annotated[
        Path | None, say("The reviews that snippets are looked up in (JSON).")
    ] = None,
    policy: Annotated[
        str | None, say("A policy by name or .toml file.", show_default=False)
    ] = None,
    method: Annotated[
        str | None, say("Whose results to take from a file of several methods.")
    ] = None,
    output: options.Output = None,
    html: options.Html = None,
    demo: Annotated[bool, say("Score the bundled study of 100 restaurants.", "--demo")] = False,
    full: options.Full = False,
    run_id: Stated = None,
    domain: Stated = None,
    model: Stated = None,
    k: Annotated[int | None, say("Fills what the file lacks.", "--k")] = None,
    resamples: options.Resamples = defaults.RESAMPLES,
    seed: options.Seed = defaults.SEED,
    interval: options.Interval = defaults.INTERVAL,
    confidence_level: options.ConfidenceLevel = defaults.CONFIDENCE_LEVEL,
) -> None:
    """Score verdicts: ranking (AUPRC), reasoning (process), and consistency with a policy.

    Examples:

    acumen score results.json --truth truth.json --reviews reviews.json

    acumen score rag.json direct.json --truth truth.json

    acumen score --demo
    """
    paths = results or []
    if demo and (paths or truth or reviews):
        raise UsageError("--demo brings its own results, truth and reviews")
    if not demo and not 1 <= len(paths) <= 2:
        raise UsageError("give one results file, two to compare, or --demo")
    check_targets({"--output": output, "--html": html}, (*paths, truth, reviews, policy))
    from acumen.report.brief import brief
    from acumen.report.terminal import print_parts
    from acumen.verdicts.api import score as score_results

    with waiting():
        scores = score_results(
            *(["demo"] if demo else paths),
            truth=truth,
            reviews=reviews,
            policy=policy,
            method=method,
            run_id=run_id,
            domain=domain,
            model=model,
            k=k,
            resamples=resamples,
            seed=seed,
            interval=interval,  # type: ignore[arg-type]  # Options refuses what is no method
            confidence_level=confidence_level,
        )
        write_results(scores, output, html)
    print_parts(brief(scores.results, full=full))

"""``acumen explain``: what a metric is, and what to beware of."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(add_completion=False)


@app.command()
def explain(
    metric: Annotated[
        str | None, typer.Argument(help="A metric's name; without one, they are listed.")
    ] = None,
) -> None:
    """Explain a metric: its definition, range, which way is better, and a caution.

    Example: acumen explain augrc

    Example: acumen explain quadratic_kappa
    """
    from acumen.metrics import METRICS
    from acumen.report.explain import explain, plain

    if metric is None:
        for known in METRICS.values():
            typer.echo(f"{known.name:24}{plain(known.about)}")
        return
    entry = explain(metric)
    typer.echo(f"{entry.metric.title} ({entry.metric.name})\n\n{plain(entry.text)}\n")
    typer.echo(f"Range:      {entry.range}\nBetter:     {entry.metric.better or 'neither'}")
    if entry.reference:
        typer.echo(f"Reference:  {entry.reference}")
    typer.echo(f"Caution:    {entry.caution}")

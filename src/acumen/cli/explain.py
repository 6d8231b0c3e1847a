"""``acumen explain``: what a metric is, with an example, and what to beware of."""

from __future__ import annotations

from shutil import get_terminal_size
from textwrap import fill
from typing import Annotated, Final

import typer

from acumen.cli.options import say

app = typer.Typer(add_completion=False)
MOST_USED: Final = (
    *("total_accuracy", "accuracy", "coverage", "mae", "signed_error", "mean_loss"),
    *("quadratic_kappa", "krippendorff_alpha", "failure_auroc", "augrc", "aurc"),
    "mean_loss_at_coverage",
    *("coverage_at_risk", "ece", "overconfidence", "brier", "rps", "ordinal_auprc", "process"),
)
"""What a screen describes; of the others it has the names."""


@app.command()
def explain(
    metric: Annotated[
        str | None,
        typer.Argument(help="A metric's name, such as augrc or QWK; without one, they are listed."),
    ] = None,
    full: Annotated[bool, say("Describe every metric in the list.", "--full")] = False,
) -> None:
    """Explain a metric: what it is, with an example and a caution.

    Example: acumen explain augrc

    Example: acumen explain qwk
    """
    from acumen.metrics import METRICS
    from acumen.report.explain import explain, plain

    width = max(60, min(get_terminal_size().columns, 100))
    if metric is None:
        for name in METRICS if full else MOST_USED:
            typer.echo(f"{name:24}{plain(METRICS[name].about)}")
        if not full:
            typer.echo(f"\n{fill(_rest(), width)}")
            typer.echo("\nOne of them: acumen explain NAME. All described: acumen explain --full")
        return
    entry = explain(metric)
    typer.echo(f"{entry.metric.title} ({entry.metric.name})\n\n{plain(entry.text)}\n")
    facts = {"Range": entry.range, "Better": entry.metric.better or "neither"}
    facts |= {"Example": entry.example, "Caution": entry.caution, "Reference": entry.reference}
    for what, words in facts.items():
        if words:
            typer.echo(fill(f"{what + ':':12}{words}", width, subsequent_indent=" " * 12))


def _rest() -> str:
    """The names of the other metrics, without the variants of AURC and AUGRC."""
    from acumen.metrics import METRICS

    names = (n for n, m in METRICS.items() if n not in MOST_USED and not m.is_relative)
    return f"More: {', '.join(names)}, and the variants of AURC and AUGRC."

"""``acumen export``: a document for MLflow or Weights & Biases."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from acumen.cli.options import BY_HAND, say
from acumen.cli.output import check_targets, emit
from acumen.cli.progress import waiting
from acumen.errors import UsageError, printable

app = typer.Typer(add_completion=False)


@app.command()
def export(
    document: Annotated[Path, typer.Argument(help="What a command of acumen wrote.")],
    to: Annotated[str, say("mlflow or wandb."), BY_HAND] = "mlflow",
    run_id: Annotated[str, say("The run of MLflow that the numbers go to."), BY_HAND] = "RUN_ID",
    output: Annotated[Path | None, say("Write to this file.", "--output", "-o")] = None,
    log: Annotated[
        bool, say("Log through the tracker's library, as its own run."), BY_HAND
    ] = False,
) -> None:
    """Turn a document into flat metrics, parameters and tags, as a tracker takes them.

    For MLflow that is one body of its call runs/log-batch a line, for Weights & Biases the config
    and the summary of a run. A number's interval is NAME.low and NAME.high; what is undefined is
    left out. With --log the installed library logs them, and the document as an artifact.

    Examples:

    acumen export metrics.json --to mlflow --output batch.jsonl

    acumen export metrics.json --to wandb
    """
    from acumen.bridge.trackers import as_wandb, batches, flat, log_to_mlflow, log_to_wandb
    from acumen.files.json import to_json, write_bytes
    from acumen.questions.result import Result

    if to not in ("mlflow", "wandb"):
        raise UsageError(f"no tracker '{printable(to)}'; there are mlflow, wandb")
    if log and output is not None:
        raise UsageError("--log writes no file: leave --output out")
    check_targets({"--output": output}, [document])
    with waiting("reading the document"):
        content = flat(Result.read(document))
    if log:
        logger = log_to_mlflow if to == "mlflow" else log_to_wandb
        with waiting("logging"):
            run = logger(content, document)
        typer.echo(f"acumen: logged as run {run}", err=True)
        return
    if to == "mlflow":
        time = datetime.fromisoformat(content.tags.get("acumen.created_at", "1970-01-01T00:00Z"))
        lines = batches(content, run_id, int(time.timestamp() * 1000))
        text = "".join(to_json(body, indent=None) for body in lines)
    else:
        text = to_json(as_wandb(content))
    if output is None:
        emit(text)
    else:
        write_bytes(output, text.encode("utf-8"))
        typer.echo(f"acumen: wrote {output}", err=True)

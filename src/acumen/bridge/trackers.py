"""A document for trackers of experiments: flat numbers, parameters, tags, and the file itself.

What a tracker takes is written without it. MLflow's form is the bodies of its ``runs/log-batch``
call, whose limits they keep; that of Weights & Biases is a run's ``config`` and ``summary``.
Missing numbers are left out: neither tracker has a null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from acumen.errors import UsageError
from acumen.questions.result import Result

MOST: Final = {"metrics": 800, "params": 100, "tags": 100}
"""What one call of MLflow takes: 1,000 entries in all."""
LONGEST: Final = 250
"""Letters of a name."""


@dataclass(frozen=True, slots=True)
class Flat:
    """A document as trackers have it."""

    metrics: Mapping[str, float]
    """A number and the ends of its interval: ``NAME``, ``NAME.low``, ``NAME.high``."""
    params: Mapping[str, str]
    tags: Mapping[str, str]


def flat(result: Result[Any]) -> Flat:
    """The numbers of a document outside its lists, its options, and what it is."""
    content = result.to_dict()
    metrics: dict[str, float] = {}
    for record in result.records():
        if any(part.isdecimal() for part in record["key"].split(".")):
            continue  # a list's, such as a point of a curve: the file has them
        ends = {"": record["estimate"], ".low": record.get("low"), ".high": record.get("high")}
        for end, number in ends.items():
            name = _name(record["key"]) + end
            if number is not None:
                if name in metrics:
                    raise UsageError(f"two numbers would be called {name}")
                metrics[name] = number
    options = content.get("options")
    params = {
        _name(key): str(value)
        for key, value in (options if isinstance(options, Mapping) else {}).items()
        if not isinstance(value, Mapping | list | None)
    }
    keys = ("kind", "acumen_version", "schema_version", "command", "created_at", "verdict")
    tags = {f"acumen.{key}": str(content[key]) for key in keys if content.get(key) is not None}
    return Flat(metrics, params, tags)


def _name(key: str) -> str:
    """A name that both trackers take."""
    return re.sub(r"[^\w./ -]", "_", key)[:LONGEST]


def batches(content: Flat, run: str, time: int) -> Iterator[dict[str, Any]]:
    """The bodies of MLflow's ``POST api/2.0/mlflow/runs/log-batch``; ``time`` in milliseconds."""
    metrics = [
        {"key": key, "value": value, "timestamp": time, "step": 0}
        for key, value in content.metrics.items()
    ]
    params, tags = (
        [{"key": key, "value": value} for key, value in texts.items()]
        for texts in (content.params, content.tags)
    )
    parts: dict[str, list[Any]] = {"metrics": metrics, "params": params, "tags": tags}
    cuts = [
        [part[at : at + MOST[name]] for at in range(0, len(part), MOST[name])]
        for name, part in parts.items()
    ]
    for some in zip_longest(*cuts, fillvalue=[]):
        yield {"run_id": run, **dict(zip(parts, some, strict=True))}


def as_wandb(content: Flat) -> dict[str, Any]:
    """The two dictionaries of a run of Weights & Biases."""
    return {"config": {**content.params, **content.tags}, "summary": dict(content.metrics)}


def log_to_mlflow(content: Flat, document: Path) -> str:
    """Log to the tracker that MLflow's environment names; the run's id."""
    try:
        import mlflow
    except ImportError:
        raise UsageError("the package mlflow is not installed: pip install mlflow") from None
    with mlflow.start_run() as run:
        mlflow.log_metrics(dict(content.metrics))
        mlflow.log_params(dict(content.params))
        mlflow.set_tags(dict(content.tags))
        mlflow.log_artifact(str(document))
        return str(run.info.run_id)


def log_to_wandb(content: Flat, document: Path) -> str:
    """Log to the project that the environment of Weights & Biases names; the run's id."""
    try:
        import wandb
    except ImportError:
        raise UsageError("the package wandb is not installed: pip install wandb") from None
    entries = as_wandb(content)
    with wandb.init(job_type="acumen", config=entries["config"]) as run:
        run.summary.update(entries["summary"])
        artifact = wandb.Artifact(document.stem, type="acumen")
        artifact.add_file(str(document))
        run.log_artifact(artifact)
        return str(run.id)

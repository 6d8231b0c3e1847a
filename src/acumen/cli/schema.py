"""``acumen schema``: the JSON Schema of what acumen reads and writes."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from acumen.cli.output import emit
from acumen.errors import UsageError, printable

if TYPE_CHECKING:
    from pydantic import BaseModel

SCHEMAS: Final = {
    "run": "acumen.readers.run_file:RunDocument",
    "metrics": "acumen.results.metrics:MetricsArtifact",
    "results": "acumen.results.verdicts:ResultsDocument",
    "calibration": "acumen.results.calibration:CalibrationDocument",
    "large": "acumen.results.counts:LargeArtifact",
    "counts": "acumen.results.counts:CountsDocument",
    "moments": "acumen.results.counts:MomentsDocument",
    "threshold": "acumen.results.decisions:ThresholdDocument",
    "sets": "acumen.results.decisions:SetsDocument",
    "gate": "acumen.results.decisions:GateDocument",
    "cost": "acumen.results.decisions:CostDocument",
    "plan": "acumen.results.decisions:PlanDocument",
    "gate_file": "acumen.decisions.gate_file:GateTable",
    "mapping": "acumen.readers.mapping:MappingTable",
    "ratings": "acumen.results.raters:RatingsDocument",
    "estimates": "acumen.results.raters:EstimateDocument",
    "survey": "acumen.results.survey:Survey",
    "scale": "acumen.table.scale_file:ScaleTable",
    "loss": "acumen.table.loss_file:LossTable",
    "task": "acumen.runner.task:TaskTable",
    "policy": "acumen.policy.tables:PolicyTable",
}
"""The documents acumen reads and writes, each with the model that checks it."""

app = typer.Typer(add_completion=False)


@app.command()
def schema(
    name: Annotated[
        str | None, typer.Argument(help="A document's name; without one, they are listed.")
    ] = None,
) -> None:
    """Print the JSON Schema of a document: the model that checks it.

    Example: acumen schema

    Example: acumen schema metrics > metrics.schema.json
    """
    from acumen.files.json import to_json

    if name is None:
        for known in SCHEMAS:
            about = (_model(known).__doc__ or "").strip().split("\n")[0]
            typer.echo(f"{known:12}{about}")
        return
    if name not in SCHEMAS:
        raise UsageError(f"no schema '{printable(name)}'; there are {', '.join(SCHEMAS)}")
    emit(to_json(schema_of(name)))


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a document."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return dialect | _model(name).model_json_schema()


def _model(name: str) -> type[BaseModel]:
    module, _, attribute = SCHEMAS[name].partition(":")
    model: type[BaseModel] = getattr(import_module(module), attribute)
    return model

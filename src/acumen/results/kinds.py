"""Every kind of document: its name, the model that checks it, and what writes it.

A document says its kind. Files of older versions do not: one table below knows them by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from acumen.errors import DataError, printable
from acumen.files.json import read_bytes, read_json, source_name
from acumen.files.problems import validated
from acumen.results.log import log_of

if TYPE_CHECKING:
    from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file that acumen writes or reads."""

    home: str
    """Module and class of its model."""
    command: str | None = None
    """The command that writes it; None of what people write themselves."""
    is_shown: bool = True
    """Whether ``show`` and ``report`` tell of it."""

    @property
    def model(self) -> type[BaseModel]:
        """The model that checks it, imported now."""
        module, _, name = self.home.partition(":")
        model: type[BaseModel] = getattr(import_module(f"acumen.{module}"), name)
        return model


KINDS: Final[Mapping[str, Kind]] = {
    "metrics": Kind("results.metrics:MetricsArtifact", "evaluate"),
    "results": Kind("results.verdicts:PairDocument", "score"),
    "calibration": Kind("results.calibration:CalibrationDocument", "calibrate"),
    "threshold": Kind("results.decisions:ThresholdDocument", "threshold"),
    "sets": Kind("results.decisions:SetsDocument", "sets"),
    "cost": Kind("results.decisions:CostDocument", "cost"),
    "gate": Kind("results.decisions:GateDocument", "gate"),
    "cascade": Kind("results.cascades:CascadeDocument", "cascade"),
    "card": Kind("results.cards:CardDocument", "card make"),
    "card_check": Kind("results.cards:CardCheckDocument", "card check"),
    "watch": Kind("results.watching:WatchDocument", "watch"),
    "plan": Kind("results.decisions:PlanDocument", "plan"),
    "ratings": Kind("results.raters:RatingsDocument", "rate"),
    "estimates": Kind("results.raters:EstimateDocument", "estimate"),
    "sample": Kind("results.labels:SampleDocument", "label"),
    "totals": Kind("results.totals:TotalsDocument", "total"),
    "large": Kind("results.counts:LargeArtifact", "evaluate --engine"),
    "counts": Kind("results.counts:CountsDocument", "count"),
    "moments": Kind("results.counts:MomentsDocument", "count --against"),
    "run_summary": Kind("results.runs:RunSummary", "run"),
    "survey": Kind("results.survey:Survey", "map --json"),
    "run": Kind("readers.run_file:RunDocument", "run", is_shown=False),
    "gate_file": Kind("decisions.gate_file:GateTable"),
    "mapping": Kind("readers.mapping:MappingTable"),
    "scale": Kind("table.scale_file:ScaleTable"),
    "loss": Kind("table.loss_file:LossTable"),
    "task": Kind("runner.task:TaskTable"),
    "policy": Kind("policy.tables:PolicyTable"),
}
"""Kind -> what is known of it. Documents that people look at come first."""
LISTED: Final = [name for name, kind in KINDS.items() if kind.command and kind.is_shown]

OLDER: Final[Mapping[str, tuple[frozenset[str], ...]]] = {
    "metrics": (frozenset({"confidence_variants"}),),
    "ratings": (frozenset({"people", "judges", "agreement"}),),
    "estimates": (frozenset({"cases_labelled", "estimates"}),),
    "results": (frozenset({"unified_scores"}), frozenset({"systems"})),
    "calibration": (frozenset({"method", "target"}),),
}
"""Kind -> keys of which one set makes it this, where a file does not say its kind."""


def kind_of(content: object) -> str | None:
    """What kind of document it is; None where it is none that acumen writes to be looked at."""
    if not isinstance(content, dict):
        return None
    name = str(content.get("kind", "")).removeprefix("acumen ")
    if name in LISTED:
        return name
    if holds_results(content):
        return "results"
    return next(
        (kind for kind, sets in OLDER.items() if any(keys <= content.keys() for keys in sets)), None
    )


def holds_results(content: Mapping[str, Any]) -> bool:
    """Whether it holds verdicts of a method, scored or not."""
    from acumen.results.verdicts import CASE

    rows = content.get("results")
    first = rows[0] if isinstance(rows, list) and rows else None
    return isinstance(first, dict) and "verdict" in first and bool(first.keys() & {*CASE})


def document_of(content: object, source: str) -> Any:
    """A document by what it holds; all that is wrong with it at once."""
    name = kind_of(content)
    if name is None:
        listed = "; ".join(f"{kind} (acumen {KINDS[kind].command})" for kind in LISTED)
        raise DataError([f"is no document of acumen; there are {listed}"], source=source)
    if name == "results":
        from acumen.results.verdicts import results_of

        return results_of(content, source)
    return validated(content, KINDS[name].model, source)


def read_document(path: str | Path) -> Any:
    """A document from a file; a log of verdicts is one."""
    source = source_name(path)
    log = log_of(read_bytes(path), source) if Path(path).suffix == ".jsonl" else None
    return document_of(read_json(path) if log is None else log, source)


def name_of(document: object) -> str:
    """The name of a document's kind."""
    return str(getattr(document, "kind", "results")).removeprefix("acumen ")


def title_of(document: object) -> str:
    """What a document is, and which command writes it."""
    name = name_of(document)
    return f"{printable(name)} of acumen {KINDS[name].command}"


def on_disk(document: Any) -> dict[str, Any]:
    """A document as plain data, as it is written."""
    if hasattr(document, "on_disk"):
        content: dict[str, Any] = document.on_disk()
        return content
    plain: dict[str, Any] = document.model_dump(mode="json")
    return plain

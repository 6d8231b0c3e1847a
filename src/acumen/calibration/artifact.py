"""A calibration artifact: a fitted calibrator, what it was fitted on, and how good it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acumen import confidence as confidences
from acumen.calibration.inputs import Inputs
from acumen.calibration.models import CalibratorModel
from acumen.errors import UsageError, printable
from acumen.files.json import write_json
from acumen.files.timestamps import created_at as now
from acumen.results.calibration import SCHEMA_VERSION, Training
from acumen.table.judgments import Judgments
from acumen.table.signals import Rows, answered_rows
from acumen.types import Floats


@dataclass(frozen=True)
class Calibration:
    """A fitted calibrator with what it takes, what it was fitted on, and how good it was."""

    method: str
    model: CalibratorModel
    inputs: Inputs
    target: str = "correctness"
    training: Training = field(default_factory=Training)
    metrics: dict[str, Any] = field(default_factory=dict)
    name: str = "calibration"
    """How messages call it: the name of its file."""
    file: str | None = None
    """The file it was read from, as it was named."""

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals its inputs are made of."""
        return self.inputs.signals

    def takes(self, inner: confidences.Expression) -> bool:
        """Whether it was fitted on this confidence."""
        return self.inputs.takes(inner)

    def of_table(self, table: Judgments, rows: Rows) -> Floats:
        """Calibrated confidence of some rows, on the inputs it was fitted on."""
        return self.model.predict(self.inputs.of(table, rows).values)

    def of_confidence(self, values: Floats) -> Floats:
        """Calibrated confidence where ``values`` are its only input."""
        taken = len(self.inputs.features)
        if taken > 1:
            raise UsageError(f"{self.name} takes {taken} features, not one confidence")
        return self.model.predict(values)

    def warnings(self, table: Judgments, names: Iterable[str] = ()) -> tuple[str, ...]:
        """What should be said when these confidences of this table are made with it."""
        table = table.included
        said = [*self._overlap(table)]
        for name in names:
            for expression in _calibrated_parts(confidences.find(name, table.signals)):
                said += self._applied(expression, table)
        return tuple(dict.fromkeys(said))

    def _overlap(self, table: Judgments) -> list[str]:
        shared = self.training.shared_with(table.cases)
        hint = "what is measured here is in-sample, so too good; the artifact has it cross-fitted"
        if shared:
            noun = table.scale.case
            return [
                f"{self.name} was fitted on {shared} of the {len(table.cases)} {noun}s evaluated "
                f"here (same ids): {hint}"
            ]
        run, training = table.source.run_id, self.training
        if run and run == training.run_id and not training.case_hashes.sha256_16:
            return [f"{self.name} was fitted on this very run ({printable(run)}): {hint}"]
        return []

    def _applied(self, expression: confidences.Calibrated, table: Judgments) -> list[str]:
        if expression.inner is None:
            return list(self.inputs.of(table, answered_rows(table)).warnings)
        if self.inputs.takes(expression.inner):
            return []
        return [f"{self.name} was fitted on {self.inputs.name}, not on {expression.inner.name}"]

    def document(self, created_at: str | None = None) -> dict[str, Any]:
        """The artifact as JSON has it; :mod:`acumen.results.calibration` is its schema."""
        return {
            "schema_version": SCHEMA_VERSION,
            "created_at": created_at or now(),
            "method": self.method,
            "target": self.target,
            "confidence": self.inputs.confidence,
            "features": list(self.inputs.signals),
            "model": self.model.parameters(),
            "training": self.training.model_dump(),
            "metrics": self.metrics or None,
        }

    def write(self, path: str | Path, created_at: str | None = None) -> None:
        """Write the artifact, whole or not at all."""
        write_json(path, self.document(created_at))


def _calibrated_parts(expression: confidences.Expression) -> list[confidences.Calibrated]:
    if isinstance(expression, confidences.Secondary):
        return [*_calibrated_parts(expression.left), *_calibrated_parts(expression.right)]
    return [expression] if isinstance(expression, confidences.Calibrated) else []

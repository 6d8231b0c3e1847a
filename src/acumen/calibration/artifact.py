"""A calibration artifact: a fitted calibrator, what it was fitted on, and how good it was.

It is JSON and nothing else, and every number in it is checked before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from acumen import confidence as confidences
from acumen.calibration.inputs import Inputs, check_raw
from acumen.calibration.models import METHODS, Calibrator
from acumen.errors import DataError, Problem, UsageError, printable, refuse
from acumen.files.json import created_at as now
from acumen.files.json import read_json, source_name, write_json
from acumen.files.problems import validated
from acumen.results.calibration import SCHEMA_VERSION, CalibrationDocument, MetricsPart, Training
from acumen.table.judgments import Judgments
from acumen.table.signals import Rows, answered_rows
from acumen.types import Floats

PICKLES: Final = (".pkl", ".pickle", ".joblib", ".dill", ".npy", ".npz", ".pt", ".pth")


@dataclass(frozen=True)
class Calibration:
    """A fitted calibrator with what it takes, what it was fitted on, and how good it was."""

    method: str
    model: Calibrator
    inputs: Inputs
    target: str = "correctness"
    training: Training = field(default_factory=Training)
    metrics: MetricsPart | dict[str, Any] | None = None
    """As acumen measured them, or as another tool wrote them."""
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
        n_features = len(self.inputs.features)
        if n_features > 1:
            raise UsageError(f"{self.name} takes {n_features} features, not one confidence")
        return self.model.predict(values)

    def warnings(self, table: Judgments, names: Iterable[str] = ()) -> tuple[str, ...]:
        """What should be said when these confidences of this table are made with it."""
        table = table.included
        warnings = self._overlap(table)
        for name in names:
            for expression in _calibrated_parts(confidences.find(name, table.signals)):
                warnings += self._applied(expression, table)
        return tuple(dict.fromkeys(warnings))

    def _overlap(self, table: Judgments) -> list[str]:
        shared = self.training.case_hashes.shared_with(table.cases)
        hint = "what is measured here is in-sample, so too good; the artifact has it cross-fitted"
        if shared:
            cases = f"{shared} of the {len(table.cases)} {table.scale.case}s"
            return [f"{self.name} was fitted on {cases} evaluated here (same ids): {hint}"]
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
        metrics = self.metrics
        if isinstance(metrics, MetricsPart):
            metrics = metrics.model_dump(mode="json")
        return {
            "schema_version": SCHEMA_VERSION,
            "created_at": created_at or now(),
            "method": self.method,
            "target": self.target,
            "confidence": self.inputs.confidence,
            "features": list(self.inputs.signals),
            "model": self.model.model_dump(),
            "training": self.training.model_dump(),
            "metrics": metrics,
        }

    def write(self, path: str | Path, created_at: str | None = None) -> None:
        """Write the artifact, whole or not at all."""
        write_json(path, self.document(created_at))


def _calibrated_parts(expression: confidences.Expression) -> list[confidences.Calibrated]:
    if isinstance(expression, confidences.Secondary):
        return [*_calibrated_parts(expression.left), *_calibrated_parts(expression.right)]
    return [expression] if isinstance(expression, confidences.Calibrated) else []


def read_calibration(path: str | Path) -> Calibration:
    """The calibrator in an artifact.

    Older artifacts are read too: ``temperature`` at the top or under ``model``, ``source_run_id``
    instead of ``training``. A pickle is refused by its name, unread: opening one runs its code.
    """
    name = source_name(path)
    if Path(path).suffix.lower() in PICKLES:
        message = "has the name of a pickle and was not opened: a calibration artifact is JSON"
        raise DataError([message], source=name)
    return replace(calibration_from(read_json(path), name), file=str(path))


def calibration_from(document: object, name: str = "calibration") -> Calibration:
    """The calibrator in a JSON document, or every problem with it."""
    problems: list[Problem] = []
    try:
        artifact = validated(document, CalibrationDocument, name)
    except DataError as error:
        problems += error.problems
    function = document.get("confidence") if isinstance(document, dict) else None
    if isinstance(function, str):  # the schema knows no functions
        try:
            check_raw(function)
        except UsageError as error:
            problems.append(Problem(str(error), field="confidence"))
    refuse(problems, name)
    assert artifact.model is not None  # an artifact without one is refused
    return Calibration(
        artifact.method,
        METHODS[artifact.method].model_validate(artifact.model.model_dump()),
        Inputs.of_method(artifact.method, artifact.features or (), artifact.confidence),
        "correctness" if artifact.target == "correct" else artifact.target,
        artifact.training or Training(run_id=artifact.source_run_id),
        artifact.metrics,
        printable(name, 200),
    )

"""Reading a calibration artifact: JSON and nothing else, every number checked before it is used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from acumen import confidence as confidences
from acumen.calibration.artifact import Calibration
from acumen.calibration.inputs import Inputs
from acumen.calibration.models import (
    METHODS,
    CalibratorModel,
    IsotonicCalibrator,
    TemperatureScalingCalibrator,
)
from acumen.confidence.grammar import TEMPERATURE
from acumen.errors import DataError, Problem, UsageError, printable
from acumen.files.json import read_json, source_name
from acumen.files.problems import validated
from acumen.results.calibration import CalibrationDocument, Steps, Temperature, Training

PICKLES: Final = (".pkl", ".pickle", ".joblib", ".dill", ".npy", ".npz", ".pt", ".pth")


def read_calibration(path: str | Path) -> Calibration:
    """The calibrator in an artifact.

    Older artifacts are read too: ``temperature`` at the top or under ``model``, ``source_run_id``
    instead of ``training``. A pickle is refused by its name, unread: opening one runs its code.
    """
    name = source_name(path)
    if Path(path).suffix.lower() in PICKLES:
        raise DataError(
            ["is a pickle by its name, refused unread: a calibration artifact is JSON"], source=name
        )
    return replace(calibration_from(read_json(path), name), file=str(path))


def calibration_from(document: object, name: str = "calibration") -> Calibration:
    """The calibrator in a JSON document, or every problem with it."""
    problems = _wrong_confidence(document)
    try:
        artifact = validated(document, CalibrationDocument, name)
    except DataError as error:
        problems = [*error.problems, *problems]
    if problems:
        raise DataError(problems, source=name)
    return Calibration(
        artifact.method,
        _model(artifact),
        _inputs(artifact),
        "correctness" if artifact.target == "correct" else artifact.target,
        artifact.training or Training(run_id=artifact.source_run_id),
        artifact.model_dump(exclude_unset=True).get("metrics") or {},
        printable(name, 200),
    )


def _wrong_confidence(document: object) -> list[Problem]:
    """What is wrong with the function an artifact names: the schema knows no functions."""
    name = document.get("confidence") if isinstance(document, dict) else None
    if not isinstance(name, str):
        return []
    try:
        if isinstance(confidences.find(name), confidences.Calibrated):
            raise UsageError(f"'{printable(name)}' is calibrated already")
    except UsageError as error:
        return [Problem(str(error), field="confidence")]
    return []


def _inputs(artifact: CalibrationDocument) -> Inputs:
    features, confidence = tuple(artifact.features or ()), artifact.confidence
    probability = artifact.method == TEMPERATURE
    if confidence is None and probability and features in ((), ("verbalized_confidence",)):
        confidence = "verbalized"
    return Inputs(() if confidence is not None else features, confidence, probability)


def _model(artifact: CalibrationDocument) -> CalibratorModel:
    model = artifact.model
    assert model is not None  # an artifact without one is refused
    if isinstance(model, Temperature):
        return TemperatureScalingCalibrator(float(model.temperature))
    if isinstance(model, Steps):
        return IsotonicCalibrator(tuple(model.x_thresholds), tuple(model.y_thresholds))
    calibrator: CalibratorModel = METHODS[artifact.method](
        tuple(model.coefficients),
        model.intercept,
        tuple(model.scaler.mean),
        tuple(model.scaler.std),
    )
    return calibrator

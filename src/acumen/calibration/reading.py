"""Reading a calibration artifact: JSON and nothing else, every number checked before it is used."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from acumen import confidence as confidences
from acumen.calibration.artifact import TEMPERATURE, Calibration, Training
from acumen.calibration.inputs import Inputs
from acumen.calibration.models import (
    METHODS,
    CalibratorModel,
    IsotonicCalibrator,
    TemperatureScalingCalibrator,
)
from acumen.errors import DataError, Problem, UsageError, printable, what_came
from acumen.files.json import read_json, source_name
from acumen.views.forecast import TARGETS

PICKLES: Final = (".pkl", ".pickle", ".joblib", ".dill", ".npy", ".npz", ".pt", ".pth")
OLDER_TARGETS: Final = {"correct": "correctness"}


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
    if not isinstance(document, dict):
        raise DataError([f"must be an object, not {what_came(document)}"], source=name)
    reader = _Document(document)
    artifact = reader.calibration(name)
    if reader.problems or artifact is None:
        raise DataError(reader.problems, source=name)
    return artifact


class _Document:
    """Takes a document apart, keeping every problem it meets."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.problems: list[Problem] = []
        model = document.get("model", {})
        self.model: dict[str, Any] = model if isinstance(model, dict) else {}
        if not isinstance(model, dict):
            self.wrong("model", f"must be an object, not {what_came(model)}")

    def wrong(self, field: str, message: str) -> None:
        self.problems.append(Problem(message, field=field))

    def calibration(self, name: str) -> Calibration | None:
        method = self.document.get("method")
        if not isinstance(method, str) or method not in METHODS:
            told = "is missing" if "method" not in self.document else what_came(method)
            self.wrong("method", f"{told}; known are {', '.join(METHODS)}")
            return None
        inputs = self.inputs(method)
        if method == TEMPERATURE:
            model: CalibratorModel | None = self.temperature()
        elif method == "isotonic":
            model = self.isotonic()
        else:
            model = self.linear(method, len(inputs.features) or 1)
        target, training, metrics = self.target(), self.training(), self.document.get("metrics")
        if self.problems or model is None:
            return None
        measured = metrics if isinstance(metrics, dict) else {}
        shown = printable(name, 200)
        return Calibration(method, model, inputs, target, training, measured, shown)

    def inputs(self, method: str) -> Inputs:
        features = self.features()
        confidence = self.document.get("confidence")
        by_rating = features in ((), ("verbalized_confidence",))
        if confidence is None and method == TEMPERATURE and by_rating:
            confidence = "verbalized"
        if confidence is not None:
            self.check_confidence(confidence)
            return Inputs((), str(confidence), method == TEMPERATURE)
        if not features:
            self.wrong("features", "missing: the calibrator does not say what it takes")
        if len(features) > 1 and method not in ("logistic", "linear"):
            self.wrong("features", f"{method} takes one, here are {len(features)}")
        return Inputs(features, None, method == TEMPERATURE)

    def features(self) -> tuple[str, ...]:
        features = self.document.get("features") or []
        if not isinstance(features, list) or not all(isinstance(f, str) for f in features):
            self.wrong("features", "must be a list of texts")
            return ()
        hidden = [f for f in features if not f or printable(f, 200) != f]
        if hidden:
            shown = f"'{printable(hidden[0])}'"
            self.wrong("features", f"{shown} is empty, too long or has invisible characters")
        if len(set(features)) < len(features):
            self.wrong("features", "must differ from each other")
        return tuple(features)

    def check_confidence(self, name: object) -> None:
        try:
            if not isinstance(name, str):
                raise UsageError(f"must be a text, not {what_came(name)}")
            if isinstance(confidences.find(name), confidences.Calibrated):
                raise UsageError(f"'{printable(name)}' is calibrated already")
        except UsageError as error:
            self.wrong("confidence", str(error))

    def target(self) -> str:
        target = self.document.get("target", "correctness")
        target = OLDER_TARGETS.get(target, target) if isinstance(target, str) else target
        if not isinstance(target, str) or target not in TARGETS:
            self.wrong("target", f"{what_came(target)} is not one of {', '.join(TARGETS)}")
            return "correctness"
        return target

    def number(self, field: str, value: object) -> float | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            told = "is missing" if value is None else f"must be a number, not {what_came(value)}"
            self.wrong(field, told)
            return None
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            self.wrong(field, "must be finite")
            return None
        return number

    def numbers(self, field: str, value: object, size: int | None = None) -> tuple[float, ...]:
        if not isinstance(value, list):
            told = "is missing" if value is None else f"must be a list, not {what_came(value)}"
            self.wrong(field, told)
            return ()
        found = [self.number(f"{field}[{i}]", x) for i, x in enumerate(value)]
        if size is not None and len(value) != size:
            self.wrong(field, f"{len(value)} for {size} feature{'s' if size > 1 else ''}")
        return tuple(x for x in found if x is not None)

    def temperature(self) -> TemperatureScalingCalibrator | None:
        given = [
            (field, holder["temperature"])
            for field, holder in (("temperature", self.document), ("model.temperature", self.model))
            if "temperature" in holder
        ]
        if not given:
            self.wrong("temperature", "is missing")
        if len(given) == 2 and given[0][1] != given[1][1]:
            self.wrong("temperature", "is given twice, and the two differ")
        value = self.number(*given[0]) if given else None
        if value is not None and value <= 0:
            self.wrong(given[0][0], f"{what_came(given[0][1])} must be greater than 0")
        return None if value is None else TemperatureScalingCalibrator(value)

    def linear(self, method: str, size: int) -> CalibratorModel:
        model = self.model
        scaler = model.get("scaler")
        if not isinstance(scaler, dict):
            told = "is missing" if scaler is None else f"must be an object, not {what_came(scaler)}"
            self.wrong("model.scaler", told)
            scaler = {"mean": [0] * size, "std": [1] * size}
        coefficients = self.numbers("model.coefficients", model.get("coefficients"), size)
        intercept = self.number("model.intercept", model.get("intercept"))
        mean = self.numbers("model.scaler.mean", scaler.get("mean"), size)
        std = self.numbers("model.scaler.std", scaler.get("std"), size)
        if any(s <= 0 for s in std):
            self.wrong("model.scaler.std", "must be greater than 0 everywhere")
        kind = METHODS[method]
        if model.get("link", kind.link) != kind.link:
            self.wrong("model.link", f"{what_came(model['link'])} is not {kind.link} ({method})")
        made: CalibratorModel = kind(coefficients, intercept or 0.0, mean, std)
        return made

    def isotonic(self) -> IsotonicCalibrator:
        x = self.numbers("model.x_thresholds", self.model.get("x_thresholds"))
        y = self.numbers("model.y_thresholds", self.model.get("y_thresholds"))
        xs, ys = self.model.get("x_thresholds"), self.model.get("y_thresholds")
        if isinstance(xs, list) and isinstance(ys, list):
            if len(xs) != len(ys):
                told = f"lengths differ: {len(xs)} x_thresholds, {len(ys)} y_thresholds"
                self.wrong("model.x_thresholds", told)
            elif not xs:
                self.wrong("model.x_thresholds", "is empty")
        if any(b <= a for a, b in pairwise(x)):
            self.wrong("model.x_thresholds", "must increase")
        if any(b < a for a, b in pairwise(y)) or any(not 0 <= v <= 1 for v in y):
            self.wrong("model.y_thresholds", "must never fall, and lie within 0..1")
        return IsotonicCalibrator(x, y)

    def training(self) -> Training:
        given = self.document.get("training")
        given = given if isinstance(given, dict) else {}
        run_id = given.get("run_id", self.document.get("source_run_id"))
        mode = given.get("mode", self.document.get("mode"))
        hashes = given.get("case_hashes")
        hashes = hashes if isinstance(hashes, dict) else {}
        salt, cases = hashes.get("salt", ""), hashes.get("sha256_16", [])
        if not isinstance(cases, list) or not all(isinstance(c, str) for c in cases):
            self.wrong("training.case_hashes.sha256_16", "must be a list of texts")
            cases = []
        n, n_cases, rate = (given.get(key) for key in ("n", "n_cases", "positive_rate"))
        defaults = given.get("feature_defaults")
        defaults = defaults if isinstance(defaults, dict) else {}
        return Training(
            run_id=run_id if isinstance(run_id, str) else None,
            mode=mode if isinstance(mode, str) else None,
            n=n if isinstance(n, int) else None,
            n_cases=n_cases if isinstance(n_cases, int) else None,
            positive_rate=float(rate) if isinstance(rate, int | float) else None,
            defaults={key: count for key, count in defaults.items() if type(count) is int},
            salt=salt if isinstance(salt, str) else "",
            cases=frozenset(cases),
        )

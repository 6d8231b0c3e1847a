"""Fitting a calibrator on the answered rows of a run, judged in-sample and cross-fitted by case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen import confidence as confidences
from acumen.calibration.artifact import Calibration
from acumen.calibration.inputs import Inputs
from acumen.calibration.models import METHODS
from acumen.calibration.scores import auroc, summary
from acumen.confidence.grammar import TEMPERATURE
from acumen.defaults import CALIBRATION_TARGET, CALIBRATOR, FOLDS, SEED
from acumen.errors import DataError, UsageError, printable
from acumen.files.json import source_name
from acumen.results.calibration import SEVERAL, CaseHashes, Training, case_hash
from acumen.table.judgments import Judgments
from acumen.table.signals import answered_rows
from acumen.types import Floats
from acumen.views.forecast import TARGETS, target_of

RATING: Final = "verbalized_confidence"
"""What is fitted on when nothing is named."""


@dataclass(frozen=True)
class Sample:
    """The answered rows a calibrator is fitted on."""

    inputs: Floats
    target: Floats
    right: Floats
    case: NDArray[np.int32]
    n_cases: int
    weight: Floats | None

    def measured(self, probability: Floats) -> dict[str, Any]:
        """How good a probability is on these rows."""
        columns = (probability, self.target, self.right, self.case)
        return summary(*columns, n_cases=self.n_cases, weight=self.weight)

    def rows(self, which: NDArray[np.bool_]) -> tuple[Floats, Floats, Floats | None]:
        """Inputs, target and weight of some of the rows."""
        weight = None if self.weight is None else self.weight[which]
        return self.inputs[which], self.target[which], weight


def fit_calibration(
    table: Judgments,
    *,
    method: str = CALIBRATOR,
    features: Sequence[str] = (),
    confidence: str | None = None,
    target: str = CALIBRATION_TARGET,
    folds: int = FOLDS,
    seed: int = SEED,
) -> Calibration:
    """Fit a calibrator; without features or a confidence it is fitted on the verbalized one.

    Its ``metrics`` hold NLL, ECE, Brier and AUROC before and after: in-sample, and cross-fitted,
    where each case is judged by a calibrator that never saw it.
    """
    table = table.included
    if confidence in table.signals and confidence not in confidences.names():
        features, confidence = (*features, str(confidence)), None  # the signal itself is meant
    method, taken = _asked(method, tuple(features), confidence, target)
    rows = answered_rows(table)
    source = table.source.path
    name = None if source is None else source_name(source)
    if not len(rows):
        raise DataError(["no row was answered: there is nothing to fit on"], source=name)
    if not features and confidence is None and RATING not in table.signals:
        had = ", ".join(printable(key) for key in list(table.signals)[:12]) or "none"
        message = f"there is no {RATING}, which is fitted by default; name features or a confidence"
        raise DataError([f"{message} (signals: {had})"], source=name)
    inputs = taken.of(table, rows)
    sample = Sample(
        inputs.values,
        target_of(table, target)[rows],
        target_of(table, "correctness")[rows],
        table.case[rows],
        len(table.cases),
        None if table.weight is None else table.weight[rows],
    )
    try:
        model = METHODS[method].fit(sample.inputs, sample.target, sample.weight)
    except DataError as error:
        raise DataError(error.problems, source=name) from error
    before = _before(taken, sample)
    after = sample.measured(model.predict(sample.inputs))
    crossed = _cross_fitted(method, sample, folds, seed)
    metrics = {
        "in_sample": {"before": before, "after": after},
        "cross_fitted": {"before": before, "by": table.scale.case, **crossed},
    }
    training = _training(table, sample, inputs.defaults)
    return Calibration(method, model, taken, target, training, metrics)


def cross_fit(
    method: str, sample: Sample, folds: int = FOLDS, seed: int = SEED
) -> tuple[Floats, int]:
    """Each row's calibrated confidence from a calibrator that never saw its case; and the folds."""
    cases = np.unique(sample.case)
    folds = min(folds, len(cases))
    if folds < 2:
        raise DataError(["cross-fitting needs answers from two cases or more"])
    fold_of_case = np.random.default_rng(seed).permutation(np.arange(len(cases)) % folds)
    fold = fold_of_case[np.searchsorted(cases, sample.case)]
    out = np.empty(len(sample.target))
    for k in range(folds):
        held_out = fold == k
        model = METHODS[method].fit(*sample.rows(~held_out))
        out[held_out] = model.predict(sample.inputs[held_out])
    return out, folds


def _asked(
    method: str, features: tuple[str, ...], confidence: str | None, target: str
) -> tuple[str, Inputs]:
    """The method that is meant, and what it takes."""
    method = TEMPERATURE if method == "temperature" else method
    if method not in METHODS:
        known = ("temperature", *(m for m in METHODS if m != TEMPERATURE))
        raise UsageError(f"no method '{printable(method)}'; there are {', '.join(known)}")
    if target not in TARGETS:
        raise UsageError(f"no target '{printable(target)}'; there are {', '.join(TARGETS)}")
    if target == "loss" and method == "logistic":
        method = "linear"
    if target == "loss" and method == "platt":
        raise UsageError("platt needs a target that is right or wrong; take linear for loss")
    if features and confidence is not None:
        raise UsageError("features and a confidence function exclude each other")
    if len(features) > 1 and method not in SEVERAL:
        raise UsageError(
            f"{confidences.spelled(method)} takes one feature, here are {len(features)}"
        )
    if confidence is not None:
        if isinstance(confidences.find(confidence), confidences.Calibrated):
            raise UsageError(f"'{printable(confidence)}' is calibrated already")
    elif not features and method in SEVERAL:
        features = (RATING,)
    elif not features or (method == TEMPERATURE and features == (RATING,)):
        confidence, features = "verbalized", ()
    return method, Inputs(features, confidence, method == TEMPERATURE)


def _before(taken: Inputs, sample: Sample) -> dict[str, Any]:
    """The same measures of what goes in, where it is one probability."""
    if len(taken.features) > 1:
        return {"reason": "several features: there is no one confidence before"}
    values = sample.inputs[:, 0] if taken.probability else taken.as_probability(sample.inputs)
    if values.min() < 0 or values.max() > 1:
        area = auroc(values, sample.right, sample.weight)
        return {"auroc": area, "reason": "what goes in is not a probability"}
    return sample.measured(values)


def _cross_fitted(method: str, sample: Sample, folds: int, seed: int) -> dict[str, Any]:
    try:
        predicted, used = cross_fit(method, sample, folds, seed)
    except DataError as error:
        return {"after": None, "folds": None, "reason": error.problems[0].message}
    return {"after": sample.measured(predicted), "folds": used, "seed": seed}


def _training(table: Judgments, sample: Sample, defaults: dict[str, int]) -> Training:
    salt = (table.source.sha256 or "")[:16]
    fitted = np.unique(sample.case).tolist()  # a case that abstained throughout taught nothing
    return Training(
        run_id=table.source.run_id,
        mode=table.source.mode,
        n=len(sample.target),
        n_cases=len(fitted),
        positive_rate=float(np.average(sample.target, weights=sample.weight)),
        feature_defaults=defaults,
        case_hashes=CaseHashes(
            salt=salt, sha256_16=sorted(case_hash(table.cases[code], salt) for code in fitted)
        ),
    )

"""Fitting a calibrator on the answered rows of a run, judged in-sample and cross-fitted by case."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from acumen import confidence as confidences
from acumen.calibration.artifact import Calibration
from acumen.calibration.inputs import RATING, Inputs, check_raw
from acumen.calibration.models import METHODS
from acumen.calibration.scores import Sample
from acumen.confidence.grammar import TEMPERATURE
from acumen.defaults import CALIBRATION_TARGET, CALIBRATOR, FOLDS, SEED
from acumen.errors import DataError, UsageError, printable
from acumen.results.calibration import (
    SEVERAL,
    CaseHashes,
    CrossFitted,
    InSample,
    Measures,
    MetricsPart,
    Training,
    case_hash,
)
from acumen.stages import stage
from acumen.table.judgments import Judgments
from acumen.table.signals import answered_rows
from acumen.types import Floats
from acumen.views.forecast import TARGETS, target_of


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

    Rows that have a confidence of their own and no verbalized one are fitted on that.

    Its ``metrics`` hold NLL, ECE, Brier and AUROC before and after: in-sample, and cross-fitted,
    where each case is judged by a calibrator fitted without it.
    """
    table = table.scored
    is_open = not features and confidence is None and RATING not in table.signals
    if is_open and "confidence" in table.signals:
        confidence = "confidence"
    if confidence in table.signals and confidence not in confidences.names():
        features, confidence = (*features, str(confidence)), None  # the signal itself is meant
    method, inputs = _method_and_inputs(method, tuple(features), confidence, target)
    rows, name = answered_rows(table), table.source.name
    if not len(rows):
        raise DataError(["no row was answered: there is nothing to fit on"], source=name)
    if not features and confidence is None and RATING not in table.signals:
        signals = ", ".join(printable(key) for key in list(table.signals)[:12]) or "none"
        message = f"there is no {RATING}, which is fitted by default; name features or a confidence"
        raise DataError([f"{message} (signals: {signals})"], source=name)
    columns = inputs.of(table, rows)
    sample = Sample(
        columns.values,
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
    before, after = _before(inputs, sample), sample.measure(model.predict(sample.inputs))
    metrics = MetricsPart(
        in_sample=InSample(before=before, after=after),
        cross_fitted=_cross_fitted(method, sample, folds, seed, before, table.scale.case),
    )
    training = _training(table, sample, columns.defaults)
    return Calibration(method, model, inputs, target, training, metrics)


def cross_fit(
    method: str, sample: Sample, folds: int = FOLDS, seed: int = SEED
) -> tuple[Floats, int]:
    """Each row's calibrated confidence from a calibrator fitted without its case; and the folds."""
    cases = np.unique(sample.case)
    folds = min(folds, len(cases))
    if folds < 2:
        raise DataError(["cross-fitting needs answers from two cases or more"])
    fold_of_case = np.random.default_rng(seed).permutation(np.arange(len(cases)) % folds)
    fold = fold_of_case[np.searchsorted(cases, sample.case)]
    out = np.empty(len(sample.target))
    with stage("fitting folds", steps=folds) as advance:
        for k in range(folds):
            held_out = fold == k
            model = METHODS[method].fit(*sample.rows(~held_out))
            out[held_out] = model.predict(sample.inputs[held_out])
            advance(1)
    return out, folds


def _method_and_inputs(
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
        name = confidences.spelled(method)
        raise UsageError(f"{name} takes one feature, here are {len(features)}")
    if confidence is not None:
        check_raw(confidence)
    return method, Inputs.of_method(method, features, confidence)


def _before(inputs: Inputs, sample: Sample) -> Measures:
    """The same measures of what goes in, where it is one confidence."""
    if len(inputs.features) > 1:
        return Measures(metrics={}, reason="several features: there is no one confidence before")
    values = sample.inputs
    return sample.measure(values[:, 0] if inputs.probability else inputs.as_probability(values))


def _cross_fitted(
    method: str, sample: Sample, folds: int, seed: int, before: Measures, noun: str
) -> CrossFitted:
    try:
        predicted, folds = cross_fit(method, sample, folds, seed)
    except DataError as error:
        reason = error.problems[0].message
        return CrossFitted(before=before, by=noun, after=None, folds=None, reason=reason)
    after = sample.measure(predicted)
    return CrossFitted(before=before, by=noun, after=after, folds=folds, seed=seed)


def _training(table: Judgments, sample: Sample, defaults: dict[str, int]) -> Training:
    salt = (table.source.sha256 or "")[:16]
    codes = np.unique(sample.case).tolist()  # a case that abstained throughout taught nothing
    return Training(
        run_id=table.source.run_id,
        mode=table.source.mode,
        n=table.tally["answered"],
        n_cases=len(codes),
        positive_rate=float(np.average(sample.target, weights=sample.weight)),
        feature_defaults=defaults,
        case_hashes=CaseHashes(
            salt=salt, sha256_16=sorted(case_hash(table.cases[code], salt) for code in codes)
        ),
    )

"""Is its confidence honest, and can it be made so?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Unpack

from acumen.declare import say, taken_by
from acumen.defaults import CALIBRATION_TARGET, CALIBRATOR, FOLDS, SEED
from acumen.questions import options
from acumen.questions.question import question
from acumen.readers.reading import Reading

if TYPE_CHECKING:
    from acumen.results.calibration import CalibrationDocument


@question(
    "acumen calibrate train.json --mode few_shot --output calibration.json",
    "acumen calibrate train.json --mode few_shot --method isotonic --confidence token_pe",
)
def calibrate(
    run: options.Run,
    *,
    mode: options.Mode = None,
    method: Annotated[str, say("temperature, platt, logistic, linear or isotonic.")] = CALIBRATOR,
    features: Annotated[
        options.Names,
        say("Signals to fit on, with commas; else the verbalized confidence.", kind=str),
    ] = "",
    confidence: Annotated[
        str | None, say("A confidence function to fit on, instead of features.")
    ] = None,
    target: Annotated[str, say("correctness, near_correct or loss.")] = CALIBRATION_TARGET,
    folds: Annotated[int, say("Folds of cases for cross-fitting.", least=2)] = FOLDS,
    seed: Annotated[int, say("Decides which case is in which fold.", least=0)] = SEED,
    **reading: Unpack[Reading],
) -> CalibrationDocument:
    """Fit a calibrator on the answered rows of a run.

    Its ``metrics`` hold NLL, ECE, Brier and AUROC before and after: in-sample, and cross-fitted,
    where each case is judged by a calibrator fitted without it. The result is what
    ``evaluate(…, calibration=)`` takes.

    Examples
    --------
    >>> import acumen
    >>> table = acumen.from_columns(
    ...     case=range(6), truth=[1, 1, 0, 2, 1, 0], prediction=[1, 0, 0, 2, 2, 0],
    ...     confidence=[0.9, 0.6, 0.8, 0.9, 0.7, 0.6])
    >>> calibration = acumen.calibrate(table, confidence="confidence", method="isotonic", folds=2)
    >>> calibration.document.method, calibration.document.training.n
    ('isotonic', 6)
    """
    asked = dict(locals())
    from acumen.calibration import fit_calibration
    from acumen.calibration.inputs import default_warnings
    from acumen.evaluation.inputs import one_table
    from acumen.files.problems import validated
    from acumen.results.calibration import CalibrationDocument
    from acumen.table.levels import inferred_note

    table = one_table(run, mode, reading)
    names = features.split(",") if isinstance(features, str) else features
    asked["features"] = [name.strip() for name in names if name.strip()]
    fitted = fit_calibration(table, **taken_by(fit_calibration, asked))
    note, training = inferred_note(table.scale.levels, table.scale.inferred), fitted.training
    document = validated(fitted.document(), CalibrationDocument, "calibration")
    defaults = default_warnings(training.feature_defaults, training.n or 0)
    warnings = [*([] if note is None else [note]), *table.warnings, *defaults]
    return document.model_copy(update={"warnings": warnings})

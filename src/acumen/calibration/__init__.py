"""Calibration: fit a calibrator on one run, keep it as JSON, apply it to another.

Reading and applying an artifact needs NumPy alone; fitting imports scikit-learn.
"""

from acumen.calibration.artifact import Calibration, read_calibration
from acumen.calibration.fitting import cross_fit, fit_calibration
from acumen.calibration.inputs import CalibratorFeatureExtractor, Features, Inputs
from acumen.calibration.models import (
    IsotonicCalibrator,
    LinearCalibrator,
    LogisticCalibrator,
    TemperatureScalingCalibrator,
)
from acumen.calibration.scores import auroc, compute_binary_nll, compute_ece
from acumen.results.calibration import Training

__all__ = [
    "Calibration",
    "CalibratorFeatureExtractor",
    "Features",
    "Inputs",
    "IsotonicCalibrator",
    "LinearCalibrator",
    "LogisticCalibrator",
    "TemperatureScalingCalibrator",
    "Training",
    "auroc",
    "compute_binary_nll",
    "compute_ece",
    "cross_fit",
    "fit_calibration",
    "read_calibration",
]

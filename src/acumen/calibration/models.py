"""The calibrators: how a confidence becomes a probability. Applying one needs NumPy alone.

Each has ``fit`` (scikit-learn and SciPy, imported there), ``predict``, and its parameters as JSON
has them. What is read back predicts the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from acumen.errors import DataError
from acumen.types import Floats
from acumen.views.forecast import CLIP

STEEPEST: Final = 45
"""Temperatures are sought between e^−45 and e^45: beyond, doubles tell nothing apart."""


class CalibratorModel(Protocol):
    """A fitted calibrator."""

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated confidence of each row of inputs."""

    def parameters(self) -> dict[str, Any]:
        """What an artifact keeps."""


@dataclass(frozen=True)
class TemperatureScalingCalibrator:
    r"""One number that makes a probability bolder or more timid.

    .. math:: \sigma(\mathrm{logit}(p) / T)

    T > 1 draws towards 0.5, T < 1 away from it; the ranking stays. Guo et al. (2017), ICML,
    arXiv:1706.04599.

    >>> TemperatureScalingCalibrator(2.0).predict([0.5, 0.9])
    array([0.5 , 0.75])
    """

    temperature: float

    @classmethod
    def fit(
        cls, probability: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None
    ) -> TemperatureScalingCalibrator:
        """The temperature of least negative log-likelihood, wherever above 0 it lies."""
        x, y = logit(_column(probability)), np.asarray(target, np.float64)
        w = np.ones(len(x)) if weight is None else np.asarray(weight, np.float64)
        _refuse_one_class(y[w > 0], "temperature")
        return cls(1.0 / _inverse_temperature(x, y, w))

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated probabilities."""
        with np.errstate(over="ignore"):  # a tiny temperature saturates at 0 and 1, as it should
            return sigmoid(logit(_column(inputs)) / self.temperature)

    def parameters(self) -> dict[str, Any]:
        """The temperature."""
        return {"temperature": self.temperature}


def _inverse_temperature(x: Floats, y: Floats, w: Floats) -> float:
    """The root of the slope of the NLL in 1/T, which only rises: there is one at most."""
    from scipy.optimize import brentq

    def slope(log_inverse: float) -> float:
        return float(np.sum(w * (sigmoid(math.exp(log_inverse) * x) - y) * x))

    if not np.any(w * x):
        raise DataError(["temperature: every confidence is 0.5, so no temperature fits better"])
    if not np.any(w * ((x > 0) - y) * x > 0):
        raise DataError(
            [
                "temperature has no finite optimum: 0.5 separates right from wrong, "
                "so the fit is best as T falls to 0"
            ]
        )
    low = next((u for u in range(0, -STEEPEST, -1) if slope(u) < 0), None)
    high = next((u for u in range(STEEPEST) if slope(u) > 0), None)
    if low is None or high is None:
        raise DataError(
            [
                "temperature has no finite optimum: the surer answers are not the better ones, "
                "so the fit is best as T grows without end"
            ]
        )
    return math.exp(brentq(slope, low, high, xtol=1e-14, rtol=1e-14))


@dataclass(frozen=True)
class LinearCalibrator:
    """A weighted sum of standardised features, cut to [0, 1]; for the target ``loss``.

    Ridge regression with a penalty of 1 (Hoerl and Kennard 1970).
    """

    coefficients: tuple[float, ...]
    intercept: float
    mean: tuple[float, ...]
    std: tuple[float, ...]
    link: ClassVar = "identity"

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """Ridge(alpha=1) on standardised features."""
        from sklearn.linear_model import Ridge

        return cls(*_fit_linear(Ridge(alpha=1.0), inputs, target, weight))

    def score(self, inputs: ArrayLike) -> Floats:
        """The weighted sum, before the link."""
        x = np.asarray(inputs, np.float64).reshape(-1, len(self.coefficients))
        total = np.full(len(x), self.intercept)
        with np.errstate(over="ignore", invalid="ignore"):  # told by row, where it is used
            standardised = (x - np.array(self.mean)) / np.array(self.std)
            for j, coefficient in enumerate(self.coefficients):  # in order: the same bits always
                total += coefficient * standardised[:, j]
        return total

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated confidences."""
        return np.clip(self.score(inputs), 0.0, 1.0)

    def parameters(self) -> dict[str, Any]:
        """Coefficients, intercept, link, and the features' means and standard deviations."""
        return {
            "coefficients": list(self.coefficients),
            "intercept": self.intercept,
            "link": self.link,
            "scaler": {"mean": list(self.mean), "std": list(self.std)},
        }


@dataclass(frozen=True)
class LogisticCalibrator(LinearCalibrator):
    """Logistic regression on standardised features; on one feature it is Platt scaling.

    Penalty C = 1. Platt (1999), Advances in Large Margin Classifiers.
    """

    link: ClassVar = "sigmoid"

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """LogisticRegression(C=1) on standardised features."""
        from sklearn.linear_model import LogisticRegression

        y = np.asarray(target, np.float64)
        _refuse_one_class(y, "logistic")
        if not np.isin(y, (0.0, 1.0)).all():
            raise DataError(["logistic needs a target that is right or wrong; take linear"])
        estimator = LogisticRegression(C=1.0, max_iter=1000)
        return cls(*_fit_linear(estimator, inputs, y, weight))

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated probabilities."""
        return sigmoid(self.score(inputs))


def _fit_linear(
    estimator: Any, inputs: ArrayLike, y: ArrayLike, weight: ArrayLike | None
) -> tuple[tuple[float, ...], float, tuple[float, ...], tuple[float, ...]]:
    """Coefficients and intercept on standardised features; their means and deviations."""
    from sklearn.preprocessing import StandardScaler

    x = np.asarray(inputs, np.float64)
    x = x.reshape(-1, 1) if x.ndim == 1 else x
    scaler = StandardScaler().fit(x, sample_weight=weight)
    estimator.fit(scaler.transform(x), y, sample_weight=weight)
    coefficients = tuple(np.ravel(estimator.coef_).tolist())
    intercept = float(np.ravel(estimator.intercept_)[0])
    return coefficients, intercept, tuple(scaler.mean_.tolist()), tuple(scaler.scale_.tolist())


@dataclass(frozen=True)
class IsotonicCalibrator:
    """The best function that never falls, straight between its points; one input.

    Zadrozny and Elkan (2002), KDD.

    >>> IsotonicCalibrator((0.0, 1.0), (0.5, 0.7)).predict([-1, 0.5, 3])
    array([0.5, 0.6, 0.7])
    """

    x_thresholds: tuple[float, ...]
    y_thresholds: tuple[float, ...]

    @classmethod
    def fit(
        cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None
    ) -> IsotonicCalibrator:
        """IsotonicRegression between 0 and 1, flat beyond its ends."""
        from sklearn.isotonic import IsotonicRegression

        fitted = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        fitted.fit(_column(inputs), np.asarray(target, np.float64), sample_weight=weight)
        return cls(tuple(fitted.X_thresholds_.tolist()), tuple(fitted.y_thresholds_.tolist()))

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated confidences."""
        return np.interp(_column(inputs), self.x_thresholds, self.y_thresholds)

    def parameters(self) -> dict[str, Any]:
        """The points of the function."""
        return {"x_thresholds": list(self.x_thresholds), "y_thresholds": list(self.y_thresholds)}


METHODS: Mapping[str, type[Any]] = {
    "temperature_scaling": TemperatureScalingCalibrator,
    "platt": LogisticCalibrator,
    "logistic": LogisticCalibrator,
    "linear": LinearCalibrator,
    "isotonic": IsotonicCalibrator,
}
"""The method an artifact names -> its calibrator."""


def sigmoid(x: Floats) -> Floats:
    """1/(1 + e^−x) without overflow, small values to full relative precision."""
    with np.errstate(invalid="ignore"):  # NaN stays NaN, and is told by row where it is used
        return np.exp(-np.logaddexp(0.0, -x))


def logit(probability: Floats) -> Floats:
    """ln(p/(1 − p)), p kept within [1e-6, 1 − 1e-6]."""
    p = np.clip(probability, CLIP, 1 - CLIP)
    return np.log(p) - np.log1p(-p)


def _column(inputs: ArrayLike) -> Floats:
    return np.asarray(inputs, np.float64).ravel()


def _refuse_one_class(y: Floats, method: str) -> None:
    if len(y) == 0:
        raise DataError([f"{method}: there is no answered row to fit on"])
    if (y == y[0]).all():
        which = {0.0: "every answer is wrong", 1.0: "every answer is right"}
        why = which.get(float(y[0]), "the target is the same everywhere")
        raise DataError([f"{method} has no finite optimum: {why}, so nothing tells them apart"])

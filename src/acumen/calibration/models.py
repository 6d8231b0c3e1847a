"""The calibrators: how a confidence becomes a probability. Applying one needs NumPy alone.

Each is its parameters as an artifact holds them, with ``fit`` (by scikit-learn, imported there) and
``predict``. What is read back predicts the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike

from acumen.errors import DataError
from acumen.extras import need
from acumen.inference.distributions import root
from acumen.results.calibration import Linear, Logistic, Steps, Temperature, Weights
from acumen.types import Floats
from acumen.views.forecast import CLIP

TOLERANCE: Final = 1e-10
"""Of the slope where a logistic fit ends."""
STEEPEST: Final = 45
"""Temperatures are sought between e^−45 and e^45: beyond, doubles tell nothing apart."""


class TemperatureScalingCalibrator(Temperature):
    r"""One number that makes a probability bolder or more timid.

    .. math:: \sigma(\mathrm{logit}(p) / T)

    T > 1 draws towards 0.5, T < 1 away from it; the ranking stays. Guo et al. (2017), ICML,
    arXiv:1706.04599.

    >>> TemperatureScalingCalibrator(temperature=2.0).predict([0.5, 0.9])
    array([0.5 , 0.75])
    """

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """The temperature of least negative log-likelihood, wherever above 0 it lies."""
        x, y = logit(_column(inputs)), np.asarray(target, np.float64)
        w = np.ones(len(x)) if weight is None else np.asarray(weight, np.float64)
        _refuse_one_class(y[w > 0], "temperature")
        return cls(temperature=1.0 / _inverse_temperature(x, y, w))

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated probabilities."""
        with np.errstate(over="ignore"):  # a tiny temperature saturates at 0 and 1, as it should
            return sigmoid(logit(_column(inputs)) / self.temperature)


def _inverse_temperature(x: Floats, y: Floats, w: Floats) -> float:
    """The root of the slope of the NLL in 1/T, which only rises: there is one at most."""

    def slope(log_inverse: float) -> float:
        return float(np.sum(w * (sigmoid(math.exp(log_inverse) * x) - y) * x))

    if not np.any(w * x):
        raise DataError(["temperature: every confidence is 0.5, so no temperature fits better"])
    if not np.any(w * ((x > 0) - y) * x > 0):
        raise _no_optimum("0.5 separates right from wrong, so the fit gets better as T falls to 0")
    low = next((u for u in range(0, -STEEPEST, -1) if slope(u) < 0), None)
    high = next((u for u in range(STEEPEST) if slope(u) > 0), None)
    if low is None or high is None:
        why = (
            "answers of higher confidence are not more often right, so the fit gets better as T "
            "grows without end"
        )
        raise _no_optimum(why)
    return math.exp(root(slope, low, high))


class LinearCalibrator(Linear):
    """A weighted sum of standardised features, cut to [0, 1]; for the target ``loss``.

    Ridge regression with a penalty of 1 (Hoerl and Kennard 1970).
    """

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """Ridge(alpha=1) on standardised features."""
        need("fit", "the calibrator linear")
        from sklearn.linear_model import Ridge

        return cls.model_validate(_fit_linear(Ridge(alpha=1.0), inputs, target, weight))

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated confidences."""
        return np.clip(_weighted_sum(self, inputs), 0.0, 1.0)


class LogisticCalibrator(Logistic):
    """Logistic regression on standardised features, with a penalty of C = 1."""

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """LogisticRegression(C=1) on standardised features."""
        need("fit", "the calibrator logistic")
        from sklearn.linear_model import LogisticRegression

        y = _right_or_wrong(target, "logistic")
        estimator = LogisticRegression(C=1.0, solver="newton-cholesky", tol=TOLERANCE)
        return cls.model_validate(_fit_linear(estimator, inputs, y, weight))

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated probabilities."""
        return sigmoid(_weighted_sum(self, inputs))


class PlattCalibrator(LogisticCalibrator):
    r"""Platt scaling: a logistic curve without a penalty, on smoothed targets; one input.

    With :math:`N_+` right and :math:`N_-` wrong answers, a right one has the target
    :math:`(N_+ + 1)/(N_+ + 2)` and a wrong one :math:`1/(N_- + 2)`, so that the fit is finite even
    where the input separates them. Platt (1999), Advances in Large Margin Classifiers.
    """

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """Each row counts as right with its smoothed target, and as wrong with the rest."""
        need("fit", "the calibrator platt")
        from sklearn.linear_model import LogisticRegression

        x, y = np.asarray(inputs, np.float64), _right_or_wrong(target, "platt")
        w = np.ones(len(y)) if weight is None else np.asarray(weight, np.float64)
        right, wrong = float(w @ y), float(w @ (1 - y))
        smoothed = np.where(y == 1.0, (right + 1) / (right + 2), 1 / (wrong + 2))
        estimator = LogisticRegression(C=np.inf, max_iter=10_000, tol=TOLERANCE)
        twice, both = np.concatenate([x, x]), np.repeat([1.0, 0.0], len(y))
        shares = np.concatenate([w * smoothed, w * (1 - smoothed)])
        return cls.model_validate(_fit_linear(estimator, twice, both, shares))


def _right_or_wrong(target: ArrayLike, method: str) -> Floats:
    y = np.asarray(target, np.float64)
    _refuse_one_class(y, method)
    if not np.isin(y, (0.0, 1.0)).all():
        raise DataError([f"{method} needs a target that is right or wrong; take linear"])
    return y


def _weighted_sum(model: Weights, inputs: ArrayLike) -> Floats:
    x = np.asarray(inputs, np.float64).reshape(-1, len(model.coefficients))
    total = np.full(len(x), model.intercept)
    with np.errstate(over="ignore", invalid="ignore"):  # told by row, where it is used
        standardised = (x - np.array(model.scaler.mean)) / np.array(model.scaler.std)
        for j, coefficient in enumerate(model.coefficients):  # in order: the same bits always
            total += coefficient * standardised[:, j]
    return total


def _fit_linear(
    estimator: Any, inputs: ArrayLike, y: ArrayLike, weight: ArrayLike | None
) -> dict[str, Any]:
    """The parameters of a fit on standardised features."""
    from sklearn.preprocessing import StandardScaler

    x = np.asarray(inputs, np.float64)
    x = x.reshape(-1, 1) if x.ndim == 1 else x
    scaler = StandardScaler().fit(x, sample_weight=weight)
    estimator.fit(scaler.transform(x), y, sample_weight=weight)
    return {
        "coefficients": np.ravel(estimator.coef_).tolist(),
        "intercept": float(np.ravel(estimator.intercept_)[0]),
        "scaler": {"mean": scaler.mean_.tolist(), "std": scaler.scale_.tolist()},
    }


class IsotonicCalibrator(Steps):
    """The best function that never falls, straight between its points; one input.

    Zadrozny and Elkan (2002), KDD.

    >>> IsotonicCalibrator(x_thresholds=[0, 1], y_thresholds=[0.5, 0.7]).predict([-1, 0.5, 3])
    array([0.5, 0.6, 0.7])
    """

    @classmethod
    def fit(cls, inputs: ArrayLike, target: ArrayLike, weight: ArrayLike | None = None) -> Self:
        """IsotonicRegression between 0 and 1, flat beyond its ends."""
        need("fit", "the calibrator isotonic")
        from sklearn.isotonic import IsotonicRegression

        steps = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
        steps.fit(_column(inputs), np.asarray(target, np.float64), sample_weight=weight)
        x, y = steps.X_thresholds_, steps.y_thresholds_
        return cls(x_thresholds=x.tolist(), y_thresholds=y.tolist())

    def predict(self, inputs: ArrayLike) -> Floats:
        """Calibrated confidences."""
        return np.interp(_column(inputs), self.x_thresholds, self.y_thresholds)


Calibrator = (
    TemperatureScalingCalibrator | LinearCalibrator | LogisticCalibrator | IsotonicCalibrator
)
METHODS: Final[Mapping[str, type[Calibrator]]] = {
    "temperature_scaling": TemperatureScalingCalibrator,
    "platt": PlattCalibrator,
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
        raise _no_optimum(f"{why}, so they cannot be distinguished", method)


def _no_optimum(why: str, method: str = "temperature") -> DataError:
    return DataError([f"{method} has no finite optimum: {why}"])

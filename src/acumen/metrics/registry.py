"""The registry of metrics.

A metric is a function of a *view* (the table sorted or filtered, once) and of *weights*. Its body
works on arrays with one value a weighting and gives NaN where it is undefined; called with plain
row weights it returns a float. Weight k must mean the row written k times: one law test checks it
for every metric here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import Enum, StrEnum
from functools import wraps
from typing import Any, Final, Literal, Protocol, Required, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.types import Floats
from acumen.views.weights import CaseWeights, Errors, Group


class Kind(Enum):
    """What values a metric may take; it decides on which scale an interval is made."""

    RISK = (0.0, math.inf)
    PROPORTION = (0.0, 1.0)
    CORRELATION = (-1.0, 1.0)
    REAL = (-math.inf, math.inf)
    EXCESS = (-math.inf, math.inf, "of a risk above its reference; below only by way of ties")
    DISTANCE = (0.0, 1.0, "a sum of absolute deviations: noise can only raise it")
    CASES = (0.0, 1.0, "a share of cases, each of them in or out")
    SCORE = (0.0, 1.0, "a mean of bounded scores, and no share of cases")
    READING = (0.0, math.inf, "a risk read off a curve, as the band around it is")
    CROSSING = (0.0, 1.0, "where a curve crosses a risk: read off the ends of all its risks")
    GAIN = (-math.inf, 1.0, "a share of what could be gained; below 0 more may be lost than that")

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return self.value[0], self.value[1]


class Unit(StrEnum):
    """What a value is counted in, so that tables and charts can write it."""

    SHARE = "share"
    """0 to 1, shown in percent."""
    PERCENT = "percent"
    """In percent already."""
    SCALE = "scale"
    """What the scale counts in: its own numbers, or levels where these are words."""
    LOSS = "loss"
    """Units of the loss in use."""
    NUMBER = "number"
    """None: kappas, correlations, calibration errors."""


class View(Protocol):
    """What a metric looks at: rows made ready once, and which case each belongs to."""

    @property
    def n_cases(self) -> int:
        """How many cases the rows belong to."""

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """The plain reason why metrics of this view have no value, if there is one."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, or null with the reason."""

    value: float | None
    reason: str | None = None


@dataclass(frozen=True)
class Metric:
    """A metric's name, what it looks at, which way is better, and its function."""

    name: str
    function: Callable[..., Floats]
    view: type
    better: Literal["lower", "higher"] | None
    """None: a sign says which way it is off, and neither way is better."""
    kind: Kind
    undefined: str = "its divisor is 0"
    """Why it has no value when the view itself gives no reason."""
    one_error: Callable[[float], float] | None = None
    """For risks: what one lost rung adds, times the answered rows, as a function of cmax."""
    errors: Callable[..., Errors] | None = None
    """Of the view and its own parameters: who errs, for when errors are sparse."""
    groups: Callable[..., Sequence[Group]] | None = None
    """Of the same: the groups of cases it cannot do without."""
    noise: Callable[..., tuple[float, float]] | None = None
    """Of view and value of a distance: the value less noise in squares, and what noise added."""
    caution: str | None = None
    """The flag that each of its intervals carries, if any."""
    smooth: bool = False
    """Whether it is a smooth function of its view's sums, so that the influence of a row is known.
    """
    in_many: Literal["smooth", "steps"] | None = None
    """Where a row more or less may make it jump: how it is known of very many cases. Smooth, or in
    steps that sums down the view's order tell."""
    curve: Literal["coverage", "cut", "risk"] | None = None
    """What it is asked at, where it is read off the risk–coverage curve: its interval is too."""
    exempt_from_scaling: bool = False
    """Whole weights stand for single rows here, so doubling all weights may change the value."""
    gaps: Callable[..., Floats] | None = None
    """A function of view and weights that is undefined where it is, and costs less."""
    behind: Callable[[Any], int] | None = None
    """How many cases have a row that it looks at, where the view does not say."""
    most: Callable[..., float] | None = None
    """The largest value a view and its own parameters allow, where its kind alone does not say;
    of a real number, on both sides of 0."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    unit: Unit = Unit.NUMBER
    anchor: str = ""
    """The id of its definition, in docs/definitions.md and on the page of metrics."""
    template: str = ""
    """Its title, with a parameter's name in braces where the parameter is said."""
    label: str | None = None
    """What the title says instead of a parameter's number, such as the name of a level."""

    @property
    def title(self) -> str:
        """Its name for people, as tables and charts show it; the bare name if it has none."""
        values = {name: self.label or f"{value:g}" for name, value in self.parameters.items()}
        return self.template.format_map(values) or self.name

    @property
    def is_relative(self) -> bool:
        """Whether it is a variant of AURC or AUGRC, there to compare with other tools."""
        return self.name.partition("@")[0] in RELATIVES

    @property
    def about(self) -> str:
        """The first line of its docstring: what it is and which way is better."""
        return (self.function.__doc__ or self.name).strip().splitlines()[0]

    def __call__(self, view: Any, weights: CaseWeights | ArrayLike) -> Floats | float:
        """The metric under a block of weightings (an array) or under row weights (a float)."""
        if isinstance(weights, CaseWeights):  # metrics are made of each other, so it remembers them
            key = (view, self.function, *self.parameters.items())
            return weights.recall(key, lambda: self.function(view, weights, **self.parameters))
        view, block = view.by_row(np.asarray(weights, np.float64))
        return float(self.function(view, block, **self.parameters)[0])

    def at(self, *, label: str | None = None, **parameters: float) -> Metric:
        """The same metric with another parameter, named after it.

        Name and title say the number, or ``label`` in its place: a level instead of its rank.

        >>> from acumen.metrics import METRICS
        >>> METRICS["mean_loss_at_coverage"].at(coverage=0.5).title
        'Mean loss at coverage 0.5'
        >>> METRICS["auprc_ge"].at(level=2, label="Critical Risk").title
        'AUPRC ≥ Critical Risk'
        """
        values = label or ",".join(f"{value:g}" for value in parameters.values())
        unsaid = "".join(f", {{{p}}} {p}" for p in parameters if f"{{{p}}}" not in self.template)
        return replace(
            self,
            name=f"{self.name}@{values}",
            parameters=parameters,
            template=self.template and self.template + unsaid,
            label=label,
        )

    def measure(self, view: View, weights: CaseWeights | None = None) -> Estimate:
        """The value under one weighting (by default every case once), or null with its reason."""
        weights = CaseWeights.once(view.n_cases) if weights is None else weights
        return self.estimate(self.function(view, weights, **self.parameters)[0], view, weights)

    def estimate(self, value: float, view: View, weights: CaseWeights) -> Estimate:
        """A value already computed, or null with the reason why it has none."""
        if math.isnan(value):
            return Estimate(None, view.why_undefined(weights) or self.undefined)
        return Estimate(float(value))

    @property
    def stand_in(self) -> Metric:
        """What is undefined where it is, for who asks no more of it than that."""
        return self if self.gaps is None else replace(self, function=self.gaps, parameters={})

    def bounds(self, view: Any) -> tuple[float, float]:
        """Smallest and largest value it can take on this view."""
        if self.most is None:
            return self.kind.bounds
        most = self.most(view, **self.parameters)
        return (-most if self.kind is Kind.REAL else self.kind.bounds[0]), most

    def rests_on(self, view: Any) -> int:
        """How many cases have a row that it looks at."""
        return int(view.cases_behind(self.name) if self.behind is None else self.behind(view))


def is_run_again(earlier: Callable[..., Any], later: Callable[..., Any]) -> bool:
    """Whether both come from the same place in the source, so that the later one replaces.

    A module is reloaded, a notebook's cell is run twice: neither is a clash of names. A lambda or
    a function inside another has no place of its own, so it replaces itself alone.

    >>> is_run_again(len, len), is_run_again(len, max)
    (True, False)
    """
    places = [
        (getattr(function, "__module__", None), getattr(function, "__qualname__", "<none>"))
        for function in (earlier, later)
    ]
    return earlier is later or (places[0] == places[1] and "<" not in places[0][1])


METRICS: Final[dict[str, Metric]] = {}
"""Every registered metric by name."""
RELATIVES: Final = frozenset(
    {
        *("aurc_optimal", "augrc_optimal", "eaurc", "eaugrc", "aurc_gap_pct", "augrc_gap_pct"),
        *("aurc_achievable", "augrc_achievable", "achievable_gain_pct"),
        *("aurc_at_coverage", "augrc_at_coverage", "aurc_normalized", "augrc_normalized"),
        *("aurc_exact", "aurc_exact_optimal", "aurc_exact_excess", "aurc_exact_achievable"),
        *("aurc_charge", "aurc_extend", "augrc_extend", "aurc_random_ties", "augrc_pairs"),
    }
)
"""Variants of AURC and AUGRC: what other tools call by these names, and references to them. They
are measured and kept; a person is shown them who asks for all metrics."""


class Facts(TypedDict, total=False):
    """What a decorator says of a metric; the fields of :class:`Metric` tell what each means."""

    unit: Required[Unit]
    view: Required[type]
    better: Required[Literal["lower", "higher"] | None]
    kind: Required[Kind]
    undefined: str
    one_error: Callable[[float], float]
    errors: Callable[..., Errors] | None
    groups: Callable[..., Sequence[Group]]
    noise: Callable[..., tuple[float, float]]
    caution: str
    smooth: bool
    in_many: Literal["smooth", "steps"] | None
    curve: Literal["coverage", "cut", "risk"]
    exempt_from_scaling: bool
    gaps: Callable[..., Floats]
    behind: Callable[[Any], int]
    most: Callable[..., float]


def every_case(view: Any) -> int:
    """What a metric rests on in which abstained rows count too."""
    return int(view.n_cases)


def metric(
    *, title: str, **facts: Unpack[Facts]
) -> Callable[[Callable[..., Floats]], Callable[..., Any]]:
    """Register a function of (view, weights) as a metric under its own name.

    ``title`` is its name for people; a parameter's name in braces stands for its value.
    A definition run again (a module reloaded, a notebook cell) takes the place of its first run.
    """

    def register(function: Callable[..., Floats]) -> Callable[..., Any]:
        name = function.__name__
        if name in METRICS and not is_run_again(METRICS[name].function, function):
            raise ValueError(f"there is a metric '{name}' already")
        defaults = function.__kwdefaults__ or {}
        anchor = f"metric-{name}"
        entry = Metric(name, function, parameters=defaults, anchor=anchor, template=title, **facts)
        METRICS[name] = entry

        @wraps(function)
        def call(view: Any, weights: CaseWeights | ArrayLike, **parameters: float) -> Any:
            asked = replace(entry, parameters=defaults | parameters) if parameters else entry
            return asked(view, weights)

        return call

    return register


def metrics_of(view: type) -> tuple[Metric, ...]:
    """The registered metrics that look at this kind of view."""
    return tuple(m for m in METRICS.values() if m.view is view)


def kin_of(name: str) -> tuple[Metric, ...]:
    """The metrics that look at the same kind of view as this one, itself among them."""
    return metrics_of(METRICS[name].view)


RISK_AT: Final = "mean_loss_at_coverage"
NOISE_FLOOR: Final = "noise_floor"
ALIASES: Final = {
    "cmax": "coverage",
    "mae_at_coverage": "mean_loss_at_coverage",
    "mae_at_cut": "mean_loss_at_cut",
    "auroc": "failure_auroc",
    **dict.fromkeys(("mean_error", "mean_absolute_error"), "mae"),
    **dict.fromkeys(("level_mae", "mae_levels", "mae_units"), "mae"),
    **dict.fromkeys(("qwk", "weighted_kappa", "cohen_kappa", "kappa"), "quadratic_kappa"),
    **dict.fromkeys(("bias", "level_bias", "mean_signed_error"), "signed_error"),
    **dict.fromkeys(("tau", "tau_b", "kendall_tau"), "kendall_tau_b"),
    "alpha": "krippendorff_alpha",
    "f1": "macro_f1",
    "rmse": "score_rmse",
    "expected_calibration_error": "ece",
    "brier_score": "brier",
    "e_aurc": "eaurc",
    **dict.fromkeys(("log_loss", "negative_log_likelihood"), "nll"),
    "exact_match": "total_accuracy",
    "adjacent_accuracy": "off_by_one_accuracy",
}
"""What else people call a metric -> its name."""


def find_metric(key: str, levels: Sequence[object] = ()) -> Metric | None:
    """The metric that a key of a document stands for, its parameter said; None where there is none.

    ``levels`` name the levels of the scale; a key says the level, of verdicts its rank. In the
    source's keys two areas end in ``_full``.

    >>> from acumen.metrics import METRICS
    >>> find_metric("auprc_ge@1", ["Low", "High"]).title, find_metric("augrc_full").title
    ('AUPRC ≥ High', 'AUGRC')
    """
    name, _, value = key.removesuffix("_full").partition("@")
    metric = METRICS.get(name) or METRICS.get(canonical(name))
    if metric is None or not value:
        return metric
    (parameter,) = metric.parameters or ("value",)
    names = [str(level) for level in levels]
    if parameter == "level" and value in names:
        return metric.at(level=names.index(value), label=value)
    try:
        number = float(value)
    except ValueError:
        return None
    named = parameter == "level" and number.is_integer() and 0 <= number < len(names)
    return metric.at(label=names[int(number)] if named else None, **{parameter: number})


def canonical(key: str) -> str:
    """The name that a word for a metric stands for, in any case, its parameter kept.

    >>> canonical("QWK"), canonical("augrc_full"), canonical("MAE"), canonical("cmax")
    ('quadratic_kappa', 'augrc', 'mae', 'coverage')
    """
    name, at, value = key.strip().partition("@")
    plain = name.casefold().replace("-", "_").replace(" ", "_").removesuffix("_full")
    return f"{ALIASES.get(plain, plain)}{at}{value}"


def key_among(asked: str, keys: Collection[str]) -> str | None:
    """The one of the keys that a word stands for; None where there is none.

    >>> key_among("AUGRC", ["augrc_full", "ece"]), key_among("cmax", ["coverage"])
    ('augrc_full', 'coverage')
    """
    if asked in keys:
        return asked
    return next((key for key in keys if canonical(key) == canonical(asked)), None)


def did_you_mean(asked: str, keys: Collection[str]) -> str:
    """The keys nearest to a word that stands for none, as a question; else all of them.

    >>> did_you_mean("accuracc", ["accuracy", "ece"]), did_you_mean("x", ["accuracy", "ece"])
    ('did you mean accuracy?', 'there are accuracy, ece')
    """
    near = dict.fromkeys(get_close_matches(canonical(asked), [*keys, *ALIASES], 3))
    close = [key for key in dict.fromkeys(key_among(word, keys) for word in near) if key]
    return f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(keys)}"


def floor_of(risk: str) -> str:
    """The key of the noise floor that stands beside a risk.

    That of a cut is told by the coverage that it reaches.

    >>> floor_of("mean_loss_at_cut@0.5")
    'noise_floor_at_coverage@0.5'
    """
    if risk == "mae":
        return f"{NOISE_FLOOR}_mae"
    return risk.replace("mean_loss_at_cut", RISK_AT, 1).replace("mean_loss", NOISE_FLOOR, 1)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Quotient, NaN where the divisor is 0."""
    if np.all(denominator):  # mostly, and half as long
        return np.asarray(numerator / denominator)
    return np.asarray(numerator / np.where(denominator != 0, denominator, np.nan))


def mean_of(values: Floats, rows: NDArray[np.int64]) -> Floats:
    """Mean over some rows of values, one a weighting; NaN where there are no rows."""
    if not len(rows):
        return np.full(values.shape[1], np.nan)
    mean: Floats = values[rows].mean(axis=0)
    return mean

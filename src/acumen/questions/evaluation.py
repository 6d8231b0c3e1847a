"""An evaluation: the result of ``evaluate``, and what can be asked of it beside its document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from acumen.defaults import COVERAGE_TOLERANCE
from acumen.errors import UsageError, label, printable
from acumen.evaluation.slices import columns_of, slices
from acumen.inference.infer import infer
from acumen.metrics import METRICS, find_metric
from acumen.metrics.registry import canonical, did_you_mean, key_among
from acumen.questions.result import Result, with_command
from acumen.report.words import why_missing
from acumen.results.frames import frame_of
from acumen.results.metrics import MetricsArtifact, Variant
from acumen.results.slices import Slices
from acumen.table.losses import LOSSES
from acumen.values.measured import Measured

if TYPE_CHECKING:
    from acumen.charts.theme import Figure
    from acumen.evaluation.build import Numbers
    from acumen.evaluation.plan import System


WRONG: Final = LOSSES["zero_one"]
"""The loss whose mean is the share of wrong answers."""


@dataclass(frozen=True)
class Trust:
    """How far a confidence may be trusted: which answers to accept so that few of them are wrong.

    ``coverage`` is the share of all rows that is accepted, None where no cut keeps the risk;
    ``threshold`` the least confidence among them, ``risk`` the share of them that is wrong, or
    their mean loss where that was asked for.
    """

    coverage: Measured
    threshold: float | None
    risk: float | None


class Evaluation(Result[MetricsArtifact]):
    """What was measured on one system or on several. All of it is in :attr:`document`.

    >>> import acumen
    >>> rows = {"case": range(4), "truth": [2, 1, 1, 0], "confidence": [0.9, 0.5, 0.7, 0.6]}
    >>> a = acumen.from_columns(**rows, prediction=[2, 3, 1, 0])
    >>> b = acumen.from_columns(**rows, prediction=[2, 1, 1, 3])
    >>> both = acumen.evaluate({"a": a, "b": b}, loss="abs", resamples=0)
    >>> both.systems, both["accuracy"]["b"].value
    (['a', 'b'], 0.75)
    >>> both.trust(error=0)["a"].coverage.value, both.trust(error=0)["a"].threshold
    (0.75, 0.6)
    """

    def __init__(
        self,
        numbers: MetricsArtifact,
        command: str | None = None,
        sources: tuple[System, ...] = (),
    ) -> None:
        super().__init__(numbers, command)
        self.sources = sources
        """The tables and their confidences, of which the document is completed; none of an
        evaluation that was read from a file, whose numbers are all there is."""

    @classmethod
    def of(cls, numbers: Numbers) -> Self:
        """The evaluation of what was just measured."""
        return cls(numbers.artifact, sources=numbers.systems)

    @property
    def brief(self) -> MetricsArtifact:
        """The document without its rows, and without what no screen shows of charts and groups."""
        return self._document

    @property
    def document(self) -> MetricsArtifact:
        """The whole document, completed when it is first asked for: a screen needs less.

        Of an evaluation that was read from a file, as it was there.
        """
        return self._whole

    @cached_property
    def _whole(self) -> MetricsArtifact:
        from acumen.evaluation.build import complete

        return complete(self.brief, self.sources) if self.sources else self.brief

    def made_by(self, command: str | None) -> Self:
        """The same, with the command that makes it again in its document."""
        return type(self)(with_command(self.brief, command), command, self.sources)

    def plot(self, kind: str = "risk-coverage") -> Figure:
        """A chart by its name, as ``acumen plot`` lists them; it shows itself in a notebook."""
        return super().plot(kind)

    @property
    def systems(self) -> list[str]:
        """What the systems are called, in the order they were given."""
        return self.brief.input_names

    def __getitem__(self, metric: str) -> Any:
        """A metric with its interval, by the best or the first confidence; of several, by name.

        A :class:`Measured`, or of several systems a dictionary of them: which it is depends on the
        inputs, so a type checker is told neither.
        """
        function = self.brief.best_function
        ranked = [] if function is None else self.brief.sides[function]
        by_system = [
            (ranked[at].metrics if ranked else {}) | overall
            for at, overall in enumerate(self.brief.overall_by_input)
        ]
        shared = sorted(set.intersection(*(set(numbers) for numbers in by_system)))
        key = key_among(metric, shared)
        if key is None:
            near = did_you_mean(metric, shared)
            raise UsageError(f"no metric '{printable(metric)}' was measured; {near}")
        if len(by_system) == 1:
            return by_system[0][key]
        return {n: numbers[key] for n, numbers in zip(self.systems, by_system, strict=True)}

    def trust(self, error: float = 0.1, *, mean_loss: float | None = None) -> Any:
        """How much may be accepted so that at most this share of it is wrong.

        A :class:`Trust`, or of several systems a dictionary of them, by name.

        The largest coverage at which at most ``error`` of the accepted answers are not exactly
        right, and its threshold, by the best or the first confidence. ``mean_loss`` asks for the
        mean loss of the evaluation instead. The threshold was chosen on these very rows and takes
        whole ties; the coverage, with its interval, lets the next tie in as far as is allowed.
        """
        function = self.brief.best_function
        if function is None:
            raise UsageError("there is no confidence to set a threshold on")
        sides = zip(self.systems, self.brief.sides[function], strict=True)
        by_system = {
            name: self._trust(at, function, variant, error, mean_loss)
            for at, (name, variant) in enumerate(sides)
        }
        return by_system if len(by_system) > 1 else next(iter(by_system.values()))

    def _trust(
        self, at: int, function: str, variant: Variant, error: float, mean_loss: float | None
    ) -> Trust:
        by_wrong = mean_loss is None and self.brief.loss.name != WRONG.name
        if by_wrong and not self.sources:
            raise UsageError(
                "the file has the mean loss down its confidences, and not the share of wrong "
                f"answers: trust(mean_loss=…) asks for it, or evaluate with loss='{WRONG.name}'"
            )
        error = error if mean_loss is None else mean_loss
        ranking = self.sources[at].rankings[function] if self.sources else None
        if ranking is not None and by_wrong:
            source = self.sources[at]
            plan = replace(source.plan, loss=WRONG)
            ranking = plan.rank(source.table, source.confidence[function])
        curve: Any = variant.curve if ranking is None else ranking.curve()
        within = np.flatnonzero(np.asarray(curve.selective_risk) <= error + COVERAGE_TOLERANCE)
        cut = int(within[-1]) if len(within) else None
        coverage = Measured(value=None if cut is None else curve.coverage[cut], better="higher")
        if ranking is not None:
            metric = METRICS["coverage_at_risk"].at(risk=error)
            options = self.sources[at].plan.options.without_resamples()
            coverage = infer([metric], ranking, options)[metric.name].measured
        if cut is None:
            return Trust(coverage, None, None)
        return Trust(coverage, float(curve.threshold[cut]), float(curve.selective_risk[cut]))

    def variants(self) -> Iterator[tuple[str, str, Variant]]:
        """(confidence function, system, numbers); the name is empty for a single system."""
        yield from _variants(self.document)

    def records(self) -> list[dict[str, Any]]:
        """One record a (confidence function, system, metric), and one a difference ``b − a``.

        What is measured whatever the confidence (kappa and its kin) has no confidence function.
        ``unit`` is ``share`` for 0 to 1, ``percent``, ``scale`` for what the scale counts in (its
        numbers, or levels where these are words), ``loss`` or ``number``;
        ``relative`` marks the variants of AURC and AUGRC that are there to compare with other
        tools.
        """
        artifact, comparison = self.brief, self.brief.comparison
        records = []
        for function, system, variant in _variants(artifact):
            for metric, value in variant.metrics.items():
                records.append(_record(function, system, metric, value.value, value))
        of_two = " − ".join(reversed(self.systems))
        for function, deltas in (comparison.deltas or {}).items():
            for metric, delta in deltas.items():
                records.append(_record(function, of_two, canonical(metric), delta.delta, delta))
        names = self.systems if len(artifact.inputs) > 1 else [""]
        for system, overall in zip(names, artifact.overall_by_input, strict=False):
            for metric, value in overall.items():
                records.append(_record(None, system, metric, value.value, value))
        for metric, delta in comparison.agreement.items():
            records.append(_record(None, of_two, metric, delta.delta, delta))
        if (board := artifact.leaderboard) is not None:
            for pair in comparison.pairs:
                delta, called = pair.difference, f"{pair.right} − {pair.left}"
                records.append(_record(board.function, called, board.metric, delta.delta, delta))
        return records

    @property
    def groups(self) -> list[str]:
        """What :meth:`by` takes: columns of groups, ``item`` and ``level``."""
        tables = [source.table for source in self.sources[:1]]
        columns = [name for table in tables for name in columns_of(table)]
        return list(dict.fromkeys([*columns, *(",".join(s.by) for s in self.brief.slices)]))

    def by(self, *columns: str) -> Slices:
        """Every metric within the groups of a column, or of two crossed, and against the rest.

        >>> import acumen
        >>> table = acumen.from_columns(case=[1, 2, 3, 4], truth=[2, 1, 0, 1],
        ...     prediction=[2, 3, 0, 1], groups={"sex": ["f", "m", "f", "m"]})
        >>> by_sex = acumen.evaluate(table).by("sex")
        >>> [(part.group, part.metrics["accuracy"].value) for part in by_sex]
        [('f', 1.0), ('m', 0.5)]
        """
        wanted = [name.strip() for column in columns for name in column.split(",")]
        was_asked = any(part.by == wanted for part in self.brief.slices)
        parts = [p for p in self.document.slices if p.by == wanted] if was_asked else []
        if not parts and self.sources:
            parts = slices(self.sources, [",".join(wanted)], self.brief.best_function)
        if not parts:
            raise UsageError(
                f"this evaluation was not sliced by {label(','.join(wanted))} "
                f"(by: {', '.join(self.groups) or 'none'}); evaluate the rows again with by="
            )
        return Slices(parts)

    def leaderboard(self, backend: Any = None) -> Any:
        """The systems, best first, with rank intervals and those each is not shown to differ from.

        A table as :meth:`to_frame` makes it.
        """
        board = self.brief.leaderboard
        if board is None:
            raise UsageError("a leaderboard needs two systems or more, with a truth")
        records = [
            {
                "system": standing.system,
                board.metric: standing.measured.value,
                **dict(zip(("low", "high"), standing.measured.ends, strict=True)),
                "coverage": standing.coverage,
                **dict(zip(("rank_from", "rank_to"), standing.ranks or (None,) * 2, strict=True)),
                "beats": ", ".join(standing.beats),
                "not_told_from": ", ".join(standing.not_told_from),
            }
            for standing in board.standings
        ]
        return frame_of(records, backend)


def _variants(artifact: MetricsArtifact) -> Iterator[tuple[str, str, Variant]]:
    names = artifact.input_names if len(artifact.inputs) > 1 else [""]
    for function, sides in artifact.sides.items():
        for name, variant in zip(names, sides, strict=True):
            yield function, name, variant


def _record(
    function: str | None, system: str, metric: str, value: float | None, measured: Any
) -> dict[str, Any]:
    interval, known = measured.interval, find_metric(metric)
    return {
        "confidence": function,
        "system": system,
        "metric": metric,
        "estimate": value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "unit": None if known is None else known.unit.value,
        "relative": known is not None and known.is_relative,
        "method": None if interval is None else interval.method,
        "flags": None if interval is None else ", ".join(interval.flags) or None,
        "reason": why_missing(measured),
        "p_value": getattr(measured, "p_value", None),
        "p_adjusted": getattr(measured, "p_adjusted", None),
    }

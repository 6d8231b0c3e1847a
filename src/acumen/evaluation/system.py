"""One system under evaluation: its table, its confidences, and each view of them, made once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from acumen import confidence as confidences
from acumen.evaluation.plan import Plan
from acumen.table.judgments import Judgments
from acumen.types import Floats
from acumen.views.confusion import Confusion, confuse_judgments
from acumen.views.forecast import Forecast, forecast_judgments, why_no_forecast
from acumen.views.ranking import Ranking
from acumen.views.severity import SeverityRanking, rank_judgments_by_severity

NO_ANSWER = "no row was answered"


@dataclass(frozen=True, eq=False)
class System:
    """A table with the confidences computed for it. Views are made when first asked for."""

    table: Judgments
    plan: Plan
    confidence: Mapping[str, Floats]

    @classmethod
    def of(cls, table: Judgments, plan: Plan, names: Sequence[str]) -> System:
        """The table with these confidence functions."""
        computed = {
            name: confidences.compute(
                plan.functions.get(name, name), table, calibration=plan.calibration
            )
            for name in names
        }
        return cls(table, plan, computed)

    @cached_property
    def rankings(self) -> dict[str, Ranking]:
        """The table ranked by each confidence."""
        return {n: self.plan.rank(self.table, values) for n, values in self.confidence.items()}

    @cached_property
    def unranked(self) -> Ranking:
        """The table with one confidence for all rows."""
        return self.plan.rank(self.table, np.zeros(len(self.table.included)))

    @cached_property
    def forecasts(self) -> dict[str, Forecast | str]:
        """Each confidence as a probability, or why it is none."""
        return {name: self._forecast(values) for name, values in self.confidence.items()}

    def _forecast(self, values: Floats) -> Forecast | str:
        if not self.table.included.answered.any():
            return NO_ANSWER
        reason = why_no_forecast(self.table, values)
        return forecast_judgments(self.table, values) if reason is None else reason

    @cached_property
    def confusion(self) -> Confusion:
        """Predicted levels against the truth."""
        return confuse_judgments(self.table)

    @cached_property
    def severity(self) -> SeverityRanking:
        """The answered rows, worst first."""
        return rank_judgments_by_severity(self.table)


def select(table: Judgments, plan: Plan) -> tuple[list[str], dict[str, str]]:
    """The confidence functions to compute, and those left out with the reason."""
    if plan.functions and plan.confidence == "default":
        return list(plan.functions), {}
    selection = confidences.select(plan.confidence, table, calibration=plan.calibration)
    return [*selection.names, *plan.functions], dict(selection.left_out)


def find_twins(systems: Sequence[System]) -> dict[str, str]:
    """Functions that give the same confidences as an earlier one: they share its numbers."""
    first: dict[tuple[bytes, ...], str] = {}
    twins = {}
    for name in systems[0].confidence:
        values = tuple(system.confidence[name].tobytes() for system in systems)
        earlier = first.setdefault(values, name)
        if earlier != name:
            twins[name] = earlier
    return twins

"""Evaluations of tables by a plan, for tests that look at what a question does not ask for."""

from __future__ import annotations

from collections.abc import Sequence

from acumen.evaluation import evaluate as measuring
from acumen.evaluation.plan import Plan
from acumen.questions.evaluation import Evaluation
from acumen.table.judgments import Judgments


def evaluate(
    left: Judgments,
    right: Judgments | None = None,
    plan: Plan = Plan(),  # noqa: B008  (frozen)
) -> Evaluation:
    """One table, or two on their common cases."""
    return evaluate_all([left] if right is None else [left, right], plan)


def evaluate_all(tables: Sequence[Judgments], plan: Plan) -> Evaluation:
    """Any number of tables."""
    return Evaluation.of(measuring.evaluate_all(tables, plan))

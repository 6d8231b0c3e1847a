"""What a reader is warned of before trusting an evaluation's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from acumen.confidence.grammar import find, uses_calibration
from acumen.defaults import FEWEST_CASES, RELIABLE_CASES
from acumen.evaluation.plan import Plan
from acumen.inference.infer import Inference
from acumen.inference.replicates import MOST_DROPPED
from acumen.table.judgments import Judgments
from acumen.views.ranking import Ranking


def of_calibration(table: Judgments, names: Sequence[str], plan: Plan) -> list[str]:
    """What the calibrator has to say about these cases."""
    if plan.calibration is None:
        return []
    used = [
        name
        for name in names
        if name not in plan.functions and uses_calibration(find(name, table.signals))
    ]
    if not used:
        return ["the calibration file was not used: no calibrated function was asked for"]
    return list(plan.calibration.warnings(table, used))


def of_table(table: Judgments) -> list[str]:
    """What a table is too small or too even for."""
    warnings = []
    rows = table.included
    n = len(rows.cases)
    noun = table.scale.case
    if n < FEWEST_CASES:
        warnings.append(f"{n} {noun}: an interval needs at least {FEWEST_CASES}")
    elif n < RELIABLE_CASES:
        warnings.append(f"{n} {noun}s: intervals from fewer than {RELIABLE_CASES} are unreliable")
    if len(rows) and not rows.answered.any():
        warnings.append("every row is abstained: risks and areas are undefined")
    if len(rows) and (rows.truth == rows.truth[0]).all():
        level = table.scale.levels[int(rows.truth[0])]
        warnings.append(
            f"every truth is the same level ({level}): nothing can be ranked by severity"
        )
    return warnings


def of_ranking(name: str, ranking: Ranking, numbers: Mapping[str, Inference]) -> list[str]:
    """What a ranking by this confidence does not say."""
    warnings = []
    if len(ranking.ends) == 1 and len(ranking.order) > 1:
        warnings.append(f"{name}: every confidence is the same, so the ranking says nothing")
    excess = numbers["eaurc"].value
    if excess is not None and excess < -1e-12:
        warnings.append(
            f"{name}: eaurc is negative ({excess:.4g}), an artefact of ties; "
            "see aurc_exact_excess, which is not"
        )
    dropped = numbers["mae"].replicates.drop_rate or 0.0
    if dropped > 0:
        effect = "too many for intervals" if dropped > MOST_DROPPED else "they are left out"
        warnings.append(
            f"{name}: {dropped:.1%} of the resamples have no answered row ({effect}): "
            "undefined there"
        )
    return warnings

"""The door for people with a list of rows."""

from acumen.items.bootstrap import BootstrapResult, PairedBootstrapResult
from acumen.items.compute import (
    RiskCoverageCurve,
    bootstrap_by_participant,
    compute_augrc,
    compute_augrc_at_coverage,
    compute_augrc_optimal,
    compute_aurc,
    compute_aurc_achievable,
    compute_aurc_at_coverage,
    compute_aurc_optimal,
    compute_cmax,
    compute_eaugrc,
    compute_eaurc,
    compute_risk_at_coverage,
    compute_risk_coverage_curve,
    paired_bootstrap_delta_by_participant,
)
from acumen.items.rows import ItemPrediction

__all__ = [
    "BootstrapResult",
    "ItemPrediction",
    "PairedBootstrapResult",
    "RiskCoverageCurve",
    "bootstrap_by_participant",
    "compute_augrc",
    "compute_augrc_at_coverage",
    "compute_augrc_optimal",
    "compute_aurc",
    "compute_aurc_achievable",
    "compute_aurc_at_coverage",
    "compute_aurc_optimal",
    "compute_cmax",
    "compute_eaugrc",
    "compute_eaurc",
    "compute_risk_at_coverage",
    "compute_risk_coverage_curve",
    "paired_bootstrap_delta_by_participant",
]

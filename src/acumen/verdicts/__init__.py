"""Verdict studies: claims, evidence, policy; what is right, and for which reasons."""

from acumen.verdicts.compute import (
    DEFAULT_POLICY,
    compute_consistency_score,
    compute_intermediate_metrics,
    compute_ordinal_auprc,
    compute_process_score,
    compute_unified_metrics,
)

__all__ = [
    "DEFAULT_POLICY",
    "compute_consistency_score",
    "compute_intermediate_metrics",
    "compute_ordinal_auprc",
    "compute_process_score",
    "compute_unified_metrics",
]

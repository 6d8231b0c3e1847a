"""Policies: how evidence becomes a verdict, as data. See :mod:`acumen.policy.model`."""

from acumen.policy.decide import Decision, Trace, decide
from acumen.policy.model import NO_INCIDENT, Evidence, Policy
from acumen.policy.read import builtin_policies, find_policy, parse_policy

__all__ = [
    "NO_INCIDENT",
    "Decision",
    "Evidence",
    "Policy",
    "Trace",
    "builtin_policies",
    "decide",
    "find_policy",
    "parse_policy",
]

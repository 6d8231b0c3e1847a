"""The run artifact as its file holds it: the schema of what :mod:`acumen.readers.run` reads.

The reader itself goes row by row, so that a message names the case, the item and the field; a test
holds the two together. Which levels and items there may be is the scale's to say.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Strict

from acumen.table.scale_file import ScaleTable
from acumen.values.measured import Count, Model

CaseName = Count | Annotated[str, Field(min_length=1)]
Level = Count | str
"""A level of the scale: a whole number or a label."""


class JudgedCase(Model):
    """A case that was judged: its levels by item, and what was captured beside them."""

    participant_id: CaseName
    success: Literal[True]
    predicted_items: dict[str, Level | None] = Field(description="null is an abstention")
    ground_truth_items: dict[str, Level | None] | None = Field(
        default=None, description="items without one are left out and counted"
    )
    item_signals: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="by item, then by signal: what a confidence is made of"
    )
    item_distributions: dict[str, list[float] | None] = Field(
        default_factory=dict, description="probabilities of the levels, lowest first"
    )
    refused_items: list[str] = Field(
        default_factory=list, description="items without a level that the model declined"
    )
    evidence_counts: dict[str, Any] = Field(
        default_factory=dict, description="where older runs have llm_evidence_count"
    )


class FailedCase(Model):
    """A case that failed as a whole: left out and counted."""

    participant_id: CaseName
    success: Literal[False]
    error: Any = None
    ground_truth_items: Any = None


class Cases(Model):
    """The cases of an experiment."""

    mode: Annotated[str, Strict()] | None = None
    results: list[JudgedCase | FailedCase] = Field(min_length=1)


class Experiment(Model):
    """One mode of a run."""

    provenance: dict[str, Any] | None = None
    results: Cases


class RunMetadata(Model):
    """What a run says of itself."""

    run_id: Any = None
    git_commit: Any = None
    scale: ScaleTable | None = None


class RunDocument(Model):
    """What ``acumen run`` writes and ``acumen evaluate`` reads: one experiment a mode."""

    schema_version: str | Count | None = Field(default=None, description="at most 1")
    run_metadata: RunMetadata | None = None
    experiments: list[Experiment] = Field(min_length=1)

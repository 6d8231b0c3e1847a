"""A cascade executed: each stage is asked what those before it left open; one run file for all.

Every stage is a run of its own, with its own file and journal, and can be resumed as one. The
file of the whole is made from theirs, so it can be made again.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from acumen.errors import DataError, UsageError, label, source_name
from acumen.files.json import read_json, to_json, write_bytes
from acumen.labels.design import draw
from acumen.results.cascades import CascadeDocument
from acumen.results.decisions import ThresholdDocument
from acumen.runner.execute import Run
from acumen.runner.ownership import is_replaceable
from acumen.runner.plan import Plan
from acumen.runner.withhold import Sieve
from acumen.table.scale import Scale
from acumen.types import CaseId
from acumen.values.measured import Measured

Row = dict[str, Any]
Ask = Callable[["Stage", frozenset[CaseId] | None], Run]
"""Asks a stage about some of the cases; about all of them where none are named."""
AUDIT_COLUMNS: Final = ("case", "item", "label", "inclusion")


@dataclass(frozen=True, slots=True)
class Stage:
    """A model, what its answers must pass, and where its own run file goes."""

    model: str
    sieve: Sieve
    output: Path


def stages_of(cascade: Any, models: Sequence[str], scale: Scale, outputs: Sequence[Path]) -> Any:
    """The document, and the stages that are asked; what fits neither is refused."""
    from acumen.results.metrics import read_artifact

    name = "the cascade"
    if isinstance(cascade, str | Path):
        name, cascade = source_name(cascade), read_artifact(cascade, CascadeDocument)
    document = getattr(cascade, "document", cascade)
    if not isinstance(document, CascadeDocument):
        raise UsageError("a cascade is what acumen cascade wrote")
    if not document.certified:
        raise DataError(["certifies nothing: there are no thresholds to go by"], source=name)
    if len(models) != len(document.stages):
        listed = ", ".join(label(stage.name) for stage in document.stages)
        message = f"a model for each stage, in their order ({listed}): {len(document.stages)} times"
        raise UsageError(f"{message} --model, not {len(models)}")
    stages = []
    for part, model, output in zip(document.stages, models, outputs, strict=True):
        threshold = ThresholdDocument(
            threshold=part.threshold, certified=True, alpha=document.alpha, delta=document.delta,
            risk=None, coverage=Measured(value=part.accepted), method="approx",
            test="korn-graubard", cases=document.cases_tested, items=1, loss=document.loss,
            costs=document.costs,
            confidence=part.confidence, scale=document.scale,
        )  # fmt: skip
        if part.is_asked:
            stages.append(Stage(model, Sieve.of(threshold, scale), output))
    return document, stages


def refuse_old(output: Path, *, resume: bool) -> None:
    """A run file that is there is written over only where its run goes on."""
    if output.exists() and not resume:
        raise UsageError(f"{label(output.name)} is there already: choose another --output")


def run_stages(
    ask: Ask, document: CascadeDocument, stages: Sequence[Stage], output: Path, audit: float
) -> Run:
    """Ask the stages in turn, and write the run file of the whole where all of them have ended."""
    runs = list[Run]()
    left: frozenset[CaseId] | None = None
    for stage in stages:
        runs.append(run := ask(stage, left))
        if run.stop is not None or run.artifact is None:
            return run
        rows = _rows(run)
        left = frozenset(case for case, row in rows.items() if _open(row, run.plan))
        if not left:
            break
    return _written(document, stages, runs, output, audit)


def _rows(run: Run) -> dict[CaseId, Row]:
    (experiment,) = (run.artifact or {})["experiments"]
    return {row["participant_id"]: row for row in experiment["results"]["results"]}


def _open(row: Row, plan: Plan) -> list[str]:
    """The items of a row without an answer that may be used."""
    levels = row.get("predicted_items", {})
    return [item for item in plan.task.scale.items if levels.get(item) is None]


def _written(
    document: CascadeDocument,
    stages: Sequence[Stage],
    runs: Sequence[Run],
    output: Path,
    share: float,
) -> Run:
    """The run file of the whole, in the place of one that an earlier end of this run wrote."""
    first, by_stage = runs[0], [_rows(run) for run in runs]
    content: dict[str, Any] = read_json(first.output)  # type: ignore[assignment]  # a run file
    metadata, (experiment,) = content["run_metadata"], content["experiments"]
    if not is_replaceable(output, metadata["run_id"]):
        raise DataError(["is there and is not what this run wrote: move it"], output.name)
    names = [stage.model for stage in stages]
    merged = {case: _merged(case, by_stage, names, first.plan) for case in by_stage[0]}
    experiment["results"]["results"] = [*merged.values()]
    experiment["provenance"]["quantitative_model"] = " > ".join(names)
    answered = Counter(by for row in merged.values() for by in row["answered_by"].values())
    audited = _audit(merged, share, first.plan.settings.seed)
    items = sum(len(row["answered_by"]) for row in merged.values())
    facts = {
        "alpha": document.alpha,
        "delta": document.delta,
        "referred_before": document.cascade.referred,
        "rows": items,
        "referred": answered[None],
        "stages": [
            {"model": name, "cases": len(rows), "accepted": answered[name]}
            for name, rows in zip(names, [*by_stage, *[{}] * len(stages)], strict=False)
        ],
        "audit": {"share": share, "cases": [*audited], "file": audit_of(output).name},
    }
    summary = _summary(runs, [case for case, row in merged.items() if not row["success"]])
    content["failure_summary"] = summary | {"cascade": facts}
    metadata["questions_left"], metadata["settings"]["model"] = 0, " > ".join(names)
    rows = [(c, i, "", p) for c, p in audited.items() for i in _accepted(merged[c])]
    sheet = _csv(rows).encode()
    if audited and (beside := audit_of(output)).exists() and beside.read_bytes() != sheet:
        raise DataError(["is there, with labels or of another draw: move it"], beside.name)
    write_bytes(output, to_json(content).encode(), private=True)
    if audited:
        write_bytes(beside, sheet, private=True)
    plan = replace(first.plan, settings=replace(first.plan.settings, model=" > ".join(names)))
    return Run(plan, output, content["failure_summary"])


def _merged(
    case: CaseId, by_stage: Sequence[Mapping[CaseId, Row]], names: Sequence[str], plan: Plan
) -> Row:
    """A case's row: of each item the answer of the first stage that may be used."""
    asked = [
        (name, rows[case]) for name, rows in zip(names, by_stage, strict=False) if case in rows
    ]
    usable = [(name, row) for name, row in asked if row["success"]]
    if not usable:
        return asked[-1][1] | {"answered_by": dict.fromkeys(plan.task.scale.items)}
    by, levels, signals, details, held = {}, {}, {}, {}, {}
    for item in plan.task.scale.items:
        passed = [(n, row) for n, row in usable if row["predicted_items"][item] is not None]
        name, row = passed[0] if passed else usable[-1]
        by[item] = name if passed else None
        levels[item] = row["predicted_items"][item]
        signals[item], details[item] = row["item_signals"][item], row["item_details"][item]
        if not passed and item in row.get("withheld_items", {}):
            held[item] = row["withheld_items"][item]
    ratings = [
        r
        for at, (_, row) in enumerate(usable)
        for r in row["ratings"]
        if not at or r["rater"] != "truth"
    ]
    row = {k: v for k, v in usable[0][1].items() if k != "withheld_items"}
    row |= {"predicted_items": levels, "item_signals": signals, "item_details": details}
    row |= {"answered_by": by, "ratings": ratings}
    return row | ({"withheld_items": held} if held else {})


def _accepted(row: Row) -> list[str]:
    return [item for item, name in row["answered_by"].items() if name is not None]


def _audit(merged: Mapping[CaseId, Row], share: float, seed: int) -> dict[CaseId, float]:
    """Whole cases with an answer that no person sees, drawn alike; each with its chance."""
    cases = [case for case, row in merged.items() if _accepted(row)]
    size = min(len(cases), max(1, round(share * len(cases)))) if share and cases else 0
    if not size:
        return {}
    chance = size / len(cases)
    return {cases[at]: chance for at in draw(cases, np.full(len(cases), chance), seed).tolist()}


def _summary(runs: Sequence[Run], failed: Sequence[CaseId]) -> dict[str, Any]:
    """Outcomes and reasons of all stages; the cases that none of them answered."""
    every = [dict(run.failures or {}) for run in runs]
    last = {fault["case"]: fault for one in every for fault in one["failed_cases"]}
    return {
        **{
            k: dict(sum((Counter(one[k]) for one in every), Counter()))
            for k in ("outcomes", "reasons", "flaws")
        },
        "repairs": dict(sum((Counter(one["repairs"]) for one in every), Counter())),
        "failed_cases": [last[case] for case in failed],
    }


def audit_of(output: Path) -> Path:
    """Where the rows lie that people are to label."""
    return output.with_name(f"{output.stem}-audit.csv")


def _csv(rows: Sequence[Sequence[Any]]) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([AUDIT_COLUMNS, *rows])
    return stream.getvalue()

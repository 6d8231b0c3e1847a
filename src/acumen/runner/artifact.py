"""The run file: what ``evaluate`` reads, made from the journal alone, so it can be made again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from acumen.runner.cases import Case
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan
from acumen.runner.record import Level, Mode, Outcome, Record
from acumen.runner.signals import Agreement, agreement

Answers = tuple[Case, Mode, Sequence[Record]]
"""A case in a mode, and the records of its samples."""

_ERRORS: Final = {
    Outcome.refused: "RefusalError",
    Outcome.invalid_reply: "InvalidReplyError",
    Outcome.transport_failure: "TransportFailure",
}
_NO_CONSISTENCY: Final = {
    "consistency_modal_confidence": None,
    "consistency_score_std": None,
    "consistency_na_rate": None,
    "consistency_samples": None,
}


def assemble(plan: Plan, journal: Journal) -> dict[str, Any]:
    """The whole run file. The same journal gives the same bytes."""
    by_question = [
        (case, mode, _samples(plan, journal, case, mode))
        for mode in plan.settings.modes
        for case in plan.asked_cases
    ]
    records = [record for _, _, samples in by_question for record in samples]
    common = {
        "run_metadata": _metadata(plan, journal, records),
        "failure_summary": failure_summary(by_question),
    }
    if plan.task.is_verdict:
        return _verdict_study(plan, journal, by_question) | common
    return common | {
        "experiments": [
            _experiment(plan, mode, [(c, s) for c, m, s in by_question if m == mode])
            for mode in plan.settings.modes
        ]
    }


def _samples(plan: Plan, journal: Journal, case: Case, mode: Mode) -> list[Record]:
    keys = [(case.id, mode, sample) for sample in range(plan.settings.samples)]
    return [journal.records[key] for key in keys if key in journal.records]


def usable(records: Iterable[Record]) -> list[Record]:
    """The records that hold an answer or an abstention."""
    return [record for record in records if record.is_usable]


def _metadata(plan: Plan, journal: Journal, records: Sequence[Record]) -> dict[str, Any]:
    seconds = [record.seconds for record in records]
    return {
        **journal.header["provenance"],
        "run_id": journal.header["run_id"],
        "timestamp": journal.header["started"],
        "task": plan.task.name,
        "task_hash": plan.task.hash,
        "scale": {
            "name": plan.task.scale.name,
            "levels": list(plan.task.scale.levels),
            "items": list(plan.task.scale.items),
            "case": plan.task.scale.case,
        },
        "prompt_hash": journal.header["plan"]["prompt"],
        "cases_hash": plan.cases.hash,
        "references_hash": plan.references.hash if plan.references else None,
        "cases_in_file": len(plan.cases.all),
        "cases_asked": len(plan.asked_cases),
        "served_models": sorted({r.served_model for r in records if r.served_model is not None}),
        "settings": {
            name: value
            for name, value in journal.header["plan"].items()
            if name not in ("task", "prompt", "cases", "references")
        },
        "usage": {
            "questions": len(records),
            "prompt_tokens": sum(r.prompt_tokens for r in records),
            "completion_tokens": sum(r.completion_tokens for r in records),
            "retries": sum(r.retries for r in records),
        },
        "durations": {
            "questions_total_seconds": round(math.fsum(seconds), 3),
            "longest_question_seconds": max(seconds, default=None),
        },
    }


def failure_summary(by_question: Iterable[Answers]) -> dict[str, Any]:
    """Outcomes counted, reasons counted, failed cases named; no word of any case or reply."""
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    flaws: Counter[str] = Counter()
    attempts = repaired = 0
    failures = []
    for case, mode, samples in by_question:
        outcomes.update(record.outcome for record in samples)
        good = usable(samples)
        reasons.update(r.reason for r in samples if r.reason)
        attempts += sum(r.repairs for r in samples)
        repaired += sum(r.repairs > 0 for r in good)
        for record in good:
            flaws.update(flaw for answer in record.items.values() for flaw in answer.flaws)
            flaws.update(record.parsed.flaws if record.parsed else ())
        if not good:
            failures.append({"case": case.id, "mode": mode, "error": _error(samples)})
    return {
        "outcomes": dict(sorted(outcomes.items())),
        "reasons": dict(sorted(reasons.items())),
        "repairs": {"attempts": attempts, "repaired": repaired},
        "flaws": dict(sorted(flaws.items())),
        "failed_cases": failures,
    }


def _error(samples: Sequence[Record]) -> str:
    """Why a case failed, named the way readers of run files let a name of an error through."""
    if not samples:
        return "NotAskedError"
    return f"{_ERRORS[samples[0].outcome]}: {samples[0].reason}"


def _experiment(
    plan: Plan, mode: Mode, answers: Sequence[tuple[Case, Sequence[Record]]]
) -> dict[str, Any]:
    results = [_result(plan, case, samples) for case, samples in answers]
    return {
        "provenance": {
            "mode": mode,
            "quantitative_model": plan.settings.model,
            "task": plan.task.name,
            "participants_requested": len(results),
            "participants_evaluated": len(results),
            "participants_failed": sum(not result["success"] for result in results),
        },
        "results": {"mode": mode, "prediction_mode": "item", "results": results},
    }


def _result(plan: Plan, case: Case, samples: Sequence[Record]) -> dict[str, Any]:
    good = usable(samples)
    trail = {
        "prompt_hash": samples[0].prompt_hash if samples else None,
        "repairs": sum(record.repairs for record in samples),
        "samples": dict(sorted(Counter(record.outcome for record in samples).items())),
    }
    if not good:
        return {
            "participant_id": case.id,
            "success": False,
            "error": _error(samples),
            "ground_truth_items": dict(case.truth),
            **trail,
        }
    predictions: dict[str, Level | None] = {}
    signals: dict[str, Any] = {}
    details: dict[str, Any] = {}
    for item in plan.task.scale.items:
        record, signals[item] = _item(plan, item, good)
        answer = record.items[item]
        predictions[item] = answer.level
        details[item] = {
            "token_scope": "score" if answer.signals["token_msp"] is not None else None,
            "no_tokens_because": answer.no_tokens_because,
            "flaws": list(answer.flaws),
        }
    return {
        "participant_id": case.id,
        "success": True,
        "error": None,
        "predicted_items": predictions,
        "ground_truth_items": dict(case.truth),
        "item_signals": signals,
        "item_details": details,
        **trail,
    }


def _item(plan: Plan, item: str, good: Sequence[Record]) -> tuple[Record, dict[str, Any]]:
    """The record that stands for the item, and its signals.

    With several samples the modal score is the prediction, and the first sample that gave it lends
    its evidence, its confidence and its token signals.
    """
    if plan.settings.samples == 1:
        return good[0], {**good[0].items[item].signals, **_NO_CONSISTENCY}
    levels = [record.items[item].level for record in good]
    ranks = [None if level is None else plan.task.scale.rank(level) for level in levels]
    samples = agreement(ranks)
    record = good[ranks.index(samples.modal)]
    return record, {**record.items[item].signals, **_consistency(samples, levels)}


def _consistency(samples: Agreement, levels: list[Level | None]) -> dict[str, Any]:
    if len(levels) < 2:  # one sample agrees with itself: that says nothing
        return _NO_CONSISTENCY | {"consistency_samples": levels}
    return {
        "consistency_modal_confidence": samples.modal_confidence,
        "consistency_score_std": samples.score_std,
        "consistency_na_rate": samples.na_rate,
        "consistency_samples": levels,
    }


def _verdict_study(plan: Plan, journal: Journal, by_question: Sequence[Answers]) -> dict[str, Any]:
    """A results file. Two modes are two methods in it, and then every row says whose it is."""
    task, modes = plan.task, plan.settings.modes
    source = task.reply.evidence.source if task.reply.evidence else ""
    paired = len(modes) > 1
    return {
        "run_id": journal.header["run_id"],
        "policy_id": task.policy,
        "domain": task.domain,
        "method": None if paired else "direct",
        "mode": "both" if paired else modes[0],
        "model": plan.settings.model,
        "k": max((len(case.inputs[source]) for case in plan.asked_cases), default=None),
        "n": len(plan.asked_cases),
        "timestamp": journal.header["started"],
        "results": [
            _verdict(plan, case, samples) | ({"method": mode} if paired else {})
            for case, mode, samples in by_question
        ],
    }


def _verdict(plan: Plan, case: Case, samples: Sequence[Record]) -> dict[str, Any]:
    item = plan.task.scale.items[0]
    truth = case.truth[item]
    good = usable(samples)
    if not good:
        return {"business_id": case.id, "error": _error(samples), "gt_verdict": truth}
    record, signals = _item(plan, item, good)
    assert record.parsed is not None, "a verdict's reply has its reasons"
    return {
        "business_id": case.id,
        "verdict": record.items[item].level,
        "risk_score": record.parsed.risk_score,
        "parsed": {
            "evidences": record.parsed.evidences,
            "justification": record.parsed.justification,
        },
        "signals": signals,
        "prompt_hash": record.prompt_hash,
        "gt_verdict": truth,
    }

"""The run file: what ``evaluate`` reads, made from the journal alone, so it can be made again.

Its rows, a line each, are made one at a time while it is written: a run of 100,000 cases is as easy
on memory as its journal.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from acumen.files.json import to_json
from acumen.readers.entries import REFUSAL
from acumen.runner.cases import Case
from acumen.runner.journal import Journal
from acumen.runner.plan import Plan
from acumen.runner.record import ItemAnswer, Mode, Outcome, Record
from acumen.runner.reply import REFUSED
from acumen.runner.signals import agreement, middle
from acumen.types import CaseId

if TYPE_CHECKING:
    from acumen.runner.withhold import Answer, Sieve

_ERRORS: Final = {
    Outcome.refused: REFUSAL,
    Outcome.invalid_reply: "InvalidReplyError",
    Outcome.transport_failure: "TransportFailure",
}
_NO_SETTING: Final = ("task", "references", "address")
_ALONE: Final = dict.fromkeys(
    ("consistency_modal_confidence", "consistency_score_std", "consistency_na_rate")
)
TRUTH: Final = "truth"
_Place = tuple[CaseId, Mode, str]
_ROWS: Final = "\0rows"  # no other text of a run file has it


@dataclass(frozen=True, slots=True)
class Artifact:
    """A run file that is not written yet."""

    summary: Mapping[str, Any]
    frame: Mapping[str, Any]
    """The document, with a mark where rows stand."""
    rows: Sequence[Iterable[dict[str, Any]]]

    def encode(self) -> Iterator[bytes]:
        """The file in pieces."""
        head, *rest = to_json(self.frame).split(json.dumps(_ROWS))
        yield head.encode()
        for rows, part in zip(self.rows, rest, strict=True):
            separator = "[\n"
            for row in rows:
                yield (separator + to_json(row, indent=None)[:-1]).encode()
                separator = ",\n"
            yield f"\n]{part}".encode()


@dataclass(frozen=True, slots=True)
class Answers:
    """A case in a mode, and the records of its samples: all, and those with an answer in them."""

    case: Case
    mode: Mode
    records: Sequence[Record]
    usable: Sequence[Record]

    @classmethod
    def of(cls, case: Case, mode: Mode, records: Sequence[Record]) -> Answers:
        """The answers of a case; where every record is usable, one list is enough for both."""
        usable = [record for record in records if record.is_usable]
        return cls(case, mode, records, records if len(usable) == len(records) else usable)

    @property
    def error(self) -> str | None:
        """Why no record is usable, named as readers of run files let a name of an error through."""
        first = self.records[0]
        return None if self.usable else f"{_ERRORS[first.outcome]}: {first.reason}"


def assemble(plan: Plan, journal: Journal, sieve: Sieve | None = None) -> Artifact | None:
    """The run file of all cases with nothing left to ask; None while there is no such case.

    The same journal, the same bytes. Answers that do not pass the sieve are left open.
    """
    samples, modes, records = range(plan.settings.samples), plan.settings.modes, journal.records
    cases = [
        case
        for case in plan.asked_cases
        if all((case.id, mode, sample) in records for mode in modes for sample in samples)
    ]
    if not cases:
        return None
    answers = [
        Answers.of(case, mode, [records[case.id, mode, sample] for sample in samples])
        for mode in modes
        for case in cases
    ]
    common = {
        "run_metadata": _metadata(plan, journal, [r for each in answers for r in each.records]),
        "failure_summary": _failure_summary(answers),
    }
    summary = common["failure_summary"]
    row_of = partial(_verdict if plan.task.is_verdict else _result, plan)
    if sieve is not None:
        withheld, facts = sieve.hold_back(_levels(plan, answers))
        shared = sieve.document.case_hashes.shared_with(case.id for case in cases)
        summary["threshold"] = facts | {"calibration_cases": shared}
        row_of = partial(_open_row, row_of, withheld)
    if plan.task.is_verdict:
        frame = _verdict_study(plan, journal, answers) | common
        return Artifact(summary, frame, [map(row_of, answers)])
    by_mode = [[each for each in answers if each.mode == mode] for mode in modes]
    frames = [_experiment(plan, mode, each) for mode, each in zip(modes, by_mode, strict=True)]
    rows = [map(row_of, part) for part in by_mode]
    return Artifact(summary, common | {"experiments": frames}, rows)


def _levels(plan: Plan, answers: Iterable[Answers]) -> Iterator[Answer]:
    for each in answers:
        for item in plan.task.scale.items if each.usable else ():
            record, signals = _item(plan, item, each.usable)
            if (level := (answer := record.items[item]).level) is not None:
                yield (each.case.id, each.mode, item), level, signals, answer.distribution


def _open_row(
    row_of: Callable[[Answers], dict[str, Any]], withheld: Set[_Place], answers: Answers
) -> dict[str, Any]:
    """A row without the answers that were withheld; each stays readable beside its place."""
    row, here = row_of(answers), (answers.case.id, answers.mode)
    if "verdict" in row:
        is_open = any((*here, item) in withheld for item in answers.records[0].items)
        return row | {"verdict": None, "withheld": row["verdict"]} if is_open else row
    levels = row.get("predicted_items", {})
    items = [item for item in levels if (*here, item) in withheld]
    if not items:
        return row
    return row | {
        "predicted_items": levels | dict.fromkeys(items),
        "withheld_items": {item: levels[item] for item in items},
        "ratings": [
            rating | {"rating": None}
            if rating["item"] in items and rating["rater"] != TRUTH
            else rating
            for rating in row["ratings"]
        ],
    }


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
        "prompt_hash": plan.prompt_hash(),
        "cases_hash": plan.cases.hash,
        "references_hash": plan.references.hash if plan.references else None,
        "cases_in_file": len(plan.cases.all),
        "cases_asked": len(plan.asked_cases),
        "questions_left": plan.size - len(records),
        "served_models": sorted({r.served_model for r in records if r.served_model is not None}),
        "reply_formats": _counts(r.reply_format for r in records if r.reply_format),
        "left_out": _counts(name for r in records for name in r.left_out),
        "reply_limits": _counts(str(r.max_tokens) for r in records if r.max_tokens),
        "settings": {
            **{name: value for name, value in plan.identity().items() if name not in _NO_SETTING},
            "samples": plan.settings.samples,
            "max_tokens": plan.settings.max_tokens,
            "newer_token_field": plan.settings.newer_token_field,
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


def _failure_summary(answers: Sequence[Answers]) -> dict[str, Any]:
    """Outcomes counted, reasons counted, failed cases named; no word of any case or reply."""
    records = [record for each in answers for record in each.records]
    usable = [record for record in records if record.is_usable]
    flaws = [flaw for r in usable for answer in r.items.values() for flaw in answer.flaws]
    flaws += [flaw for r in usable if r.parsed for flaw in r.parsed.flaws]
    return {
        "outcomes": _counts(record.outcome for record in records),
        "reasons": _counts(record.reason for record in records if record.reason),
        "repairs": {
            "attempts": sum(record.repairs for record in records),
            "repaired": sum(record.repairs > 0 for record in usable),
        },
        "flaws": _counts(flaws),
        "failed_cases": [
            {"case": each.case.id, "mode": each.mode, "error": each.error}
            | ({"request_id": each.records[0].request_id} if each.records[0].request_id else {})
            for each in answers
            if not each.usable
        ],
    }


def _counts(names: Iterable[str]) -> dict[str, int]:
    words = list(names)  # of a case it is one word: a Counter takes longer to make than to use
    return {word: words.count(word) for word in sorted(set(words))}


def _experiment(plan: Plan, mode: Mode, answers: Sequence[Answers]) -> dict[str, Any]:
    return {
        "provenance": {
            "mode": mode,
            "quantitative_model": plan.settings.model,
            "task": plan.task.name,
            "participants_requested": len(answers),
            "participants_evaluated": len(answers),
            "participants_failed": sum(not each.usable for each in answers),
        },
        "results": {"mode": mode, "prediction_mode": "item", "results": _ROWS},
    }


def _result(plan: Plan, answers: Answers) -> dict[str, Any]:
    case, records, usable = answers.case, answers.records, answers.usable
    result = {"participant_id": case.id, "success": bool(usable), "error": None}
    truth = {"ground_truth_items": dict(case.truth)} if case.truth else {}
    trail = {
        "prompt_hash": records[0].prompt_hash,
        "repairs": sum(record.repairs for record in records),
        "samples": _counts(record.outcome for record in records),
    }
    if not usable:
        return result | {"error": answers.error} | truth | trail
    items = plan.task.scale.items
    pairs = {item: _item(plan, item, usable) for item in items}
    replies = {item: record.items[item] for item, (record, _) in pairs.items()}
    return {
        **result,
        "predicted_items": {item: reply.level for item, reply in replies.items()},
        **truth,
        "item_signals": {item: signals for item, (_, signals) in pairs.items()},
        "item_details": {
            item: {
                "token_scope": "score" if reply.signals["token_msp"] is not None else None,
                "no_tokens_because": reply.no_tokens_because,
                "flaws": list(reply.flaws),
            }
            for item, reply in replies.items()
        },
        **_beside(replies),
        "ratings": list(_ratings(plan, case, usable)),
        **trail,
    }


def _beside(replies: Mapping[str, ItemAnswer]) -> dict[str, Any]:
    """Probabilities of the levels, and items that were refused, where there are any."""
    chances = {i: list(r.distribution) for i, r in replies.items() if r.distribution is not None}
    refused = [item for item, reply in replies.items() if REFUSED in reply.flaws]
    facts = {"item_distributions": chances, "refused_items": refused}
    return {name: fact for name, fact in facts.items() if fact}


def _ratings(plan: Plan, case: Case, records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """The same once more as long rows, for those who compare raters: the truth's, each sample's."""
    for item, level in case.truth.items():
        yield {"item": item, "rater": TRUTH, "rating": level}
    for record in records:
        rater = f"{plan.settings.model} {record.sample + 1}"
        for item, answer in record.items.items():
            yield {"item": item, "rater": rater, "rating": answer.level}


def _item(plan: Plan, item: str, records: Sequence[Record]) -> tuple[Record, dict[str, Any]]:
    """The record that stands for the item, and its signals.

    With several samples the modal score is the prediction, and the first sample that gave it lends
    its evidence, its confidence and its token signals. Of a pairwise task it is the level in the
    middle: a judge that prefers whatever comes first says "tie".
    """
    levels = [record.items[item].level for record in records]
    if len(levels) == 1:  # one sample agrees with itself
        alone = levels if plan.settings.samples > 1 else None
        return records[0], {
            **records[0].items[item].signals,
            **_ALONE,
            "consistency_samples": alone,
        }
    ranks = [None if level is None else plan.task.scale.rank(level) for level in levels]
    samples = agreement(ranks)
    modal = samples.modal
    if plan.task.swap and modal is not None:
        modal = middle(ranks, len(plan.task.scale.levels))
    record = records[ranks.index(modal) if modal in ranks else 0]
    if modal not in ranks:  # the two orders contradict each other
        level = plan.task.scale.levels[modal or 0]
        answer = replace(record.items[item], level=level, distribution=None)
        record = replace(record, items={**record.items, item: answer})
    return record, {
        **record.items[item].signals,
        "consistency_modal_confidence": samples.modal_confidence,
        "consistency_score_std": samples.score_std,
        "consistency_na_rate": samples.na_rate,
        "consistency_samples": levels,
    }


def _verdict_study(plan: Plan, journal: Journal, answers: Sequence[Answers]) -> dict[str, Any]:
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
        "k": max((len(each.case.inputs[source]) for each in answers), default=None),
        "n": len({each.case.id for each in answers}),
        "timestamp": journal.header["started"],
        "results": _ROWS,
    }


def _verdict(plan: Plan, answers: Answers) -> dict[str, Any]:
    case, item = answers.case, plan.task.scale.items[0]
    truth = case.truth.get(item)
    method = {"method": answers.mode} if len(plan.settings.modes) > 1 else {}
    if not answers.usable:
        return {"business_id": case.id, "error": answers.error, "gt_verdict": truth} | method
    record, signals = _item(plan, item, answers.usable)
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
    } | method

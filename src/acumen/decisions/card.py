"""A card of a promise, and whether other data bear it out."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from acumen import confidence as confidences
from acumen.decisions.gate import decide, find_views, together
from acumen.decisions.keep import promise
from acumen.decisions.sample import Sample, origin, sample_of
from acumen.decisions.threshold import Search
from acumen.decisions.watch import certified
from acumen.defaults import CONFIDENCE_LEVEL, LOSS, RELIABLE_CASES
from acumen.errors import DataError, UsageError, counted, source_name
from acumen.evaluation.abstain import bound_of, own_loss_of, under_loss_of
from acumen.evaluation.plan import Plan
from acumen.files.json import read_bytes
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.results.cards import (
    Agreement,
    Borne,
    CardCheckDocument,
    CardDocument,
    DataPart,
    PromptPart,
)
from acumen.results.decisions import ThresholdDocument, Undecided, Verdict
from acumen.table.judgments import Judgments
from acumen.table.losses import find_loss
from acumen.values.measured import Interval, Measured

AGREEMENT: Final = ("total_accuracy", "quadratic_kappa", "mae", "signed_error")
"""How far a judge agrees, and where it leans."""
ERROR: Final = 1.0 - CONFIDENCE_LEVEL
"""The chance of a false pass, and of a false failure: the latter shared by risk and coverage."""


def card_of(
    table: Judgments,
    threshold: Any,
    judge: str,
    labelled_by: str,
    prompt: str | Path | None,
    calibration: Any,
) -> CardDocument:
    """All that a promise rests on."""
    if not judge.strip() or not labelled_by.strip():
        raise UsageError("a card says which judge it is of, and whose labels are the truth")
    name, document = certified(threshold)
    loss, table = own_loss_of(document, name), under_loss_of(table, document, name)
    accepted = _accepted(table, name, document, calibration)
    facts = origin(table, document.confidence, loss)
    return CardDocument(
        **facts,
        judge=judge,
        prompt=None if prompt is None else prompt_of(prompt),
        labelled_by=labelled_by,
        data=DataPart(
            name=table.source.name,
            sha256=table.source.sha256,
            mode=table.source.mode,
            cases=len(table.cases),
            rows=int(table.once.sum()),
            answered=int((table.answered & table.once).sum()),
        ),
        of_promise=document.case_hashes.shared_with(table.cases),
        threshold=document,
        agreement=agreement_of(table, accepted),
    ).sealed()


def prompt_of(path: str | Path) -> PromptPart:
    """A prompt by its bytes."""
    return PromptPart(name=source_name(path), sha256=hashlib.sha256(read_bytes(path)).hexdigest())


def _accepted(
    table: Judgments, name: str, document: ThresholdDocument, calibration: Any
) -> Judgments:
    """The table with every answer open that the threshold does not accept."""
    bound = bound_of((name, document), table.scale)
    values = confidences.compute(document.confidence, table, calibration=calibration)
    return table.leave_open(values <= bound)


def agreement_of(table: Judgments, accepted: Judgments) -> list[Agreement]:
    """Agreement and leaning, on all answers and on those that are accepted."""
    plan = Plan(loss=find_loss(LOSS))

    def measured(key: str, side: Judgments) -> Measured:
        metric, (view,), _ = find_views(key, [side], plan, "default")
        if isinstance(view, str):
            return Measured(value=None, reason=view)
        return infer([metric], view, Options(resamples=0))[metric.name].measured

    return [
        Agreement(metric=key, answered=measured(key, table), accepted=measured(key, accepted))
        for key in AGREEMENT
    ]


def check_of_card(
    card: CardDocument,
    table: Judgments,
    prompt: str | Path | None,
    calibration: Any,
    *,
    other_cases: bool,
) -> CardCheckDocument:
    """Whether a table bears a card out: its risk, and the share that it accepts."""
    name, document = "the card", card.threshold
    if prompt is not None:
        _refuse_other_prompt(card, prompt)
    shared = document.case_hashes.shared_with(table.cases)
    if shared and not other_cases:
        ids = f"{counted(shared, 'id')} of {len(table.cases)} made the promise"
        hint = "check it with others, or say --other-cases if only the ids are the same"
        raise DataError([f"{ids}; {hint}"], source=table.source.name)
    loss, table = own_loss_of(document, name), under_loss_of(table, document, name)
    accepted = _accepted(table, name, document, calibration)
    sample = sample_of(table, document.confidence, loss, calibration)
    cut = np.array([bound_of((name, document), table.scale)])
    items = max(document.items, int(sample.rows.max()))
    checks = [
        _check("risk", "at-most", document.alpha, _risk(sample, float(cut[0]), items)),
        _check("coverage", "at-least", _least_coverage(document), _coverage(accepted)),
    ]
    checks = [check.model_copy(update={"cases": sample.n}) for check in checks]
    # a coverage as large as before is no part of the promise: it can be lost, and need not be shown
    verdicts = [
        _few(check, sample.n) if check.metric == "risk" or check.verdict == "fail" else "pass"
        for check in checks
    ]
    return CardCheckDocument(
        **origin(table, document.confidence, loss),
        judge=card.judge,
        digest=card.digest or "",
        verdict=together(verdicts),
        checks=checks,
        agreement=agreement_of(table, accepted),
        before=card.agreement,
        cases=sample.n,
        shared=shared,
    )


def _few(check: Borne, cases: int) -> Verdict:
    return "undecided" if cases < RELIABLE_CASES else check.verdict


def _check(metric: Any, rule: Any, bound: float, measured: Measured) -> Borne:
    """What was promised, against ends of which the one that fails it errs more rarely."""
    verdict: Verdict = "undecided"
    why: Undecided | None = "no_value"
    if measured.interval is not None:
        verdict = decide(rule, measured.interval.low, measured.interval.high, bound)
        why = "between" if verdict == "undecided" else None
    return Borne(
        metric=metric, rule=rule, bound=bound, values=[measured.value], measured=measured,
        cases=0, verdict=verdict, why=why,
    )  # fmt: skip


def _risk(sample: Sample, cut: float, items: int) -> Measured:
    """The risk of what is accepted with its one-sided ends, each by the bound of a threshold."""
    rows, loss = (part[0] for part in sample.accepted(np.array([cut])))
    if not rows.any():
        return Measured(value=None, reason="no answer is accepted")
    unit = sample.most_loss

    def upper(side: Sample, error: float) -> float:
        search = Search("approx", "korn-graubard", 1.0, error, (1.0,), items)
        own, point = promise(side, cut, search)
        return own.alpha if point.certified else 1.0

    right = replace(sample, loss=1.0 - sample.loss)
    low, high = 1.0 - upper(right, ERROR / 2.0), upper(sample, ERROR)
    interval = Interval(low=unit * low, high=unit * high, method="Korn–Graubard, one-sided")
    return Measured(value=float(loss.sum() / rows.sum()) * unit, interval=interval)


def _coverage(accepted: Judgments) -> Measured:
    from acumen.metrics import METRICS
    from acumen.views.ranking import rank_judgments

    view = rank_judgments(accepted, np.zeros(len(accepted)), LOSS)
    options = Options(resamples=0, confidence_level=1.0 - ERROR)
    return infer([METRICS["coverage"]], view, options)["coverage"].measured


def _least_coverage(document: ThresholdDocument) -> float:
    """The low end of the coverage that the promise came with."""
    low = document.coverage.ends[0]
    return 0.0 if low is None or not math.isfinite(low) else low


def _refuse_other_prompt(card: CardDocument, prompt: str | Path) -> None:
    own = prompt_of(prompt)
    if card.prompt is None:
        raise UsageError("the card names no prompt: yours cannot be compared")
    if own.sha256 != card.prompt.sha256:
        message = f"is not the prompt of the card ({card.prompt.name}): its bytes differ"
        raise DataError([message], source=own.name)


def made_of(card: Any) -> CardDocument:
    """A card as it is, as a result has it, or from its file."""
    from acumen.results.metrics import read_artifact

    if isinstance(card, str | Path):
        return read_artifact(card, CardDocument)
    document = getattr(card, "document", card)
    if not isinstance(document, CardDocument):
        raise UsageError("a card is what acumen card make wrote")
    return document

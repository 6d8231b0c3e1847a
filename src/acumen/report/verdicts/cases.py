"""The cases of a method as a table, with what the policy makes of the evidence of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from acumen.charts.tables import ABSTAINED
from acumen.report.blocks import UNDEFINED, Cases, Column
from acumen.report.cells import coded
from acumen.results.verdicts import CaseRow, CheckedCase, Computed, ResultsDocument


def case_table(document: ResultsDocument, method: str, key: str) -> Cases:
    """The cases of one method, with what the policy makes of the evidence of each."""
    rows = document.results
    details = document.unified_metrics_full.consistency_details
    checked: Mapping[object, CheckedCase] | None = None
    if details is not None:
        checked = {case.business_id: case for case in details.per_sample}
    scores = [row.risk_score for row in rows]
    numbers = tuple(s for s in scores if not isinstance(s, str | bool))
    sound = [(row.model_extra or {}).get("reasons_sound") for row in rows]
    reasons = coded("its reasons", list(map(_sound, sound)))
    columns = (
        coded("case", [_word(row.business_id) for row in rows]),
        coded("truth", [_word(row.gt_verdict) for row in rows]),
        replace(coded("verdict", [_word(row.verdict) for row in rows]), key="prediction"),
        coded("outcome", [_outcome(row) for row in rows]),
        *([replace(reasons, key="reasons")] if {*sound} != {None} else ()),
        Column("risk score", values=numbers, key="risk score")
        if len(numbers) == len(scores)
        else coded("risk score", [_word(score) for score in scores]),
        replace(coded("its evidence", [_fit(row, checked) for row in rows]), key="fit"),
        coded("what the policy makes of its evidence", [_trace(row, checked) for row in rows]),
    )
    return Cases(key, f"Cases of {method}", (method,), columns, len(rows))


def _made_of(computed: Computed) -> str:
    """What the policy makes of a case's evidence; empty where there is none."""
    if computed.verdict is None and computed.rule is None:
        return ""
    ids = ", ".join(map(str, computed.because)) or "no row"
    return f"{computed.verdict}: {computed.rule} ({ids}; {computed.score} points)"


def _word(value: object) -> object:
    return UNDEFINED if value is None else value


def _sound(sound: object) -> str:
    return "sound" if sound is True else "unsound" if sound is False else UNDEFINED


def _outcome(row: CaseRow) -> str:
    if row.error is not None:
        return "failed"
    if row.verdict is None:
        return ABSTAINED
    if row.gt_verdict is None:
        return "no truth"
    return "right" if row.verdict == row.gt_verdict else "wrong"


def _trace(row: CaseRow, checked: Mapping[object, CheckedCase] | None) -> str:
    if row.error is not None or checked is None:
        return UNDEFINED
    if row.verdict is None:  # with evidence or without
        return "not asked, as there is no verdict"
    return _made_of(checked.get(row.business_id, CheckedCase()).computed) or "no evidence claimed"


def _fit(row: CaseRow, checked: Mapping[object, CheckedCase] | None) -> str:
    """Whether the policy draws the same verdict from the evidence that was claimed for it."""
    case = (checked or {}).get(row.business_id)
    if row.verdict is None or row.error is not None or case is None or case.consistent is None:
        return UNDEFINED
    return "bears it out" if case.consistent else "contradicts it"

"""The JSON Schema of a task's reply, made from the task: its scale, its items, its keys.

It is sent with every question (``response_format``), so an endpoint that decodes under a grammar
can only write a usable reply. The parser checks every reply again: a schema is asked for, not
trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from acumen.runner.task import Evidence, Task

LOWEST_CONFIDENCE: Final = 1
HIGHEST_CONFIDENCE: Final = 5


def reply_schema(task: Task) -> dict[str, Any]:
    """The schema of one whole reply."""
    if task.reply.layout == "flat":
        return _answer(task)
    return _object({item: _answer(task) for item in task.scale.items})


def _answer(task: Task) -> dict[str, Any]:
    """The schema of one item's answer. Evidence comes first: reasons before the verdict."""
    reply = task.reply
    properties: dict[str, Any] = {}
    if reply.evidence is not None:
        properties[reply.evidence.key] = _evidence(reply.evidence)
    if reply.justification is not None:
        properties[reply.justification] = _object(
            {
                "direct_evidence": {"type": "array", "items": {"type": "string"}},
                "scoring_trace": _object({"total_score": {"type": "number"}}),
            }
        )
    properties[reply.score] = {"enum": [*task.scale.levels, *reply.abstain]}
    if reply.risk_score is not None:
        properties[reply.risk_score] = {"type": "number"}
    if reply.confidence is not None:
        properties[reply.confidence] = {
            "type": "integer",
            "minimum": LOWEST_CONFIDENCE,
            "maximum": HIGHEST_CONFIDENCE,
        }
    return _object(properties)


def _evidence(evidence: Evidence) -> dict[str, Any]:
    text = {"type": "string", "maxLength": evidence.longest}
    if evidence.kind == "quotes":
        return {"type": "array", "maxItems": evidence.most, "items": text}
    rows = [
        _object(
            {
                "evidence_id": {"type": "string", "maxLength": 20},
                "review_id": {"type": "string", "maxLength": 60},
                "field": {"enum": [field]},
                "judgement": {"enum": list(judgements)},
                "snippet": text,
            }
        )
        for field, judgements in evidence.fields.items()
    ]
    return {"type": "array", "maxItems": evidence.most, "items": {"anyOf": rows}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

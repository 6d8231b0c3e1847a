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
_EVIDENCE_ID: Final = {"type": "string", "maxLength": 8}
_BOUNDS: Final = frozenset({"maxItems", "maxLength"})


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
                # no list without an end: a weak model under a grammar would never leave it
                "direct_evidence": {
                    "type": "array",
                    "maxItems": reply.evidence.most if reply.evidence else 0,
                    "items": _EVIDENCE_ID,
                },
                "scoring_trace": _object({"total_score": {"type": "number"}}),
            }
        )
    properties[reply.score] = _level(task)
    if reply.risk_score is not None:
        properties[reply.risk_score] = {"type": "number"}
    if reply.confidence is not None:
        steps = range(LOWEST_CONFIDENCE, HIGHEST_CONFIDENCE + 1)
        properties[reply.confidence] = {"type": "integer", "enum": list(steps)}
    return _object(properties)


def _evidence(evidence: Evidence) -> dict[str, Any]:
    text = {"type": "string", "maxLength": evidence.longest}
    if evidence.kind == "quotes":
        return {"type": "array", "maxItems": evidence.most, "items": text}
    # one shape for all fields: providers refuse alternatives that begin with the same key
    judgements = dict.fromkeys(word for words in evidence.fields.values() for word in words)
    row = _object(
        {
            "evidence_id": _EVIDENCE_ID,
            "review_id": {"type": "string", "maxLength": 60},
            "field": {"type": "string", "enum": list(evidence.fields)},
            "judgement": {"type": "string", "enum": list(judgements)},
            "snippet": text,
        }
    )
    return {"type": "array", "maxItems": evidence.most, "items": row}


def _level(task: Task) -> dict[str, Any]:
    levels, abstain = list(task.scale.levels), list(task.reply.abstain)
    if not task.scale.is_numeric:
        return {"type": "string", "enum": [*levels, *abstain]}
    whole = all(isinstance(level, int) for level in levels)
    numbers = {"type": "integer" if whole else "number", "enum": levels}
    return {"anyOf": [numbers, {"type": "string", "enum": abstain}]} if abstain else numbers


def without_bounds(schema: Any) -> Any:
    """The schema without lengths: OpenAI's strict mode refuses a schema that has them.

    >>> without_bounds({"type": "array", "maxItems": 2, "items": {"maxLength": 9}})
    {'type': 'array', 'items': {}}
    """
    if isinstance(schema, dict):
        return {k: without_bounds(v) for k, v in schema.items() if k not in _BOUNDS}
    return [without_bounds(v) for v in schema] if isinstance(schema, list) else schema


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }

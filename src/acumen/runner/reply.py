"""Read a model's reply, strictly: a level of the scale, an abstention as declared, or unusable.

A reply may wrap its one JSON object in a code fence, in ``<answer>`` tags, or put it after a closed
``<think>`` block. Beyond that nothing is guessed: no repair of broken JSON, no rounding, no
clamping, no number in a text; two answers are none. A refusal is no bad reply, and neither of
them is an abstention.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from acumen.errors import DataError, label, what_came
from acumen.files.json import parse_json
from acumen.files.json_walk import Span, value_spans
from acumen.files.text import mend_surrogates
from acumen.runner.record import Reasons
from acumen.runner.schema import HIGHEST_CONFIDENCE, LOWEST_CONFIDENCE
from acumen.runner.task import Evidence, ReplyShape, Task

if TYPE_CHECKING:
    from acumen.runner.cases import Case

_THINK: Final = re.compile(r"\s*<(think|thinking)>.*?</\1>", re.DOTALL)
_UNOPENED: Final = re.compile(r"(?:(?!<think(?:ing)?>).)*?(</think(?:ing)?>)", re.DOTALL)
_LANGUAGE: Final = re.compile(r"[A-Za-z]*")
LONGEST_REPLY: Final = 1_000_000
_REFUSAL: Final = re.compile(
    r"\W*(i(’|')?m sorry|i am sorry|sorry|i apologi[sz]e|unfortunately|as an ai|"
    r"i(’|')?m (unable|not able)|i am (unable|not able)|"
    r"i (cannot|can(’|')?t|can not|won(’|')?t|will not|must decline|decline))\b",
    re.IGNORECASE,
)


class UnusableReply(Exception):  # noqa: N818  (an outcome of a question, not a fault of the program)
    """A reply with no usable answer. ``reason`` is a fixed word; ``problems`` go to the model."""

    def __init__(self, reason: str, *problems: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.problems = problems or (reason.replace("_", " "),)

    @property
    def is_refusal(self) -> bool:
        """Whether the model declined, rather than answered badly."""
        return self.reason == "refused"


@dataclass(frozen=True, slots=True)
class ItemReply:
    """One item's answer: its level (None: abstained), and where that stands in the reply."""

    level: int | float | str | None
    confidence: int | None = None
    quotes: tuple[str, ...] = ()
    span: Span = (0, 0)
    flaws: tuple[str, ...] = ()
    distribution: tuple[float, ...] | None = None
    """Of a decision model: probabilities of the levels, lowest first."""
    sure: float | None = None
    """The confidence that it states."""


@dataclass(frozen=True, slots=True)
class UsableReply:
    """A usable reply, item by item; and what a verdict rests on."""

    items: Mapping[str, ItemReply]
    reasons: Reasons | None = None
    is_decision: bool = False
    """Whether a decision model gave it, which quotes nothing."""


def read_reply(text: str, task: Task, case: Case | None = None) -> UsableReply:
    """The answers in a reply; :class:`UnusableReply` when there are none that can be used.

    Where ``case`` itself holds the mark that ends reasoning, a reply may quote it: nothing below
    such a mark is an answer then unless the reply opened its reasoning.
    """
    start, end = _locate(text, quotes=case is not None and _holds_mark(case))
    try:
        document = parse_json(mend_surrogates(text[start:end]), source="reply")
    except DataError as error:
        raise UnusableReply("not_json", str(error)) from None
    if not isinstance(document, dict):
        raise UnusableReply("not_an_object", f"an object is expected, not {what_came(document)}")
    problems: list[str] = []
    items: dict[str, ItemReply] = {}
    spans = value_spans(mend_surrogates(text[start:end]))
    is_flat = task.reply.layout == "flat"
    for item in task.scale.items:
        answer, path = (document, ()) if is_flat else (document.get(item), (item,))
        try:
            if not isinstance(answer, dict):
                raise ValueError("must be an object" if item in document else "is missing")
            level = _level(answer, task)
        except ValueError as error:
            problems.append(str(error) if is_flat else f"{item}: {error}")
            continue
        low, high = spans.get((*path, task.reply.score), (0, 0))
        items[item] = _item(answer, level, task, (low + start, high + start))
    if problems:
        raise UnusableReply("no_legal_score", *problems)
    return UsableReply(items, _reasons(document, task.reply) if task.is_verdict else None)


REFUSED: Final = "refused"
"""The flaw of an item that a decision model declined, where it answered others."""


def read_decisions(answers: Sequence[Mapping[str, Any]], task: Task) -> UsableReply:
    """What a decision model answered, item by item: the level next to its score, and all chances.

    :class:`UnusableReply` where an item has none that can be used, or each is refused.
    """
    from acumen.readers.distribution import Probabilities, entry_of, read_distribution

    items: dict[str, ItemReply] = {}
    problems: list[str] = []
    for item in task.scale.items:
        named = [answer for answer in answers if answer.get("name") == item]
        if len(named) != 1 or named[0].get("type") not in ("score", "refusal"):
            what = "is given twice" if len(named) > 1 else "has no score"
            problems.append(f"{item}: {what}")
            continue
        if named[0]["type"] == "refusal":
            items[item] = ItemReply(None, flaws=(REFUSED,))
            continue
        entry = entry_of(named[0])
        read = read_distribution(Probabilities(entries=[entry]), task.scale)
        faults = [str(fault.message) for fault in read.faults]
        if faults or len(entry.numbers) != len(task.scale.levels):
            what = f"{len(entry.numbers)} probabilities for {len(task.scale.levels)} levels"
            problems.append(f"{item}: {'; '.join(faults) or what}")
            continue
        rank = -1 if read.own is None else int(read.own[0])
        if rank < 0:  # its score is beside the scale, or is not there
            problems.append(f"{item}: its score is not on the scale")
            continue
        sure = None if read.confidence is None else float(read.confidence.values[0])
        chances = tuple(float(p) for p in read.values[0])
        items[item] = ItemReply(task.scale.levels[rank], distribution=chances, sure=sure)
    if problems:
        raise UnusableReply("no_legal_score", *problems)
    if all(REFUSED in reply.flaws for reply in items.values()):
        raise UnusableReply("refused")
    return UsableReply(items, is_decision=True)


def _holds_mark(case: Case) -> bool:
    return any("</think" in passage for passage in case.passages())


def _locate(text: str, *, quotes: bool) -> Span:
    """Where the one JSON object of a reply stands; ``quotes``: a mark may be the case's."""
    if len(text) > LONGEST_REPLY:
        raise UnusableReply("too_long", "the reply is too long")
    start, end = (1 if text.startswith("\ufeff") else 0), len(text)
    while match := _THINK.match(text, start):
        start = match.end()
    if start == 0 and text.lstrip()[:1] not in ("{", "[") and (mark := _UNOPENED.match(text)):
        # the opening tag may stand in the prompt's template; or the reply quotes the case
        if quotes and not text[mark.start() : mark.start(1)].strip():
            raise UnusableReply(
                "reasoning_not_opened", "the reply begins with the end of reasoning"
            )
        start, end = (start, mark.start(1)) if quotes else (mark.end(), end)
    rest = text[start:end].strip()
    if not rest:
        raise UnusableReply("empty", "the reply is empty")
    if rest.startswith(("<think>", "<thinking>")):
        raise UnusableReply("reasoning_not_closed", "the reasoning never ended")
    if rest[0] not in "{[":
        start, end = _inside("<answer>", "</answer>", text, start, end)
        fence = _inside("```", "```", text, start, end)
        if fence != (start, end):
            start, end = fence
            start += len(_LANGUAGE.match(text, start, end)[0])  # type: ignore[index]  # may be empty
        if text[start:end].lstrip()[:1] not in ("{", "[") and _REFUSAL.match(rest):
            raise UnusableReply("refused")
    # JSON's own blanks only: a NUL or a no-break space after the object is not one
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip(" \t\r\n"))
    return start, start + len(piece.strip(" \t\r\n"))


def _inside(opening: str, closing: str, text: str, start: int, end: int) -> Span:
    """What stands between the one pair of marks; the whole when there is none.

    Counted, not searched for by pattern: a reply made of a million opening marks costs nothing.
    """
    marks = text.count(opening, start, end)
    pairs = marks / 2 if opening == closing else max(marks, text.count(closing, start, end))
    if pairs > 1:
        raise UnusableReply("ambiguous", "the reply holds more than one answer")
    low = text.find(opening, start, end)
    high = text.find(closing, low + len(opening), end)
    return (low + len(opening), high) if low >= 0 and high >= 0 else (start, end)


def _level(answer: dict[str, Any], task: Task) -> int | float | str | None:
    key = task.reply.score
    if key not in answer:
        raise ValueError(f"the key {label(key)} is missing")
    value = answer[key]
    if value is None or (isinstance(value, str) and value in task.reply.abstain):
        return None
    return task.scale.levels[task.scale.rank(value)]


def _item(
    answer: dict[str, Any], level: int | float | str | None, task: Task, span: Span
) -> ItemReply:
    flaws: list[str] = []
    key, quotes = task.reply.confidence, tuple[str, ...]()
    confidence = None if key is None else _confidence(answer, key, flaws)
    evidence = task.reply.evidence
    if evidence is not None and evidence.kind == "quotes":
        texts = answer.get(evidence.key)
        if isinstance(texts, list) and all(isinstance(quote, str) for quote in texts):
            quotes = tuple(texts)
        else:
            flaws.append("evidence_missing" if evidence.key not in answer else "evidence_invalid")
    return ItemReply(level, confidence, quotes, span, tuple(flaws))


def _confidence(answer: dict[str, Any], key: str, flaws: list[str]) -> int | None:
    value = answer.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int and LOWEST_CONFIDENCE <= value <= HIGHEST_CONFIDENCE:
        return value
    flaws.append("confidence_missing" if value is None else "confidence_invalid")
    return None


def _reasons(document: dict[str, Any], reply: ReplyShape) -> Reasons:
    flaws: list[str] = []
    assert reply.evidence is not None
    rows = _rows(document, reply.evidence, flaws)
    risk = document.get(reply.risk_score) if reply.risk_score else None
    if isinstance(risk, bool) or not isinstance(risk, int | float):
        flaws += ["risk_score_missing"] if reply.risk_score else []
        risk = None
    justification = None
    if reply.justification:
        ids = {row["evidence_id"] for row in rows}
        justification = _justification(document.get(reply.justification), ids, flaws)
    return Reasons(rows, justification, risk, tuple(flaws))


def _rows(
    document: dict[str, Any], evidence: Evidence, flaws: list[str]
) -> tuple[dict[str, str], ...]:
    entries = document.get(evidence.key)
    if not isinstance(entries, list):
        flaws.append("evidence_missing" if entries is None else "evidence_invalid")
        return ()
    rows: dict[str, dict[str, str]] = {}
    for entry in entries:
        row = _row(entry, evidence)
        if row is not None:
            rows.setdefault(row["evidence_id"], row)  # an id names one row: the first
    flaws += ["evidence_row_dropped"] * (len(entries) - len(rows))
    return tuple(rows.values())


def _row(entry: object, evidence: Evidence) -> dict[str, str] | None:
    if not isinstance(entry, dict):
        return None
    row = {key: entry.get(key) for key in ("evidence_id", "review_id", "field", "judgement")}
    if not all(isinstance(value, str) and value for value in row.values()):
        return None
    # as the task spells it, however the reply does
    words = {word.casefold(): word for word in evidence.fields.get(str(row["field"]), ())}
    row["judgement"] = words.get(str(row["judgement"]).casefold())
    if row["judgement"] is None:
        return None
    if isinstance(entry.get("snippet"), str) and entry["snippet"].strip():
        row["snippet"] = entry["snippet"]
    return {key: str(value) for key, value in row.items()}


def _justification(value: object, ids: set[str], flaws: list[str]) -> dict[str, Any] | None:
    """``direct_evidence`` and the total it claims; each left out when it is not sound."""
    if not isinstance(value, dict):
        flaws.append("justification_missing")
        return None
    sound: dict[str, Any] = {}
    direct = value.get("direct_evidence")
    if isinstance(direct, list) and all(isinstance(name, str) for name in direct):
        sound["direct_evidence"] = [name for name in dict.fromkeys(direct) if name in ids]
        flaws += ["direct_evidence_unknown"] * len(set(direct) - ids)
    else:
        flaws.append("direct_evidence_missing")
    trace = value.get("scoring_trace")
    total = trace.get("total_score") if isinstance(trace, dict) else None
    if isinstance(total, int | float) and not isinstance(total, bool):
        sound["scoring_trace"] = {"total_score": total}
    return sound

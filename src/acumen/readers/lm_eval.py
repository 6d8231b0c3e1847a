"""Samples of the LM Evaluation Harness: ``samples_TASK_DATE.jsonl``, a line a (document, filter).

The file is opened for append, so a run repeated adds lines: the last one counts. A line of a
multiple-choice task holds the log-probability of each choice, and what is read from them stands
under ``choice``: the label that is likeliest, the truth as a label, and how sure the softmax is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from acumen.errors import DataError, Problem, counted, refuse, what_came
from acumen.readers.content import Content
from acumen.readers.json_rows import read_lines
from acumen.readers.logs import Record, at, own_mapping, plain_roles
from acumen.readers.records import Records

NO_ROWS: Final = (
    "holds the means of an lm-eval run and no rows: give the file samples_TASK_DATE.jsonl beside "
    "it, which --log_samples writes"
)
UNSETTLED: Final = (
    "the target is the index of a choice or its text, and no line's acc settles it: there is no "
    "truth until --truth choice.by_index or --truth choice.by_text says which"
)
SIGNALS: Final = ("max", "margin", "entropy", "expected")


def read_lm_eval(content: Content) -> Records:
    """The last line of each (document, filter), and what it means."""
    if not content.head.has_lines and "results" in content.head.keys:
        raise DataError([NO_ROWS], source=content.name)
    records = _last_lines(read_lines(content))
    roles = plain_roles(records.rows, "doc")
    columns = {"case": roles.get("case", "doc_id")}
    if item := roles.get("item", "doc_id" if "case" in roles else None):
        columns["item"] = item
    replies = [at(row, "filtered_resps", 0) for row in records.rows]
    if all(isinstance(reply, list) and len(reply) == 2 for reply in replies):
        return _with_choices(records, columns, content.name)
    return replace(records, mapping=own_mapping("lm-eval", **columns))


def _last_lines(records: Records) -> Records:
    lines = () if records.lines is None else records.lines
    last = {repr((r.get("doc_id"), r.get("filter"))): k for k, r in enumerate(records.rows)}
    rows = [records.rows[k] for k in last.values()]
    again = len(records) - len(rows)
    note = f"{counted(again, 'line')} came again for the same document: the last one counts"
    return replace(
        records,
        rows=rows,
        lines=[lines[k] for k in last.values()],
        one_of={"filter": tuple(dict.fromkeys(str(row.get("filter")) for row in rows))},
        warnings=(note,) if again else (),
        format="lm-eval",
    )


def _with_choices(records: Records, columns: dict[str, str], source: str) -> Records:
    """The rows with what the log-probabilities of their choices say."""
    choices = _choices(records, source)
    truth = _reading(records.rows, choices, source)
    columns |= {"prediction": "choice.label", "confidence": "choice.max"}
    columns |= {"truth": f"choice.{truth}"} if truth else {}
    signals = {f"choice_{name}": f"choice.{name}" for name in SIGNALS}
    labels = {tuple(choice["labels"]) for choice in choices}
    levels = {"levels": list(labels.pop())} if len(labels) == 1 else {}
    return replace(
        records,
        rows=[{**r, "choice": choice} for r, choice in zip(records.rows, choices, strict=True)],
        mapping={"columns": columns, "signals": signals, **levels},
        warnings=(*records.warnings, *(() if truth else (UNSETTLED,))),
    )


def _choices(records: Records, source: str) -> list[dict[str, Any]]:
    choices, problems = list[dict[str, Any]](), list[Problem]()
    lines = () if records.lines is None else records.lines
    for row, line in zip(records.rows, lines, strict=True):
        try:
            choices.append(_choice(row))
        except ValueError as error:
            problems.append(Problem(str(error), line=line))
    refuse(problems, source)
    return choices


def _reading(rows: Sequence[Record], choices: Sequence[Record], source: str) -> str | None:
    """How targets are meant, ``by_index`` or ``by_text``; None where the lines do not tell.

    With choices "1".."5" a target of "3" may be either: only the accuracy that the lines state
    can tell, and all of them must agree.
    """
    pairs = [*zip(rows, choices, strict=True)]
    readings = [
        key  # that gives every line a truth, and the accuracy it states
        for key in ("by_index", "by_text")
        if all(c[key] and r.get("acc") in (None, float(c[key] == c["label"])) for r, c in pairs)
    ]
    if not readings:
        message = "is neither the index nor the text of a choice, as the accuracy (acc) has it"
        raise DataError([Problem(message, field="target")], source=source)
    agree = all(choice["by_index"] == choice["by_text"] for choice in choices)
    return readings[0] if len(readings) == 1 or agree else None


def _choice(row: Record) -> dict[str, Any]:
    """What the log-probabilities of a line say; ``ValueError`` says what is wrong with them."""
    logs = [_number(pair) for pair in row["filtered_resps"]]
    arguments = (at(row, "arguments", f"gen_args_{k}", "arg_1") for k in range(len(logs)))
    labels = [str(argument or "").strip() for argument in arguments]
    if len(logs) < 2 or len(set(labels)) < len(labels) or not all(labels):
        raise ValueError("the choices (arguments.gen_args_N.arg_1) are missing or repeat")
    top = max(logs)
    if top == -math.inf:
        raise ValueError("every choice has the probability 0")
    parts = [math.exp(log - top) for log in logs]
    total = math.fsum(parts)
    shares = [part / total for part in parts]
    first, second = sorted(shares, reverse=True)[:2]
    target = str(row.get("target")).strip()
    index = int(target) if target.isascii() and target.isdigit() else len(labels)
    return {
        "labels": labels,
        "label": labels[logs.index(top)],
        "by_index": labels[index] if index < len(labels) else None,
        "by_text": target if target in labels else None,
        "max": first,
        "margin": first - second,
        "entropy": -math.fsum(p * math.log(p) for p in shares if p > 0),
        "expected": math.fsum(rank * p for rank, p in enumerate(shares)),
    }


def _number(pair: object) -> float:
    """A log-probability, which the tool writes as text beside whether it is the greedy choice."""
    value = at(pair, 0)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not number < math.inf:
        raise ValueError(f"{what_came(value)} where the log-probability of a choice is expected")
    return number

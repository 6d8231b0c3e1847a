"""Logs of Inspect: ``.eval``, a zip with one member a sample, and ``.json``, one document.

Rows are samples, an epoch each. Reductions are not read: they pair a mean value with the first
epoch's metadata. A run that was killed has no header, and its samples are read as far as they go.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from acumen.errors import DataError, Problem, label, refuse, what_came
from acumen.files.archive import Archive
from acumen.files.json import parse_json
from acumen.readers.content import Content
from acumen.readers.logs import Record, at, objects_in, own_mapping, plain_roles, refuse_newer
from acumen.readers.records import Records

_NAN_BELOW: Final = frozenset({"scores", "reductions", "events"})
"""Where the tool writes a bare NaN: in scores, their means, and the events that made them."""
_UNREAD: Final = frozenset({"events", "events_data", "messages", "attachments", "timelines"})
"""The bulk of a sample, let go as soon as it is parsed."""
_KINDS: Final = {"id": str | int, "epoch": int, "scores": dict | None}
NEWEST: Final = 2
"""The newest version of the logs that is known."""
_HEADERS: Final = ("header.json", "_journal/start.json")
"""What says which study it is: of a run that ended, else of one that began."""


def read_inspect(content: Content) -> Records:
    """The samples of a log, and what its outcomes mean."""
    head, samples = (_members if content.data.startswith(b"PK") else _document)(content)
    refuse_newer(head.get("version"), NEWEST, "version", content.name)
    study = head.get("eval")
    samples_read = _checked(samples, content.name)
    scorer, key = _scorer(samples_read)
    rows = [r | {"eval": study, "score": at(r, "scores", scorer)} for r in samples_read]
    others = dict.fromkeys(n for row in rows for n in row.get("scores") or () if n != scorer)
    ids, epochs = at(study, "dataset", "sample_ids"), at(study, "config", "epochs")
    planned = len(ids) if isinstance(ids, list) and head.get("status") != "success" else 0
    planned *= epochs if isinstance(epochs, int) else 1
    scorers = f"the scorer {label(scorer)}; there are also {', '.join(map(label, others))}"
    there = f"{len(rows):,} of {planned:,} planned rows are there"
    notes = {
        f"predictions are those of {scorers} (--prediction scores.NAME.answer, or .value)": others,
        f"the run did not end: {there}": planned > len(rows),
    }
    return Records(
        rows=rows,
        mapping=_mapping(rows, key),
        warnings=tuple(note for note, holds in notes.items() if holds),
        planned=planned if planned > len(rows) else None,
        format="inspect",
    )


def _members(content: Content) -> tuple[Record, Iterator[tuple[str, Any]]]:
    archive = Archive(content.data, content.name)
    name = next((n for n in _HEADERS if n in archive), None)
    if name is None:
        message = f"is a zip archive without {' or '.join(_HEADERS)}: no Inspect log"
        message += "; if it holds tables, unpack it and give one of them"
        raise DataError([message], source=content.name)

    def member(name: str) -> object:
        return parse_json(archive.read(name), f"{content.name}, {name}", nan_below=_NAN_BELOW)

    (head,) = objects_in({name: [member(name)]}, content.name).values()
    # the id and the epoch stand inside: a member's name is not to be trusted
    return head, ((n, member(n)) for n in archive.names if n.startswith("samples/"))


def _document(content: Content) -> tuple[Record, Iterator[tuple[str, Any]]]:
    log: Any = parse_json(content.data, content.name, nan_below=_NAN_BELOW)
    return log, iter(objects_in({"samples": at(log, "samples")}, content.name).items())


def _checked(samples: Iterator[tuple[str, Any]], source: str) -> list[dict[str, Any]]:
    """The samples as rows; everything that is wrong with them at once."""
    rows: list[dict[str, Any]] = []
    problems: list[Problem] = []
    places: dict[object, str] = {}
    for place, sample in samples:
        faults = [
            f"{key} is {what_came(value)}"
            for key, kinds in _KINDS.items()
            if not isinstance(value := at(sample, key), kinds) or isinstance(value, bool)
        ]
        key = (at(sample, "id"), at(sample, "epoch"))
        if not faults and (first := places.setdefault(key, place)) != place:
            faults = [f"sample {label(key[0])}, epoch {key[1]} stands twice, first in {first}"]
        problems += [Problem(fault, case=place, noun="sample") for fault in faults]
        if not problems:
            rows.append(_row(sample))
    if not rows and not problems:
        problems.append(Problem("holds no samples: were they logged (log_samples)?"))
    refuse(problems, source)
    return rows


def _row(sample: dict[str, Any]) -> dict[str, Any]:
    row = {key: value for key, value in sample.items() if key not in _UNREAD}
    target = row.get("target")
    if isinstance(target, list) and len(target) == 1:
        row["target"] = target[0]
    tokens = at(row, "output", "choices", 0, "logprobs", "content")
    logs = [at(token, "logprob") for token in tokens] if isinstance(tokens, list) else []
    if logs and all(isinstance(log, int | float) and log <= 0 for log in logs):
        row["token_msp"] = math.fsum(map(math.exp, logs)) / len(logs)
    return row


def _scorer(rows: Sequence[Record]) -> tuple[str, str | None]:
    """The scorer whose predictions are taken, and the key of its scores that has them."""
    scores = [(name, score) for row in rows for name, score in (row.get("scores") or {}).items()]
    answers = [(name, "answer") for name, score in scores if at(score, "answer")]
    values = [(name, "value") for name, score in scores if _is_level(at(score, "value"))]
    return next(iter([*answers, *values]), ("", None))


def _is_level(value: object) -> bool:
    """Whether a score's value may be a level: a number or a word that is no mark of Inspect's."""
    is_plain = isinstance(value, str | int | float) and not isinstance(value, bool)
    return is_plain and value not in ("C", "I", "P", "N")


def _mapping(rows: Sequence[Record], key: str | None) -> Record:
    """What ships for Inspect, with the roles that the log's own names make plain."""
    roles = plain_roles(rows, "metadata")
    columns = {"case": roles.get("case", "id")}
    columns["item"] = roles.get("item", "id" if "case" in roles else "eval.task")
    if key is not None:
        columns["prediction"] = f"score.{key}"
    values = [at(row, "score", "value") for row in rows]
    if any(isinstance(value, dict) and {"answered", "confidence"} <= {*value} for value in values):
        columns["confidence"] = "score.value.confidence"
    signals = {"token_msp": "token_msp"} if any("token_msp" in row for row in rows) else {}
    return own_mapping("inspect", **columns) | {"signals": signals}

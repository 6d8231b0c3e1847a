"""Results documents found on disk, and what a comparison of them shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError
from acumen.files.json import read_json, source_name
from acumen.results.verdicts import check_comparison, check_document

COLUMNS: Final = (
    *("method", "policy", "model", "run_id", "timestamp", "n", "scored"),
    *("accuracy", "auprc", "process", "consistency"),
)
PERCENT: Final = ("accuracy", "auprc", "process", "consistency")


@dataclass(frozen=True, slots=True)
class Found:
    """One results document and where it lay."""

    path: Path
    document: dict[str, Any]
    comparison: dict[str, Any] | None = None
    """How it compares with the one before it, where the file holds a pair."""

    @property
    def row(self) -> dict[str, Any]:
        """The figures a comparison of methods shows; the scores in percent."""
        scores = self.document["unified_scores"]
        return {
            "method": self.document.get("method"),
            "policy": self.document.get("policy_id"),
            "model": self.document.get("model"),
            "run_id": self.document.get("run_id"),
            "timestamp": self.document.get("timestamp"),
            "n": self.document.get("n"),
            "scored": self.document.get("total"),
            "accuracy": _times(self.document.get("accuracy"), 100),
            "auprc": _times(scores.get("auprc"), 100),
            "process": _times(scores.get("process_score"), 1),
            "consistency": _times(scores.get("consistency_score"), 1),
        }

    def interval(self, column: str) -> tuple[float, float] | None:
        """The interval of one of the scores, in percent, where the document has it."""
        entry, factor = self._entry(column), 100 if column in ("accuracy", "auprc") else 1
        if entry.get("low") is None or entry.get("high") is None:
            return None
        return entry["low"] * factor, entry["high"] * factor

    def note(self, column: str) -> str | None:
        """What is said against the interval of a score, or why there is none."""
        entry = self._entry(column)
        return entry.get("note") or entry.get("no_interval") or entry.get("reason")

    def is_unreliable(self, column: str) -> bool:
        """Whether the interval of a score rests on too few cases."""
        return self.interval(column) is not None and "unreliable" in (self.note(column) or "")

    def _entry(self, column: str) -> dict[str, Any]:
        keys = {"auprc": "ordinal_auprc", "process": "process_score"}
        keys |= {"consistency": "consistency_score"}
        found: dict[str, Any] = self.document["intervals"].get(keys.get(column, column), {})
        return found


def _times(value: float | None, factor: int) -> float | None:
    return None if value is None else value * factor


def find_results(paths: Sequence[Path]) -> tuple[list[Found], list[str]]:
    """Results documents in files and under folders, and what could not be read under folders.

    A file that is named must be a results document; under a folder, other JSON is passed over.
    """
    found: list[Found] = []
    unreadable: list[str] = []
    for path in paths:
        if not path.is_dir():
            documents = list(_documents(path, read_json(path)))
            if not documents:
                raise DataError(["holds no unified_scores: not a results file"], source=path.name)
            found += documents
            continue
        for file in sorted(path.rglob("*.json")):
            if any(part.startswith(".") for part in file.relative_to(path).parts):
                continue
            if not file.is_file():  # a pipe would be waited for
                continue
            try:
                found += _documents(file, read_json(file))
            except DataError as error:
                unreadable.append(str(error).splitlines()[0])
    return found, unreadable


def _documents(path: Path, content: object) -> Iterable[Found]:
    if not isinstance(content, dict):
        return
    systems, pair = content.get("systems", [content]), content.get("comparison")
    source = source_name(path)
    for place, document in enumerate(systems if isinstance(systems, list) else []):
        if isinstance(document, dict) and "unified_scores" in document:
            last = place == 1 and isinstance(pair, dict)
            compared = check_comparison(dict(pair or {}), source) if last else None
            yield Found(path, check_document(document, source), compared)


def choose(
    found: Sequence[Found],
    methods: Sequence[str] = (),
    policy: str | None = None,
    *,
    latest: bool = False,
) -> list[Found]:
    """Those of some methods, of a policy, and the newest of each pair only if asked."""
    kept = [
        entry
        for entry in found
        if (not methods or str(entry.document.get("method")) in methods)
        and (policy is None or str(entry.document.get("policy_id")) == policy)
    ]
    if latest:
        newest: dict[tuple[object, object], Found] = {}
        for entry in sorted(kept, key=_age):
            newest[str(entry.row["method"]), str(entry.row["policy"])] = entry
        kept = list(newest.values())
    return sorted(kept, key=lambda e: (str(e.row["policy"]), str(e.row["method"]), _age(e)))


def _age(entry: Found) -> tuple[str, str]:
    return str(entry.document.get("timestamp") or ""), source_name(entry.path)

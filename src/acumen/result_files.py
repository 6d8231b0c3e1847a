"""Results documents found on disk, and what a comparison of them shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from acumen.errors import DataError
from acumen.results_document import check_document
from acumen.strict_json import read_json, source_name

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
        keys = {
            "accuracy": ("accuracy", 100),
            "auprc": ("ordinal_auprc", 100),
            "process": ("process_score", 1),
            "consistency": ("consistency_score", 1),
        }
        key, factor = keys[column]
        entry = self.document["intervals"].get(key, {})
        if entry.get("low") is None or entry.get("high") is None:
            return None
        return entry["low"] * factor, entry["high"] * factor


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
            try:
                found += _documents(file, read_json(file))
            except DataError as error:
                unreadable.append(str(error).splitlines()[0])
    return found, unreadable


def _documents(path: Path, content: object) -> Iterable[Found]:
    systems = content.get("systems", [content]) if isinstance(content, dict) else []
    for document in systems if isinstance(systems, list) else []:
        if isinstance(document, dict) and "unified_scores" in document:
            yield Found(path, check_document(document, source_name(path)))


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
        if (not methods or entry.document.get("method") in methods)
        and (policy is None or entry.document.get("policy_id") == policy)
    ]
    if latest:
        newest: dict[tuple[object, object], Found] = {}
        for entry in sorted(kept, key=_age):
            newest[str(entry.row["method"]), str(entry.row["policy"])] = entry
        kept = list(newest.values())
    return sorted(kept, key=lambda e: (str(e.row["policy"]), str(e.row["method"]), _age(e)))


def _age(entry: Found) -> tuple[str, str]:
    return str(entry.document.get("timestamp") or ""), source_name(entry.path)

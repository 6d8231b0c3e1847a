"""Documents in files and under folders, and which results of verdicts are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acumen.errors import DataError
from acumen.files.json import read_json, source_name
from acumen.results.kinds import document_of, kind_of, read_document
from acumen.results.verdicts import ComparisonDocument, PairDocument, ResultsDocument

Document = Any
"""Anything of :data:`acumen.results.kinds.SHOWN`."""


@dataclass(frozen=True, slots=True)
class ResultFile:
    """The results of one method and where they lay."""

    path: Path
    document: ResultsDocument
    comparison: ComparisonDocument | None = None
    """How it compares with the one before it, where the file holds a pair."""

    @property
    def age(self) -> tuple[str, str]:
        """To sort by, oldest first."""
        return str(self.document.timestamp or ""), source_name(self.path)


def find_documents(paths: Sequence[Path]) -> tuple[dict[Path, Document], list[str]]:
    """Documents in files and under folders, and what could not be read under folders.

    A file that is named must be a document; under a folder, other JSON is ignored.
    """
    documents: dict[Path, Document] = {}
    unreadable: list[str] = []
    for path in paths:
        if not path.is_dir():
            documents[path] = read_document(path)
            continue
        for file in _json_files(path):
            try:
                content = read_json(file)
                if kind_of(content) is not None:
                    documents[file] = document_of(content, source_name(file))
            except DataError as error:
                unreadable.append(str(error).splitlines()[0])
    return documents, unreadable


def _json_files(folder: Path) -> Iterator[Path]:
    """The files under a folder, without hidden ones; a pipe would be waited for."""
    for file in sorted(folder.rglob("*.json")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if not hidden and file.is_file():
            yield file


def result_files(documents: Iterable[tuple[Path, Document]]) -> list[ResultFile]:
    """The results among documents, one entry a method."""
    return [
        ResultFile(path, system, document.comparison if place == 1 else None)
        for path, document in documents
        if isinstance(document, PairDocument)
        for place, system in enumerate(document.systems)
    ]


def choose(
    files: Sequence[ResultFile],
    methods: Sequence[str] = (),
    policy: str | None = None,
    *,
    latest: bool = False,
) -> list[ResultFile]:
    """Those of some methods, of a policy, and the newest of each pair only if asked."""
    matching = [
        file
        for file in files
        if (not methods or str(file.document.method) in methods)
        and (policy is None or str(file.document.policy_id) == policy)
    ]
    if latest:
        by_age = sorted(matching, key=lambda file: file.age)
        matching = list({_series(file): file for file in by_age}.values())
    return sorted(matching, key=lambda file: (*_series(file), file.age))


def _series(file: ResultFile) -> tuple[str, str]:
    """Policy and method: runs of both are one series."""
    return str(file.document.policy_id), str(file.document.method)

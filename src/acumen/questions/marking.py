"""A sample to label: the result of ``label``, and the page that people label it on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from acumen.errors import DataError, UsageError
from acumen.files.json import decode_text, read_bytes, source_name, write_bytes
from acumen.questions.result import Result, with_command
from acumen.results.labels import SampleDocument

if TYPE_CHECKING:
    from acumen.labels.document import Row


class Marking(Result[SampleDocument]):
    """The cases to label. What people read of them is here alone: the document has no text."""

    def __init__(
        self,
        document: SampleDocument,
        command: str | None = None,
        *,
        rows: tuple[Row, ...] = (),
        show: tuple[str, ...] = (),
        guidelines: str = "",
        unanswerable: str | None = None,
    ) -> None:
        super().__init__(document, command)
        self._rows = rows
        self._facts: dict[str, Any] = {
            "show": show,
            "guidelines": guidelines,
            "unanswerable": unanswerable,
        }

    def made_by(self, command: str | None) -> Self:
        """The same, with the command that makes it again in its document."""
        document = with_command(self.document, command)
        return type(self)(document, command, rows=self._rows, **self._facts)

    def page(self) -> str:
        """The page: one file that opens from disk, asks for nothing and keeps what is marked."""
        if not self._rows:
            raise UsageError("a sample that was read from a file has no texts: draw it again")
        if not self._facts["show"]:
            raise UsageError("what shall people read? say the columns: --show COLUMN")
        from acumen.report.marking import render_marking

        return render_marking(self.document, self._rows, **self._facts)

    def write_page(self, path: str | Path) -> None:
        """Save the page."""
        write_bytes(path, self.page().encode("utf-8"))


def guidelines_of(path: str | Path | None) -> str:
    """The text of a file of guidelines."""
    if path is None:
        return ""
    name = source_name(path)
    text = decode_text(read_bytes(path), name).strip()
    if not text:
        raise DataError(["there are no guidelines in it: the file is empty"], name)
    return text

"""What every question returns: a document that can be asked, shown, drawn, framed and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from pydantic import BaseModel

from acumen.extras import need
from acumen.files.json import to_json, write_bytes

if TYPE_CHECKING:
    from acumen.charts.theme import Figure
    from acumen.report.blocks import Section

D = TypeVar("D", bound=BaseModel)
WIDTH = 100
"""Columns of a result that is shown in Python."""


class Result(Generic[D]):
    """The answer to a question. All of it is in :attr:`document`.

    >>> import acumen
    >>> result = acumen.plan(detect=0.03, sd=0.1)
    >>> result.kind, result.document.cases, result.command
    ('plan', 90, 'acumen plan --detect 0.03 --sd 0.1')
    >>> [record for record in result.records() if record["key"] == "cases"]
    [{'key': 'cases', 'estimate': 90}]
    """

    def __init__(self, document: D, command: str | None = None) -> None:
        self._document = document
        self._command = command

    @property
    def document(self) -> D:
        """Everything that was found, typed; :meth:`to_dict` has it as plain data."""
        return self._document

    @property
    def brief(self) -> D:
        """What a screen shows: the document, or the part of it that costs nothing more."""
        return self.document

    @property
    def kind(self) -> str:
        """What it is: ``metrics``, ``threshold``, ``gate``, …, as the document itself says."""
        return str(getattr(self.brief, "kind", ""))

    @property
    def command(self) -> str | None:
        """The command that makes it again; None where the inputs were no files."""
        return self._command

    def made_by(self, command: str | None) -> Self:
        """The same, with the command that makes it again in its document."""
        return type(self)(with_command(self.document, command), command)

    @property
    def warnings(self) -> list[str]:
        """What to know before trusting any of it."""
        return list(getattr(self.brief, "warnings", ()))

    @property
    def exit_code(self) -> int:
        """What the command ends with: 0, or what a gate and an unfinished run have to say."""
        return int(getattr(self.brief, "exit_code", 0))

    def __bool__(self) -> bool:
        """False only for a gate that did not pass."""
        return getattr(self.brief, "verdict", "pass") == "pass"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and self.document == other.document

    __hash__ = object.__hash__

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """A result from a file that acumen wrote, of any kind."""
        from acumen.results.kinds import read_document

        document: Any = read_document(path)
        return cls(document, getattr(document, "command", None))

    # as data

    def to_dict(self) -> dict[str, Any]:
        """The document as plain data, as it is written."""
        from acumen.results.kinds import on_disk

        return on_disk(self.document)

    def to_json(self) -> str:
        """The document as strict JSON."""
        return to_json(self.to_dict())

    def write(self, path: str | Path) -> None:
        """Save the document, whole or not at all."""
        write_bytes(path, self.to_json().encode("utf-8"))

    def records(self) -> list[dict[str, Any]]:
        """One record a number: its place in the document, and the number."""
        content = self.to_dict()
        return [{"key": key, **numbers} for key, numbers in _numbers(content, ())]

    def to_frame(self, backend: Any = None) -> Any:
        """The records as a table of pandas, polars or pyarrow, whichever is there; else a list.

        ``backend`` names one of them, or another library that narwhals knows.
        """
        from acumen.results.frames import frame_of

        return frame_of(self.records(), backend)

    # for people

    def sections(self, *, full: bool = False, metrics: Iterable[str] = ()) -> list[Section]:
        """What is shown of it: the answer and what most readers need; ``full`` adds the rest."""
        from acumen.report.sections import sections_of

        document = self.document if full else self.brief
        return sections_of(document, full=full, metrics=metrics)

    def to_markdown(self, *, full: bool = False) -> str:
        """What is shown, as Markdown."""
        return self._as("markdown", full=full)

    def to_latex(self, *, full: bool = False) -> str:
        """What is shown, as tables of LaTeX."""
        return self._as("latex", full=full)

    def to_csv(self, *, full: bool = False) -> str:
        """The tables that are shown, as CSV."""
        return self._as("csv", full=full)

    def _as(self, form: str, *, full: bool) -> str:
        from acumen.report.formats import FOR_PROGRAMS, FORMATS
        from acumen.report.sections import sections_of

        if form in FOR_PROGRAMS and not full:
            return FORMATS[form](sections_of(self.document, fit=False))
        return FORMATS[form](self.sections(full=full))

    def to_html(self, *, texts: bool = False) -> str:
        """One self-contained page, with its charts."""
        from acumen.report.html import render_report

        return render_report([self], texts=texts)

    def write_report(self, path: str | Path, *, texts: bool = False) -> None:
        """Save the page."""
        write_bytes(path, self.to_html(texts=texts).encode("utf-8"))

    def plot(self, kind: str) -> Figure:
        """A chart by its name, as ``acumen plot`` lists them; it shows itself in a notebook."""
        need("report", "a chart")
        from acumen.charts import chart

        return chart(kind, self.document)

    def __repr__(self) -> str:
        from acumen.report.terminal import render

        return render(self.sections(), width=WIDTH)

    def _repr_html_(self) -> str:
        from acumen.report.notebook import html

        return html(self.sections())


def result_of(answer: Any, command: str | None) -> Any:
    """The result of a question: its document, with the command that makes it again."""
    if isinstance(answer, Result):
        return answer.made_by(command)
    return Result(with_command(answer, command), command)


def with_command(document: D, command: str | None) -> D:
    """The document, saying what makes it again, where it has a place for it."""
    if "command" not in type(document).model_fields:
        return document
    return document.model_copy(update={"command": command})


def _numbers(content: Any, path: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every number of plain data, by its place; a value and its interval are one."""
    key = ".".join(path)
    if isinstance(content, Mapping):
        interval = content.get("interval")
        value = content.get("value", content.get("delta"))
        if "interval" in content and ("value" in content or "delta" in content):
            ends = interval if isinstance(interval, Mapping) else {}
            yield key, {"estimate": value, "low": ends.get("low"), "high": ends.get("high")}
            return
        for name, inner in content.items():
            yield from _numbers(inner, (*path, str(name)))
    elif isinstance(content, list):
        for at, inner in enumerate(content):
            yield from _numbers(inner, (*path, str(at)))
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield key, {"estimate": content}

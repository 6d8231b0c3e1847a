"""The formats a table may come in: one line each, recognised by content.

Imports nothing heavy, because the help of the command line lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from acumen.errors import DataError, UsageError, printable
from acumen.readers.records import Rows, refuse_wide

if TYPE_CHECKING:
    from acumen.readers.content import Content, Head

_CASE_KEYS: Final = (
    *({"predicted_items"}, {"ground_truth_items"}, {"item_signals"}, {"evidence_counts"}),
    {"participant_id", "success"},
)
"""Keys of which one set makes an object a case's record rather than a row."""


@dataclass(frozen=True, slots=True)
class Format:
    """How files of a kind are called and recognised, what reads them, what may be asked of them."""

    title: str
    home: str
    """Module and function of the reader: a ``Content`` -> ``Rows``, or ``Judgments`` if no rows."""
    recognises: Callable[[Head], bool]
    """Whether a file that begins so is of this kind; the first format that says so is taken."""
    has_columns: bool = True
    """Whether it holds rows, whose columns can be named."""
    has_modes: bool = False
    """Whether it holds several experiments, each with its own scale."""

    def reader(self) -> Callable[..., Any]:
        """What reads it, imported now."""
        module, _, name = self.home.partition(":")
        function: Callable[..., Any] = getattr(import_module(f"acumen.readers.{module}"), name)
        return function


def _keyed(*keys: str, line: tuple[str, ...] = (), magic: bytes = b"\0") -> Callable[[Head], bool]:
    """That a file begins with some bytes, or its document or its first line has some keys."""
    return lambda head: (
        head.start.startswith(magic)
        or {*keys} <= head.keys
        or (bool(line) and {*line} <= head.first.keys())
    )


FORMATS: Final[Mapping[str, Format]] = {
    "xlsx": Format(
        "Excel",
        "xlsx:read_xlsx",
        lambda head: (
            head.start.startswith(b"PK\x03\x04")
            and any(name in head.start for name in (b"[Content_Types].xml", b"xl/", b"docProps/"))
        ),
    ),
    "inspect": Format(
        "Inspect", "inspect:read_inspect", _keyed("version", "status", "eval", magic=b"PK\x03\x04")
    ),
    "lm-eval": Format(
        "lm-eval",
        "lm_eval:read_lm_eval",
        _keyed("results", "group_subtasks", line=("doc_id", "filtered_resps")),
    ),
    "promptfoo": Format(
        "promptfoo",
        "promptfoo:read_promptfoo",
        _keyed("evalId", "results", line=("testIdx", "promptIdx")),
    ),
    "label-studio": Format(
        "Label Studio",
        "label_studio:read_label_studio",
        lambda head: head.start[:1] == b"[" and {"id", "annotations"} <= head.keys,
    ),
    "parquet": Format(
        "Parquet",
        "arrow:read_parquet",
        lambda head: (
            head.start[:4] == b"PAR1"
            or (head.suffix == ".parquet" and not (head.is_delimited or head.is_json))
        ),
    ),
    "cases": Format(
        "JSONL of cases",
        "entries:read_cases",
        lambda head: head.has_lines and any(keys <= head.first.keys() for keys in _CASE_KEYS),
        has_columns=False,
    ),
    "run": Format(
        "run artifact",
        "run:run_of_content",
        lambda head: head.is_json and bool({"experiments", "run_metadata"} & head.keys),
        has_columns=False,
        has_modes=True,
    ),
    "jsonl": Format("JSONL", "json_rows:read_lines", lambda head: head.has_lines),
    "json": Format(
        "JSON",
        "json_rows:read_document",
        lambda head: head.is_json or (head.suffix == ".json" and not head.is_delimited),
    ),
    "tsv": Format("TSV", "delimited:read_delimited", lambda head: b"\t" in head.line),
    "csv": Format("CSV", "delimited:read_delimited", lambda _: True),
}
"""Name -> format, in the order they are tried."""


def format_of(head: Head, name: str | None = None) -> str:
    """The name of a file's format: as said, else by its beginning.

    >>> from acumen.readers.content import Head
    >>> [format_of(Head(start)) for start in (b'{"experiments": []}', b"a,b", b"[{}]")]
    ['run', 'csv', 'json']
    """
    if name is None:
        return next(key for key, entry in FORMATS.items() if entry.recognises(head))
    if name not in FORMATS:
        raise UsageError(f"no format '{printable(name)}'; there are {', '.join(FORMATS)}")
    return name


def rows_of(content: Content, name: str, inside: str | None = None) -> Rows:
    """The rows of a file that has columns; ``inside`` is their place in JSON."""
    if inside is not None and name not in ("json", "jsonl"):
        raise UsageError(f"--rows says where rows are in JSON, and this is {FORMATS[name].title}")
    options = {} if inside is None else {"rows": inside}
    rows: Rows = FORMATS[name].reader()(content, **options)
    refuse_wide(rows.names, content.name)
    return rows


_OURS: Final = ("builtins", "acumen", "numpy", "pydantic", "pydantic_core")
"""Whose errors may be faults of our own code, not of the bytes that a library was handed."""


@contextmanager
def read_as(name: str, source: str) -> Iterator[None]:
    """What a library cannot read as a format is bad data, told by its kind: it may quote a cell."""
    try:
        yield
    except Exception as error:
        is_ours = type(error).__module__.partition(".")[0] in _OURS
        if is_ours and not isinstance(error, OSError | EOFError | UnicodeError):
            raise
        title = FORMATS[name].title
        kind = (isinstance(error, OSError) and error.strerror) or type(error).__name__
        article = "an" if title[0] in "AEIOU" else "a"
        message = f"is not {article} {title} file that can be read ({kind}): is it damaged?"
        raise DataError([message], source) from error


def titles(*, with_columns: bool = False) -> list[str]:
    """What the formats are called, those with columns alone if asked.

    >>> titles(with_columns=True)[:5]
    ['Excel', 'Inspect', 'lm-eval', 'promptfoo', 'Label Studio']
    """
    known = FORMATS.values()
    return [entry.title for entry in known if entry.has_columns or not with_columns]

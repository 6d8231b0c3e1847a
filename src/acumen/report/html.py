"""One HTML file that opens from disk, with no network and nothing in it that data could run.

The content policy allows the scripts and the style of this page by their hashes and nothing else.
Every text goes through Jinja's escaping; charts and cases travel as JSON in which no character can
end the element; Vega evaluates its expressions with its interpreter, so no code is made from text.
The library travels compressed, and runs only if what is unpacked has the hash of its text.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from pydantic import BaseModel

from acumen._version import __version__
from acumen.errors import UsageError, printable
from acumen.extras import need
from acumen.files.json import to_json, write_bytes
from acumen.report.blocks import LONGEST_COMMAND, Cases, Column, Plot
from acumen.report.layout import Study
from acumen.report.library import chart_library
from acumen.report.sections import Ask, family_of, sections_of
from acumen.report.terms import Glossary, isolated, sentence, signs
from acumen.results.kinds import document_of, read_document
from acumen.results.verdicts import PairDocument, ResultsDocument


@runtime_checkable
class Scored(Protocol):
    """Anything that carries a document: the result of a question."""

    @property
    def document(self) -> BaseModel:
        """The document."""


Reportable = BaseModel | Scored | Mapping[str, Any] | str | Path
STATIC_ROWS: Final = 50
"""Rows of the table of cases that stand in the page itself, for readers without scripts."""
FOLDED_ROWS: Final = 200
"""Rows of a list that is closed until it is asked for."""
OPEN_WARNINGS: Final = 2
"""So many warnings stand open beside the answer; more are counted and closed."""


def write_report(
    artifacts: Sequence[Reportable],
    output: str | Path,
    *,
    command: str | None = None,
    texts: bool = False,
) -> None:
    """Write one self-contained page of any number of documents, given or by path.

    ``command`` is told as the way to make them again. ``texts`` shows the texts of cases that a
    document keeps; without it the page has none.
    """
    page = render_report(artifacts, command=command, texts=texts)
    write_bytes(output, page.encode("utf-8"))


def render_report(
    artifacts: Sequence[Reportable], *, command: str | None = None, texts: bool = False
) -> str:
    """The page as text."""
    need("report", "a page")
    if not artifacts:
        raise UsageError("a report needs at least one artifact")
    from acumen.report.selective.together import joined

    documents, note = joined([*map(_document, artifacts)])
    studies = [
        study_of(document, f"s{at}", command, texts=texts)
        for at, document in enumerate(documents, start=1)
    ]
    return render_studies(studies, note)


def _document(artifact: Reportable) -> Any:
    """What a report is made of, read where it lies in a file."""
    match artifact:
        case str() | Path():
            return read_document(artifact)
        case Mapping():
            return document_of(dict(artifact), "artifact")
        case Scored():
            return artifact.document
        case ResultsDocument():
            return PairDocument(systems=[artifact])
    return artifact


def study_of(
    artifact: Reportable, key: str = "s1", command: str | None = None, *, texts: bool = False
) -> Study:
    """Everything a page says of a document."""
    document = _document(artifact)
    sections = sections_of(document, full=True, ask=Ask(key, command, texts))
    return Study(key, family_of(document).head(document), tuple(sections))


def render_studies(studies: Sequence[Study], note: str = "") -> str:
    """The page of some studies, with a note above them."""
    from markupsafe import Markup

    style, script, library = asset("page.css"), asset("page.js"), chart_library()
    policy = (
        f"default-src 'none'; script-src {source_hash(library)} {source_hash(script)}; "
        f"style-src {source_hash(style)}; img-src data:; base-uri 'none'; form-action 'none'"
    )
    glossary = Glossary()
    # only this package's own files and escaped JSON pass unescaped
    page: str = _template().render(
        studies=studies,
        note=note,
        terms=lambda text, **how: glossary(str(_inert(text)), **how),
        begin=glossary.begin,
        version=__version__,
        policy=Markup(policy),  # noqa: S704
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        library=Markup(compressed(library)),  # noqa: S704
        island=lambda: Markup(island(studies, glossary.used)),  # noqa: S704
        kind=lambda block: type(block).__name__,
        static_rows=STATIC_ROWS,
        folded_rows=FOLDED_ROWS,
        open_warnings=OPEN_WARNINGS,
    )
    return page


@cache
def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("acumen.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_inert,
    )
    environment.filters |= {"signs": signs, "isolated": lambda text: isolated(str(_inert(text)))}
    environment.filters["sentence"] = lambda text: sentence(str(_inert(text)))
    return environment.get_template("report.html")


def _inert(value: object) -> object:
    """Texts without invisible or bidi characters, wherever they come from; own markup stays."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value, limit=LONGEST_COMMAND)
    return value


def island(studies: Sequence[Study], terms: Mapping[str, str]) -> str:
    """Charts and cases as JSON that cannot end the element it stands in; each data set once."""
    from acumen.charts.theme import config

    datasets: dict[str, Any] = {}
    blocks = [b for study in studies for section in study.sections for b in section.blocks]
    charts = [_chart(b, datasets) for b in blocks if isinstance(b, Plot) and b.is_drawn]
    document = {
        "config": config(),
        "terms": terms,
        "datasets": [[key, _packed(rows)] for key, rows in datasets.items()],
        "charts": charts,
        "cases": [_columns(block) for block in blocks if isinstance(block, Cases)],
    }
    return inert_json(document)


def inert_json(document: Mapping[str, Any]) -> str:
    """JSON that cannot end the element it stands in."""
    text = to_json(document, compact=True).strip()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _packed(rows: Sequence[Mapping[str, Any]]) -> list[list[list[Any]]]:
    """Rows by column, those of the same keys together: no row repeats its keys."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row), []).append(row)
    return [[[*keys], [[r[key] for r in own] for key in keys]] for keys, own in groups.items()]


def _chart(plot: Plot, datasets: dict[str, Any]) -> dict[str, Any]:
    datasets.update(plot.data)
    spec = {key: part for key, part in plot.spec.items() if key not in ("config", "$schema")}
    commands = {printable(name): printable(c, LONGEST_COMMAND) for name, c in plot.commands.items()}
    own = {"commands": commands} if commands else {}
    return {"id": plot.key, "data": list(plot.data), "spec": spec} | own


def _columns(cases: Cases) -> dict[str, Any]:
    columns = [
        {"key": printable(c.key or c.title), "title": printable(c.title)}
        | ({"system": c.system} if c.system else {})
        | ({} if c.is_listed else {"apart": True})
        | ({"parts": [c.parts.get(name, (name,)) for name in c.names]} if c.parts else {})
        | ({"values": c.values} if c.values else {"names": c.names, "codes": _digits(c)})
        for c in cases.columns
    ]
    return {"n": cases.n, "systems": cases.systems, "columns": columns}


def _digits(column: Column) -> str | Sequence[int]:
    """Codes; where each is a digit, as digits in a row: a page of 100,000 cases is smaller."""
    return "".join(map(str, column.codes)) if len(column.names) <= 10 else column.codes


@cache
def asset(name: str) -> str:
    """A file of the page, as it lies in the package."""
    return files("acumen.report").joinpath("page", name).read_text(encoding="utf-8")


@cache
def compressed(text: str) -> str:
    """A text as a page carries it."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def source_hash(text: str) -> str:
    """A script or a style as a policy allows it."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

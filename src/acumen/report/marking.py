"""The page that people label a sample on: one file, opened from disk, that nothing leaves.

It holds what they read and nothing of what the judge said. Its policy lets its own script and
style run, by their hashes, and nothing else; texts travel as JSON and become text, never markup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from acumen._version import __version__
from acumen.errors import counted, printable
from acumen.extras import need
from acumen.labels.document import LABEL_COLUMNS, Row
from acumen.report.cells import plain
from acumen.report.html import asset, inert_json, source_hash
from acumen.results.labels import SampleDocument

UNANSWERABLE: Final = "cannot judge"
"""What a person says of a row that cannot be judged, unless the study has a word of its own."""
_HIDDEN: Final = ("system", "repeat")
"""Whose answer it is: people label without knowing it."""


def render_marking(
    document: SampleDocument,
    rows: Sequence[Row],
    *,
    show: Sequence[str],
    guidelines: str = "",
    unanswerable: str | None = None,
) -> str:
    """The page as text."""
    need("report", "a page to label on")
    from markupsafe import Markup

    style, script = asset("marking.css"), asset("marking.js")
    policy = (
        f"default-src 'none'; script-src {source_hash(script)}; style-src {source_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    inclusion = {case.case: case.inclusion for case in document.drawn}
    data: Mapping[str, Any] = {
        "sample": document.fingerprint,
        "levels": [_readable(str(level)) for level in document.levels],
        "open": _readable(unanswerable or UNANSWERABLE),
        "guidelines": _readable(guidelines),
        "columns": [*document.columns.values()],
        "beside": LABEL_COLUMNS,
        "seen": [role not in _HIDDEN for role in document.columns],
        "show": [_readable(name) for name in show],
        "rows": [
            {
                "names": row.names,
                "texts": [_readable(text) for text in row.texts],
                "inclusion": inclusion[row.case],
            }
            for row in rows
        ],
    }
    # only this package's own files and escaped JSON pass unescaped
    page: str = _template().render(
        title=plain(document.judged_in or "judged rows"),
        rows=counted(len(rows), "row"),
        cases=counted(len(document.drawn), "case"),
        version=__version__,
        policy=Markup(policy),  # noqa: S704
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        data=Markup(inert_json(data)),  # noqa: S704
    )
    return page


@cache
def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("acumen.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.get_template("marking.html")


def _readable(text: str) -> str:
    """A text with what is invisible in it spelled out: none of it may turn another around."""
    lines = text.replace("\r\n", "\n").expandtabs(4).split("\n")
    return "\n".join(printable(line, limit=len(line)) for line in lines)

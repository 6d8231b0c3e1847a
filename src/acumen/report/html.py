"""One HTML file that opens from disk, with no network and nothing in it that data could run.

The content policy allows the scripts and the style of this page by their hashes and nothing else.
Every text goes through Jinja's escaping; charts and cases travel as JSON in which no character can
end the element; Vega evaluates its expressions with its interpreter, so no code is made from text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

from acumen._version import __version__
from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import DataError, UsageError, printable, what_came
from acumen.files.json import parse_json, read_bytes, source_name, to_json, write_bytes
from acumen.files.problems import validated
from acumen.report.sections import LONGEST_TEXT, Cases, Plot, Study
from acumen.results.metrics import Evaluated, MetricsArtifact
from acumen.results.verdicts import Difference, check_comparison, check_document


@runtime_checkable
class Scored(Protocol):
    """Anything that carries a results document, such as the scores of verdicts."""

    @property
    def document(self) -> dict[str, Any]:
        """The document."""


Reportable = MetricsArtifact | Evaluated | Scored | Mapping[str, Any] | str | Path
STATIC_ROWS: Final = 50
"""Rows of the table of cases that stand in the page itself, for readers without scripts."""


def write_report(
    artifacts: Sequence[Reportable],
    output: str | Path,
    *,
    command: str | None = None,
    texts: bool = False,
) -> None:
    """Write one self-contained page of any number of artifacts, given or by path.

    ``command`` is told as the way to make them again. A results document is what
    ``acumen score --output`` wrote. ``texts`` shows the texts of cases that an artifact keeps;
    without it the page has none.
    """
    page = render_report(artifacts, command=command, texts=texts)
    write_bytes(output, page.encode("utf-8"))


def render_report(
    artifacts: Sequence[Reportable], *, command: str | None = None, texts: bool = False
) -> str:
    """The page as text."""
    if not artifacts:
        raise UsageError("a report needs at least one artifact")
    studies = [
        _study(given, f"s{at}", command, texts) for at, given in enumerate(artifacts, start=1)
    ]
    return _page(studies)


def _study(given: Reportable, key: str, command: str | None, texts: bool) -> Study:
    from acumen.report import metric_sections, verdict_sections

    source = "artifact"
    if isinstance(given, str | Path):
        source = source_name(given)
        given = load(given)
    if isinstance(given, Evaluated):
        given = given.artifact
    if isinstance(given, MetricsArtifact):
        return metric_sections.study_of(given, key, command, texts=texts)
    if isinstance(given, Scored):
        given = given.document
    systems = given.get("systems")
    documents = systems if isinstance(systems, list) and systems else [given]
    checked = [check_document(dict(_mapping(d, source)), source) for d in documents]
    comparison = given.get("comparison") if isinstance(systems, list) else None
    if comparison is not None:
        comparison = _checked_comparison(comparison, source)
    return verdict_sections.study_of(checked, comparison, key, command)


def load(path: str | Path) -> MetricsArtifact | dict[str, Any]:
    """A metrics artifact or a results document from a file, told apart by what it holds."""
    source = source_name(path)
    document = _mapping(parse_json(read_bytes(path), source=source), source)
    if "confidence_variants" in document:
        return validated(document, MetricsArtifact, source)
    if "unified_scores" in document or "systems" in document:
        return dict(document)
    raise DataError(
        ["is neither a metrics artifact (of acumen evaluate) nor results (of acumen score)"],
        source=source,
    )


def _mapping(document: object, source: str) -> Mapping[str, Any]:
    if not isinstance(document, Mapping):
        raise DataError([f"must be an object, not {what_came(document)}"], source=source)
    return document


def _checked_comparison(comparison: object, source: str) -> dict[str, Any]:
    """A comparison; of a measure it does not hold, an empty difference."""
    checked = check_comparison(dict(_mapping(comparison, source)), source)
    known = ("process_score", "ordinal_auprc", "auprc_ge_1", *PROCESS_WEIGHTS)
    absent = {key: Difference().model_dump() for key in known}
    return checked | {"deltas": absent | checked["deltas"]}


def _page(studies: Sequence[Study]) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("acumen.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_inert,
    )
    style, script, library = _asset("page.css"), _asset("page.js"), chart_library()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash(library)} {_hash(script)}",
            f"style-src {_hash(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    from markupsafe import Markup

    # only this package's own files and escaped JSON pass unescaped
    return environment.get_template("report.html").render(
        studies=studies,
        version=__version__,
        policy=Markup(policy),  # noqa: S704
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        library=Markup(library),  # noqa: S704
        island=Markup(island(studies)),  # noqa: S704
        first_rows=first_rows,
    )


def _inert(value: object) -> object:
    """Texts without invisible or bidi characters, wherever they come from; own markup stays."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return printable(value, limit=4 * LONGEST_TEXT)
    return value


def first_rows(cases: Cases) -> list[list[str]]:
    """The rows that stand in the page itself."""
    return [[c.text(row) for c in cases.columns] for row in range(min(STATIC_ROWS, cases.n))]


def island(studies: Sequence[Study]) -> str:
    """Charts and cases as JSON that cannot end the element it stands in; each data set once."""
    from acumen.charts.theme import config

    datasets: dict[str, Any] = {}
    plots = [p for study in studies for section in study.sections for p in section.plots]
    charts = [_chart(plot, datasets) for plot in plots]
    document = {
        "config": config(),
        "datasets": [[key, rows] for key, rows in datasets.items()],
        "charts": charts,
        "cases": [_columns(cases) for study in studies for cases in study.cases],
    }
    text = to_json(document, compact=True).strip()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _chart(plot: Plot, datasets: dict[str, Any]) -> dict[str, Any]:
    datasets.update(plot.data)
    spec = {key: part for key, part in plot.spec.items() if key not in ("config", "$schema")}
    return {"id": plot.key, "data": list(plot.data), "spec": spec}


def _columns(cases: Cases) -> dict[str, Any]:
    columns = [
        {"values": c.values} if c.values else {"names": c.names, "codes": c.codes}
        for c in cases.columns
    ]
    return {"n": cases.n, "outcome": cases.outcome, "columns": columns}


@cache
def _asset(name: str) -> str:
    return files("acumen.report").joinpath("page", name).read_text(encoding="utf-8")


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, safe inside a script element."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle: str = vl_convert.javascript_bundle(
        "window.vegaEmbed = vegaEmbed; window.vega = vega;", vl_version=version
    )
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--").replace("\r", "\\r")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"

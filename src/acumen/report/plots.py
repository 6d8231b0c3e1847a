"""Figures as plots of a page, each with its table and with what it shows in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from acumen.extras import MissingExtraError
from acumen.report.blocks import Plot, Table

if TYPE_CHECKING:
    from acumen.charts.theme import Figure
    from acumen.report.sections import Ask
    from acumen.results.metrics import MetricsArtifact

FEWEST_MARKS: Final = 2
"""A chart of fewer says less than its table."""


def plot(
    study: str,
    chart: str,
    figure: Callable[[], Figure | None],
    title: str,
    caption: str,
    table: Table,
) -> Plot | None:
    """A figure with its words and its table; nothing where there is no figure.

    Where nothing is installed that draws, or there is one mark to draw, there is its table alone:
    all that a text shows.
    """
    from acumen.charts.theme import spec_and_data

    key = f"{study}-chart-{chart}"
    try:
        drawn = figure()
    except MissingExtraError:
        return Plot(key, title, caption, "", {}, {}, table)
    if drawn is None:
        return None
    spec, data = spec_and_data(drawn)
    if max(map(len, data.values()), default=0) < FEWEST_MARKS:
        return Plot(key, title, caption, "", {}, {}, table)
    ends = finding(chart, spec, data)
    alt = f"{title}. {ends} {caption} The numbers are in the table below it."
    return Plot(key, title, caption, alt, spec, data, table, ends)


def drawing(ask: Ask, artifact: MetricsArtifact) -> Callable[[str, str, str, Table], Plot | None]:
    """What draws the charts of an evaluation, each by its name, with its words and its table."""
    from acumen.charts import CHARTS

    def draw(name: str, title: str, caption: str, table: Table) -> Plot | None:
        return plot(ask.study, name, partial(CHARTS[name], artifact), title, caption, table)

    return draw


def plots(*figures: Plot | None) -> tuple[Plot, ...]:
    """The plots there are."""
    return tuple(figure for figure in figures if figure is not None)


Rows = Sequence[Mapping[str, Any]]
_SHAPES: Final[Sequence[tuple[str, Mapping[str, str]]]] = (
    ("value", {"name": "", "group": ""}),
    ("v", {"y": "", "x": ""}),
    ("n", {"t": "truth ", "p": "prediction ", "s": ""}),
    ("a", {"f": "", "p": "said "}),
    ("n", {"b": "confidence ", "o": "", "lo": "from "}),
    ("r", {"f": "", "s": "", "c": "coverage ", "t": "from confidence "}),
    ("p", {"s": "", "k": "truth ", "r": "recall "}),
    ("y", {"x": "at "}),
)
"""What a chart draws -> the fields that name it, with a word before each."""


def finding(chart: str, spec: Mapping[str, Any], data: Mapping[str, Rows]) -> str:
    """The lowest and the highest of what a chart draws at first, and which of two is lower."""
    params = {param["name"]: param.get("value") for param in spec.get("params", ())}
    names = [None, *(params.get("picked") or [params.get("chosen")])]
    for field, words in _SHAPES:
        field = "g" if field == "r" and chart == "generalized-risk" else field
        for every in data.values():
            rows = [r for r in every if r.keys() >= {field, *words} and r.get("f") in names]
            # who agrees with himself, and a right answer, are no finding
            rows = [r for r in rows if len({r[k] for k in [*words][:2]}) == len([*words][:2])]
            if rows:
                ends = (min(rows, key=lambda r: r[field]), max(rows, key=lambda r: r[field]))
                places = [", ".join(f"{w}{r[k]}" for k, w in words.items()) for r in ends]
                said = [f"{p}: {_number(r, field)}" for p, r in zip(places, ends, strict=True)]
                return f"Lowest is {said[0]}; highest is {said[1]}.{_lower(rows)}"
    return ""


def _number(row: Mapping[str, Any], field: str) -> str:
    ends = [f"{row[end]:.4g}" for end in ("low", "high") if row.get(end) is not None]
    return f"{row[field]:.4g}" + (f" [{', '.join(ends)}]" if len(ends) == 2 else "")


def _lower(rows: Rows) -> str:
    """How often the second of two systems lies below the first."""
    values = {(row.get("name"), row.get("group")): row.get("value", 0.0) for row in rows}
    names, groups = (list(dict.fromkeys(keys)) for keys in zip(*values, strict=True))
    if len(groups) != 2 or len(values) < 2 * len(names):
        return ""
    lower = sum(values[n, groups[1]] < values[n, groups[0]] for n in names)
    return f" {groups[1]} is below {groups[0]} in {lower} of {len(names)}."

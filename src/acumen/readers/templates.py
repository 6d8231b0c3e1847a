"""Names of columns with a part that varies: ``gt_{item}``, ``{system}_{item}``, ``rater_{rater}``.

What the parts in braces stand for says what a wide table has side by side; every column that fits
is found, and the parts that several templates share tie their columns together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acumen.errors import DataError, Problem, UsageError, label

VARIABLES: Final = ("case", "item", "rater", "repeat", "system")
"""What may stand in braces."""
_PART: Final = re.compile(r"\{(\w+)\}")
Values = Mapping[str, str]
"""Variable -> what stands in its place."""


def variables_of(name: str) -> list[str]:
    """The variables of a template; none of a plain name.

    >>> variables_of("{system}_{item}"), variables_of("human_rating")
    (['system', 'item'], [])
    """
    return list(dict.fromkeys(_PART.findall(name)))


def check_template(name: str) -> None:
    """Refuse what no template can have."""
    if odd := [v for v in variables_of(name) if v not in VARIABLES]:
        known = ", ".join(f"{{{v}}}" for v in VARIABLES)
        raise UsageError(f"{label(name)}: no {{{odd[0]}}} in a template; there are {known}")


@dataclass(frozen=True, slots=True)
class Fit:
    """The columns that fit a template, by what stands in place of its variables."""

    template: str
    columns: Mapping[tuple[tuple[str, str], ...], str]

    @property
    def parts(self) -> list[dict[str, str]]:
        """What stands in place of the variables, a column each."""
        return [dict(key) for key in self.columns]

    def column(self, values: Values) -> str | None:
        """The column where the variables stand for these values."""
        names = variables_of(self.template)
        return self.columns.get(tuple((name, values[name]) for name in names if name in values))


def fits_of(
    templates: Iterable[str],
    names: Sequence[str],
    gone: Iterable[str],
    first: str | None = None,
    beside: str | None = None,
) -> list[Fit]:
    """What fits each template; ``gone`` are columns that are named for something else.

    The template of fewest variables goes first, of these the truth's (``first``), then the one that
    says most: what it found for a variable is what the others may find for it, and a column fits
    one template alone. What stands ``beside`` the judgments, their confidence, takes its columns
    and decides for no other: where a system has none, the system is there all the same.

    >>> names = ["id", "gt_a_b", "gt_c", "x_a_b", "x_c", "x_c_conf"]
    >>> fits = fits_of(["{system}_{item}", "gt_{item}", "{system}_{item}_conf"], names, ["id"])
    >>> [len(fit.columns) for fit in fits], fits[0].parts[0]
    ([2, 2, 1], {'system': 'x', 'item': 'a_b'})
    """
    listed = list(dict.fromkeys(templates))
    order = sorted(listed, key=lambda t: (len(variables_of(t)), t != first, -len(_PART.sub("", t))))
    taken, known, fits = {*gone}, dict[str, list[str]](), dict[str, Fit]()
    for template in order:
        check_template(template)
        pattern = _pattern(template, known)
        columns = {}
        for name in names:
            if name not in taken and (match := pattern.fullmatch(name)):
                columns[tuple((v, match[v]) for v in variables_of(template))] = name
        if not columns:
            listed_names = ", ".join(label(name) for name in list(names)[:30])
            message = f"no column fits {label(template)}; there are {listed_names}"
            raise DataError([Problem(message, columns=tuple(names))])
        taken |= {*columns.values()}
        fits[template] = Fit(template, columns)
        for variable in () if template == beside else variables_of(template):
            values = (dict(key)[variable] for key in columns)
            known.setdefault(variable, list(dict.fromkeys(values)))
    return [fits[template] for template in listed]


def _pattern(template: str, known: Mapping[str, Sequence[str]]) -> re.Pattern[str]:
    """A template as a pattern: a variable stands for the values that are known, or for any text."""
    out, at, seen = "", 0, set[str]()
    for match in _PART.finditer(template):
        out += re.escape(template[at : match.start()])
        variable, at = match[1], match.end()
        if variable in seen:
            out += f"(?P={variable})"
            continue
        seen.add(variable)
        values = sorted(known.get(variable, ()), key=len, reverse=True)
        text = "|".join(map(re.escape, values)) if values else ".{1,200}?"
        out += f"(?P<{variable}>{text})"
    return re.compile(out + re.escape(template[at:]), re.DOTALL)


def joined(fits: Sequence[Fit]) -> list[dict[str, str]]:
    """Every combination of values that the columns of all templates make together.

    The first template says which there are; the others add variables that it lacks.

    >>> fits = fits_of(["ai_{item}", "{rater}_{item}"], ["ai_a", "ann_a", "ben_a"], [])
    >>> joined(fits)
    [{'item': 'a', 'rater': 'ann'}, {'item': 'a', 'rater': 'ben'}]
    """
    parts: list[dict[str, str]] = [{}]
    for fit in fits:
        own = fit.parts
        if all(name in parts[0] for name in variables_of(fit.template)):
            continue  # it adds nothing: where it lacks a column, there is none
        grown = [
            {**part, **values}
            for part in parts
            for values in own
            if all(part.get(name, value) == value for name, value in values.items())
        ]
        parts = grown or parts
    return parts

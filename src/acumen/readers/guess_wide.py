"""Which columns stand side by side for items, systems or raters: by what their names share.

``gt_tone, gt_style, gpt_tone, gpt_style`` are ``gt_{item}`` and ``gpt_{item}``. What a template is
proposed for is checked with the templates' own rules, so that it finds these columns and no others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from acumen.errors import DataError, UsageError
from acumen.readers.guess import Column, Guess, guess_columns, shares_levels, words_in
from acumen.readers.roles import COMMON, CONVENTIONS, HINTS
from acumen.readers.templates import fits_of, variables_of

MARKS: Final = ("__", "_", "-", ".", " ", ":", "/", "[")
FEWEST: Final = 2
"""Columns of one kind from which on they stand side by side."""
_REASON: Final = "columns side by side"


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to take names apart: who judged, a mark, and what was judged, in one order or other."""

    mark: str
    who_first: bool

    def groups(self, paths: Iterable[str]) -> dict[str, dict[str, str]]:
        """Who -> what -> column, wherever the mark stands."""
        out: dict[str, dict[str, str]] = {}
        for path in paths:
            for match in re.finditer(re.escape(self.mark), path):
                if (self.mark == "[") != path.endswith("]"):
                    continue
                parts = path[: match.start()], path[match.end() :].removesuffix("]")
                who, what = parts if self.who_first else parts[::-1]
                if who and what:
                    out.setdefault(who, {})[what] = path
        return out

    def name(self, who: str, what: str) -> str:
        """The name made of both."""
        name = self.mark.join((who, what) if self.who_first else (what, who))
        return f"{name}]" if self.mark == "[" else name


@dataclass(frozen=True, slots=True)
class _Wide:
    """Who gave truths, who answered, and on what."""

    way: _Way
    truths: Sequence[str]
    systems: Sequence[str]
    groups: Mapping[str, Mapping[str, str]]

    @property
    def whats(self) -> list[str]:
        """What all of those who gave truths judged."""
        return [
            w for w in self.groups[self.truths[0]] if all(w in self.groups[t] for t in self.truths)
        ]

    @property
    def size(self) -> tuple[int, int, int]:
        """More columns are better, then longer names of who judged."""
        columns = sum(len(self.groups[who]) for who in (*self.truths, *self.systems))
        return len(self.whats), columns, len(self.truths[0])

    def templates(self, what: str) -> dict[str, str]:
        """Those of the truth and of the prediction; ``what`` is the part that varies in both."""
        who = {
            "truth": self.truths[0] if len(self.truths) == 1 else "{rater}",
            "prediction": self.systems[0] if len(self.systems) == 1 else "{system}",
        }
        return {role: self.way.name(name, f"{{{what}}}") for role, name in who.items()}


def guess_wide(columns: Sequence[Column], named: Mapping[str, str]) -> dict[str, Guess]:
    """Templates for truth, prediction and confidence, and a case; none where nothing is wide."""
    if {"truth", "prediction", "item"} & named.keys():
        return {}
    by_path = {column.path: column for column in columns}
    wides = [
        w
        for mark in MARKS
        for first in (True, mark == "[")
        if (w := _wide(_Way(mark, first), by_path))
    ]
    if not wides:
        return {}
    wide = max(wides, key=lambda w: w.size)
    covered = {p for who in (*wide.truths, *wide.systems) for p in wide.groups[who].values()}
    rest = [column for column in columns if column.path not in covered]
    items = [c for c in rest if c.key in (*CONVENTIONS["item"], *COMMON["item"])]
    is_form = bool(items) and not any(
        c.key in (*CONVENTIONS["case"], *COMMON["case"]) for c in rest
    )
    what = "case" if is_form else "item"
    templates = wide.templates(what)
    templates |= _confidence(wide, templates["prediction"], what, by_path)
    if not _is_found(wide, templates, by_path, covered, what):
        return {}
    fits = fits_of(templates.values(), list(by_path), [], *_ends(templates))
    covered |= {path for fit in fits for path in fit.columns.values()}
    guesses = {
        role: Guess(Column(template, _values(by_path[p] for p in fit.columns.values())), _REASON)
        for (role, template), fit in zip(templates.items(), fits, strict=True)
    }
    rest = [column for column in rest if column.path not in covered]
    if is_form:
        return guesses | {"item": Guess(items[0], "its name")}
    own = guess_columns(rest, {k: v for k, v in named.items() if k == "case"})
    return guesses | ({"case": own["case"]} if "case" in own else {})


def _wide(way: _Way, by_path: Mapping[str, Column]) -> _Wide | None:
    """Truths and systems, as names that are taken apart so tell them."""
    levels = [path for path, column in by_path.items() if column.has_levels]
    groups = {who: whats for who, whats in way.groups(levels).items() if len(whats) >= FEWEST}
    kinds = {who: _kind(who) for who in groups}
    truths = [who for who in groups if kinds[who] == "truth"]
    if not truths:
        return _of_raters(way, groups, kinds, by_path)
    first = max(truths, key=lambda who: (len(groups[who]), len(who)))
    truths = [who for who in truths if groups[who].keys() == groups[first].keys()]
    truths = [
        t for t in truths if t == first or not {*groups[t].values()} & {*groups[first].values()}
    ]
    systems = _answering(groups, first, by_path)
    systems = [who for who in systems if kinds[who] not in ("truth", "confidence")]
    return _Wide(way, truths, systems, groups) if systems else None


def _of_raters(
    way: _Way,
    groups: Mapping[str, Mapping[str, str]],
    kinds: Mapping[str, str],
    by_path: Mapping[str, Column],
) -> _Wide | None:
    """A system by its name, and people beside it who are called by theirs."""
    for system in (who for who in groups if kinds[who] == "prediction"):
        people = [w for w in _answering(groups, system, by_path) if kinds[w] == ""]
        people = [w for w in people if groups[w].keys() >= groups[system].keys()]
        if len(people) >= FEWEST:
            return _Wide(way, people, [system], groups)
    return None


def _answering(
    groups: Mapping[str, Mapping[str, str]], first: str, by_path: Mapping[str, Column]
) -> list[str]:
    """Those who judged half or more of what the first did, with levels that it has too."""
    out = []
    for who, whats in groups.items():
        both = [what for what in whats if what in groups[first]]
        is_other = who != first and not {*whats.values()} & {*groups[first].values()}
        if is_other and len(both) >= FEWEST and 2 * len(both) >= len(groups[first]):
            mine = Column(who, _values(by_path[whats[what]] for what in both))
            theirs = Column(first, _values(by_path[groups[first][what]] for what in both))
            out += [who] if shares_levels(mine, theirs) else []
    return out


def _kind(who: str) -> str:
    words = words_in(who)
    for role in ("confidence", "truth", "prediction"):
        if words & HINTS[role]:
            return role
    return ""


def _values(columns: Iterable[Column]) -> tuple[object, ...]:
    return tuple(value for column in columns for value in column.values)


def _confidence(
    wide: _Wide, prediction: str, what: str, by_path: Mapping[str, Column]
) -> dict[str, str]:
    """The template that most predictions have a confidence by, if half of them have."""
    who = variables_of(prediction)[0] if len(wide.systems) > 1 else ""
    named = "{system}" if len(wide.systems) > 1 else wide.systems[0]
    said = {
        w for p, c in by_path.items() if c.is_numeric for w in _said(p) if _kind(w) == "confidence"
    }
    best, count = "", 0
    for template in _forms(wide.way, prediction, named, f"{{{what}}}", sorted(said)):
        names = [
            template.replace("{system}", system).replace(f"{{{what}}}", each)
            for system in wide.systems
            for each in wide.groups[system]
        ]
        there = sum(name in by_path and by_path[name].is_numeric for name in names)
        if there > count and 2 * there >= len(names) and (not who or "{system}" in template):
            best, count = template, there
    return {"confidence": best} if best else {}


def _said(path: str) -> list[str]:
    return [part for part in re.split("|".join(map(re.escape, MARKS)), path) if part]


def _forms(way: _Way, prediction: str, who: str, what: str, said: Sequence[str]) -> Iterator[str]:
    """Where the word for a confidence may stand in a name."""
    for word in said:
        yield f"{prediction}{way.mark}{word}"
        yield f"{word}{way.mark}{prediction}"
        yield way.name(f"{who}{way.mark}{word}", what)
        yield way.name(f"{word}{way.mark}{who}", what)
        yield way.name(word, what)


def _ends(templates: Mapping[str, str]) -> tuple[str, str | None]:
    """The template that goes first, and the one that stands beside."""
    return templates["truth"], templates.get("confidence")


def _is_found(
    wide: _Wide,
    templates: Mapping[str, str],
    by_path: Mapping[str, Column],
    covered: set[str],
    what: str,
) -> bool:
    """Whether the templates find these systems and raters, and nobody else."""
    try:
        fits = fits_of(templates.values(), list(by_path), [], *_ends(templates))
    except (DataError, UsageError):
        return False
    by_role = dict(zip(templates, fits, strict=True))
    judged = {p for role in ("truth", "prediction") for p in by_role[role].columns.values()}
    whats = {*wide.whats}
    more = [part for part in by_role["prediction"].parts if part[what] not in whats]
    return judged <= covered and len(judged) >= 2 * FEWEST and len(more) <= len(whats)

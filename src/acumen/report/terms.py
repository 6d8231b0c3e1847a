"""Terms of the field: what a page says of each where it stands, and where Methods defines it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from acumen.metrics import METRICS

if TYPE_CHECKING:
    from markupsafe import Markup

MINUS: Final = re.compile(r"(?<![\w.)\-])-(?=\.?\d)")
"""A hyphen that stands before a number alone."""
NUMBERS: Final = re.compile(r"[-+.,%\de*– \[\]]+")
"""A number, or the ends of an interval."""


_R = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]+"
LEFTWARDS: Final = re.compile(f"{_R}(?:[^\\w,;:()<>&]+{_R})*")
"""Words that are written from right to left."""


def isolated(text: str) -> Markup:
    """A text as markup; names written from right to left do not turn round what is beside them."""
    from markupsafe import Markup, escape

    return Markup(LEFTWARDS.sub(r"<bdi>\g<0></bdi>", str(escape(text))))  # noqa: S704  (escaped)


def signs(text: str) -> str:
    """Numbers with real minus signs; any other text as it is."""
    return MINUS.sub("−", text) if NUMBERS.fullmatch(text) else text


def sentence(text: str) -> Markup:
    """A sentence of acumen's own as markup, its minus signs real."""
    return isolated(MINUS.sub("−", text))


@cache
def _terms(groups: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Term -> (entry of Methods, what it means in a line)."""
    words = tomllib.loads(files("acumen.report").joinpath("page", "terms.toml").read_text("utf-8"))
    terms = {term: (at, says) for g in groups for term, (at, says) in words.get(g, {}).items()}
    for metric in METRICS.values():
        for group, entry in words["views"][metric.view.__name__].items():
            if group in groups and not metric.parameters:
                terms.setdefault(metric.title, (entry, metric.about))
    return terms


class Glossary:
    """Texts of a page with their terms linked: each once a section."""

    def __init__(self) -> None:
        self._terms: dict[str, tuple[str, str]] = {}
        self._pattern = re.compile(r"(?!)")
        self._met: set[str] = set()
        self.used: dict[str, str] = {}
        """What the page says of each term that stands in it."""

    def begin(self, groups: tuple[str, ...]) -> str:
        """A section begins, of a study that needs these groups of definitions."""
        self._terms, self._met = _terms(groups), set()
        words = sorted(self._terms, key=len, reverse=True)
        any_of = "|".join(map(re.escape, words)) or "(?!)"
        self._pattern = re.compile(rf"(?<![\w-])({any_of})(?![\w-])")
        return ""

    def __call__(self, text: str, *, whole: bool = False) -> Markup:
        """A text as markup: escaped, its minus signs real, its terms linked.

        A name that may come from the data is a term only as a ``whole``.
        """
        from markupsafe import Markup

        parts = []
        for part in [text] if whole else self._pattern.split(MINUS.sub("−", text)):
            if part in self._terms and part not in self._met:
                self._met.add(part)
                entry, self.used[part] = self._terms[part]
                parts.append(Markup('<a class="term" href="#m-{}">{}</a>').format(entry, part))
            else:
                parts.append(isolated(part))
        return Markup("").join(parts)

"""What people read is plain: no phrase that a newcomer stumbled over comes back.

Read are the texts of the code with their docstrings, the words of pages, help and explanations, and
the documentation that is written by hand.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import acumen

SOURCE = Path(acumen.__file__).parent
ROOT = Path(__file__).parents[2]
BANNED = {
    "what became of it": "say what it is: data and settings",
    "what to know of it": "notes",
    "know when it does not": "does its confidence separate right from wrong answers",
    "too thin": "too few",
    "cannot be meant": "say what is wrong with it",
    "surer of a right": "a right answer has a higher confidence than a wrong one",
    "tells right from wrong": "separates right from wrong answers",
    "tell right from wrong": "separate right from wrong answers",
    "(s) failed": "count the noun: counted(n, noun)",
    "fills what": "say when it is used",
    "mind who": "be careful who",
    "hangs on": "depends on",
    "hang on": "depend on",
    "told apart": "shown to differ; counted apart",
    "told from": "shown to differ from",
    "cannot be told": "is undecided, is not known",
    "falls silent": "answers less, is left open",
    "fell silent": "answered less, was left open",
    "by silence": "by answering less",
    "nobody waits": "say how long it takes",
    "held against": "compared with, checked against",
    "passed over": "ignored",
    "left aside": "not used",
    "evaluated apart": "evaluated separately",
    "rewards silence": "rewards abstaining",
    "silence is a loss": "an abstention counts as a loss",
    "lies below it by construction": "lies below it in any case",
    "calibrator that never saw": "a calibrator that was fitted without it",
    "anything usable": "has a usable reply",
    "does its confidence tell": "is its confidence useful",
    "refused unread": "was not opened",
    "as bad as can be": "of the worst kind",
    "silence is rewarded": "abstaining is rewarded",
    "reward silence": "reward abstaining",
    "which costs less is open": "which costs less is not decided",
    "says little, whatever": "is uncertain",
}
"""Phrases -> what to write in their place."""


def docstrings(tree: ast.AST) -> set[int]:
    """The constants that are docstrings, or stand below what they are of."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def texts_of(path: Path, *, with_docstrings: bool = False) -> Iterator[tuple[int, str]]:
    """Every text of a file that may be read by a user, with its line."""
    if path.suffix != ".py":
        yield from enumerate(path.read_text("utf-8").splitlines(), 1)
        return
    tree = ast.parse(path.read_text("utf-8"))
    skipped = set() if with_docstrings else docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in skipped:
            yield node.lineno, str(node.value)


def phrases_in(text: str) -> list[str]:
    words = re.sub(r"\s+", " ", text).lower()
    return [phrase for phrase in BANNED if re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", words)]


@pytest.mark.parametrize("ending", ["py", "toml", "html", "js"])
def test_no_banned_phrase_is_printed(ending: str) -> None:
    found_at = [
        f"{path.relative_to(SOURCE)}:{line} {phrase!r}: {BANNED[phrase]}"
        for path in sorted(SOURCE.rglob(f"*.{ending}"))
        for line, text in texts_of(path, with_docstrings=True)
        for phrase in phrases_in(text)
    ]
    assert found_at == []


def test_no_banned_phrase_is_in_the_documentation() -> None:
    pages = [p for p in sorted((ROOT / "docs").rglob("*.md")) if p.name != "changelog.md"]
    assert len(pages) > 40
    found_at = [
        f"{page.relative_to(ROOT)} {phrase!r}: {BANNED[phrase]}"
        for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages)
        for phrase in phrases_in(page.read_text("utf-8"))
    ]
    assert found_at == []


def test_a_banned_phrase_is_seen_in_any_case_and_across_lines() -> None:
    assert phrases_in("What to know\n of IT, then") == ["what to know of it"]
    assert phrases_in("nothing at all") == []


if __name__ == "__main__":  # every sentence that may be read, to be read in one go
    for path in sorted(SOURCE.rglob("*.py")):
        for line, text in texts_of(path):
            if len(text.split()) > 3:
                print(f"{path.relative_to(SOURCE)}:{line}  {' '.join(text.split())}")

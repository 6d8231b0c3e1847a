"""What people read is plain: no phrase that a newcomer stumbled over comes back.

Read are the texts of the code, docstrings apart, and the words of pages, help and explanations.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import acumen

SOURCE = Path(acumen.__file__).parent
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
}
"""Phrases -> what to write in their place."""


def docstrings(tree: ast.AST) -> set[int]:
    """The constants that are docstrings, or stand below what they are of."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of a file that may be read by a user, with its line."""
    if path.suffix != ".py":
        yield from enumerate(path.read_text("utf-8").splitlines(), 1)
        return
    tree = ast.parse(path.read_text("utf-8"))
    skipped = docstrings(tree)
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
        for line, text in texts_of(path)
        for phrase in phrases_in(text)
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

"""The house speaks plainly: tests mirror packages, and names say what a thing is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import acumen

SOURCE = Path(acumen.__file__).parent
TESTS = Path(__file__).parents[1]
PACKAGES = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
BESIDE = {"badinputs", "docs", "door", "end_to_end", "laws", "mutants", "oracles", "project"}
"""Folders of tests that belong to no package."""
PARTICIPLES = {
    *("found", "told", "given", "kept", "shown", "chosen", "made", "came"),
    *("brought", "settled", "dressed"),
}
"""As names they tell a reader nothing: say what the thing is."""


def test_tests_mirror_the_packages() -> None:
    folders = {path.name for path in TESTS.iterdir() if list(path.glob("test_*.py"))}
    assert folders - BESIDE == PACKAGES


def names_of(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a module gives: variables, parameters, functions, classes, fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


@pytest.mark.parametrize("package", sorted(PACKAGES))
def test_no_name_is_a_bare_participle(package: str) -> None:
    wrong = [
        f"{path.relative_to(SOURCE)}:{line} {name}"
        for path in sorted((SOURCE / package).rglob("*.py"))
        for name, line in names_of(ast.parse(path.read_text("utf-8")))
        if name.strip("_").lower() in PARTICIPLES
    ]
    assert wrong == []

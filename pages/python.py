"""The reference of the Python API: every public name, package by package, from its docstring."""

from __future__ import annotations

import inspect
from importlib import import_module

from pages.rst import heading, page


def names() -> str:
    """Every name of ``acumen``; Sphinx takes signatures, texts and examples from the source."""
    acumen = import_module("acumen")  # its names are lazy, so that none is known to type checkers
    packages: dict[str, list[str]] = {}
    for name in acumen.__all__:
        value = getattr(acumen, name)
        if callable(value):
            packages.setdefault(".".join(value.__module__.split(".")[:2]), []).append(name)
    parts = []
    for package, members in packages.items():
        about = (import_module(package).__doc__ or "").strip().split("\n\n")[0]
        parts += [heading(package, "-"), about]
        for name in sorted(members, key=str.lower):
            is_class = inspect.isclass(getattr(acumen, name))
            kind, more = ("class", "\n   :members:") if is_class else ("function", "")
            parts += [f".. auto{kind}:: acumen.{name}{more}"]
    about = (
        "Every name below is imported from ``acumen``: ``acumen.evaluate``. The examples are run "
        "by the tests. A keyword means the same as the option of that name on the command line."
    )
    return page("Python API", about, *parts)

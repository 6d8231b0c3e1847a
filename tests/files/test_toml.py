"""The lines of the keys of a TOML text."""

from __future__ import annotations

import pytest

from acumen.files.toml import Lines

TEXT = '''name = "toy"  # [not a table]
x.y.z = 1
[a.b]
c = [
  1, { d = 2 },
]
text = """
[no.table]
e = 1
"""
f = 2
[[rules]]
verdict = "High"
[[rules]]
verdict = "Low"
[rules.where]
"odd key" = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 1),
        (("x",), 2),
        (("x", "y"), 2),
        (("x", "y", "z"), 2),
        (("x", "other"), 2),
        (("a",), None),
        (("a", "b"), 3),
        (("a", "b", "c"), 4),
        (("a", "b", "c", 1, "d"), 4),
        (("a", "b", "text"), 7),
        (("a", "b", "e"), 3),
        (("no", "table"), None),
        (("a", "b", "f"), 11),
        (("rules",), None),
        (("rules", 0), 12),
        (("rules", 0, "verdict"), 13),
        (("rules", 1), 14),
        (("rules", 1, "verdict"), 15),
        (("rules", 1, "where"), 16),
        (("rules", 1, "where", "odd key"), 17),
        (("rules", 2), None),
        (("nowhere",), None),
        ((), None),
    ],
)
def test_a_key_has_the_line_it_stands_in(path: tuple[str | int, ...], line: int | None) -> None:
    assert Lines(TEXT).find(path) == line

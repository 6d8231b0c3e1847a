"""Faults by hand: which there are in a few lines, and what the text is with one of them in."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from mutants.mutate import mutations
from mutants.sample import FEWEST, equivalents, package_of, sample

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("before", "operator", "after"),
    [
        ("a < b", "comparison", {"a <= b", "a >= b"}),
        ("a is None", "comparison", {"a is not None"}),
        ("a and b", "boolean", {"a or b"}),
        ("not a", "sign", {"a"}),
        ("-a", "sign", {"a"}),
        ("a - b", "arithmetic", {"a + b"}),
        ("a / b", "arithmetic", {"a * b"}),
        ("3", "constant", {"4"}),
        ("0.25", "constant", {"0.5"}),
        ("0.0", "constant", {"1.0"}),
        ("True", "constant", {"False"}),
        ("min(a)", "twin", {"max(a)"}),
        ("f(a, b, c=d)", "arguments", {"f(b, a, c=d)"}),
        ("a if b else c", "condition", {"not b"}),
        ("[a for a in b if c]", "condition", {"not c"}),
        ("dataclass(order=True, frozen=True)", "constant", {"False"}),
        ("zip(a, strict=False)", "constant", {"True"}),
    ],
)
def test_every_operator_by_hand(before: str, operator: str, after: set[str]) -> None:
    faults = mutations(f"x = {before}\n", "x.py")
    assert {fault.operator for fault in faults} == {operator}
    assert {fault.after for fault in faults} == after


@pytest.mark.parametrize(
    "source",
    [
        "x: int = y",
        "assert x > 1",
        "isinstance(x, int | str)",
        "'a' + x",
        "def f(x: 1): ...",
        "f'{x + 1}'",
        "if TYPE_CHECKING: x = y",
        "dataclass(frozen=True, slots=True)",
        "zip(*x, strict=True)",
        "suppress(x, y)",
        "np.maximum(x, y)",
    ],
)
def test_what_does_not_run_or_could_only_crash_is_left_alone(source: str) -> None:
    assert [f for f in mutations(source, "x.py") if f.operator != "statement"] == []


def test_none_is_as_false_as_false() -> None:
    faults = mutations("def f():\n    return False\n", "x.py")
    assert [fault.key for fault in faults] == ["x.py f constant: False -> True"]


SOURCE = '''"""Doc."""

class C:
    def f(self, ä, b):
        if (ä +
                b):  # why
            return g(ä, "ö", b)
        self.h(
            b)
        return ä
'''


def test_a_fault_keeps_every_other_line_where_it_was_and_knows_its_function() -> None:
    faults = {fault.key: fault for fault in mutations(SOURCE, "x.py")}
    assert list(faults) == [
        "x.py C.f condition: ä + b -> not ä + b",
        "x.py C.f arithmetic: ä + b -> ä - b",
        "x.py C.f statement: return g(ä, 'ö', b) -> return None",
        "x.py C.f arguments: g(ä, 'ö', b) -> g('ö', ä, b)",
        "x.py C.f statement: self.h(b) -> pass",
        "x.py C.f statement: return ä -> return None",
    ]
    for fault in faults.values():
        text = fault.applied(SOURCE)
        assert len(text.splitlines()) == len(SOURCE.splitlines())
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(SOURCE))
    sum_ = faults["x.py C.f arithmetic: ä + b -> ä - b"]
    assert (sum_.line, sum_.applied(SOURCE).splitlines()[4:6]) == (
        5,
        ["        if ((ä - b", ")):  # why"],
    )


SOURCES = {
    str(path.relative_to(ROOT)): path.read_text("utf-8")
    for path in sorted((ROOT / "src" / "acumen").rglob("*.py"))
}


def test_a_sample_is_the_same_for_a_seed_and_another_for_another() -> None:
    sources = {file: text for file, text in SOURCES.items() if package_of(file) == "table"}
    assert sample(sources, 30, 7) == sample(sources, 30, 7) != sample(sources, 30, 8)


@pytest.mark.slow
def test_a_sample_reaches_every_package_and_no_line_twice() -> None:
    faults = sample(SOURCES, 220, 7)
    assert len({(fault.file, fault.line) for fault in faults}) == len(faults)
    every = (fault for file, text in SOURCES.items() for fault in mutations(text, file))
    lines = {(f.file, f.line) for f in every if f.key not in equivalents()}
    there = Counter(package_of(file) for file, _ in lines)
    drawn = Counter(package_of(fault.file) for fault in faults)
    assert all(drawn[name] >= min(FEWEST, n) for name, n in there.items())
    assert abs(len(faults) - 220) <= 10
    assert not {fault.key for fault in faults} & equivalents()


def test_every_known_equivalent_is_still_there() -> None:
    known = {key.split(" ", 1)[0] for key in equivalents()}
    keys = {fault.key for file in known for fault in mutations(SOURCES[file], file)}
    assert equivalents() <= keys

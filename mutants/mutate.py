"""Small faults: every place of a module where one can be put in, and the text with it in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

COMPARISONS: Final[dict[str, str]] = {
    "Lt": "LtE GtE",
    "LtE": "Lt Gt",
    "Gt": "GtE LtE",
    "GtE": "Gt Lt",
    "Eq": "NotEq",
    "NotEq": "Eq",
    "In": "NotIn",
    "NotIn": "In",
    "Is": "IsNot",
    "IsNot": "Is",
}
ARITHMETIC: Final[dict[str, str]] = {
    "Add": "Sub",
    "Sub": "Add",
    "Mult": "Div",
    "Div": "Mult",
    "FloorDiv": "Mult",
    "Mod": "Mult",
    "Pow": "Mult",
    "BitAnd": "BitOr",
    "BitOr": "BitAnd",
}
TWINS: Final = {"any": "all", "all": "any", "min": "max", "max": "min"}
ABOUT_TYPES: Final = ("isinstance", "issubclass", "cast", "TypeVar", "NewType")
SYMMETRIC: Final = ("suppress", "maximum", "minimum", "array_equal", "logaddexp")
"""Calls to which the order of the first two arguments is all one."""
GUARDS: Final = ("dataclass frozen", "dataclass slots", "zip strict")
"""Switches against slips of ours, by call: where nobody slips, nothing is seen of them."""

Variant = tuple[ast.expr | ast.stmt, str, str]
"""A place, the name of an operator, the new text."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One fault: where it goes, what stands there and what would stand there instead."""

    file: str
    function: str
    operator: str
    before: str
    after: str
    span: tuple[int, int, int, int]

    @property
    def line(self) -> int:
        """The line it begins in."""
        return self.span[0]

    @property
    def key(self) -> str:
        """What stays the same when other lines of the file come or go."""
        return f"{self.file} {self.function} {self.operator}: {self.before} -> {self.after}"

    def applied(self, source: str) -> str:
        """The source with the fault in it; every other line keeps its number."""
        first, begin, last, end = self.span
        lines = [line.encode() for line in source.splitlines(keepends=True)]
        head, tail = lines[first - 1][:begin], lines[last - 1][end:]
        text = self.after.encode() + b"\n" * (last - first)
        new = text if self.operator == "statement" else b"(" + text + b")"
        return b"".join([*lines[: first - 1], head, new, tail, *lines[last:]]).decode()


def mutations(
    source: str, file: str, node: ast.AST | None = None, inside: str = ""
) -> list[Mutation]:
    """Every fault known for a source, in the order of the text; annotations and asserts apart."""
    node = ast.parse(source) if node is None else node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        inside = f"{inside}.{node.name}".lstrip(".")
    faults = []
    for place, operator, new in chain(_variants(node), _conditions(node)):
        assert place.end_lineno is not None
        assert place.end_col_offset is not None
        span = (place.lineno, place.col_offset, place.end_lineno, place.end_col_offset)
        faults.append(Mutation(file, inside, operator, ast.unparse(place), new, span))
    for child in _children(node):
        faults += mutations(source, file, child, inside)
    return faults


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What runs below a node."""
    match node:
        case ast.Assert() | ast.JoinedStr() | ast.MatchClass():
            return
        case ast.Call(ast.Name(name), args) if name in ABOUT_TYPES:
            yield from args[:1]
        case ast.Call(ast.Name(name), args, keywords) if any(_is_guard(name, k) for k in keywords):
            yield from chain(args, (k for k in keywords if not _is_guard(name, k)))
        case ast.AnnAssign(value=value):
            yield from [] if value is None else [value]
        case ast.FunctionDef(args=args) | ast.AsyncFunctionDef(args=args):
            defaults = filter(None, [*args.defaults, *args.kw_defaults])
            yield from chain(node.decorator_list, defaults, node.body)
        case _:
            yield from ast.iter_child_nodes(node)


def _variants(node: ast.AST) -> Iterator[Variant]:
    """Every way to spoil this node itself."""
    match node:
        case ast.Compare(left, [comparison], [right]):
            for name in COMPARISONS[type(comparison).__name__].split():
                yield (
                    node,
                    "comparison",
                    ast.unparse(ast.Compare(left, [getattr(ast, name)()], [right])),
                )
        case ast.BoolOp(junction, values):
            other = ast.Or() if isinstance(junction, ast.And) else ast.And()
            yield node, "boolean", ast.unparse(ast.BoolOp(other, values))
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield node, "sign", ast.unparse(operand)
        case ast.BinOp(left, sign, right) if not (_is_sequence(left) or _is_sequence(right)):
            spoilt = getattr(ast, ARITHMETIC.get(type(sign).__name__, "Add"))()
            yield node, "arithmetic", ast.unparse(ast.BinOp(left, spoilt, right))
        case ast.Constant(bool() as value):
            yield node, "constant", repr(not value)
        case ast.Constant(int() | float() as value):
            yield node, "constant", repr(value + 1 if isinstance(value, int) else value * 2 or 1.0)
        case ast.Call(ast.Name(name), args, keywords) if name in TWINS:
            yield node, "twin", ast.unparse(ast.Call(ast.Name(TWINS[name]), args, keywords))
        case ast.Call(function, [first, second, *rest], keywords) if ast.unparse(
            function
        ).rpartition(".")[2] not in (*ABOUT_TYPES, *SYMMETRIC) and not isinstance(
            first, ast.Starred
        ):
            swapped = ast.unparse(ast.Call(function, [second, first, *rest], keywords))
            if swapped != ast.unparse(node):
                yield node, "arguments", swapped
        # None is as false as False, which becomes True by the operator for constants
        case ast.Return(value) if value and ast.unparse(value) not in ("None", "False"):
            yield node, "statement", "return None"
        case ast.Expr(ast.Call()) | ast.AugAssign() | ast.Raise() | ast.Continue():
            yield node, "statement", "pass"


def _conditions(node: ast.AST) -> Iterator[Variant]:
    """The conditions of this node turned round, where no operator in them is."""
    match node:
        case ast.If(test) | ast.While(test) | ast.IfExp(test):
            tests = [] if ast.unparse(test) == "TYPE_CHECKING" else [test]
        case ast.comprehension(ifs=tests):
            pass
        case _:
            return
    for test in tests:
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            yield test, "condition", ast.unparse(ast.UnaryOp(ast.Not(), test))


def _is_guard(function: str, keyword: ast.keyword) -> bool:
    """A guard that is on; one that is off lets something pass that turning it on would stop."""
    return f"{function} {keyword.arg}" in GUARDS and ast.unparse(keyword.value) == "True"


def _is_sequence(node: ast.expr) -> bool:
    """A text or a list is joined with +, and nothing else is done to it."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return text or isinstance(node, ast.JoinedStr | ast.List | ast.Tuple)

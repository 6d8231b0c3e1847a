"""The sandbox that a task's templates are filled in by: bounded in time, memory and reach.

A template comes with somebody's task file. Jinja2's own sandbox keeps it from Python; it does not
keep it from loops within loops, from a text that doubles sixty times, from a list that holds itself
a million times over. So whatever repeats or grows is charged to a :class:`Budget`: the compiled
template is what was written, with a charge at each loop, joint, assignment, call and output. What
can only build (a text of a given width) or only lay out pages is not there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from itertools import islice
from typing import Any, Final

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.filters import make_attrgetter
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

MOST_STEPS: Final = 1_000_000
"""Turns of loops and calls of macros."""
MOST_CHARACTERS: Final = 10_000_000
"""Of all texts that are built on the way to a prompt."""
MOST_PARTS: Final = 500_000
"""Of a list or a mapping, with all that stands in it."""
LONGEST_RANGE: Final = 20_000
SECONDS: Final = 2.0
"""Of processor time: what else a machine does is not the template's fault."""
_BUILDERS: Final = (
    *("attr", "batch", "center", "filesizeformat", "forceescape", "pprint", "random", "slice"),
    *("striptags", "urlize", "wordwrap", "xmlattr"),
)
_LISTS: Final = frozenset(
    [
        *("abs", "count", "d", "default", "dictsort", "first", "float", "groupby", "int", "items"),
        *("join", "last", "length", "list", "map", "max", "min", "reject", "rejectattr"),
        *("replace", "reverse", "round", "select", "selectattr", "sort", "sum", "unique"),
    ]
)
"""Filters that make no text of a list, or weigh it themselves."""
_TEXT_METHODS: Final = frozenset(
    [
        *("capitalize", "casefold", "count", "endswith", "find", "index", "isalnum", "isalpha"),
        *("isascii", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle"),
        *("isupper", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "rfind"),
        *("rindex", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith"),
        *("strip", "swapcase", "title", "upper"),
    ]
)
_WIDTH: Final = re.compile(r"%(\([^)]*\))?[-+ #0-9.]*(\d{3}|\*)")
_BLOCKS: Final = (nodes.Macro, nodes.CallBlock, nodes.FilterBlock, nodes.AssignBlock)


@dataclass(slots=True)
class Budget:
    """What filling in one template may take."""

    steps: int = MOST_STEPS
    characters: int = MOST_CHARACTERS
    end: float = field(default_factory=lambda: time.thread_time() + SECONDS)

    def charge(self, steps: int, characters: int) -> None:
        """Take from it; ``SecurityError`` once it is used up."""
        self.steps -= steps
        self.characters -= characters
        if self.steps < 0:
            raise SecurityError(f"loops and calls take more than {MOST_STEPS:,} turns")
        if self.characters < 0:
            raise SecurityError(f"builds texts of more than {MOST_CHARACTERS:,} characters")
        if time.thread_time() > self.end:
            raise SecurityError(f"takes more than {SECONDS:g} seconds")


_BUDGET: ContextVar[Budget | None] = ContextVar("budget", default=None)


@contextmanager
def budget() -> Iterator[None]:
    """One template's budget, while it is compiled or filled in."""
    token = _BUDGET.set(Budget())
    try:
        yield
    finally:
        _BUDGET.reset(token)


def _charge(steps: int, characters: int = 0) -> None:
    if (left := _BUDGET.get()) is not None:
        left.charge(steps, characters)


def _characters(value: object) -> int:
    """How many characters a value has as a text, about; refuses one of too many parts."""
    if isinstance(value, str):
        return len(value)
    parts, length, open_parts = 0, 0, [value]
    while open_parts:
        part = open_parts.pop()
        parts += 1
        if isinstance(part, str):
            length += len(part)
        elif isinstance(part, Mapping):
            open_parts += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple):
            open_parts += part
        elif isinstance(part, Namespace):
            open_parts += object.__getattribute__(part, "_Namespace__attrs").values()
        if parts + len(open_parts) > MOST_PARTS:
            raise SecurityError(f"makes a list of more than {MOST_PARTS:,} parts")
    return length + 10 * parts


@pass_context  # never worked out while the template is compiled
def _weigh(_: Any, value: Any) -> Any:
    """A value that is kept: of so many parts at most."""
    if isinstance(value, list | tuple | Mapping | Namespace):
        _charge(1)
        _characters(value)
    return value


@pass_context
def _piece(_: Any, value: Any) -> Any:
    """A value that becomes part of a text."""
    _charge(0, _characters(value))
    return value


@pass_context
def _turns(_: Any, value: Any, characters: int) -> Any:
    """What a loop goes over: each turn counts, with the text that it writes."""
    if hasattr(value, "__len__"):
        _charge(len(value), len(value) * characters)
        return value
    return _one_by_one(value, characters)


def _one_by_one(values: Iterable[Any], characters: int) -> Iterator[Any]:
    for value in values:
        _charge(1, characters)
        yield value


def _written(value: Any) -> Any:
    """A value on its way into the prompt, or into what a macro gives."""
    if _BUDGET.get() is not None:
        _charge(0, _characters(value))
    return value


def _join(values: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    texts = [*islice(values, MOST_PARTS + 1)]
    if attribute is not None:
        texts = [*map(make_attrgetter(_ENVIRONMENT, attribute), texts)]
    _charge(1, _characters(texts) + len(texts) * len(str(d)))
    return str(d).join(map(str, texts))


def _replace(value: Any, old: str, new: str, count: int | None = None) -> str:
    _charge(1, _characters(value))
    text, most = str(value), -1 if count is None else count
    _charge(0, (text.count(old) if most < 0 else min(most, text.count(old))) * len(new))
    return text.replace(old, new, most)


def _indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text, mark = str(value), width if isinstance(width, str) else " " * min(width, LONGEST_RANGE)
    _charge(1, len(text) + (text.count("\n") + 1) * len(mark))
    lines = text.splitlines() or [""]
    marks = ["" if (not first and not at) or not (line or blank) else mark
             for at, line in enumerate(lines)]  # fmt: skip
    return "\n".join(mark + line for mark, line in zip(marks, lines, strict=True))


def _format(text: Any, *args: Any, **kwargs: Any) -> str:
    """``%`` of a text, of short widths."""
    if _WIDTH.search(str(text)):
        raise SecurityError("a format may not be so wide")
    _charge(1, sum(map(_characters, (text, *args, *kwargs.values()))))
    return str(text) % (kwargs or args)


def _sum(values: Iterable[Any], attribute: str | int | None = None, start: Any = 0) -> Any:
    if not isinstance(start, int | float):
        raise SecurityError("a sum is one of numbers")
    if attribute is not None:
        values = map(make_attrgetter(_ENVIRONMENT, attribute), values)
    return sum(values, start)


def _range(*bounds: int) -> range:
    numbers = range(*bounds)
    if len(numbers) > LONGEST_RANGE:
        raise SecurityError(f"a range may have {LONGEST_RANGE:,} numbers at most")
    return numbers


def _within_bounds(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
    """A filter whose texts are charged for, those that go in and the one that comes out."""
    if name in _LISTS:
        return work

    @wraps(work)
    def work_within(*args: Any, **kwargs: Any) -> Any:
        lists = (a for a in (*args, *kwargs.values()) if isinstance(a, list | tuple | Mapping))
        _charge(1, sum(map(_characters, lists)))
        if any(isinstance(a, int) and a > LONGEST_RANGE for a in (*args[1:], *kwargs.values())):
            raise SecurityError(f"'{name}' takes no number so large")
        result = work(*args, **kwargs)
        _charge(0, len(result) if isinstance(result, str) else 0)
        return result

    return work_within


class _Environment(ImmutableSandboxedEnvironment):
    """The sandbox, with a charge where something repeats or grows."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, **options: Any) -> None:
        super().__init__(finalize=_written, **options)
        own: dict[str, Any] = {"join": _join, "replace": _replace, "indent": _indent}
        own |= {"format": _format, "sum": _sum}
        others = {name: work for name, work in self.filters.items() if name not in _BUILDERS}
        self.filters = {name: _within_bounds(name, work) for name, work in (others | own).items()}
        self.filters |= {"_weigh": _weigh, "_piece": _piece, "_turns": _turns}
        self.globals = {"range": _range} | {n: self.globals[n] for n in ("joiner", "namespace")}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, str | bytes):
            return attr in _TEXT_METHODS
        is_number = isinstance(obj, int | float)
        return not is_number and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> None:
        """No method of a text is one that formats."""

    def call(self, context: Any, function: Any, *args: Any, **kwargs: Any) -> Any:
        _charge(1)
        result = super().call(context, function, *args, **kwargs)
        _charge(0, len(result) if isinstance(result, str) else 0)
        return _weigh(context, result)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        if operator == "+" and not numbers:
            _charge(1, _characters(left) + _characters(right))
        elif operator == "%" and isinstance(left, str):
            return _format(left, *(right if isinstance(right, tuple) else (right,)))
        elif operator == "*" and numbers:
            if sum(v.bit_length() for v in (left, right) if isinstance(v, int)) > 1000:
                raise SecurityError("a number gets too large")
        elif operator in ("*", "**"):
            raise SecurityError(f"'{operator}' is not allowed here")
        return super().call_binop(context, operator, left, right)

    def compile(self, source: Any, *args: Any, **kwargs: Any) -> Any:
        with shallow(), budget():
            return super().compile(source, *args, **kwargs)

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        _with_charges(source)
        return super()._generate(source, *args, **kwargs)


@contextmanager
def shallow() -> Iterator[None]:
    """Say of a template that is nested deeper than Python can follow that it is."""
    try:
        yield
    except ValueError:  # Python reads no whole number of thousands of digits
        raise TemplateSyntaxError("holds a number of too many digits", 1) from None
    except (RecursionError, SyntaxError, MemoryError):
        raise TemplateSyntaxError("is nested too deep", 1) from None


def tree_of(template: str) -> nodes.Template:
    """The tree of a template; ``jinja2.TemplateSyntaxError`` where it is none."""
    with shallow():
        return _ENVIRONMENT.parse(template)


def _with_charges(tree: nodes.Template) -> None:
    """Put a charge on what repeats or grows."""
    blocks = [block for kind in _BLOCKS for block in tree.find_all(kind)]
    inner = {id(loop) for block in blocks for loop in block.find_all(nodes.For)}
    for node in [*tree.find_all(nodes.Node)]:
        if isinstance(node, nodes.For):
            if node.recursive:
                raise TemplateSyntaxError("a loop may not be recursive", node.lineno)
            data = sum(len(text.data) for text in node.find_all(nodes.TemplateData))
            node.iter = _with_charge(node.iter, "_turns", nodes.Const(data * (id(node) in inner)))
        elif isinstance(node, nodes.Concat):
            node.nodes = [_with_charge(piece, "_piece") for piece in node.nodes]
        elif isinstance(node, nodes.Assign):
            node.node = _with_charge(node.node, "_weigh")
        elif isinstance(node, nodes.With):
            node.values = [_with_charge(value, "_weigh") for value in node.values]
        elif isinstance(node, nodes.List) or (isinstance(node, nodes.Tuple) and node.ctx == "load"):
            node.items = [_with_charge(item, "_weigh") for item in node.items]
        elif isinstance(node, nodes.Pair | nodes.Keyword):
            node.value = _with_charge(node.value, "_weigh")


def _with_charge(node: nodes.Node, name: str, *args: nodes.Expr) -> nodes.Expr:
    if isinstance(node, nodes.Const) and name == "_weigh":
        return node
    return nodes.Filter(node, name, [*args], [], None, None, lineno=node.lineno)


_ENVIRONMENT: Final = _Environment(
    undefined=StrictUndefined,
    autoescape=False,  # a prompt is plain text; nothing renders it as markup
    trim_blocks=True,
    lstrip_blocks=True,
)
compile_template: Final = _ENVIRONMENT.from_string

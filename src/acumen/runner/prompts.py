"""What is sent: a task's templates, rendered in Jinja2's sandbox from plain data.

A template is data of the task's author, and a case's text is only ever a *value*: it is never
compiled, so braces in a transcript stay braces. The sandbox forbids reaching Python from a
template; :mod:`~acumen.runner.templates` bounds what it may take, and the size of a prompt is
bounded as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from traceback import walk_tb
from typing import TYPE_CHECKING, Final

from jinja2 import TemplateError, meta, nodes

from acumen.errors import DataError, Problem, printable
from acumen.runner.schema import reply_schema
from acumen.runner.templates import budget, compile_template, shallow, tree_of

if TYPE_CHECKING:
    from acumen.runner.cases import Case
    from acumen.runner.retrieval import References
    from acumen.runner.task import Task

LONGEST_PROMPT: Final = 2_000_000
VARIABLES: Final = frozenset({"case", "items", "levels", "abstain", "references", "schema"})
REPAIR_VARIABLES: Final = frozenset({"problems", "schema"})

Message = dict[str, str]
_FAULTS: Final = (
    *(TemplateError, TypeError, ValueError, ArithmeticError, AttributeError, LookupError),
    *(AssertionError, MemoryError, RecursionError),
)


_compile = cache(compile_template)


def zero_or_few_shot(task: Task, case: Case, references: References | None = None) -> list[Message]:
    """The messages for one case. Without references it is the zero-shot prompt, byte for byte."""
    values = {
        "case": dict(case.inputs),
        "items": [{"name": i, "question": task.questions.get(i, "")} for i in task.scale.items],
        "levels": list(task.scale.levels),
        "abstain": task.reply.abstain[0] if task.reply.abstain else None,
        "references": [
            {"item": item, "text": reference.text, "score": reference.score}
            for item, retrieved in (references or {}).items()
            for reference in retrieved
        ],
        "schema": json.dumps(reply_schema(task), ensure_ascii=False),
    }
    messages = []
    for who, text in task.prompt.parts:
        try:
            messages.append({"role": who, "content": render(text, values)})
        except DataError as error:  # of one case's text: its trial with made-up values went well
            (problem,) = error.problems
            at = "" if problem.line is None else f"line {problem.line} of the template: "
            where = Problem(at + problem.message, case=case.id, field=f"prompt.{who}")
            raise DataError([where], f"task {task.name}") from None
    return messages


def repair(
    task: Task, messages: Sequence[Message], reply: str, problems: Sequence[str]
) -> list[Message]:
    """The conversation that asks once more: what came, and what was wrong with it."""
    schema = json.dumps(reply_schema(task), ensure_ascii=False)
    ask = render(task.prompt.repair, {"problems": list(problems), "schema": schema})
    said = {"role": "assistant", "content": reply[:4000]}
    return [*messages, said, {"role": "user", "content": ask}]


def prompt_hash(messages: Sequence[Message]) -> str:
    """SHA-256 of the messages as compact JSON with sorted keys."""
    text = json.dumps(list(messages), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def render(template: str, values: Mapping[str, object]) -> str:
    """A template filled in; a fault in it is told without any of the values.

    >>> render("{{ case.text }}", {"case": {"text": "{{ 7 * 7 }}"}})
    '{{ 7 * 7 }}'
    """
    parts: list[str] = []
    length = 0
    try:
        with budget():
            for part in _compile(template).generate(dict(values)):
                length += len(part)
                if length > LONGEST_PROMPT:
                    raise DataError([f"the prompt is longer than {LONGEST_PROMPT} characters"])
                parts.append(part)
    except _FAULTS as error:
        if isinstance(error, DataError):
            raise
        message, line = template_fault(error)
        problem = Problem(f"the template cannot be rendered: {message}", line=line)
        raise DataError([problem]) from None
    return "".join(parts)


def template_fault(error: Exception) -> tuple[str, int | None]:
    """What is wrong with a template, and in which of its lines where that is known.

    Jinja2's own words name variables and no values; other errors may quote one.
    """
    line = getattr(error, "lineno", None)
    for frame, at in walk_tb(error.__traceback__):
        line = at if frame.f_code.co_filename == "<template>" else line
    if isinstance(error, TemplateError):
        return printable(str(error.message), limit=200), line
    return f"{type(error).__name__} while rendering", line


def inputs_used(template: str) -> set[str]:
    """What a template asks of a case by name.

    >>> sorted(inputs_used("{{ case.note }} {{ case['id'] }} {{ items.note }}"))
    ['id', 'note']
    """
    tree = tree_of(template)
    with shallow():
        lookups = [(node.node, node.attr) for node in tree.find_all(nodes.Getattr)]
        lookups += [
            (node.node, node.arg.value)
            for node in tree.find_all(nodes.Getitem)
            if isinstance(node.arg, nodes.Const)
        ]
    return {key for of, key in lookups if isinstance(of, nodes.Name) and of.name == "case"}


def names_used(template: str) -> dict[str, int]:
    """The variables a template asks for, each with the line where it first does.

    ``jinja2.TemplateSyntaxError`` when it is no template.

    >>> names_used("{{ case.text }}{% for r in references %}{{ r }}{% endfor %}")
    {'case': 1, 'references': 1}
    """
    tree = tree_of(template)
    lines: dict[str, int] = {}
    with shallow():
        names = meta.find_undeclared_variables(tree)
        for node in tree.find_all(nodes.Name):
            if node.name in names:
                lines.setdefault(node.name, node.lineno)
    return lines

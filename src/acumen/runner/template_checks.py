"""What is wrong with a task's templates, found by filling them in once with made-up values.

A misspelt input shows here and not in the middle of a run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateError

from acumen.errors import DataError, label
from acumen.runner import prompts
from acumen.runner.task import InputKind
from acumen.table.scale import Scale


@dataclass(frozen=True, slots=True)
class Content:
    """What a template can show; None stands for what the file does not soundly say."""

    scale: Scale | None
    inputs: Mapping[str, InputKind] | None
    questions: Mapping[str, str]


def template_problems(
    name: str, template: str, content: Content
) -> Iterator[tuple[str, int | None]]:
    """Each problem of one template, and its line in the template where that is known."""
    known = prompts.REPAIR_VARIABLES if name == "repair" else prompts.VARIABLES
    try:
        used = prompts.names_used(template)
    except TemplateError as error:
        yield prompts.template_fault(error)
        return
    unknown = {variable: line for variable, line in used.items() if variable not in known}
    for variable, line in unknown.items():
        yield f"uses {label(variable)}; there are {', '.join(sorted(known))}", line
    if name == "user" and "case" not in used:
        yield "never shows the case: use {{ case.… }}", None
    if not unknown and (content.inputs is not None or "case" not in used):
        yield from _trials(template, content)


def _trials(template: str, content: Content) -> Iterator[tuple[str, int | None]]:
    """Fill the template in, with references and without; the first fault is told."""
    for references in (True, False):
        try:
            prompts.render(template, _example(content, references))
        except DataError as error:
            hint = _hint(template, content)
            yield from ((problem.message + hint, problem.line) for problem in error.problems)
            return


def _hint(template: str, content: Content) -> str:
    """What a case shows, where a template asks for something else; its id and truth stay hidden."""
    if content.inputs is None or prompts.inputs_used(template) <= content.inputs.keys():
        return ""
    return f"; of a case there is {', '.join(map(label, content.inputs))}, and never id or truth"


def _example(content: Content, references: bool) -> dict[str, Any]:
    texts = {"text": "…", "reviews": [{"review_id": "r1", "text": "…"}]}
    items = content.scale.items if content.scale else ("…",)
    levels = content.scale.levels if content.scale else (0,)
    return {
        "case": {name: texts[kind] for name, kind in (content.inputs or {}).items()},
        "items": [{"name": i, "question": content.questions.get(i, "")} for i in items],
        "levels": list(levels),
        "abstain": "N/A",
        "references": [{"item": items[0], "text": "…", "score": levels[0]}] * references,
        "schema": "…",
        "problems": ["…"],
    }

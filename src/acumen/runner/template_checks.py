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
class Shown:
    """What a template can show; None stands for what the file does not soundly say."""

    scale: Scale | None
    inputs: Mapping[str, InputKind] | None
    questions: Mapping[str, str]


def template_problems(name: str, template: str, shown: Shown) -> Iterator[tuple[str, int | None]]:
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
    if not unknown and (shown.inputs is not None or "case" not in used):
        yield from _trials(template, shown)


def _trials(template: str, shown: Shown) -> Iterator[tuple[str, int | None]]:
    """Fill the template in, with references and without; the first fault is told."""
    for references in (True, False):
        try:
            prompts.render(template, _values(shown, references))
        except DataError as error:
            hint = _hint(template, shown)
            yield from ((problem.message + hint, problem.line) for problem in error.problems)
            return


def _hint(template: str, shown: Shown) -> str:
    """What a case shows, where a template asks for something else; its id and truth stay hidden."""
    if shown.inputs is None or prompts.inputs_used(template) <= shown.inputs.keys():
        return ""
    return f"; of a case there is {', '.join(map(label, shown.inputs))}, and never id or truth"


def _values(shown: Shown, references: bool) -> dict[str, Any]:
    reviews = [{"review_id": "r1", "text": "…"}]
    items = shown.scale.items if shown.scale else ("…",)
    levels = shown.scale.levels if shown.scale else (0,)
    return {
        "case": {
            name: "…" if kind == "text" else reviews for name, kind in (shown.inputs or {}).items()
        },
        "items": [{"name": i, "question": shown.questions.get(i, "")} for i in items],
        "levels": list(levels),
        "abstain": "N/A",
        "references": [{"item": items[0], "text": "…", "score": levels[0]}] * references,
        "schema": "…",
        "problems": ["…"],
    }

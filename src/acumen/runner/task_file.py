"""Read a task from its one TOML file, and say all that is wrong with it at once.

::

    task = read_task("phq8")             # one that ships
    task = read_task("mine.toml")        # one of your own

What is wrong with one key hides nothing that is wrong with another: the tables are a draft, None
stands for what could not be used, and the checks that do not need it go on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from jinja2 import TemplateError
from pydantic import TypeAdapter

from acumen.errors import DataError, Problem, UsageError, label
from acumen.files.json import decode_text, source_name
from acumen.files.problems import Draft, place
from acumen.files.toml import Path as KeyPath
from acumen.files.toml import shipped, shipped_text, toml_bytes
from acumen.runner import prompts
from acumen.runner.task import (
    EvidenceTable,
    Layout,
    OwnScale,
    PromptTable,
    ReplyTable,
    Task,
    TaskTable,
)
from acumen.table.scale import Scale

_SHIPPED: Final = "acumen.runner.tasks"
Fault = tuple[str, int | None]
"""What is wrong with a template, and in which of its lines where that is known."""


def builtin_tasks() -> tuple[str, ...]:
    """The names of the tasks that ship with acumen."""
    return shipped(_SHIPPED)


def read_task(name: str | Path) -> Task:
    """A task by its name, or from a ``.toml`` file; refuses with all that is wrong with it."""
    if isinstance(name, Path) or str(name).endswith(".toml"):
        return parse_task(toml_bytes(name), source=source_name(name))
    return parse_task(task_text(str(name)).encode(), source=f"{name}.toml")


def task_text(name: str) -> str:
    """The file of a task that ships."""
    if name not in builtin_tasks():
        known = ", ".join(builtin_tasks())
        raise UsageError(f"no task {label(name)}; there are {known}, or give a .toml file")
    return shipped_text(_SHIPPED, name)


def parse_task(data: bytes, source: str) -> Task:
    """A task from the bytes of its file; ``DataError`` with every problem, by line and key.

    >>> parse_task(b'name = "mood"\\nspeed = 3\\nscale = "phq8"\\n', "m.toml")
    Traceback (most recent call last):
    acumen.errors.DataError: m.toml: inputs: is missing: what a case has, as { note = "text" }
    m.toml: reply: is missing
    m.toml: prompt: is missing
    m.toml: line 2, speed: is not a key of a task
    """
    draft = _TaskDraft(decode_text(data, source), source)
    draft.check()
    if draft.problems:
        raise draft.refusal
    table = draft.table
    values = {"scale": draft.scale, "title": table.title or table.name}
    digest = hashlib.sha256(data).hexdigest()
    return TypeAdapter(Task).validate_python(table.model_dump() | values | {"hash": digest})


class _TaskDraft(Draft[TaskTable]):
    """Holds the tables of a task against each other."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, TaskTable, source)
        self.text = text.replace("\r\n", "\n")
        scale, kinds = self.table.scale, self.table.inputs or {}
        own = Scale.of_table(scale) if isinstance(scale, OwnScale) else None
        self.scale = Scale.named(scale) if isinstance(scale, str) else own
        inputs = {name: kind for name, kind in kinds.items() if kind is not None}
        self.inputs = inputs if inputs and len(inputs) == len(kinds) else None
        questions = self.table.questions or {}
        self.questions = {name: question or "" for name, question in questions.items()}

    def check(self) -> None:
        for name in {"id", "truth"} & (self.table.inputs or {}).keys():
            self.wrong(("inputs", name), "is a key every case has: choose another name")
        for name in self.table.swap or ():
            if self.inputs is not None and self.inputs.get(name) != "text":
                self.wrong(("swap",), f"{label(name)} is not an input of kind 'text'")
        if self.scale is not None:
            for name in self.questions.keys() - set(self.scale.items):
                message = f"is not an item; the items are {', '.join(self.scale.items)}"
                self.wrong(("questions", name), message)
        if self.table.reply is not None:
            self._check_reply(self.table.reply)
        if self.table.prompt is not None:
            self._check_prompt(self.table.prompt)

    def _check_reply(self, reply: ReplyTable) -> None:
        evidence = reply.evidence
        if evidence is not None:
            self._check_evidence(evidence, reply.layout)
        scale = self.scale
        if scale is not None and reply.layout == "flat" and len(scale.items) != 1:
            message = f"'flat' is for one item; the scale has {len(scale.items)}: use 'by_item'"
            self.wrong(("reply", "layout"), message)
        for word in reply.abstain or ():
            if scale is not None and word in map(str, scale.levels):
                self.wrong(("reply", "abstain"), f"{label(word)} is also a level of the scale")
        keys = [reply.score, reply.confidence, reply.risk_score, reply.justification]
        keys.append(evidence.key if evidence else None)
        for key in sorted({key for key in keys if key and keys.count(key) > 1}):
            self.wrong(("reply",), f"the key {label(key)} has two meanings")
        if evidence is None or evidence.kind != "rows":
            for key in {"risk_score", "justification"} & reply.model_fields_set:
                self.wrong(("reply", key), "is for replies with evidence of the kind 'rows'")

    def _check_evidence(self, evidence: EvidenceTable, layout: Layout | None) -> None:
        at, kind, source = ("reply", "evidence"), evidence.kind, evidence.source
        if kind is not None and source is not None and self.inputs is not None:
            wanted, actual = "text" if kind == "quotes" else "reviews", self.inputs.get(source)
            if actual != wanted:
                fact = "there is no such input" if actual is None else f"this one is '{actual}'"
                message = f"'{kind}' are taken from an input of kind '{wanted}'; {fact}"
                self.wrong((*at, "from"), message)
        if kind == "rows" and evidence.fields == {}:
            self.wrong(at, "'rows' need fields and their judgements")
        if kind == "quotes" and evidence.fields:
            self.wrong((*at, "fields"), "are for evidence of the kind 'rows'")
        if kind == "rows" and layout == "by_item":
            self.wrong((*at, "kind"), "'rows' need the layout 'flat'")

    def _check_prompt(self, prompt: PromptTable) -> None:
        templates: dict[KeyPath, str | None] = {
            ("system",): prompt.system,
            ("user",): prompt.user,
            ("repair",): prompt.repair,
        }
        for number, turn in enumerate(prompt.turns or ()):
            templates["turns", number, "content"] = turn.content if turn else None
        for path, template in templates.items():
            for message, line in self._template_problems(path[0], template) if template else ():
                self._in_template(("prompt", *path), template or "", message, line)

    def _template_problems(self, name: str | int, template: str) -> Iterator[Fault]:
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
        if not unknown and (self.inputs is not None or "case" not in used):
            yield from self._trials(template)

    def _trials(self, template: str) -> Iterator[Fault]:
        """Fill the template in with made-up values, with references and without.

        A misspelt input shows here and not in the middle of a run. The first fault is told.
        """
        for references in (True, False):
            try:
                prompts.render(template, self._example(references))
            except DataError as error:
                hint, inputs = "", self.inputs
                if inputs is not None and not prompts.inputs_used(template) <= inputs.keys():
                    names = ", ".join(map(label, inputs))
                    hint = f"; of a case there is {names}, and never id or truth"
                yield from ((problem.message + hint, problem.line) for problem in error.problems)
                return

    def _example(self, references: bool) -> dict[str, Any]:
        texts = {"text": "…", "optional text": "…", "reviews": [{"review_id": "r1", "text": "…"}]}
        items = self.scale.items if self.scale else ("…",)
        levels = self.scale.levels if self.scale else (0,)
        return {
            "case": {name: texts[kind] for name, kind in (self.inputs or {}).items()},
            "items": [{"name": i, "question": self.questions.get(i, "")} for i in items],
            "levels": list(levels),
            "abstain": "N/A",
            "references": [{"item": items[0], "text": "…", "score": levels[0]}] * references,
            "schema": "…",
            "problems": ["…"],
        }

    def _in_template(self, path: KeyPath, template: str, message: str, line: int | None) -> None:
        """A problem in a template, by its line in the file where the text stands there as it is."""
        if line is None:
            self.wrong(path, message)
        elif self.text.count(template) == 1:
            above = self.text.count("\n", 0, self.text.index(template))
            self.problems.append(Problem(message, field=place(path), line=above + line))
        else:  # written with escapes, or somewhere else as well
            self.wrong(path, f"line {line} of the template: {message}")

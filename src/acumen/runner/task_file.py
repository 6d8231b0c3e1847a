"""Read a task from its one TOML file, and say all that is wrong with it at once.

::

    task = read_task("phq8")             # one that ships
    task = read_task("mine.toml")        # one of your own
"""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from jinja2 import TemplateError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from acumen.errors import DataError, Problem, UsageError, label
from acumen.runner import prompts
from acumen.runner.cases import Case
from acumen.runner.retrieval import Retrieved
from acumen.runner.task import DEFAULT_REPAIR, Evidence, InputKind, Prompt, ReplyShape, Task
from acumen.scale import Scale, builtin_scales
from acumen.strict_json import decode_text, read_bytes, source_name
from acumen.strict_toml import parse_toml


def builtin_tasks() -> tuple[str, ...]:
    """The names of the tasks that ship with acumen."""
    folder = files("acumen.runner.tasks")
    return tuple(
        sorted(f.name.removesuffix(".toml") for f in folder.iterdir() if f.name.endswith(".toml"))
    )


def read_task(name: str | Path) -> Task:
    """A task by its name, or from a ``.toml`` file; refuses with all that is wrong with it."""
    if isinstance(name, Path) or str(name).endswith(".toml"):
        return parse_task(read_bytes(name), source=source_name(name))
    if name not in builtin_tasks():
        known = ", ".join(builtin_tasks())
        raise UsageError(f"no task {label(name)}; there are {known}, or give a .toml file")
    data = files("acumen.runner.tasks").joinpath(f"{name}.toml").read_bytes()
    return parse_task(data, source=f"{name}.toml")


def parse_task(data: bytes, source: str) -> Task:
    """A task from the bytes of its file."""
    document = parse_toml(decode_text(data, source), source)
    try:
        model = _TaskFile.model_validate(document)
    except ValidationError as error:
        raise DataError([_said(e) for e in error.errors()], source=source) from None
    scale, problems = _scale(model.scale)
    if scale is not None:
        problems += _problems(model, scale)
    problems += _template_problems(model.prompt)
    if problems or scale is None:
        raise DataError(problems, source=source)
    task = _task(model, scale, hashlib.sha256(data).hexdigest())
    _try_prompts(task, source)
    return task


Key = Annotated[str, Field(min_length=1, max_length=100)]
Template = Annotated[str, Field(min_length=1, max_length=100_000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _EvidenceFile(_Strict):
    key: Key
    kind: Literal["quotes", "rows"]
    source: Key = Field(alias="from")
    most: int = Field(default=5, ge=1, le=100)
    longest: int = Field(default=300, ge=1, le=2000)
    fields: dict[Key, list[Key]] = Field(default_factory=dict)


class _ReplyFile(_Strict):
    layout: Literal["by_item", "flat"]
    score: Key
    abstain: list[Key] = Field(default_factory=lambda: ["N/A"])
    confidence: Key | None = None
    evidence: _EvidenceFile | None = None
    risk_score: Key | None = None
    justification: Key | None = None


class _PromptFile(_Strict):
    user: Template
    system: str = ""
    repair: Template = DEFAULT_REPAIR


class _TaskFile(_Strict):
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$")
    title: str = ""
    scale: str | dict[str, Any]
    inputs: dict[Key, InputKind] = Field(min_length=1)
    questions: dict[str, str] = Field(default_factory=dict)
    reply: _ReplyFile
    prompt: _PromptFile
    max_tokens: int = Field(default=1000, ge=1, le=100_000)
    repairs: int = Field(default=1, ge=0, le=5)
    policy: str | None = None
    domain: str | None = None


_WORDS: Final = {
    "missing": "is missing",
    "extra_forbidden": "is not a key of a task",
    "string_type": "must be text",
    "int_type": "must be a whole number",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "list_type": "must be a list",
}


def _said(error: Any) -> Problem:
    where = ".".join(label(step) for step in error["loc"])
    return Problem(_WORDS.get(error["type"], error["msg"].lower()), field=where)


def _scale(given: str | dict[str, Any]) -> tuple[Scale | None, list[Problem]]:
    if isinstance(given, str):
        if given in builtin_scales():
            return Scale.named(given), []
        known = ", ".join(builtin_scales())
        return None, [Problem(f"no scale {label(given)}; there are {known}", field="scale")]
    unknown = [k for k in given if k not in ("name", "title", "case", "levels", "items")]
    problems = [Problem("is not a key of a scale", field=f"scale.{label(k)}") for k in unknown]
    problems += [
        Problem("must be a list that is not empty", field=f"scale.{key}")
        for key in ("levels", "items")
        if not isinstance(given.get(key), list) or not given[key]
    ]
    if problems:
        return None, problems
    try:
        scale = Scale(
            name=str(given.get("name", "own")),
            levels=tuple(given["levels"]),
            items=tuple(given["items"]),
            title=str(given.get("title", "")),
            case=str(given.get("case", "case")),
        )
    except DataError as error:
        return None, [Problem(str(p), field="scale") for p in error.problems]
    return scale, []


def _problems(model: _TaskFile, scale: Scale) -> list[Problem]:
    found = []
    reply = model.reply
    if not scale.items:
        found.append(Problem("names no items to judge", field="scale"))
    if reply.layout == "flat" and len(scale.items) != 1:
        message = f"'flat' is for one item; the scale has {len(scale.items)}: use 'by_item'"
        found.append(Problem(message, field="reply.layout"))
    for name in model.questions:
        if name not in scale.items:
            message = f"is not an item; the items are {', '.join(scale.items)}"
            found.append(Problem(message, field=f"questions.{label(name)}"))
    labels = {str(level) for level in scale.levels}
    found += [
        Problem(f"{label(word)} is also a level of the scale", field="reply.abstain")
        for word in reply.abstain
        if word in labels
    ]
    keys = [reply.score, reply.confidence, reply.risk_score, reply.justification]
    keys += [reply.evidence.key] if reply.evidence else []
    given = [key for key in keys if key is not None]
    found += [
        Problem(f"the key {label(key)} has two meanings", field="reply")
        for key in sorted({key for key in given if given.count(key) > 1})
    ]
    if reply.evidence:
        found += _evidence_problems(reply.evidence, model)
    return found


def _evidence_problems(evidence: _EvidenceFile, model: _TaskFile) -> list[Problem]:
    found = []
    needs = "text" if evidence.kind == "quotes" else "reviews"
    kind = model.inputs.get(evidence.source)
    if kind != needs:
        message = f"'{evidence.kind}' are taken from an input of kind '{needs}'; "
        message += "there is no such input" if kind is None else f"this one is '{kind}'"
        found.append(Problem(message, field="reply.evidence.from"))
    if evidence.kind == "rows" and not evidence.fields:
        found.append(Problem("'rows' need fields and their judgements", field="reply.evidence"))
    if evidence.kind == "rows" and model.reply.layout != "flat":
        found.append(Problem("'rows' need the layout 'flat'", field="reply.evidence.kind"))
    return found


def _template_problems(prompt: _PromptFile) -> list[Problem]:
    found = []
    allowed = {"user": prompts.VARIABLES, "system": prompts.VARIABLES}
    for name in ("system", "user", "repair"):
        variables = allowed.get(name, prompts.REPAIR_VARIABLES)
        try:
            used = prompts.names_used(getattr(prompt, name))
        except TemplateError as error:
            found.append(Problem(prompts.template_fault(error), field=f"prompt.{name}"))
            continue
        found += [
            Problem(
                f"uses {label(unknown)}; there are {', '.join(sorted(variables))}",
                field=f"prompt.{name}",
            )
            for unknown in sorted(used - variables)
        ]
        if name == "user" and "case" not in used:
            found.append(Problem("never shows the case: use {{ case.… }}", field="prompt.user"))
    return found


def _try_prompts(task: Task, source: str) -> None:
    """Render the templates once on a made-up case: a misspelt input shows here, not in a run."""
    reviews = [{"review_id": "r1", "text": "…"}]
    inputs = {name: "…" if kind == "text" else reviews for name, kind in task.inputs.items()}
    level = task.scale.levels[0]
    case = Case("c1", inputs, dict.fromkeys(task.scale.items, level))
    shots = {item: [Retrieved("…", level, 0.5)] for item in task.scale.items}
    try:
        messages = prompts.zero_or_few_shot(task, case, shots)
        prompts.zero_or_few_shot(task, case)
        prompts.repair(task, messages, "…", ["…"])
    except DataError as error:
        raise DataError([Problem(str(error), field="prompt")], source=source) from None


def _task(model: _TaskFile, scale: Scale, digest: str) -> Task:
    reply, evidence = model.reply, None
    if reply.evidence:
        evidence = Evidence(
            key=reply.evidence.key,
            kind=reply.evidence.kind,
            source=reply.evidence.source,
            most=reply.evidence.most,
            longest=reply.evidence.longest,
            fields={name: tuple(words) for name, words in reply.evidence.fields.items()},
        )
    return Task(
        name=model.name,
        title=model.title or model.name,
        scale=scale,
        inputs=model.inputs,
        questions=model.questions,
        reply=ReplyShape(
            layout=reply.layout,
            score=reply.score,
            abstain=tuple(reply.abstain),
            confidence=reply.confidence,
            evidence=evidence,
            risk_score=reply.risk_score,
            justification=reply.justification,
        ),
        prompt=Prompt(model.prompt.user, model.prompt.system, model.prompt.repair),
        max_tokens=model.max_tokens,
        repairs=model.repairs,
        hash=digest,
        policy=model.policy,
        domain=model.domain,
    )

"""A task out of parsed TOML: what is wrong with one key hides nothing that is wrong with another.

Every value is checked where it is taken. What cannot be used is noted, with its line and key, and
stands as None from then on: the checks that do not need it go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar, get_args

from acumen.errors import DataError, Problem, label, what_came
from acumen.files.toml_checks import TomlChecks
from acumen.files.toml_lines import Lines, Path
from acumen.runner.task import (
    DEFAULT_REPAIR,
    Evidence,
    EvidenceKind,
    InputKind,
    Layout,
    Prompt,
    ReplyShape,
    Task,
)
from acumen.runner.template_checks import Shown, template_problems
from acumen.table.scale import Scale, builtin_scales

Choice = TypeVar("Choice", bound=str)
_KEYS: Final = {
    "task": (
        *("name", "title", "scale", "inputs", "questions", "reply", "prompt"),
        *("max_tokens", "repairs", "policy", "domain"),
    ),
    "scale": ("name", "title", "case", "levels", "items"),
    "reply": (
        *("layout", "score", "abstain", "confidence"),
        *("evidence", "risk_score", "justification"),
    ),
    "evidence": ("key", "kind", "from", "most", "longest", "fields"),
    "prompt": ("user", "system", "repair"),
}
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_LONGEST_KEY: Final = 100
_LONGEST_TEMPLATE: Final = 100_000
_LONGEST_QUOTE: Final = 1999  # llama.cpp makes no grammar of a text of 2,000 characters


class TaskReader(TomlChecks):
    """Turns a parsed task file into a task and keeps the list of what is wrong with it."""

    def __init__(self, data: dict[str, Any], text: str) -> None:
        super().__init__(Lines(text))
        self.data = data
        self.file = text

    def task(self, digest: str) -> Task | None:
        """The task, or None where ``problems`` says why not."""
        data = self.data
        self.keys((), data, "task", _KEYS["task"])
        name = self._name(data.get("name"))
        scale = self._scale(data.get("scale"))
        inputs = self._inputs(data.get("inputs"))
        questions = self._questions(data.get("questions", {}), scale)
        reply = self._reply(data.get("reply"), scale, inputs)
        prompt = self._prompt(data.get("prompt"), Shown(scale, inputs, questions))
        most_tokens = self._whole(("max_tokens",), data.get("max_tokens", 1000), 1, 100_000)
        repairs = self._whole(("repairs",), data.get("repairs", 1), 0, 5)
        title, policy, domain = (
            self._maybe((key,), data.get(key)) for key in ("title", "policy", "domain")
        )
        if self.problems or scale is None or reply is None or prompt is None:
            return None
        return Task(
            name=name,
            title=title or name,
            scale=scale,
            inputs=inputs or {},
            questions=questions,
            reply=reply,
            prompt=prompt,
            max_tokens=most_tokens,
            repairs=repairs,
            hash=digest,
            policy=policy,
            domain=domain,
        )

    def _name(self, value: object) -> str:
        name = self.text(("name",), value)
        if name is not None and not _NAME.fullmatch(name):
            self.wrong(("name",), "must be letters, digits, '-' and '_', 60 of them at most")
        return name or ""

    def _scale(self, given: object) -> Scale | None:
        if isinstance(given, str):
            if given in builtin_scales():
                return Scale.named(given)
            known = ", ".join(builtin_scales())
            self.wrong(("scale",), f"no scale {label(given)}; there are {known}")
            return None
        if given is None:
            self.wrong(("scale",), "is missing")
            return None
        table = self.table(("scale",), given)
        self.keys(("scale",), table, "scale", _KEYS["scale"])
        name, title, case = (
            self._maybe(("scale", key), table.get(key)) for key in ("name", "title", "case")
        )
        levels, items = (
            self._filled(("scale", key), table.get(key)) for key in ("levels", "items")
        )
        try:  # whichever of the two is there is looked at
            scale = Scale(name or "own", levels or (0, 1), items or (), title or "", case or "case")
        except DataError as error:
            for problem in error.problems:
                self.wrong(("scale", problem.field or ""), problem.message)
            return None
        return scale if levels and items else None

    def _inputs(self, given: object) -> dict[str, InputKind] | None:
        if not isinstance(given, dict) or not given:
            came = (
                "is missing" if given in (None, {}) else f"must be a table, not {what_came(given)}"
            )
            self.wrong(("inputs",), f'{came}; it names what a case has: {{ note = "text" }}')
            return None
        found: dict[str, InputKind] = {}
        for name, kind in given.items():
            chosen = self._choice(("inputs", name), kind, get_args(InputKind))
            if name in ("id", "truth"):
                self.wrong(("inputs", name), "is a key every case has: choose another name")
            if chosen is not None:
                found[name] = chosen
        return found if len(found) == len(given) else None

    def _questions(self, given: object, scale: Scale | None) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, question in self.table(("questions",), given).items():
            found[name] = self.text(("questions", name), question, empty=True) or ""
            if scale is not None and name not in scale.items:
                message = f"is not an item; the items are {', '.join(scale.items)}"
                self.wrong(("questions", name), message)
        return found

    def _reply(
        self, given: object, scale: Scale | None, inputs: Mapping[str, InputKind] | None
    ) -> ReplyShape | None:
        if given is None:
            self.wrong(("reply",), "is missing")
            return None
        table = self.table(("reply",), given)
        self.keys(("reply",), table, "reply", _KEYS["reply"])
        layout = self._choice(("reply", "layout"), table.get("layout"), get_args(Layout))
        score = self._key(("reply", "score"), table.get("score"))
        abstain = self._texts(("reply", "abstain"), table.get("abstain", ["N/A"]))
        confidence, risk_score, justification = (
            self._key(("reply", key), table[key]) if key in table else None
            for key in ("confidence", "risk_score", "justification")
        )
        evidence = self._evidence(table.get("evidence"), layout, inputs)
        if scale is not None:
            self._against_scale(layout, abstain, scale)
        keys = [score, confidence, risk_score, justification, evidence.key if evidence else None]
        self._once(("reply",), [key for key in keys if key])
        if evidence is None or evidence.kind != "rows":
            for key in {"risk_score", "justification"} & table.keys():
                self.wrong(("reply", key), "is for replies with evidence of the kind 'rows'")
        if layout is None or score is None:
            return None
        return ReplyShape(
            layout, score, tuple(abstain), confidence, evidence, risk_score, justification
        )

    def _against_scale(self, layout: Layout | None, abstain: Iterable[str], scale: Scale) -> None:
        if layout == "flat" and len(scale.items) != 1:
            message = f"'flat' is for one item; the scale has {len(scale.items)}: use 'by_item'"
            self.wrong(("reply", "layout"), message)
        levels = {str(level) for level in scale.levels}
        for word in abstain:
            if word in levels:
                self.wrong(("reply", "abstain"), f"{label(word)} is also a level of the scale")

    def _evidence(
        self, given: object, layout: Layout | None, inputs: Mapping[str, InputKind] | None
    ) -> Evidence | None:
        if given is None:
            return None
        at = ("reply", "evidence")
        table = self.table(at, given)
        self.keys(at, table, "reply's evidence", _KEYS["evidence"])
        key = self._key((*at, "key"), table.get("key"))
        kind = self._choice((*at, "kind"), table.get("kind"), get_args(EvidenceKind))
        source = self.text((*at, "from"), table.get("from"))
        most = self._whole((*at, "most"), table.get("most", 5), 1, 100)
        longest = self._whole((*at, "longest"), table.get("longest", 300), 1, _LONGEST_QUOTE)
        fields = {
            name: tuple(self._texts((*at, "fields", name), words))
            for name, words in self.table((*at, "fields"), table.get("fields", {})).items()
        }
        if kind is not None and source is not None and inputs is not None:
            self._source(kind, source, inputs)
        if kind == "rows" and not fields:
            self.wrong(at, "'rows' need fields and their judgements")
        if kind == "quotes" and fields:
            self.wrong((*at, "fields"), "are for evidence of the kind 'rows'")
        if kind == "rows" and layout == "by_item":
            self.wrong((*at, "kind"), "'rows' need the layout 'flat'")
        if key is None or kind is None or source is None:
            return None
        return Evidence(key, kind, source, most, longest, fields)

    def _source(self, kind: EvidenceKind, source: str, inputs: Mapping[str, InputKind]) -> None:
        needed, found = "text" if kind == "quotes" else "reviews", inputs.get(source)
        if found != needed:
            came = "there is no such input" if found is None else f"this one is '{found}'"
            message = f"'{kind}' are taken from an input of kind '{needed}'; {came}"
            self.wrong(("reply", "evidence", "from"), message)

    def _prompt(self, given: object, shown: Shown) -> Prompt | None:
        if given is None:
            self.wrong(("prompt",), "is missing")
            return None
        table = self.table(("prompt",), given)
        self.keys(("prompt",), table, "prompt", _KEYS["prompt"])
        templates: dict[str, str] = {}
        for name, default in (("system", ""), ("user", None), ("repair", DEFAULT_REPAIR)):
            at = ("prompt", name)
            template = self.text(at, table.get(name, default), empty=name == "system")
            if template is None:
                continue
            if len(template) > _LONGEST_TEMPLATE:
                self.wrong(at, f"is longer than {_LONGEST_TEMPLATE} characters")
                continue
            templates[name] = template
            for message, line in template_problems(name, template, shown):
                self._in_template(at, template, message, line)
        if len(templates) < 3:
            return None
        return Prompt(templates["user"], templates["system"], templates["repair"])

    def _in_template(self, path: Path, template: str, message: str, line: int | None) -> None:
        """A problem in a template, by its line in the file where the text stands there as it is."""
        file = self.file.replace("\r\n", "\n")
        if line is None:
            self.wrong(path, message)
        elif file.count(template) == 1:
            above = file.count("\n", 0, file.index(template))
            field = ".".join(map(str, path))
            self.problems.append(Problem(message, field=field, line=above + line))
        else:  # written with escapes, or somewhere else as well
            self.wrong(path, f"line {line} of the template: {message}")

    def _maybe(self, path: Path, value: object) -> str | None:
        """A text that may be left out."""
        return None if value is None else self.text(path, value, empty=True)

    def _key(self, path: Path, value: object) -> str | None:
        found = self.text(path, value)
        if found is not None and len(found) > _LONGEST_KEY:
            self.wrong(path, f"is longer than {_LONGEST_KEY} characters")
        return found

    def _whole(self, path: Path, value: object, least: int, most: int) -> int:
        if type(value) is int and least <= value <= most:
            return value
        message = f"must be a whole number from {least} to {most}, not {what_came(value)}"
        self.wrong(path, message)
        return least

    def _choice(self, path: Path, value: object, choices: tuple[Choice, ...]) -> Choice | None:
        for choice in choices:
            if value == choice:
                return choice
        allowed = " or ".join(f"'{choice}'" for choice in choices)
        came = f"must be {allowed}, not {what_came(value)}"
        self.wrong(path, f"is missing; it is {allowed}" if value is None else came)
        return None

    def _filled(self, path: Path, value: object) -> tuple[Any, ...] | None:
        if isinstance(value, list) and value:
            return tuple(value)
        self.wrong(path, "must be a list that is not empty")
        return None

    def _texts(self, path: Path, value: object) -> list[str]:
        if not isinstance(value, list):
            self.wrong(path, f"must be a list of texts, not {what_came(value)}")
            return []
        found = [self._key((*path, place), entry) for place, entry in enumerate(value)]
        return [entry for entry in found if entry is not None]

    def _once(self, path: Path, keys: Sequence[str]) -> None:
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            self.wrong(path, f"the key {label(key)} has two meanings")

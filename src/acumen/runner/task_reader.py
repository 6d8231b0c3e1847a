"""A task out of its tables: what is wrong with one key hides nothing that is wrong with another.

The tables are a draft: None stands for what could not be used, and the checks that do not need it
go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from acumen.errors import Problem, label
from acumen.files.problems import Draft, place
from acumen.files.toml import Path
from acumen.runner.task import Evidence, InputKind, Layout, Prompt, ReplyShape, Task
from acumen.runner.task_tables import EvidenceTable, OwnScale, PromptTable, ReplyTable, TaskTable
from acumen.runner.template_checks import Content, template_problems
from acumen.table.scale import Scale


class TaskReader(Draft[TaskTable]):
    """Holds the tables of a task against each other."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__(text, TaskTable, source)
        self.text = text.replace("\r\n", "\n")

    def task(self, digest: str) -> Task | None:
        """The task, or None where ``problems`` says why not."""
        table = self.table
        scale = self._scale(table.scale)
        inputs = self._inputs(table.inputs)
        questions = {name: question or "" for name, question in (table.questions or {}).items()}
        if scale is not None:
            for name in questions.keys() - set(scale.items):
                message = f"is not an item; the items are {', '.join(scale.items)}"
                self.wrong(("questions", name), message)
        reply = self._reply(table.reply, scale, inputs)
        prompt = self._prompt(table.prompt, Content(scale, inputs, questions))
        if self.problems or scale is None or reply is None or prompt is None:
            return None
        return Task(
            name=table.name or "",
            title=table.title or table.name or "",
            scale=scale,
            inputs=inputs or {},
            questions=questions,
            reply=reply,
            prompt=prompt,
            max_tokens=table.max_tokens or 0,
            repairs=table.repairs or 0,
            hash=digest,
            policy=table.policy,
            domain=table.domain,
        )

    def _scale(self, scale: str | OwnScale | None) -> Scale | None:
        if isinstance(scale, str):
            return Scale.named(scale)
        return None if scale is None else scale.scale

    def _inputs(self, kinds: Mapping[str, InputKind | None] | None) -> dict[str, InputKind] | None:
        for name in {"id", "truth"} & (kinds or {}).keys():
            self.wrong(("inputs", name), "is a key every case has: choose another name")
        inputs = {name: kind for name, kind in (kinds or {}).items() if kind is not None}
        return inputs if inputs and len(inputs) == len(kinds or {}) else None

    def _reply(
        self,
        table: ReplyTable | None,
        scale: Scale | None,
        inputs: Mapping[str, InputKind] | None,
    ) -> ReplyShape | None:
        if table is None:
            return None
        evidence = self._evidence(table.evidence, table.layout, inputs)
        if scale is not None:
            self._check_scale(table.layout, table.abstain or (), scale)
        keys = [table.score, table.confidence, table.risk_score, table.justification]
        keys.append(evidence.key if evidence else None)
        self._once([key for key in keys if key])
        if evidence is None or evidence.kind != "rows":
            for key in {"risk_score", "justification"} & table.model_fields_set:
                self.wrong(("reply", key), "is for replies with evidence of the kind 'rows'")
        if table.layout is None or table.score is None:
            return None
        return ReplyShape(
            table.layout,
            table.score,
            tuple(table.abstain or ()),
            table.confidence,
            evidence,
            table.risk_score,
            table.justification,
        )

    def _once(self, keys: Sequence[str]) -> None:
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            self.wrong(("reply",), f"the key {label(key)} has two meanings")

    def _check_scale(self, layout: Layout | None, abstain: Iterable[str], scale: Scale) -> None:
        if layout == "flat" and len(scale.items) != 1:
            message = f"'flat' is for one item; the scale has {len(scale.items)}: use 'by_item'"
            self.wrong(("reply", "layout"), message)
        levels = {str(level) for level in scale.levels}
        for word in abstain:
            if word in levels:
                self.wrong(("reply", "abstain"), f"{label(word)} is also a level of the scale")

    def _evidence(
        self,
        table: EvidenceTable | None,
        layout: Layout | None,
        inputs: Mapping[str, InputKind] | None,
    ) -> Evidence | None:
        if table is None:
            return None
        at, kind, source = ("reply", "evidence"), table.kind, table.source
        fields = {name: tuple(words or ()) for name, words in (table.fields or {}).items()}
        if kind is not None and source is not None and inputs is not None:
            needed, stated = "text" if kind == "quotes" else "reviews", inputs.get(source)
            if stated != needed:
                came = "there is no such input" if stated is None else f"this one is '{stated}'"
                message = f"'{kind}' are taken from an input of kind '{needed}'; {came}"
                self.wrong((*at, "from"), message)
        if kind == "rows" and table.fields == {}:
            self.wrong(at, "'rows' need fields and their judgements")
        if kind == "quotes" and fields:
            self.wrong((*at, "fields"), "are for evidence of the kind 'rows'")
        if kind == "rows" and layout == "by_item":
            self.wrong((*at, "kind"), "'rows' need the layout 'flat'")
        if table.key is None or kind is None or source is None:
            return None
        return Evidence(table.key, kind, source, table.most or 0, table.longest or 0, fields)

    def _prompt(self, table: PromptTable | None, content: Content) -> Prompt | None:
        if table is None:
            return None
        templates = {"system": table.system, "user": table.user, "repair": table.repair}
        for name, template in templates.items():
            for message, line in template_problems(name, template, content) if template else ():
                self._in_template(("prompt", name), template or "", message, line)
        if table.system is None or table.user is None or table.repair is None:
            return None
        return Prompt(table.user, table.system, table.repair)

    def _in_template(self, path: Path, template: str, message: str, line: int | None) -> None:
        """A problem in a template, by its line in the file where the text stands there as it is."""
        if line is None:
            self.wrong(path, message)
        elif self.text.count(template) == 1:
            above = self.text.count("\n", 0, self.text.index(template))
            self.problems.append(Problem(message, field=place(path), line=above + line))
        else:  # written with escapes, or somewhere else as well
            self.wrong(path, f"line {line} of the template: {message}")

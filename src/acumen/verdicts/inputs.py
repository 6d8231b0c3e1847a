"""What is scored, against what: read from files, each once and with its hash, or as it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from acumen.errors import UsageError, printable, source_name
from acumen.files.json import parse_json, read_bytes
from acumen.policy import Policy, builtin_policies, find_policy
from acumen.results.verdicts import MadeFrom
from acumen.studies import POLICY, verdict_study
from acumen.table.scale import Scale, find_scale
from acumen.verdicts.claims import Reviews, Truth, VerdictRun
from acumen.verdicts.compute import DEFAULT_POLICY
from acumen.verdicts.log import log_of
from acumen.verdicts.read import named_methods, named_policy, parse_results
from acumen.verdicts.truth import parse_reviews, parse_truth

Document = str | Path | Mapping[str, Any] | Sequence[Any]
"""A JSON file, or what is in one."""

UNNAMED: Final = "unnamed"
"""The policy of results that name none, where only levels are given."""
DEMO: Final = "demo"
"""Stands for the bundled study: its results, truth and reviews."""


@dataclass
class Files:
    """The files of a study with their hashes, in the order they were read."""

    hashes: list[dict[str, str]] = field(default_factory=list)
    are_all: bool = True
    """Whether everything came from files."""

    def content(self, path: str | Path, role: str) -> bytes:
        """What is in a file."""
        data = read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        self.hashes.append({"role": role, "path": str(path), "sha256": digest})
        return data

    def json(self, document: Document, role: str) -> object:
        """A document as it is, or from its file."""
        if isinstance(document, str | Path):
            data, source = self.content(document, role), source_name(document)
            log = log_of(data, source) if role == "results" else None
            return parse_json(data, source=source) if log is None else log
        self.are_all = False
        return document


@dataclass(frozen=True)
class Inputs:
    """What is scored, against what."""

    policy: Policy
    runs: Sequence[VerdictRun]
    truth: Truth | None
    reviews: Reviews | None
    files: Files
    stems: Sequence[str] = ()
    truth_name: str | None = None

    def names(self) -> tuple[str, str]:
        """What tells two runs apart: their methods, their run ids, their files, or their places."""
        for names in (
            [run.method for run in self.runs],
            [run.provenance.get("run_id") for run in self.runs],
            self.stems,
        ):
            if len(set(names)) == 2 and None not in names:
                return str(names[0]), str(names[1])
        return "left", "right"

    @property
    def made_from(self) -> MadeFrom:
        """The files with their hashes; none where something was no file."""
        hashes = self.files.hashes if self.files.are_all else []
        return MadeFrom.model_validate({"inputs": hashes})


def read_inputs(
    results: Sequence[Document],
    truth: Document | None,
    reviews: Document | None,
    policy: str | Path | Policy | None,
    method: str | None,
    levels: object = None,
) -> Inputs:
    """Everything from its file, or as it is."""
    paths = [str(one) for one in results if isinstance(one, str | Path)]
    if len(set(paths)) < len(paths):
        raise UsageError("the same results file is given twice")
    files = Files()
    documents = [files.json(one, "results") for one in results]
    rules = _policy(policy, levels, [named_policy(document) for document in documents])
    if isinstance(policy, Policy):
        files.are_all = False
    elif policy is not None and str(policy) not in builtin_policies():
        files.content(policy, "policy")
    methods: list[str | None] = [method]
    if method is None and len(documents) == 1:
        pair = named_methods(documents[0])
        methods = list(pair) if len(pair) == 2 else methods  # a pair in one file is compared
    runs = [
        parse_results(document, rules, name, source=_source(one, "results"))
        for one, document in zip(results, documents, strict=True)
        for name in methods
    ]
    inputs = Inputs(rules, runs, None, None, files, [Path(path).stem for path in paths])
    if truth is not None:
        name = _source(truth, "truth")
        known = parse_truth(files.json(truth, "truth"), rules, source=name)
        inputs = replace(inputs, truth=known, truth_name=name)
    if reviews is not None:
        texts = parse_reviews(files.json(reviews, "reviews"), source=_source(reviews, "reviews"))
        inputs = replace(inputs, reviews=texts)
    return inputs


def _source(document: Document, role: str) -> str:
    return source_name(document) if isinstance(document, str | Path) else role


def demo_inputs(policy: str | Path | Policy | None, method: str | None) -> Inputs:
    """The bundled study."""
    study = verdict_study()
    if method is not None and method not in study.results:
        known = ", ".join(study.results)
        raise UsageError(f"the demo holds {known}, not '{printable(method)}'")
    results = [study.results[name] for name in ([method] if method else study.results)]
    inputs = read_inputs(results, study.truth, study.reviews, policy or POLICY, None)
    return replace(inputs, files=Files(are_all=not isinstance(policy, Policy)))


def _policy(
    policy: str | Path | Policy | None, levels: Any, stated: Sequence[str | None]
) -> Policy:
    """The policy asked for, else the one the results name, else the one that ships.

    Of a policy that does not ship only its levels are needed for what needs no rules.
    """
    if policy is not None:
        if levels is not None:
            raise UsageError("a policy has levels of its own: leave --levels out, or --policy")
        return find_policy(policy)
    names = {name for name in stated if name is not None}
    if len(names) > 1:
        several = f"different policies ({', '.join(map(printable, sorted(names)))})"
        raise UsageError(f"the results name {several}; choose one with --policy")
    if levels is not None:
        return Policy.of_levels(find_scale(levels), names.pop() if names else UNNAMED)
    name = names.pop() if names else DEFAULT_POLICY
    if name in builtin_policies():
        return find_policy(name)
    return Policy.of_levels(Scale.named("risk"), name)

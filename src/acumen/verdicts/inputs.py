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
from acumen.results.log import log_of
from acumen.results.verdicts import MadeFrom, Override
from acumen.studies import POLICY, verdict_study
from acumen.table.scale import Scale, find_scale
from acumen.verdicts.claims import Reviews, Truth, VerdictRun
from acumen.verdicts.compute import DEFAULT_POLICY
from acumen.verdicts.overrides import apply_overrides, parse_overrides
from acumen.verdicts.read import named_methods, named_policy, parse_results
from acumen.verdicts.truth import parse_reviews, parse_truth

Document = str | Path | Mapping[str, Any] | Sequence[Any]
"""A JSON file, or what is in one."""

UNNAMED: Final = "unnamed"
"""The policy of results that name none, where only levels are given."""
APART: Final = (
    "the methods were compared with different policies or truths: they stand side by side, and "
    "nothing is claimed of differences"
)
SUMS: Final = frozenset({"accuracy", "auprc", "unified_scores", "unified_metrics_full", "metrics"})
"""Keys of results that sum them up: nothing is read from them, and a mean of nothing may be NaN."""
DEMO: Final = "demo"
"""Stands for the bundled study: its results, truth and reviews."""


def methods_of(document: Any) -> list[Any]:
    """The results in a document; of several methods, as they were scored, each by itself.

    >>> methods_of({"systems": [{"results": []}]}), methods_of([{"verdict": None}])
    ([{'results': []}], [[{'verdict': None}]])
    """
    several = document.get("systems") if isinstance(document, dict) else None
    return several if isinstance(several, list) and several else [document]


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
            if log is not None:
                return log
            below = SUMS if role == "results" else ()
            return parse_json(data, source=source, nan_below=below)
        self.are_all = False
        return document


@dataclass(frozen=True)
class Inputs:
    """What is scored, against what: each run under its policy, against its truth."""

    runs: Sequence[VerdictRun]
    policies: Sequence[Policy]
    truths: Sequence[Truth | None]
    reviews: Reviews | None
    files: Files
    stems: Sequence[str] = ()
    truth_names: Sequence[str | None] = ()
    overrides: Sequence[Override] = ()

    @property
    def is_one_study(self) -> bool:
        """Whether all runs have the same policy and the same truth, so that they compare."""
        truths = {id(truth) for truth in self.truths if truth is not None}
        return len({policy.name for policy in self.policies}) == 1 and len(truths) <= 1

    def names(self) -> list[str]:
        """What tells the runs apart: methods, run ids, methods with K or policy, files, places."""
        rows = [
            (run.method, run.provenance.get("run_id"), run.provenance.get("k"), policy.name)
            for run, policy in zip(self.runs, self.policies, strict=False)
        ]
        known: list[Sequence[object]] = [
            [method for method, *_ in rows],
            [run_id for _, run_id, *_ in rows],
            [_joined(method, "K", k) for method, _, k, _ in rows],
            [_joined(method, "", policy) for method, *_, policy in rows],
            [_joined(_joined(method, "", policy), "K", k) for method, _, k, policy in rows],
            self.stems,
        ]
        for names in known:
            if len(set(names)) == len(self.runs) and None not in names:
                return [str(name) for name in names]
        if len(self.runs) == 2:
            return ["left", "right"]
        return [f"{method or 'method'} ({at})" for at, (method, *_) in enumerate(rows, 1)]

    @property
    def made_from(self) -> MadeFrom:
        """The files with their hashes; none where something was no file."""
        hashes = self.files.hashes if self.files.are_all else []
        return MadeFrom.model_validate({"inputs": hashes})


@dataclass(frozen=True)
class KnownTruth:
    """One truth, and how messages name it."""

    truth: Truth | None
    name: str | None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Truths:
    """The documents of truths, each of a policy and a size of context where it says so."""

    documents: Sequence[tuple[str, Any]]
    parsed: dict[tuple[int, str], Truth] = field(default_factory=dict)

    def of(self, run: VerdictRun, policy: Policy) -> KnownTruth:
        """The truth that a run is compared with: the only one, or the one for its policy and K."""
        if not self.documents:
            return KnownTruth(None, None)
        facts = {"policy_id": policy.name, "k": run.provenance.get("k")}
        mine = f"policy {printable(policy.name)}, K {facts['k']}"
        places = [
            at
            for at, (_, document) in enumerate(self.documents)
            if len(self.documents) == 1 or all(_fits(document, *fact) for fact in facts.items())
        ]
        if len(places) != 1:
            listed = ", ".join(name for name, _ in self.documents)
            which = "fits" if not places else "alone fits"
            raise UsageError(f"no truth {which} {run.source} ({mine}); there are {listed}")
        (at,) = places
        name, document = self.documents[at]
        key = at, policy.name
        if key not in self.parsed:
            self.parsed[key] = parse_truth(document, policy, source=name)
        others = [key for key, fact in facts.items() if not _fits(document, key, fact)]
        warnings = [
            f"the truth is of {key} {printable(str(document[key]))}, and the results of {mine}"
            for key in others
        ]
        return KnownTruth(self.parsed[at, policy.name], name, tuple(warnings))


def _fits(document: Any, key: str, value: object) -> bool:
    own = document.get(key) if isinstance(document, dict) and "restaurants" in document else None
    return own is None or value is None or str(own) == str(value)


def read_truths(truth: Document | Sequence[Document] | None, files: Files) -> Truths:
    """Every truth from its file, or as it is; a list is of several."""
    several = list(truth) if isinstance(truth, list | tuple) else [] if truth is None else [truth]
    return Truths([(_source(one, "truth"), files.json(one, "truth")) for one in several])


def _joined(name: str | None, word: str, fact: object) -> str | None:
    """A name with one fact more; none where either is missing."""
    return None if name is None or fact is None else f"{name} {f'{word}={fact}' if word else fact}"


def read_inputs(
    results: Sequence[Document],
    truth: Document | Sequence[Document] | None,
    reviews: Document | None,
    policy: str | Path | Policy | None,
    method: str | None,
    levels: object = None,
    overrides: Document | None = None,
) -> Inputs:
    """Everything from its file, or as it is."""
    paths = [str(one) for one in results if isinstance(one, str | Path)]
    if len(set(paths)) < len(paths):
        raise UsageError("the same results file is given twice")
    files = Files()
    apart = [(one, part) for one in results for part in methods_of(files.json(one, "results"))]
    results, documents = [one for one, _ in apart], [part for _, part in apart]
    rules = _policies(policy, levels, [named_policy(document) for document in documents])
    if isinstance(policy, Policy):
        files.are_all = False
    elif policy is not None and str(policy) not in builtin_policies():
        files.content(policy, "policy")
    methods: list[str | None] = [method]
    if method is None and len(documents) == 1:
        several = named_methods(documents[0])
        methods = list(several) if len(several) > 1 else methods  # those in one file are compared
    rows = [
        (parse_results(document, own, name, source=_source(one, "results")), own)
        for one, document, own in zip(results, documents, rules, strict=True)
        for name in methods
    ]
    runs, policies = [run for run, _ in rows], [own for _, own in rows]
    known = read_truths(truth, files)
    matches = [known.of(run, own) for run, own in rows]
    runs = [replace(run, warnings=one.warnings) for run, one in zip(runs, matches, strict=True)]
    inputs = Inputs(
        runs=runs,
        policies=policies,
        truths=[match.truth for match in matches],
        reviews=None,
        files=files,
        stems=[Path(path).stem for path in paths] if len(paths) == len(runs) else [],
        truth_names=[match.name for match in matches],
    )
    if overrides is not None:
        inputs = _overridden(inputs, files.json(overrides, "overrides"), overrides)
    if reviews is not None:
        texts = parse_reviews(files.json(reviews, "reviews"), source=_source(reviews, "reviews"))
        inputs = replace(inputs, reviews=texts)
    return inputs


def _overridden(inputs: Inputs, content: object, document: Document) -> Inputs:
    """The inputs with truths as a person decided them; those that the results carry, too."""
    if not inputs.is_one_study:
        raise UsageError("overrides are of one truth: score the results of each truth by itself")
    name, policy = _source(document, "overrides"), inputs.policies[0]
    first = inputs.truths[0]
    own = {case: known for run in inputs.runs for case, known in (run.truth or {}).items()}
    known = own if first is None else first
    decided = parse_overrides(content, known, policy, name)
    truth, record = apply_overrides(known, decided, policy)
    if first is not None:
        return replace(inputs, truths=[truth] * len(inputs.runs), overrides=record)
    runs = [
        replace(run, truth=run.truth and {case: truth[case] for case in run.truth})
        for run in inputs.runs
    ]
    return replace(inputs, runs=runs, overrides=record)


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


def _policies(
    policy: str | Path | Policy | None, levels: Any, stated: Sequence[str | None]
) -> list[Policy]:
    """The policy asked for, else the one that each of the results names, else the one that ships.

    Of a policy that does not ship only its levels are needed for what needs no rules.
    """
    if policy is not None:
        if levels is not None:
            raise UsageError("a policy has levels of its own: leave --levels out, or --policy")
        return [find_policy(policy)] * len(stated)
    names = [*dict.fromkeys(name for name in stated if name is not None)]
    usual = names[0] if len(names) == 1 else None
    known = {name: _policy(name or usual, levels) for name in {*stated}}
    return [known[name] for name in stated]


def _policy(name: str | None, levels: Any) -> Policy:
    if levels is not None:
        return Policy.of_levels(find_scale(levels), name or UNNAMED)
    name = name or DEFAULT_POLICY
    if name in builtin_policies():
        return find_policy(name)
    return Policy.of_levels(Scale.named("risk"), name)

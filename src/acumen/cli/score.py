"""``acumen score``: verdicts, their ranking, and the reasons behind them."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from acumen.cli.targets import check_targets
from acumen.errors import UsageError, printable

if TYPE_CHECKING:
    from acumen.inference.options import Options
    from acumen.policy import Policy
    from acumen.results.verdicts import PairDocument
    from acumen.verdicts.claims import Reviews, Truth, VerdictRun

app = typer.Typer(add_completion=False)


class Inputs(NamedTuple):
    """What is scored, against what."""

    policy: Policy
    runs: list[VerdictRun]
    truth: Truth | None
    reviews: Reviews | None
    files: Sequence[Path] = ()
    truth_file: str | None = None
    hashes: Sequence[Mapping[str, str]] = ()


@app.command()
def score(
    results: Annotated[
        list[Path] | None,
        typer.Argument(help="One results file, or two to compare.", show_default=False),
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(help="Case id to verdict, incidents, primitives (JSON).")
    ] = None,
    reviews: Annotated[
        Path | None, typer.Option(help="The reviews that snippets are looked up in (JSON).")
    ] = None,
    policy: Annotated[
        str | None, typer.Option(help="A policy by name or .toml file.", show_default=False)
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="Whose results to take from a file of several methods.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write results.json.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write a report as one HTML page.")
    ] = None,
    demo: Annotated[
        bool, typer.Option("--demo", help="Score the bundled study of 100 restaurants.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Print every metric.")] = False,
    run_id: Annotated[str | None, typer.Option(help="Fills what the file lacks.")] = None,
    domain: Annotated[str | None, typer.Option(help="Fills what the file lacks.")] = None,
    model: Annotated[str | None, typer.Option(help="Fills what the file lacks.")] = None,
    k: Annotated[int | None, typer.Option("--k", help="Fills what the file lacks.")] = None,
    resamples: Annotated[int, typer.Option(min=0, help="Bootstrap resamples.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 42,
    interval: Annotated[str, typer.Option(help="default, percentile or bca.")] = "default",
    debug: Annotated[bool, typer.Option(help="Show a traceback on errors.", hidden=True)] = False,
) -> None:
    """Score verdicts: ranking (AUPRC), reasoning (process), and consistency with a policy.

    Examples:

    acumen score results.json --truth truth.json --reviews reviews.json

    acumen score rag.json direct.json --truth truth.json

    acumen score --demo
    """
    from acumen.report.terminal import print_parts
    from acumen.report.verdicts.brief import brief

    paths = results or []
    if demo and (paths or truth or reviews):
        raise UsageError("--demo brings its own results, truth and reviews")
    if not demo and not 1 <= len(paths) <= 2:
        raise UsageError("give one results file, two to compare, or --demo")
    check_targets({"--output": output, "--html": html}, (*paths, truth, reviews, policy))
    options = _options(resamples, seed, interval)
    given = {"run_id": run_id, "domain": domain, "model": model, "k": k}
    inputs = _demo(policy, method) if demo else _read(paths, truth, reviews, policy, method)
    command = _command(inputs, demo, policy, method, options, given)
    scored = _scored(inputs, options, given, command)
    print_parts(brief(scored, full=full))
    _write(scored, output, html)


def _options(resamples: int, seed: int, interval: str) -> Options:
    from acumen.inference.options import METHODS, Options

    if interval not in METHODS:
        known = ", ".join(METHODS)
        raise UsageError(f"no interval '{printable(interval)}'; there are {known}")
    return Options(resamples=resamples, seed=seed, method=interval)


def _read(
    paths: list[Path],
    truth: Path | None,
    reviews: Path | None,
    policy: str | None,
    method: str | None,
) -> Inputs:
    from acumen.files.json import source_name
    from acumen.policy import builtin_policies
    from acumen.verdicts.read import named_methods, named_policy, parse_results
    from acumen.verdicts.truth import parse_reviews, parse_truth

    read = _Files()
    documents = {path: read.json(path, "results") for path in paths}
    if len(documents) < len(paths):
        raise UsageError("the same results file is given twice")
    chosen = _policy(policy, [named_policy(document) for document in documents.values()])
    if policy is not None and policy not in builtin_policies():
        read.bytes(Path(policy), "policy")
    methods: list[str | None] = [method]
    if method is None and len(paths) == 1:
        named = named_methods(documents[paths[0]])
        methods = list(named) if len(named) == 2 else methods  # a pair in one file is compared
    runs = [
        parse_results(document, chosen, name, source=source_name(path))
        for path, document in documents.items()
        for name in methods
    ]
    return Inputs(
        chosen,
        runs,
        truth=None
        if truth is None
        else parse_truth(read.json(truth, "truth"), chosen, source=source_name(truth)),
        reviews=None
        if reviews is None
        else parse_reviews(read.json(reviews, "reviews"), source=source_name(reviews)),
        files=paths,
        truth_file=None if truth is None else truth.name,
        hashes=read.hashes,
    )


class _Files:
    """Files with their hashes, each read once."""

    def __init__(self) -> None:
        self.hashes: list[dict[str, str]] = []

    def bytes(self, path: Path, role: str) -> bytes:
        from acumen.files.json import read_bytes

        data = read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        self.hashes.append({"role": role, "path": str(path), "sha256": digest})
        return data

    def json(self, path: Path, role: str) -> object:
        from acumen.files.json import parse_json, source_name

        return parse_json(self.bytes(path, role), source=source_name(path))


def _command(
    inputs: Inputs,
    demo: bool,
    policy: str | None,
    method: str | None,
    options: Options,
    given: Mapping[str, Any],
) -> str:
    """The command that makes the results again."""
    words = ["acumen", "score", *(["--demo"] if demo else [])]
    for file in inputs.hashes:
        words += [] if file["role"] == "results" else [f"--{file['role']}"]
        words.append(file["path"])
    shipped = None if any(file["role"] == "policy" for file in inputs.hashes) else policy
    asked: dict[str, Any] = {"policy": shipped, "method": method, **given}
    asked |= {"resamples": options.resamples, "seed": options.seed, "interval": options.method}
    for name, value in asked.items():
        words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def _demo(policy: str | None, method: str | None) -> Inputs:
    from acumen.studies import POLICY, verdict_study
    from acumen.verdicts.read import parse_results
    from acumen.verdicts.truth import parse_reviews, parse_truth

    study = verdict_study()
    if method is not None and method not in study.results:
        known = ", ".join(study.results)
        raise UsageError(f"the demo holds {known}, not '{printable(method)}'")
    chosen = _policy(policy, [POLICY])
    runs = [
        parse_results(document, chosen, source=f"demo {name}")
        for name, document in study.results.items()
        if method in (None, name)
    ]
    return Inputs(chosen, runs, parse_truth(study.truth, chosen), parse_reviews(study.reviews))


def _policy(asked: str | None, named: list[str | None]) -> Policy:
    """The policy asked for, else the one the results name, else the one that ships."""
    from acumen.policy import builtin_policies, find_policy
    from acumen.verdicts.compute import DEFAULT_POLICY

    if asked is not None:
        return find_policy(asked)
    names = {name for name in named if name is not None}
    if len(names) > 1:
        told = ", ".join(printable(name) for name in sorted(names))
        raise UsageError(f"the results name different policies ({told}); choose one with --policy")
    name = names.pop() if names else DEFAULT_POLICY
    if name not in builtin_policies():
        raise UsageError(
            f"the results name the policy '{printable(name)}', which does not ship with acumen; "
            "give it with --policy FILE"
        )
    return find_policy(name)


def _scored(inputs: Inputs, options: Options, given: dict[str, Any], command: str) -> PairDocument:
    """Each run, and how two compare."""
    from acumen.results.verdicts import InputFile, MadeFrom, PairDocument
    from acumen.verdicts.compare import compare_runs, comparison_document
    from acumen.verdicts.score import document, score_study
    from acumen.verdicts.study import prepare

    policy, truth, reviews = inputs.policy, inputs.truth, inputs.reviews
    with_reasons = truth is not None
    made_from = MadeFrom(command=command, inputs=[InputFile(**file) for file in inputs.hashes])
    systems = []
    for run in inputs.runs:
        study = prepare(run, truth, policy, reviews, source=inputs.truth_file)
        system = document(score_study(study, options), given, with_reasons=with_reasons)
        systems.append(system.model_copy(update={"made_from": made_from}))
    if len(inputs.runs) != 2:
        return PairDocument(systems=systems)
    comparison = compare_runs(inputs.runs[0], inputs.runs[1], truth, policy, reviews, options)
    names = _names(inputs)
    return PairDocument(
        systems=systems,
        comparison=comparison_document(comparison, names, with_reasons=with_reasons),
    )


def _names(inputs: Inputs) -> tuple[str, str]:
    """What tells two runs apart: their methods, their run ids, their files, or their places."""
    for names in (
        [run.method for run in inputs.runs],
        [run.provenance.get("run_id") for run in inputs.runs],
        [path.stem for path in inputs.files],
    ):
        if len(set(names)) == 2 and None not in names:
            return str(names[0]), str(names[1])
    return "left", "right"


def _write(scored: PairDocument, output: Path | None, html: Path | None) -> None:
    from acumen.files.json import to_json, write_files

    files: dict[str | Path, bytes] = {}
    if output is not None:
        files[output] = to_json(scored.on_disk()).encode("utf-8")
    if html is not None:
        from acumen.report.html import render_report

        files[html] = render_report([scored]).encode("utf-8")
    write_files(files)  # both or neither

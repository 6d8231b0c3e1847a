"""``acumen demo``: both bundled studies, from their input files to the tables."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from acumen.errors import DataError

if TYPE_CHECKING:
    from acumen.evaluation.evaluation import Evaluation
    from acumen.inference.options import Options
    from acumen.results.verdicts import PairDocument

app = typer.Typer(add_completion=False)

MODES: Final = ("zero_shot", "few_shot")


@dataclass
class Demo:
    """What the demo makes: documents by the path they get, evaluations and verdict scores."""

    files: dict[str, Any] = field(default_factory=dict)
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    scores: PairDocument | None = None
    reported: list[str] = field(default_factory=list)
    """The files that the HTML report is made of."""


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where the files go.", show_default="./demo")
    ] = Path("demo"),
    resamples: Annotated[
        int, typer.Option("--bootstrap-resamples", min=0, help="Bootstrap resamples.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the resamples.")] = 42,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.", hidden=True)] = False,
) -> None:
    """Run both bundled studies end to end, on data made up by acumen itself.

    Writes their input files into DIR, evaluates zero-shot against few-shot
    PHQ-8 ratings and each alone, scores two methods' verdicts on 100
    restaurants, prints the tables and writes them as a page, report.html.

    Example: acumen demo demo
    """
    from acumen.inference.options import Options
    from acumen.report.html import write_report

    if folder.exists() and not folder.is_dir():
        raise DataError(["is a file; the demo needs a folder"], source=str(folder))
    options = Options(resamples=resamples, seed=seed)
    made = Demo()
    _ratings(made, folder, options)
    _verdicts(made, options)
    with _staged(folder) as stage:
        _write(made, stage)
        write_report([stage / name for name in made.reported], stage / "report.html")
    _print(made)
    for line in _where(folder):
        typer.echo(line)


def _ratings(made: Demo, folder: Path, options: Options) -> None:
    """The PHQ-8 study: the two modes against each other, and each alone."""
    import hashlib

    from acumen.evaluation.evaluate import evaluate
    from acumen.evaluation.plan import Plan
    from acumen.files.json import to_json
    from acumen.readers.run import run_from_document
    from acumen.studies import phq8_run

    document = phq8_run()
    made.files["phq8/run.json"] = document
    digest = hashlib.sha256(to_json(document).encode("utf-8")).hexdigest()
    path = folder / "phq8" / "run.json"
    left, right = (
        run_from_document(document, mode=mode, path=path, digest=digest) for mode in MODES
    )
    plan = Plan(confidence="all", options=options)
    made.evaluations = {
        "comparison": evaluate(left, right, plan),
        "zero_shot": evaluate(left, None, plan),
        "few_shot": evaluate(right, None, plan),
    }
    for name, evaluation in made.evaluations.items():
        file = f"phq8/{name}.json"
        made.files[file] = evaluation.artifact.model_dump(mode="json")
        made.reported.append(file)


def _verdicts(made: Demo, options: Options) -> None:
    """The verdict study: each method's scores, and the two compared."""
    from acumen.policy import find_policy
    from acumen.results.verdicts import PairDocument
    from acumen.studies import POLICY, verdict_study
    from acumen.verdicts.compare import compare_runs, comparison_document
    from acumen.verdicts.read import parse_results
    from acumen.verdicts.score import document, score_study
    from acumen.verdicts.study import prepare
    from acumen.verdicts.truth import parse_reviews, parse_truth

    study, policy = verdict_study(), find_policy(POLICY)
    truth, reviews = parse_truth(study.truth, policy), parse_reviews(study.reviews)
    made.files |= {f"verdicts/{name}.json": content for name, content in study.documents().items()}
    runs = {name: parse_results(content, policy) for name, content in study.results.items()}
    systems = [
        document(score_study(prepare(run, truth, policy, reviews, source="truth.json"), options))
        for run in runs.values()
    ]
    left, right = runs
    pair = compare_runs(runs[left], runs[right], truth, policy, reviews, options)
    comparison = comparison_document(pair, (left, right), with_reasons=True)
    made.scores = PairDocument(systems=systems, comparison=comparison)
    made.files["verdicts/scores.json"] = made.scores.on_disk()
    made.reported.append("verdicts/scores.json")


@contextlib.contextmanager
def _staged(folder: Path) -> Iterator[Path]:
    """A folder beside the target; what is in it moves over when all of it is there."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        stage = Path(tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", dir=folder.parent))
    except OSError as error:
        raise DataError([f"cannot be written: {error.strerror}"], source=str(folder)) from error
    try:
        yield stage
        files = sorted(path for path in stage.rglob("*") if path.is_file())
        targets = [folder / file.relative_to(stage) for file in files]
        _refuse_what_is_in_the_way(targets)
        for file, target in zip(files, targets, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            file.replace(target)
    except OSError as error:
        raise DataError([f"cannot be written: {error.strerror}"], source=str(folder)) from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _refuse_what_is_in_the_way(targets: Sequence[Path]) -> None:
    """Met before the first file moves, so that nothing is left half done."""
    for target in targets:
        if target.is_dir():
            raise DataError(["is a folder where a file should go"], source=str(target))
        if target.parent.exists() and not target.parent.is_dir():
            raise DataError(["is a file where a folder should go"], source=str(target.parent))


def _write(made: Demo, stage: Path) -> None:
    from acumen.files.json import write_json

    for name, content in made.files.items():
        (stage / name).parent.mkdir(parents=True, exist_ok=True)
        write_json(stage / name, content)


def _print(made: Demo) -> None:
    from acumen.report.selective.brief import brief
    from acumen.report.terminal import print_parts
    from acumen.report.verdicts.brief import brief as verdict_brief

    titles = {
        "comparison": "PHQ-8, zero-shot (left) against few-shot (right)",
        "zero_shot": "PHQ-8, zero-shot alone",
        "few_shot": "PHQ-8, few-shot alone",
    }
    for name, evaluation in made.evaluations.items():
        _heading(titles[name])
        print_parts(brief(evaluation.artifact))
    _heading("Verdicts on 100 restaurants, two methods")
    if made.scores is not None:
        print_parts(verdict_brief(made.scores))


def _heading(text: str) -> None:
    typer.echo(f"\n{text}\n{'=' * len(text)}\n")


def _where(folder: Path) -> list[str]:
    """Where everything is, and what to try next."""
    run = folder / "phq8" / "run.json"
    files = {
        "phq8/run.json": "the ratings, both modes",
        "phq8/{comparison,zero_shot,few_shot}.json": "their metrics",
        "verdicts/{truth,reviews,results-*}.json": "the verdicts",
        "verdicts/scores.json": "their scores, and the two compared",
        "report.html": "all of it, to look at",
    }
    lines = ["", f"The files are in {folder}:"]
    lines += [f"  {name:44}{about}" for name, about in files.items()]
    return [*lines, "", f"Next: acumen evaluate {run} --mode few_shot --confidence token_msp"]

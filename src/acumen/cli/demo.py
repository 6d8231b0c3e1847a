"""``acumen demo``: the bundled studies, from their input files to the tables."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from acumen import defaults
from acumen.cli import options
from acumen.cli.progress import waiting
from acumen.errors import DataError
from acumen.extras import need

if TYPE_CHECKING:
    from acumen.questions.evaluation import Evaluation
    from acumen.questions.result import Result
    from acumen.table.judgments import Judgments

app = typer.Typer(add_completion=False)

RUN: Final = "phq8/run.json"
TOTALS: Final = "phq8/totals.json"
SCORES: Final = "verdicts/scores.json"
TICKETS: Final = "tickets/tickets.json"
FINDINGS: Final = ("ratings/rated.json", "ratings/estimated.json")
FILES: Final = (
    *(RUN, "phq8/comparison.json", "phq8/zero_shot.json", "phq8/few_shot.json", TOTALS),
    *("verdicts/truth.json", "verdicts/reviews.json", "verdicts/results-rag.json"),
    *("verdicts/results-direct.json", SCORES, "ratings/ratings.json", *FINDINGS, TICKETS),
    "report.html",
)
HEADINGS: Final = (
    "PHQ-8 ratings, zero-shot and few-shot",
    "From items to a person: few-shot totals, and the cut at 10",
    "Verdicts on 100 restaurants, two methods",
    "Ratings of 80 texts by five people and two judges",
    "What a person would say of all texts, from 20 that were labelled",
)


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="[DIR]", help="Where the files go.", show_default="./demo")
    ] = Path("demo"),
    resamples: options.Resamples = defaults.RESAMPLES,
    seed: options.Seed = defaults.SEED,
) -> None:
    """Run the bundled studies end to end, on data made up by acumen itself.

    Writes their input files into DIR, evaluates zero-shot against few-shot
    PHQ-8 ratings and each alone, adds up the items of each person, scores
    two methods' verdicts on 100 restaurants, holds two judges against five
    people who rated 80 texts, prints a screen of each study and writes a
    page, report.html.

    Example: acumen demo demo

    Example: acumen demo quick --resamples 500
    """
    need("report", "acumen demo")
    from acumen.files.json import write_json
    from acumen.questions.estimate import estimate
    from acumen.questions.rate import rate
    from acumen.questions.score import score
    from acumen.questions.total import total
    from acumen.report.html import write_report
    from acumen.studies import JUDGES, RATERS, RATING, phq8_run, ratings, tickets, verdict_study

    run, study = phq8_run(), verdict_study()
    with _draft(folder) as draft, waiting("measuring the demo"):
        evaluations = _evaluate(run, folder / RUN, resamples, seed)
        totals = total(_table(run, folder / RUN, "few_shot"), prorate=0.75)
        scores = score("demo", resamples=resamples, seed=seed)
        inputs: dict[str, Any] = {
            f"verdicts/{name}.json": content for name, content in study.documents().items()
        }
        outputs = {f"phq8/{name}.json": e.to_dict() for name, e in evaluations}
        outputs[SCORES] = scores.to_dict()
        files = [
            {"role": Path(name).stem, "path": str(folder / name), "sha256": _digest(content)}
            for name, content in inputs.items()
        ]
        for system in outputs[SCORES]["systems"]:
            system["made_from"]["inputs"] = files
        rows = ratings()
        findings: list[Result[Any]] = [
            rate(rows, raters=RATERS, judge=JUDGES, length="words", own="author", **RATING),
            estimate(rows, labelled="label", prediction=JUDGES[0], **RATING),
        ]
        inputs |= {"ratings/ratings.json": rows, TICKETS: tickets()}
        outputs |= zip(FINDINGS, (finding.to_dict() for finding in findings), strict=True)
        outputs[TOTALS] = totals.to_dict()
        for name, content in {RUN: run, **inputs, **outputs}.items():
            (draft / name).parent.mkdir(exist_ok=True)
            write_json(draft / name, content)
        write_report([draft / name for name in outputs], draft / "report.html")
    _print(dict(evaluations)["comparison"], totals, scores, *findings)
    for line in _where(folder):
        typer.echo(line)


def _evaluate(
    run: Mapping[str, Any], path: Path, resamples: int, seed: int
) -> list[tuple[str, Evaluation]]:
    """The two modes against each other, and each alone."""
    from acumen.questions.evaluate import evaluate

    left, right = (_table(run, path, mode) for mode in ("zero_shot", "few_shot"))
    inputs = {"comparison": (left, right), "zero_shot": (left,), "few_shot": (right,)}
    return [
        (name, evaluate(*tables, confidence="all", resamples=resamples, seed=seed))
        for name, tables in inputs.items()
    ]


def _table(run: Mapping[str, Any], path: Path, mode: str) -> Judgments:
    """One mode of the run."""
    from acumen.readers.run import run_from_document

    return run_from_document(run, mode=mode, path=path, digest=_digest(run))


def _digest(content: object) -> str:
    from acumen.files.json import to_json

    return hashlib.sha256(to_json(content).encode("utf-8")).hexdigest()


@contextlib.contextmanager
def _draft(folder: Path) -> Iterator[Path]:
    """A folder beside the target; what is in it moves over when all of it is there."""
    targets = [folder / name for name in FILES]
    _refuse_what_is_in_the_way(targets)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        beside = tempfile.TemporaryDirectory(
            prefix=f".{folder.name[:100]}.", dir=folder.parent, ignore_cleanup_errors=True
        )
        with beside as draft:
            yield Path(draft)
            _refuse_what_is_in_the_way(targets)
            for name, target in zip(FILES, targets, strict=True):
                target.parent.mkdir(parents=True, exist_ok=True)
                Path(draft, name).replace(target)
    except OSError as error:
        raise DataError([f"cannot be written: {error.strerror}"], source=str(folder)) from error


def _refuse_what_is_in_the_way(targets: Sequence[Path]) -> None:
    """Met before anything is measured, and before the first file moves: nothing is half done."""
    for target in targets:
        if target.is_dir():
            raise DataError(["is a folder where a file should go"], source=str(target))
        if target.parent.exists() and not target.parent.is_dir():
            raise DataError(["is a file where a folder should go"], source=str(target.parent))


def _print(*results: Result[Any]) -> None:
    """What was found in each study, in its own words; the files have the numbers."""
    from acumen.report.blocks import Detail, Paragraph, Tone
    from acumen.report.terminal import print_parts

    for title, result in zip(HEADINGS, results, strict=True):
        sections = (s for s in result.sections() if s.detail is Detail.ANSWER and s.finding)
        answer = next(sections).finding
        print_parts([Paragraph(title, Tone.HEADING), Paragraph(answer)])
        typer.echo()


def _where(folder: Path) -> list[str]:
    """Where everything is, and what to try next."""
    files = {
        "report.html": "all of it, to look at",
        RUN: "the ratings, both modes",
        "phq8/{comparison,zero_shot,few_shot}.json": "their metrics",
        TOTALS: "their totals, and the cut at 10",
        "verdicts/{truth,reviews,results-*}.json": "the verdicts",
        SCORES: "their scores, and the two compared",
        "ratings/ratings.json": "ratings by five people and two judges",
        "ratings/{rated,estimated}.json": "judges against people, and few labels for all",
        TICKETS: "a judge that gives probabilities",
    }
    lines = [f"The files are in {folder}:"]
    lines += [f"  {name:44}{about}" for name, about in files.items()]
    return [
        *lines,
        "",
        f"Next: acumen show {folder / SCORES} --full",
        f"      acumen evaluate {folder / RUN} --mode few_shot --confidence token_msp --by item",
        f"      acumen evaluate {folder / TICKETS} --distribution probabilities --loss abs",
    ]

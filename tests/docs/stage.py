"""The folder that examples run in: every file that a page or a help text names, small."""

from __future__ import annotations

import contextlib
import csv
import json
import shlex
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from acumen.files.archive import Archive
from acumen.files.json import to_json, write_json
from acumen.studies import VerdictStudy, phq8_run, verdict_study
from tests.docs.blocks import Printed, printed_by
from tests.results.test_source import ARTIFACT

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def build(folder: Path) -> dict[str, Printed]:
    """Write the files; the commands that wrote some, and what they printed.

    Data that the pages ship lie as they do in the project, and in place.
    """
    if (DOCS / "data").exists():
        shutil.copytree(DOCS / "data", folder / "docs" / "data")
        shutil.copytree(DOCS / "data", folder, dirs_exist_ok=True)
    for name, document in _documents().items():
        write_json(folder / f"{name}.json", document)
    for name, rows in tables().items():
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    log = "".join(to_json(row, compact=True) for row in _log())
    (folder / "results.jsonl").write_text(log, "utf-8")
    (folder / "prompt.txt").write_text("How bad is it, from 0 to 2?\n")
    (folder / "triage.toml").write_text("matrix = [[0, 1, 2], [2, 0, 1], [9, 3, 0]]\n")
    _parquet(folder)
    _other_log(folder)
    (folder / "results").mkdir()
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as environment:
        # no page shows an end that a resample of the demo decides
        environment.setenv("ACUMEN_DEMO_RESAMPLES", "200")
        done = {f"acumen {line}": printed_by(["acumen", *shlex.split(line)]) for line in COMMANDS}
    assert [(line, *printed) for line, printed in done.items() if printed[1]] == []
    _labels(folder)
    for copy, original in _COPIES.items():
        shutil.copy(folder / original, folder / copy)
    return done


LABEL = (
    "label replies.csv --budget 60 --for threshold --case doc --prediction ai "
    "--confidence-column sure --levels 1-5 --show text --page mark.html --output sample.json"
)
"""What makes the page that two people labelled."""
COMMANDS = (
    LABEL,
    "demo demo",
    "threshold rows.csv --levels 0-2 --risk .35 --loss zero_one --output promise.json",
    "card make rows.csv --threshold promise.json --judge judge-1 --labelled-by 'two clinicians' "
    "--prompt prompt.txt --output card.json",
    "score rag.json direct.json --truth truth.json --reviews reviews.json --output scored.json",
    "score rag.json --truth truth.json --resamples 50 --output results/rag.json",
    "score direct.json --truth truth.json --resamples 50 --output results/direct.json",
    "count part-*.parquet --levels 0-3 --fewest 5 --salt SECRET --output a.counts",
    "count other-*.parquet --levels 0-3 --fewest 5 --salt SECRET --output b.counts",
    "merge a.counts b.counts --output pooled.counts",
    "count part-*.parquet --levels 0-3 --against pooled.counts --output a.moments",
    "count other-*.parquet --levels 0-3 --against pooled.counts --output b.moments",
)


_COPIES: Mapping[str, str | Path] = {
    "metrics.json": "demo/phq8/few_shot.json",
    "few_shot.json": "demo/phq8/few_shot.json",
    "verdicts.json": "demo/verdicts/scores.json",
    "export.json": ROOT / "tests" / "samples" / "labelstudio_quality.json",
}


def _documents() -> Mapping[str, Any]:
    study, verdicts = phq8_run(), verdict_study()
    zero, few = study["experiments"]
    results = dict(verdicts.results)
    return {
        "run": study,
        "train": study,
        "test": study,
        "base": study | {"experiments": [zero]},
        "new": study | {"experiments": [few]},
        "truth": verdicts.truth,
        "reviews": verdicts.reviews,
        "results": {**results["rag"], "results": _with_truth(verdicts)},
        **results,
        "theirs": ARTIFACT,
        "decided": DECIDED,
        "log": tables()["rows"],
        "answers": [{"id": 1, "question": "Why?", "answer": "So.", "truth": None}],
    }


def _log() -> Iterator[dict[str, Any]]:
    """Verdicts as another tool logs them, a line each, then what the run was."""
    for row in _with_truth(verdict_study()):
        facts = {"verdict": row["verdict"], "ground_truth": row["gt_verdict"]}
        yield {"sample_id": row["business_id"], **facts, "risk_score": row["risk_score"]}
    yield {"type": "metrics", "metrics": {}, "metadata": {"policy_id": "G1_allergy_V0"}}


DECIDED: Final = {
    "B018": {
        "verdict": "High Risk",
        "was": "Critical Risk",
        "by": "ann",
        "when": "2026-03-01",
        "why": "the review is of another place",
    }
}
"""A truth that a person decided again."""


def _with_truth(study: VerdictStudy) -> list[Any]:
    rows = study.results["rag"]["results"]
    return [row | {"gt_verdict": study.truth[row["business_id"]]["verdict"]} for row in rows]


def tables() -> dict[str, list[dict[str, Any]]]:
    """Rows of a judge that is right four times in five, and surer where it is right."""
    random = Random(5)
    rows, wide, rated, judged = [], [], [], []
    others: dict[str, list[dict[str, Any]]] = {"llama": [], "qwen": []}
    for case in range(60):
        truth = case % 3
        off = random.random() < 0.2
        prediction = (truth + 1) % 3 if off else truth
        sure = round(random.uniform(0.3, 0.8) + 0.2 * (not off), 2)
        chances = [0.1, 0.1, 0.1]
        chances[prediction] = 0.8
        rows.append({
            "case": case, "truth": truth, "prediction": prediction, "confidence": sure,
            "token_msp": sure, "verbalized_confidence": round(1 + 4 * sure),
            "site": "AB"[case % 2], "model": "xy"[case // 30],
            **dict(zip(("p_low", "p_middle", "p_high"), chances, strict=True)),
        })  # fmt: skip
        for often, answers in enumerate(others.values(), 7):
            answer = (prediction + 1) % 3 if case % often == 0 else prediction
            answers.append(rows[-1] | {"prediction": answer})
        stars = {who: 1 + (case + (random.random() < 0.1)) % 5 for who in ("ann", "ben", "eve")}
        stars |= {"ai": 1 + case % 5, "ai2": 1 + (case + off) % 5}
        wide.append({"doc": case, **stars})
        rated += [
            {"doc": case, "who": who, "stars": level, "prompt_id": f"{case}-{who}",
             "human_rating": level, "judge_rating": stars["ai"],
             "ai": stars["ai"], "sure": sure}
            for who, level in stars.items()
        ]  # fmt: skip
        judged += [
            {"doc": f"{model}{case}", "model": model, "lang": ("de", "en")[case % 2],
             "language": ("de", "en")[case % 2], "ai": stars["ai"],
             "human": stars["ann"] if case % 3 else ""}
            for model in "xy"
        ]  # fmt: skip
    gpt = [row | {"who": "gpt"} if row["who"] == "ai" else row for row in rated]
    one = [row | {"model": "x"} for row in judged if row["model"] == "x"]
    worth = [1 + 7 * case % 5 for case in range(200)]
    replies = [
        {"doc": f"d{case}", "text": f"Reply {case}: worth {star} of 5",
         "ai": star % 5 + 1 if case % 5 == 0 and sure < 0.6 else star, "sure": sure}
        for case, star in enumerate(worth)
        for sure in [case * 37 % 100 / 100]
    ]  # fmt: skip
    later = [row | {"doc": f"new {row['doc']}"} for row in replies[::4]]
    drawn = [
        {k: v for k, v in row.items() if k != "text"}
        | ({"human": star, "inclusion": chance} if case % round(1 / chance) == 0
           else {"human": "", "inclusion": ""})
        for case, (row, star) in enumerate(zip(replies, worth, strict=True))
        for chance in [0.5 if case < 50 else 0.25]
    ]  # fmt: skip
    return {
        "replies": replies, "later": later, "drawn": drawn,
        "rows": rows, "gpt": rows, "llama": others["llama"][::-1], "qwen": others["qwen"],
        "wide": wide, "ratings": gpt, "long": gpt, "judged": one, "two": judged,
        "labelled": _labelled(150), "drifted": _labelled(60, 50),
    }  # fmt: skip


def _labels(folder: Path) -> None:
    """What two people saved of the page: the stars that each text names, and a slip of the one."""
    page = (folder / "mark.html").read_text("utf-8")
    task = json.loads(page.split('id="data">')[1].split("</script>")[0])
    for who in ("ann", "ben"):
        with (folder / f"labels-{who}.csv").open("w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow([*task["columns"], *task["beside"]])
            for at, row in enumerate(task["rows"]):
                star = row["texts"][0].split()[-3] if who == "ann" or at % 20 else "3"
                more = [who.title(), "2026-01-03T09:30:00.000Z", row["inclusion"], task["sample"]]
                writer.writerow([*row["names"], star, *more])


def _other_log(folder: Path) -> None:
    """A second log of the same samples, by a model that answers one of them otherwise."""
    log = Archive((DOCS / "data" / "phq.eval").read_bytes(), "phq.eval")
    with zipfile.ZipFile(folder / "other.eval", "w") as copy:
        for name in log.names:
            answer = log.read(name).replace(b'"answer":"1"', b'"answer":"2"')
            copy.writestr(name, answer.replace(b'"answer": "1"', b'"answer": "2"'))


def _labelled(turn: int, triples: int = 34) -> list[dict[str, Any]]:
    """Cases that came later, judged as well as before up to one of them."""
    random = Random(8)
    return [
        {"day": case // 5, "case": f"n{case}", "truth": truth,
         "prediction": (truth + (random.random() < (0.2 if case < turn else 0.8))) % 3,
         "confidence": round(random.uniform(0.4, 0.9), 2)}
        for case, truth in enumerate([0, 1, 2] * triples)
    ]  # fmt: skip


def _parquet(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    made = tables()
    rows = [
        row | {"model": m}
        for m, name in zip("xy", ("rows", "qwen"), strict=True)
        for row in made[name]
    ]
    pq.write_table(pa.Table.from_pylist(rows), folder / "ratings.parquet")
    random = Random(6)
    for name in ("part-0", "part-1", "other-0"):
        truth = [random.randrange(4) for _ in range(200)]
        columns = {
            "case": [f"{name}-{i // 4}" for i in range(200)],
            "item": [i % 4 for i in range(200)],
            "truth": truth,
            "prediction": [t if random.random() < 0.7 else 3 - t for t in truth],
            "confidence": [round(random.random(), 2) for _ in truth],
        }
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")


def pages() -> list[Path]:
    """Every page written by hand, the README, and the guide for coding agents."""
    guides = [ROOT / "README.md", ROOT / "src" / "acumen" / "cli" / "skill.md"]
    return [*guides, *sorted(p for p in DOCS.rglob("*.md") if p.name != "changelog.md")]

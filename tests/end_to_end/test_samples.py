"""Tables as people have them: counts, levels, spot values and errors worked out apart from acumen.

The files lie in ``tests/samples``; the numbers were computed from what the files were made of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.results.older import step_of

FOLDER = Path(__file__).parents[1] / "samples"
HALVES = tuple(n / 2 if n % 2 else n // 2 for n in range(2, 21))


@dataclass(frozen=True)
class Sample:
    """A file, how it is read, and what is in it."""

    reading: dict[str, Any]
    rows: int
    cases: int
    items: int
    levels: tuple[Any, ...]
    counts: dict[str, int]
    level_mae: float
    spots: tuple[tuple[Any, ...], ...] = ()
    """Case, item, truth, prediction, confidence."""
    more: dict[str, Any] = field(default_factory=dict)


SAMPLES = {
    "binary.tsv": Sample(
        {
            "case": "patient",
            "item": "symptom",
            "truth": "label",
            "prediction": "pred",
            "confidence_column": "prob",
            "abstain": "-1",
        },
        *(30, 15, 2, (0, 1), {"answered": 23, "abstained": 7}, 3 / 23),
        (
            ("pt5", "cough", 0, 0, 0.405),
            ("pt5", "fever", 1, None, 0.728),
            ("pt6", "fever", 0, 1, 0.937),
        ),
    ),
    "excel_semicolon.csv": Sample(
        {
            "case": "Fall-Nr.",
            "item": "Kriterium",
            "truth": "Mensch",
            "prediction": "KI",
            "confidence_column": "Sicherheit",
        },
        *(16, 8, 2, HALVES, {"answered": 13, "abstained": 3}, 10 / 13),
        (
            ("Fall 2", "Inhalt", 9, 8.5, 0.009),
            ("Fall 3", "Inhalt", 3.5, None, 0.666),
            ("Fall 3", "Ton", 6, 6.5, 0.598),
        ),
    ),
    "hf_sentiment.parquet": Sample(
        {
            "case": "author",
            "item": "tweet_id",
            "truth": "label",
            "confidence_column": "probability",
        },
        *(30, 6, 30, ("negative", "neutral", "positive")),
        *({"answered": 26, "abstained": 4}, 8 / 26),
        (
            ("a2", "t10", "positive", "positive", 0.9319999814033508),
            ("a2", "t12", "neutral", None, 0.777999997138977),
        ),
    ),
    "likert_half.jsonl": Sample(
        {"truth": "expert", "prediction": "model_rating"},
        *(30, 10, 3, HALVES, {"answered": 28, "abstained": 2}, 27 / 28),
        (("S0", "q1", 8, 9, None), ("S0", "q2", 2, 2.5, None)),
    ),
    "messy.csv": Sample(
        {
            "case": "entry",
            "item": "measure",
            "levels": "1-5",
            "abstain": "-1",
            "mapping": {
                "outcome": {
                    "refused": {"path": "output", "equals": "I can't help with that."},
                    "failed": {"path": "output", "matches": "^ERROR"},
                }
            },
        },
        *(40, 20, 2, (1, 2, 3, 4, 5)),
        {"answered": 25, "abstained": 6, "refused": 4, "unparseable": 4, "failed": 1},
        0.36,
        (("e0", "m2", 4, 4, 0.526), ("e2", "m2", 4, 5, 0.021), ("e0", "m1", 4, None, 0.699)),
    ),
    "ragged.csv.gz": Sample(
        {
            "case": "thread",
            "item": "msg",
            "truth": "gold",
            "prediction": "model",
            "confidence_column": "conf_pct",
            "confidence_range": (0, 100),
        },
        *(35, 11, 6, (0, 1, 2, 3, 4), {"answered": 30, "abstained": 5}, 14 / 30),
    ),
    "raters_long.csv": Sample(
        {
            "case": "document",
            "item": "criterion",
            "truth": "score",
            "rater": "rater",
            "prediction": "ai_score",
            "confidence_column": "ai_confidence",
        },
        *(47, 8, 2, (1, 2, 3, 4, 5), {"answered": 38, "abstained": 9}, 18 / 38),
        (("doc0", "clarity", 4, 3, 0.527), ("doc0", "depth", 5, None, 0.259)),
        {"raters": ("rater1", "rater2", "rater3")},
    ),
    "raters_wide.csv": Sample(
        {"truth": "rater_1,rater_2,rater_3", "prediction": "ai", "confidence_column": "ai_conf"},
        *(53, 20, 1, (0, 1, 2, 3), {"answered": 41, "abstained": 12}, 18 / 41),
        (("p000", "item", 1, 2, 0.972), ("p009", "item", 2, None, 0.046)),
        {"raters": ("rater_1", "rater_2", "rater_3")},
    ),
    "repeats.jsonl": Sample(
        {
            "case": "key.case",
            "item": "key.item",
            "truth": "gold",
            "prediction": "out.rating",
            "confidence_column": "out.conf",
            "repeat": "run",
        },
        *(42, 7, 2, (1, 2, 3, 4, 5), {"answered": 38, "abstained": 4}, 17 / 38),
        (("k0", "x", 2, 2, 0.58), ("k0", "y", 5, None, 0.76)),
        {"repeats": (0, 1, 2)},
    ),
    "stars.csv": Sample(
        {"item": "aspect", "truth": "human_stars", "prediction": "ai_stars"},
        *(36, 12, 3, (1, 2, 3, 4, 5), {"answered": 30, "abstained": 6}, 8 / 30),
        (
            ("rev04", "food", 3, 2, 0.405),
            ("rev04", "service", 5, None, 0.432),
            ("rev04", "price", 3, 4, 0.498),
        ),
    ),
    "subgroups.csv": Sample(
        {"confidence_column": "llm_conf", "group": ["sex"]},
        *(36, 18, 2, (0, 1, 2, 3), {"answered": 30, "abstained": 6}, 0.3),
        (("id6", "pain", 2, 2, 34), ("id8", "pain", 3, None, 41), ("id6", "mood", 1, 0, 25)),
        {"groups": {"sex": ("F", "M")}},
    ),
    "three_systems.parquet": Sample(
        {"system": "model", "prediction": "rating", "where": ["model=alpha", "model=beta"]},
        *(40, 10, 2, (1, 2, 3, 4, 5), {"answered": 30, "abstained": 10}, 10 / 30),
        (("case0", "a", 3, 3, 0.031), ("case4", "a", 5, None, 0.111), ("case0", "b", 5, 5, 0.141)),
        {"systems": ("alpha", "beta")},
    ),
    "words.json": Sample(
        {
            "case": "client",
            "item": "dimension",
            "prediction": "answer",
            "levels": "low,medium,high",
        },
        *(18, 9, 2, ("low", "medium", "high")),
        *({"answered": 15, "abstained": 2, "unparseable": 1}, 1 / 3),
        (
            ("c3", "risk", "low", "low", 59),
            ("c8", "urgency", "low", None, 31),
            ("c2", "urgency", "medium", None, 79),
        ),
    ),
    **{
        f"mlflow_quality.{ending}": Sample(
            {
                "case": "request.dossier",
                "item": "request.question",
                "truth": "gold_rating/value",
                "prediction": "quality/value",
                "confidence_column": "quality_confidence/value",
                "mapping": {
                    "outcome": {"unscored": {"path": "quality/error_message", "null": False}}
                },
            },
            *(12, 4, 12, (1, 2, 3, 4), {"answered": 10, "abstained": 1, "unscored": 1}, 0.5),
        )
        for ending in ("csv", "parquet")
    },
}


def panel_error(name: str) -> float:
    """The mean over judgments of the mean error against their raters, row by row."""
    table = acumen.read(FOLDER / name, **SAMPLES[name].reading)
    errors: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(table.answered):
        key = int(table.case[row]), int(table.item[row])
        errors.setdefault(key, []).append(abs(int(table.prediction[row]) - int(table.truth[row])))
    return sum(sum(each) / len(each) for each in errors.values()) / len(errors)


PANELS = {
    "raters_long.csv": ({"answered": 13, "abstained": 3}, panel_error("raters_long.csv")),
    "raters_wide.csv": ({"answered": 15, "abstained": 5}, panel_error("raters_wide.csv")),
}


def table_of(name: str) -> acumen.Judgments:
    return acumen.read(FOLDER / name, **SAMPLES[name].reading)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_table_has_the_counts_that_its_file_was_made_with(name: str) -> None:
    sample, table = SAMPLES[name], table_of(name)
    assert (len(table), len(table.cases), len(table.items)) == (
        *(sample.rows, sample.cases, sample.items),
    )
    assert table.scale.levels == sample.levels
    assert {key: n for key, n in table.outcomes.items() if n} == sample.counts
    rungs = np.abs(table.prediction - table.truth)[table.answered]
    assert rungs.mean() == pytest.approx(sample.level_mae, abs=1e-15)


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.spots])
def test_a_table_has_the_rows_that_its_file_has(name: str) -> None:
    table = table_of(name)
    sure = table.signals["confidence"].values if "confidence" in table.signals else None
    levels = (*table.scale.levels, None)
    rows = [
        (
            *(table.cases[table.case[row]], table.items[table.item[row]]),
            *(levels[table.truth[row]], levels[table.prediction[row]]),
            None if sure is None else sure[row],
        )
        for row in range(len(table))
    ]
    assert [spot for spot in SAMPLES[name].spots if spot not in rows] == []


@pytest.mark.parametrize("name", [name for name, sample in SAMPLES.items() if sample.more])
def test_raters_repeats_systems_and_groups_are_those_declared(name: str) -> None:
    table = table_of(name)
    for key, values in SAMPLES[name].more.items():
        if key == "groups":
            assert {k: group.values for k, group in table.groups.items()} == values
        else:
            assert getattr(table, key.removesuffix("s")).values == values


def options_of(name: str, folder: Path) -> list[str]:
    """The reading of a sample as options; rules of outcomes can stand in a mapping alone."""
    words: list[str] = []
    for key, value in SAMPLES[name].reading.items():
        if key == "mapping":
            rules = {
                outcome: ", ".join(f"{k} = {json.dumps(v)}" for k, v in rule.items())
                for outcome, rule in value["outcome"].items()
            }
            lines = [f"{outcome} = [{{ {rule} }}]" for outcome, rule in rules.items()]
            (folder / "m.toml").write_text("\n".join(["[outcome]", *lines]))
            words += ["--mapping", str(folder / "m.toml")]
        elif isinstance(value, tuple):
            words += [f"--{key.replace('_', '-')}", ",".join(map(str, value))]
        else:
            for entry in value if isinstance(value, list) else [value]:
                words += [f"--{key.replace('_', '-')}", entry]
    return words


@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_line_reads_what_python_reads(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample = SAMPLES[name]
    options = [*options_of(name, tmp_path), "--resamples", "0", "--json"]
    options += ["--by", "sex"] if name == "subgroups.csv" else []  # a group is for slices
    assert run(["evaluate", str(FOLDER / name), *options]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["scale"]["levels"] == list(sample.levels)
    if "systems" in sample.more:
        return
    counts = {key: n for key, n in document["population"]["outcomes"].items() if n}
    # an evaluation counts judgments: several raters of one are its panel
    wanted, level_mae = PANELS.get(name, (sample.counts, sample.level_mae))
    assert counts == wanted
    rows = sum(n for key, n in counts.items() if key not in ("failed", "unscored"))
    coverage = counts["answered"] / rows
    assert document["overall"]["coverage"]["value"] == pytest.approx(coverage, abs=1e-15)
    error = step_of(sample.levels) * level_mae  # errors are told in the numbers of the scale
    assert document["overall"]["mae"]["value"] == pytest.approx(error, abs=1e-15)

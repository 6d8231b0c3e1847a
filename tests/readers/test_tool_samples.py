"""Files that other tools wrote, read whole: counts, levels, spot values, mean error.

What is expected (``tests/samples/tools.json``) was worked out from the data that the tools were
given, by scripts that do not know acumen.
"""

from __future__ import annotations

import contextlib
import copy
import json
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import AcumenError
from acumen.readers import read_content
from acumen.readers.content import Content
from acumen.results.older import step_of
from acumen.table.judgments import Judgments, Outcome

SAMPLES = Path(__file__).parents[1] / "samples"
TOOLS: dict[str, dict[str, Any]] = json.loads((SAMPLES / "tools.json").read_text("utf-8"))


def options(name: str) -> list[str]:
    """As one types them; a mapping file stands beside the samples."""
    return [str(SAMPLES / o) if o.endswith(".toml") else o for o in TOOLS[name]["options"]]


def keywords(name: str) -> dict[str, Any]:
    """The same as keywords of a door."""
    words = options(name)
    pairs = zip(words[::2], words[1::2], strict=True)
    return {key.removeprefix("--").replace("-", "_"): value for key, value in pairs}


@cache
def table_of(name: str) -> Judgments:
    return acumen.read(SAMPLES / name, **keywords(name))


def off_by(table: Judgments, rows: Any = True) -> float | None:
    """Mean error in levels over the answered rows that have a truth."""
    answered = table.answered & (table.truth >= 0) & rows
    errors = np.abs(table.prediction.astype(int) - table.truth)[answered]
    return float(errors.mean()) if answered.any() else None


def names_of(table: Judgments, column: str) -> list[Any]:
    coded = getattr(table, column)
    return [coded.values[code] for code in coded.codes.tolist()]


PANELS: Final = {"labelstudio_quality.json": {"answered": 7, "abstained": 2, "failed": 1}}
"""Samples with several raters: how many judgments came to what. A skip is not in the panel."""


def counts_of(name: str, expected: dict[str, Any]) -> dict[str, int]:
    return dict.fromkeys(expected["counts"], 0) | PANELS.get(name, expected["counts"])


@pytest.mark.parametrize("name", TOOLS)
def test_rows_cases_items_and_levels(name: str) -> None:
    table, expected = table_of(name), TOOLS[name]
    left_out = table.no_truth + table.skips
    assert len(table.case) + left_out == expected["rows"]
    assert int((table.truth < 0).sum()) + left_out == expected["truth_missing"]
    assert table.skips == (expected["truth_missing"] if name in PANELS else 0)
    assert len(table.cases) == expected["cases"]
    assert len(table.items) == expected["items"]
    assert list(table.scale.levels) == expected["levels"]


@pytest.mark.parametrize("name", TOOLS)
def test_outcomes_are_those_of_the_data(name: str) -> None:
    table, counts = table_of(name), TOOLS[name]["counts"]
    outcomes = dict(table.outcomes)
    # answers to rows that nobody rated are left out, and counted as such
    outcomes["answered"] += outcomes.pop("no_truth")
    assert outcomes == counts


@pytest.mark.parametrize("name", TOOLS)
def test_mean_error_over_all_and_within_systems_and_raters(name: str) -> None:
    table, expected = table_of(name), TOOLS[name]
    assert off_by(table) == pytest.approx(expected["level_mae"], abs=1e-12)
    for column in ("system", "rater"):
        parts = expected.get(f"by_{column}", {})
        names = np.array([str(n) for n in names_of(table, column)] if parts else [])
        for part, numbers in parts.items():
            assert off_by(table, names == part) == pytest.approx(numbers["level_mae"], abs=1e-12)
        assert len(set(names)) == len(parts)


@pytest.mark.parametrize("name", [n for n in TOOLS if "confidence_mean_answered" in TOOLS[n]])
def test_the_confidence_of_answers(name: str) -> None:
    table = table_of(name)
    mean = float(np.mean(table.signals["confidence"].values[table.answered]))
    if name in PANELS:  # by hand, of the 7 answers; what is stated counts every rating, and skips
        answered = table.answered & table.once
        mean = float(np.mean(table.signals["confidence"].values[answered]))
        assert mean == pytest.approx((0.53 + 0.31 + 0.81 + 0.34 + 0.51 + 0.31 + 0.98) / 7)
        return
    assert mean == pytest.approx(TOOLS[name]["confidence_mean_answered"], abs=1e-7)


@pytest.mark.parametrize("name", TOOLS)
def test_spot_values(name: str) -> None:
    table = table_of(name)
    keys = [k for k in ("repeat", "rater", "system") if getattr(table, k) is not None]
    columns = {k: [str(v) for v in names_of(table, k)] for k in keys}
    for spot in TOOLS[name]["spot"]:
        same = [
            row
            for row in range(len(table.case))
            if str(table.cases[table.case[row]]) == str(spot["case"])
            and (len(table.items) == 1 or table.items[table.item[row]] == str(spot["item"]))
            and all(columns[k][row] == str(spot[k]) for k in keys if spot.get(k) is not None)
        ]
        (row,) = same
        assert Outcome(table.outcome[row]).name.lower() == spot["outcome"]
        if spot["truth"] is not None:
            assert table.scale.levels[table.truth[row]] == spot["truth"]
        if spot["prediction"] is not None:
            assert table.scale.levels[table.prediction[row]] == spot["prediction"]
        else:
            assert table.prediction[row] == -1
        if spot.get("confidence") is not None:
            value = table.signals["confidence"].values[row]
            assert value == pytest.approx(spot["confidence"], abs=1e-12)


ODD: tuple[Any, ...] = (
    None,
    3,
    -1,
    1.5,
    "x",
    "",
    [],
    {},
    [1],
    [{}],
    {"a": 1},
    True,
    10**30,
    [["a"]],
)


def with_odd_parts(document: Any, random: Random) -> Any:
    """The document with some of its parts gone, or something else in their place."""
    document = copy.deepcopy(document)
    for _ in range(random.choice([1, 1, 2, 5])):
        above: Any = None
        key: Any = None
        node = document
        for _ in range(random.randint(1, 7)):
            if not isinstance(node, dict | list) or not node:
                break
            above = node
            key = random.choice([*node] if isinstance(node, dict) else range(len(node)))
            node = node[key]
        if isinstance(above, dict) and random.random() < 0.3:
            del above[key]
        elif above is not None:
            above[key] = copy.deepcopy(random.choice(ODD))
    return document


@pytest.mark.parametrize("name", [n for n in TOOLS if n.endswith((".json", ".jsonl"))])
def test_a_file_with_odd_parts_is_read_or_refused(name: str) -> None:
    text, has_lines = (SAMPLES / name).read_text("utf-8"), name.endswith(".jsonl")
    whole: Any = [json.loads(x) for x in text.splitlines()] if has_lines else json.loads(text)
    if name.startswith("inspect"):
        whole["samples"] = [sample | {"events": []} for sample in whole["samples"]]
    random = Random(name)
    for _ in range(25):
        odd = with_odd_parts(whole, random)
        data = "\n".join(map(json.dumps, odd)) if has_lines else json.dumps(odd)
        with contextlib.suppress(AcumenError):  # anything else is a fault of ours
            read_content(Content(name, BytesIO(data.encode())), **keywords(name))


def test_a_killed_run_is_partial() -> None:
    assert table_of("inspect_killed.eval").planned == TOOLS["inspect_killed.eval"]["planned_rows"]


def studies() -> list[tuple[str, str | None]]:
    """Each file, or each of its systems by itself: two would be compared on what both have."""
    parts: dict[str, list[Any]] = {n: [*e.get("by_system", {})] for n, e in TOOLS.items()}
    return [(name, part) for name, own in parts.items() for part in own or [None]]


@pytest.mark.parametrize(("name", "system"), studies())
def test_the_command_line_says_the_same(
    name: str, system: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    expected: dict[str, Any] = TOOLS[name]
    choice = []
    if system is not None:
        choice = ["--where", f"{expected['system']}={system}"]
        expected = expected | expected["by_system"][system]
    arguments = ["evaluate", str(SAMPLES / name), *options(name), *choice, "--json"]
    code = run([*arguments, "--bootstrap-resamples", "50"])
    out, err = capsys.readouterr()
    assert code == (4 if "planned_rows" in expected else 0), err
    document = json.loads(out)
    counts = document["population"]["outcomes"]
    counts["answered"] += counts.pop("no_truth")
    assert counts == counts_of(name, expected)
    assert document["scale"]["levels"] == expected["levels"]
    overall = document["overall"]
    judged = sum(counts[o] for o in ("answered", "abstained", "refused", "unparseable"))
    share = counts["answered"] / judged
    assert overall["coverage"]["value"] == pytest.approx(share, abs=1e-12)
    error = overall.get("mae", {}).get("value")
    # of the panels, by hand: 0, 1/2, 2/3, 1/2, 0, 1/2 and 0
    wanted = 13 / 42 if name in PANELS else expected["level_mae"]
    step = step_of(expected["levels"])  # errors are told in the numbers of the scale
    assert error == (None if wanted is None else pytest.approx(step * wanted, abs=1e-12))

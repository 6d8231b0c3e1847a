"""A table of results in every format: names from files are text there and nothing else."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from acumen.cli import run
from acumen.errors import printable

NAMES = (
    "\x1b[2Jx",
    "a\\|b|c",
    "[x](javascript:alert(1))<img src=x onerror=alert(1)>&lt;",
    "**bold** _it_ `code` ~~no~~ ![i](http://127.0.0.1/) $x$",
    "[99cm]x",
    "*x",
    "\\input{/etc/passwd}_$x^2~#%&{}",
    "=cmd|' /C calc'!A0",
    "  @SUM(1)",
    "\uff1d1+1",
    "two\nlines\r\n",
    "\u202egpj.exe",
    "m" * 300,
)


def shelved(folder: Path, name: str, **more: Any) -> None:
    scores = {"auprc": 0.8, "process_score": 80.0, "consistency_score": 99.0}
    document = {"unified_scores": scores, "accuracy": 0.5, "total": 2, "n": 2}
    texts = dict.fromkeys(("method", "policy_id", "run_id", "model", "timestamp"), name)
    place = folder / f"{len(list(folder.iterdir()))}.json"
    place.write_text(json.dumps(document | texts | more))


def shown(folder: Path, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["show", str(folder), "--format", form]) == 0
    return capsys.readouterr().out


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    for name in NAMES:
        shelved(tmp_path, name)
    return tmp_path


def test_no_format_lets_a_control_character_through(
    shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("table", "markdown", "latex", "csv"):
        text = shown(shelf, form, capsys)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202e]", text), form
    assert sorted(row["method"] for row in json.loads(shown(shelf, "json", capsys))) == sorted(
        NAMES
    )


@pytest.mark.parametrize("start", range(0, len(NAMES), 4))
def test_long_names_are_folded_and_numbers_stay_whole(
    tmp_path: Path, start: int, capsys: pytest.CaptureFixture[str]
) -> None:
    names = NAMES[start : start + 4]  # of so few, a screen leaves none out
    for name in names:
        shelved(tmp_path, name)
    lines = shown(tmp_path, "table", capsys).splitlines()
    assert max(len(line) for line in lines) <= 80
    # names so long leave room for three numbers; the fourth stands below, beside the names again
    numbers = [number for line in lines for number in re.findall(r"\d+\.\d%", line)]
    for value, times in (("50.0%", 1), ("80.0%", 2), ("99.0%", 1)):
        assert numbers.count(value) == times * len(names)
    beginnings = [name for name in names if name.startswith("=cmd|' /C")]
    assert sum(line.startswith("=cmd|' /C") for line in lines) == 2 * len(beginnings)


def test_a_markdown_table_shows_every_name_as_it_is_written(
    shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    rendered = page.render(shown(shelf, "markdown", capsys))
    cells = [html.unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", rendered)]
    expected = sorted(printable(name).strip() for name in NAMES)
    assert sorted(cells[::2]) == sorted(cells[1::2]) == expected
    assert not re.search(r"<(?!/?(?:table|thead|tbody|tr|th|td)\b)", rendered)


def test_a_latex_table_holds_no_command_of_a_name(
    shelf: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(shelf, "latex", capsys).splitlines()
    rows = lines[lines.index(r"\midrule") + 1 : lines.index(r"\bottomrule")]
    assert len(rows) == len(NAMES)
    words = "backslash|asciitilde|asciicircum|less|greater|bar"
    own = rf"\\text(?:{words})\{{\}}|\\[&%$#_{{}}]|\{{[\[*]\}}"
    for row in rows:
        assert not row.lstrip().startswith(("[", "*"))  # an argument of the \\ before it
        cells = re.sub(own, "", row.removesuffix(r" \\")).split(" & ")
        assert len(cells) == 7
        assert not re.search(r"[\\&%$#_{}~^]", "".join(cells))


def test_a_spreadsheet_runs_no_name(shelf: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(shown(shelf, "csv", capsys))))
    assert len(rows) == len(NAMES)
    for row in rows:
        assert row["accuracy"] == "50.0"
        assert not row["method"].lstrip().startswith(("=", "+", "-", "@", "\uff1d"))


@pytest.mark.parametrize(
    ("form", "marked", "plain"),
    [
        ("table", "[10.0%, 90.0%]*", "[40.0%, 60.0%] "),
        ("markdown", "80.0% \\[10.0%, 90.0%\\]\\* |", "50.0% \\[40.0%, 60.0%\\] |"),
        ("latex", "80.0\\% {[}10.0\\%, 90.0\\%]$^{*}$ &", "50.0\\% {[}40.0\\%, 60.0\\%] &"),
        ("csv", ",10.0,90.0,rests on 2 cases of 'Critical Risk': unreliable,", ",40.0,60.0,,"),
    ],
)
def test_an_interval_that_rests_on_too_few_cases_is_marked(
    form: str, marked: str, plain: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = {
        "flags": ["rare_level"],
        "rests_on": {"cases": 2, "where": "at", "level": "Critical Risk"},
    }
    wide, sound = {"low": 0.1, "high": 0.9, "method": "x"}, {"low": 0.4, "high": 0.6, "method": "x"}
    metrics = {
        "ordinal_auprc": {"value": 0.8, "interval": wide | few},
        "total_accuracy": {"value": 0.5, "interval": sound},
    }
    shelved(tmp_path, "rag", metrics=metrics)
    text = shown(tmp_path, form, capsys)
    assert marked in text
    assert plain in text
    assert ("rests on too few cases" in text) == (form != "csv")
    shelved(tmp_path, "rag", metrics={})
    (tmp_path / "0.json").unlink()
    assert "unreliable" not in shown(tmp_path, form, capsys)


def test_a_pipe_in_a_folder_is_not_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shelved(tmp_path, "rag")
    os.mkfifo(tmp_path / "pipe.json")
    assert '"method": "rag"' in shown(tmp_path, "json", capsys)


def test_without_a_place_to_look_the_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["show"]) == 2
    told = "there is no folder 'results' here; name documents or folders"
    assert told in capsys.readouterr().err


def test_a_pair_is_shown_with_its_comparison(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pair.json"
    assert run(["score", "--demo", "--resamples", "50", "--output", str(out)]) == 0
    printed = capsys.readouterr().out
    assert run(["show", "--dev", str(tmp_path)]) == 0
    again = capsys.readouterr().out
    assert "rag reasons better: process 96.2% for rag, 60.4% for direct" in printed
    assert again.endswith(printed)
    assert run(["show", "--dev", str(tmp_path), "--full"]) == 0
    assert "\nHow the two differ on the same 99 cases\n" in capsys.readouterr().out


@pytest.mark.parametrize("names", [{}, {"left": None, "right": ""}])
def test_a_comparison_without_names_and_counts_is_shown_as_far_as_it_goes(
    names: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {"unified_scores": {"auprc": 0.8}}
    deltas = {"process": {"delta": 0.02, "left": 0.8, "right": 0.82}}
    pair = tmp_path / "pair.json"
    pair.write_text(
        json.dumps({"systems": [scores, scores], "comparison": {**names, "deltas": deltas}})
    )
    assert run(["show", "--dev", str(pair)]) == 0
    printed = capsys.readouterr().out
    answer, told = printed.split("How the two differ\n")
    assert "Difference: right minus left, paired by case" in told
    assert "process 80.0% for left, 82.0% for right, and there" in " ".join(answer.split())
    assert "None" not in printed
    page = tmp_path / "page.html"
    assert run(["report", str(pair), "-o", str(page)]) == 0
    content = page.read_text("utf-8")
    assert "right minus left, in points." in content
    assert '<p class="subtitle">Verdict study</p>' in content
    words = content[content.index("</header>") : content.index('id="s1-provenance"')]
    assert "None" not in words
    assert "0 verdicts" not in words


@pytest.mark.parametrize(
    ("delta", "message"),
    [
        ({"delta": 1.0, "left": None, "right": 2.0}, "a difference needs both sides"),
        ({"interval": {"low": 1.0, "method": "x"}}, "interval.high: is missing"),
        ({"delta": "0.1"}, "delta: must be a number, not the text '0.1'"),
        ({"counts": {"left": [1], "right": [1, 2]}}, "counts.left[1]: is missing"),
        ({"favours": "\x1b[2J"}, "favours: must be 'left' or 'right', not the text"),
    ],
)
def test_a_damaged_comparison_is_refused(
    delta: dict[str, Any], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {"unified_scores": {"auprc": 0.8}}
    pair = {"left": "a", "right": "b", "deltas": {"accuracy": {"delta": None} | delta}}
    path = tmp_path / "pair.json"
    path.write_text(json.dumps({"systems": [scores, scores], "comparison": pair}))
    assert run(["show", str(path)]) == 3
    told = capsys.readouterr().err
    assert "pair.json: deltas.accuracy" in told
    assert message in told
    assert "\x1b" not in told

"""``acumen reconcile``: other tools' numbers, worked out by their own definitions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from acumen.cli import run
from acumen.metrics.conventions import ToolValue, conventions, readings
from acumen.views.ranking import Ranking, rank


def trapezoid(y: Sequence[float], x: Sequence[float]) -> float:
    return float(sum((b + a) / 2 * (v - u) for a, b, u, v in zip(y, y[1:], x, x[1:], strict=False)))


def by_name(ranking: Ranking) -> dict[str, ToolValue]:
    return {f"{r.tool} {r.name}": r for r in readings(ranking)}


def test_every_tool_shows_what_its_own_definition_gives() -> None:
    rng = np.random.default_rng(3)
    rungs, confidence = rng.integers(0, 3, 40), rng.permutation(40)
    answered = rng.random(40) < 0.7
    found = by_name(rank(rungs, confidence, answered, unit=1 / 3))
    loss = rungs[answered][np.argsort(-confidence[answered])] / 3
    n = len(loss)
    risk = np.cumsum(loss) / np.arange(1, n + 1)
    coverage = np.arange(1, n + 1) / n
    quality = 1 - loss
    quality = (quality - quality.min()) / (quality.max() - quality.min())
    stretched = np.cumsum(1 - quality) / np.arange(1, n + 1)
    expected = {
        "fd-shifts aurc": 1000 * trapezoid([risk[0], *risk], [0, *coverage]),
        "torch-uncertainty AURC": trapezoid([*risk], [*coverage]) / (1 - 1 / n),
        "lm-polygraph rcc-auc": stretched.mean(),
        "HELM selective_cov_acc_area": (np.cumsum(1 - loss) / np.arange(1, n + 1)).mean(),
        "MAPIE AUARC": 1 - risk.mean(),
        "acumen aurc": trapezoid([risk[0], *risk], [0, *coverage]) * n / 40,
        "acumen aurc_random_ties ÷ coverage": risk.mean(),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value), name
    assert "from 0..0.6667 to 0..1" in found["lm-polygraph rcc-auc"].why


def test_one_answered_row_has_no_number_where_two_are_needed() -> None:
    found = by_name(rank([1, 1], [2, 1], [True, False], unit=1 / 3))
    assert found["torch-uncertainty AURC"] == ToolValue(
        "torch-uncertainty", "AURC", None, "needs two rows"
    )
    assert found["lm-polygraph rcc-auc"].value == 0.5
    assert readings(rank([1], [1], [False])) == []


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text("case,truth,prediction,confidence\n1,0,0,2\n2,0,3,2\n3,1,1,1\n4,0,,0\n")
    return path


def test_the_table_says_why_and_that_ties_are_taken_in_row_order(
    rows: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reconcile", str(rows)]) == 0
    out = capsys.readouterr().out
    for told in ("fd-shifts", "torch-uncertainty", "lm-polygraph", "HELM", "MAPIE", "AUARC"):
        assert told in out
    assert "3 answered of 4 rows" in out
    assert "2 distinct confidences among 3 rows" in out
    assert "277.778" not in out  # the trapezoid keeps the tie together: .5, then 1/3
    assert "472.222" in out
    assert max(map(len, out.splitlines())) <= 80


def test_row_order_moves_the_tools_that_break_ties_and_no_other(rows: Path) -> None:
    one, other = (by_name(rank(loss, [2, 2, 1], unit=1)) for loss in ([0, 1, 0], [1, 0, 0]))
    moved = {name for name in one if one[name].value != pytest.approx(other[name].value)}
    assert moved == {name for name in one if "ties in row order" in one[name].why} | {"MAPIE AUARC"}


def test_bad_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"experiments": []}')
    assert run(["reconcile", str(path)]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "acumen: run.json: experiments: must be a list of at least one experiment, "
        "not an empty list\n"
        f"try: python -m json.tool {path} | grep -n -w -C 15 -e experiments\n"
    )


def test_weights_are_left_aside_and_said_to_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain, weighted = rank([0, 1, 2], [3, 2, 1]), rank([0, 1, 2], [3, 2, 1], weight=[9, 1, 1])
    assert conventions(weighted) == conventions(plain)
    path = tmp_path / "rows.csv"
    path.write_text("case,truth,prediction,confidence,weight\na,0,0,3,9\nb,0,1,2,1\nc,0,2,1,1\n")
    assert run(["reconcile", str(path), "--weight", "weight"]) == 0
    assert "weights are not used" in " ".join(capsys.readouterr().out.split())

"""A watched promise: what each case says, where it goes on, when it is alarmed, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.inference.betting import Alarm
from acumen.report.watching import line_of
from acumen.results.watching import WatchDocument

Row = dict[str, Any]


def promise() -> Any:
    """At most a fifth is lost of what is surer than 0.4."""
    table = acumen.from_columns(
        case=np.repeat(np.arange(60), 2),
        item=["x", "y"] * 60,
        truth=np.zeros(120, int),
        prediction=[0] * 112 + [2] * 8,
        confidence=[0.9] * 100 + [0.4] * 20,
        scale=[0, 1, 2],
    )
    return acumen.threshold(table, risk=0.2, loss="abs", grid=[0.4], delta=0.2)


def rows(errors: str, start: int = 0) -> list[Row]:
    """A case a letter: r right, w wrong, u unsure, n nothing said; two rows each."""
    answers: dict[str, tuple[int | None, float]] = {
        "r": (0, 0.9), "w": (2, 0.9), "u": (2, 0.3), "n": (None, 0.9)
    }  # fmt: skip
    return [
        {
            "case": f"s{k}",
            "item": item,
            "truth": 0,
            "prediction": answers[letter][0],
            "confidence": answers[letter][1],
        }
        for k, letter in enumerate(errors, start)
        for item in ("x", "y")
    ]


def test_the_capital_is_that_of_bets_on_what_is_lost_beyond_the_promise() -> None:
    document = acumen.watch(rows("rrwun"), promise=promise(), every=2).document
    # losses are shares of the largest, 2: the promise is of a tenth
    alarm, alpha = Alarm(), 0.1
    for accepted, loss in ((2, 0), (2, 0), (2, 2), (0, 0), (0, 0)):
        alarm.bet(loss - alpha * accepted, -alpha * 2)
    (wager,) = document.wagers
    assert wager.capital == pytest.approx(float(alarm.capital), rel=1e-12)
    assert document.risk.value == pytest.approx(2 * 2 / 6)
    assert document.coverage.value == pytest.approx(6 / 10)
    assert (document.cases, document.looks) == (5, 3)


def test_a_stream_without_a_row_says_that_nothing_came() -> None:
    lines: list[WatchDocument] = []
    document = acumen.watch([], promise=promise(), looks=lines.append).document
    assert [line.cases for line in lines] == [0]
    assert document.exit_code == 0
    acumen.watch(rows("rrr"), promise=promise(), every=2, looks=lines.append)
    assert [line.cases for line in lines] == [0, 2, 3]


def test_a_promise_is_no_other_document(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"kind": "cascade"}')
    with pytest.raises(DataError, match="kind: must be 'threshold' or 'card', not 'cascade'"):
        acumen.watch(rows("rr"), promise=tmp_path / "p.json")


def test_a_promise_of_several_risks_is_refused() -> None:
    table = acumen.from_columns(
        case=range(60), truth=[0] * 60, prediction=[0] * 60, confidence=[0.9] * 60, scale=[0, 1, 2]
    )
    several = acumen.threshold(table, risk=0.2, loss="abs", also={"zero_one": 0.2}, grid=[0.4])
    assert several.document.certified
    with pytest.raises(DataError, match=r"promises several risks \(zero_one too\)"):
        acumen.watch(rows("rr"), promise=several)


def test_how_often_one_looks_changes_nothing_but_where_it_stops() -> None:
    stream, of = rows("rw" * 12), promise()
    often, seldom = (acumen.watch(stream, promise=of, every=k).document for k in (1, 24))
    at = often.alarms[0].alarm
    assert at == seldom.alarms[0].alarm
    assert often.cases == at
    assert seldom.cases == 24
    assert often.exit_code == seldom.exit_code == 1
    assert often.verdict == "fail"


def test_a_stream_in_parts_is_the_stream_as_a_whole(tmp_path: Path) -> None:
    state, of = tmp_path / "state.json", promise()
    whole = acumen.watch(rows("rrunrrwr"), promise=of, every=2).document
    for part, start in (("rrun", 0), ("rrwr", 4)):
        last = acumen.watch(rows(part, start), promise=of, state=state, every=2).document
    same = {"created_at", "command"}
    assert last.model_dump(exclude=same) == whole.model_dump(exclude=same)
    kept = json.loads(state.read_text())
    assert kept["cases"] == 8
    assert "s0" not in state.read_text()  # no id is kept


def test_an_alarm_stays_one(tmp_path: Path) -> None:
    state, of = tmp_path / "state.json", promise()
    first = acumen.watch(rows("w" * 20), promise=of, state=state, every=1)
    lines: list[WatchDocument] = []
    again = acumen.watch(rows("r", 90), promise=of, state=state, looks=lines.append)
    assert not again
    assert lines == [first.document.model_copy(update={"created_at": lines[0].created_at})]


def test_a_coverage_is_watched_beside_the_risk_and_each_has_half_of_the_chance() -> None:
    document = acumen.watch(rows("n" * 40), promise=promise(), every=1, least_coverage=0.5).document
    (wager,) = document.alarms
    assert wager.of == "coverage"
    assert wager.capital >= 40.0
    alarm = Alarm()
    needed = next(k for k in range(1, 99) if alarm.bet(0.5 * 2, -0.5 * 2) >= 40.0)
    assert wager.alarm == needed


def test_rows_without_a_truth_are_passed_over_and_counted() -> None:
    stream = rows("rrrr")
    for row in stream[2:4]:
        row["truth"] = None
    document = acumen.watch(stream, promise=promise(), every=1).document
    assert (document.cases, document.unlabelled) == (3, 2)
    assert line_of(document).startswith("3 cases (2 rows without a truth): accepted 100.0%")


def test_a_stream_without_any_truth_is_refused_at_its_end(tmp_path: Path) -> None:
    bare = [{key: value for key, value in row.items() if key != "truth"} for row in rows("rr")]
    lines, state = list[WatchDocument](), tmp_path / "state.json"
    message = "4 rows, and none has a truth: nothing was watched; name its column: --truth COLUMN"
    with pytest.raises(DataError, match=message):
        acumen.watch(bare, promise=promise(), every=1, looks=lines.append, state=state)
    assert [line.unlabelled for line in lines] == [2, 4]
    # what comes later may have labels
    assert acumen.watch(rows("rr", 2), promise=promise(), state=state).document.cases == 2


def test_cases_that_made_the_promise_are_counted() -> None:
    stream = [{**row, "case": k // 2} for k, row in enumerate(rows("rr"))]
    assert acumen.watch(stream, promise=promise()).document.shared == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"delta": 0.01}, r"state.json: watches another promise \(delta: 0.05, now 0.01\)"),
        ({"most_items": 9, "least_coverage": 0.3}, "least_coverage: None, now 0.3; most_items: 2"),
    ],
)
def test_a_state_of_another_promise_is_refused(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    state, of = tmp_path / "state.json", promise()
    acumen.watch(rows("rr"), promise=of, state=state)
    before = state.read_bytes()
    with pytest.raises(DataError, match=words):
        acumen.watch(rows("rr", 5), promise=of, state=state, **change)
    assert state.read_bytes() == before


def test_a_case_that_came_in_an_earlier_call_is_refused(tmp_path: Path) -> None:
    state, of = tmp_path / "state.json", promise()
    acumen.watch(rows("rr"), promise=of, state=state)
    with pytest.raises(DataError, match="the stream: line 1, case s1: comes again"):
        acumen.watch(rows("r", 1), promise=of, state=state)


def test_what_cannot_be_watched_is_refused(tmp_path: Path) -> None:
    of = promise()
    with pytest.raises(DataError, match="a case has 4 rows, and at most 2 were promised"):
        acumen.watch([{**row, "case": "s"} | {"item": k} for k, row in enumerate(rows("rr"))],
                     promise=of)  # fmt: skip
    with pytest.raises(DataError, match="the promise: is for the scale levels, not for"):
        acumen.watch(rows("rr"), promise=of, scale=[0, 1, 2, 3])
    with pytest.raises(UsageError, match="delta is a chance between 0 and 1, not 1"):
        acumen.watch(rows("rr"), promise=of, delta=1.0)
    with pytest.raises(UsageError, match="a coverage to keep is between 0 and 1"):
        acumen.watch(rows("rr"), promise=of, least_coverage=1.5)
    (tmp_path / "state.json").write_text('{"kind": "watch"}')
    with pytest.raises(DataError, match=r"state.json: promise: "):
        acumen.watch(rows("rr"), promise=of, state=tmp_path / "state.json")


def test_a_pipe_gets_a_line_a_look_and_the_alarm_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    promise().write("threshold.json")
    stream = rows("rr" + "w" * 20)
    lines = [json.dumps(row) for row in stream]
    Path("new.jsonl").write_text("\n".join(lines))
    assert run(["watch", "new.jsonl", "--promise", "threshold.json", "--every", "1"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("1 case: accepted 100.0%, risk 0.000 [")
    assert all("ALARM" not in line for line in printed[:-1])
    alarm = f"ALARM at case {len(printed)}: the risk of what is accepted is above 0.2 (a false"
    assert alarm in printed[-1]
    assert run(["watch", "new.jsonl", "--promise", "threshold.json", "--json"]) == 1
    (record,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert record["alarms"] == ["risk"]
    assert record["alarm_at"] == 20.0

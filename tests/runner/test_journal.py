"""The journal: nothing lost, nothing twice, nobody else at the same time."""

from __future__ import annotations

import asyncio
import json
import os
import random
import stat
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest

from acumen.errors import DataError, UsageError
from acumen.runner.journal import VERSION, Journal, check_journal, open_journal, sealed
from acumen.runner.record import ItemAnswer, Outcome, Record

T = TypeVar("T")
LIMIT = 30.0
HEADER = {"journal": VERSION, "run_id": "r", "plan": {"model": "a", "task": "t" * 64}}


def record(
    case: int | str, sample: int = 0, outcome: Outcome = Outcome.answered, **more: Any
) -> Record:
    items = {"Sleep": ItemAnswer(2, {"token_msp": 0.5, "llm_evidence_count": 1}, (), None)}
    return Record(case, "zero_shot", sample, outcome, items=items, **more)


def write(path: Path, *records: Record, resume: bool = False) -> Journal:
    journal = open_journal(path, HEADER, resume=resume)

    async def append() -> None:
        await asyncio.gather(*(journal.append(r) for r in records))

    finish(append())
    close(journal)
    return journal


def finish(work: Coroutine[Any, Any, T]) -> T:
    """Run it to its end; a line that is never written is a failure and not a hang."""
    return asyncio.run(asyncio.wait_for(work, LIMIT))


def close(journal: Journal) -> None:
    """Close it; a writer that never ends is a failure and not a hang."""
    closing = threading.Thread(target=journal.close, daemon=True)
    closing.start()
    closing.join(LIMIT)
    assert not closing.is_alive()


def test_what_was_appended_is_there_on_resume_with_its_keys_apart(tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    write(output, record(7), record("7"), record(7, 1, reason="a\u2028b\x85c"))
    again = open_journal(output, HEADER, resume=True)
    close(again)
    assert set(again.records) == {(7, "zero_shot", 0), ("7", "zero_shot", 0), (7, "zero_shot", 1)}
    assert again.records[7, "zero_shot", 1].reason == "a\u2028b\x85c"
    assert not again.repaired


def test_answers_that_wait_for_the_disk_share_the_next_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_journal(tmp_path / "run.json", HEADER, resume=False)
    all_wait = threading.Event()
    fsync = os.fsync

    def held(handle: int) -> None:
        if not all_wait.wait(60):
            raise OSError(5, "the loop stood still while the disk was written")
        fsync(handle)

    async def append() -> None:
        tasks = [asyncio.create_task(journal.append(record(n))) for n in range(500)]
        await asyncio.sleep(0)  # every task has handed its line over and waits
        assert not any(task.done() for task in tasks)
        all_wait.set()
        await asyncio.gather(*tasks)

    monkeypatch.setattr(os, "fsync", held)
    finish(append())
    close(journal)
    assert journal.syncs <= 2  # what the first found, and all that came meanwhile
    assert len((tmp_path / "run.json.journal").read_bytes().splitlines()) == 501


def test_a_record_is_on_disk_when_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real = os.fsync

    def fsync(handle: int) -> None:
        synced.append(os.fstat(handle).st_size)
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    journal = open_journal(tmp_path / "run.json", HEADER, resume=False)

    async def append() -> None:
        for n in range(3):
            await journal.append(record(n))
            data = journal.path.read_bytes()
            assert data.count(b"\n") == n + 2
            assert synced[-1] == len(data)

    finish(append())
    close(journal)


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_cut_off_and_the_rest_kept(tmp_path: Path, cut: int) -> None:
    output = tmp_path / "run.json"
    write(output, record(1), record(2))
    path = tmp_path / "run.json.journal"
    path.write_bytes(path.read_bytes()[:-cut])
    journal = write(output, record(3), resume=True)
    assert journal.repaired
    lines = [json.loads(line) for line in path.read_text().split("\n") if line]
    assert [line.get("case") for line in lines] == [None, 1, 3]


def test_a_hole_at_the_end_is_cut_off_and_one_in_the_middle_is_refused(tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    write(output, record(1))
    path = tmp_path / "run.json.journal"
    whole = path.read_bytes()
    path.write_bytes(whole + b"\0" * 300 + b"\n")
    open_journal(output, HEADER, resume=True).close()
    assert path.read_bytes() == whole
    header, _, rest = whole.partition(b"\n")
    path.write_bytes(header + b"\n" + b"\0" * 300 + b"\n" + rest)
    with pytest.raises(
        DataError, match="line 2: is damaged: without that line its question is asked again"
    ):
        open_journal(output, HEADER, resume=True)


def test_a_torn_first_line_starts_the_journal_again(tmp_path: Path) -> None:
    (tmp_path / "run.json.journal").write_bytes(b'{"journal": 2, "ru')
    journal = write(tmp_path / "run.json", record(1), resume=True)
    assert journal.repaired
    again = open_journal(tmp_path / "run.json", HEADER, resume=True)
    close(again)
    assert len(again.records) == 1


def test_what_changed_is_refused_by_name(tmp_path: Path) -> None:
    write(tmp_path / "run.json", record(1))
    changed = {**HEADER, "plan": {"model": "b", "task": "u" * 64}}
    with pytest.raises(DataError) as refused:
        open_journal(tmp_path / "run.json", changed, resume=True)
    said = str(refused.value)
    assert "model: was a, is now b" in said
    assert "task: was tttttttttttt…, is now uuuuuuuuuuuu…" in said
    assert "changed: model, task" in said


def test_without_resume_an_old_run_is_never_written_over(tmp_path: Path) -> None:
    write(tmp_path / "run.json", record(1))
    with pytest.raises(UsageError, match="--resume"):
        open_journal(tmp_path / "run.json", HEADER, resume=False)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(UsageError, match="is there already"):
        open_journal(tmp_path / "other.json", HEADER, resume=False)
    assert not (tmp_path / "other.json.journal").exists()


def test_resume_is_advised_only_where_it_would_be_accepted(tmp_path: Path) -> None:
    write(tmp_path / "run.json", record(1))
    changed = {**HEADER, "plan": {"model": "b", "task": "t" * 64}}
    with pytest.raises(UsageError) as refused:
        open_journal(tmp_path / "run.json", changed, resume=False)
    assert str(refused.value) == (
        "run.json.journal holds another run (model: was a, is now b): choose another --output"
    )


def test_a_journal_nothing_was_written_to_does_not_let_a_file_be_written_over(
    tmp_path: Path,
) -> None:
    write(tmp_path / "run.json")
    (tmp_path / "run.json").write_text("somebody's")
    with pytest.raises(UsageError, match="is there already"):
        open_journal(tmp_path / "run.json", HEADER, resume=False)
    assert (tmp_path / "run.json.journal").exists()


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize(
    "left", ["nothing", "begun", "answered", "changed", "torn", "output", "no folder", "locked"]
)
def test_a_check_refuses_what_opening_refuses_and_changes_nothing(
    tmp_path: Path, left: str, resume: bool
) -> None:
    output = tmp_path / "run.json"
    journal = tmp_path / "run.json.journal"
    header = {**HEADER, "plan": {"model": "b"}} if left == "changed" else HEADER
    if left in ("begun", "answered", "changed", "torn"):
        write(output, *[record(1)] * (left != "begun"))
    if left == "torn":
        journal.write_bytes(journal.read_bytes()[:-5])
    if left == "output":
        output.write_text("{}")
    if left == "no folder":
        output = tmp_path / "absent" / "run.json"
    holder = open_journal(output, HEADER, resume=False) if left == "locked" else None

    def said(attempt: Callable[[], object]) -> str:
        try:
            opened = attempt()
        except (UsageError, DataError) as error:
            return f"{error.exit_code} {error}"
        if isinstance(opened, Journal):
            close(opened)
        return "fine"

    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    checked = said(lambda: check_journal(output, header, resume=resume))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert checked == said(lambda: open_journal(output, header, resume=resume))
    if left in ("changed", "output", "no folder", "locked") or (left, resume) == (
        "answered",
        False,
    ):
        assert checked != "fine"
    if holder:
        close(holder)


def test_two_runners_on_one_output_are_one_too_many(tmp_path: Path) -> None:
    first = open_journal(tmp_path / "run.json", HEADER, resume=False)
    with pytest.raises(UsageError, match="another run is writing"):
        open_journal(tmp_path / "run.json", HEADER, resume=True)
    close(first)
    open_journal(tmp_path / "run.json", HEADER, resume=True).close()


def test_a_question_settled_twice_is_refused_but_a_transport_failure_may_be_followed(
    tmp_path: Path,
) -> None:
    output = tmp_path / "run.json"
    write(output, record(1, outcome=Outcome.transport_failure))
    write(output, record(1), resume=True)
    journal = open_journal(output, HEADER, resume=True)
    close(journal)
    assert journal.records[1, "zero_shot", 0].outcome is Outcome.answered
    write(output, record(1), resume=True)
    with pytest.raises(DataError, match="line 4: a question is recorded twice"):
        open_journal(output, HEADER, resume=True)


def test_one_flipped_bit_is_named_and_never_read(tmp_path: Path) -> None:
    output, path = tmp_path / "run.json", tmp_path / "run.json.journal"
    write(output, record(1, reply="…"), record(2, reason="a\u2028b"), record(3))
    whole = path.read_bytes()
    draw = random.Random(6)
    ends = [at for at, byte in enumerate(whole) if byte == 10]
    # every bit of the first line's end and of the last line's, and many others
    places = [8 * at + bit for at in (*ends, ends[-1] - 1, 0) for bit in range(8)]
    for place in places + [draw.randrange(8 * len(whole)) for _ in range(600)]:
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        if place // 8 == ends[-1]:  # half a line: told, and its question asked again
            journal = open_journal(output, HEADER, resume=True)
            close(journal)
            assert (journal.repaired, len(journal.records)) == (True, 2)
            continue
        line = whole.count(b"\n", 0, place // 8) + 1
        with pytest.raises(DataError, match=f"line {line}: is damaged"):
            open_journal(output, HEADER, resume=True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"sample": True}, "is not a record of a run"),
        ({"outcome": "ansvered"}, "is not a record of a run"),
        ({"case": 9}, "a record of nobody"),
        ({"seal": "00000000"}, "is damaged"),
    ],
)
def test_a_record_that_was_changed_by_hand_is_refused_by_its_line(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    output, path = tmp_path / "run.json", tmp_path / "run.json.journal"
    write(output, record(1), record(2))
    first, second, third = path.read_bytes().splitlines(keepends=True)
    fields = {k: v for k, v in json.loads(second).items() if k != "seal"} | change
    line = json.dumps(fields).encode() + b"\n"
    path.write_bytes(first + (line if "seal" in change else sealed(line)) + third)

    def fault(record: Record) -> str | None:
        return "a record of nobody" if record.case == 9 else None

    with pytest.raises(DataError, match=f"line 2: {said}"):
        open_journal(output, HEADER, fault, resume=True)


@pytest.mark.parametrize("name", [".", "/", "", "folder"])
def test_an_output_that_is_no_file_is_refused_before_anything_is_asked(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for attempt in (open_journal, check_journal):
        with pytest.raises(UsageError, match="--output must name a file, not a folder"):
            attempt(Path(name), HEADER, resume=False)


def test_the_journal_is_its_owners_alone(tmp_path: Path) -> None:
    write(tmp_path / "run.json", record(1))
    mode = (tmp_path / "run.json.journal").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_a_full_disk_is_told_and_nothing_counts_as_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_journal(tmp_path / "run.json", HEADER, resume=False)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="No space left on device"):
        finish(journal.append(record(1)))
    assert journal.records == {}
    close(journal)


def test_after_half_a_line_nothing_more_is_written_and_what_was_whole_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "run.json"
    write(output, record(1))
    journal = open_journal(output, HEADER, resume=True)
    real = os.write
    room = [20, 0]  # the disk takes a part, then nothing, then it has room again

    def full(handle: int, data: bytes) -> int:
        if not room:
            return real(handle, data)
        if left := room.pop(0):
            return real(handle, data[:left])
        raise OSError(28, "No space left on device")

    async def append() -> Any:
        first = journal.append(record(2))
        with pytest.raises(DataError, match=r"run\.json\.journal: cannot be written: No space"):
            await first
        return await asyncio.gather(journal.append(record(3)), return_exceptions=True)

    monkeypatch.setattr(os, "write", full)
    (refused,) = finish(append())
    close(journal)
    assert isinstance(refused, DataError)
    monkeypatch.undo()
    again = write(output, record(2), record(3), resume=True)
    assert again.repaired
    assert [key[0] for key in again.records] == [1, 2, 3]


def test_a_line_that_nobody_waits_for_any_more_is_written_without_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_journal(tmp_path / "run.json", HEADER, resume=False)
    go_on, fsync = threading.Event(), os.fsync
    noise: list[object] = []

    def slow(handle: int) -> None:
        assert go_on.wait(60)
        fsync(handle)

    async def append() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: noise.append(context))
        first = asyncio.create_task(journal.append(record(1)))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        go_on.set()
        await journal.append(record(2))

    monkeypatch.setattr(os, "fsync", slow)
    finish(append())
    close(journal)
    assert noise == []
    assert [key[0] for key in journal.records] == [2]
    assert journal.path.read_bytes().count(b"\n") == 3  # it is on disk all the same


def test_a_line_whose_writer_was_cancelled_before_its_turn_is_written_with_the_next(
    tmp_path: Path,
) -> None:
    journal = open_journal(tmp_path / "run.json", HEADER, resume=False)

    async def append() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(max_workers=1))
        go_on = threading.Event()
        busy = loop.run_in_executor(None, go_on.wait, 60)
        first = asyncio.create_task(journal.append(record(1)))
        second = asyncio.create_task(journal.append(record(2)))
        await asyncio.sleep(0)  # both lines wait, and no thread is free to write them
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        go_on.set()
        await asyncio.gather(busy, second)
        assert journal.path.read_bytes().count(b"\n") == 3

    finish(append())
    assert [key[0] for key in journal.records] == [2]
    close(journal)


def test_closing_writes_what_still_waits_for_the_disk(tmp_path: Path) -> None:
    journal = open_journal(tmp_path / "run.json", HEADER, resume=False)

    async def append() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(max_workers=1))
        go_on = threading.Event()
        busy = loop.run_in_executor(None, go_on.wait, 60)
        waiting = asyncio.create_task(journal.append(record(1)))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        go_on.set()
        await busy

    finish(append())
    assert journal.path.read_bytes().count(b"\n") == 1
    close(journal)
    assert journal.path.read_bytes().count(b"\n") == 2
    assert journal.records == {}

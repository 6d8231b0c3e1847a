"""Small parts of the runner by hand: token signals, cosines, bodies, journals of another kind."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from acumen import run
from acumen.errors import DataError, UsageError
from acumen.runner import endpoint
from acumen.runner.journal import VERSION, _changes, _refuse_folder, _unsealed, sealed
from acumen.runner.limits import Limits, Meter, Stop
from acumen.runner.protocols import _text_of
from acumen.runner.provenance import _MOST, _text
from acumen.runner.record import Outcome, Record
from acumen.runner.reply import _confidence, _justification, _rows
from acumen.runner.retrieval import _cosine, _unit
from acumen.runner.summary import _lengths
from acumen.runner.task import Evidence
from acumen.runner.tokens import NO_TOP, NOT_NUMBERS, Token, _entropy, _log_sum_exp, signals_over
from acumen.runner.wire import TransportFailure, largest_body, read_body, read_vectors, retry_after

HALF, QUARTER = math.log(0.5), math.log(0.25)
TWO = ((b"2", HALF), (b"3", HALF))


def test_signals_are_means_over_the_tokens_that_spell_something() -> None:
    one = Token(b"2", HALF, TWO)
    other = Token(b"1", QUARTER, ((b"1", QUARTER), (b"0", QUARTER)))
    signals = signals_over([one, Token(b"", None, ()), other])
    assert signals.msp == pytest.approx(0.375)
    assert signals.pe == pytest.approx(math.log(2))  # both are even between two
    assert signals.energy == pytest.approx((0 + math.log(0.5)) / 2)


@pytest.mark.parametrize(
    ("tokens", "msp", "reason"),
    [
        ([], None, NOT_NUMBERS),
        ([Token(b"", HALF, TWO)], None, NOT_NUMBERS),
        ([Token(b"2", HALF, TWO), Token(b"3", None, TWO)], None, NOT_NUMBERS),
        ([Token(b"2", HALF, TWO), Token(b"3", HALF, ())], 0.5, NO_TOP),
        ([Token(b"2", HALF, ((b"2", HALF), (b"3", HALF), (b"4", HALF)))], 0.5, "sum to more"),
    ],
)
def test_without_sound_log_probabilities_there_is_a_reason(
    tokens: list[Token], msp: float | None, reason: str
) -> None:
    signals = signals_over(tokens)
    assert signals.msp == (None if msp is None else pytest.approx(msp))
    assert (signals.pe, signals.energy) == (None, None)
    assert reason in str(signals.reason)


@pytest.mark.parametrize(
    ("left", "right", "cosine"),
    [
        ([1.0, 0.0], [3.0, 0.0], 1.0),
        ([1.0, 0.0], [1.0, 1.0], math.sqrt(0.5)),
        ([1.0, 0.0], [-2.0, 0.0], -1.0),
        ([0.0, 0.0], [1.0, 0.0], 0.0),
        ([1.0], [1.0, 0.0], 0.0),
        ([1e308, 1e308], [1e308, 1e308], 0.0),
    ],
)
def test_a_cosine_and_the_same_in_0_to_1(
    left: list[float], right: list[float], cosine: float
) -> None:
    assert _cosine(left, right) == pytest.approx(cosine)
    assert _unit(_cosine(left, right)) == pytest.approx(max(cosine, 0.0))
    assert _unit(1.5) == 1.0


async def chunks(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


@pytest.mark.parametrize(
    ("parts", "encoding", "outcome"),
    [
        ([b"ab", b"cd"], "", b"abcd"),
        ([b"ab", b"cde"], "identity", "body_too_large"),
        ([zlib.compress(b"abcd")], " Deflate ", b"abcd"),
        ([zlib.compress(b"abcde")], "deflate", "body_too_large"),
        ([b"no zlib"], "deflate", "malformed_response"),
        ([b"ab"], "br", "compressed"),
    ],
)
def test_a_body_is_read_up_to_its_largest_size(
    parts: list[bytes], encoding: str, outcome: bytes | str
) -> None:
    try:
        body: bytes | str = asyncio.run(read_body(chunks(*parts), 4, encoding))
    except TransportFailure as failure:
        body = failure.reason
    assert body == outcome


@pytest.mark.parametrize(
    ("value", "confidence", "flaws"),
    [
        (1, 1, []),
        (5.0, 5, []),
        (0, None, ["confidence_invalid"]),
        (6, None, ["confidence_invalid"]),
        (2.5, None, ["confidence_invalid"]),
        (True, None, ["confidence_invalid"]),
        (None, None, ["confidence_missing"]),
    ],
)
def test_a_confidence_is_a_whole_number_from_one_to_five(
    value: Any, confidence: int | None, flaws: list[str]
) -> None:
    noted: list[str] = []
    assert (_confidence({"c": value}, "c", noted), noted) == (confidence, flaws)


@pytest.mark.parametrize(
    ("entries", "flaw"), [(None, "evidence_missing"), ("x", "evidence_invalid")]
)
def test_evidence_that_is_no_list_is_a_flaw(entries: Any, flaw: str) -> None:
    noted: list[str] = []
    evidence = Evidence(key="evidences", kind="rows", source="reviews", most=3, longest=40)
    assert _rows({"evidences": entries}, evidence, noted) == ()
    assert noted == [flaw]


def test_a_journal_of_another_version_is_not_continued() -> None:
    for old in ({"journal": VERSION - 1, "plan": {}}, {"journal": VERSION, "plan": None}):
        with pytest.raises(DataError, match="is not a journal this version can continue"):
            _changes(old, {"plan": {}}, "run.json.journal")


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch(0o777)
    with pytest.raises(DataError, match="Not a directory"):
        _refuse_folder(tmp_path / "file" / "run.json.journal")
    with pytest.raises(DataError, match="No such file or directory"):
        _refuse_folder(tmp_path / "nowhere" / "run.json.journal")
    _refuse_folder(tmp_path / "run.json.journal")


def test_the_text_of_a_small_file_alone_is_read(tmp_path: Path) -> None:
    path = tmp_path / "HEAD"
    path.write_text("x" * _MOST)
    assert _text(path) == "x" * _MOST
    path.write_text("x" * (_MOST + 1))
    assert _text(path) == ""
    assert _text(tmp_path) == ""
    assert _text(tmp_path / ("x" * 5000)) == ""  # no system has so long a name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"extra_body": {"max_output_tokens": 9}}, "may not set the longest reply"),
        ({"extra_body": {"stream": True, "n": 2}}, "--extra-body may not set n, stream"),
        ({"max_tokens": 1, "max_completion_tokens": 1}, "not both"),
        ({"cost_limit": 1.0}, "--cost-limit needs --prompt-price or --completion-price"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        run("phq8", cases="demo", model="m", output=tmp_path / "run.json", **options)


@pytest.mark.parametrize(
    ("requests", "tokens", "spent", "waits"),
    [
        (None, None, 90, [0, 0, 0]),
        (60, None, 90, [0, 1, 2]),
        (None, 60, 90, [0, 90, 180]),
        (60, 60, 90, [0, 90, 180]),
        (1, 60, 15, [0, 60, 120]),
    ],
)
def test_the_next_request_waits_for_its_turn(
    requests: float | None,
    tokens: float | None,
    spent: int,
    waits: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All at one moment: each request has used so many tokens before the next asks for its turn."""
    monkeypatch.setattr("acumen.runner.endpoint.time.monotonic", lambda: 1000.0)
    patience = endpoint.Patience(requests_per_minute=requests, tokens_per_minute=tokens)
    pace, answer = endpoint.Pace(patience), SimpleNamespace(prompt_tokens=5)
    answer.completion_tokens = spent - 5
    turns = []
    for _ in waits:
        turns.append(pace.turn())
        pace.spend(answer)  # type: ignore[arg-type]
    assert turns == waits


def record(outcome: str, reason: str | None = None, tokens: int = 0) -> Record:
    return Record(
        *(1, "zero_shot", 0, Outcome(outcome), reason),
        prompt_tokens=tokens,
        completion_tokens=2 * tokens,
    )


@pytest.mark.parametrize(
    ("limits", "concurrency", "records", "stop"),
    [
        ({}, 1, [("transport_failure", "timeout")] * 4, None),
        ({}, 1, [("transport_failure", "timeout")] * 5, Stop.no_replies),
        ({}, 1, [("answered",)] + [("transport_failure", "timeout")] * 9, None),
        ({}, 1, [("answered",)] + [("transport_failure", "timeout")] * 10, Stop.no_replies),
        ({}, 6, [("answered",)] + [("transport_failure", "timeout")] * 11, None),
        ({}, 6, [("answered",)] + [("transport_failure", "timeout")] * 12, Stop.no_replies),
        ({"failures": 2}, 1, [("refused",)], None),
        ({"failures": 2}, 1, [("refused",), ("answered",), ("invalid_reply",)], Stop.failures),
        ({"failures": 1}, 1, [("abstained",)], None),
        ({"tokens": 31}, 1, [("answered", None, 10)], None),
        ({"tokens": 30}, 1, [("answered", None, 10)], Stop.tokens),
        # 10 at 1 and 20 at 2 of a million
        ({"cost": 50e-6, "prices": (1.0, 2.0)}, 1, [("answered", None, 10)], Stop.cost),
        ({"cost": 51e-6, "prices": (1.0, 2.0)}, 1, [("answered", None, 10)], None),
        ({"cost": 0.1}, 1, [("answered", None, 10)], None),
    ],
)
def test_a_run_ends_at_its_limits_and_not_before(
    limits: dict[str, Any], concurrency: int, records: list[Any], stop: Stop | None
) -> None:
    meter = Meter(Limits(**limits), concurrency)
    stops = [meter.count(record(*each)) for each in records]
    assert stops == [None] * (len(records) - 1) + [stop]


def test_a_date_to_wait_for_may_be_past() -> None:
    now = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after("Thu, 01 Jan 2026 12:00:30 GMT", now) == 30.0
    assert retry_after("Thu, 01 Jan 2026 12:00:30 -0000", now) == 30.0
    assert retry_after("Thu, 01 Jan 2026 11:59:00 GMT", now) == 0.0
    assert retry_after("1.5", now) == 1.5
    assert largest_body(0, None) == 8 << 20
    assert largest_body(10, 4) == (8 << 20) + 10 * 5 * 200


@pytest.mark.parametrize(
    ("rows", "vectors"),
    [
        ([{"embedding": [1, 2.5]}, {"embedding": [0, 1]}], [[1.0, 2.5], [0.0, 1.0]]),
        ([{"index": 1, "embedding": [1]}, {"index": 0, "embedding": [2]}], [[2.0], [1.0]]),
        ([{"embedding": [1, "x"]}, {"embedding": [0, 1]}], None),
        ([{"embedding": [1]}, {"embedding": [0, 1]}], None),
        ([{"embedding": []}, {"embedding": []}], None),
        ([{"index": 0, "embedding": [1]}] * 2, None),
        ([{"index": True, "embedding": [1]}, {"index": 0, "embedding": [1]}], None),
        ([{"embedding": [1]}], None),
        ("no list", None),
    ],
)
def test_vectors_come_in_the_order_of_the_texts(rows: Any, vectors: Any) -> None:
    if vectors is None:
        with pytest.raises(TransportFailure, match="malformed_response"):
            read_vectors({"data": rows}, 2)
    else:
        assert read_vectors({"data": rows}, 2) == vectors


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ("", False)),
        ("a", ("a", False)),
        (["a", {"type": "output_text", "text": "b"}, {"type": "image"}], ("ab", False)),
        ([{"type": "text", "text": None}, {"type": "refusal"}], ("", True)),
        ([3, {}], None),
        ({}, None),
    ],
)
def test_a_message_is_its_texts(content: Any, text: Any) -> None:
    if text is None:
        with pytest.raises(TransportFailure, match="malformed_response"):
            _text_of(content)
    else:
        assert _text_of(content) == text


@pytest.mark.parametrize(
    ("value", "sound", "flaws"),
    [
        (None, None, ["justification_missing"]),
        ({}, {}, ["direct_evidence_missing"]),
        ({"direct_evidence": ["E1", 2]}, {}, ["direct_evidence_missing"]),
        (
            {"direct_evidence": ["E2", "E1", "E2", "E9"], "scoring_trace": {"total_score": 7}},
            {"direct_evidence": ["E2", "E1"], "scoring_trace": {"total_score": 7}},
            ["direct_evidence_unknown"],
        ),
        (
            {"direct_evidence": [], "scoring_trace": {"total_score": True}},
            {"direct_evidence": []},
            [],
        ),
    ],
)
def test_a_justification_keeps_what_is_sound(value: Any, sound: Any, flaws: list[str]) -> None:
    noted: list[str] = []
    assert (_justification(value, {"E1", "E2"}, noted), noted) == (sound, flaws)


def test_a_line_is_taken_with_its_own_seal_alone() -> None:
    line = sealed(b'{"case": 7}\n')
    assert _unsealed(line) == b'{"case": 7}'
    assert _unsealed(line.replace(b"7", b"8", 1)) is None
    assert _unsealed(b'{"case": 7}\n') is None
    assert _unsealed(b"}\n") is None


def test_sums_of_small_probabilities_and_their_entropy() -> None:
    assert _log_sum_exp([-1000.0, 0.0]) == 0.0
    assert _log_sum_exp([-1000.0, -1000.0]) == pytest.approx(-1000.0 + math.log(2))
    assert _entropy([-1000.0, 0.0]) == 0.0
    assert _entropy([HALF, QUARTER, QUARTER]) == pytest.approx(1.5 * math.log(2))


def test_prompts_are_told_by_the_shortest_and_the_longest() -> None:
    last = {"role": "user", "content": "y"}
    prompts = [[{"role": "system", "content": "x" * n}, last] for n in (4, 2)]
    assert _lengths(prompts) == "3 to 5 characters"
    assert _lengths(prompts[:1]) == "5 characters"

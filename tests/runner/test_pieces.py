"""Small parts of the runner by hand: token signals, cosines, bodies, journals of another kind."""

from __future__ import annotations

import asyncio
import math
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.runner.api import run
from acumen.runner.journal import VERSION, _changes, _refuse_folder
from acumen.runner.provenance import _MOST, _text
from acumen.runner.reply import _confidence, _rows
from acumen.runner.retrieval import _cosine, _unit
from acumen.runner.task import Evidence
from acumen.runner.tokens import NO_TOP, NOT_NUMBERS, Token, signals_over
from acumen.runner.wire import TransportFailure, read_body

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

"""Token signals, by hand: which tokens spell a score, and how sure they were."""

from __future__ import annotations

import math
from typing import Any

import pytest

from acumen.runner.tokens import (
    CUT_SHORT,
    NO_SPELLING,
    NO_TOP,
    NONE_GIVEN,
    NOT_NUMBERS,
    TokenMap,
    TokenSignals,
    label_signals,
    level_chances,
    read_tokens,
    score_signals,
)

DIGITS = ["0", "1", "2", "3", "N/A", "null"]


def token(text: str, p: float | None, top: dict[str, float] | None = None) -> dict[str, Any]:
    return {
        "token": text,
        "bytes": list(text.encode()),
        "logprob": None if p is None else math.log(p),
        "top_logprobs": [
            {"token": t, "bytes": list(t.encode()), "logprob": math.log(q)}
            for t, q in (top or {}).items()
        ],
    }


def spread(text: str, *tokens: dict[str, Any]) -> TokenMap:
    return TokenMap.of(text, read_tokens({"content": list(tokens)}))


def span_of(text: str, part: str) -> tuple[int, int]:
    return text.index(part), text.index(part) + len(part)


def test_only_the_tokens_of_the_score_count() -> None:
    text = '{"é": 2}'
    sure = {"x": 0.9, "y": 0.1}
    where = spread(
        text,
        token('{"é', 0.9, sure),
        token('":', 0.9, sure),
        token(" 2", 0.5, {" 2": 0.5, " 3": 0.25, " 1": 0.125, "x": 0.0625}),
        token("}", 0.9, sure),
    )
    signals = score_signals(where, span_of(text, "2"))
    assert signals.msp == pytest.approx(0.5)
    mass = 0.9375
    shares = [p / mass for p in (0.5, 0.25, 0.125, 0.0625)]
    assert signals.pe == pytest.approx(-sum(p * math.log(p) for p in shares))
    assert signals.energy == pytest.approx(math.log(mass))
    assert score_signals(where).msp == pytest.approx((0.9 * 3 + 0.5) / 4)


def test_mass_on_what_is_no_label_is_taken_out_and_recorded() -> None:
    text = '{"score":2}'
    top = {"2": 0.3, "3": 0.1, "25": 0.2, "[": 0.1, " ": 0.1, "2}": 0.1}
    where = spread(text, token('{"score":', 0.9, {"a": 0.5}), token("2", 0.3, top), token("}", 1.0))
    legal = label_signals(where, span_of(text, "2"), DIGITS)
    # "2", "3" and "2}" lead to a label; "25", "[" and a blank do not
    assert legal.probability == pytest.approx(0.3 / 0.5)
    assert legal.mass_elsewhere == pytest.approx(0.5)
    shares = [0.6, 0.2, 0.2]
    assert legal.entropy == pytest.approx(-sum(p * math.log(p) for p in shares))


def test_a_blank_or_a_quote_before_a_label_does_not_hide_it() -> None:
    text = '{"score": 2}'
    top = {" 2": 0.4, " 3": 0.2, ' "N/A': 0.2, ' "': 0.1, " x": 0.1}
    where = spread(
        text, token('{"score":', 0.9, {"a": 0.5}), token(" 2", 0.4, top), token("}", 1.0)
    )
    legal = label_signals(where, span_of(text, "2"), DIGITS)
    assert legal.probability == pytest.approx(0.5)
    assert legal.mass_elsewhere == pytest.approx(0.2)


def test_a_label_of_several_tokens_multiplies_its_steps() -> None:
    text = '{"verdict": "High Risk"}'
    where = spread(
        text,
        token('{"verdict": "', 0.9, {"a": 0.9}),
        token("High", 0.4, {"High": 0.4, "Low": 0.2, "Very": 0.4}),
        token(" Risk", 0.8, {" Risk": 0.8, " Stakes": 0.2}),
        token('"}', 1.0, {'"}': 1.0}),
    )
    labels = ["Low Risk", "High Risk", "Critical Risk"]
    legal = label_signals(where, span_of(text, '"High Risk"'), labels)
    assert legal.probability == pytest.approx(0.4 / 0.6 * 1.0)
    assert legal.mass_elsewhere == pytest.approx(1 - 0.6 * 0.8)
    assert score_signals(where, span_of(text, '"High Risk"')).msp == pytest.approx(0.6)


def test_what_the_alternatives_of_a_score_lead_to_are_the_probabilities_of_levels() -> None:
    text = '{"score":2}'
    top = {"2": 0.3, "3": 0.1, "25": 0.2, "N/A": 0.2, " 1": 0.1}
    where = spread(text, token('{"score":', 0.9, {"a": 0.5}), token("2", 0.3, top), token("}", 1.0))
    chances = level_chances(where, span_of(text, "2"), DIGITS, 4)
    assert chances == pytest.approx([0, 0.2, 0.6, 0.2])  # of what is on levels
    assert level_chances(where, span_of(text, "2"), ["2", "20", "25"], 3) == pytest.approx(
        [0.6, 0, 0.4]
    )
    text = '{"verdict": "High Risk"}'
    steps = [
        token('{"verdict": "', 0.9, {"a": 0.9}),
        token("High", 0.4, {"High": 0.4, "Low": 0.2, "Very": 0.4}),
        token(" Risk", 0.8, {" Risk": 0.8, " Stakes": 0.2}),
        token('"}', 1.0, {'"}': 1.0}),
    ]
    labels = ["Low Risk", "High Risk", "High Stakes"]
    words = level_chances(spread(text, *steps), span_of(text, '"High Risk"'), labels, 3)
    assert words == pytest.approx([0.2 / 0.6, 0.4 * 0.8 / 0.6, 0.4 * 0.2 / 0.6])
    both = ["Low Risk", "Low Stakes", "High Risk"]  # "Low" leads to two
    assert level_chances(spread(text, *steps), span_of(text, '"High Risk"'), both, 3) is None
    bare = spread('{"score":2}', token('{"score":', 0.5), token("2", 0.25), token("}", 1.0))
    assert level_chances(bare, span_of('{"score":2}', "2"), DIGITS, 4) is None


@pytest.mark.parametrize(
    ("tokens", "reason"),
    [
        ([], NONE_GIVEN),
        ([token('{"scor', 0.5, {"a": 0.5})], CUT_SHORT),
        ([token('{"other":2}', 0.5, {"a": 0.5})], NO_SPELLING),
        ([token('{"score":', 0.5), token("2", None), token("}", 1.0)], NOT_NUMBERS),
    ],
)
def test_without_fitting_log_probabilities_signals_are_none_with_the_reason(
    tokens: list[dict[str, Any]], reason: str
) -> None:
    text = '{"score":2}'
    where = spread(text, *tokens)
    signals = score_signals(where, span_of(text, "2"))
    assert (signals.msp, signals.pe, signals.energy, signals.reason) == (None, None, None, reason)
    assert label_signals(where, span_of(text, "2"), DIGITS).probability is None


def test_without_alternatives_the_probability_is_still_known() -> None:
    text = '{"score":2}'
    where = spread(text, token('{"score":', 0.5), token("2", 0.25), token("}", 1.0))
    signals = score_signals(where, span_of(text, "2"))
    assert signals.msp == pytest.approx(0.25)
    assert (signals.pe, signals.energy, signals.reason) == (None, None, NO_TOP)


def test_a_character_split_over_two_tokens_keeps_the_map_right() -> None:
    text = '{"why":"é","score":3}'
    encoded = text.encode()
    cut = encoded.index("é".encode()) + 1
    head = {"token": "?", "bytes": list(encoded[:cut]), "logprob": -1.0, "top_logprobs": []}
    tail = {"token": "?", "bytes": list(encoded[cut:-2]), "logprob": -1.0, "top_logprobs": []}
    where = spread(text, head, tail, token("3", 0.5), token("}", 1.0))
    assert score_signals(where, span_of(text, "3")).msp == pytest.approx(0.5)


def test_tokens_before_the_reply_are_skipped() -> None:
    text = '{"score":3}'
    where = spread(text, token("<|begin|>", 0.1), token('{"score":', 0.9), token("3}", 0.5))
    assert score_signals(where, span_of(text, "3")).msp == pytest.approx(0.5)


def test_reasoning_before_the_reply_counts_in_nothing_even_if_it_drafts_it() -> None:
    text = '{"score":3}'
    draft = token(f"<think>{text}", 0.2, {"3": 0.2})
    top = {"3": 0.5, "2": 0.25}
    where = spread(
        text,
        draft,
        token("</think>", 0.1, {"a": 0.1}),
        token('{"score":', 0.9, {"a": 0.9}),
        token("3", 0.5, top),
        token("}", 1.0, {"}": 1.0}),
        token("<|end|>", 0.1, {"a": 0.1}),
    )
    assert score_signals(where, span_of(text, "3")).msp == pytest.approx(0.5)
    assert score_signals(where).msp == pytest.approx((0.9 + 0.5 + 1.0) / 3)


def test_log_probabilities_that_end_after_the_score_tell_of_it_and_not_of_the_reply() -> None:
    text = '{"score":3, "confidence": 2}'
    where = spread(text, token('{"score":', 0.9, {"a": 0.9}), token("3", 0.5, {"3": 0.5}))
    assert score_signals(where, span_of(text, "3")).msp == pytest.approx(0.5)
    assert score_signals(where) == TokenSignals(reason=CUT_SHORT)


@pytest.mark.parametrize(
    "junk", [None, {}, {"content": None}, {"content": "x"}, [1], {"content": [3]}]
)
def test_log_probabilities_of_another_shape_are_none_given(junk: object) -> None:
    assert read_tokens(junk) == []


@pytest.mark.parametrize("spelling", [[300], [-1], ["2"], [50.0], [True], "2", None])
def test_bytes_that_are_none_give_way_to_the_tokens_text(spelling: object) -> None:
    (entry,) = read_tokens({"content": [{"token": "2", "bytes": spelling, "logprob": -0.5}]})
    assert (entry.spelling, entry.logprob) == (b"2", -0.5)


def test_a_token_of_part_of_a_letter_is_spelled_by_its_bytes() -> None:
    (entry,) = read_tokens({"content": [{"token": "\ufffd", "bytes": [0, 195, 255]}]})
    assert entry.spelling == b"\x00\xc3\xff"

"""Whatever a model or an endpoint writes, the readers answer with a value or a named outcome."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from acumen.files.json import parse_json, to_json
from acumen.files.json_walk import value_spans
from acumen.files.text import mend_surrogates
from acumen.runner.protocols import PROTOCOLS
from acumen.runner.refusals import refusal
from acumen.runner.reply import UnusableReply, read_reply
from acumen.runner.task_file import parse_task, read_task
from acumen.runner.tokens import TokenMap, label_signals, read_tokens, score_signals
from acumen.runner.wire import TransportFailure, read_document, read_vectors

PHQ8, ALLERGY = read_task("phq8"), read_task("allergy")
FLAT = parse_task(
    b"""name = "flat"
scale = { levels = [0, 1, 2, 3], items = ["Sleep"] }
inputs = { text = "text" }
[reply]
layout = "flat"
score = "score"
[prompt]
user = "{{ case.text }}"
""",
    "flat.toml",
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.text()
keys = st.text() | st.sampled_from(
    ["score", "Sleep", "verdict", "evidences", "justification", "confidence", "choices", "message",
     "content", "data", "embedding", "index", "logprob", "token", "bytes", "top_logprobs", "error"]
)  # fmt: skip
documents = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
wrappers = st.sampled_from(
    ["{}", "```json\n{}\n```", "<answer>{}</answer>", "<think>x</think>{}", "{}{}", "\ufeff{}"]
)


@given(text=st.text() | st.builds(lambda w, d: w.replace("{}", json.dumps(d)), wrappers, documents))
@settings(max_examples=300, deadline=None)
def test_a_reply_is_a_level_an_abstention_or_unusable(text: str) -> None:
    for task in (FLAT, PHQ8, ALLERGY):
        try:
            reading = read_reply(text, task)
        except UnusableReply:
            continue
        for answer in reading.items.values():
            assert answer.level is None or answer.level in task.scale.levels


@given(document=documents, indent=st.none() | st.integers(0, 3), ascii_only=st.booleans())
@settings(max_examples=300, deadline=None)
def test_every_span_holds_the_value_its_path_leads_to(
    document: Any, indent: int | None, ascii_only: bool
) -> None:
    text = mend_surrogates(json.dumps(document, indent=indent, ensure_ascii=ascii_only))
    expected = parse_json(text)
    for path, (low, high) in value_spans(text).items():
        value = expected
        for step in path:
            value = value[step]  # type: ignore[index]
        assert parse_json(text[low:high] + " ") == value


@given(document=documents, text=st.text(), low=st.integers(0, 5), length=st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_log_probabilities_of_any_shape_give_signals_or_a_reason(
    document: Any, text: str, low: int, length: int
) -> None:
    entries = document if isinstance(document, list) else [document]
    where = TokenMap.of(text, read_tokens({"content": entries}))
    span = (min(low, len(text)), min(low + length, len(text)))
    signals = score_signals(where, span)
    assert signals.msp is not None or signals.reason
    label_signals(where, span, ["0", "1"])


@given(document=documents)
@settings(max_examples=200, deadline=None)
def test_a_body_of_any_shape_is_read_or_is_a_transport_failure(document: Any) -> None:
    names = ("choices", "data", "output", "content", "answers", "error")
    bodies = [{name: part} for name in names for part in (document, [document])]
    for body in (document, *bodies):
        data = mend_surrogates(json.dumps(body)).encode()
        assert isinstance(refusal(400, data, None, "KEY", has_key=True), Exception)
        readers = [protocol.read for protocol in PROTOCOLS.values()]
        for read in (*readers, lambda body: read_vectors(body, 1)):
            try:
                read(read_document(data))
            except TransportFailure:
                continue


@given(text=st.text(st.characters(exclude_categories=())))
@settings(max_examples=200, deadline=None)
def test_mended_text_can_always_be_stored_and_no_place_moves(text: str) -> None:
    mended = mend_surrogates(json.dumps(text))
    assert len(mended) == len(json.dumps(text))
    assert to_json(parse_json(mended)).encode("utf-8")

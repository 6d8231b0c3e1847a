"""Why a model stopped writing, in every provider's words: done, cut off, filtered, or a fault.

Each API and many servers behind the same API have words of their own, in whichever case. One table
holds them; a word that no table has is read by what stands in it, so that a new ``max_…`` is no
answer and a new ``…_filter`` no fault.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Ending(StrEnum):
    """What became of a reply."""

    done = "done"
    cut_off = "cut_off"
    filtered = "filtered"
    fault = "fault"


WORDS: Final[Mapping[Ending, Mapping[str, str]]] = {
    Ending.done: {
        "OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama, Groq, Mistral, Together, DeepSeek, …":
            "stop tool_calls function_call",
        "OpenAI responses": "completed",
        "Anthropic, Bedrock": "end_turn stop_sequence tool_use pause_turn",
        "Gemini": "finish_reason_stop malformed_function_call unexpected_tool_call "
            "too_many_tool_calls",
        "Text Generation Inference, watsonx, AI21, Llama": "eos eos_token stop_token end_of_text "
            "endoftext end_of_turn eot_id",
        "Azure AI Inference": "stopped",
        "Cohere": "complete tool_call",
    },
    Ending.cut_off: {
        "OpenAI, Azure, vLLM, SGLang, llama.cpp, Ollama, Groq, Mistral, Together, DeepSeek, …":
            "length",
        "OpenAI responses": "max_output_tokens",
        "Anthropic, Bedrock, Z.ai": "max_tokens model_context_window_exceeded",
        "Gemini": "max_tokens finish_reason_max_tokens",
        "Mistral": "model_length",
        "llama.cpp's own API": "limit",
        "Azure AI Inference": "token_limit_reached",
        "Cohere": "max_tokens error_limit",
        "watsonx": "token_limit time_limit",
        "vLLM": "repetition",
    },
    Ending.filtered: {
        "OpenAI, Azure, Mistral, DeepSeek, OpenRouter": "content_filter",
        "Anthropic": "refusal",
        "Gemini": "safety recitation blocklist prohibited_content spii language image_safety "
            "image_prohibited_content image_recitation model_armor",
        "Bedrock": "guardrail_intervened content_filtered",
        "Azure AI Inference": "content_filtered",
        "Cohere": "error_toxic",
        "Z.ai": "sensitive",
    },
    Ending.fault: {
        "vLLM, SGLang": "abort error",
        "Mistral, OpenRouter, watsonx": "error cancelled not_finished",
        "OpenAI responses": "failed in_progress queued",
        "Gemini": "other finish_reason_unspecified malformed_response image_other no_image "
            "missing_thought_signature",
        "Bedrock": "malformed_model_output malformed_tool_use",
        "Ollama": "load unload",
        "DeepSeek": "insufficient_system_resource",
        "Cohere": "error user_cancel",
        "Z.ai": "network_error",
    },
}  # fmt: skip
"""Ending -> who says so -> the words, in small letters."""
_ENDINGS: Final = {
    word: ending
    for ending, words in WORDS.items()
    for text in words.values()
    for word in text.split()
}
_PARTS: Final = (
    (Ending.filtered, r"filter|safety|prohibit|block|refus|guardrail|moderat|policy"),
    (
        Ending.fault,
        r"error|abort|cancel|fail|timeout|overload|rate.?limit|exhaust|unload|unavailable",
    ),
    (Ending.cut_off, r"max|length|limit|truncat|token|context|incomplete|compact"),
)
"""What an unknown word is read by, the first that fits."""


def ending_of(word: object) -> Ending:
    """What a provider's word means; none is taken as done, and the text then judged by itself.

    >>> [ending_of(w).value for w in ("stop", "MAX_TOKENS", "content_filter: SAFETY", None)]
    ['done', 'cut_off', 'filtered', 'done']
    """
    if isinstance(word, Mapping):  # SGLang and others say more than the word
        word = word.get("type")
    text = word.strip().lower() if isinstance(word, str) else ""
    if text in _ENDINGS:
        return _ENDINGS[text]
    return next((end for end, parts in _PARTS if re.search(parts, text)), Ending.done)

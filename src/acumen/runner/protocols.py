"""How a question is put to an endpoint and its answer read: one protocol for each kind of API.

``chat`` is OpenAI's chat completions, which most servers speak; ``responses`` is OpenAI's newer
one; ``messages`` is Anthropic's; ``decisions`` is OpenAI's for decision models, which answer with a
probability for every level of every item (as the types of openai-python 3.26 have it). What a
protocol has no field for (a seed, log-probabilities) is left out of its requests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from acumen.files.json import to_json
from acumen.runner.adaptation import Shape
from acumen.runner.choices import Api
from acumen.runner.endings import Ending, ending_of
from acumen.runner.plan import Settings
from acumen.runner.prompts import Message
from acumen.runner.schema import reply_schema, without_bounds
from acumen.runner.task import Task
from acumen.runner.wire import (
    CONTENT_FILTER,
    FAULT,
    Answer,
    TransportFailure,
    count_of,
    model_name,
)

Body = dict[str, Any]
_OPENAI_HOSTS: Final = (
    ".openai.com",
    ".openai.azure.com",
    ".cognitiveservices.azure.com",
    ".services.ai.azure.com",
)


@dataclass(frozen=True, slots=True)
class Ask:
    """One conversation and all that shapes its reply."""

    task: Task
    settings: Settings
    sample: int
    messages: list[Message]

    @property
    def schema(self) -> Body:
        """The reply's schema, without the lengths that some providers refuse."""
        schema = reply_schema(self.task)
        is_strict = self.settings.api != "chat" or is_openai(self.settings.endpoint)
        return without_bounds(schema) if is_strict else schema

    def body(self, shape: Shape) -> Body:
        """The request as its protocol writes it, and what the user adds to every request."""
        body = {"model": self.settings.model, "temperature": self.settings.temperature}
        body |= PROTOCOLS[self.settings.api].request(self, shape)
        dropped = {name for option in self.settings.omit for name in _NAMES[option]}
        dropped |= {*shape.refused} - {"top_logprobs"}
        dropped |= {"temperature"} if self.settings.api == "decisions" else set()
        fields = {name: value for name, value in body.items() if name not in dropped}
        return fields | dict(self.settings.extra_body or {})


@dataclass(frozen=True, slots=True)
class Protocol:
    """Where requests of one API go, how they are written, and how answers are read."""

    path: str
    base_url: str
    key_variable: str
    request: Callable[[Ask, Shape], Body]
    read: Callable[[Body], Answer]
    key_headers: Callable[[str], Mapping[str, str]]


def is_openai(host: str) -> bool:
    """Whether the host is OpenAI's own: it renamed the token limit and takes fewer schemas."""
    return host.partition(":")[0].endswith(_OPENAI_HOSTS)


def _chat(ask: Ask, shape: Shape) -> Body:
    settings = ask.settings
    renamed = settings.newer_token_field or is_openai(settings.endpoint)
    renamed = (renamed or not shape.takes("max_tokens")) and shape.takes("max_completion_tokens")
    body = {
        "messages": ask.messages,
        "max_completion_tokens" if renamed else "max_tokens": settings.max_tokens,
        "seed": settings.seed + ask.sample,  # each sample has its own
    }
    if (alternatives := shape.top_logprobs(settings.top_logprobs)) is not None:
        body |= {"logprobs": True, "top_logprobs": alternatives}
    if shape.reply_format == "schema":
        strict = {"name": "reply", "strict": True, "schema": ask.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": strict}
    elif shape.reply_format == "json":
        body["response_format"] = {"type": "json_object"}
    return body


def _responses(ask: Ask, shape: Shape) -> Body:
    body = {
        "input": ask.messages,
        "max_output_tokens": ask.settings.max_tokens,
        "store": False,  # a case's text is kept nowhere it need not be
    }
    if (alternatives := shape.top_logprobs(ask.settings.top_logprobs)) is not None:
        body |= {
            "top_logprobs": alternatives,
            "include": ["message.output_text.logprobs"],
        }
    if shape.reply_format == "schema":
        form = {"type": "json_schema", "name": "reply", "strict": True, "schema": ask.schema}
        body["text"] = {"format": form}
    elif shape.reply_format == "json":
        body["text"] = {"format": {"type": "json_object"}}
    return body


def _messages(ask: Ask, shape: Shape) -> Body:
    system = "\n\n".join(m["content"] for m in ask.messages if m["role"] == "system")
    body = {
        "max_tokens": ask.settings.max_tokens,
        "messages": [m for m in ask.messages if m["role"] != "system"],
    }
    if system:
        body["system"] = system
    if shape.reply_format == "schema":
        body["output_config"] = {"format": {"type": "json_schema", "schema": ask.schema}}
    return body


def _decisions(ask: Ask, _: Shape) -> Body:
    """One question an item, its levels as labels; roles there are none."""
    task = ask.task
    levels = [{"label": str(level)} for level in task.scale.levels]
    return {
        "input": "\n\n".join(message["content"] for message in ask.messages),
        "questions": [
            {
                "type": "score",
                "name": item,
                "instructions": task.questions.get(item) or f"{task.title}: {item}",
                "levels": levels,
            }
            for item in task.scale.items
        ],
    }


def _read_chat(body: Body) -> Answer:
    """The first choice of a completion."""
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices:
        blocked = _is_blocked(body)
        raise TransportFailure(CONTENT_FILTER if blocked else "empty_choices", again=not blocked)
    choice = choices[0]
    finish = choice.get("finish_reason") if isinstance(choice, dict) else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(message, dict) and ending_of(finish) is Ending.filtered:
        message = {}  # Gemini leaves it out
    if not isinstance(message, dict):
        raise TransportFailure("malformed_response")
    text, refused = _text_of(message.get("content"))
    refused = refused or bool(message.get("refusal"))
    finish = "error" if choice.get("error") else finish  # OpenRouter: the provider broke off
    return _answer(body, text, finish, refused, choice.get("logprobs"), "prompt", "completion")


def _is_blocked(body: Body) -> bool:
    """Whether a filter took the prompt, as Gemini says it where there is no choice at all."""
    feedback = body.get("promptFeedback") or body.get("prompt_feedback")
    return isinstance(feedback, dict) and any("lock" in name for name in feedback)


def _text_of(content: object) -> tuple[str, bool]:
    """The text of a message, given whole or in parts, and whether a part of it is a refusal."""
    if content is None or isinstance(content, str):
        return content or "", False
    if not isinstance(content, list) or not all(isinstance(part, dict | str) for part in content):
        raise TransportFailure("malformed_response")
    content = [
        {"type": "text", "text": part} if isinstance(part, str) else part for part in content
    ]
    texts = [part.get("text") for part in content if part.get("type") in ("text", "output_text")]
    refused = any(part.get("type") == "refusal" for part in content)
    return "".join(text for text in texts if isinstance(text, str)), refused


def _read_responses(body: Body) -> Answer:
    """The messages among the outputs of a response."""
    parts: list[Body] = []
    outputs = body.get("output")
    for output in outputs if isinstance(outputs, list) else ():
        match output:
            case {"type": "message", "content": [*content]}:
                parts += [part for part in content if isinstance(part, dict)]
    status, details = body.get("status"), body.get("incomplete_details")
    if status == "incomplete":
        status = (details.get("reason") if isinstance(details, dict) else None) or "length"
    if not parts and ending_of(status) is Ending.done:
        raise TransportFailure("empty_choices")
    text, refused = _text_of(parts)
    lists = (part.get("logprobs") for part in parts)
    tokens = [token for some in lists if isinstance(some, list) for token in some]
    return _answer(body, text, status, refused, {"content": tokens}, "input", "output")


def _read_messages(body: Body) -> Answer:
    """The text blocks of a message; its thinking is none of them."""
    if not isinstance(body.get("content"), list):
        raise TransportFailure("malformed_response")
    text, _ = _text_of(body["content"])
    return _answer(body, text, body.get("stop_reason"), False, None, "input", "output")


def _read_decisions(body: Body) -> Answer:
    """The answers as they are; which of them can be used is the reply's to say."""
    answers = body.get("answers")
    if not isinstance(answers, list) or not all(isinstance(part, dict) for part in answers):
        raise TransportFailure("malformed_response")
    answer = _answer(body, to_json(answers, indent=None), "stop", False, None, "input", "output")
    return replace(answer, decisions=tuple(answers))


def _answer(
    body: Body,
    text: str,
    finish: object,
    refused: bool,
    logprobs: object,
    prompts: str,
    replies: str,
) -> Answer:
    """``prompts`` and ``replies`` begin the names under which the body counts their tokens."""
    ending = ending_of(finish)
    if ending is Ending.fault:
        raise TransportFailure(FAULT)
    usage = body.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    return Answer(
        text=text,
        ending=ending,
        logprobs=logprobs,
        refused=refused or ending is Ending.filtered,
        served_model=model_name(body.get("model")),
        prompt_tokens=count_of(counts.get(f"{prompts}_tokens")),
        completion_tokens=count_of(counts.get(f"{replies}_tokens")),
    )


def _bearer(key: str) -> Mapping[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _anthropic(key: str) -> Mapping[str, str]:
    return {"x-api-key": key, "anthropic-version": "2023-06-01"}


_OPENAI: Final = ("https://api.openai.com/v1", "OPENAI_API_KEY")
_ANTHROPIC: Final = ("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")
PROTOCOLS: Final[Mapping[Api, Protocol]] = {
    "chat": Protocol("/chat/completions", *_OPENAI, _chat, _read_chat, _bearer),
    "responses": Protocol("/responses", *_OPENAI, _responses, _read_responses, _bearer),
    "messages": Protocol("/messages", *_ANTHROPIC, _messages, _read_messages, _anthropic),
    "decisions": Protocol("/decisions", *_OPENAI, _decisions, _read_decisions, _bearer),
}
_NAMES: Final = {
    "temperature": ("temperature",),
    "seed": ("seed",),
    "max_tokens": ("max_tokens", "max_completion_tokens", "max_output_tokens"),
}
"""What an option is called in a request."""

"""Evaluations with Inspect's mock model, run in a process of their own and printed as JSON.

Inspect leaves streams open at its end, which this project's tests would take for faults of ours.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_evaluation
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Logprob, Logprobs, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, mean, scorer

from acumen.bridge.inspect import augrc, ordinal


def reply(text: str, stop: Any = "stop", logprob: float = -0.1) -> ModelOutput:
    output = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    token = Logprob(token=text, logprob=logprob, bytes=None, top_logprobs=None)
    output.choices[0].logprobs = Logprobs(content=[token])
    # given, so that the mock model does not count tokens, for which it would ask the network
    output.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)
    return output


REPLIES = {
    "levels": [
        reply("2"),
        reply("ABSTAIN"),
        reply("I cannot help with that.", stop="content_filter"),
        reply("3", logprob=-0.7),
        reply("1"),
        reply("seven"),
    ],
    "sentences": [
        reply("Rating: 2 (sure 80)"),
        reply("Rating: 3 (sure 20)"),
        reply("no idea"),
        reply("Rating: 9 (sure 70)"),
    ],
}


@scorer(metrics=[mean(), augrc()])
def own_scorer() -> Any:
    """A scorer of somebody else's, whose values have the three keys."""

    async def score(state: Any, target: Any) -> Score:
        return Score(value={"answered": 1, "confidence": 0.5, "loss": 0.25})

    return score


def log_of(folder: str, own: Any, replies: list[ModelOutput], epochs: int) -> EvalLog:
    targets = ["1", "1", "2", "2", "3", "3"][: len(replies)]
    data = [
        Sample(id=f"s{k}", input="Rate", target=target, metadata={"patient": k // 2, "item": k % 2})
        for k, target in enumerate(targets)
    ]
    (log,) = run_evaluation(
        Task(dataset=data, scorer=own),
        model=get_model("mockllm/model", custom_outputs=replies * epochs),
        epochs=epochs,
        log_dir=folder,
        display="none",
        max_connections=1,
        log_level="error",
    )
    return log


def summary(log: EvalLog) -> dict[str, Any]:
    scores = log.results.scores if log.results else []
    first = (log.eval.scorers or [])[0]
    return {
        "status": log.status,
        "metrics": {name: m.value for s in scores for name, m in s.metrics.items()},
        "names": [m.name for m in first.metrics or [] if hasattr(m, "name")],
        "scores": [next(iter((s.scores or {}).values())).model_dump() for s in log.samples or []],
        "location": log.location,
    }


if __name__ == "__main__":
    pattern = {"pattern": r"Rating: (\d)", "confidence": r"sure (\d+)"}
    logs = {
        "one epoch": log_of(sys.argv[1], ordinal("0-3"), REPLIES["levels"], 1),
        "two epochs": log_of(sys.argv[1], ordinal([0, 1, 2, 3]), REPLIES["levels"], 2),
        "sentences": log_of(sys.argv[1], ordinal("phq8", **pattern), REPLIES["sentences"], 1),
        "own scorer": log_of(sys.argv[1], own_scorer(), REPLIES["levels"], 2),
    }
    print(json.dumps({name: summary(log) for name, log in logs.items()}))

"""A run in lines for people: what it would ask (``--dry-run``), how it did (``--compute-aurc``)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, Final

from acumen.errors import counted, printable
from acumen.runner.limits import Limits
from acumen.runner.plan import Plan
from acumen.runner.prompts import Message, zero_or_few_shot
from acumen.runner.retrieval import FewShots, TfidfSimilarity
from acumen.runner.schema import HIGHEST_CONFIDENCE, LOWEST_CONFIDENCE

CHARACTERS_PER_TOKEN: Final = 4
SECONDS_PER_ANSWER: Final = 5


def preview(plan: Plan, limits: Limits, concurrency: int, left: int) -> Iterator[str]:
    """How many questions, to whom, what they may cost; and the first prompt, word for word."""
    settings, cases = plan.settings, plan.asked_cases
    questions, samples = counted(plan.size, "question"), counted(settings.samples, "sample")
    asked = f"{counted(len(cases), 'case')}, {', '.join(settings.modes)}, {samples} each"
    yield f"{questions}: {asked}, to {printable(settings.endpoint)}"
    if left < plan.size:
        yield f"{plan.size - left:,} of them are answered, {left:,} are left"
    zero_shot = [zero_or_few_shot(plan.task, case) for case in cases]
    yield f"zero-shot prompts of {_lengths(zero_shot)}, hash {plan.prompt_hash()}"
    prompts = zero_shot * ("zero_shot" in settings.modes)
    if "few_shot" in settings.modes and settings.embedding_model is not None:
        yield "few-shot prompts: unknown until the endpoint has embedded the references"
        prompts += zero_shot
    elif "few_shot" in settings.modes:
        few_shot = asyncio.run(_few_shot_prompts(plan))
        bare = sum(few == zero for few, zero in zip(few_shot, zero_shot, strict=True))
        bareness = f"; nothing is retrieved for {bare} of {counted(len(cases), 'case')}"
        yield f"few-shot prompts of {_lengths(few_shot)}{bareness if bare else ''}"
        prompts += few_shot
    characters = sum(map(_length, prompts)) * settings.samples
    yield from _estimates(plan, limits, concurrency, left, characters * left // plan.size)
    for message in prompts[0]:  # its lines, and nothing that a terminal obeys
        lines = (printable(line, limit=len(line)) for line in message["content"].splitlines())
        yield f"--- {message['role']}\n" + "\n".join(lines)
    yield "---"


def _estimates(
    plan: Plan, limits: Limits, concurrency: int, left: int, characters: int
) -> Iterator[str]:
    """Tokens, time and cost of the questions left, each with what it rests on."""
    asked = characters // CHARACTERS_PER_TOKEN
    replies = left * plan.settings.max_tokens
    prompts = f"about {asked:,} tokens of prompts ({CHARACTERS_PER_TOKEN} characters a token)"
    yield f"{prompts}, at most {replies:,} of replies ({plan.settings.max_tokens:,} each)"
    minutes = left * SECONDS_PER_ANSWER / concurrency / 60
    pace = f"{SECONDS_PER_ANSWER} seconds an answer, {concurrency} at a time"
    yield f"about {minutes:,.1f} minutes at {pace}"
    if any(limits.prices):
        least, most = limits.price(asked, 0), limits.price(asked, replies)
        yield f"costs {least:,.4f} for the prompts, and at most {most:,.4f} with the replies"


async def _few_shot_prompts(plan: Plan) -> list[list[Message]]:
    assert plan.references is not None, "a plan without references has no few-shot mode"
    shots = FewShots(plan, TfidfSimilarity(plan.references.all))
    return [zero_or_few_shot(plan.task, c, await shots.of(c)) for c in plan.asked_cases]


def _length(prompt: list[Message]) -> int:
    return sum(len(message["content"]) for message in prompt)


def _lengths(prompts: Sequence[list[Message]]) -> str:
    sizes = list(map(_length, prompts))
    least, most = min(sizes), max(sizes)
    return f"{least} characters" if least == most else f"{least} to {most} characters"


def selective_summary(artifact: dict[str, Any], plan: Plan) -> Iterator[str]:
    """AURC, risk at half coverage and the number of items, for each mode of a run.

    The loss is the number of levels between prediction and truth: ``abs`` of ``acumen evaluate``,
    whose own default is a share of the scale. Failed cases are left out. The confidence is the
    evidence count, or what the model says of itself where a task asks for no evidence.
    """
    from acumen.compat.compute import ItemPrediction, compute_aurc, compute_risk_at_coverage

    # of a scale with one item, "12 items" would read as twelve questions a case
    noun = "item" if len(plan.task.scale.items) > 1 else "judgment"
    signal = "llm_evidence_count" if plan.task.reply.evidence else "verbalized_confidence"
    rank = plan.task.scale.rank
    # only the order counts; a confidence the model did not give stands in the middle
    middle = (LOWEST_CONFIDENCE + HIGHEST_CONFIDENCE) / 2
    for mode in plan.settings.modes:
        items = [
            ItemPrediction(
                score=None if prediction is None else rank(prediction),
                ground_truth=rank(truth),
                confidence=middle if signals.get(signal) is None else signals[signal],
            )
            for row_mode, prediction, truth, signals in _answers(artifact)
            if row_mode in (None, mode)
        ]
        risk = _number(compute_risk_at_coverage(items, 0.5) if items else None)
        has_answers = any(item.is_predicted for item in items)
        aurc = _number(compute_aurc(items) if has_answers else None)
        rows = f"{counted(len(items), noun)} (loss abs, ranked by {signal})"
        yield f"{mode}: AURC {aurc}, risk at 50% coverage {risk}, {rows}"


def _answers(artifact: dict[str, Any]) -> Iterator[tuple[str | None, Any, Any, dict[str, Any]]]:
    """Mode, prediction, truth and signals of every item of the cases that did not fail.

    The rows of a verdict study name their mode only where there are two.
    """
    for row in artifact.get("results", ()):
        if "error" not in row and row["gt_verdict"] is not None:
            yield row.get("method"), row["verdict"], row["gt_verdict"], row["signals"]
    for experiment in artifact.get("experiments", ()):
        results = experiment["results"]
        for row in results["results"]:
            if row["success"] and "ground_truth_items" in row:
                for item, truth in row["ground_truth_items"].items():
                    prediction, signals = row["predicted_items"][item], row["item_signals"][item]
                    yield results["mode"], prediction, truth, signals


def _number(value: float | None) -> str:
    return "N/A" if value is None else f"{value:.4f}"

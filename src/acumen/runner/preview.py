"""``--dry-run``: what a run would ask, in numbers, without asking it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from acumen.errors import counted, printable
from acumen.runner.drive import FewShots
from acumen.runner.plan import Plan
from acumen.runner.prompts import Message, zero_or_few_shot
from acumen.runner.retrieval import TfidfSimilarity


def preview(plan: Plan) -> Iterator[str]:
    """How many questions, to whom, and how long their prompts are; no word of any case."""
    settings, cases = plan.settings, plan.asked_cases
    yield (
        f"{counted(plan.size, 'question')}: {counted(len(cases), 'case')}, "
        f"{', '.join(settings.modes)}, {counted(settings.samples, 'sample')} each, "
        f"to {printable(settings.endpoint)}"
    )
    zero_shot = [zero_or_few_shot(plan.task, case) for case in cases]
    yield f"zero-shot prompts of {_lengths(zero_shot)}, hash {plan.prompt_hash()}"
    if "few_shot" in settings.modes:
        yield _few_shot_line(plan, zero_shot)


def _few_shot_line(plan: Plan, zero_shot: Sequence[list[Message]]) -> str:
    if plan.settings.embedding_model is not None:
        return "few-shot prompts: unknown until the endpoint has embedded the references"
    few_shot = asyncio.run(_few_shot_prompts(plan))
    bare = sum(few == zero for few, zero in zip(few_shot, zero_shot, strict=True))
    line = f"few-shot prompts of {_lengths(few_shot)}"
    if bare:
        line += f"; nothing is retrieved for {bare} of {counted(len(few_shot), 'case')}"
    return line


async def _few_shot_prompts(plan: Plan) -> list[list[Message]]:
    assert plan.references is not None, "a plan without references has no few-shot mode"
    shots = FewShots(plan, TfidfSimilarity(plan.references.all))
    return [zero_or_few_shot(plan.task, c, await shots.of(c)) for c in plan.asked_cases]


def _lengths(prompts: Sequence[list[Message]]) -> str:
    sizes = [sum(len(message["content"]) for message in prompt) for prompt in prompts]
    least, most = min(sizes), max(sizes)
    return f"{least} characters" if least == most else f"{least} to {most} characters"

"""acumen inside Inspect: a scorer of ordinal judgments and metrics of them.

``pip install 'acumen-eval[inspect]'`` registers both, as ``acumen/ordinal`` and ``acumen/augrc``
and so on. The value of a judgment is three numbers, ``answered`` (0 or 1), ``confidence`` and
``loss``, and never NaN: a row that Inspect takes for unscored would leave the denominator. An
answer without any confidence has null there. Any scorer whose values have these keys can use the
metrics.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from acumen.errors import UsageError, counted, label, printable
from acumen.metrics import METRICS
from acumen.readers.answers import Silence, word_of
from acumen.readers.patterns import checked_pattern, search
from acumen.table.levels import number_in
from acumen.table.scale import Scale, find_scale
from acumen.views.ranking import Ranking, rank

logger = logging.getLogger(__name__)

KEYS: Final = ("answered", "confidence", "loss")
FINEST: Final = 1000
"""A loss is a fraction of the scale, with at most this denominator."""
UNSURE: Final = (
    "%s without a confidence: nothing can be ranked; ask the model for log-probabilities "
    "(logprobs=True), or say where the reply has it (-S confidence=PATTERN)"
)

IN_PLACE: Final = "site-packages" not in Path(__file__).parts
"""Inspect looks for what is installed in place under the name that is imported, and so in vain."""
NAMESPACE: Final = "acumen/" if IN_PLACE else ""
"""What Inspect puts before the names of a package that it finds."""

__all__ = ["ordinal"]


def ranking_of(judgments: Sequence[Mapping[str, Any]]) -> Ranking:
    """Judgments as rows, surest first; an answer without a confidence has the least."""
    losses = [Fraction(j["loss"]).limit_denominator(FINEST) for j in judgments]
    if any(abs(loss - j["loss"]) > 1e-9 for loss, j in zip(losses, judgments, strict=True)):
        raise UsageError(f"losses must be fractions with a denominator of at most {FINEST}")
    steps = math.lcm(*(loss.denominator for loss in losses))
    return rank(
        np.array([int(loss * steps) for loss in losses], np.int64),
        np.array([j["confidence"] or 0.0 for j in judgments], np.float64),
        np.array([j["answered"] == 1 for j in judgments], bool),
        unit=1 / steps,
    )


def _judgment(score: SampleScore) -> dict[str, Any]:
    """The three numbers of a score; the confidence may be null."""
    value: Any = score.score.value
    judgment = {key: value.get(key) if isinstance(value, dict) else None for key in KEYS}
    numbers = [v for k, v in judgment.items() if v is not None or k != "confidence"]
    sample = f"sample {label(score.sample_id)}"
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        wanted = f"{{{', '.join(KEYS)}}} in numbers, as acumen/ordinal gives them"
        value = printable(str(value))
        raise UsageError(f"{sample}: the value of a judgment is {wanted}, not {value}")
    if (answered := judgment["answered"]) not in (0, 1):
        mean = f"answered is {answered}, a mean over epochs, which has no rank"
        raise UsageError(f"{sample}: {mean}; measure the log instead: acumen evaluate log.eval")
    return judgment


def _metric_named(name: str, *, needs_confidence: bool = True) -> Callable[[], Metric]:
    """A metric of the registry as Inspect has them: undefined is NaN there."""

    def create() -> Metric:
        def measure(scores: list[SampleScore]) -> float:
            judgments = [_judgment(score) for score in scores]
            unsure = [j for j in judgments if j["answered"] and j["confidence"] is None]
            if unsure and needs_confidence:
                logger.warning(UNSURE, counted(len(unsure), "answer"))
                return math.nan
            value = METRICS[name].measure(ranking_of(judgments)).value
            return math.nan if value is None else value

        return measure

    create.__name__ = name
    registered: Callable[[], Metric] = metric(name=NAMESPACE + name, scores="unreduced")(create)
    return registered


coverage = _metric_named("coverage", needs_confidence=False)
mean_loss = _metric_named("mean_loss", needs_confidence=False)
accuracy = _metric_named("accuracy", needs_confidence=False)
aurc, augrc, eaugrc = map(_metric_named, ("aurc", "augrc", "eaugrc"))


@scorer(
    metrics=[coverage(), mean_loss(), accuracy(), aurc(), augrc(), eaugrc()],
    name=f"{NAMESPACE}ordinal",
)
def ordinal(
    levels: str | list[Any],
    pattern: str | None = None,
    confidence: str | None = None,
    abstain: str | list[str] = "",
) -> Scorer:
    """Score replies that name a level of an ordinal scale, or none.

    ``levels`` are lowest first: "0-3", "poor,fair,good", a list, or a scale's name. ``pattern``
    finds the level in the reply and ``confidence`` the confidence, each in its one group; without
    them the reply is the level, and the confidence is the mean probability of its tokens (ask the
    model for log-probabilities). ``abstain`` are words for no answer beside the common ones. The
    loss is the distance to the target as a share of the scale.
    """
    scale, silence = find_scale(levels), Silence.of(abstain)
    level_in = _finder(pattern)
    number_of = _finder(confidence) if confidence else None

    async def score(state: TaskState, target: Target) -> Score:
        output = state.output
        if not output.choices:  # no reply: nothing was judged
            return Score.unscored(reason="no_response")
        text = level_in(output.completion)
        refused, rung = output.stop_reason == "content_filter", _rank(scale, text)
        if refused or rung is None:
            silent = silence.is_common(text) or word_of(text or "") in silence.declared
            return Score(
                value={"answered": 0, "confidence": 0.0, "loss": 0.0},
                answer=output.completion if text is None else text,
                reason="refusal" if refused else None if silent else "invalid_response_format",
            )
        truth = _rank(scale, target.text)
        if truth is None:
            raise UsageError(f"the target {label(target.text)} is no level: {scale.allowed}")
        sure = number_in(number_of(output.completion)) if number_of else _mean_probability(output)
        loss = abs(rung - truth) / scale.range
        return Score(value={"answered": 1, "confidence": sure, "loss": loss}, answer=text)

    return score


def _finder(pattern: str | None) -> Callable[[str], str | None]:
    """What takes the text that a pattern's group matches out of a reply; all of it without one."""
    if pattern is None:
        return str.strip
    try:
        compiled = checked_pattern(pattern, groups=1)
    except ValueError as error:
        raise UsageError(f"the pattern {label(pattern)} {error}") from None
    return lambda text: match[1].strip() if (match := search(compiled, text)) else None


def _rank(scale: Scale, text: str | None) -> int | None:
    try:
        return scale.rank(number_in(text) if scale.is_numeric else (text or "").strip())
    except ValueError:
        return None


def _mean_probability(output: ModelOutput) -> float | None:
    logprobs = output.choices[0].logprobs
    tokens = logprobs.content if logprobs else []
    return math.fsum(math.exp(t.logprob) for t in tokens) / len(tokens) if tokens else None

"""The scorer of ordinal judgments, reply by reply, and the rows its values become."""

from __future__ import annotations

import asyncio
import math
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from acumen.errors import UsageError

if TYPE_CHECKING:
    from inspect_ai.model import Logprob, Logprobs, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from acumen.bridge.inspect import ordinal, ranking_of

if find_spec("inspect_ai") is None:
    pytest.skip("the bridge is tested with the real inspect_ai", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def inspect_ai() -> None:
    """Import it now: it takes seconds, and not every worker comes here."""
    global Logprob, Logprobs, ModelOutput, Target, TaskState, ordinal, ranking_of
    from inspect_ai.model import Logprob, Logprobs, ModelOutput
    from inspect_ai.scorer import Target
    from inspect_ai.solver import TaskState

    from acumen.bridge.inspect import ordinal, ranking_of


def reply(text: str, *logprobs: float, stop: Any = "stop") -> Any:
    output = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    tokens = [Logprob(token="t", logprob=p, bytes=None, top_logprobs=None) for p in logprobs]
    output.choices[0].logprobs = Logprobs(content=tokens) if tokens else None
    return output


def scored(output: Any, target: str = "1", **options: Any) -> Any:
    model: Any = "mockllm/model"
    state: Any = TaskState(model, "s0", 1, "Rate", [], output=output)
    score = asyncio.run(ordinal(**{"levels": "0-3", **options})(state, Target(target)))
    assert score is not None
    return score


def values(score: Any) -> tuple[Any, ...]:
    assert isinstance(score.value, dict)
    return tuple(score.value[key] for key in ("answered", "confidence", "loss"))


@pytest.mark.parametrize(
    ("text", "target", "loss"),
    [("2", "2", 0.0), ("1", "2", 1 / 3), ("2", "1", 1 / 3), (" 3 ", "0", 1.0), ("0", "3", 1.0)],
)
def test_the_loss_is_the_distance_as_a_share_of_the_scale(
    text: str, target: str, loss: float
) -> None:
    score = scored(reply(text), target)
    assert values(score) == (1, None, loss)
    assert (score.answer, score.reason) == (text.strip(), None)


def test_levels_may_be_words() -> None:
    score = scored(reply(" good "), "poor", levels="poor,fair,good,best")
    assert values(score) == (1, None, 2 / 3)
    assert values(scored(reply("2"), "poor", levels="poor,fair,good,best")) == (0, 0.0, 0.0)


def test_the_confidence_is_the_mean_probability_of_the_tokens() -> None:
    score = scored(reply("2", math.log(0.5), math.log(0.7), math.log(0.9)))
    assert values(score) == (1, pytest.approx(0.7, abs=1e-15), 1 / 3)


@pytest.mark.parametrize(
    ("words", "stop", "abstain", "answer", "reason"),
    [
        ("ABSTAIN", "stop", "", "ABSTAIN", None),
        ("n/a", "stop", "", "n/a", None),
        (" PASS ", "stop", "pass", "PASS", None),
        ("pass", "stop", "", "pass", "invalid_response_format"),
        ("seven", "stop", "", "seven", "invalid_response_format"),
        ("4", "stop", "", "4", "invalid_response_format"),
        ("I cannot.", "content_filter", "", "I cannot.", "refusal"),
        ("2", "content_filter", "", "2", "refusal"),
    ],
)
def test_what_is_no_level_is_an_abstention_with_its_reason(
    words: str, stop: str, abstain: str, answer: str, reason: str | None
) -> None:
    for logprobs in ((), (-0.1,)):
        score = scored(reply(words, *logprobs, stop=stop), abstain=abstain)
        assert values(score) == (0, 0.0, 0.0)
        assert (score.answer, score.reason) == (answer, reason)


def test_level_and_confidence_are_taken_by_their_patterns() -> None:
    patterns = {"pattern": r"Rating: (\d)", "confidence": r"sure ( *\d+)"}
    score = scored(reply("Rating: 3 (sure  80)", -0.1), **patterns)
    assert values(score) == (1, 80, 2 / 3)
    assert score.answer == "3"
    assert values(scored(reply("Rating: 3", -0.1), **patterns)) == (1, None, 2 / 3)
    silent = scored(reply("no rating at all"), **patterns)
    assert values(silent) == (0, 0.0, 0.0)
    assert silent.answer == "no rating at all"
    assert scored(reply("Rating: 9"), **patterns).reason == "invalid_response_format"


def test_without_a_reply_nothing_is_scored() -> None:
    score = scored(ModelOutput(model="mockllm/model", choices=[]))
    assert score.reason == "no_response"
    assert isinstance(score.value, float)
    assert math.isnan(score.value)


def test_a_target_that_is_no_level_is_refused() -> None:
    with pytest.raises(UsageError, match=r"the target '?4'? is no level: .*0"):
        scored(reply("2"), "4")


@pytest.mark.parametrize("pattern", [r"\d", r"(\d)(\d)", "(", "(?P<a>"])
def test_a_pattern_has_one_group(pattern: str) -> None:
    with pytest.raises(UsageError, match="the pattern "):
        ordinal("0-3", pattern)
    with pytest.raises(UsageError, match="the pattern "):
        ordinal("0-3", confidence=pattern)


def judgment(loss: float, confidence: float | None = 0.5, answered: float = 1) -> dict[str, Any]:
    return {"answered": answered, "confidence": confidence, "loss": loss}


def test_losses_become_whole_steps_of_their_common_denominator() -> None:
    rows = [judgment(1 / 3, 0.2), judgment(0.5, 0.9), judgment(1.0, None), judgment(0, 0.0, 0)]
    ranking = ranking_of(rows)
    assert ranking.unit == 1 / 6
    assert ranking.order.tolist() == [1, 0, 2]
    assert ranking.loss.tolist() == [3, 2, 6]


def test_a_loss_is_a_fraction_of_a_thousand_at_most() -> None:
    assert ranking_of([judgment(1 / 1000)]).unit == 1 / 1000
    # within rounding of one, and not
    assert ranking_of([judgment(1e-9)]).unit == 1
    assert ranking_of([judgment(0.25 + 9e-10)]).unit == 0.25
    for loss in (0.25 + 1.5e-9, 1 / 1001):
        with pytest.raises(UsageError, match="a denominator of at most 1000"):
            ranking_of([judgment(0.5), judgment(loss)])

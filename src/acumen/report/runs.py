"""How a run ended, as sections and in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from acumen.errors import counted, printable
from acumen.report.blocks import Detail, Head, Paragraph, Section
from acumen.report.cells import plain
from acumen.report.sections import Ask, Family
from acumen.results.runs import RunSummary

OPTIONS: Final = {"http_400", "http_422"}
"""Reasons that an option may be behind."""
HOPELESS: Final = {"context_too_long", "body_too_large", *OPTIONS}
"""Reasons that asking again does not mend."""


def lines(summary: RunSummary) -> Iterator[str]:
    """What became of the questions, and why some are left."""
    if summary.is_rehearsal:
        yield f"would write {summary.output}; nothing was asked"
        return
    if summary.failures is not None:
        yield f"wrote {summary.output}{' (a part)' if summary.stop else ''}"
        yield from _failures(summary)
    if summary.stop is not None:
        yield _why(summary)


def _why(summary: RunSummary) -> str:
    """Why a run ended with questions left."""
    reason = f" (the last: {printable(summary.reason)})" if summary.reason else ""
    words = {
        "interrupted": "interrupted",
        "no_replies": f"{printable(summary.endpoint)} gives no replies{reason}",
        "failure_limit": f"the limit on failures is reached{reason}",
        "time_limit": "the time is up",
        "token_limit": "the tokens are used up",
        "cost_limit": "the money is used up",
    }
    return words[str(summary.stop)]


def _failures(summary: RunSummary) -> Iterator[str]:
    """Outcomes and reasons, counted, and what can be done about them."""
    assert summary.failures is not None
    outcomes, reasons = summary.failures["outcomes"], summary.failures["reasons"]
    yield "questions: " + ", ".join(f"{n:,} {name}" for name, n in outcomes.items())
    if (sieve := summary.failures.get("threshold")) is not None:
        bare = sieve["without_confidence"]
        tail = f", {bare:,} of them for lack of {sieve['confidence']}" if bare else ""
        yield f"withheld {sieve['withheld']:,} of {counted(sieve['answers'], 'answer')}{tail}"
        if shared := sieve["calibration_cases"]:
            yield f"warning: {counted(shared, 'case')} here made the threshold: no promise holds"
    if (cascade := summary.failures.get("cascade")) is not None:
        yield from _cascade(cascade)
    if reasons:
        yield "reasons: " + ", ".join(f"{n:,} {printable(name)}" for name, n in reasons.items())
    if summary.failed_cases:
        yield f"{counted(summary.failed_cases, 'case')} failed"
    if OPTIONS & reasons.keys():
        yield (
            "HTTP 400 and 422 may mean an option that the endpoint does not take: "
            "try --top-logprobs 0, --reply-format json or text, --omit seed, with another --output"
        )
    if "cut_off" in reasons:
        limit = f" at {counted(summary.max_tokens, 'token')}" if summary.max_tokens else ""
        yield f"replies were cut off{limit}: add --resume with a larger --max-tokens"
    if "body_too_large" in reasons:
        fewer = "try a smaller --top-logprobs, or 0, with another --output"
        yield f"replies were larger than {summary.max_tokens:,} tokens can be: {fewer}"
    if "context_too_long" in reasons:
        yield "prompts were longer than the model's context: shorten these cases"
    if outcomes.get("transport_failure", 0) > sum(n for r, n in reasons.items() if r in HOPELESS):
        yield "to ask again what got no reply, add --resume"


def _cascade(facts: Mapping[str, Any]) -> Iterator[str]:
    """Who answered what, and what people are left with."""
    rows, left = facts["rows"], facts["referred"]
    yield f"of {counted(rows, 'row')}, answered: " + ", ".join(
        f"{printable(stage['model'])} {stage['accepted']:,} "
        f"(asked about {counted(stage['cases'], 'case')})"
        for stage in facts["stages"]
    )
    before = f"{facts['referred_before']:.1%} where it was certified"
    yield f"to people: {left:,} ({left / rows:.1%}; {before})"
    audit = facts["audit"]
    if audit["cases"]:
        yield f"audit: {counted(len(audit['cases']), 'case')} to label, in {audit['file']}"


def _main(summary: RunSummary, _: Ask) -> Section:
    first, *others = [*lines(summary)] or ["the run has not ended"]
    rest = tuple(map(Paragraph, others))
    return Section("metrics", "How the run ended", rest, Detail.ANSWER, first)


RUN_SUMMARY: Final = Family(lambda s: Head(plain(s.model), plain(s.endpoint)), (_main,))

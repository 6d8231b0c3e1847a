"""From log-probabilities to signals: which tokens spell an item's score, and how sure they were.

An endpoint returns a log-probability per token; a score is a few characters of the reply. The
tokens' bytes, laid end to end, spell the reply, and that gives the map.

Endpoints that decode under a grammar may return probabilities from *before* the mask: part of the
mass then lies on tokens that could never have been written. :func:`label_signals` renormalises over
the continuations that lead to a legal label, and says how much mass fell elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

from acumen.files.json_walk import Span

NONE_GIVEN: Final = "the endpoint gave no log-probabilities"
NO_SPELLING: Final = "the log-probabilities do not spell the reply"
CUT_SHORT: Final = "the log-probabilities end half way"
NO_TOP: Final = "the endpoint gave no top log-probabilities"
NOT_NUMBERS: Final = "a log-probability is missing or no number below 0"

_GLUE: Final = b' \t\r\n:"'
_AFTER_LABEL: Final = b' \t\r\n,}]"'
_ROUNDING: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Token:
    """One token of a reply: its bytes, its log-probability, and the best alternatives."""

    spelling: bytes
    logprob: float | None
    top: tuple[tuple[bytes, float], ...] = ()


@dataclass(frozen=True, slots=True)
class TokenSignals:
    """Mean probability, mean entropy, mean log-mass of the listed alternatives; or why not."""

    msp: float | None = None
    pe: float | None = None
    energy: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LabelSignals:
    """Probability and entropy over legal labels alone, and the mass that fell elsewhere."""

    probability: float | None = None
    entropy: float | None = None
    mass_elsewhere: float | None = None
    reason: str | None = None


def read_tokens(logprobs: object) -> list[Token]:
    """The tokens in a choice's ``logprobs``; empty when the endpoint gave none."""
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list):
        return []
    return [_token(entry) for entry in content if isinstance(entry, dict)]


def _token(entry: dict[str, Any]) -> Token:
    alternatives = entry.get("top_logprobs")
    top = []
    for other in alternatives if isinstance(alternatives, list) else []:
        value = _logprob(other.get("logprob")) if isinstance(other, dict) else None
        if value is not None:
            top.append((_spelling(other), value))
    return Token(_spelling(entry), _logprob(entry.get("logprob")), tuple(top))


def _spelling(entry: dict[str, Any]) -> bytes:
    values = entry.get("bytes")
    if isinstance(values, list) and all(type(b) is int and 0 <= b < 256 for b in values):
        return bytes(values)
    text = entry.get("token")
    return text.encode("utf-8", "replace") if isinstance(text, str) else b""


def _logprob(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return min(float(value), 0.0) if value <= _ROUNDING and math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class TokenMap:
    """The tokens of a reply and the byte at which each begins in it."""

    text: str
    tokens: Sequence[Token]
    starts: Sequence[int]
    reason: str | None = None

    @classmethod
    def of(cls, text: str, tokens: Sequence[Token]) -> TokenMap:
        """Lay the tokens along the reply; ``reason`` says when they don't fit it."""
        if not tokens:
            return cls(text, (), (), NONE_GIVEN)
        spelling, reply = b"".join(t.spelling for t in tokens), text.encode("utf-8", "replace")
        # a stream may stop half way; tokens the text does not show (reasoning, a template's) come
        # before it, and may hold a draft of it
        shift = 0 if reply.startswith(spelling) else spelling.rfind(reply)
        if shift < 0 or not spelling:
            return cls(text, (), (), NO_SPELLING)
        lengths = (len(t.spelling) for t in tokens[:-1])
        starts = [at - shift for at in accumulate(lengths, initial=0)]
        return cls(text, tokens, starts)

    def over(self, span: Span) -> tuple[list[tuple[int, Token]], str | None]:
        """The tokens that share a character with ``span``, and where each begins."""
        if self.reason:
            return [], self.reason
        low, high = self.bytes_of(span)
        if self.starts[-1] + len(self.tokens[-1].spelling) < high:
            return [], CUT_SHORT
        pairs = zip(self.starts, self.tokens, strict=True)
        return [(at, t) for at, t in pairs if at < high and at + len(t.spelling) > low], None

    def bytes_of(self, span: Span) -> Span:
        """A span of characters as a span of bytes, quote marks of a text left out."""
        low, high = span
        if self.text[low:high].startswith('"'):
            low, high = low + 1, high - 1
        first = len(self.text[:low].encode("utf-8", "replace"))
        return first, first + len(self.text[low:high].encode("utf-8", "replace"))


def score_signals(tokens: TokenMap, span: Span | None = None) -> TokenSignals:
    """Signals over the tokens of one score; without a span over all of the reply's text."""
    pairs, reason = tokens.over(span or (0, len(tokens.text)))
    return TokenSignals(reason=reason) if reason else signals_over(t for _, t in pairs)


def signals_over(tokens: Iterable[Token]) -> TokenSignals:
    r"""``msp`` is the mean of :math:`e^{l}`, ``pe`` the mean entropy of the renormalised top
    log-probabilities, ``energy`` the mean of their log-sum-exp.

    >>> half = math.log(0.5)
    >>> signals_over([Token(b"2", half, ((b"2", half), (b"3", half)))])
    TokenSignals(msp=0.5, pe=0.6931471805599453, energy=0.0, reason=None)
    """
    visible = [t for t in tokens if t.spelling]  # an end mark spells nothing
    logprobs = [t.logprob for t in visible if t.logprob is not None]
    if not visible or len(logprobs) < len(visible):
        return TokenSignals(reason=NOT_NUMBERS)
    msp = math.fsum(math.exp(value) for value in logprobs) / len(logprobs)
    if not all(t.top for t in visible):
        return TokenSignals(msp=msp, reason=NO_TOP)
    energies = [_log_sum_exp([p for _, p in t.top]) for t in visible]
    if max(energies) > _ROUNDING:
        return TokenSignals(msp=msp, reason="the top log-probabilities sum to more than 1")
    entropies = [_entropy([p for _, p in t.top]) for t in visible]
    return TokenSignals(
        msp=msp,
        pe=math.fsum(entropies) / len(visible),
        energy=min(math.fsum(energies) / len(visible), 0.0),
    )


def label_signals(tokens: TokenMap, span: Span, labels: Sequence[str]) -> LabelSignals:
    r"""The score's probability among legal labels.

    At each token of the score let :math:`S_t` be the mass on alternatives that continue a legal
    label. Then ``probability`` :math:`= \prod_t p_t/S_t`, ``entropy`` is the sum over tokens of the
    entropy on those alternatives, ``mass_elsewhere`` :math:`= 1 - \prod_t S_t`. Alternatives beyond
    the listed ones count as elsewhere.
    """
    pairs, reason = tokens.over(span)
    if reason:
        return LabelSignals(reason=reason)
    low, _ = tokens.bytes_of(span)
    reply = tokens.text.encode("utf-8", "replace")
    spellings = [label.encode() for label in labels]
    probability, entropy, legal_mass = 1.0, 0.0, 1.0
    for at, token in pairs:
        if token.logprob is None or not token.top:
            return LabelSignals(reason=NO_TOP if token.logprob is not None else NOT_NUMBERS)
        prefix = reply[low:at] if at > low else b""
        alternatives = dict((*token.top, (token.spelling, token.logprob)))
        legal = [
            p
            for spelling, p in alternatives.items()
            if spelling == token.spelling or _continues(prefix, spelling, spellings)
        ]
        mass = _log_sum_exp(legal)
        probability *= math.exp(token.logprob - mass)
        entropy += _entropy(legal)
        legal_mass *= min(math.exp(mass), 1.0)
    return LabelSignals(min(probability, 1.0), entropy, max(0.0, 1.0 - legal_mass))


def level_chances(
    tokens: TokenMap, span: Span, labels: Sequence[str], levels: int
) -> list[float] | None:
    r"""Probabilities of the first labels, which are the levels, by the tokens of a score.

    At each token every alternative counts for the one label it leads to, times what the tokens
    before it were worth; the written label has what is left at its end. Divided by their sum. None
    where alternatives were not given, or one leads to several labels: "1" to 1 and to 10.
    """
    pairs, reason = tokens.over(span)
    if reason:
        return None
    low, _ = tokens.bytes_of(span)
    reply = tokens.text.encode("utf-8", "replace")
    spellings = [label.encode() for label in labels]
    written = tokens.text[slice(*span)].strip('"')
    chances, worth = dict.fromkeys(range(len(labels)), 0.0), 1.0
    for at, token in pairs:
        if token.logprob is None or not token.top:
            return None
        prefix = reply[low:at] if at > low else b""
        for spelling, logprob in dict(token.top).items():
            if spelling == token.spelling:
                continue
            leads = [k for k, s in enumerate(spellings) if _continues(prefix, spelling, [s])]
            if len(leads) > 1:
                return None
            for label in leads:
                chances[label] += worth * math.exp(logprob)
        worth *= math.exp(token.logprob)
    if written not in labels:
        return None
    chances[labels.index(written)] += worth
    total = math.fsum(chances[level] for level in range(levels))
    return [chances[level] / total for level in range(levels)] if total > 0 else None


def _continues(prefix: bytes, token: bytes, labels: Sequence[bytes]) -> bool:
    """Whether ``token`` after ``prefix`` is on the way to a label, or is one and ends there."""
    rest = token if prefix else token.lstrip(_GLUE)
    if not rest:
        return False  # only opens the way: says nothing about which label
    word = prefix + rest
    return any(
        label.startswith(word)
        or (word.startswith(label) and word[len(label) : len(label) + 1] in _AFTER_LABEL)
        for label in labels
    )


def _log_sum_exp(values: Sequence[float]) -> float:
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(v - highest) for v in values))


def _entropy(logprobs: Sequence[float]) -> float:
    mass = _log_sum_exp(logprobs)
    shares = [math.exp(v - mass) for v in logprobs]
    return max(0.0, -math.fsum(p * math.log(p) for p in shares if p > 0))

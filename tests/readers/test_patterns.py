"""Patterns that could run away are refused; those let in are fast on texts made against them."""

from __future__ import annotations

import time

import pytest

from acumen.readers.patterns import LONGEST_TEXT, checked_pattern, search

USEFUL = {
    r"\[\[(\d)\]\]": ("so [[4]] it is", "4"),
    r"Score\s*:\s*(\d+)": ("My Score :  12 of 20", "12"),
    r"(?i)rating[:=]\s*([1-5])": ("RATING= 3", "3"),
    r"(-?\d+(?:\.\d+)?)": ("about -2.5", "-2.5"),
    r"(?:Rating|Score)\s*[:=]\s*(\d+)": ("Score = 7", "7"),
    r"(low|medium|high) risk": ("a medium risk", "medium"),
    r"(\d{1,2})/10": ("8/10", "8"),
    r'"answer":\s*"([^"]*)"': ('{"answer": "B"}', "B"),
    r"^\s*(\w+)\s*$": ("  yes ", "yes"),
    r"Rating: (\d).*": ("Rating: 3, since", "3"),
}


@pytest.mark.parametrize("pattern", USEFUL)
def test_patterns_that_people_write_are_let_in(pattern: str) -> None:
    text, value = USEFUL[pattern]
    match = search(checked_pattern(pattern, groups=1), text)
    assert match is not None
    assert match[1] == value


HOSTILE = [
    *(r"(a+)+b", r"(a*)*", r"([a-z]+)*$", r"(\w*\s?)*$", r"(?:a*|b)*", r"(a|a)*b", r"(a|aa)+$"),
    *(r".*.*x", r"\d+\d+x", r"x*[x]*", r"\s*\s*(\d)", r"\w+\s?\w+x", r"(?i)[a-z]+[A-Z]+1"),
    *(r"(.*)x(.*)y(.*)z", r"a{1,50}a{1,50}", r"(?:x{0,9}){0,99}", r"(?:a?){500}", r"(a?){40}a{40}"),
    *(r"(a)\1", r"(?=a)b", r"(?!a)b", r"(?<=a)b", r"(?<!a)b", r"(?>a+)b", r"(a)?(?(1)b|c)"),
    *(
        r"(?P<n>a)(?P=n)",
        r"a++b",
        "(",
        "[",
        "a" * 501,
    ),
]


@pytest.mark.parametrize("pattern", HOSTILE, ids=lambda p: p[:20])
def test_a_pattern_that_could_run_away_is_refused_at_once(pattern: str) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=r"."):
        checked_pattern(pattern)
    assert time.process_time() - start < 1


INSIDE = "a repeat inside a repeat"
TRIES = "more than 100 tries"
SAME = "can match the same characters"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a{1,100}", None),
        ("a{1,101}", TRIES),
        ("(?:a?){6}", None),  # 2⁶ tries
        ("(?:a?){7}", TRIES),
        ("c?(?:a?){5}", None),  # what stands before is not repeated
        ("(?:a{1,20})?", None),
        ("(?:ab|cd){6}", None),
        ("(?:ab|cd){7}", TRIES),
        ("(?:a*)?", None),
        ("(?:a*){1}", None),
        ("(?:a*){2}", INSIDE),
        ("(?:a{500}){2}", None),
        ("(?:a{501}){2}", INSIDE),  # longer than any pattern: as good as without a bound
        ("a{500}a*", None),
        ("a{501}a*", SAME),
        ("a*b{1,2}a*", None),
        ("a*b{0,2}a*", SAME),
        ("a*b{0}a*", SAME),
        ("a*b?a*", SAME),
        ("a*b*a*", SAME),
        ("a*b+a*", None),
        ("a*(?:b)?(?:a*)?", SAME),  # of two parts either may be left out
        ("(?:a*b|[ab]*)", None),  # no text meets both alternatives
        ("(?:a*[ab]*|xy)", SAME),
        ("a*(?:ba*)?", None),
        (r"\u5000*\u5000*", SAME),  # a character that is written by its number
        (r"[\u5000-\u6000]*[\u5500-\u7000]*", SAME),
        ("(?:a|b)*", None),  # as good as a set
        ("(?:a|[ab])*", "one character or set"),
        ("(?i:a)", "are out"),
        ("a{b{}", None),
    ],
)
def test_repeats_are_let_in_up_to_the_work_they_may_make(pattern: str, reason: str | None) -> None:
    if reason is None:
        assert checked_pattern(pattern).pattern == pattern
    else:
        with pytest.raises(ValueError, match=reason):
            checked_pattern(pattern)


TEXTS = ["1", " ", "a", '"', "1.", "Rating: ", "Score ", "[[", "\n", "x ", '"answer": ', "lo"]


@pytest.mark.parametrize("pattern", USEFUL)
def test_what_is_let_in_is_fast_on_every_text(pattern: str) -> None:
    compiled = checked_pattern(pattern)
    for unit in TEXTS:
        text = (unit * LONGEST_TEXT)[: LONGEST_TEXT - 1] + "!"
        start = time.process_time()
        search(compiled, text)
        assert time.process_time() - start < 5, unit


def test_a_text_that_is_too_long_is_not_searched() -> None:
    pattern = checked_pattern("(b)")
    assert search(pattern, "a" * (LONGEST_TEXT - 1) + "b") is not None
    assert search(pattern, "a" * LONGEST_TEXT + "b") is None


@pytest.mark.parametrize(("pattern", "groups"), [("a", 0), ("(a)(b)", 2)])
def test_an_extraction_has_one_group(pattern: str, groups: int) -> None:
    with pytest.raises(ValueError, match=f"must have 1 group in brackets, has {groups}"):
        checked_pattern(pattern, groups=1)

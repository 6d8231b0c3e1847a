"""Stages of long work: what a watcher is told, by hand."""

from __future__ import annotations

import pytest

from acumen.stages import stage, watched

Told = list[tuple[str, float]]


def test_a_part_has_its_share_of_what_is_left_of_the_stage_around_it() -> None:
    calls: Told = []
    with watched(lambda what, at: calls.append((what, at)), "all"):
        with stage("first", share=0.25):
            pass
        with stage("second", share=0.5), stage(share=0.5, steps=3) as advance:
            advance(2)
    # the second has 0.25..0.625, its unnamed half 0.25..0.4375 in three steps of 0.0625
    assert calls == [
        ("all", 0.0),
        ("first", 0.0),
        ("all", 0.25),
        ("second", 0.25),
        ("second", 0.25),
        ("second", pytest.approx(0.375, abs=1e-15)),
        ("second", 0.4375),
        ("all", 0.625),
    ]


def test_a_stage_that_takes_more_steps_than_it_guessed_stays_at_its_end() -> None:
    calls: Told = []
    with (
        watched(lambda what, at: calls.append((what, at))),
        stage("s", 0.5, steps=2) as advance,
    ):
        for _ in range(3):
            advance(1)
    assert calls == [("", 0), ("s", 0), ("s", 0.25), ("s", 0.5), ("s", 0.5), ("", 0.5)]


def test_a_stage_without_steps_is_one_step() -> None:
    calls: Told = []
    with watched(lambda what, at: calls.append((what, at))), stage("s", 0.5) as advance:
        advance(1)
    assert calls[2] == ("s", 0.5)


def test_an_error_ends_its_stage_and_the_watching() -> None:
    calls: Told = []
    with (
        pytest.raises(KeyError),
        watched(lambda what, at: calls.append((what, at)), "all"),
        stage("s", 0.5),
    ):
        raise KeyError
    assert calls[-1] == ("all", 0.5)
    with stage("unseen", steps=1) as advance:
        advance(1)
    assert len(calls) == 3


def test_who_watched_before_still_does_where_nobody_new_watches() -> None:
    calls: Told = []
    with watched(lambda what, at: calls.append((what, at)), "all"), watched(None), stage("s"):
        pass
    assert calls == [("all", 0), ("s", 0), ("all", 1)]

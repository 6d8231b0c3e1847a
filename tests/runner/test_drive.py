"""What becomes of the others when one worker fails; what a case and a prompt are made of."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from acumen.errors import DataError
from acumen.runner.cases import Case
from acumen.runner.drive import Driver
from acumen.runner.prompts import prompt_hash, render


class Endpoint:
    """One that knows only whether it is to stop."""

    def __init__(self) -> None:
        self.stopped = asyncio.Event()

    def stop(self) -> None:
        self.stopped.set()


@pytest.mark.parametrize("fails", [True, False])
def test_a_worker_that_fails_ends_the_others_soon(fails: bool) -> None:
    async def first() -> None:
        if fails:
            raise LookupError("the first")

    async def second(endpoint: Endpoint) -> None:
        await asyncio.wait_for(endpoint.stopped.wait(), 5)

    async def wait() -> tuple[bool, str]:
        endpoint: Any = Endpoint()
        none: Any = None
        driver = Driver(none, endpoint, none, none, none)
        own = asyncio.create_task(second(endpoint) if fails else first())
        driver._workers = [asyncio.create_task(first()), own]
        try:
            await driver._wait()
        except LookupError as error:
            return endpoint.stopped.is_set(), str(error)
        return endpoint.stopped.is_set(), ""

    assert asyncio.run(wait()) == ((True, "the first") if fails else (False, ""))


def test_the_hash_of_a_case_and_of_a_prompt_knows_no_order_of_keys() -> None:
    one, two = Case(1, {"a": "x", "b": "y"}, {}), Case(2, {"b": "y", "a": "x"}, {"mood": 1})
    assert one.digest == two.digest
    assert len(one.digest) == 16
    assert one.digest != Case(1, {"a": "y", "b": "x"}, {}).digest
    user = [{"role": "user", "content": "x"}]
    assert prompt_hash(user) == prompt_hash([{"content": "x", "role": "user"}])
    assert prompt_hash(user) != prompt_hash([*user, *user])


def test_the_passages_of_a_case_are_its_lines_and_reviews() -> None:
    reviews = [{"review_id": "R1", "text": "fine\nfood"}]
    case = Case(1, {"note": " one \n\n two\n", "hint": None, "reviews": reviews}, {})
    assert case.passages() == ["one", "two", "fine\nfood"]


@pytest.mark.parametrize(
    ("template", "line", "message"),
    [
        ("a\n{{ nothing }}", 2, "'nothing' is undefined"),
        ("{{ case.note * 3 }}", 1, "'*' is not allowed here"),
        ("\n\n{{ 2 ** 9 }}", 3, "'**' is not allowed here"),
        ("{{ 1 / 0 }}", 1, "ZeroDivisionError while rendering"),
        ("{{ " + "n" * 300 + " }}", 1, "'" + "n" * 199 + "… (315 characters)"),
    ],
)
def test_a_fault_of_a_template_is_told_with_its_line(
    template: str, line: int, message: str
) -> None:
    with pytest.raises(DataError) as refused:
        render(template, {"case": {"note": "secret"}})
    (problem,) = refused.value.problems
    assert problem.message == f"the template cannot be rendered: {message}"
    assert problem.line == line
    assert render("{{ 2 * 3 }}", {}) == "6"

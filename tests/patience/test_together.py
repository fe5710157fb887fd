"""Pieces of work that do not wait for each other: one by one, or at once if they are awaited."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from singletable import GetItem, InternalError, Throttled
from singletable.errors import SingleTableError
from singletable.retry import RetryPolicy, Steps, run, run_async, send, together

NAMES = ("a", "b", "c")
PATIENCE = RetryPolicy(base_delay=0)


def get(name: str) -> Steps[str]:
    """Ask for one item, patiently, and say whose answer it was."""
    answer: Any = yield from send(PATIENCE, GetItem("t", {"PK": {"S": name}}))
    return str(answer)


def all_of(*names: str) -> Steps[list[str]]:
    return (yield from together([get(name) for name in names]))


class Answers:
    """A driver that answers with the name, or with what it is told to raise first."""

    def __init__(self, **errors: SingleTableError) -> None:
        self.errors = errors
        self.sent = Counter[str]()

    def execute(self, operation: Any, /) -> Any:
        """The answer."""
        name = operation.key["PK"]["S"]
        self.sent[name] += 1
        if name in self.errors:
            raise self.errors.pop(name)
        return name


class Gathers(Answers):
    """An async driver that answers nobody before so many have asked."""

    def __init__(self, expected: int, **errors: SingleTableError) -> None:
        super().__init__(**errors)
        self.expected = expected
        self.complete = asyncio.Event()

    async def execute(self, operation: Any, /) -> Any:
        """The answer, once all have asked."""
        self.expected -= 1
        if self.expected == 0:
            self.complete.set()
        await asyncio.wait_for(self.complete.wait(), 10)
        return super().execute(operation)


@pytest.mark.parametrize("names", [NAMES, NAMES[:1], ()])
def test_each_answer_is_in_its_place(names: tuple[str, ...]) -> None:
    assert run(Answers(), all_of(*names)) == list(names)

    async def awaited() -> list[str]:
        return await run_async(Gathers(len(names)), all_of(*names))

    assert asyncio.run(awaited()) == list(names)


def test_who_was_refused_is_sent_again_alone() -> None:
    driver = Answers(b=Throttled("busy"))
    assert run(driver, all_of(*NAMES)) == list(NAMES)
    assert driver.sent == {"a": 1, "b": 2, "c": 1}

    async def awaited() -> Counter[str]:
        driver = Gathers(3, b=Throttled("busy"))
        assert await run_async(driver, all_of(*NAMES)) == list(NAMES)
        return driver.sent

    assert asyncio.run(awaited()) == {"a": 1, "b": 2, "c": 1}


def test_what_one_meets_is_raised_where_all_were_asked() -> None:
    impatient = RetryPolicy(max_attempts=1)

    def fails(name: str) -> Steps[object]:
        return (yield from send(impatient, GetItem("t", {"PK": {"S": name}})))

    def caught() -> Steps[str]:
        try:
            yield from together([fails(name) for name in NAMES])
        except InternalError as error:
            return error.message
        return "nothing"

    assert run(Answers(b=InternalError("oops")), caught()) == "oops"

    # Nothing goes on behind the caller's back: the others were answered before it is told.
    async def awaited() -> tuple[str, Counter[str]]:
        driver = Gathers(3, b=InternalError("oops"))
        return await run_async(driver, caught()), driver.sent

    assert asyncio.run(awaited()) == ("oops", Counter(NAMES))

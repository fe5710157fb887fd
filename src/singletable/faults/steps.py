"""The steps of work that is written once and run by two faces: operations to execute, and waits."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from singletable.operations import Operation

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Wait:
    """Let so many seconds pass."""

    seconds: float


# A face sends back the answer to an operation, or throws in the error it was refused with.
Steps: TypeAlias = Generator[Operation[Any] | Wait, object, R]


def ask(operation: Operation[R]) -> Steps[R]:
    """The wrapped driver's answer."""
    answer = yield operation
    return cast(R, answer)  # The face executes what is yielded, and the operation says what comes.

"""A client: a generator that yields operations and is sent their answers, as they are on the wire.

So that the same client runs in a thread, in a task, or at the far end of a socket.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from msgspec import json

from singletable import OperationError
from singletable.operations import Operation
from singletable.wire import write_error, write_result


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `code` is DynamoDB's name for a refusal, and empty if there was none."""

    code: str
    body: dict[str, Any]


Client: TypeAlias = Generator[Operation[Any], Answer, None]


def answer_of(status: int, body: bytes) -> Answer:
    """The answer that a response carries."""
    told = cast("dict[str, Any]", json.decode(body or b"{}"))
    code = "" if status == 200 else str(told["__type"]).rpartition("#")[2]
    return Answer(code, told)


def carried_out(result: object) -> Answer:
    """The answer that a result is."""
    return answer_of(200, write_result(result))


def refused(error: OperationError) -> Answer:
    """The answer that a refusal is."""
    return answer_of(*write_error(error))

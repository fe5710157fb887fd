"""A driver whose writes get scripted responses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Literal, TypeAlias, TypeVar, get_args

from dynamodb_engine.engine import Engine
from dynamodb_engine.errors import (
    CancellationReason,
    ConnectionFailed,
    EngineError,
    InternalError,
    Throttled,
    TransactionCanceled,
    TransactionConflict,
    TransactionInProgress,
)
from dynamodb_engine.operations import Operation, TransactWriteItems
from dynamodb_engine.operations.registry import OPERATIONS

R = TypeVar("R")

# `canceled`: another client changes the item just before. `cut` and `lost before`: the request was
# not executed, but nobody can tell.
Response: TypeAlias = Literal[
    "lost after", "lost before", "cut after", "cut", "throttled", "conflict", "in progress",
    "canceled",
]  # fmt: skip
RESPONSES: tuple[Response, ...] = get_args(Response)


class ScriptedDriver:
    """Executes requests on an engine; the writes get the responses of a script."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.script: Iterator[Response] = iter(())
        self.used = 0
        self.rival: Callable[[], object] = lambda: None

    def execute(self, operation: Operation[R], /) -> R:
        if not OPERATIONS[type(operation)].writes:
            return self.engine.execute(operation)
        response = next(self.script, None)
        if response is None:
            return self.engine.execute(operation)
        self.used += 1
        if response in ("lost after", "cut after"):
            # The response of a request that failed is lost as well.
            with suppress(EngineError):
                self.engine.execute(operation)
        if response in ("lost after", "lost before"):
            raise InternalError
        if response in ("cut", "cut after"):
            raise ConnectionFailed("The connection broke", may_have_arrived=True)
        if response == "canceled":
            self.rival()
            return self.engine.execute(operation)
        raise _refusal(operation, response)


def _refusal(operation: Operation[Any], response: Response) -> EngineError:
    request: object = operation
    if not isinstance(request, TransactWriteItems):
        return TransactionConflict("ongoing") if response == "conflict" else Throttled("busy")
    if response == "in progress":
        return TransactionInProgress("in progress")
    code = "ThrottlingError" if response == "throttled" else "TransactionConflict"
    others = [CancellationReason()] * (len(request.transact_items) - 1)
    return TransactionCanceled([CancellationReason(code), *others])

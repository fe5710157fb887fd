"""What both faces share: how a request is written, and how an answer is read."""

from __future__ import annotations

from typing import Any, TypeVar, cast
from uuid import uuid4

from msgspec.structs import replace

from singletable.operations import Operation, TransactWriteItems
from singletable.remote.answer import result_of
from singletable.remote.chain import Found
from singletable.remote.request import Requests
from singletable.remote.response import Answer
from singletable.remote.signature import Credentials

R = TypeVar("R")


class Core:
    """The protocol of one place, without I/O."""

    def __init__(self, found: Found) -> None:
        self.place = found.place
        through = found.proxy is not None and found.tls is None
        self._requests = Requests(
            found.place,
            through_proxy=through,
            more_headers=found.proxy.header if through and found.proxy else "",
        )

    def request(self, operation: Operation[Any], credentials: Credentials) -> bytes:
        """The bytes that ask for an operation."""
        return self._requests.write(operation, credentials)

    def result(self, operation: Operation[R], answer: Answer) -> R:
        """What the answer says."""
        return result_of(self.place, operation, answer)


def with_token(operation: Operation[R]) -> Operation[R]:
    """The operation, which happens once however often it is sent, if it is a transaction."""
    asked: Operation[Any] = operation
    if isinstance(asked, TransactWriteItems) and asked.client_request_token is None:
        # Its type, and so that of its answer, is what it was.
        return cast("Operation[R]", replace(asked, client_request_token=str(uuid4())))
    return operation

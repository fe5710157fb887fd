"""An operation becomes the bytes of a signed request."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from singletable.operations import Operation, ReadChanges, SweepExpired
from singletable.remote.place import Place
from singletable.remote.signature import Credentials, Signer
from singletable.wire import UnknownOperation, write_request

_WAYS_OUT: dict[type[Operation[Any]], str] = {
    ReadChanges: "Have DynamoDB stream the table to a function, and read what comes there with "
    "parse_stream_event(event, …).",
    SweepExpired: "DynamoDB removes expired items by itself, and a store never shows them.",
}


class Requests:
    """Writes the requests to one place."""

    def __init__(
        self,
        place: Place,
        clock: Callable[[], float] = time.time,
        *,
        through_proxy: bool = False,
        more_headers: str = "",
    ) -> None:
        self.place = place
        self._clock = clock
        self._signer = Signer(place.authority, place.region)
        # A proxy is told the whole address of what is not encrypted; a tunnel leads to the rest.
        target = f"{place}/" if through_proxy else "/"
        self._first = (
            f"POST {target} HTTP/1.1\r\naccept-encoding: identity\r\nuser-agent: singletable\r\n"
            f"{more_headers}"
        ).encode()

    def write(self, operation: Operation[Any], credentials: Credentials) -> bytes:
        """The request that asks for an operation, signed now."""
        if self.place.is_aws and type(operation) in _WAYS_OUT:
            raise not_at(self.place, operation)
        target, body = write_request(operation)
        signed = self._signer.headers(target, body, credentials, self._clock())
        return b"%b%bcontent-length: %d\r\n\r\n%b" % (self._first, signed, len(body), body)


def not_at(place: Place, operation: Operation[Any]) -> UnknownOperation:
    """The refusal of an operation that a place does not know."""
    kind = type(operation)
    if kind not in _WAYS_OUT:
        return UnknownOperation(f"What answers at {place} does not know {kind.__name__}.")
    return UnknownOperation(
        f"{kind.__name__} is an operation of singletable's own engine, and {place} does not have "
        f"it. {_WAYS_OUT[kind]}"
    )

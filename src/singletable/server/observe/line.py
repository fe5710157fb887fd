"""What the access log says of a request: who asked what, and how it went; nothing of any item."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import Struct

from singletable.server.observe.capacity import kind_of
from singletable.server.observe.exchange import Exchange
from singletable.wire import HttpResponse

LONGEST_AGENT = 256


class Line(Struct, frozen=True):
    """One request. Sizes are those of the bodies, as they travel."""

    time: datetime
    request_id: str | None
    client: str
    identity: str | None
    operation: str | None
    tables: list[str]
    index: str | None
    status: int
    error: str | None
    bytes_in: int
    bytes_out: int
    duration_ms: float
    read_units: float
    write_units: float
    user_agent: str | None


class Gap(Struct, frozen=True):
    """Lines that are missing above this one."""

    time: datetime
    dropped: int


def line_of(exchange: Exchange, response: HttpResponse, began: float, seconds: float) -> Line:
    """The line of a request that was answered."""
    request = exchange.request
    read = write = 0.0
    for told in exchange.consumed:
        if kind_of(told, exchange.operation) == "read":
            read += told.capacity_units
        else:
            write += told.capacity_units
    agent = request.headers.get("user-agent")
    return Line(
        moment(began),
        exchange.request_id,
        request.client,
        exchange.identity,
        exchange.name,
        exchange.tables,
        exchange.index,
        response.status,
        exchange.code,
        len(request.body),
        0 if request.method == "HEAD" else len(response.body),
        round(seconds * 1000, 3),
        read,
        write,
        None if agent is None else agent[:LONGEST_AGENT],
    )


def line_of_refusal(client: str, status: int, began: float) -> Line:
    """The line of what was refused before it was a request."""
    return Line(
        time=moment(began),
        request_id=None,
        client=client,
        identity=None,
        operation=None,
        tables=[],
        index=None,
        status=status,
        error=None,
        bytes_in=0,
        bytes_out=0,
        duration_ms=0,
        read_units=0,
        write_units=0,
        user_agent=None,
    )


def moment(seconds: float) -> datetime:
    """The time, to the microsecond, in UTC."""
    return datetime.fromtimestamp(seconds, UTC)

"""The head of a response: its status, and headers that concern the connection too."""

from __future__ import annotations

import time
from functools import lru_cache
from http import HTTPStatus

from singletable.wire import HttpResponse

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FIRST_LINES = {one.value: f"HTTP/1.1 {one.value} {one.phrase}\r\n" for one in HTTPStatus}


def head_of(response: HttpResponse, keep: bool) -> bytes:
    """Everything before the body. SDKs learn from the date by how much their clocks are wrong."""
    first = _FIRST_LINES.get(response.status) or f"HTTP/1.1 {response.status} \r\n"
    told = "".join([f"{name}: {value}\r\n" for name, value in response.headers.items()])
    return (
        f"{first}{told}date: {_date(int(time.time()))}\r\ncontent-length: {len(response.body)}\r\n"
        f"connection: {'keep-alive' if keep else 'close'}\r\n\r\n"
    ).encode("latin-1")


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    """The moment as HTTP writes it, whatever the locale."""
    at = time.gmtime(second)
    return (
        f"{_DAYS[at.tm_wday]}, {at.tm_mday:02} {_MONTHS[at.tm_mon - 1]} {at.tm_year} "
        f"{at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02} GMT"
    )

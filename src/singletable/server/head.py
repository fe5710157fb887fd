"""The head of a response: its status, and headers that concern the connection too."""

from __future__ import annotations

import time
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus

from singletable.wire import HttpResponse

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_REASONS = {status.value: status.phrase for status in HTTPStatus}


def head_of(response: HttpResponse, keep: bool) -> bytes:
    """Everything before the body. SDKs learn from the date by how much their clocks are wrong."""
    lines = [f"HTTP/1.1 {response.status} {_REASONS.get(response.status, '')}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    lines.append(f"date: {_date(int(time.time()))}")
    lines.append(f"content-length: {len(response.body)}")
    lines.append("connection: keep-alive" if keep else "connection: close")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)

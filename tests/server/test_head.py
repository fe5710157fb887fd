"""The head of a response."""

from __future__ import annotations

from email.utils import formatdate

from hypothesis import given
from hypothesis import strategies as st

from singletable.server.head import _date, head_of
from singletable.wire import HttpResponse


@given(st.integers(0, 2**33))
def test_the_date_is_written_as_http_has_it(second: int) -> None:
    assert _date(second) == formatdate(second, usegmt=True)


def test_a_status_without_a_name_has_a_first_line_too() -> None:
    assert head_of(HttpResponse(299), keep=False).startswith(b"HTTP/1.1 299 \r\n")

"""Responses are read however they come, and what is none is told from one."""

from __future__ import annotations

import pytest

from singletable.remote.response import MOST_HEAD, Answer, NotHttp, Responses

WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX-Amz-Crc32: 7\r\n\r\nbody"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2\r\ndy\r\n0\r\n\r\n"
FORMS = {
    "with a length": WHOLE,
    "in chunks": CHUNKED,
    "after a sign of life": b"HTTP/1.1 100 Continue\r\n\r\n" + WHOLE,
}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 1000])
@pytest.mark.parametrize("form", FORMS)
def test_an_answer_may_come_in_pieces(form: str, size: int) -> None:
    responses = Responses()
    for _ in range(3):  # on a connection that is kept
        responses.begin()
        whole = FORMS[form]
        pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
        answers = [responses.feed(piece) for piece in pieces]
        assert answers[:-1] == [None] * (len(pieces) - 1)
        last = answers[-1]
        assert isinstance(last, Answer)
        assert (last.status, last.body, last.keep) == (200, b"body", True)


def test_names_of_headers_are_in_lower_case() -> None:
    answer = Responses().feed(WHOLE)
    assert answer is not None
    assert answer.headers == {b"content-length": b"4", b"x-amz-crc32": b"7"}


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody",
        b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody",
    ],
)
def test_a_connection_that_ends_is_not_kept(response: bytes) -> None:
    answer = Responses().feed(response)
    assert answer is not None
    assert not answer.keep


def test_an_answer_without_a_length_ends_with_its_connection() -> None:
    responses = Responses()
    assert responses.feed(b"HTTP/1.1 200 OK\r\n\r\nbo") is None
    assert responses.feed(b"dy") is None
    answer = responses.end()
    assert answer is not None
    assert (answer.body, answer.keep) == (b"body", False)


@pytest.mark.parametrize("part", [b"", b"HTTP/1.1 200", WHOLE[:-1], CHUNKED[:-3]])
def test_an_answer_that_was_cut_is_none(part: bytes) -> None:
    responses = Responses()
    if part:
        assert responses.feed(part) is None
    assert responses.end() is None


@pytest.mark.parametrize(
    "junk",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody",
    ],
)
def test_what_is_no_http_is_told(junk: bytes) -> None:
    with pytest.raises(NotHttp):
        Responses().feed(junk)


def test_a_head_that_does_not_end_is_not_read_for_ever() -> None:
    responses = Responses()
    responses.feed(b"HTTP/1.1 200 OK\r\n")
    lines = (b"X: " + b"y" * 1000 + b"\r\n" for _ in range(MOST_HEAD))
    with pytest.raises(NotHttp, match="does not end"):
        all(responses.feed(line) is None for line in lines)


# Nobody asked for the second: whoever asks next must not take it for their answer.
@pytest.mark.parametrize("more", [WHOLE, b"junk"])
def test_what_follows_an_answer_ends_the_connection(more: bytes) -> None:
    answer = Responses().feed(WHOLE + more)
    assert answer is not None
    assert (answer.body, answer.keep) == (b"body", False)

"""The bytes of a response become an answer, without a socket."""

from __future__ import annotations

from dataclasses import dataclass

from httptools import HttpParserError, HttpResponseParser

# The largest answer of DynamoDB is 16 MB; what is much more is no answer.
MOST_BODY = 64 * 1024 * 1024
MOST_HEAD = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that has arrived in full; header names are in lower case."""

    status: int
    headers: dict[bytes, bytes]
    body: bytes
    keep: bool


class NotHttp(Exception):
    """What came is not the one response that was due."""


class Responses:
    """Reads the responses that come on one connection, one after the other."""

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        self._answer: Answer | None = None
        self._headers: dict[bytes, bytes] = {}
        self._body: list[bytes] = []
        self._size = 0
        self._head_done = False
        self.begun = False

    def begin(self) -> None:
        """Be ready for the next response."""
        self._answer = None
        self._headers = {}
        self._body = []
        self._size = 0
        self._head_done = False
        self.begun = False

    def feed(self, data: bytes) -> Answer | None:
        """The answer, once its last byte is here."""
        self.begun = True
        self._size += len(data)
        if self._size > (MOST_BODY if self._head_done else MOST_HEAD + len(data)):
            raise NotHttp("it does not end")
        try:
            self._parser.feed_data(data)
        except HttpParserError as error:
            if self._answer is None:
                raise NotHttp(str(error)) from None
            # It was complete before what is wrong: an answer, and a connection to be closed.
            return Answer(self._answer.status, self._answer.headers, self._answer.body, keep=False)
        return self._answer

    def tunnel(self, data: bytes) -> int | None:
        """The status of a proxy's response to CONNECT, once its head is here."""
        self.feed(data)
        return self._parser.get_status_code() if self._head_done else None

    def end(self) -> Answer | None:
        """The answer, if the end of the connection is its end."""
        if self._answer is not None or not self._head_done:
            return self._answer
        if b"content-length" in self._headers or b"transfer-encoding" in self._headers:
            return None
        self._complete(keep=False)
        return self._answer

    # What the parser calls.

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header."""
        if self._answer is None:
            self._headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Note that the head has ended."""
        self._head_done = True

    def on_body(self, part: bytes) -> None:
        """Note a part of the body."""
        if self._answer is None:
            self._body.append(part)

    def on_message_begin(self) -> None:
        """Note that there is more than was due."""
        if self._answer is not None:
            raise NotHttp("another response follows")

    def on_message_complete(self) -> None:
        """Put the answer together."""
        if self._parser.get_status_code() < 200:  # it only says that an answer will follow
            self._headers = {}
            self._head_done = False
        elif self._answer is None:
            self._complete(keep=self._parser.should_keep_alive())

    def _complete(self, *, keep: bool) -> None:
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        self._answer = Answer(self._parser.get_status_code(), self._headers, body, keep)

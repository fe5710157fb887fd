"""Send several statements to PostgreSQL in one message and read all results.

psycopg's own pipelines send every statement by itself and take four times as long. This uses the
functions of libpq that psycopg provides.
"""

from __future__ import annotations

import select
from collections.abc import Callable, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

import psycopg
from psycopg import pq

from dynamodb_engine.engine.storage.server.dialect import ResultRows, Scalar, Statement, Value

_MAX_PREPARED = 500
_DOUBLE = Struct("!d")
_BYTEA = 17  # the number of this type
_ARRAY = Struct("!5i")  # dimensions, whether it has nulls, type, length, first index
_NULL = b"\xff\xff\xff\xff"
_DATA = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


# How to read the binary form of a value, by the number of its type; others are text.
_READERS: dict[int, Callable[[bytes], Any]] = {
    _BYTEA: bytes,
    20: _number,  # bigint
    21: _number,  # smallint
    23: _number,  # integer
    701: lambda data: _DOUBLE.unpack(data)[0],  # double precision
}


class Pipeline:
    """A connection that sends several statements at once. Repeated statements are prepared.

    It raises OperationalError if the server sends nothing for `timeout` seconds.
    """

    def __init__(self, connection: psycopg.Connection[Any], timeout: int) -> None:
        self._connection = connection  # closing it closes `_libpq`
        self._timeout = timeout
        self._libpq = connection.pgconn
        self._libpq.enter_pipeline_mode()
        self._poll = select.poll()
        self._seen: set[str] = set()
        self._prepared: dict[str, bytes] = {}

    def run(self, statements: Sequence[Statement]) -> list[ResultRows]:
        """Run the statements in order and return the rows of each; raise the first error."""
        if len(self._prepared) > _MAX_PREPARED:
            self._prepared.clear()
            self._seen.clear()
            self.run([("DEALLOCATE ALL", ())])  # by itself: PgBouncer reads its result, too
        is_row_source = [
            expected for sql, values in statements for expected in self._send(sql, values)
        ]
        self._libpq.pipeline_sync()
        self._flush()
        results: list[ResultRows] = []
        error: psycopg.Error | None = None
        try:
            for is_result in is_row_source:
                result = self._next_result()
                if result.status in _DATA:
                    if is_result:
                        results.append(_rows(result))
                elif error is None:
                    error = _error(result)
                self._next_end()
            self._next_result()  # of the synchronization
        except psycopg.Error as lost:
            error = error or lost  # the server says why before it closes the connection
        if error is not None:
            raise error
        return results

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, sql: str, values: tuple[Value, ...]) -> list[bool]:
        """Send a statement; return for each result to come whether it is that of the statement."""
        texts, formats = _encode(values)
        name = self._prepared.get(sql)
        if name is not None:
            self._libpq.send_query_prepared(name, texts, formats, pq.Format.BINARY)
            return [True]
        command = _numbered(sql)
        if sql not in self._seen:
            self._seen.add(sql)
            self._libpq.send_query_params(command, texts, None, formats, pq.Format.BINARY)
            return [True]
        name = self._prepared[sql] = b"s%d" % len(self._prepared)
        self._libpq.send_prepare(name, command)
        self._libpq.send_query_prepared(name, texts, formats, pq.Format.BINARY)
        return [False, True]

    def _flush(self) -> None:
        while self._libpq.flush():
            self._wait(select.POLLIN | select.POLLOUT)

    def _next_result(self) -> pq.abc.PGresult:
        while self._libpq.is_busy():
            self._wait(select.POLLIN)
        result = self._libpq.get_result()
        if result is None:
            raise psycopg.OperationalError("The server sent fewer results than expected")
        return result

    def _next_end(self) -> None:
        """Read the end of the results of one statement."""
        while self._libpq.is_busy():
            self._wait(select.POLLIN)
        self._libpq.get_result()

    def _wait(self, events: int) -> None:
        """Wait for the server, while other threads run."""
        self._poll.register(self._libpq.socket, events)
        if not self._poll.poll(self._timeout * 1000):
            raise psycopg.OperationalError(f"No answer for {self._timeout} seconds")
        self._libpq.consume_input()


def _rows(result: pq.abc.PGresult) -> ResultRows:
    columns = range(result.nfields)
    readers = [_READERS.get(result.ftype(column), _text) for column in columns]
    rows: ResultRows = []
    for number in range(result.ntuples):
        values = [result.get_value(number, column) for column in columns]
        rows.append(
            tuple(
                None if value is None else read(value)
                for read, value in zip(readers, values, strict=True)
            )
        )
    return rows


def _text(value: bytes) -> str:
    return value.decode()


def _error(result: pq.abc.PGresult) -> psycopg.Error:
    message = result.get_error_message()
    state = result.error_field(pq.DiagnosticField.SQLSTATE)
    try:
        return psycopg.errors.lookup((state or b"").decode())(message)
    except KeyError:
        return psycopg.OperationalError(message)


def _encode(values: tuple[Value, ...]) -> tuple[list[bytes | None], list[pq.Format]]:
    """Return the values as PostgreSQL reads them: bytes as they are, others as text."""
    encoded: list[bytes | None] = []
    formats: list[pq.Format] = []
    for value in values:
        is_binary = isinstance(value, bytes)
        if value is None or isinstance(value, bytes):
            encoded.append(value)
        elif isinstance(value, str | int | float):
            encoded.append(str(value).encode())
        else:
            is_binary = any(isinstance(item, bytes) for item in value)
            encoded.append(_encode_bytes(value) if is_binary else _encode_list(value))
        formats.append(pq.Format.BINARY if is_binary else pq.Format.TEXT)
    return encoded, formats


def _encode_bytes(values: Sequence[Scalar]) -> bytes:
    """Return a bytea[] in its binary form: a header, then each length and value."""
    parts = [_ARRAY.pack(1, 1, _BYTEA, len(values), 1)]
    for value in values:
        if isinstance(value, bytes):
            parts += [len(value).to_bytes(4, "big"), value]
        else:
            parts.append(_NULL)
    return b"".join(parts)


def _encode_list(values: Sequence[Scalar]) -> bytes:
    """Return an array as text. Its strings are names of tables, which need no escapes."""
    items = ["NULL" if value is None else '"' + str(value) + '"' for value in values]
    return f"{{{','.join(items)}}}".encode()


@lru_cache(2048)
def _numbered(sql: str) -> bytes:
    """Return the SQL with $1, $2, … in place of %s, and % in place of %%."""
    first, *others = sql.split("%s")
    text = first + "".join(f"${n}{part}" for n, part in enumerate(others, 1))
    return text.replace("%%", "%").encode()

"""Dynalite, a Node.js server that is started, watched, restarted and stopped here."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from dynamodb_engine.errors import ResourceNotFound
from dynamodb_engine.operations import CreateTable, DeleteTable, DescribeTable, Operation
from tests.differential.peer import Json, PeerFailed, refusal_of, request_of, result_of

R = TypeVar("R")

HOME = Path(__file__).parents[4] / ".peers/dynalite/node_modules/dynalite"
# A request takes about a millisecond, so one that takes this long hangs.
MAX_WAIT = 5.0
# Any free port. The server ends when its standard input closes, so it never outlives its parent.
_SCRIPT = """
const times = {createTableMs: 0, deleteTableMs: 0, updateTableMs: 0}
const server = require(process.argv[1])(times)
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit()).resume()
"""
_HEADERS = {
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=nobody, SignedHeaders=host, Signature=none",
    "X-Amz-Date": "20200101T000000Z",
    "Connection": "close",
}


class PeerMissing(Exception):
    """Dynalite is not installed; the message says how to install it."""


class Dynalite:
    """A driver that sends requests to a dynalite server, and restarts one that hangs or dies."""

    name = "dynalite"
    survives = False

    def __init__(self, home: Path = HOME, max_wait: float = MAX_WAIT) -> None:
        self._home = home
        self._max_wait = max_wait
        self._server: subprocess.Popen[str] | None = None
        self._port = 0

    @property
    def process(self) -> subprocess.Popen[str] | None:
        """The server process, if one was started."""
        return self._server

    @property
    def port(self) -> int:
        """The port the server listens on."""
        self.start()
        return self._port

    def execute(self, operation: Operation[R], /) -> R:
        """Return dynalite's response, or raise its error as an OperationError, or PeerFailed."""
        name, request = request_of(operation)
        status, answer = self._send(name, request)
        if status != 200:
            raise refusal_of(str(answer.get("__type", status)).rpartition("#")[2], answer)
        self._settle(operation)
        return result_of(operation, answer)

    def start(self) -> None:
        """Start a server unless one is running."""
        if self._server is not None and self._server.poll() is None:
            return
        node = shutil.which("node")
        if node is None or not self._home.is_dir():
            missing = "Node.js" if node is None else str(self._home)
            raise PeerMissing(
                f"There is no {missing}, and answers are compared with those of dynalite. "
                "`make test-all` installs Node.js (nodejs, npm) and dynalite into .peers."
            )
        self._server = subprocess.Popen(
            [node, "-e", _SCRIPT, str(self._home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._server.stdout is not None
        line = self._server.stdout.readline()
        if not line:
            raise PeerMissing(f"dynalite does not start: {self._end()}")
        self._port = int(line)

    def stop(self) -> None:
        """Stop the server; stopping twice is fine."""
        self._end()

    def __enter__(self) -> Dynalite:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _send(self, name: str, request: Json) -> tuple[int, Json]:
        self.start()
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._max_wait)
        try:
            headers = _HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{name}"}
            connection.request("POST", "/", json.dumps(request).encode(), headers)
            response = connection.getresponse()
            answer: Any = json.loads(response.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            # A failed request may have left locks behind, so this server is not used again.
            said = self._end()
            reason = "hung" if isinstance(error, TimeoutError) else "died"
            raise PeerFailed(f"dynalite {reason} on {name} {request}\n{said}") from None
        finally:
            connection.close()
        return response.status, answer

    def _settle(self, operation: Operation[Any]) -> None:
        """Wait until a table exists or is gone, since our engine creates and deletes at once."""
        if not isinstance(operation, CreateTable | DeleteTable):
            return
        until = time.monotonic() + self._max_wait
        while time.monotonic() < until:
            try:
                table = self.execute(DescribeTable(operation.table_name)).table
            except ResourceNotFound:
                return
            if table.table_status == "ACTIVE":
                return
        raise PeerFailed(f"dynalite leaves {operation.table_name} in the making")

    def _end(self) -> str:
        """Stop the server and return its error output."""
        server, self._server = self._server, None
        if server is None:
            return ""
        server.kill()
        _, errors = server.communicate()
        return errors.strip()[:1000]

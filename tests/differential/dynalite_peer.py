"""Dynalite, a server under Node.js that is started, watched, replaced and ended from here."""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from singletable.errors import ResourceNotFound
from singletable.operations import CreateTable, DeleteTable, DescribeTable, Operation
from tests.differential.peer import Json, PeerFailed, refusal_of, request_of, result_of

R = TypeVar("R")

HOME = Path(__file__).parents[2] / ".peers" / "node_modules" / "dynalite"
# A request takes about a millisecond; one that takes this long hangs, and would for ever.
PATIENCE = 5.0
# Any port that is free; and no server outlives the process that started it, however that ends.
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
    """There is no dynalite to compare with; the message says how to get it."""


class Dynalite:
    """A driver that asks a dynalite server. One that hangs or dies is replaced by a new one."""

    name = "dynalite"
    survives = False

    def __init__(self, home: Path = HOME, patience: float = PATIENCE) -> None:
        self._home = home
        self._patience = patience
        self._server: subprocess.Popen[str] | None = None
        self._port = 0

    @property
    def process(self) -> subprocess.Popen[str] | None:
        """The server, if one was started."""
        return self._server

    @property
    def port(self) -> int:
        """Where the server listens on this machine."""
        self.start()
        return self._port

    def execute(self, operation: Operation[R], /) -> R:
        """Dynalite's answer, its refusal as an OperationError, or PeerFailed."""
        name, request = request_of(operation)
        status, answer = self._send(name, request)
        if status != 200:
            raise refusal_of(str(answer.get("__type", status)).rpartition("#")[2], answer)
        self._settle(operation)
        return result_of(operation, answer)

    def start(self) -> None:
        """Start a server, unless one is running."""
        if self._server is not None and self._server.poll() is None:
            return
        node = shutil.which("node")
        if node is None or not self._home.is_dir():
            missing = "Node.js" if node is None else str(self._home)
            raise PeerMissing(
                f"There is no {missing}, and answers are compared with those of dynalite. "
                "`make test` installs Node.js (nodejs, npm) and dynalite into .peers; run it once."
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
        """End the server; stopping twice is fine."""
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
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=self._patience)
        try:
            headers = _HEADERS | {"X-Amz-Target": f"DynamoDB_20120810.{name}"}
            connection.request("POST", "/", json.dumps(request).encode(), headers)
            response = connection.getresponse()
            answer: Any = json.loads(response.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError) as error:
            # What failed may have left locks behind: nothing more is asked of this server.
            said = self._end()
            reason = "hung" if isinstance(error, TimeoutError) else "died"
            raise PeerFailed(f"dynalite {reason} on {name} {request}\n{said}") from None
        finally:
            connection.close()
        return response.status, answer

    def _settle(self, operation: Operation[Any]) -> None:
        """Wait until a table is there, or gone: we compare with an engine that does it at once."""
        if not isinstance(operation, CreateTable | DeleteTable):
            return
        until = time.monotonic() + self._patience
        while time.monotonic() < until:
            try:
                table = self.execute(DescribeTable(operation.table_name)).table
            except ResourceNotFound:
                return
            if table.table_status == "ACTIVE":
                return
        raise PeerFailed(f"dynalite leaves {operation.table_name} in the making")

    def _end(self) -> str:
        """End the server, and tell what it complained of."""
        server, self._server = self._server, None
        if server is None:
            return ""
        server.kill()
        _, errors = server.communicate()
        return errors.strip()[:1000]

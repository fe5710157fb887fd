"""HTTP/1.1 on a socket: requests are read within limits and answered in order, none left behind."""

from __future__ import annotations

import asyncio

from singletable.server.connection import Answering, Connection, House
from singletable.server.limits import Limits
from singletable.server.observe import Observer


class Listener(House):
    """A socket that is listened to, until it is told to stop; an observer is told what passes."""

    def __init__(
        self,
        app: Answering,
        limits: Limits | None = None,
        observer: Observer | None = None,
        *,
        at_once: bool = False,
    ) -> None:
        super().__init__(app, limits or Limits(), observer, at_once=at_once)
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> tuple[str, int]:
        """Listen; the address that clients can use, with the port that was free if it was 0."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: Connection(self), host, port, backlog=1024)
        address = self._server.sockets[0].getsockname()
        return address[0], address[1]

    async def stop(self, patience: float = 10) -> None:
        """Take no more requests, answer those that have arrived, and hang up."""
        self.stopping = True
        if self._server is not None:
            self._server.close()
        for connection in list(self.connections):
            connection.stop()
        end = asyncio.get_running_loop().time() + patience
        while self.connections and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.01)
        for connection in list(self.connections):
            connection.abort()

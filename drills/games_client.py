"""A client of games: the phones and hosts of the drill.

    async with GamesClient("http://127.0.0.1:8000") as games:
        created = await games.create_game(questions=[…], settings={"readingSeconds": 0})
        joined = await games.join(created.game_id, "Ada")
        async with games.connect(created.game_id, created.tokens.host) as host:
            async with games.connect(created.game_id, joined.token) as ada:
                await host.command(Command.START)
                await ada.wait_until(lambda seen: seen.phase is Phase.OPEN)
                receipt = await ada.answer(ada.question_id, choices=["b"])

A session follows a game over a socket. If the connection is lost, it connects again, to the next
server if it knows several, and continues where it was; messages without a reply are sent once more,
with their ids, so that they count once. `view` is what the server shows to the role, `me` what
concerns the player, `states` has counters.

Views are decoded when they are read, so a thousand sessions fit into one process.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import count
from time import perf_counter
from typing import Any, TypeVar, cast

import httpx2
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from singletable_apps.games.api.games import CreatedGame
from singletable_apps.games.live.messages import (
    AnswerReceipt,
    AnswerSent,
    CommandSent,
    Payload,
    StateReached,
    VoteReceipt,
    VoteSent,
)
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.tokens import new_id
from singletable_apps.games.urls import API
from singletable_apps.shared.rooms import CloseCode

T = TypeVar("T")
# The server will not change its mind about these.
_FINAL = frozenset({CloseCode.UNAUTHORIZED, CloseCode.FORBIDDEN, CloseCode.NOT_FOUND})
_AGAIN = frozenset({"busy", "rate-limited", "internal-error"})
_FIRST_DELAY, _LONGEST_DELAY, _JITTER = 0.25, 10.0, 0.35


class GamesApiError(Exception):
    """The server has rejected a request or a message. `code` is for programs."""

    def __init__(self, code: str, message: str, errors: object = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.errors = errors


class SessionClosed(Exception):
    """The session is over: the player was removed, the link was replaced, or it was closed."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason or f"The session was closed ({code}).")
        self.code = code


class JoinedPlayer(msgspec.Struct, frozen=True, rename="camel"):
    """A joined player and their token."""

    game_id: str
    player_id: str
    name: str
    token: str


class ServerMessage(msgspec.Struct, frozen=True):
    """A message of a server: an event, a state, a snapshot, or a reply with the id of a message."""

    type: str
    data: msgspec.Raw
    kind: str = ""
    id: str | None = None
    epoch: str = ""
    sequence: int = 0


class _Head(msgspec.Struct, rename="camel"):
    """The part of a view that every session needs."""

    phase: Phase = Phase.WAITING
    version: int = 0
    question_id: str = ""


class _Seen(msgspec.Struct):
    """The parts of snapshots and events, not decoded."""

    view: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    me: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _Rejection(msgspec.Struct, rename="camel"):
    code: str
    message: str
    errors: Any = None
    retry_after: float = 0.5


_DECODER = msgspec.json.Decoder(ServerMessage)
_SEEN, _HEAD = msgspec.json.Decoder(_Seen), msgspec.json.Decoder(_Head)


class GamesClient:
    """Calls the API of one or several servers that share their tables."""

    def __init__(self, *servers: str) -> None:
        self._servers = [each.rstrip("/") for each in servers]
        # Servers close connections after five idle seconds, perhaps just as a request is sent.
        limits = httpx2.Limits(max_connections=100, keepalive_expiry=2.0)
        self._http = httpx2.AsyncClient(timeout=30.0, limits=limits)

    async def __aenter__(self) -> GamesClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def create_game(
        self,
        *,
        questions: Sequence[Mapping[str, Any]] = (),
        set_id: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> CreatedGame:
        """Create a game with the questions of a set, or with its own."""
        asked = {"questionSetId": set_id, "questions": list(questions)}
        body = {**asked, "settings": settings or {}}
        return CreatedGame.model_validate(await self._post("/games", dict[str, Any], body))

    async def join(
        self, game_id: str, name: str, *, team: str = "", access_code: str = ""
    ) -> JoinedPlayer:
        """Join a game as a player."""
        body = {"name": name, "team": team, "accessCode": access_code}
        return await self._post(f"/games/{game_id}/players", JoinedPlayer, body)

    def connect(self, game_id: str, token: str, *, server: int = 0) -> GameSession:
        """Return a session, for `async with`. It begins with this one of the servers."""
        rotated = self._servers[server:] + self._servers[:server]
        return GameSession([f"ws{each[4:]}" for each in rotated], game_id, token)

    async def _post(self, path: str, reply: type[T], body: object) -> T:
        """Send a request to the first server that responds."""
        for number, server in enumerate(self._servers, 1):
            try:
                answer = await self._http.post(f"{server}{API}{path}", json=body)
            except httpx2.ConnectError:
                if number == len(self._servers):
                    raise
                continue
            if answer.is_success:
                return msgspec.json.decode(answer.content, type=reply)
            problem: dict[str, Any] = answer.json()
            text = problem.get("detail") or problem.get("title", "")
            code = str(problem.get("type", "")).rpartition("/")[2] or str(answer.status_code)
            raise GamesApiError(code, text, problem.get("errors"))
        raise ValueError("GamesClient needs the URL of a server.")


class GameSession:
    """A seat in a game, which stays connected. Use it with `async with`.

    `reconnects` has the seconds of each gap. `on_message` is called for every message.
    """

    def __init__(self, servers: Sequence[str], game_id: str, token: str) -> None:
        self.game_id = game_id
        self.states: dict[str, msgspec.Raw] = {}
        self.reconnects: list[float] = []
        self.on_message: Callable[[ServerMessage], object] | None = None
        self._servers = servers
        self._token = token
        self._socket: ClientConnection | None = None
        self._epoch, self._sequence, self._lost_at = "", 0, 0.0
        self._head = _Head()
        self._view = self._me = msgspec.Raw(b"{}")
        self._ids = count(1)
        self._prefix = new_id()
        # What was sent and not answered yet, by id.
        self._pending: dict[str, tuple[str, asyncio.Future[ServerMessage]]] = {}
        self._waiters: list[tuple[Callable[[GameSession], object], asyncio.Future[None]]] = []
        self._closed: SessionClosed | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> GameSession:
        self._task = asyncio.create_task(self._run())
        try:
            await self.wait_until(lambda seen: seen._epoch)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave. Pending messages and waiting calls get SessionClosed."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._end(SessionClosed(1000, "closed"))

    # -------------------------------------------------------------------------- what is shown

    @property
    def phase(self) -> Phase:
        """Return the phase of the game."""
        return self._head.phase

    @property
    def version(self) -> int:
        """Return the version of the state that is shown; commands are sent with it."""
        return self._head.version

    @property
    def question_id(self) -> str:
        """Return the id of the current question, or an empty text."""
        return self._head.question_id

    @property
    def view(self) -> dict[str, Any]:
        """Return what everyone in this role sees."""
        return cast("dict[str, Any]", msgspec.json.decode(self._view))

    @property
    def me(self) -> dict[str, Any]:
        """Return what concerns this player."""
        return cast("dict[str, Any]", msgspec.json.decode(self._me))

    async def wait_until(
        self, condition: Callable[[GameSession], object], seconds: float = 30.0
    ) -> None:
        """Wait until a condition is true. It is tested after every message."""
        if self._closed is not None:
            raise self._closed
        if condition(self):
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append((condition, done))
        await asyncio.wait_for(done, seconds)

    # -------------------------------------------------------------------------- messages

    async def answer(
        self,
        question_id: str,
        *,
        choices: Sequence[str] = (),
        text: str = "",
        number: int | None = None,
    ) -> AnswerReceipt:
        """Answer a question, and return what became of the answer."""
        payload = AnswerSent(question_id, text, tuple(choices), number)
        return await self._send("answer", payload, AnswerReceipt)

    async def vote(self, question_id: str, ranking: Sequence[str]) -> VoteReceipt:
        """Rank answers of others by their ids, best first."""
        return await self._send("vote", VoteSent(question_id, tuple(ranking)), VoteReceipt)

    async def command(self, command: Command) -> StateReached:
        """Execute a command of a host, unless the game has changed from what is shown here."""
        return await self._send("command", CommandSent(command, self.version), StateReached)

    async def _send(self, kind: str, payload: Payload, reply: type[T]) -> T:
        """Send a message until the server has dealt with it, and return the reply."""
        id_ = f"{self._prefix}-{next(self._ids)}"
        text = msgspec.json.encode({"id": id_, "type": kind, "data": payload}).decode()
        while True:
            if self._closed is not None:
                raise self._closed
            answered: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
            self._pending[id_] = (text, answered)
            await self._write(text)
            message = await answered
            if message.type == "error":
                rejection = msgspec.json.decode(message.data, type=_Rejection)
                if rejection.code in _AGAIN:
                    await asyncio.sleep(rejection.retry_after)
                    continue
            return _read_reply(message, reply)

    async def _write(self, text: str) -> None:
        # If it fails, it is sent again after reconnecting.
        with suppress(ConnectionClosed):
            if self._socket is not None:
                await self._socket.send(text)

    # -------------------------------------------------------------------------- the connection

    def cut(self) -> None:
        """Lose the connection at once, as a phone does in an elevator. The session comes back."""
        if self._socket is not None:
            self._socket.transport.abort()

    async def _run(self) -> None:
        attempts = 0
        for turn in count():
            server = self._servers[turn % len(self._servers)]
            with suppress(OSError, WebSocketException):
                async with connect(
                    f"{server}{API}/games/{self.game_id}/socket"
                    f"?epoch={self._epoch}&sequence={self._sequence}",
                    additional_headers={"Authorization": f"Bearer {self._token}"},
                    compression=None,
                    max_size=1 << 23,
                    proxy=None,
                ) as socket:
                    attempts = 0
                    await self._follow(socket)
            # The first attempt is at another server, and needs no patience.
            attempts += 1
            delay = 0 if attempts == 1 else _FIRST_DELAY * 2 ** min(attempts - 2, 8)
            await asyncio.sleep(min(delay, _LONGEST_DELAY) + random.uniform(0, _JITTER))
            if self._closed is not None:
                return

    async def _follow(self, socket: ClientConnection) -> None:
        """Receive messages until the connection is lost."""
        if self._lost_at:
            self.reconnects.append(perf_counter() - self._lost_at)
        self._socket = socket
        try:
            for text, _ in list(self._pending.values()):
                await socket.send(text)
            async for message in socket:
                self._receive(_DECODER.decode(message))
        finally:
            self._socket, self._lost_at = None, perf_counter()
            if socket.close_code in _FINAL:
                self._end(SessionClosed(socket.close_code or 0, socket.close_reason or ""))

    def _receive(self, message: ServerMessage) -> None:
        if message.id is not None:
            _, answered = self._pending.pop(message.id, ("", None))
            if answered is not None and not answered.done():
                answered.set_result(message)
            return
        self._epoch = message.epoch
        if message.kind == "state":
            self.states[message.type] = message.data
        else:
            self._sequence = message.sequence
            seen = _SEEN.decode(message.data)
            if seen.view is not msgspec.UNSET:
                self._view, self._head = seen.view, _HEAD.decode(seen.view)
            if seen.me is not msgspec.UNSET:
                self._me = seen.me
        if self.on_message is not None:
            self.on_message(message)
        for condition, done in self._waiters:
            if not done.done() and condition(self):
                done.set_result(None)
        self._waiters = [each for each in self._waiters if not each[1].done()]

    def _end(self, closed: SessionClosed) -> None:
        self._closed = self._closed or closed
        for answered in [each for _, each in self._pending.values()]:
            if not answered.done():
                answered.set_exception(self._closed)
        for _, done in self._waiters:
            if not done.done():
                done.set_exception(self._closed)
        self._pending.clear()
        self._waiters.clear()


def _read_reply(message: ServerMessage, reply: type[T]) -> T:
    """Return the data of a reply, or raise GamesApiError."""
    if message.type == "error":
        rejection = msgspec.json.decode(message.data, type=_Rejection)
        raise GamesApiError(rejection.code, rejection.message, rejection.errors)
    return msgspec.json.decode(message.data, type=reply)

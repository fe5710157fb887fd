"""Clients of live games without a network: hosts, screens and phones, in several processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from dynamodb_engine.faults import FaultyDriver
from singletable_apps.games.entities import Game
from singletable_apps.games.live import LIMITS, LiveGames, Pace
from singletable_apps.games.service import GamesService
from singletable_apps.games.tokens import Role, Seat
from singletable_apps.shared.rooms import Position, Room
from singletable_apps.shared.rooms.client_messages import answer_message
from singletable_apps.shared.rooms.connections import SocketConnection
from tests.apps.games.support.world import Phone, World
from tests.apps.shared.rooms.clients import Client, until

QUICK = replace(LIMITS, presence_grace=0, room_grace=60, state_interval=0)


class Screen(Client):
    """A connected client of a game, which remembers what it was shown last."""

    def __init__(self, live: LiveGames, seat: Seat) -> None:
        super().__init__()
        self.live = live
        self.seat = seat
        self.room: Room | None = None
        self.connection = SocketConnection(live.attendee(seat), self.send, 64)
        self._ids = count(1)

    async def connect(self, position: Position | None = None) -> Screen:
        self.room = await self.live.rooms.join(
            self.seat.game_id, self.connection, self.live.snapshot, position
        )
        return self

    def leave(self) -> None:
        assert self.room is not None
        self.room.leave(self.connection)

    def latest(self, *types: str) -> Any:
        """Return the data of the newest message of these types, or {}."""
        found = [each["data"] for each in self.received if each["type"] in types]
        return found[-1] if found else {}

    @property
    def view(self) -> dict[str, Any]:
        shown: dict[str, Any] = self.latest("initialStateSync", "gameStateChanged")["view"]
        return shown

    @property
    def me(self) -> dict[str, Any]:
        found = [each["data"]["me"] for each in self.received if "me" in each["data"]]
        shown: dict[str, Any] = found[-1]
        return shown

    async def shows(self, phase: str) -> dict[str, Any]:
        """Wait until the screen shows a phase, and return the view."""
        await until(lambda: self.view["phase"] == phase)
        return self.view

    async def sees(self, condition: Callable[[Screen], object]) -> None:
        """Wait until a condition is true for this screen."""
        await until(lambda: condition(self))

    async def send_message(self, kind: str, **data: Any) -> dict[str, Any]:
        body = json.dumps({"id": f"m{next(self._ids)}", "type": kind, "data": data}).encode()
        reply: dict[str, Any] = json.loads(
            await answer_message(body, self.live.receiver(self.seat))
        )
        return reply

    async def command(self, command: str) -> dict[str, Any]:
        """Send a command with the version that is shown."""
        return await self.send_message("command", command=command, version=self.view["version"])

    async def answer(self, *choices: str, text: str = "") -> dict[str, Any]:
        """Answer the question that is shown."""
        return await self.send_message(
            "answer", questionId=self.view["questionId"], choices=choices, text=text
        )


def as_processes(one: World, other: World) -> tuple[World, World]:
    """Return worlds on the same tables as these that know of no engine in their own process."""
    ours, theirs = (World(FaultyDriver(each.driver), like=each) for each in (one, other))
    return ours, theirs


def open_live(service: GamesService, settle: float = 0.0) -> LiveGames:
    return LiveGames(service, QUICK, Pace(0.01, 0.01, 0.01, 0, 0, settle))


async def connect(live: LiveGames, game: Game, role: Role) -> Screen:
    """Return a connected client with a role other than a player."""
    return await Screen(live, Seat(role, game.game_id)).connect()


async def connect_phones(live: LiveGames, *phones: Phone) -> list[Screen]:
    return [
        await Screen(live, Seat(Role.PLAYER, each.game_id, each.player_id)).connect()
        for each in phones
    ]

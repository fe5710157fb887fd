"""Every order of reading, joining, changing and publishing: all clients show what is stored."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from itertools import combinations, cycle
from typing import Any

import pytest

from singletable_apps.games.entities import Player
from singletable_apps.games.live import LiveGames, Pace
from singletable_apps.games.phases import Command
from singletable_apps.games.tokens import Role, Seat
from tests.apps.games.live.clients import QUICK, Screen
from tests.apps.games.support.world import CAPITAL, World

# The watcher looks only when it is woken.
PACE = Pace(poll=3600, idle=3600, exchange=3600, fast=0, slow=0, settle=0)
# Before, between and after the actions, this many pieces of work end in threads.
STEPS = 4
# What the host does, and what Ada's phone does. One that loses its connection had one before.
SCRIPTS = [
    "connect command",
    "command connect",
    "lose command connect",
    "lose connect command",
    "command lose connect",
    "lose connect lose command connect",
    "connect rename",
    "rename connect",
    "lose rename connect",
    "connect remove",
    "remove connect",
]


class Threads(Executor):
    """Threads that end one piece of work per step: the oldest, or the newest, which began early."""

    def __init__(self) -> None:
        self.is_newest_first = False
        self.waiting: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done, work = Future[Any](), partial(fn, *args, **kwargs)
        result = work() if self.is_newest_first else None
        self.waiting.append((done, (lambda: result) if self.is_newest_first else work))
        return done

    async def step(self) -> None:
        """End a piece of work, and let everything happen that follows from it."""
        if self.waiting:
            done, work = self.waiting.pop(-self.is_newest_first)
            if done.set_running_or_notify_cancel():
                done.set_result(work())
        for _ in range(8):
            await asyncio.sleep(0)


class Scene:
    """A game with Ada's phone, and another player who keeps the room open."""

    def __init__(self, world: World, other: Role) -> None:
        self.service, self.threads, self.now = world.service, Threads(), 0.0
        asyncio.get_running_loop().time = lambda: self.now  # type: ignore[method-assign]
        self.live = LiveGames(world.service, QUICK, PACE, self.threads)
        game = world.game(CAPITAL)
        ada, bob = world.join(game, "Ada", "Bob")
        world.play(game, Command.START)
        bob_id = bob.player_id if other is Role.PLAYER else ""
        self.other = Screen(self.live, Seat(other, game.game_id, bob_id))
        self.seat = Seat(Role.PLAYER, game.game_id, ada.player_id)
        self.ids = game.game_id, ada.player_id
        self.phone = Screen(self.live, self.seat)
        self.joining = asyncio.ensure_future(self.other.connect())
        self.commands = cycle((Command.PAUSE, Command.RESUME))
        self.names = cycle(("Adele", "Ada"))

    def connect(self) -> None:
        """Connect with what the page shows, and its position."""
        before, self.phone = self.phone, Screen(self.live, self.seat)
        self.phone.received[:] = before.received
        position = before.position if before.received else None
        self.joining = asyncio.ensure_future(self.phone.connect(position))

    def lose(self) -> None:
        """Lose the connection, perhaps before there is a snapshot."""
        if self.phone.room is None:
            self.joining.cancel()
        else:
            self.phone.leave()

    def command(self) -> None:
        self.service.rounds.command(self.seat.game_id, next(self.commands))

    def rename(self) -> None:
        self.service.players.rename(*self.ids, next(self.names))

    def remove(self) -> None:
        self.service.players.remove(*self.ids)

    async def reset(self, *, is_connected: bool) -> None:
        """Let Ada have her seat, with a new page."""
        self.threads.is_newest_first = False
        self.lose()
        self.phone = Screen(self.live, self.seat)
        context = self.service.context
        if not context.get_player(*self.ids).is_active:
            change = Player.is_active.set(True)
            context.notify(context.store.update(Player.key(*self.ids), change))
        await self.settle()
        if is_connected:
            self.connect()
            await self.settle()

    async def run(self, actions: list[str], moments: tuple[int, ...]) -> None:
        """Let each action happen at its moment, and threads go on at all others."""
        for moment in range(STEPS + len(moments)):
            if moment in moments:
                getattr(self, actions[moments.index(moment)])()
                await asyncio.sleep(0)
            else:
                await self.threads.step()
        await self.settle()

    async def settle(self) -> None:
        """Let everything end that has begun, and the watcher look once more."""
        for _ in range(2):
            await self.threads.step()
            while self.threads.waiting:
                await self.threads.step()
            self.now += 60
            self.live.rooms.wake(self.seat.game_id)

    async def check(self, moment: object) -> None:
        """Fail unless all clients show the stored state, and heartbeats confirm it."""
        context = self.service.context
        ada, version = context.get_player(*self.ids), context.get_state(self.ids[0]).version
        if not ada.is_active:
            assert self.phone.close_code == 4403, moment
            return
        me, room = self.phone.me, self.live.rooms.get(self.ids[0])
        assert room is not None
        heartbeat = await room.heartbeat(self.phone.connection)
        shown = self.other.view["version"], self.phone.view["version"], me["version"]
        assert (*shown, me["name"]) == (version, version, version, ada.name), moment
        assert heartbeat["version"] == version
        assert self.phone.position.epoch == heartbeat["epoch"]
        assert self.phone.position.sequence >= int(str(heartbeat["sequence"]))


OFTEN = ("connect command", "command connect")


# A phone that connects during a change is neither in the snapshot, which was read before it, nor
# among those to whom the event was sent.
@pytest.mark.parametrize(
    "script",
    [
        pytest.param(each, marks=[] if each in OFTEN else [pytest.mark.rest], id=each)
        for each in SCRIPTS
    ],
)
def test_every_client_shows_what_is_stored(memory: World, script: str) -> None:
    asyncio.run(play_in_all_orders(memory, script.split()))


async def play_in_all_orders(memory: World, actions: list[str]) -> None:
    for other, is_newest_first in ((Role.AUDIENCE, False), (Role.PLAYER, True)):
        scene = Scene(memory, other)
        await scene.settle()
        for moments in combinations(range(STEPS + len(actions)), len(actions)):
            await scene.reset(is_connected=actions.count("lose") == actions.count("connect"))
            scene.threads.is_newest_first = is_newest_first
            await scene.run(actions, moments)
            await scene.check((moments, other))
        scene.live.rooms.close()

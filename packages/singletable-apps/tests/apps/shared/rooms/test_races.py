"""Clients that come, go, resume and stop reading while events are published: none misses any."""

from __future__ import annotations

import asyncio
import random

import pytest

from singletable_apps.shared.rooms import CloseCode, Member, Position, Room, RoomLimits, Rooms
from tests.apps.shared.rooms.clients import Client, in_event_loop, join, until

LIMITS = RoomLimits(waiting_events=5, log_events=20, member_sockets=3, state_interval=0.001)


class Counter:
    """A stored total, of which every new value is published, and the same as a state."""

    def __init__(self, rng: random.Random) -> None:
        self.total = 0
        self.rng = rng

    def add(self, room: Room) -> None:
        self.total += 1
        room.publish("total", self.total, "counter")
        room.publish("private", "for somebody else", f"me:{self.rng.randrange(5)}")
        room.update("state", self.total, "counter")

    async def snapshot(self, member: Member) -> tuple[str, object]:
        """Read the total early or late."""
        await self._wait()
        read = self.total
        await self._wait()
        return "view", read

    async def _wait(self) -> None:
        for _ in range(self.rng.randrange(4)):
            await asyncio.sleep(0)


class Phone:
    """A client that follows the rules of rooms.js over several connections."""

    def __init__(self, rooms: Rooms, counter: Counter, name: str) -> None:
        self.rooms, self.counter, self.name = rooms, counter, name
        self.client: Client | None = None
        self.position = Position()
        self.value = self.state = -1
        self.applied = 0

    async def reconnect(self) -> None:
        self.apply()
        self.client, _, _ = await join(
            self.rooms, self.name, "counter", position=self.position, snapshot=self.counter.snapshot
        )
        self.applied = 0

    def apply(self) -> None:
        """Apply what was received."""
        received = self.client.received if self.client else []
        for message in received[self.applied :]:
            kind, sequence = message["kind"], message["sequence"]
            if kind == "state":
                assert message["data"] >= self.state
                self.state = message["data"]
                continue
            if kind == "event":
                assert sequence > self.position.sequence
                assert message["previous"] <= self.position.sequence
                # A snapshot that was read late may have the total of the events after it.
                assert message["data"] <= self.value + 1
                self.value = max(self.value, message["data"])
            else:
                assert message["data"] >= self.value
                self.value = message["data"]
            self.position = Position(message["epoch"], sequence)
        self.applied = len(received)


@in_event_loop
@pytest.mark.parametrize("seed", range(10))
async def test_every_client_ends_with_the_total(seed: int) -> None:
    rng = random.Random(seed)
    rooms = Rooms(limits=LIMITS)
    counter = Counter(rng)
    _, _, room = await join(rooms, "host")
    phones = [Phone(rooms, counter, f"{number}") for number in range(6)]
    for phone in phones:
        await phone.reconnect()
    for _ in range(150):
        phone = rng.choice(phones)
        assert phone.client is not None
        match rng.randrange(6):
            case 0 | 1:
                counter.add(room)
            case 2:
                phone.client.stop_reading()
            case 3:
                phone.client.read()
            case 4:
                room.disconnect(phone.name, CloseCode.RESTART, "lost")
                reconnecting = asyncio.ensure_future(phone.reconnect())
                while not reconnecting.done():
                    if rng.random() < 0.2:
                        counter.add(room)
                    await asyncio.sleep(0)
                await reconnecting
            case _:
                await asyncio.sleep(0)
        phone.apply()
    for phone in phones:
        assert phone.client is not None
        phone.client.read()
    await room.drain()
    await asyncio.sleep(0.01)
    for phone in phones:
        assert phone.client is not None
        phone.apply()
        if phone.client.close_code:
            await phone.reconnect()
    await until(lambda: all(_is_current(phone) for phone in phones))


def _is_current(phone: Phone) -> bool:
    phone.apply()
    return phone.value == phone.state == phone.counter.total

"""Long polls: the same messages without a socket."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from singletable_apps.shared.rooms import Member, Position, RoomFull, RoomLimits, Rooms
from tests.apps.shared.rooms.clients import QUICK, in_event_loop, show_nothing, until


def messages(body: str) -> list[dict[str, Any]]:
    """Return the messages in the response to a poll."""
    found: list[dict[str, Any]] = json.loads(body)["messages"]
    return found


@in_event_loop
async def test_poll_waits_for_the_next_message() -> None:
    rooms = Rooms()
    ada = Member("ada", frozenset({"player"}))
    (first,) = messages(await rooms.poll("tea", ada, snapshot=show_nothing))
    room = rooms.get("tea")
    assert room is not None
    position = Position(room.epoch, first["sequence"])

    async def poll(wait: float = 20.0) -> list[object]:
        body = await rooms.poll("tea", ada, snapshot=show_nothing, position=position, wait=wait)
        heartbeat = {"epoch": room.epoch, "sequence": room.sequence, "version": 0}
        assert json.loads(body)["heartbeat"] == heartbeat
        return [each["data"] for each in messages(body)]

    waiting = asyncio.create_task(poll())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    room.publish("private", "other", "me:bob")
    room.publish("count", 2, "player")
    assert await waiting == [2]
    # The answer was lost: the same events again.
    assert await poll() == [2]
    position = Position(room.epoch, 2)
    assert await poll(wait=0.01) == []
    room.publish("count", 3, "player")
    await room.drain()
    assert await poll() == [3]
    assert len(room.members()) == 1
    assert rooms.connections <= 2


@in_event_loop
async def test_poll_resumes_by_snapshot_when_too_many_events_wait() -> None:
    rooms = Rooms(limits=RoomLimits(waiting_events=3, log_events=3))
    ada = Member("ada")
    await rooms.poll("tea", ada, snapshot=show_nothing)
    room = rooms.get("tea")
    assert room is not None
    for number in range(5):
        room.publish("count", number)
    await room.drain()
    position = Position(room.epoch, 0)
    (message,) = messages(await rooms.poll("tea", ada, snapshot=show_nothing, position=position))
    assert (message["kind"], message["sequence"]) == ("snapshot", 5)


@in_event_loop
async def test_member_that_stops_to_poll_has_left() -> None:
    rooms = Rooms(limits=replace(QUICK, poll_grace=0.01))
    await rooms.poll("tea", Member("ada"), snapshot=show_nothing)
    assert rooms.connections == 1
    await until(lambda: rooms.get("tea") is None)


@in_event_loop
async def test_closing_ends_polls() -> None:
    rooms = Rooms()
    ada = Member("ada")
    await rooms.poll("tea", ada, snapshot=show_nothing)
    room = rooms.get("tea")
    assert room is not None
    position = Position(room.epoch, 0)
    waiting = asyncio.create_task(rooms.poll("tea", ada, snapshot=show_nothing, position=position))
    await asyncio.sleep(0)
    rooms.close()
    assert messages(await waiting) == []


@pytest.mark.parametrize(
    ("epoch", "sequence", "expected"),
    [
        ("e", "7", Position("e", 7)),
        (None, None, Position()),
        ("e", "-1", Position()),
        ("e", "٧", Position()),
        ("e", "9" * 5000, Position()),
        ("", "7", Position()),
    ],
)
def test_position_is_parsed_from_a_query(
    epoch: str | None, sequence: str | None, expected: Position
) -> None:
    assert Position.parse(epoch, sequence) == expected


# Otherwise they would end each other's polls, and poll again at once.
@in_event_loop
async def test_all_browsers_of_one_address_can_wait() -> None:
    rooms = Rooms(limits=replace(QUICK, shared_sockets=4))
    audience = Member("192.0.2.1", is_shared=True)
    (first,) = messages(await rooms.poll("tea", audience, snapshot=show_nothing))
    position = Position(first["epoch"])

    async def poll() -> list[dict[str, Any]]:
        return messages(await rooms.poll("tea", audience, snapshot=show_nothing, position=position))

    waiting = [asyncio.create_task(poll()) for _ in range(4)]
    room = rooms.get("tea")
    assert room is not None
    await until(lambda: room.connections == 4)
    with pytest.raises(RoomFull):
        await poll()
    room.publish("said", "to all")
    assert [len(await each) for each in waiting] == [1, 1, 1, 1]
    rooms.close()

"""A room: ordered events, states, snapshots, resuming, slow clients, presence and tasks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from singletable_apps.shared.live import close_streams
from singletable_apps.shared.rooms import (
    CloseCode,
    Member,
    Position,
    Room,
    RoomFull,
    RoomLimits,
    Rooms,
)
from singletable_apps.shared.rooms.connections import SocketConnection
from singletable_apps.shared.rooms.messages import EventLog, Message
from tests.apps.shared.rooms.clients import (
    QUICK,
    Client,
    in_event_loop,
    join,
    run,
    show_nothing,
    until,
)


@in_event_loop
async def test_event_reaches_the_members_of_its_channel_in_order() -> None:
    rooms = Rooms(key_name="gameId", clock=lambda: 1_800_000_000.5)
    ada, _, room = await join(rooms, "ada", "player", "me:ada")
    bob, _, _ = await join(rooms, "bob", "player")
    for number in range(3):
        room.publish("count", number, "player")
    room.publish("points", 9, "me:ada")
    room.publish("end", "all")
    await room.drain()
    assert ada.data == [None, 0, 1, 2, 9, "all"]
    assert bob.data == [None, 0, 1, 2, "all"]
    assert ada.received[2] == {
        "type": "count",
        "kind": "event",
        "gameId": "tea",
        "epoch": room.epoch,
        "timestamp": "2027-01-15T08:00:00.500Z",
        "data": 1,
        "sequence": 2,
        "previous": 1,
    }
    assert [message["sequence"] for message in bob.received] == [0, 1, 2, 3, 5]


# A counter may change a thousand times a second; nobody can read that.
@in_event_loop
async def test_state_is_sent_with_its_latest_value_only() -> None:
    rooms = Rooms(limits=replace(QUICK, state_interval=0.02))
    ada, _, room = await join(rooms, "ada")
    for number in range(100):
        room.update("answers", number)
    await until(lambda: len(ada.received) == 2)
    for number in range(100, 200):
        room.update("answers", number)
    assert ada.data == [None, 99]
    await until(lambda: len(ada.received) == 3)
    assert ada.data == [None, 99, 199]
    room.update("answers", 199)
    await asyncio.sleep(0.03)
    assert ada.data == [None, 99, 199]
    assert "previous" not in ada.received[-1]


# Otherwise the answers to the last question could arrive after the next question.
@in_event_loop
async def test_state_that_waits_is_sent_before_the_next_event() -> None:
    rooms = Rooms(limits=replace(QUICK, state_interval=60))
    ada, _, room = await join(rooms, "ada")
    room.update("answers", 1)
    await until(lambda: len(ada.received) == 2)
    room.update("answers", 2)
    room.publish("next", "event")
    await room.drain()
    assert ada.data == [None, 1, 2, "event"]


@in_event_loop
async def test_client_that_reconnects_gets_the_events_it_missed_and_all_states() -> None:
    rooms = Rooms()
    ada, connection, room = await join(rooms, "ada", "player", "me:ada")
    bob, _, _ = await join(rooms, "bob", "player", "me:bob")
    room.publish("first", 1, "player")
    await room.drain()
    room.leave(connection)
    room.publish("second", 2, "player")
    room.publish("private", "bob", "me:bob")
    room.publish("private", "ada", "me:ada")
    room.update("answers", 7)
    again, _, same_room = await join(rooms, "ada", "player", "me:ada", position=ada.position)
    assert same_room is room
    assert again.data == [2, "ada", 7]
    await room.drain()
    await until(lambda: bob.data[-1] == 7)
    assert [message["data"] for message in again.received if message["kind"] == "event"] == [
        2,
        "ada",
    ]


@in_event_loop
@pytest.mark.parametrize(
    "position",
    [
        lambda room: None,
        lambda room: Position("another epoch", 1),
        lambda room: Position(room.epoch, 99),
        lambda room: Position(room.epoch, -1),
        lambda room: Position(room.epoch, 0),  # the log has only the last two events
    ],
)
async def test_client_whose_events_are_not_known_gets_a_snapshot(
    position: Callable[[Room], Position | None],
) -> None:
    rooms = Rooms(limits=replace(QUICK, log_events=2))
    _, _, room = await join(rooms, "bob")
    for number in range(3):
        room.publish("count", number)
    room.update("answers", 5)
    bob, _, _ = await join(rooms, "bob", position=position(room))
    assert [(each["kind"], each["sequence"]) for each in bob.received] == [
        ("snapshot", 3),
        ("state", 3),
    ]


# Apps publish for those who are there, so nothing in the log tells what somebody else has missed.
@in_event_loop
async def test_member_who_had_left_gets_a_snapshot() -> None:
    rooms = Rooms(limits=QUICK)
    _, _, room = await join(rooms, "host")
    ada, _, _ = await join(rooms, "ada")
    room.disconnect("ada", CloseCode.RESTART, "lost")
    await join(rooms, "ada", position=ada.position)
    again, _, _ = await join(rooms, "ada", position=ada.position)  # that snapshot was lost, too
    assert [each["kind"] for each in again.received] == ["snapshot"]
    current, _, _ = await join(rooms, "ada", position=again.position)
    assert current.received == []


# A thousand players get their points, each in a channel of their own.
def test_private_events_do_not_push_common_events_out_of_the_log() -> None:
    log = EventLog(2)
    for number in range(1, 100):
        log.append(Message(f"me:{number}" if number > 1 else "player", "", number))
    assert [event.sequence for event in log.after(0, ["player", "me:7"]) or ()] == [1, 7]
    log.append(Message("player", "", 100))
    log.append(Message("player", "", 101))
    assert log.after(0, ["player"]) is None
    assert [event.sequence for event in log.after(1, ["player"]) or ()] == [100, 101]


# The snapshot may show the state before or after the event, so it is read again.
@in_event_loop
async def test_event_during_a_snapshot_is_neither_lost_nor_repeated() -> None:
    rooms = Rooms()
    total = 0

    def add() -> None:
        nonlocal total
        total += 1
        room.publish("total", total)

    async def read_slowly(member: Member) -> tuple[str, object]:
        before = total
        if before < 2:
            add()
        await asyncio.sleep(0)
        return "view", before

    _, _, room = await join(rooms, "ada")
    bob, _, _ = await join(rooms, "bob", snapshot=read_slowly)
    add()
    await room.drain()
    assert [(each["data"], each["sequence"]) for each in bob.received] == [(2, 2), (3, 3)]


@in_event_loop
async def test_snapshot_in_a_room_where_events_never_stop_loses_nothing() -> None:
    rooms = Rooms()

    async def read_slowly(member: Member) -> tuple[str, object]:
        sequence = room.sequence
        room.publish("count", sequence + 1)
        return "view", sequence

    _, _, room = await join(rooms, "ada")
    bob, _, _ = await join(rooms, "bob", snapshot=read_slowly)
    room.publish("count", room.sequence + 1)
    await room.drain()
    first, *events = bob.received
    assert first["kind"] == "snapshot"
    expected = list(range(first["data"] + 1, room.sequence + 1))
    assert [event["data"] for event in events] == expected
    assert [event["sequence"] for event in events] == expected


@in_event_loop
async def test_failed_snapshot_leaves_the_room() -> None:
    async def fail(member: Member) -> tuple[str, object]:
        raise LookupError

    rooms = Rooms(limits=QUICK)
    with pytest.raises(LookupError):
        await join(rooms, "ada", snapshot=fail)
    assert rooms.connections == 0
    await until(lambda: rooms.get("tea") is None)


@in_event_loop
async def test_slow_client_gets_all_events_and_the_latest_states_in_order() -> None:
    rooms = Rooms(limits=QUICK)
    slow, _, room = await join(rooms, "slow")
    fast, _, _ = await join(rooms, "fast")
    slow.stop_reading()
    for number in range(20):
        room.publish("count", number)
        room.update("answers", f"{number} answers")
        await room.drain()
    await until(lambda: fast.data[-1] == "19 answers")
    assert slow.data == [None]
    slow.read()
    await until(lambda: slow.data[-1] == "19 answers")
    assert slow.data == [None, *range(20), "19 answers"]
    room.publish("count", 20)
    await room.drain()
    assert slow.data[-1] == 20


# A heartbeat that overtakes events would say that the client has missed them.
@in_event_loop
async def test_reply_comes_after_the_events_that_wait() -> None:
    rooms = Rooms(limits=QUICK)
    slow = Client()

    async def send_and_wait(message: dict[str, Any]) -> None:
        await slow.send(message)
        slow.stop_reading()

    connection = SocketConnection(Member("slow"), send_and_wait, 64)
    room = await rooms.join("tea", connection, show_nothing)
    for number in range(3):
        room.publish("count", number)
    heartbeat = await room.heartbeat(connection)
    replying = asyncio.create_task(connection.reply(json.dumps({"data": heartbeat["sequence"]})))
    while not replying.done():
        await asyncio.sleep(0)
        slow.read()
    assert slow.data == [None, 0, 1, 2, 3]


@in_event_loop
async def test_client_that_does_not_read_is_dropped_and_others_are_not_delayed() -> None:
    rooms = Rooms(limits=RoomLimits(waiting_events=10))
    stuck, _, room = await join(rooms, "stuck")
    fast, _, _ = await join(rooms, "fast")
    stuck.stop_reading()
    for number in range(50):
        room.publish("count", number)
    await room.drain()
    assert fast.data == [None, *range(50)]
    assert room.connections == 1
    assert stuck.close_code == 0
    stuck.read()
    await until(lambda: stuck.close_code)
    assert stuck.close_code == CloseCode.TRY_AGAIN_LATER
    # It resumes where it stopped to read.
    position = stuck.position
    again, _, _ = await join(rooms, "stuck", position=position)
    assert again.data == list(range(position.sequence, 50))


@in_event_loop
async def test_client_that_is_gone_does_not_disturb_others() -> None:
    rooms = Rooms()
    gone, _, room = await join(rooms, "gone")
    ada, _, _ = await join(rooms, "ada")
    gone.close_code = 1006
    room.publish("count", 1)
    room.publish("count", 2)
    await room.drain()
    assert ada.data == [None, 1, 2]


# uvloop raises if a connection was lost that the protocol still has as open.
@in_event_loop
async def test_frame_that_cannot_be_written_does_not_disturb_others() -> None:
    def fail(frame: bytes) -> bool:
        raise RuntimeError("the handler is closed")

    rooms = Rooms()
    lost = SocketConnection(Member("lost"), Client().send, 64, fail)
    room = await rooms.join("tea", lost, show_nothing)
    ada, _, _ = await join(rooms, "ada")
    room.publish("count", 1)
    room.publish("count", 2)
    await room.drain()
    assert ada.data == [None, 1, 2]
    assert not lost.is_open


# A phone that reloads the page has a second socket before the first one is noticed to be dead.
@in_event_loop
async def test_oldest_socket_of_a_member_is_replaced() -> None:
    rooms = Rooms()
    clients = [(await join(rooms, "ada"))[0] for _ in range(3)]
    assert [client.close_code for client in clients] == [CloseCode.REPLACED, 0, 0]
    room = rooms.get("tea")
    assert room is not None
    assert (len(room.members()), room.connections) == (1, 2)


# One link admits any number of guests, who must not keep players and hosts out.
@in_event_loop
@pytest.mark.parametrize("limits", [RoomLimits(sockets=4), RoomLimits(room_sockets=4)])
async def test_guests_leave_half_of_the_places_to_others(limits: RoomLimits) -> None:
    rooms = Rooms(limits=limits)

    async def enter(member: Member) -> Room:
        connection = SocketConnection(member, Client().send, 9)
        return await rooms.join("tea", connection, show_nothing)

    for number in range(2):
        room = await enter(Member(f"guest {number}", is_guest=True))
    with pytest.raises(RoomFull):
        await enter(Member("guest 2", is_guest=True))
    for name in ("ada", "bob"):
        await enter(Member(name))
    with pytest.raises(RoomFull):
        await enter(Member("cy"))
    room.disconnect("guest 0", CloseCode.RESTART, "")
    await enter(Member("guest 2", is_guest=True))


@in_event_loop
@pytest.mark.parametrize("limits", [RoomLimits(sockets=1), RoomLimits(room_sockets=1)])
async def test_full_room_or_process_rejects_further_sockets(limits: RoomLimits) -> None:
    rooms = Rooms(limits=limits)
    await join(rooms, "ada")
    with pytest.raises(RoomFull):
        await join(rooms, "bob")
    # Her old socket may be dead, and nobody has noticed.
    await join(rooms, "ada")


def test_rooms_of_a_loop_that_has_ended_are_forgotten() -> None:
    rooms = Rooms()
    epochs: list[str] = []

    async def test() -> None:
        _, _, room = await join(rooms, "ada")
        epochs.append(room.epoch)

    run(test)
    rooms.wake("tea")
    run(test)
    assert epochs[0] != epochs[1]


@in_event_loop
async def test_reload_does_not_count_as_leaving() -> None:
    seen: list[str] = []
    rooms = Rooms(
        limits=replace(QUICK, presence_grace=0.02, room_grace=60),
        joined=lambda room, member: seen.append(f"{member.id} joined"),
        left=lambda room, member: seen.append(f"{member.id} left"),
    )
    _, first, room = await join(rooms, "ada", "player")
    await join(rooms, "big screen", "screen")
    room.leave(first)
    _, second, _ = await join(rooms, "ada", "player")
    assert [member.id for member in room.members()] == ["ada", "big screen"]
    await asyncio.sleep(0.04)
    assert (len(room.members()), len(room.members("player")), len(room.members("host"))) == (
        2,
        1,
        0,
    )
    assert seen == ["ada joined", "big screen joined"]
    room.leave(second)
    await until(lambda: "ada left" in seen)
    assert room.members("player") == []


@in_event_loop
async def test_member_can_be_disconnected() -> None:
    left: list[str] = []
    rooms = Rooms(left=lambda room, member: left.append(member.id))
    clients = [(await join(rooms, name))[0] for name in ("ada", "ada", "bob")]
    room = rooms.get("tea")
    assert room is not None
    room.disconnect("ada", CloseCode.FORBIDDEN, "removed")
    room.disconnect("nobody", CloseCode.FORBIDDEN, "removed")
    assert [client.close_code for client in clients] == [4403, 4403, 0]
    assert (left, len(room.members())) == (["ada"], 1)


@pytest.mark.parametrize("turns", range(4))
@in_event_loop
async def test_task_that_is_woken_while_its_room_is_closed_ends(turns: int) -> None:
    async def tick(room: Room) -> None:
        while True:
            await room.sleep(60)

    rooms = Rooms(lambda room: room.run(tick(room)), limits=QUICK)
    _, _, room = await join(rooms, "ada")
    (task,) = room._tasks  # pyright: ignore[reportPrivateUsage]
    await asyncio.sleep(0)
    room.wake()
    for _ in range(turns):
        await asyncio.sleep(0)
    room.close()
    done, _ = await asyncio.wait([task], timeout=1)
    assert done


@in_event_loop
async def test_room_is_closed_when_all_have_left_and_its_tasks_end() -> None:
    ticks: list[str] = []

    async def tick(room: Room) -> None:
        try:
            while True:
                await room.sleep(60)
                ticks.append("woken")
        finally:
            ticks.append("cancelled")

    rooms = Rooms(lambda room: room.run(tick(room)), limits=QUICK)
    _, connection, room = await join(rooms, "ada")
    await asyncio.sleep(0)
    await asyncio.to_thread(rooms.wake, "tea")
    await until(lambda: ticks == ["woken"])
    room.leave(connection)
    await until(lambda: ticks == ["woken", "cancelled"])
    assert rooms.get("tea") is None
    assert not room.is_open
    room.publish("late", 1)
    room.update("late", 1)
    _, _, other = await join(rooms, "ada")
    assert other.epoch != room.epoch
    rooms.close()


# Their threads must not touch each other's rooms: a socket may then stay open and get nothing.
@in_event_loop
async def test_server_that_stops_closes_its_own_rooms_only() -> None:
    async def stop_server() -> None:
        close_streams()

    rooms = Rooms()
    _, _, room = await join(rooms, "ada")
    await asyncio.to_thread(lambda: asyncio.run(stop_server()))
    assert room.is_open
    await stop_server()
    assert not room.is_open


# Clients reconnect, and get a new room with a task that works.
@in_event_loop
async def test_room_whose_task_fails_is_closed() -> None:
    async def fail() -> None:
        raise ValueError

    rooms = Rooms(lambda room: room.run(fail()))
    ada, _, _ = await join(rooms, "ada")
    await until(lambda: ada.close_code)
    assert ada.close_code == CloseCode.INTERNAL_ERROR
    assert rooms.get("tea") is None


@in_event_loop
async def test_room_that_is_closed_during_a_snapshot_closes_the_socket() -> None:
    rooms = Rooms()

    async def close(member: Member) -> tuple[str, object]:
        rooms.close()
        return await show_nothing(member)

    client, _, _ = await join(rooms, "ada", snapshot=close)
    assert (client.close_code, client.received) == (CloseCode.RESTART, [])


@in_event_loop
async def test_large_room_lets_other_tasks_run_while_it_sends() -> None:
    rooms = Rooms()
    clients: list[Client] = [(await join(rooms, f"{n}"))[0] for n in range(1000)]
    room = rooms.get("tea")
    assert room is not None
    room.publish("count", 1)
    turns = 0
    while len(clients[-1].received) < 2:
        await asyncio.sleep(0)
        turns += 1
    assert turns > 3
    assert all(client.data == [None, 1] for client in clients)

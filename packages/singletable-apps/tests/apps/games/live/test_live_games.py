"""Live games: phase changes, answers, timers, several processes, absent hosts, removed players."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from singletable import Scan
from singletable_apps.games.entities import HostAbsence, Process
from singletable_apps.games.live import LiveGames
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import Question
from singletable_apps.games.rules import ABSENCE, GRACE
from singletable_apps.games.service import table_name
from singletable_apps.games.service.admin import STALE
from singletable_apps.games.tokens import Role
from tests.apps.games.live.clients import as_processes, connect, connect_phones, open_live
from tests.apps.games.support.world import (
    CAPITAL,
    LESSON,
    PRIMES,
    SETTINGS,
    Phone,
    World,
)
from tests.apps.shared.rooms.clients import in_event_loop, until


@in_event_loop
async def test_phase_changes_reach_every_role(memory: World, live: LiveGames) -> None:
    game = memory.game(CAPITAL)
    ada, bob = await connect_phones(live, *memory.join(game, "Ada", "Bob"))
    host, screen, audience = [
        await connect(live, game, role) for role in (Role.HOST, Role.SCREEN, Role.AUDIENCE)
    ]
    everyone = (ada, bob, host, screen, audience)
    assert {each.view["phase"] for each in everyone} == {"waiting"}
    assert (await host.command("start"))["data"]["phase"] == "open"
    for each in everyone:
        view = await each.shows("open")
        assert "correct" not in str(view)
    reply = await ada.answer("b")
    assert (reply["type"], reply["data"]["outcome"]) == ("ack", "accepted")
    assert reply["data"]["answer"]["choices"] == ["b"]
    await screen.sees(lambda each: each.latest("playerAnswered").get("done") == 1)
    assert screen.latest("playerAnswered")["of"] == 2
    await host.command("close")
    for each in everyone:
        assert (await each.shows("reveal"))["reveal"]["correct"] == ["b"]
    await bob.sees(lambda each: "gained" in each.me)
    assert (ada.me["gained"], bob.me["gained"]) == (1000, 0)


@in_event_loop
async def test_question_closes_when_all_connected_players_have_answered(
    memory: World, live: LiveGames
) -> None:
    game = memory.game(CAPITAL)
    phones = memory.join(game, "Ada", "Bob", "Asleep")
    ada, bob = await connect_phones(live, *phones[:2])
    memory.play(game, Command.START)
    await ada.shows("open")
    await ada.answer("b")
    assert memory.service.context.get_state(game.game_id).phase == "open"
    await bob.answer("a")
    await bob.shows("reveal")


# A phone that has lost an acknowledgment sends its answer again when it is back.
@pytest.mark.parametrize("first", [CAPITAL, LESSON], ids=["question", "vote"])
@in_event_loop
async def test_answer_that_is_sent_again_does_not_count_for_what_comes_next(
    memory: World, live: LiveGames, first: Question
) -> None:
    asked = [
        {"questionId": question_id, "phase": phase, "done": 0, "of": 2}
        for question_id, phase in (("002", "open"), ("001", "voting"))
    ]
    game = memory.game(first, PRIMES)
    phones = memory.join(game, "Ada", "Bob")
    ada, bob = await connect_phones(live, *phones)
    host = await connect(live, game, Role.HOST)
    await host.command("start")
    for phone in (ada, bob):
        await phone.shows("open")
        await phone.answer("b", text=f"Meetings of {phone.seat.player_id}")
    if first is CAPITAL:
        await host.shows("reveal")
        memory.play(game, Command.NEXT, Command.NEXT)
    await host.sees(lambda each: each.latest("playerAnswered") in asked)
    (back,) = await connect_phones(live, phones[0])
    sent = {"choices": ["b"], "text": f"Meetings of {ada.seat.player_id}"}
    reply = await back.send_message("answer", questionId="001", **sent)
    assert reply["data"]["outcome"] == "repeated"
    for _ in range(2):  # the first change shows the counter, at the latest
        version = (await host.send_message("extend", seconds=10))["data"]["version"]
        await until(lambda: host.view["version"] == version)  # noqa: B023
    assert host.latest("playerAnswered") in asked


@in_event_loop
async def test_answers_are_ranked_in_a_vote(memory: World, live: LiveGames) -> None:
    game = memory.game(LESSON)
    phones = await connect_phones(live, *memory.join(game, "Ada", "Bob", "Cy"))
    memory.play(game, Command.START)
    for phone, text in zip(phones, ("Meetings", "Builds", "Reviews"), strict=True):
        await phone.shows("open")
        await phone.answer(text=text)
    for phone in phones:
        await phone.shows("voting")
        await phone.sees(lambda each: "ballot" in each.me)
    for phone in phones:
        ranking = [each["id"] for each in phone.me["ballot"]]
        reply = await phone.send_message("vote", questionId="001", ranking=ranking)
        assert reply["data"] == {"outcome": "accepted"}
    await phones[0].shows("reveal")


@in_event_loop
async def test_answer_hidden_during_the_vote_disappears_from_phones(
    memory: World, live: LiveGames
) -> None:
    game = memory.game(LESSON)
    ada, bob, cy = await connect_phones(live, *memory.join(game, "Ada", "Bob", "Cy"))
    screen = await connect(live, game, Role.SCREEN)
    memory.play(game, Command.START)
    for phone, text in ((ada, "Meetings"), (bob, "Builds"), (cy, "Rude")):
        await phone.shows("open")
        await phone.answer(text=text)
    ballot = (await screen.shows("voting"))["ballot"]
    (rude,) = [each["id"] for each in ballot if each["text"] == "Rude"]
    await ada.sees(lambda each: len(each.me.get("ballot", ())) == 2)
    memory.service.moderation.set_hidden(game.game_id, rude, True)
    await ada.sees(lambda each: len(each.me["ballot"]) == 1)
    await screen.sees(lambda each: len(each.view["ballot"]) == 2)


@in_event_loop
async def test_timer_closes_the_question_after_the_grace_period(
    memory: World, live: LiveGames
) -> None:
    game = memory.game(CAPITAL)
    (ada,) = await connect_phones(live, *memory.join(game, "Ada"))
    memory.play(game, Command.START)
    await ada.shows("open")
    memory.clock.advance(seconds=20 + GRACE.total_seconds())
    await ada.shows("reveal")


@in_event_loop
async def test_two_processes_serve_one_room(worlds: tuple[World, World]) -> None:
    one, other = as_processes(*worlds)
    here, there = open_live(one.service), open_live(other.service)
    game = one.game(CAPITAL, PRIMES)
    players = one.join(game, "Ada", "Bob")
    (ada,) = await connect_phones(here, players[0])
    (bob,) = await connect_phones(there, players[1])
    host = await connect(here, game, Role.HOST)
    screen = await connect(there, game, Role.SCREEN)
    await host.sees(lambda each: each.latest("presenceChanged").get("players") == 2)
    await screen.sees(lambda each: each.latest("presenceChanged").get("hostPresent"))
    await host.command("start")
    await bob.shows("open")
    await bob.answer("b")
    await host.sees(lambda each: each.latest("playerAnswered").get("done") == 1)
    # All players of all processes have answered now.
    await ada.answer("a")
    for each in (ada, bob, screen):
        await each.shows("reveal")
    one.service.players.rename(game.game_id, players[1].player_id, "Bobby")
    await bob.sees(lambda each: each.me["name"] == "Bobby")


@in_event_loop
async def test_killed_process_is_not_counted_and_others_run_its_timers(memory: World) -> None:
    one, other = as_processes(memory, memory)
    here, there = open_live(one.service), open_live(other.service)
    game = one.game(CAPITAL)
    players = one.join(game, "Ada", "Bob")
    (ada,) = await connect_phones(here, players[0])
    (bob,) = await connect_phones(there, players[1])
    one.play(game, Command.START)
    await ada.shows("open")
    await bob.shows("open")
    await ada.answer("b")
    await bob.sees(
        lambda each: (
            each.latest("playerAnswered")
            == {"questionId": "001", "phase": "open", "done": 1, "of": 2}
        )
    )
    # The process dies without saying goodbye: its task ends, and its item stays.
    room = here.rooms.get(game.game_id)
    assert room is not None
    for task in list(room._tasks):  # pyright: ignore[reportPrivateUsage]
        task.cancel()
    # Ada reconnects elsewhere, where her answer counts.
    (again,) = await connect_phones(there, players[0])
    assert again.me["answers"]["001"]["choices"] == ["b"]
    other.clock.advance(seconds=STALE.total_seconds())
    await bob.sees(lambda each: each.latest("playerAnswered").get("of") == 2)
    other.clock.advance(seconds=22)
    await bob.shows("reveal")
    assert other.totals(game) == {"Ada": 1000, "Bob": 0}


# Of two phones on their way to another server, the one that is back first has answered.
@in_event_loop
async def test_question_stays_open_until_phones_are_back_after_a_restart(memory: World) -> None:
    game = memory.game(CAPITAL)
    players = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    players[0].answer("b")
    live = open_live(memory.service, settle=0.5)
    (ada,) = await connect_phones(live, players[0])
    await ada.sees(lambda each: each.latest("playerAnswered").get("done") == 1)
    (bob,) = await connect_phones(live, players[1])
    reply = await bob.answer("a")
    assert reply["data"]["outcome"] == "accepted"
    await ada.shows("reveal")


@in_event_loop
async def test_removed_player_is_disconnected_in_every_process(memory: World) -> None:
    one, other = as_processes(memory, memory)
    here, there = open_live(one.service), open_live(other.service)
    game = one.game(CAPITAL)
    players = one.join(game, "Ada", "Bob")
    screens = [(await connect_phones(live, players[1]))[0] for live in (here, there)]
    host = await connect(there, game, Role.HOST)
    one.service.players.remove(game.game_id, players[1].player_id)
    for each in screens:
        await each.sees(lambda each: each.close_code)
        assert each.close_code == 4403
        assert each.received[-1]["type"] == "playerRemoved"
    await host.sees(lambda each: each.latest("playerJoined").get("names") == ["Ada"])


@in_event_loop
async def test_change_in_a_process_without_a_room_is_seen_in_others(memory: World) -> None:
    one, other = as_processes(memory, memory)
    open_live(one.service)
    live = open_live(other.service)
    game = one.game(CAPITAL)
    screen = await connect(live, game, Role.SCREEN)
    one.join(game, "Ada")
    await screen.sees(lambda each: each.latest("playerJoined").get("names") == ["Ada"])
    one.service.games.edit(game.game_id, title="New title")
    await screen.sees(lambda each: each.view["title"] == "New title")


@in_event_loop
async def test_replaced_link_disconnects_its_sockets(memory: World, live: LiveGames) -> None:
    game = memory.game(CAPITAL)
    cohost, screen = [await connect(live, game, role) for role in (Role.COHOST, Role.SCREEN)]
    memory.service.games.replace_links(game.game_id, Role.COHOST)
    await cohost.sees(lambda each: each.close_code)
    assert (cohost.close_code, screen.close_code) == (4401, 0)


# An event loop that ends cancels all tasks, while its timers go on.
@in_event_loop
async def test_absence_after_the_last_look_at_a_game_is_ignored(
    memory: World, live: LiveGames, caplog: pytest.LogCaptureFixture
) -> None:
    host = await connect(live, memory.game(CAPITAL), Role.HOST)
    looks = [task for task in asyncio.all_tasks() if "watch" in repr(task.get_coro())]
    for task in looks:
        task.cancel()
    await asyncio.wait(looks)
    host.leave()
    await asyncio.sleep(0.01)
    assert not [record for record in caplog.records if record.name == "asyncio"]


@in_event_loop
async def test_absent_host_lets_the_game_continue_if_the_settings_say_so(
    memory: World, live: LiveGames
) -> None:
    game = memory.game(
        CAPITAL, PRIMES, settings=replace(SETTINGS, host_absence=HostAbsence.CONTINUE)
    )
    (ada,) = await connect_phones(live, *memory.join(game, "Ada"))
    host = await connect(live, game, Role.HOST)
    await host.command("start")
    await ada.shows("open")
    await ada.answer("b")
    await ada.shows("reveal")
    await ada.sees(lambda each: each.latest("presenceChanged").get("hostPresent"))
    host.leave()
    await ada.sees(lambda each: not each.latest("presenceChanged")["hostPresent"])
    memory.clock.advance(seconds=ABSENCE.total_seconds() + 1)
    await ada.shows("leaderboard")
    memory.clock.advance(seconds=11)
    await ada.shows("open")


@in_event_loop
async def test_bad_messages_are_rejected_with_a_code(memory: World, live: LiveGames) -> None:
    game = memory.game(CAPITAL)
    (ada,) = await connect_phones(live, *memory.join(game, "Ada"))
    screen = await connect(live, game, Role.SCREEN)

    def code(reply: dict[str, Any]) -> Any:
        return reply["data"]["code"]

    assert code(await ada.answer("b")) == "wrong-phase"
    assert code(await ada.command("start")) == "not-allowed"
    assert code(await screen.answer("b")) == "not-allowed"
    assert code(await ada.send_message("dance")) == "invalid"
    assert code(await ada.send_message("answer", questionId=7)) == "invalid"
    host = await connect(live, game, Role.HOST)
    assert code(await host.command("all-done")) == "not-allowed"
    assert code(await host.command("resume")) == "wrong-phase"
    assert code(await host.send_message("extend", seconds=5)) == "wrong-phase"
    memory.play(game, Command.START)
    await ada.shows("open")
    assert code(await ada.answer("z")) == "invalid"
    assert code(await host.send_message("extend", seconds=-5)) == "invalid"


# The original stores each socket, and scans the table to find those of a game.
@in_event_loop
async def test_process_counts_its_connections_in_one_item(memory: World, live: LiveGames) -> None:
    game = memory.game(CAPITAL)
    phones = memory.join(game, "Ada", "Bob")
    context = memory.service.context

    def stored() -> set[tuple[str, str]]:
        items = memory.driver.execute(Scan(table_name("dev"))).items
        return {(item["PK"]["S"], item["SK"]["S"]) for item in items}

    process = (f"GAME#{game.game_id}", f"PROCESS#{context.process_id}")
    others = stored() - {process}
    host = await connect(live, game, Role.HOST)
    ada, _ = await connect_phones(live, *phones)

    def counted() -> list[tuple[int, int]]:
        found = context.store.query(Process.key.partition(game.game_id), consistent=True)
        return [(each.hosts, each.players) for each in found]

    def last_seen(phone: Phone) -> datetime:
        return context.get_player(game.game_id, phone.player_id).last_seen_at

    await until(lambda: counted() == [(1, 2)])
    assert stored() == {process, *others}
    memory.clock.advance(minutes=30)
    left_at = memory.clock.now - timedelta(minutes=1)
    ada.leave()
    await until(lambda: counted() == [(1, 1)])
    await until(lambda: last_seen(phones[0]) > left_at)
    assert last_seen(phones[1]) < left_at
    host.leave()
    live.rooms.close()
    await until(lambda: stored() == others)
    await until(lambda: last_seen(phones[1]) > left_at)

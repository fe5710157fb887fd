"""Who watches a game, and when all connected players have answered; and how often rooms read."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from singletable_apps.games.entities import GameState, HostAbsence, Process
from singletable_apps.games.live.presence import Attendee, Counts, Presence, add_up
from singletable_apps.games.live.setup import LiveSetup, Pace, ReadBudget
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import ABSENCE, ABSENCE_STEP, command_without_host
from singletable_apps.games.tokens import Role, Seat
from tests.apps.games.support.world import CAPITAL, SURVEY, World
from tests.apps.shared.rooms.clients import in_event_loop

NOW = datetime(2026, 11, 1, tzinfo=UTC)


def player(name: str) -> Attendee:
    return Attendee(name, frozenset({"player", f"me:{name}"}), seat=Seat(Role.PLAYER, "g", name))


def test_question_is_complete_when_all_connected_players_have_answered(memory: World) -> None:
    game = memory.game(CAPITAL)
    memory.play(game, Command.START)
    snapshot, presence = memory.service.snapshots.read(game.game_id), Presence()
    assert not presence.is_complete(snapshot, 0)
    for each in ("ada", "bob", "asleep"):
        presence.add(player(each))
    assert presence.add_answer("ada", "001")
    assert not presence.add_answer("ada", "001")
    presence.remove(player("asleep"), NOW)
    assert presence.left == {"asleep": NOW}
    assert not presence.is_complete(snapshot, 0)
    presence.add_answer("bob", "001")
    assert presence.is_complete(snapshot, 0)
    presence.settled_at = 5
    assert not presence.is_complete(snapshot, 4)
    presence.settled_at = 0
    presence.others = [elsewhere("001", "open", players=2, done=1)]
    assert not presence.is_complete(snapshot, 0)
    presence.others = [elsewhere("001", "open", players=2, done=2)]
    assert presence.is_complete(snapshot, 0)
    presence.begin_round()
    assert presence.own_counts() == Counts(players=2)


def test_survey_is_never_complete_and_one_answer_counts(memory: World) -> None:
    game = memory.game(*SURVEY[1:3], kind=EngagementType.SURVEY)
    memory.play(game, Command.START)
    snapshot, presence = memory.service.snapshots.read(game.game_id), Presence()
    presence.add(player("ada"))
    for question_id in ("001", "002"):
        presence.add_answer("ada", question_id)
        assert presence.counts(snapshot.state) == Counts(players=1, done=1)
        assert not presence.is_complete(snapshot, 0)


def elsewhere(question_id: str, phase: str, players: int, done: int) -> Process:
    return Process(
        game_id="g",
        process_id="p",
        changes=0,
        question_id=question_id,
        phase=phase,
        players=players,
        done=done,
        seen_at=NOW,
        expires_at=NOW,
    )


def test_answers_to_another_question_do_not_count() -> None:
    others = [
        elsewhere("002", "open", players=1, done=1),
        elsewhere("001", "voting", players=0, done=3),
    ]
    assert add_up(Counts(2, 1, 1), others, "002", "open") == Counts(3, 2, 1)


@pytest.mark.parametrize(
    ("policy", "phase", "absent", "shown", "command"),
    [
        (HostAbsence.WAIT, Phase.REVEAL, ABSENCE, ABSENCE_STEP, None),
        (HostAbsence.END, Phase.OPEN, ABSENCE, timedelta(), Command.END),
        (HostAbsence.END, Phase.OPEN, ABSENCE - timedelta(seconds=1), timedelta(), None),
        (HostAbsence.END, Phase.WAITING, ABSENCE, ABSENCE, None),
        (HostAbsence.END, Phase.ENDED, ABSENCE, ABSENCE, None),
        (HostAbsence.CONTINUE, Phase.LEADERBOARD, ABSENCE, ABSENCE_STEP, Command.NEXT),
        (HostAbsence.CONTINUE, Phase.LEADERBOARD, ABSENCE, timedelta(seconds=9), None),
        (HostAbsence.CONTINUE, Phase.OPEN, ABSENCE, ABSENCE, None),
    ],
)
def test_settings_say_what_happens_without_a_host(
    policy: HostAbsence, phase: Phase, absent: timedelta, shown: timedelta, command: Command | None
) -> None:
    state = GameState(game_id="g", phase=phase, expires_at=NOW)
    state.updated_at = NOW - shown
    assert command_without_host(policy, state, NOW - absent, NOW) is command


# What waits for a thread behind a hundred other rooms takes no time of the processor.
@in_event_loop
async def test_rooms_rest_by_the_processor_time_that_reading_takes(memory: World) -> None:
    with ThreadPoolExecutor(1) as threads:
        setup = LiveSetup(memory.service, threads, Pace(), ["a room"], is_alone=True, is_told=True)
        budget = ReadBudget(setup)
        now = asyncio.get_running_loop().time

        def compute(seconds: float) -> None:
            began = time.thread_time()
            while time.thread_time() < began + seconds:
                pass

        await budget.run(time.sleep, 0.1)
        assert budget.next_time(0) < now() + 0.5
        assert budget.next_time(2) >= now() + 1.9
        await budget.run(compute, 0.02)
        began = now()
        assert began + 0.2 <= budget.next_time(0) < now() + 30.1

"""Power cuts, lost responses and stale reads: a round is counted once, with every answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import (
    BatchWriteItem,
    PutItem,
    TransactWriteItems,
    UpdateItem,
)
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine
from singletable_apps.games.entities import Game, GameState
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.answers import Outcome, Submission
from tests.apps.games.support.world import (
    CAPITAL,
    LESSON,
    LUNCH,
    PRIMES,
    SETTINGS,
    SURVEY,
    Phone,
    World,
)
from tools.testing.drivers import lagging

pytestmark = pytest.mark.usefixtures("no_waits")
WRITES = (PutItem, UpdateItem, BatchWriteItem, TransactWriteItems)
NAMES = ("Ada", "Bob", "Cy")


@dataclass
class Scene:
    """A game in some phase, and a copy of its tables for each experiment."""

    world: World
    game: Game
    phones: list[Phone]

    @property
    def state(self) -> GameState:
        return self.world.service.context.get_state(self.game.game_id)

    def copies(self) -> Iterator[World]:
        """Yield worlds with the same tables and time, again and again."""
        engine = self.world.driver
        assert isinstance(engine, Engine)
        now = self.world.clock.now
        while True:
            with engine.copy() as copy:
                other = World(copy)
                other.clock.now = now
                other.clock.tick = timedelta()
                yield other
                other.check_calls()


def trivia(world: World, *, paused: bool = False) -> Scene:
    """Return a game whose second trivia question is open and answered."""
    game = world.game(CAPITAL, PRIMES, LUNCH, settings=replace(SETTINGS, streak=True))
    phones = world.join(game, *NAMES)
    world.play(game, Command.START)
    for phone, choice in zip(phones, "bab", strict=True):
        world.clock.advance(seconds=4)
        phone.answer(choice)
    world.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    world.clock.advance(seconds=4)
    phones[0].answer("a", "c")
    phones[1].answer("c", "a")
    if paused:
        world.play(game, Command.PAUSE)
    return Scene(world, game, phones)


def lesson(world: World) -> Scene:
    """Return a game whose call-and-answer question is open and answered."""
    game = world.game(LESSON, CAPITAL)
    phones = world.join(game, *NAMES)
    world.play(game, Command.START)
    for phone, text in zip(phones, ("Meetings", "Builds", "meetings "), strict=True):
        phone.answer(text=text)
    return Scene(world, game, phones)


def voting(world: World) -> Scene:
    """Return a game in which everybody has voted."""
    scene = lesson(world)
    world.play(scene.game, Command.CLOSE)
    snapshot = world.service.snapshots.read(scene.game.game_id)
    for phone in scene.phones:
        mine = world.service.snapshots.player_view(snapshot, phone.player_id)
        phone.vote(*(each["id"] for each in mine["ballot"]))
    return scene


def survey(world: World) -> Scene:
    game = world.game(*SURVEY[::2], kind=EngagementType.SURVEY)
    phones = world.join(game, *NAMES)
    world.play(game, Command.START)
    for phone in phones:
        phone.answer(question_id="001", number=4)
        phone.answer(question_id="002", text="More of it")
    return Scene(world, game, phones)


def waiting(world: World) -> Scene:
    game = world.game(CAPITAL)
    return Scene(world, game, world.join(game, *NAMES))


def waiting_survey(world: World) -> Scene:
    game = world.game(*SURVEY[::2], kind=EngagementType.SURVEY)
    return Scene(world, game, world.join(game, *NAMES))


def revealed(world: World) -> Scene:
    """Return a game with the results of its only question."""
    scene = waiting(world)
    world.play(scene.game, Command.START)
    scene.phones[0].answer("b")
    world.play(scene.game, Command.CLOSE)
    return scene


def last(world: World) -> Scene:
    """Return a game with the leaderboard after its only question."""
    scene = revealed(world)
    world.play(scene.game, Command.NEXT)
    return scene


def paused(world: World) -> Scene:
    """Return a game that is paused while a question is open."""
    return trivia(world, paused=True)


def facts(service: GamesService, game: Game) -> dict[str, object]:
    """Return the public facts about a game, without random ids."""
    game_id, store = game.game_id, service.game_store
    state = service.context.get_state(game_id)
    (entry,) = service.rounds.list_of_host(game.created_by).items
    played = store.list_rounds(game_id)
    return {
        "phase": (state.phase, state.closed_at, state.is_ending, state.question_id, state.played),
        "deadline": (state.deadline, state.remaining, state.paused_phase, state.paused_seconds),
        "scored": state.scored,
        "standings": store.get_standings(state),
        "results": {each.question_id: store.get_result(each) for each in played},
        "tallies": {each.question_id: (each.answers, each.votes, each.tally) for each in played},
        "ballots": {each.question_id: store.get_ballot(each) for each in played},
        "completed": [(each.question_id, each.completed_at, each.is_void) for each in played],
        "history": (entry.completed_at, entry.player_count, entry.question_count),
        "players": sorted(
            (each.name, each.total_score, each.rank, each.scored_through)
            for each in store.list_players(game_id)
        ),
    }


MOVES: dict[str, tuple[Callable[[World], Scene], Command]] = {
    "start": (waiting, Command.START),
    "start of a survey": (waiting_survey, Command.START),
    "close of trivia": (trivia, Command.CLOSE),
    "skip": (trivia, Command.SKIP),
    "pause": (trivia, Command.PAUSE),
    "resume": (paused, Command.RESUME),
    "end of an open question": (trivia, Command.END),
    "end of a pause": (paused, Command.END),
    "close of answers": (lesson, Command.CLOSE),
    "end of answers": (lesson, Command.END),
    "close of votes": (voting, Command.CLOSE),
    "end of votes": (voting, Command.END),
    "skipped votes": (voting, Command.SKIP),
    "close of a survey": (survey, Command.CLOSE),
    "end of a survey": (survey, Command.END),
    "leaderboard": (revealed, Command.NEXT),
    "last question": (last, Command.NEXT),
}


@pytest.mark.rest
@pytest.mark.parametrize("move", MOVES)
def test_interrupted_command_is_finished_by_another_process(memory: World, move: str) -> None:
    build, command = MOVES[move]
    scene = build(memory)
    game_id, before = scene.game.game_id, scene.state
    copies = scene.copies()
    world = next(copies)
    world.service.rounds.command(game_id, command, version=before.version)
    expected = facts(world.service, scene.game)
    for cut, world in enumerate(copies):
        # Only writes make a difference to others.
        driver = InterruptedDriver(world.driver)
        service, rounds = world.open(driver), world.service.rounds
        driver.crash_after(cut, WRITES)
        try:
            service.rounds.command(game_id, command, version=before.version)
        except Crash:
            # For a timer of another process either nothing has happened, or it does the rest.
            state = rounds.finish_due(game_id)
            assert state.version > before.version or state == before
        else:
            assert cut
            return
        # The host clicks once more.
        rounds.command(game_id, command, version=before.version)
        assert facts(world.service, scene.game) == expected, cut


@pytest.mark.rest
@pytest.mark.parametrize("move", ["close of trivia", "close of votes", "end of a survey", "start"])
@pytest.mark.parametrize(
    "faults",
    [
        Faults(internal_after=Next(1)),
        Faults(internal_after=Next(3)),
        Faults(internal=0.3, throttle=0.2, internal_after=0.3, conflict=0.3, seed=5),
        Faults(unprocessed=0.5, internal_after=0.4, seed=7),
    ],
    ids=["lost response", "lost responses", "errors", "all"],
)
def test_faults_change_nothing_about_a_result(memory: World, move: str, faults: Faults) -> None:
    build, command = MOVES[move]
    scene = build(memory)
    game_id = scene.game.game_id
    copies = scene.copies()
    world = next(copies)
    world.service.rounds.command(game_id, command)
    expected = facts(world.service, scene.game)
    world = next(copies)
    driver = FaultyDriver(world.driver)
    service = world.open(driver)
    with driver.inject(faults):
        service.rounds.command(game_id, command)
    assert facts(world.service, scene.game) == expected


def test_repeated_answers_after_lost_responses_are_one_answer(memory: World) -> None:
    for faults in (Faults(internal_after=Next(1)), Faults(internal_after=0.5)):
        game = memory.game(CAPITAL, LUNCH)
        driver = FaultyDriver(memory.driver)
        answers = memory.open(driver).answers
        phones = memory.join(game, *NAMES)
        memory.play(game, Command.START)
        for question_id in ("001", "002"):
            with driver.inject(faults):
                for phone in phones:
                    sent = Submission(
                        phone.player_id, question_id, memory.clock(), choices=("b",), client_id="7"
                    )
                    for _ in range(2):
                        receipt = answers.submit(game.game_id, sent)
                        assert receipt.outcome in (Outcome.ACCEPTED, Outcome.REPEATED)
                        assert receipt.answer is not None
                        assert receipt.answer.choices == ("b",)
            assert len(memory.service.game_store.list_answers(game.game_id, question_id)) == 3
            memory.play(game, Command.CLOSE)
            memory.play_to(game, Phase.OPEN if question_id == "001" else Phase.ENDED)


# The phone of someone who joined a moment ago must not hear that they are not in the game.
def test_answer_right_after_joining_is_accepted_despite_stale_reads(memory: World) -> None:
    service = memory.open(lagging(memory.driver))
    game = memory.game(CAPITAL)
    memory.play(game, Command.START)
    (ada,) = memory.join(game, "Ada")
    sent = Submission(ada.player_id, "001", memory.clock(), choices=("b",))
    assert service.answers.submit(game.game_id, sent).outcome is Outcome.ACCEPTED

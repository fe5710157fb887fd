"""Hosts, timers, processes and phones at once: one transition each, and no answer is lost.

One thing happens completely before each single operation of another one, in turn: that covers every
order in which two processes can meet, and finds the same faults each time.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

import pytest

from drills.games_oracle import PlayerLog, Sent, check_game
from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import Operation, Query, UpdateItem
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine
from singletable_apps.games.entities import Game, GameState
from singletable_apps.games.errors import AppError, WrongPhase
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType, QuestionType
from singletable_apps.games.rules import GRACE
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.answers import Outcome, Submission
from singletable_apps.games.tokens import new_id
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

NAMES = ("Ada", "Bob", "Cy")
TRIVIA, TEXT, POLL = range(3)
ACCURACY = replace(SETTINGS, trivia_mode="accuracy")


@dataclass
class Table:
    """A game whose players note the replies of the server."""

    world: World
    game: Game
    phones: list[Phone]
    logs: list[PlayerLog] = field(default_factory=list[PlayerLog])

    @classmethod
    def open(cls, world: World, question: int) -> Table:
        """Return a game with an open question: trivia, call-and-answer or poll."""
        questions = (CAPITAL, LESSON, LUNCH)[question:]
        game = world.game(*questions, CAPITAL, settings=ACCURACY)
        phones = world.join(game, *NAMES)
        table = cls(world, game, phones, [PlayerLog(each.player_id, each.name) for each in phones])
        world.play(game, Command.START)
        table.answer(world.service, 1)
        return table

    def copy(self, world: World) -> Table:
        world.clock.now = self.world.clock.now
        phones = [replace(each, world=world) for each in self.phones]
        return Table(world, self.game, phones, deepcopy(self.logs))

    @property
    def state(self) -> GameState:
        return self.world.service.context.get_state(self.game.game_id)

    def answer(self, service: GamesService, player: int) -> None:
        """Let a player answer the first question, and note what the server says."""
        phone, log = self.phones[player], self.logs[player]
        is_text = service.context.get_questions(self.game)[0].type is QuestionType.CALL_AND_ANSWER
        sent = log.answers.setdefault(
            "001", Sent(text=f"{phone.name} says so") if is_text else Sent(("b",))
        )
        submission = Submission(
            phone.player_id,
            "001",
            self.world.clock(),
            text=sent.text,
            choices=sent.choices,
            client_id=phone.name,
        )
        try:
            sent.outcome = service.answers.submit(self.game.game_id, submission).outcome
        except WrongPhase:
            sent.outcome = sent.outcome or "refused"

    def vote(self, service: GamesService, player: int) -> None:
        """Let a player rank the answers, and note what the server says."""
        phone, log = self.phones[player], self.logs[player]
        entry = service.game_store.get_round(self.game.game_id, "001")
        assert entry is not None
        offered = tuple(service.game_store.offered_to(self.game, entry, phone.player_id))
        sent = log.votes.setdefault("001", Sent(ranking=offered))
        try:
            receipt = service.answers.vote(self.game.game_id, phone.player_id, "001", offered)
            sent.outcome = receipt.outcome
        except WrongPhase:
            sent.outcome = sent.outcome or "refused"

    def check(self) -> None:
        """Finish the game, and compare it with what the server replied."""
        state = self.world.service.rounds.finish_due(self.game.game_id)
        if state.phase is not Phase.ENDED:
            self.world.play(self.game, Command.END)
        assert check_game(self.world.open(), self.game.game_id, self.logs) == []


Action = Callable[[Table, GamesService], object]


def interleave(make: Callable[[World], Table], first: Action, other: Action) -> Iterator[Table]:
    """Do one thing, and the other one before each of its operations in turn; yield each outcome."""
    with Engine.in_memory() as prepared:
        original = make(World(prepared))
        for at in range(1, 100):
            with prepared.copy() as engine:
                table = original.copy(World(engine))
                countdown = Countdown()
                driver = InterruptedDriver(
                    engine, countdown, before=partial(other, table, table.world.service)
                )
                service = table.world.open(driver)
                countdown.left = at
                first(table, service)
                if not driver.interrupted:
                    return
                yield table
                table.world.check_calls()
    raise AssertionError("It takes more than a hundred operations.")


class Countdown:
    """Counts operations down. The queries of the parts of one list count as one."""

    def __init__(self) -> None:
        self.left = 1_000
        self._was_query = False

    def __call__(self, operation: Operation[object]) -> bool:
        is_query = isinstance(operation, Query)
        if not (is_query and self._was_query):
            self.left -= 1
        is_now = self.left == 0 and not (is_query and self._was_query)
        self._was_query = is_query
        return is_now


def send(command: Command) -> Action:
    """Return what a host does: a command that may come too late."""

    def act(table: Table, service: GamesService) -> None:
        with suppress(WrongPhase):
            service.rounds.command(table.game.game_id, command)

    return act


def answer(table: Table, service: GamesService) -> None:
    """Send an answer twice, as a phone does that got no response."""
    table.answer(service, 0)
    if not table.logs[0].answers["001"].is_acknowledged:
        table.answer(service, 0)


def time_up(table: Table, service: GamesService) -> None:
    table.world.clock.advance(seconds=60 + GRACE.total_seconds())
    service.rounds.finish_due(table.game.game_id)


@pytest.mark.rest
@pytest.mark.parametrize(
    ("kind", "other"),
    [
        (TRIVIA, send(Command.CLOSE)),
        (TRIVIA, send(Command.END)),
        (TRIVIA, send(Command.PAUSE)),
        (TRIVIA, time_up),
        (TEXT, send(Command.CLOSE)),
        (POLL, send(Command.CLOSE)),
    ],
    ids=["close", "end", "pause", "timer", "close of texts", "close of a poll"],
)
def test_acknowledged_answers_count_despite_concurrent_changes(kind: int, other: Action) -> None:
    outcomes = set[str]()
    for first, second in ((answer, other), (other, answer)):
        for table in interleave(lambda world: Table.open(world, kind), first, second):
            outcomes.add(table.logs[0].answers["001"].outcome)
            table.check()
    assert Outcome.ACCEPTED in outcomes


def vote_of(player: int) -> Action:
    def act(table: Table, service: GamesService) -> None:
        table.vote(service, player)

    return act


def open_trivia(world: World) -> Table:
    """Return a game whose trivia question has one of three answers."""
    return Table.open(world, TRIVIA)


def voting(world: World) -> Table:
    """Return a game in which one of two votes has been cast."""
    table = Table.open(world, 1)
    table.answer(world.service, 0)
    world.play(table.game, Command.CLOSE)
    table.vote(world.service, 1)
    return table


@pytest.mark.rest
@pytest.mark.parametrize("other", [Command.CLOSE, Command.END])
def test_acknowledged_votes_count_despite_concurrent_changes(other: Command) -> None:
    for first, second in ((vote_of(0), send(other)), (send(other), vote_of(0))):
        for table in interleave(voting, first, second):
            table.check()


# A question is closed by the host, by the timers of two processes and by the last answer at once.
@pytest.mark.rest
@pytest.mark.parametrize("make", [open_trivia, voting])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Command.CLOSE, Command.CLOSE),
        (Command.CLOSE, Command.END),
        (Command.END, Command.CLOSE),
        (Command.PAUSE, Command.SKIP),
    ],
)
def test_two_hosts_score_a_question_once(
    make: Callable[[World], Table], one: Command, other: Command
) -> None:
    for table in interleave(make, send(one), send(other)):
        state = table.state
        assert state.scored in ([], ["001"])
        assert state.closed_at is None
        table.check()


# While one host ends the game after a question, another one plays the next question and ends it.
def test_host_who_ends_late_keeps_later_points(memory: World) -> None:
    game = memory.game(CAPITAL, PRIMES)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START, Command.CLOSE)

    def play_on() -> None:
        memory.play(game, Command.NEXT, Command.NEXT)
        ada.answer("a", "c")
        memory.play(game, Command.CLOSE, Command.END)

    late = memory.open(InterruptedDriver(memory.driver, UpdateItem, before=play_on))
    late.rounds.command(game.game_id, Command.END)
    stored = memory.service.context.get_player(game.game_id, ada.player_id)
    assert (stored.total_score, stored.scored_through) == (1000, "002")


# A player who starts a survey late must not make its results empty.
def test_survey_started_twice_keeps_its_results() -> None:
    def start_and_close(table: Table, service: GamesService) -> None:
        send(Command.START)(table, service)
        for phone in table.phones:
            phone.answer(question_id="001", number=4)
        service.rounds.command(table.game.game_id, Command.CLOSE)

    def make(world: World) -> Table:
        game = world.game(*SURVEY[:2], kind=EngagementType.SURVEY)
        return Table(world, game, world.join(game, *NAMES))

    for table in interleave(make, send(Command.START), start_and_close):
        (first, _) = table.world.service.game_store.list_rounds(table.game.game_id)
        assert first.tally == {"4": 3}


# Answers are acknowledged without another look at a state that nobody has begun to change.
def test_services_on_an_embedded_database_know_what_the_others_begin(memory: World) -> None:
    game = memory.game(CAPITAL)
    memory.play(game, Command.START)
    one, other = memory.open().context, memory.open()
    state = one.get_state(game.game_id)
    assert one.is_newest(state)
    other.rounds.command(game.game_id, Command.CLOSE)
    assert not one.is_newest(state)


def test_many_threads_answer_while_others_close(memory: World) -> None:
    game = memory.game(CAPITAL, LUNCH, settings=ACCURACY)
    phones = memory.join(game, *(f"Player {number}" for number in range(24)))
    logs = [PlayerLog(each.player_id, each.name) for each in phones]
    services = [memory.open() for _ in range(4)]
    version = memory.play(game, Command.START).version
    begin = threading.Barrier(8)

    def play(thread: int) -> None:
        service = services[thread % 4]
        begin.wait()
        for number, phone in enumerate(phones):
            if number % 7 == thread:
                sent = logs[number].answers["001"] = Sent(("b",))
                submission = Submission(
                    phone.player_id, "001", memory.clock(), choices=("b",), client_id="1"
                )
                try:
                    sent.outcome = service.answers.submit(game.game_id, submission).outcome
                except WrongPhase:
                    sent.outcome = "refused"
            if thread in (6, 7) and number % 5 == 0:
                service.rounds.command(game.game_id, Command.CLOSE, version=version)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(play, range(8)))
    state = memory.service.rounds.finish_due(game.game_id)
    assert (state.phase, state.scored) == (Phase.REVEAL, ["001"])
    assert check_game(memory.open(), game.game_id, logs) == []


# ------------------------------------------------------------------------------ whole games


class RandomGame:
    """A game with random hosts, phones, timers and power cuts, and a clock that is known."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = random.Random(seed)
        world.clock.tick = timedelta()
        questions = [CAPITAL, PRIMES, LESSON, LUNCH, CAPITAL]
        self.chance.shuffle(questions)
        self.questions = questions
        self.game = world.game(*questions)
        self.phones: list[Phone] = []
        self.logs: list[PlayerLog] = []
        self.ids: dict[tuple[str, str], str] = {}
        # When the question was opened, and how long the game was paused since.
        self.opened_at = self.paused_at = world.clock.now
        self.paused = 0.0
        self.phase, self.question_id = Phase.WAITING, ""
        for name in NAMES:
            self.join(name)

    @property
    def state(self) -> GameState:
        return self.world.service.context.get_state(self.game.game_id)

    def join(self, name: str) -> None:
        (phone,) = self.world.join(self.game, name)
        self.phones.append(phone)
        self.logs.append(PlayerLog(phone.player_id, name))

    def step(self, number: int) -> None:
        """Do something, perhaps with a power cut; then perhaps again by another process."""
        chance = self.chance
        if number == 12:
            self.join("Dee")
        self.world.clock.advance(seconds=chance.choice((0, 0.25, 1, 3)))
        action = chance.choice([self.send_answer, self.send_answer, self.send_vote, self.command])
        player = chance.randrange(len(self.phones))
        for _ in range(2):
            driver = InterruptedDriver(self.world.driver)
            service = self.world.open(driver)
            if chance.random() < 0.5:
                driver.crash_after(chance.randrange(16))
            try:
                action(service, player)
            except Crash:
                self.follow()
                if chance.random() < 0.7:
                    continue
            except AppError:
                pass
            break
        self.follow()
        if chance.random() < 0.5:
            self.world.service.rounds.finish_due(self.game.game_id)
            self.follow()

    def follow(self) -> None:
        """Note when the phase has changed. The clock stands, so this is exact."""
        state, now = self.state, self.world.clock.now
        if state.phase is Phase.OPEN and self.question_id != state.question_id:
            self.opened_at, self.paused, self.question_id = now, 0.0, state.question_id
        if state.phase is Phase.PAUSED is not self.phase:
            self.paused_at = now
        if self.phase is Phase.PAUSED is not state.phase:
            self.paused += (now - self.paused_at).total_seconds()
        self.phase = state.phase

    def send_answer(self, service: GamesService, player: int) -> None:
        """Answer the current question. A phone repeats its answer until it gets a response."""
        question_id, log = self.question_id or "001", self.logs[player]
        question = self.questions[int(question_id) - 1]
        sent = log.answers.get(question_id)
        if sent is None:
            if question.type is QuestionType.CALL_AND_ANSWER:
                sent = Sent(text=f"{log.name} says so")
            else:
                correct = question.correct or ("b",)
                sent = Sent(self.chance.choice([correct, ("a",)]))
            passed = (self.world.clock.now - self.opened_at).total_seconds() - self.paused
            sent.seconds = round(passed, 3)
            log.answers[question_id] = sent
        elif sent.is_acknowledged:
            return
        submission = Submission(
            log.player_id,
            question_id,
            self.world.clock.now,
            text=sent.text,
            choices=sent.choices,
            client_id=log.name,
        )
        stored = self.world.service.answers.find_answer(
            self.game.game_id, question_id, log.player_id
        )
        if stored is None:
            passed = (self.world.clock.now - self.opened_at).total_seconds() - self.paused
            sent.seconds = round(passed, 3)
        sent.outcome = service.answers.submit(self.game.game_id, submission).outcome

    def send_vote(self, service: GamesService, player: int) -> None:
        """Rank the answers that are offered."""
        entry = self.world.service.game_store.get_round(
            self.game.game_id, self.question_id or "001"
        )
        log = self.logs[player]
        if entry is None or not entry.ballot:
            return
        offered = tuple(service.game_store.offered_to(self.game, entry, log.player_id))
        sent = log.votes.get(entry.question_id)
        if sent is None or not sent.is_acknowledged:
            sent = log.votes[entry.question_id] = Sent(ranking=offered)
            receipt = service.answers.vote(
                self.game.game_id, log.player_id, entry.question_id, offered
            )
            sent.outcome = receipt.outcome

    def command(self, service: GamesService, player: int) -> None:
        """Go on, close, pause, skip, or very rarely end."""
        command = self.chance.choice(
            [*[Command.NEXT] * 4, *[Command.CLOSE] * 3, Command.PAUSE, Command.RESUME, Command.SKIP]
        )
        service.rounds.command(self.game.game_id, command, version=self.state.version)


@pytest.mark.parametrize("seed", range(3))
def test_random_games_with_power_cuts_come_to_the_right_points(memory: World, seed: int) -> None:
    game = RandomGame(memory, seed)
    for number in range(60):
        game.step(number)
        if game.phase is Phase.ENDED:
            break
    if game.phase is not Phase.ENDED:
        memory.play(game.game, Command.END)
    assert check_game(memory.open(), game.game.game_id, game.logs) == []
    assert game.state.scored


def test_answers_under_faults_are_stored_once(memory: World) -> None:
    driver = FaultyDriver(memory.driver)
    service = memory.open(driver)
    game = memory.game(CAPITAL, settings=ACCURACY)
    phones = memory.join(game, *(f"Player {number}" for number in range(60)))
    logs = [PlayerLog(each.player_id, each.name) for each in phones]
    memory.play(game, Command.START)
    faults = Faults(
        throttle=0.05,
        internal_after=0.2,
        conflict=0.2,
        unprocessed=0.3,
        seed=2,
    )
    sent = [
        Submission(each.player_id, "001", memory.clock(), choices=("b",), client_id=new_id())
        for each in phones
    ]
    with driver.inject(faults):
        for _ in range(3):
            results = service.answers.submit_many([(game.game_id, each) for each in sent])
            for log, result in zip(logs, results, strict=True):
                assert not isinstance(result, AppError)
                log.answers["001"] = Sent(("b",), outcome=result.outcome)
        service.rounds.command(game.game_id, Command.CLOSE)
    assert check_game(memory.open(), game.game_id, logs) == []

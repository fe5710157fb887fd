"""The games drill in short, and the faults that it must detect."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from drills.games import run_drill
from drills.games_oracle import PlayerLog, Sent, check_game, places, trivia_points, vote_points
from singletable import Engine
from singletable_apps.games.entities import Answer, Game, ResultPart
from singletable_apps.games.phases import Command
from tests.apps.games.support.world import CAPITAL, LESSON, LUNCH, SETTINGS, Phone, World


def test_killed_server_and_cut_connections_lose_no_answer(tmp_path: Path) -> None:
    result = asyncio.run(run_drill(tmp_path, [12], seed=1, kills=1, within=0.2))
    assert result.faults == []
    assert result.kills == 1
    # The third of five questions is closed while players answer.
    assert result.answers >= 4 * 12
    assert result.votes == 12
    assert result.timings.reconnects


# The examples of the documents.
def test_oracle_gives_the_points_of_the_documents() -> None:
    assert [trivia_points("b", "b", seconds, 20) for seconds in (0.4, 0.5, 10, 20, 22)] == [
        *(1000, 988, 750, 500, 500)
    ]
    assert trivia_points("a", "ab", 0, 20) == 0
    ballots = {"x": ["0", "2", "1"], "y": ["1", "0", "2"]}
    assert vote_points({each: [each] for each in "012"}, ballots) == {"0": 5, "1": 4, "2": 3}
    shared = places({"Joe": (5, 0.0), "Sam": (5, 0.0), "Sue": (3, 0.0)})
    assert shared == {"Joe": 1, "Sam": 1, "Sue": 3}


@pytest.fixture
def played() -> tuple[World, Game, list[PlayerLog]]:
    """Return a game of three questions, and the messages its players received."""
    world = World(Engine.in_memory())
    game = world.game(CAPITAL, LESSON, LUNCH, settings=replace(SETTINGS, trivia_mode="accuracy"))
    phones = world.join(game, "Ada", "Bob", "Cy")
    logs = [PlayerLog(each.player_id, each.name) for each in phones]
    world.play(game, Command.START)
    for phone, log, choice in zip(phones, logs, "bac", strict=True):
        _answer(phone, log, "001", Sent((choice,)))
    world.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    for phone, log in zip(phones, logs, strict=True):
        _answer(phone, log, "002", Sent(text=f"{phone.name} was late"))
    world.play(game, Command.CLOSE)
    snapshot = world.service.snapshots.read(game.game_id)
    for phone, log in zip(phones, logs, strict=True):
        mine = world.service.snapshots.player_view(snapshot, phone.player_id)
        ranking = tuple(each["id"] for each in mine["ballot"])
        log.votes["002"] = Sent(ranking=ranking, outcome=phone.vote(*ranking).outcome)
    world.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    _answer(phones[0], logs[0], "003", Sent(("a",)))
    world.play(game, Command.CLOSE, Command.END)
    return world, game, logs


def _answer(phone: Phone, log: PlayerLog, question_id: str, sent: Sent) -> None:
    sent.outcome = phone.answer(*sent.choices, text=sent.text).outcome
    log.answers[question_id] = sent


def _lose(world: World, game: Game, logs: list[PlayerLog]) -> None:
    world.service.context.store.delete(Answer.key(game.game_id, "001", logs[0].player_id))


def _exchange(world: World, game: Game, logs: list[PlayerLog]) -> None:
    key = Answer.key(game.game_id, "001", logs[1].player_id)
    world.service.context.store.update(key, Answer.choices.set(("b",)))


def _score_again(world: World, game: Game, logs: list[PlayerLog]) -> None:
    entry = world.service.game_store.get_round(game.game_id, "002")
    assert entry is not None
    key = ResultPart.key(game.game_id, "002", entry.result, 0)
    (first, *others) = world.service.game_store.get_result(entry)
    doubled = replace(first, total=first.total + first.points)
    world.service.context.store.update(key, ResultPart.standings.set([doubled, *others]))


def _forget_vote(world: World, game: Game, logs: list[PlayerLog]) -> None:
    del logs[0].votes["002"]


def _promise(world: World, game: Game, logs: list[PlayerLog]) -> None:
    logs[1].answers["003"] = Sent(("a",), outcome="accepted")


def _invent(world: World, game: Game, logs: list[PlayerLog]) -> None:
    del logs[2].answers["001"]


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (_lose, "the answer of Ada is lost"),
        (_exchange, "is stored"),
        (_score_again, "points, not"),
        (_forget_vote, "2 votes were acknowledged, 3 counted"),
        (_promise, "the tally is"),
        (_invent, "who sent none"),
    ],
)
def test_fault_is_detected(
    played: tuple[World, Game, list[PlayerLog]],
    fault: Callable[[World, Game, list[PlayerLog]], None],
    text: str,
) -> None:
    world, game, logs = played
    assert check_game(world.service, game.game_id, logs) == []
    fault(world, game, logs)
    faults = check_game(world.open(), game.game_id, logs)
    assert any(text in each for each in faults), faults

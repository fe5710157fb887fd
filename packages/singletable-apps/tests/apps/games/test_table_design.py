"""The table: documented items, attribute names, patterns and TTLs, on every driver."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from singletable import GetItem, Item, PutItem, Query, Scan, Store
from singletable_apps.games import patterns
from singletable_apps.games.entities import (
    ANSWER_SHARDS,
    GameSettings,
    Homework,
    HostAbsence,
    Leaderboard,
    engagements,
)
from singletable_apps.games.patterns import patterns as catalog
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import SetDraft
from singletable_apps.games.scoring import Partial, RankMethod
from singletable_apps.games.service import players, table_name
from singletable_apps.games.service.games import draft_from_set
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, World

# The attributes of the document, by the sort key of the item. Where a name is part of a key there,
# it is an id here; see docs/corrections.md.
DOCUMENTED = {
    "METADATA": "GameId Title EngagementType CreatedAt CreatedBy QuestionSetId AiContext DebugMode "
    "LastActivityAt TTL",
    "STATE": "CurrentState CurrentQuestionId CurrentQuestionIndex QuestionStartedAt "
    "PlayedQuestions ScoredQuestions UpdatedAt TTL",
    "PLAYER": "PlayerName JoinedAt LastSeenAt TotalScore CurrentRank IsActive TTL",
    "QUESTION": "QuestionId SourceQuestionRef SetId Category StartedAt CompletedAt TTL",
    "ANSWER": "QuestionId PlayerName Answer SubmittedAt WordCount TTL",
    "VOTE": "QuestionId VoterName Votes SubmittedAt TTL",
    "GAME": "GameId Title EngagementType CreatedAt CompletedAt PlayerCount QuestionCount Duration",
}


def all_items(world: World) -> list[Item]:
    return world.driver.execute(Scan(table_name("dev"))).items


def played(world: World) -> str:
    game = world.game(LESSON, CAPITAL)
    ada, bob, cy = world.join(game, "Ada", "Bob", "Cy")
    world.play(game, Command.START)
    for phone in (ada, bob, cy):
        phone.answer(text=f"{phone.name} says so")
    world.play(game, Command.CLOSE)
    ballot = world.service.snapshots.read(game.game_id).ballot
    ada.vote(*(each.id for each in ballot if ada.player_id not in each.players))
    world.play_to(game, Phase.ENDED)
    return game.game_id


# An item as it was stored in November 2026, when `takes_questions` was new.
STORED_GAME = """
{"GameId": {"S": "01m6a6ft00p39yx9dhm1y1jp0f"}, "Title": {"S": "T"},
 "EngagementType": {"S": "mixed"},
 "CreatedBy": {"S": "h"}, "QuestionSetId": {"S": ""}, "JoinCode": {"S": "494477"},
 "Settings": {"M": {"reading_seconds": {"N": "9"}, "speed_floor": {"N": "0.25"},
  "leaderboard": {"S": "end"}, "trivia_mode": {"S": "speed"}, "partial": {"S": "per-option"},
  "rank_method": {"S": "irv"}, "deny_words": {"L": []}, "teams": {"L": [{"S": "Red"}]},
  "late_join": {"BOOL": false}, "host_absence": {"S": "end"}}},
 "Homework": {"M": {"due_at": {"S": "2026-11-05T00:00:00.000000Z"}, "attempts": {"N": "3"},
  "answers_shown": {"S": "closed"}, "seconds": {"N": "20"}, "names": {"L": [{"S": "Ada"}]},
  "left_out": {"N": "2"}}},
 "LastActivityAt": {"S": "2026-11-01T00:00:00.000000Z"}, "TTL": {"N": "9999884800"},
 "CreatedAt": {"S": "2026-11-01T00:00:00.000000Z"}, "Revision": {"N": "1"},
 "EntityType": {"S": "Game"}, "PK": {"S": "GAME#01m6a6ft00p39yx9dhm1y1jp0f"},
 "SK": {"S": "METADATA"}}
"""


def test_stored_games_keep_their_settings(memory: World) -> None:
    memory.driver.execute(PutItem(table_name("dev"), json.loads(STORED_GAME)))
    game = memory.service.context.get_game("01m6a6ft00p39yx9dhm1y1jp0f")
    assert game.settings == GameSettings(
        reading_seconds=9,
        speed_floor=0.25,
        leaderboard=Leaderboard.END,
        partial=Partial.PER_OPTION,
        rank_method=RankMethod.IRV,
        teams=("Red",),
        late_join=False,
        host_absence=HostAbsence.END,
    )
    due_at = datetime(2026, 11, 5, tzinfo=UTC)
    assert game.homework == Homework(due_at, 3, "closed", 20, ("Ada",), left_out=2)


def test_items_have_the_documented_attributes(world: World) -> None:
    game_id = played(world)
    found = dict[str, Item]()
    for item in all_items(world):
        kind = item["SK"]["S"].partition("#")[0]
        if item["PK"]["S"].startswith(f"GAME#{game_id}") or item["PK"]["S"] == "GAMES":
            found.setdefault(kind, {}).update(item)
    for kind, names in DOCUMENTED.items():
        assert {*names.split()} - {*found[kind]} == set(), kind


def test_sets_have_the_documented_attributes_and_never_expire(memory: World) -> None:
    memory.service.sets.create(HOST, SetDraft("Quiz", questions=(CAPITAL,)), "quiz.csv")
    names = {
        "SET": "SetId Name Description TotalQuestions Categories CreatedAt CreatedBy IsActive "
        "CustomInstructions SourceFile",
        "QUESTION": "QuestionId Title Detail Category CategoryId School OrderInCategory "
        "CustomInstruction CreatedAt",
    }
    found = {item["SK"]["S"].partition("#")[0]: item for item in all_items(memory)}
    for kind, expected in names.items():
        assert {*expected.split()} <= {*found[kind]}, kind
    assert not any("TTL" in item for item in found.values())


def test_table_is_named_for_its_environment(memory: World) -> None:
    assert engagements.name == table_name("dev") == "engagements-dev-table"


# The document gives rows TTLs of their own, so that METADATA could vanish while STATE lives.
def test_whole_game_expires_at_once(memory: World) -> None:
    game_id = played(memory)
    created = memory.service.context.get_game(game_id)
    partitions = {f"GAME#{game_id}", *(f"GAME#{game_id}#{shard}" for shard in range(8))}
    expiries = {item["TTL"]["N"] for item in all_items(memory) if item["PK"]["S"] in partitions}
    assert expiries == {str(int(created.expires_at.timestamp()))}
    assert created.expires_at - created.created_at < timedelta(days=14, seconds=1)


# A partition takes 1,000 write units a second.
def test_answers_are_spread_over_partitions(memory: World, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = count(10**15)
    monkeypatch.setattr(players, "new_id", lambda: str(next(numbers)))
    game = memory.game(CAPITAL)
    phones = memory.join(game, *(f"Player {number}" for number in range(60)))
    memory.play(game, Command.START)
    for phone in phones:
        phone.answer("b")
    partitions = {
        item["PK"]["S"] for item in all_items(memory) if item["SK"]["S"].startswith("ANSWER#")
    }
    assert len(partitions) == ANSWER_SHARDS
    assert len(memory.service.game_store.list_answers(game.game_id, "001")) == 60


def operations_of(world: World, action: Callable[[Store], object]) -> list[str]:
    """Run an action and return the operations that it sent."""
    world.calls.clear()
    action(world.service.context.store)
    found: list[str] = []
    for call in world.calls:
        for request in call.requests:
            match request.operation:
                case GetItem(key=key):
                    found.append(f"{key['PK']['S']} {key['SK']['S']}")
                case Query(expression_attribute_values=values, index_name=index):
                    keys = " ".join(each["S"] for each in (values or {}).values() if "S" in each)
                    found.append(f"{index} {keys}" if index else keys)
                case other:
                    found.append(type(other).__name__)
    return found


@pytest.mark.parametrize(
    ("code", "read", "expected"),
    [
        ("AP1", lambda s: s.get(patterns.game_state("g1"), consistent=True), ["GAME#g1 STATE"]),
        ("AP2", lambda s: s.get(patterns.game_metadata("g1")), ["GAME#g1 METADATA"]),
        ("AP3", lambda s: list(s.query(patterns.all_players("g1"))), ["GAME#g1 PLAYER#"]),
        (
            "AP4",
            lambda s: list(s.query(patterns.question_answers("g1", "001"))),
            [f"GAME#g1#{shard} ANSWER#001#" for shard in range(ANSWER_SHARDS)],
        ),
        (
            "AP5",
            lambda s: list(s.query(patterns.question_votes("g1", "001"))),
            [f"GAME#g1#{shard} VOTE#001#" for shard in range(ANSWER_SHARDS)],
        ),
        ("AP6", lambda s: list(s.query(patterns.all_sets())), ["SETS SET#"]),
        (
            "AP7",
            lambda s: list(s.query(patterns.set_questions("s1", 3, "a1"))),
            ["SET#s1 QUESTION#0003#a1#"],
        ),
    ],
)
def test_documented_pattern_reads_the_documented_key(
    world: World, code: str, read: Callable[[Store], object], expected: list[str]
) -> None:
    assert code in catalog.patterns
    assert operations_of(world, read) == expected


def test_history_is_a_query_newest_first(world: World) -> None:
    first = world.game()
    world.clock.advance(seconds=1)
    second = world.game()
    world.calls.clear()
    entries = world.service.rounds.list_of_host(first.created_by).items
    assert [each.game_id for each in entries] == [second.game_id, first.game_id]
    assert [each.game_id for each in world.service.games.list_all().items] == [
        second.game_id,
        first.game_id,
    ]
    assert not any(
        isinstance(request.operation, Scan) for call in world.calls for request in call.requests
    )


def test_running_game_does_not_see_an_edit(memory: World) -> None:
    service = memory.service
    item = service.sets.create(HOST, SetDraft("Places", questions=(CAPITAL,)))
    loaded = service.sets.load_for_game(item.set_id, HOST)
    draft = draft_from_set(loaded.draft, item.set_id, loaded.item.set_version)
    game = service.games.create(HOST, draft)
    edited = replace(loaded.draft, questions=(replace(CAPITAL, title="And of Peru?"),))
    service.sets.save(HOST, item.set_id, edited)
    assert service.sets.load_for_game(item.set_id, HOST).draft.questions[0].title == "And of Peru?"
    other = memory.open()
    assert other.context.get_questions(game)[0].title == CAPITAL.title

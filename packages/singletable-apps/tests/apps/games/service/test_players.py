"""Players: names, teams, removal, and rooms that are locked, private or full."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import Transaction
from singletable_apps.games.entities import GameSettings
from singletable_apps.games.errors import AlreadyExists, InvalidInput, RoomClosed
from singletable_apps.games.names import is_generated
from singletable_apps.games.phases import Command
from singletable_apps.games.service.players import balance_teams
from singletable_apps.games.views import leaderboard_view
from tests.apps.games.support.world import CAPITAL, PRIMES, SETTINGS, World

TEAMS = replace(SETTINGS, teams=("Red", "Blue", "Green"))
# What people, and machines, type as names. Whatever it is, it is a name or a sentence.
ODD_NAMES = [
    "<script>alert(1)</script>",
    "<img src=x onerror=1>",
    "{{7*7}}",
    "'; DROP TABLE--",
    "a#b",
    "GAME#1",
    "\u202eadA",
    "\x00",
    "\ud800",
    "Z̸͓͚̈́͝a̵̺͒l̷̪̿g̶̲̿o̷͎̎",
    "👩‍👩‍👧‍👦",
    "ﷺ",
    "   ",
    "\n\n",
    "x" * 10_000,
    "null",
    "-1",
    "../../etc/passwd",
    "Robert\tTables",
    "\u2066hidden\u2069",
    "İstanbul",
    "ﬃ",
    "𝕬𝖉𝖆",
]


def test_names_that_look_alike_are_taken_once(memory: World) -> None:
    game = memory.game()
    memory.join(game, "Ada")
    for name in ("ada", "Аda", "A\u200bda"):
        with pytest.raises(AlreadyExists) as caught:
            memory.service.players.join(game.game_id, name)
        assert len(caught.value.suggestions) == 3
    memory.join(game, *caught.value.suggestions)


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_names_or_rejected(memory: World, name: str) -> None:
    game = memory.game()
    try:
        joined = memory.service.players.join(game.game_id, name)
    except InvalidInput:
        assert memory.service.game_store.list_players(game.game_id) == []
    else:
        assert joined.player.name
        assert memory.service.game_store.list_players(game.game_id) == [joined.player]


def test_host_renames_a_player(memory: World) -> None:
    players = memory.service.players
    game = memory.game()
    ada, bob = memory.join(game, "Ada", "Bob")
    with pytest.raises(AlreadyExists):
        players.rename(game.game_id, ada.player_id, "BOB")
    players.rename(game.game_id, ada.player_id, "Ada L")
    assert players.rename(game.game_id, bob.player_id, "Ada").name == "Ada"
    # The same letters in another case need no other name.
    assert players.rename(game.game_id, bob.player_id, "ADA").name == "ADA"
    memory.join(game, "Bob")


def test_removed_player_has_no_seat_and_no_place(memory: World) -> None:
    game = memory.game(CAPITAL, PRIMES)
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer("b")
    memory.play(game, Command.CLOSE)
    players, context = memory.service.players, memory.service.context
    players.remove(game.game_id, ada.player_id)
    with pytest.raises(RoomClosed):
        context.read_seat(ada.token, game.game_id)
    with pytest.raises(AlreadyExists):
        players.join(game.game_id, "Ada")
    memory.play(game, Command.NEXT, Command.NEXT)
    bob.answer("a", "c")
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Bob": 1000}


def test_generated_names_are_drawn_without_collisions(memory: World) -> None:
    game = memory.game(settings=replace(SETTINGS, generated_names=True))
    names = [memory.service.players.join(game.game_id).player.name for _ in range(60)]
    assert len({*names}) == 60
    assert all(map(is_generated, names))
    offered = memory.service.players.suggest_names(game)
    assert len(offered) == 3
    assert memory.service.players.join(game.game_id, offered[1]).player.name == offered[1]
    with pytest.raises(InvalidInput):
        memory.service.players.join(game.game_id, "Ada")


def test_players_without_a_team_are_balanced(memory: World) -> None:
    game = memory.game(settings=TEAMS)
    for number in range(8):
        memory.service.players.join(game.game_id, f"Player {number}")
    teams = Counter(each.team for each in memory.service.game_store.list_players(game.game_id))
    assert sorted(teams.values()) == [2, 3, 3]
    assert memory.service.players.join(game.game_id, "Ada", team=" red ").player.team == "Red"
    with pytest.raises(InvalidInput):
        memory.service.players.join(game.game_id, "Bob", team="Pink")


def test_players_who_join_at_once_get_into_different_teams(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, players = memory.game(settings=TEAMS), memory.service.players
    store = memory.service.context.store
    begin = store.transaction

    def begin_late() -> AbstractContextManager[Transaction]:
        monkeypatch.undo()
        players.join(game.game_id, "Bob")
        return begin()

    monkeypatch.setattr(store, "transaction", begin_late)
    players.join(game.game_id, "Ada")
    assert len({each.team for each in memory.service.game_store.list_players(game.game_id)}) == 2


def test_teams_with_equal_points_share_a_place(memory: World) -> None:
    game = memory.game(settings=TEAMS)
    memory.join(game, "Ada", "Bob", "Cyd")
    teams = leaderboard_view(memory.service.snapshots.read(game.game_id))["teams"]
    assert [each["place"] for each in teams] == [1, 1, 1]


def test_places_and_teams_close_up_when_a_player_is_removed(memory: World) -> None:
    game = memory.game(CAPITAL, settings=TEAMS)
    ada, bob, _ = memory.join(game, "Ada", "Bob", "Cyd")
    memory.play(game, Command.START)
    ada.answer("b")
    memory.clock.advance(seconds=5)
    bob.answer("b")
    memory.play(game, Command.CLOSE)
    memory.service.players.remove(game.game_id, ada.player_id)
    board = leaderboard_view(memory.service.snapshots.read(game.game_id))
    assert [(each["name"], each["place"]) for each in board["top"]] == [("Bob", 1), ("Cyd", 2)]
    report = memory.service.reports.read(game.game_id)
    assert report.champions == ["Bob"]
    assert len(report.teams) == len(board["teams"]) == 2


def test_host_balances_teams(memory: World) -> None:
    game = memory.game(settings=TEAMS)
    players = memory.service.players
    for number in range(9):
        players.join(game.game_id, f"Player {number}", team="Red" if number < 6 else "Blue")
    assert players.balance_teams(game.game_id) == 3
    assert players.balance_teams(game.game_id) == 0
    teams = Counter(each.team for each in memory.service.game_store.list_players(game.game_id))
    assert teams == {"Red": 3, "Green": 3, "Blue": 3}
    with pytest.raises(InvalidInput):
        players.balance_teams(memory.game().game_id)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.dictionaries(st.text("abc", max_size=4), st.sampled_from(["", "Red", "Blue", "Old"])),
    st.sampled_from([("Red",), ("Red", "Blue"), ("Blue", "Green", "Red")]),
)
def test_balanced_teams_differ_by_one_player_at_most(
    members: dict[str, str], teams: tuple[str, ...]
) -> None:
    moves = balance_teams(members, teams)
    after = Counter(dict.fromkeys(teams, 0)) + Counter({**members, **moves}.values())
    sizes = [after[team] for team in teams]
    assert sum(sizes) == len(members)
    assert max(sizes) - min(sizes) <= 1
    before = Counter(members.values())
    least, more = divmod(len(members), len(teams))
    kept = sorted((before[team] for team in teams), reverse=True)
    needed = sum(max(0, size - least - (place < more)) for place, size in enumerate(kept))
    assert len(moves) == needed + sum(team not in teams for team in members.values())


def test_room_is_full_locked_or_private(memory: World) -> None:
    service = memory.service
    full = memory.game(settings=GameSettings(max_players=2))
    memory.join(full, "Ada", "Bob")
    with pytest.raises(RoomClosed):
        service.players.join(full.game_id, "Cy")
    game = memory.game(access_code="Süden 7")
    for code in ("", "Norden", "suden 7", "\ud800"):
        with pytest.raises(InvalidInput) as caught:
            service.players.join(game.game_id, "Ada", access_code=code)
        assert caught.value.errors.keys() == {"access_code"}
    service.players.join(game.game_id, "Ada", access_code=" SÜDEN 7 ")
    service.games.edit(game.game_id, is_locked=True)
    with pytest.raises(RoomClosed):
        service.players.join(game.game_id, "Bob", access_code="Süden 7")


def test_players_stay_for_the_next_game(memory: World) -> None:
    service = memory.service
    game = memory.game(CAPITAL, settings=replace(SETTINGS, teams=("Owls", "Foxes")))
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.END)
    after = service.games.play_again(service.context.get_game(game.game_id))
    again = service.context.get_game(game.game_id)
    assert again.next_game == after.game_id
    assert service.games.play_again(again).game_id == after.game_id
    assert service.context.get_questions(after) == (CAPITAL,)
    joined = service.players.follow(again, ada.player_id)
    assert (joined.player.name, joined.player.player_id) == ("Ada", ada.player_id)
    assert joined.player.team == service.context.get_player(game.game_id, ada.player_id).team
    assert service.players.follow(again, ada.player_id).player == joined.player
    # Someone else was faster with this name.
    service.players.join(after.game_id, "Bob")
    with pytest.raises(AlreadyExists):
        service.players.follow(again, bob.player_id)

"""Teams: save, change and delete them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.skills.entities import Role, Team, User
from singletable_apps.skills.service.teams import MAX_MEMBERS
from tests.apps.skills.support.world import World


def fill(world: World) -> tuple[User, User, User]:
    world.fill({"ada": {}, "Bob": {}, "mia": {}, "joan": {}}, roles={"mia": Role.MANAGER})
    return world.user("ada"), world.user("bob"), world.user("mia")


def test_team_is_saved_shown_and_changed(memory: World) -> None:
    ada, _, mia = fill(memory)
    teams = memory.service.teams
    team = teams.create(ada, " Gophers ", ["BOB", "ada", "bob"])
    assert (team.name, team.members, team.created_by) == ("Gophers", ["Bob", "ada"], "ada")
    assert teams.add(mia, team.team_id, "joan").members == ["Bob", "ada", "joan"]
    assert teams.add(mia, team.team_id, "JOAN").members == ["Bob", "ada", "joan"]
    assert teams.remove(ada, team.team_id, "bob").members == ["ada", "joan"]
    assert teams.edit(ada, team.team_id, name="Best", members=["mia"]).members == ["mia"]
    other = teams.create(mia, "Alone", [])
    assert [each.name for each in teams.page(10).items] == ["Alone", "Best", "mia"]
    assert teams.delete(ada, team.team_id).name == "Best"
    assert [each.team_id for each in teams.page(10).items] == [other.team_id, "mia"]
    with pytest.raises(NotFound):
        teams.get(team.team_id)


def test_invalid_teams_name_the_fields(memory: World) -> None:
    ada, _, _ = fill(memory)
    teams = memory.service.teams
    with pytest.raises(InvalidInput) as rejected:
        teams.create(ada, "\x00", ["ada", "nobody#1", "🦀"])
    assert {*rejected.value.errors} == {"name", "members"}
    with pytest.raises(InvalidInput, match="at most 100 members"):
        teams.create(ada, "All", [f"user{number}" for number in range(MAX_MEMBERS + 1)])
    full = teams.create(ada, "Me", [])
    memory.service.context.store.update(
        Team.key(full.team_id), Team.members.set([f"user{number}" for number in range(100)])
    )
    with pytest.raises(InvalidInput, match="at most 100 members"):
        teams.add(ada, full.team_id, "bob")
    with pytest.raises(InvalidInput, match="no person “nobody”"):
        teams.add(ada, teams.create(ada, "Me", []).team_id, "nobody")
    for unknown in ("", "none", "🦀" * 1000, "a#b"):
        with pytest.raises(NotFound):
            teams.get(unknown)


def test_deleted_people_can_be_removed(memory: World) -> None:
    ada, _, _ = fill(memory)
    teams = memory.service.teams
    team = teams.create(ada, "Gophers", ["ada", "bob"])
    memory.service.context.store.delete(User.key("bob"))
    memory.calls.clear()
    assert teams.add(ada, team.team_id, "joan").members == ["ada", "Bob", "joan"]
    assert teams.remove(ada, team.team_id, "bob").members == ["ada", "joan"]


def test_concurrent_changes_keep_all_members(worlds: tuple[World, World]) -> None:
    one, other = worlds
    ada, _, mia = fill(one)
    team = one.service.teams.create(ada, "Gophers", [])
    with ThreadPoolExecutor(2) as pool:
        added = [
            pool.submit(one.service.teams.add, ada, team.team_id, "joan"),
            pool.submit(other.service.teams.add, mia, team.team_id, "bob"),
        ]
        [each.result() for each in added]
    assert {*one.service.teams.get(team.team_id, consistent=True).members} == {"joan", "Bob"}

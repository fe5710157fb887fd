"""Reporting lines, and ratings by people and their managers side by side."""

from __future__ import annotations

import pytest

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import Level, Rating, Role, Source, Team, User
from singletable_apps.skills.rules import SkillDraft, find_reach, pair_ratings
from tests.apps.skills.support.recount import check_counts
from tests.apps.skills.support.world import World

EXPERT = SkillDraft(Level.EXPERT, years=5)


@pytest.mark.parametrize(
    ("role", "people"),
    [(Role.USER, {"mia"}), (Role.MANAGER, {"mia", "bob", "joan", "zoe"}), (Role.ADMIN, None)],
)
def test_reach_follows_the_reporting_lines(role: Role, people: set[str] | None) -> None:
    lines = {"Mia": ["Bob", "Joan"], "joan": ["zoe", "mia"], "other": ["ada"], "": ["eve"]}
    teams = [
        Team(team_id=name, name=name, members=members, created_by="mia", manager=name)
        for name, members in lines.items()
    ]
    reach = find_reach(User(username="mia", user_id=1, name="Mia", role=role), teams)
    assert reach.people == (None if people is None else frozenset(people))


@pytest.fixture
def lines(memory: World) -> World:
    """Return a directory in which Mia manages Ada, and nobody manages Bob."""
    roles = {"mia": Role.MANAGER, "root": Role.ADMIN}
    memory.fill(
        {"ada": {"Go": "Beginner"}, "bob": {"Go": "Beginner"}, "mia": {}, "root": {}}, roles=roles
    )
    team = Team.key("mia")
    memory.service.context.store.update(team, Team.members.set(["ada"]))
    memory.calls.clear()
    return memory


def test_managers_rate_their_people_only(lines: World) -> None:
    skills, mia = lines.service.user_skills, lines.user("mia")
    assert skills.edit(mia, "ada", "Go", EXPERT).rated_by == "mia"
    with pytest.raises(NotPermitted, match="members of your teams"):
        skills.edit(mia, "bob", "Go", EXPERT)
    with pytest.raises(NotPermitted, match="members of your teams"):
        skills.rate(mia, "bob", "go", None, 0)
    assert skills.edit(lines.user("root"), "bob", "Go", EXPERT).rated_by == "root"


def test_only_administrators_change_reporting_lines(lines: World) -> None:
    teams, mia, root = lines.service.teams, lines.user("mia"), lines.user("root")
    with pytest.raises(NotPermitted):
        teams.add(mia, "mia", "bob")
    own = teams.create(mia, "Mine", ["bob"])
    with pytest.raises(NotPermitted):
        teams.edit(mia, own.team_id, manager="mia")
    with pytest.raises(InvalidInput) as rejected:
        teams.edit(root, own.team_id, manager="bob")
    assert {*rejected.value.errors} == {"manager"}
    assert teams.edit(root, own.team_id, manager="MIA").manager == "mia"
    assert "bob" in lines.service.context.reach(mia)


def test_ratings_are_kept_and_paired(lines: World) -> None:
    skills, ada, mia = lines.service.user_skills, lines.user("ada"), lines.user("mia")
    lines.clock.advance(days=1)
    skills.edit(mia, "ada", "Go", EXPERT)
    lines.clock.advance(days=1)
    link = "https://example.org/proof"
    skills.edit(ada, "ada", "Go", SkillDraft(Level.ADVANCED, 5, evidence=link))
    skills.edit(ada, "ada", "Go", SkillDraft(Level.ADVANCED, 5, notes="Only a note."))
    ratings = skills.ratings(ada)
    # The first one was never written by itself: it is what was there before.
    assert [(each.level, each.source, each.author) for each in ratings] == [
        (Level.BEGINNER, Source.SELF, "ada"),
        (Level.EXPERT, Source.MANAGER, "mia"),
        (Level.ADVANCED, Source.SELF, "ada"),
    ]
    assert ratings[-1].evidence == link
    assert pair_ratings(ratings) == {"go": (ratings[2], ratings[1])}
    assert skills.get("ada", "go").level is Level.ADVANCED


def test_person_is_told_at_most_every_quarter_of_an_hour(lines: World) -> None:
    skills, mia = lines.service.user_skills, lines.user("mia")
    for wait in (0, 1, 20):
        lines.clock.advance(minutes=wait)
        skills.edit(mia, "ada", "Go", EXPERT)
    skills.edit(lines.user("ada"), "ada", "Go", SkillDraft(Level.ADVANCED))
    assert [email.to for email in lines.mailbox.emails] == ["ada@example.org"] * 2
    assert "Mia rated your skill Go: Expert" in lines.mailbox.emails[0].text


def test_cell_adds_changes_and_clears_a_skill(lines: World) -> None:
    skills, ada = lines.service.user_skills, lines.user("ada")
    skills.rate(ada, "ada", "go", None, 0)
    assert skills.find("ada", "go") is None
    added = skills.rate(ada, "ada", "go", Level.BEGINNER, 1)
    assert added is not None
    changed = skills.rate(ada, "ada", "go", Level.EXPERT, 2)
    assert changed is not None
    assert (changed.level, changed.years, changed.last_used) == (Level.EXPERT, 2, added.last_used)
    lines.service.endorsements.endorse(lines.user("bob"), "ada", "go")
    with pytest.raises(InvalidInput, match="endorse"):
        skills.rate(ada, "ada", "go", None, 0)


def test_cell_with_a_rating_by_someone_else_is_not_cleared(lines: World) -> None:
    skills, ada, mia = lines.service.user_skills, lines.user("ada"), lines.user("mia")
    with pytest.raises(InvalidInput, match="Others have rated"):
        skills.rate(mia, "ada", "go", None, 0)
    skills.edit(mia, "ada", "Go", EXPERT)
    for actor in (ada, mia):
        with pytest.raises(InvalidInput, match="Others have rated"):
            skills.rate(actor, "ada", "go", None, 0)
    skills.rate(mia, "mia", "go", Level.BEGINNER, 1)
    lines.clock.advance(days=9)
    removed = skills.rate(mia, "mia", "go", None, 0)
    assert removed is not None
    back = skills.rate(mia, "mia", "go", removed.level, removed.years, removed.last_used)
    assert back is not None
    assert back.last_used == removed.last_used < lines.clock().date()


def test_person_is_told_of_a_removal(lines: World) -> None:
    skills, mia = lines.service.user_skills, lines.user("mia")
    skills.add(mia, "mia", "Go", EXPERT)
    skills.remove(mia, "mia", "Go")
    skills.remove(mia, "ada", "Go")
    [email] = lines.mailbox.emails
    assert (email.to, email.subject) == ("ada@example.org", "Mia removed Go")


def test_ratings_stay_with_a_new_username_and_end_with_the_account(lines: World) -> None:
    service, ada = lines.service, lines.user("ada")
    service.user_skills.edit(ada, "ada", "Go", EXPERT)
    renamed = service.people.rename(ada, "ada", "countess")
    assert len(service.user_skills.ratings(renamed)) == 2
    lines.clock.advance(minutes=1)
    service.accounts.remove(lines.user("countess"), "countess")
    assert not list(service.context.store.query(Rating.key.partition(ada.user_id)))


def test_rating_is_taken_back_by_its_author_as_if_it_had_not_been(lines: World) -> None:
    skills, ada, mia = lines.service.user_skills, lines.user("ada"), lines.user("mia")
    lines.clock.advance(days=1)
    skills.rate(mia, "ada", "go", Level.EXPERT, 2)
    with pytest.raises(InvalidInput):
        skills.take_back(ada, "ada", "go")
    back = skills.take_back(mia, "ada", "go")
    assert (back.level, back.years) == (Level.BEGINNER, 0)
    assert (back.source, back.rated_by) == (Source.SELF, "")
    assert [each.author for each in skills.ratings(ada)] == ["ada"]
    with pytest.raises(InvalidInput):
        skills.take_back(mia, "ada", "go")
    check_counts(lines)

"""Rating rounds: who takes part, who has finished, who is asked, and what has changed."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.skills.entities import (
    Certification,
    JobRole,
    Level,
    Role,
    Round,
    Source,
    Team,
    User,
)
from singletable_apps.skills.round_rules import count_progress, ends_at
from singletable_apps.skills.rules import Reach
from tests.apps.skills.support.world import World


@pytest.fixture
def lines(memory: World) -> World:
    """Return a directory in which Mia manages Ada and Bob, and nobody manages Joan."""
    people = {"ada": {"Go": "Beginner"}, "bob": {"Go": "Expert"}, "joan": {}, "mia": {}, "root": {}}
    memory.fill(people, roles={"mia": Role.MANAGER, "root": Role.ADMIN})
    store = memory.service.context.store
    store.update(Team.key("mia"), Team.members.set(["ada", "bob"]))
    store.put(JobRole(role_id="dev", name="Dev", targets={"go": Level.ADVANCED}))
    store.update(User.key("ada"), User.job_role.set("dev"))
    memory.calls.clear()
    return memory


def open_round(lines: World, name: str = "Autumn", teams: tuple[str, ...] = ()) -> Round:
    closes_on = lines.clock().date() + timedelta(days=10)
    return lines.service.rounds.open(lines.user("root"), name, closes_on, teams)


def mailed(lines: World) -> dict[str, str]:
    """Send what is due. Return the texts by the name of the recipient, without new ratings."""
    lines.server.emails.clear()
    emails = [each for each in lines.mailbox.emails if " rated " not in each.subject]
    return {each.to.partition("@")[0]: each.text for each in emails}


def test_people_and_managers_are_asked_until_they_have_finished(lines: World) -> None:
    rounds, ada, mia = lines.service.rounds, lines.user("ada"), lines.user("mia")
    item = open_round(lines)
    asked = mailed(lines)
    assert asked.keys() == {"ada", "bob", "joan", "mia", "root"}
    assert "confirm or change your skill levels until" in asked["ada"]
    assert "levels and rate 2 of your people until" in asked["mia"]
    rounds.finish(ada, item.round_id, "ada", {"Go": Level.ADVANCED})
    rounds.finish(mia, item.round_id, "mia", {})
    for name in ("ada", "bob"):
        rounds.finish(mia, item.round_id, name, {"go": Level.ADVANCED})
    assert rounds.tasks(mia) == rounds.tasks(ada) == []
    assert rounds.remind(lines.user("root"), item.round_id) == 3
    assert mailed(lines).keys() == {"bob", "joan", "root"}
    assert rounds.remind(lines.user("root"), item.round_id) == 0
    progress = count_progress(rounds.people(item, Reach(None)))
    assert progress == {"mia": [1, 1, 2, 0], "Without a team": [1, 2, 0, 0]}


def test_manager_without_the_role_is_asked_for_own_levels_only(lines: World) -> None:
    lines.service.accounts.change_role(lines.user("root"), "mia", Role.USER)
    item = open_round(lines)
    assert "of your people" not in mailed(lines)["mia"]
    people = lines.service.rounds.people(item, Reach(None))
    assert {each.is_rated for each in people} == {None}


def test_a_round_is_seen_as_far_as_ratings_are(lines: World) -> None:
    rounds, item = lines.service.rounds, open_round(lines)
    reach = {name: lines.service.context.reach(lines.user(name)) for name in ("ada", "mia", "root")}
    seen = {
        name: [each.user.username for each in rounds.people(item, reach[name])] for name in reach
    }
    everyone = ["ada", "bob", "joan", "mia", "root"]
    assert seen == {"ada": ["ada"], "mia": ["ada", "bob", "mia"], "root": everyone}
    rounds.finish(lines.user("bob"), item.round_id, "bob", {"Go": Level.BEGINNER})
    changes = {name: len(rounds.compare(item, reach[name])[1]) for name in reach}
    assert changes == {"ada": 0, "mia": 1, "root": 1}


def test_a_round_of_a_team_is_for_its_members(lines: World) -> None:
    item = open_round(lines, teams=("mia",))
    assert mailed(lines).keys() == {"ada", "bob", "mia"}
    with pytest.raises(InvalidInput, match="takes no part"):
        lines.service.rounds.finish(lines.user("joan"), item.round_id, "joan", {})


def test_levels_are_compared_with_the_end_of_the_last_round(lines: World) -> None:
    rounds, ada, root = lines.service.rounds, lines.user("ada"), lines.user("root")
    first = open_round(lines)
    rounds.finish(ada, first.round_id, "ada", {"Go": Level.INTERMEDIATE})
    first = rounds.close(root, first.round_id)
    lines.clock.now += timedelta(days=100)
    second = open_round(lines, "Winter")
    rounds.finish(ada, second.round_id, "ada", {"Go": Level.EXPERT})
    rounds.finish(root, second.round_id, "bob", {"Go": Level.ADVANCED})
    [up, down] = rounds.compare(second, Reach(None))[1]
    assert (up.user.username, up.before, up.after) == ("ada", Level.INTERMEDIATE, Level.EXPERT)
    assert (up.is_up, up.is_gap_closed) == (True, True)
    assert (down.user.username, down.is_up, down.is_gap_closed) == ("bob", False, False)
    [before] = rounds.compare(first, Reach(None))[1]
    assert (before.before, before.after) == (Level.BEGINNER, Level.INTERMEDIATE)


def test_confirming_keeps_the_history_short(lines: World) -> None:
    item, skills = open_round(lines), lines.service.user_skills
    for _ in range(2):
        lines.service.rounds.finish(lines.user("ada"), item.round_id, "ada", {"Go": Level.BEGINNER})
        assert skills.ratings(lines.user("ada")) == []
    for _ in range(2):
        lines.service.rounds.finish(lines.user("mia"), item.round_id, "ada", {"Go": Level.BEGINNER})
    assert [each.author for each in skills.ratings(lines.user("ada"))] == ["ada", "mia"]


def test_own_rating_is_compared_with_the_own_one_before(lines: World) -> None:
    rounds, skills, ada = lines.service.rounds, lines.service.user_skills, lines.user("ada")
    item = open_round(lines)
    rounds.finish(lines.user("mia"), item.round_id, "ada", {"go": Level.EXPERT})

    def finish(level: Level) -> tuple[Level, list[tuple[Level, Source]]]:
        lines.clock.advance(minutes=1)
        rounds.finish(ada, item.round_id, "ada", {"go": level})
        ratings = [(each.level, each.source) for each in skills.ratings(ada, "go")]
        return skills.get("ada", "go").level, ratings

    ratings = [(Level.BEGINNER, Source.SELF), (Level.EXPERT, Source.MANAGER)]
    # Confirming the own rating does not replace that of the manager.
    assert finish(Level.BEGINNER) == (Level.EXPERT, ratings)
    ratings.append((Level.EXPERT, Source.SELF))
    assert finish(Level.EXPERT) == finish(Level.EXPERT) == (Level.EXPERT, ratings)
    assert skills.get("ada", "go").rated_by == "mia"
    ratings.append((Level.ADVANCED, Source.SELF))
    assert finish(Level.ADVANCED) == (Level.ADVANCED, ratings)


def test_a_round_ends_with_its_last_day_after_a_last_call(lines: World) -> None:
    rounds, item = lines.service.rounds, open_round(lines)
    mailed(lines)
    rounds.remind_last()
    assert mailed(lines) == {}
    lines.clock.now = ends_at(item) - timedelta(hours=47)
    for _ in range(2):
        rounds.remind_last()
    assert len(mailed(lines)) == 5
    lines.clock.now += timedelta(hours=48)
    with pytest.raises(InvalidInput, match="is over"):
        rounds.finish(lines.user("ada"), item.round_id, "ada", {})
    assert rounds.tasks(lines.user("ada")) == []
    assert rounds.close(lines.user("root"), item.round_id).closed_at is None


@pytest.mark.parametrize(
    ("name", "day", "teams", "field"),
    [
        ("", date(2100, 1, 1), (), "name"),
        ("x", date(2000, 1, 1), (), "closes_on"),
        ("x", date(2100, 1, 1), ["none"], "teams"),
    ],
)
def test_rounds_that_cannot_be_opened(
    lines: World, name: str, day: date, teams: list[str], field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        lines.service.rounds.open(lines.user("root"), name, day, teams)
    assert field in caught.value.errors


def test_owner_and_manager_are_told_once_that_a_certificate_expires(lines: World) -> None:
    store, notices = lines.service.context.store, lines.service.notices
    today = lines.clock().date()
    for number, days in enumerate((-1, 20, 40)):
        store.put(
            Certification(
                username="ada",
                certification_id=f"c{number}",
                name=f"Paper {number}",
                issuer="Club",
                issued=date(2020, 1, 1),
                expires_on=today + timedelta(days=days),
            )
        )
    lines.calls.clear()
    assert [notices.remind_of_certificates() for _ in range(2)] == [2, 0]
    told = mailed(lines)
    assert "Your certificate Paper 1 (Club) expires on" in told["ada"]
    assert "Ada’s certificate Paper 1" in told["mia"]
    lines.clock.now += timedelta(days=15)
    assert notices.remind_of_certificates() == 2

"""Endorse skills of others: once per person, counted right whatever happens."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Store, TransactWriteItems
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import Endorsement, Level, SkillCount, UserSkill
from singletable_apps.skills.rules import SkillDraft
from tests.apps.skills.support.world import World


def count_items(world: World) -> tuple[int | None, int]:
    """Return the count on Ada's skill, None if she does not have it, and how many items exist."""
    store = Store(world.driver)
    skill = store.get(UserSkill.key("ada", "go"), consistent=True)
    items = sum(1 for _ in store.query(Endorsement.key.partition("ada", "go"), consistent=True))
    return (None if skill is None else skill.endorsements), items


def fill(world: World, endorsers: int = 3) -> None:
    """Store Ada, who knows Go, and people who can endorse it."""
    people: dict[str, dict[str, str]] = {"ada": {"Go": "Expert"}}
    world.fill(people | {f"user{number}": {} for number in range(endorsers)})


def endorse(world: World, endorsers: int) -> None:
    """Store endorsements of Ada's skill, with their count."""
    store = Store(world.driver, clock=world.clock)
    store.put_many(
        Endorsement(username="ada", skill_id="go", endorser=f"user{number}")
        for number in range(endorsers)
    )
    store.update(UserSkill.key("ada", "go"), UserSkill.endorsements.set(endorsers))


def test_endorse_counts_once_and_withdraw_takes_it_back(world: World) -> None:
    fill(world)
    endorsements, one, two = world.service.endorsements, world.user("user0"), world.user("user1")
    assert endorsements.endorse(one, "ADA", "gO").endorsements == 1
    assert endorsements.endorse(one, "ada", "Go").endorsements == 1
    assert endorsements.endorse(two, "ada", "Go").endorsements == 2
    skills = world.service.user_skills.list("ada")
    assert endorsements.endorsed_by(one, skills) == {"go"}
    assert endorsements.endorsed_by(world.user("user2"), skills) == frozenset()
    assert endorsements.withdraw(one, "ada", "Go").endorsements == 1
    assert endorsements.withdraw(one, "ada", "Go").endorsements == 1
    assert count_items(world) == (1, 1)


def test_endorsers_are_listed_in_pages(world: World) -> None:
    fill(world)
    endorse(world, 3)
    endorsements = world.service.endorsements
    first = endorsements.list("ada", "Go", limit=2)
    assert [each.endorser for each in first.items] == ["user0", "user1"]
    rest = endorsements.list("ada", "Go", limit=2, cursor=first.cursor)
    assert ([each.endorser for each in rest.items], rest.cursor) == (["user2"], None)


def test_endorsements_of_own_or_missing_skills_are_rejected(memory: World) -> None:
    fill(memory)
    endorsements, ada, user = memory.service.endorsements, memory.user("ada"), memory.user("user0")
    for act in (endorsements.endorse, endorsements.withdraw):
        with pytest.raises(NotPermitted):
            act(ada, "ADA", "Go")
        for username, skill in (("user1", "Go"), ("ada", "Cobol"), ("#", "Go"), ("ada", "\0#😀")):
            with pytest.raises(NotFound):
                act(user, username, skill)
    assert count_items(memory) == (0, 0)


def test_concurrent_endorsers_all_count(worlds: tuple[World, World]) -> None:
    fill(worlds[0], 12)
    users = [worlds[0].user(f"user{number}") for number in range(12)]
    with ThreadPoolExecutor(8) as pool:
        calls = [
            pool.submit(worlds[turn].service.endorsements.endorse, user, "ada", "Go")
            for user in users
            for turn in (0, 1)
        ]
        for call in calls:
            call.result()
    assert count_items(worlds[1]) == (12, 12)


DAYS = {
    "a response lost": Faults(internal_after=Next(1)),
    "conflicts": Faults(conflict=Next(15)),
    "all at once": Faults(throttle=0.1, internal=0.05, internal_after=0.1, conflict=0.2, seed=5),
}


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("day", DAYS)
def test_endorsements_are_counted_once_despite_faults(memory: World, day: str) -> None:
    fill(memory, 4)
    users = [memory.user(f"user{number}") for number in range(4)]
    driver = FaultyDriver(memory.driver)
    service = memory.open(driver)
    driver.faults = DAYS[day]
    for user in (*users, *users):
        service.endorsements.endorse(user, "ada", "Go")
    service.endorsements.withdraw(users[0], "ada", "Go")
    assert sum(driver.injected.values()) > 0
    assert count_items(memory) == (3, 3)
    service.user_skills.remove(memory.user("ada"), "ada", "Go")
    assert count_items(memory) == (None, 0)


def test_remove_deletes_the_endorsements(world: World) -> None:
    fill(world)
    endorse(world, 3)
    world.service.user_skills.remove(world.user("ada"), "ada", "Go")
    assert count_items(world) == (None, 0)
    assert world.service.catalog.counts(["go"])["go"] == SkillCount(skill_id="go")
    draft = SkillDraft(Level.BEGINNER)
    added = world.service.user_skills.add(world.user("ada"), "ada", "Go", draft)
    assert added.endorsements == 0


# A transaction has at most 100 actions, so 100 endorsements and their skill take two.
@pytest.mark.parametrize(("operations", "left"), [(0, 100), (5, 100), (6, 10), (7, 10)])
def test_interrupted_remove_keeps_the_count_right_and_can_be_repeated(
    memory: World, operations: int, left: int
) -> None:
    fill(memory)
    endorse(memory, 100)
    ada, driver = memory.user("ada"), InterruptedDriver(memory.driver)
    service = memory.open(driver)
    driver.crash_after(operations)
    with pytest.raises(Crash):
        service.user_skills.remove(ada, "ada", "Go")
    assert count_items(memory) == (left, left)
    memory.service.user_skills.remove(ada, "ada", "Go")
    assert count_items(memory) == (None, 0)
    assert memory.service.catalog.counts(["go"])["go"] == SkillCount(skill_id="go")


def test_endorsement_during_remove_is_removed_too(memory: World) -> None:
    fill(memory)
    endorse(memory, 2)
    driver = InterruptedDriver(
        memory.driver,
        TransactWriteItems,
        before=lambda: memory.service.endorsements.endorse(memory.user("user2"), "ada", "Go"),
    )
    memory.open(driver).user_skills.remove(memory.user("ada"), "ada", "Go")
    assert driver.interrupted
    assert count_items(memory) == (None, 0)

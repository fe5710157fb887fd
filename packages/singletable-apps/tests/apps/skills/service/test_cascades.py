"""Rename and delete people: nothing is lost, counted twice or left behind, however it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from typing import Any

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import TransactWriteItems
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Engine, SingleTableError, Store
from singletable.schema import model_of
from singletable_apps.shared.accounts import NotSignedIn
from singletable_apps.shared.errors import AlreadyExists, Busy, NotFound
from singletable_apps.skills.entities import (
    Cascade,
    Certification,
    Education,
    Endorsement,
    Experience,
    Level,
    Project,
    Role,
    SkillCount,
    Team,
    User,
    UserSkill,
    entities,
)
from singletable_apps.skills.rules import SkillDraft
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.cascades import SETTLING
from tests.apps.skills.support.recount import check_counts
from tests.apps.skills.support.world import PASSWORD, World

pytestmark = pytest.mark.usefixtures("no_waits")
PEOPLE = {
    "ada": {"Go": "Expert", "Python": "Advanced", "Rust": "Beginner"},
    "bob": {"Go": "Beginner"},
    "mia": {"Go": "Expert"},
    "joan": {"Java": "Expert"},
}
ENTRIES: tuple[Any, ...] = (Certification, Education, Experience, Project)
EXPERT = SkillDraft(Level.EXPERT)


def fill(world: World) -> None:
    """Store people who endorse each other and are in teams."""
    world.fill(PEOPLE, roles={"mia": Role.ADMIN})
    endorse = world.service.endorsements.endorse
    for endorser, owner in (("bob", "ada"), ("mia", "ada"), ("ada", "bob"), ("ada", "mia")):
        endorse(world.user(endorser), owner, "Go")
    store = Store(world.driver, clock=world.clock)
    store.create(Team(team_id="core", name="Core", members=["bob", "ada"], created_by="ada"))
    for entry in (
        Certification(
            username="ada",
            certification_id="c1",
            name="CKA",
            issuer="CNCF",
            issued=date(2025, 5, 1),
        ),
        Project(username="ada", project_id="p1", name="Engine", skill_ids=["go"]),
    ):
        store.create(entry)
    store.create(Team(team_id="web", name="Web", members=["bob"], created_by="mia"))


@pytest.fixture(scope="module")
def template() -> Engine:
    """Return a filled engine, which is faster to copy than to fill."""
    engine = Engine.in_memory()
    fill(World(engine))
    return engine


@pytest.fixture
def filled(template: Engine) -> Iterator[World]:
    """Return a world in memory with people who endorse each other and are in teams."""
    with template.copy() as engine:
        world = World(engine)
        yield world
        world.check_calls()


def check_gone(world: World, gone: str) -> None:
    """Fail if a count is wrong, or if something refers to someone who is gone."""
    scan = Store(world.driver, clock=world.clock).admin.scan
    check_counts(world)
    teams, given = list(scan(Team)), list(scan(Endorsement))
    names = {user.username for user in scan(User)}
    referred = {
        *names,
        *(skill.username for skill in scan(UserSkill)),
        *(each.username for kind in ENTRIES for each in scan(kind)),
        *(name for each in given for name in (each.username, each.endorser)),
        *(name for team in teams for name in (*team.members, team.created_by)),
    }
    assert gone not in referred
    assert referred <= {*names, ""}
    assert not list(scan(Cascade))


def settle(world: World) -> SkillsService:
    """Open the service once the indexes have caught up."""
    world.clock.now += SETTLING
    return world.open()


def test_rename_keeps_everything_and_the_session(world: World) -> None:
    fill(world)
    service = world.service
    signed_in = service.accounts.start_session(world.user("ada"))
    renamed = service.people.rename(world.user("ada"), "ADA", "Lovelace")
    assert (renamed.username, renamed.user_id, renamed.role) == ("Lovelace", 1, Role.USER)
    assert service.accounts.authenticate(signed_in.access).username == "Lovelace"
    assert service.accounts.renew(signed_in.refresh).user.username == "Lovelace"
    assert service.accounts.sign_in("lovelace", PASSWORD).user == renamed
    skills = service.user_skills.list("lovelace")
    assert {each.skill_id: each.level for each in skills} == {
        "go": Level.EXPERT,
        "python": Level.ADVANCED,
        "rust": Level.BEGINNER,
    }
    assert [each.endorsements for each in skills] == [2, 0, 0]
    assert [row.username for row in service.people.list().items] == [
        "Lovelace",
        "bob",
        "joan",
        "mia",
    ]
    with pytest.raises(NotFound):
        service.user_skills.list("ada")
    assert service.user_skills.profile("ada").user == renamed
    settle(world)
    check_gone(world, "ada")
    team = Store(world.driver).get(Team.key("core"))
    assert team is not None
    assert (team.members, team.created_by) == (["bob", "Lovelace"], "Lovelace")


def test_rename_to_another_case_stays_in_place(filled: World) -> None:
    people = filled.service.people
    assert people.rename(filled.user("ada"), "ada", "ADA").username == "ADA"
    with pytest.raises(AlreadyExists):
        people.rename(filled.user("ada"), "ada", "BOB")
    assert filled.user("ada").revision == 2


def test_old_username_is_taken_until_everything_is_moved(filled: World) -> None:
    service = filled.service
    lovelace = service.people.rename(filled.user("ada"), "ada", "lovelace")
    with pytest.raises(AlreadyExists, match="a moment ago"):
        service.accounts.register("ada", "Another Ada", PASSWORD)
    with pytest.raises(Busy):
        service.people.rename(lovelace, "lovelace", "ada")
    filled.clock.now += SETTLING
    another = service.accounts.register("ada", "Another Ada", PASSWORD)
    assert (service.user_skills.list("ada"), another.role) == ([], Role.USER)
    with pytest.raises(AlreadyExists, match="already"):
        service.people.rename(lovelace, "lovelace", "ada")
    assert len(service.user_skills.list("lovelace")) == 3


def test_next_rename_finishes_the_ones_before(filled: World) -> None:
    filled.service.people.rename(filled.user("ada"), "ada", "lovelace")
    filled.clock.now += SETTLING
    filled.service.people.rename(filled.user("bob"), "bob", "robert")
    pending = Store(filled.driver).admin.scan(Cascade)
    assert [each.username for each in pending] == ["bob"]


def test_delete_removes_everything_and_lowers_counts(world: World) -> None:
    fill(world)
    service = world.service
    signed_in = service.accounts.start_session(world.user("ada"))
    service.accounts.remove(world.user("ada"), "ada")
    with pytest.raises(NotSignedIn):
        service.accounts.authenticate(signed_in.access)
    with pytest.raises(NotSignedIn):
        service.accounts.renew(signed_in.refresh)
    assert service.catalog.counts(["go", "rust"]) == {
        "go": SkillCount(skill_id="go", beginner=1, expert=1),
        "rust": SkillCount(skill_id="rust"),
    }
    assert service.user_skills.get("bob", "Go").endorsements == 0
    assert [row.username for row in service.people.list().items] == ["bob", "joan", "mia"]
    settle(world)
    check_gone(world, "ada")
    assert not list(Store(world.driver).admin.scan(Cascade))


ACTIONS: dict[str, Callable[[SkillsService, User], object]] = {
    "rename": lambda service, ada: service.people.rename(ada, "ada", "lovelace"),
    "delete": lambda service, ada: service.accounts.remove(ada, "ada"),
}


def interrupt(world: World, action: str, write: int) -> bool:
    """Act with a power cut, finish it later, and return whether there was one."""
    ada, was_cut = world.user("ada"), False
    driver = InterruptedDriver(world.driver)
    driver.crash_after(write, TransactWriteItems)
    try:
        ACTIONS[action](world.open(driver), ada)
    except Crash:
        was_cut = True
    # The next process is interrupted, too.
    driver.crash_after(write // 2, TransactWriteItems)
    with suppress(Crash):
        world.open(driver)
    service = settle(world)
    if service.context.find_user("ada"):
        ACTIONS[action](service, ada)
        settle(world)
    check_gone(world, "ada")
    names = {user.username for user in Store(world.driver).admin.scan(User)}
    assert names == {"bob", "joan", "mia"} | ({"lovelace"} if action == "rename" else set())
    return was_cut


@pytest.mark.parametrize("action", ACTIONS)
def test_cascade_interrupted_anywhere_is_finished(template: Engine, action: str) -> None:
    # The start, three skills, two entries, two endorsements and a team.
    for write in range(10):
        with template.copy() as engine:
            assert interrupt(World(engine), action, write) is (write < 9)


DAYS = {
    "all at once": Faults(throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.2, seed=1),
    "many lost responses": Faults(internal_after=Next(40)),
}


@pytest.mark.parametrize("day", DAYS)
@pytest.mark.parametrize("action", ACTIONS)
def test_cascade_is_right_despite_faults(filled: World, action: str, day: str) -> None:
    driver = FaultyDriver(filled.driver)
    service, ada = filled.open(driver), filled.user("ada")
    driver.faults = DAYS[day]
    with suppress(SingleTableError):
        ACTIONS[action](service, ada)
    assert sum(driver.injected.values()) > 0
    settle(filled)
    check_gone(filled, "ada")


_BUSY = (Busy, NotFound, AlreadyExists)
RACES: dict[str, Callable[[SkillsService, World], object]] = {
    "add": lambda s, w: s.user_skills.add(w.user("mia"), "ada", "Java", EXPERT),
    "edit": lambda s, w: s.user_skills.edit(w.user("mia"), "ada", "Rust", EXPERT),
    "remove": lambda s, w: s.user_skills.remove(w.user("mia"), "ada", "Go"),
    "endorse": lambda s, w: s.endorsements.endorse(w.user("bob"), "ada", "Rust"),
    "withdraw": lambda s, w: s.endorsements.withdraw(w.user("bob"), "ada", "Go"),
    "endorse another": lambda s, w: s.endorsements.endorse(w.user("ada"), "joan", "Java"),
    "edit the profile": lambda s, w: s.accounts.change_role(w.user("mia"), "ada", Role.MANAGER),
}


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("race", RACES)
def test_write_that_began_before_the_cascade(filled: World, action: str, race: str) -> None:
    """The other process has read the person, and writes when she is gone."""
    ada = filled.user("ada")
    driver = InterruptedDriver(
        filled.driver, TransactWriteItems, before=lambda: ACTIONS[action](filled.service, ada)
    )
    with suppress(*_BUSY):
        RACES[race](filled.open(driver), filled)
    assert driver.interrupted
    settle(filled)
    check_gone(filled, "ada")


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize(("race", "step"), [*zip(RACES, (1, 0, 4, 2) * 2, strict=False)])
def test_write_in_the_middle_of_a_cascade(filled: World, action: str, race: str, step: int) -> None:
    """The other process writes between two steps, perhaps with an account that was read before."""
    ada = filled.user("ada")

    def interfere() -> None:
        with suppress(*_BUSY):
            RACES[race](filled.service, filled)

    driver = InterruptedDriver(filled.driver, TransactWriteItems, before=interfere, first=step)
    with suppress(*_BUSY):
        ACTIONS[action](filled.open(driver), ada)
    assert driver.interrupted
    settle(filled)
    check_gone(filled, "ada")


def test_person_with_many_endorsements_is_moved_and_deleted(memory: World) -> None:
    fans = [f"fan{number}" for number in range(120)]
    memory.fill({"ada": {"Go": "Expert"}, **{fan: {} for fan in fans}})
    store = Store(memory.driver, clock=memory.clock)
    store.put_many([Endorsement(username="ada", skill_id="go", endorser=fan) for fan in fans])
    store.update(UserSkill.key("ada", "go"), UserSkill.endorsements.set(120))
    people = memory.service.people
    lovelace = people.rename(memory.user("ada"), "ada", "lovelace")
    settle(memory)
    check_gone(memory, "ada")
    assert memory.service.user_skills.get("lovelace", "go").endorsements == 120
    memory.service.accounts.remove(lovelace, "lovelace")
    settle(memory)
    check_gone(memory, "lovelace")


def test_every_entity_in_the_partition_of_a_person_is_moved() -> None:
    partitions: dict[Any, str] = {}
    for entity in entities.entities:
        column: Any = model_of(entity).key.pk[0]
        partitions[entity] = str(column.template)
    owned = {entity for entity, pk in partitions.items() if pk == partitions[User]}
    assert owned == {User, UserSkill, *ENTRIES}


def test_slow_process_does_not_touch_the_next_person(filled: World) -> None:
    """One process finishes the deletion while another is in the middle of it."""
    ada, other = filled.user("ada"), filled.service

    def finish_and_register() -> None:
        filled.clock.now += SETTLING
        other.accounts.register("ada", "Another Ada", PASSWORD)
        other.user_skills.add(filled.user("ada"), "ada", "Go", EXPERT)

    driver = InterruptedDriver(
        filled.driver, TransactWriteItems, before=finish_and_register, first=2
    )
    filled.open(driver).accounts.remove(ada, "ada")
    assert driver.interrupted
    assert [skill.level for skill in other.user_skills.list("ada")] == [Level.EXPERT]
    check_gone(filled, "nobody")

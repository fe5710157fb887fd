"""Edit, rename, merge and delete skills: interrupted, repeated, and while others write."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date
from itertools import count
from typing import TypeVar, cast

import pytest
from msgspec.structs import replace

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import Operation
from dynamodb_engine.operations.items import PageOutput
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Driver, Engine, Store, TransactWriteItems
from singletable_apps.shared.errors import AlreadyExists, Busy, InvalidInput, NotFound
from singletable_apps.skills.entities import (
    Endorsement,
    JobRole,
    Level,
    Role,
    Skill,
    SkillChange,
    Source,
    User,
    UserSkill,
)
from singletable_apps.skills.rules import InUse, SkillDraft
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.catalog import MAX_ALIASES, SkillEdit, names_of
from singletable_apps.skills.service.roles import RoleEdit
from tests.apps.skills.support.recount import check_consistent
from tests.apps.skills.support.world import World

R = TypeVar("R")
pytestmark = pytest.mark.usefixtures("no_waits")
EXPERT = SkillDraft(Level.EXPERT, years=5)


def fill(world: World) -> User:
    """Store people with Go and Golang 2, endorsements and a job. Return the administrator."""
    world.fill(
        {
            "ada": {"Go": ("Beginner", 2, date(2025, 5, 1)), "Gopher": ("Expert", 1)},
            "bob": {"Gopher": "Advanced"},
            "eve": {"Go": "Expert"},
            "joan": {},
        },
        roles={"ada": Role.ADMIN},
    )
    store = Store(world.driver, clock=world.clock)
    store.update(UserSkill.key("ada", "go"), UserSkill.notes.set("Since school."))
    store.update(
        UserSkill.key("ada", "gopher"),
        UserSkill.notes.set("Certified."),
        UserSkill.source.set(Source.MANAGER),
        UserSkill.rated_by.set("joan"),
    )
    for username, skill_id, endorsers in (
        ("ada", "go", ["bob", "eve"]),
        ("ada", "gopher", ["eve", "joan"]),
        ("bob", "gopher", ["ada"]),
    ):
        store.put_many(
            Endorsement(username=username, skill_id=skill_id, endorser=each) for each in endorsers
        )
        store.update(UserSkill.key(username, skill_id), UserSkill.endorsements.set(len(endorsers)))
    targets = {"go": Level.ADVANCED, "gopher": Level.EXPERT}
    store.put(JobRole(role_id="backend", name="Backend", targets=targets))
    return world.user("ada")


def rename(service: SkillsService, actor: User) -> Skill:
    return service.catalog.edit(actor, "go", SkillEdit("Go language"))


def merge(service: SkillsService, actor: User) -> Skill:
    return service.catalog.merge(actor, "gopher", "go")


def check_renamed(world: World) -> None:
    check_consistent(world)
    go = world.service.catalog.get("GO")
    assert (go.name, go.aliases, names_of(go)) == ("Go language", ["Go"], ["Go language"])
    store = Store(world.driver)
    found = store.query(UserSkill.by_experience("Go language", Level.EXPERT))
    assert "eve" in {each.username for each in found}
    assert not list(store.query(UserSkill.by_experience("Go", Level.EXPERT)))


def check_merged(world: World) -> None:
    check_consistent(world)
    assert world.service.catalog.get("Gopher").skill_id == "go"
    with pytest.raises(NotFound):
        world.service.context.get_skill("gopher")
    ada = world.service.user_skills.get("ada", "go")
    assert (ada.level, ada.years, ada.last_used) == (Level.EXPERT, 2, date(2026, 1, 1))
    assert (ada.source, ada.rated_by) == (Source.MANAGER, "joan")
    assert (ada.notes, ada.endorsements) == ("Since school.\nCertified.", 3)
    bob = world.service.user_skills.get("bob", "go")
    assert (bob.level, bob.skill_name, bob.endorsements) == (Level.ADVANCED, "Go", 1)
    [role] = world.service.roles.list()
    assert role.targets == {"go": Level.EXPERT}


def test_edit_changes_aliases_in_one_transaction(world: World) -> None:
    ada = fill(world)
    changes = world.service.catalog
    edit = SkillEdit(
        "Go",
        category="Backend",
        description="A language.",
        tags=("compiled", "compiled", " "),
        aliases=("Golang", "go lang", "GO", "Google Go"),
    )
    edited = changes.edit(ada, "go", edit)
    assert (edited.category, edited.description) == ("Backend", "A language.")
    assert (edited.tags, edited.aliases) == (["compiled"], ["Golang", "Google Go"])
    assert world.service.catalog.get("GOLANG").skill_id == "go"
    changes.edit(ada, "go", SkillEdit("Go", aliases=("google-go",)))
    assert world.service.catalog.find("golang") is None
    check_consistent(world)
    with pytest.raises(AlreadyExists, match="“gopher” already means the skill gopher") as taken:
        changes.edit(ada, "go", SkillEdit("Go", description="x", aliases=("Go-pher", "New")))
    assert {*taken.value.errors} == {"aliases"}
    with pytest.raises(AlreadyExists) as taken:
        changes.edit(ada, "go", SkillEdit("GOPHER"))
    assert {*taken.value.errors} == {"skill_name"}
    check_consistent(world)
    assert world.service.context.get_skill("go").description == ""


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (SkillEdit(""), "skill_name"),
        (SkillEdit("!!!"), "skill_name"),
        (SkillEdit("\ufdfa" * 50), "skill_name"),
        (SkillEdit("x" * 101), "skill_name"),
        (SkillEdit("Go", aliases=("🎉",)), "aliases"),
        (SkillEdit("Go", aliases=tuple(f"go{n}" for n in range(MAX_ALIASES + 1))), "aliases"),
        (SkillEdit("Golang", aliases=tuple(f"go{n}" for n in range(MAX_ALIASES))), "aliases"),
        (SkillEdit("Go", tags=("x" * 51,)), "tags"),
        (SkillEdit("Go", description="a\x00b"), "description"),
    ],
)
def test_invalid_edits_name_the_field(memory: World, edit: SkillEdit, field: str) -> None:
    ada = fill(memory)
    with pytest.raises(InvalidInput) as rejected:
        memory.service.catalog.edit(ada, "go", edit)
    assert {*rejected.value.errors} == {field}
    check_consistent(memory)


def test_rename_reaches_the_skills_of_people(world: World) -> None:
    renamed = rename(world.service, fill(world))
    assert renamed.previous_name == ""
    check_renamed(world)
    # A new spelling of the same name needs no alias.
    again = world.service.catalog.edit(world.user("ada"), "go", SkillEdit("go-Language"))
    assert again.aliases == []
    check_consistent(world)


def test_merge_unites_skills_endorsements_aliases_and_targets(world: World) -> None:
    ada = fill(world)
    preview = world.service.catalog.preview_merge(ada, "gopher", "Go")
    assert (preview.people, preview.both) == (2, 1)
    assert (preview.roles, preview.aliases) == (("Backend",), ("Gopher",))
    assert merge(world.service, ada).aliases == ["Gopher"]
    check_merged(world)


CHANGES = pytest.mark.parametrize(
    ("change", "check"), [(rename, check_renamed), (merge, check_merged)], ids=["rename", "merge"]
)
Change = Callable[[SkillsService, User], Skill]
Check = Callable[[World], None]


def has_begun(world: World) -> bool:
    """Return whether the first step of a change is done."""
    go, gopher = (Store(world.driver).get(Skill.key(each)) for each in ("go", "gopher"))
    return go is None or gopher is None or go.name != "Go" or gopher.merged_into != ""


@CHANGES
def test_change_interrupted_at_any_step_is_resumed_by_the_next_service(
    change: Change, check: Check
) -> None:
    with Engine.in_memory() as filled:
        ada = fill(World(filled))
        operations = 0
        for operations in count():
            with filled.copy() as engine:
                world = World(engine)
                driver = InterruptedDriver(engine)
                service = world.open(driver)
                driver.crash_after(operations)
                try:
                    change(service, ada)
                except Crash:
                    check_consistent(world, is_finished=False)
                else:
                    break
                was_begun = has_begun(world)
                service = world.open()
                if not was_begun:
                    change(service, ada)
                check(world)
                world.check_calls()
        assert operations >= 10


@CHANGES
def test_change_interrupted_and_resumed_on_every_driver(
    worlds: tuple[World, World], change: Change, check: Check
) -> None:
    one, other = worlds
    ada = fill(one)
    driver = InterruptedDriver(one.driver)
    service = one.open(driver)
    driver.crash_after(6 if change is rename else 14)
    with pytest.raises(Crash):
        change(service, ada)
    assert [each.skill_id for each in Store(other.driver).admin.scan(SkillChange)] in (
        ["go"],
        ["gopher"],
    )
    check_consistent(other, is_finished=False)
    if change is merge:
        # The same request again finishes it, too.
        assert merge(other.service, ada).skill_id == "go"
    else:
        other.service.catalog.resume()
    check(other)


@CHANGES
@pytest.mark.parametrize(
    "faults",
    [
        Faults(internal_after=Next(9)),
        Faults(throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.2),
    ],
    ids=["responses lost", "all"],
)
def test_change_is_exact_despite_faults(
    memory: World, change: Change, check: Check, faults: Faults
) -> None:
    ada = fill(memory)
    # Reads are up to two changes behind, which is after everything was stored.
    for number in range(2):
        memory.service.catalog.create(ada, SkillEdit(f"Other {number}"))
    driver = FaultyDriver(memory.driver)
    service = memory.open(driver)
    driver.faults = faults
    change(service, ada)
    assert sum(driver.injected.values()) > 0
    memory.open()
    check(memory)


def test_add_during_a_rename_gets_the_new_name_or_is_rejected(memory: World) -> None:
    ada = fill(memory)
    other, joan = memory.open(), memory.user("joan")
    # One skill is added with the outcome of a read before the rename, and one after its first step.
    renaming = InterruptedDriver(
        memory.driver,
        TransactWriteItems,
        after=lambda: other.user_skills.add(joan, "joan", "Go", EXPERT),
    )
    late = InterruptedDriver(
        memory.driver, TransactWriteItems, before=lambda: rename(memory.open(renaming), ada)
    )
    with pytest.raises(Busy):
        memory.open(late).user_skills.add(memory.user("bob"), "bob", "Go", EXPERT)
    assert late.interrupted
    assert renaming.interrupted
    assert other.user_skills.get("joan", "go").skill_name == "Go language"
    check_renamed(memory)


def test_index_that_misses_someone_keeps_the_rename_unfinished(memory: World) -> None:
    ada = fill(memory)
    driver = _Hiding(memory.driver)
    service = memory.open(driver)
    driver.hidden = "eve"
    renamed = rename(service, ada)
    assert names_of(renamed) == ["Go language", "Go"]
    check_consistent(memory, is_finished=False)
    found = [
        memory.service.user_skills.list_best("go", each).items for each in (None, Level.EXPERT)
    ]
    assert [[each.username for each in people] for people in found] == [["eve", "ada"], ["eve"]]
    with pytest.raises(Busy):
        service.catalog.edit(ada, "go", SkillEdit("Third"))
    driver.hidden = ""
    service.catalog.resume()
    check_renamed(memory)


def test_index_that_misses_someone_keeps_the_merge_unfinished(memory: World) -> None:
    ada = fill(memory)
    driver = _Hiding(memory.driver)
    service = memory.open(driver)
    driver.hidden = "bob"
    assert merge(service, ada).merging == "gopher"
    check_consistent(memory, is_finished=False)
    # Meanwhile, everyone finds and changes the skill by either name.
    bob = memory.user("bob")
    edited = service.user_skills.edit(bob, "bob", "go", SkillDraft(Level.ADVANCED, years=3))
    assert (edited.skill_id, edited.years) == ("gopher", 3)
    assert service.catalog.find_many(["Gopher"])["Gopher"].skill_id == "go"
    with pytest.raises(Busy):
        service.catalog.delete(ada, "go")
    driver.hidden = ""
    memory.open()
    check_merged(memory)
    assert memory.service.user_skills.get("bob", "go").years == 3


def test_merge_with_concurrent_changes_loses_nothing(memory: World) -> None:
    ada, bob = fill(memory), memory.user("bob")
    other = memory.open()
    steps = [
        lambda: other.user_skills.edit(bob, "bob", "Gopher", SkillDraft(Level.ADVANCED, years=9)),
        lambda: other.user_skills.add(memory.user("joan"), "joan", "Gopher", EXPERT),
        lambda: other.user_skills.add(bob, "bob", "Go", EXPERT),
        lambda: other.user_skills.remove(memory.user("eve"), "eve", "Go"),
    ]

    def write() -> None:
        with suppress(AlreadyExists, Busy):
            steps.pop(0)()

    driver = InterruptedDriver(memory.driver, TransactWriteItems, before=write, times=len(steps))
    merge(memory.open(driver), ada)
    assert not steps
    check_consistent(memory)
    assert memory.service.user_skills.get("bob", "go").years == 9


def test_merge_moves_hundreds_of_endorsements_even_if_interrupted() -> None:
    with Engine.in_memory() as filled:
        ada = fill(World(filled))
        store = Store(filled)
        endorsers = [f"user{number}" for number in range(95)]
        store.put_many(
            Endorsement(username="bob", skill_id="gopher", endorser=each) for each in endorsers
        )
        # Somebody with an earlier username endorsed the own skill.
        store.put(Endorsement(username="ada", skill_id="gopher", endorser="ADA"))
        store.update(UserSkill.key("bob", "gopher"), UserSkill.endorsements.set(96))
        store.update(UserSkill.key("ada", "gopher"), UserSkill.endorsements.set(3))
        for operations in (12, 15, 18, 21, 24, 1_000):
            with filled.copy() as engine:
                world, driver = World(engine), InterruptedDriver(engine)
                service = world.open(driver)
                driver.crash_after(operations)
                with suppress(Crash):
                    merge(service, ada)
                world.open()
                check_consistent(world)
                assert world.service.user_skills.get("bob", "go").endorsements == 96
                assert world.service.user_skills.get("ada", "go").endorsements == 3


@pytest.mark.parametrize("target", ["", "gopher", "GOPHER", "nothing", "x" * 10_000])
def test_impossible_merges_are_rejected(memory: World, target: str) -> None:
    ada = fill(memory)
    with pytest.raises(InvalidInput) as rejected:
        memory.service.catalog.merge(ada, "gopher", target)
    assert {*rejected.value.errors} == {"into"}
    check_consistent(memory)


def test_merge_that_makes_too_many_aliases_is_rejected(memory: World) -> None:
    ada = fill(memory)
    changes = memory.service.catalog
    changes.edit(ada, "go", SkillEdit("Go", aliases=tuple(f"g{n}" for n in range(MAX_ALIASES))))
    with pytest.raises(InvalidInput, match="at most 40 aliases"):
        merge(memory.service, ada)
    check_consistent(memory)


def test_delete_only_what_nobody_has(world: World) -> None:
    ada = fill(world)
    changes, catalog = world.service.catalog, world.service.catalog
    with pytest.raises(InUse, match="2 people have the skill Go"):
        changes.delete(ada, "go")
    catalog.create(ada, SkillEdit("Rust", aliases=("rustlang",)))
    world.service.roles.edit(
        ada,
        "backend",
        RoleEdit("Backend", targets={"go": Level.ADVANCED, "RustLang": Level.EXPERT}),
    )
    assert changes.delete(ada, "rust").name == "Rust"
    assert catalog.find("rustlang") is None
    assert world.service.roles.get("backend").targets == {"go": Level.ADVANCED}
    check_consistent(world)


def test_delete_loses_against_a_concurrent_add(memory: World) -> None:
    ada = fill(memory)
    memory.service.catalog.create(ada, SkillEdit("Rust"))
    driver = InterruptedDriver(
        memory.driver,
        TransactWriteItems,
        before=lambda: memory.service.user_skills.add(ada, "ada", "Rust", EXPERT),
    )
    with pytest.raises(InUse, match="One person has the skill Rust"):
        memory.open(driver).catalog.delete(ada, "rust")
    check_consistent(memory)


class _Hiding:
    """A driver whose index does not show someone's skills yet."""

    def __init__(self, inner: Driver) -> None:
        self._inner = inner
        self.hidden = ""

    def execute(self, operation: Operation[R], /) -> R:
        result = self._inner.execute(operation)
        if not isinstance(result, PageOutput) or not self.hidden:
            return result
        rows = zip(result.raw_items or [], result.items, strict=True)
        shown = [raw for raw, item in rows if item.get("Username") != {"S": self.hidden}]
        return cast(R, replace(result, raw_items=shown))

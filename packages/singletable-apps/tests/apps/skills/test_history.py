"""The three phases of the design document, one migration after the other, while people write."""

from __future__ import annotations

import re
from datetime import date
from itertools import product

import bcrypt
import pytest

from singletable import Engine, Store, Table
from singletable.migration import dry_run
from singletable.migration.schema_diff.snapshot import snapshot
from singletable.schema import create_operation
from singletable_apps.skills import entities as phase3
from singletable_apps.skills.entities import Level
from singletable_apps.skills.history import phase1, phase2, users
from singletable_apps.skills.history.conversions import canonical_id, create_catalog
from singletable_apps.skills.service import open_skills
from singletable_apps.skills.service.catalog import spellings_of
from tests.apps.skills.support.migration import (
    PASSWORD,
    OldTraffic,
    check_verified,
    load_phase,
    make_runner,
)
from tests.apps.skills.support.world import PASSWORDS, SECRET

DAY = date(2026, 3, 1)
LEVELS: tuple[phase2.Level, ...] = ("Beginner", "Intermediate", "Advanced", "Expert")


# A migration changes what was stored by a declaration. If that changes, write a new migration.
@pytest.mark.parametrize(
    ("number", "table"), [(1, phase1.entities), (2, phase2.entities)], ids=["phase 1", "phase 2"]
)
def test_migration_leads_to_the_recorded_schema(number: int, table: Table) -> None:
    assert load_phase(number).schema == snapshot([table]).digest


# The projection of an index cannot be changed later.
def test_all_phases_have_the_same_key_and_index() -> None:
    one, two, three = map(create_operation, (phase1.entities, phase2.entities, phase3.entities))
    assert one == two
    assert one.key_schema == three.key_schema
    assert one.global_secondary_indexes is not None
    assert three.global_secondary_indexes is not None
    old, new = one.global_secondary_indexes[0], three.global_secondary_indexes[0]
    assert (old.index_name, old.key_schema) == (new.index_name, new.key_schema)
    assert set(old.projection.non_key_attributes or ()) == set(
        new.projection.non_key_attributes or ()
    )


def test_phase_1_moves_users_and_back(sides: tuple[Engine, Engine]) -> None:
    engine, _ = sides
    migration, traffic = load_phase(1), OldTraffic(engine)
    for _ in range(10):
        traffic()
    assert dry_run(migration, engine).ok
    make_runner(migration, engine, write=traffic).run()
    quiet = make_runner(migration, engine)
    quiet.run()
    check_verified(quiet)
    quiet.cut_over()
    store = Store(engine)
    assert {one.username: one.name for one in store.admin.scan(phase1.User)} == traffic.names

    # The new version writes, then everything goes back.
    store.update(phase1.User.key("USER1"), phase1.User.name.set("Renamed"))
    store.create(phase1.User(username="maria", name="Maria", password_hash="$2b$"))
    store.delete(phase1.User.key("user2"))
    quiet.rollback()
    names = {user.username: user.name for user in store.admin.scan(users.User)}
    assert (names["User1"], names["maria"], "user2" in names) == ("Renamed", "Maria", False)
    assert traffic.sign_in("User1").name == "Renamed"


def test_phase_2_lists_users_without_a_scan(sides: tuple[Engine, Engine]) -> None:
    engine, _ = sides
    store = Store(engine)
    store.admin.create_table(phase1.entities)
    for number in range(9):
        user = phase1.User(username=f"u{number}", name=f"Name {number}", password_hash="$2b$")
        store.create(user)
    written = 0

    def write() -> None:
        """Register and rename with the new version, which is deployed before the migration."""
        nonlocal written
        written += 1
        name = f"New {written:03d}"
        store.create(phase2.User(username=f"n{written}", name=name, password_hash="$2b$"))
        store.update(phase2.User.key("u3"), phase2.User.name.set(f"Renamed {written}"))

    assert not list(store.select(phase2.User.by_name(), phase2.User.name))
    migration = load_phase(2)
    assert dry_run(migration, engine).ok
    assert make_runner(migration, engine, write=write).run().phase == "finished"
    check_verified(make_runner(migration, engine))
    listed = [name for (name,) in store.select(phase2.User.by_name(), phase2.User.name)]
    assert len(listed) == 9 + written
    assert listed == sorted(listed, key=str.casefold)
    assert f"Renamed {written}" in listed
    # Phase 1 reads what phase 2 has written.
    assert make_runner(migration, engine).down().phase == "down"
    before = store.get(phase1.User.key("u3"))
    assert before is not None
    assert before.name == f"Renamed {written}"


# The document's key: Advanced, Beginner, Expert, Intermediate.
def test_levels_of_phase_2_sort_alphabetically_and_those_of_phase_3_by_rank(engine: Engine) -> None:
    with Engine.in_memory() as target:
        store = fill_phase2(engine)
        found = store.query(phase2.UserSkill.by_skill("Python"))
        assert [one.level for one in found] == sorted(LEVELS)
        runner = make_runner(load_phase(3), engine, target)
        runner.run()
        ranked = Store(target).query(phase3.UserSkill.by_skill("python"))
        assert [one.level for one in ranked] == [*Level]
        best = Store(target).query(phase3.UserSkill.by_skill("python").ge(Level.ADVANCED))
        assert [one.level for one in best] == [Level.ADVANCED, Level.EXPERT]


def fill_phase2(engine: Engine) -> Store:
    """Store a user at each level of Python, in several spellings, and with other skills."""
    store = Store(engine)
    store.admin.create_table(phase2.entities)
    hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    skills = (("Python", "C#"), ("python", "日本語"), ("PYTHON", "C#"), ("Python",))
    for number, level in enumerate(LEVELS):
        username = f"User{number}"
        store.create(phase2.User(username=username, name=f"Name {number}", password_hash=hashed))
        for skill in skills[number]:
            store.create(phase2_skill(username, skill, level, number))
    return store


def phase2_skill(
    username: str, skill: str, level: phase2.Level, years: int = 1
) -> phase2.UserSkill:
    return phase2.UserSkill(username=username, skill=skill, level=level, years=years, last_used=DAY)


def test_phase_3_derives_the_catalog_and_goes_back(sides: tuple[Engine, Engine]) -> None:
    source, target = sides
    store = fill_phase2(source)
    edits = 0

    def write() -> None:
        """Add, change and remove skills with phase 2."""
        nonlocal edits
        edits += 1
        store.put(phase2_skill("user1", f"Skill {edits % 5}", LEVELS[edits % 4]))
        store.update(
            phase2.UserSkill.key(f"user{edits % 3}", "python"),
            phase2.UserSkill.level.set(LEVELS[edits // 3 % 4]),
            phase2.UserSkill.years.set(edits % 9),
        )
        store.delete(phase2.UserSkill.key("user1", f"Skill {(edits + 2) % 5}"))

    migration = load_phase(3)
    assert dry_run(migration, source, target).ok
    make_runner(migration, source, target, write).run()
    assert edits > 5
    quiet = make_runner(migration, source, target)
    quiet.run()
    check_verified(quiet)
    quiet.cut_over()
    create_catalog(Store(target))
    create_catalog(Store(target))
    quiet.follow(lambda: not quiet.status().lag)
    check_verified(quiet)

    service = open_skills(target, SECRET, passwords=PASSWORDS)
    expected = {
        (one.username.casefold(), one.skill.casefold(), one.level, one.years)
        for one in store.admin.scan(phase2.UserSkill)
    }
    found = list(service.context.store.admin.scan(phase3.UserSkill))
    assert {
        (one.username.casefold(), one.skill_name.casefold(), one.level.value, one.years)
        for one in found
    } == expected
    for skill in service.context.store.admin.scan(phase3.Skill):
        count = service.catalog.counts([skill.skill_id])[skill.skill_id]
        levels = [one.level for one in found if one.skill_id == skill.skill_id]
        assert [count.beginner, count.intermediate, count.advanced, count.expert] == [
            levels.count(level) for level in Level
        ]
        assert service.catalog.get(skill.name).skill_id == skill.skill_id
    assert service.catalog.get("PYTHON").name.casefold() == "python"
    assert {one.skill_name for one in found if one.skill_id == "python"} == {"Python"}
    assert service.catalog.get("c sharp").skill_id == "csharp"
    assert service.catalog.get("日本語").name == "日本語"
    experts = service.context.store.query(
        phase3.UserSkill.by_experience("Python", Level.EXPERT).ge(2)
    )
    expected_experts = {
        one.username
        for one in found
        if (one.skill_id, one.level) == ("python", Level.EXPERT) and one.years >= 2
    }
    assert {one.username for one in experts} == expected_experts >= {"User3"}
    signed_in = service.accounts.sign_in("user3", PASSWORD)
    service.user_skills.remove(signed_in.user, "user3", "python")

    quiet.rollback()
    assert {
        (one.username.casefold(), one.skill.casefold(), one.level, one.years)
        for one in store.admin.scan(phase2.UserSkill)
    } == expected - {("user3", "python", "Expert", 3)}


# Spellings that share an alias must be one skill: an alias means one.
def test_names_that_share_an_alias_have_the_same_id() -> None:
    words = ("c", "C", "#", "+", "++", " ", "-", "ö", "日", "sharp", "Plus", "x" * 30)
    names = ["".join(parts) for size in (1, 2, 3) for parts in product(words, repeat=size)]
    meanings: dict[str, set[str]] = {}
    for name in names:
        skill = phase3.Skill(skill_id=canonical_id(name), name=name)
        assert re.fullmatch(r"[a-z0-9-]{1,50}", skill.skill_id)
        for alias in spellings_of(skill):
            meanings.setdefault(alias, set()).add(skill.skill_id)
    assert [ids for ids in meanings.values() if len(ids) > 1] == []


def test_someone_with_two_spellings_of_a_skill_is_named_by_the_dry_run(engine: Engine) -> None:
    store = fill_phase2(engine)
    store.put(phase2_skill("user0", "c sharp", "Expert"))
    with Engine.in_memory() as target:
        collisions = dry_run(load_phase(3), engine, target).steps[-1].collisions
        assert (collisions.count, collisions.keys[0]["PK"]) == (1, {"S": "USER#user0"})
        assert "SKILL#csharp" in collisions.reasons[0]
        store.delete(phase2.UserSkill.key("user0", "c sharp"))
        assert dry_run(load_phase(3), engine, target).ok


# In two spellings by two people, it becomes one skill with an alias.
def test_catalog_takes_the_most_frequent_spelling(engine: Engine) -> None:
    store = fill_phase2(engine)
    store.put(phase2_skill("user1", "c sharp", "Expert"))
    with Engine.in_memory() as target:
        runner = make_runner(load_phase(3), engine, target)
        runner.run()
        runner.cut_over()
        assert create_catalog(Store(target)) == 3
        skill = Store(target).get(phase3.Skill.key("csharp"))
        assert skill is not None
        assert (skill.name, skill.aliases) == ("C#", [])
        found = Store(target).query(phase3.UserSkill.by_skill("csharp"))
        assert {one.skill_name for one in found} == {"C#"}

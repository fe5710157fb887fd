"""The old table of users becomes the directory, while people use it."""

from __future__ import annotations

import pytest

import singletable_apps.skills.entities as declaration
from dynamodb_engine.values import Item
from singletable import Engine, PutItem, Store
from singletable.errors import TransformFailed
from singletable.migration import MigrationRunner, check_schema, dry_run, load_migration
from singletable_apps.shared.accounts import NotSignedIn, Passwords
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.skills.entities import Level, Role, User
from singletable_apps.skills.history import users
from singletable_apps.skills.rules import SkillDraft
from singletable_apps.skills.service import SkillsService, open_skills
from singletable_apps.skills.service.catalog import SkillEdit
from tests.apps.skills.support.migration import (
    DIRECT,
    PASSWORD,
    OldTraffic,
    check_verified,
    make_runner,
)
from tests.apps.skills.support.world import PASSWORDS, SECRET

MIGRATION = load_migration(DIRECT)


def migrate(engine: Engine, *usernames: str) -> MigrationRunner:
    """Register people in the old system, and let the directory take over."""
    for username in usernames:
        OldTraffic(engine).directory.register(username, "Ada Lovelace", PASSWORD)
    runner = make_runner(MIGRATION, engine)
    runner.run()
    runner.cut_over()
    return runner


def open_new(engine: Engine, passwords: Passwords = PASSWORDS) -> SkillsService:
    return open_skills(engine, SECRET, passwords=passwords)


def stored_names(engine: Engine, entity: type[User] | type[users.User]) -> dict[str, str]:
    return {one.username: one.name for one in Store(engine).admin.scan(entity)}


def test_schema_has_not_changed() -> None:
    check_schema(declaration)


def test_no_write_is_lost_from_the_first_copy_to_the_end(sides: tuple[Engine, Engine]) -> None:
    source, target = sides
    traffic = OldTraffic(source)
    for _ in range(10):
        traffic()

    # Copy while people register, sign in and change their names.
    began = dict(traffic.names)
    assert make_runner(MIGRATION, source, target, traffic).run().phase == "ready"
    assert traffic.names != began
    quiet = make_runner(MIGRATION, source, target)
    quiet.run()
    check_verified(quiet)

    # The old system stops for a moment, and the directory takes over.
    assert quiet.cut_over().phase == "cut-over"
    assert stored_names(target, User) == traffic.names
    keeping = Passwords(memory_kib=64, passes=1, keep_bcrypt=True)
    new = open_new(target, keeping)
    new.accounts.register("maria", "Maria", "nine blue horses")
    signed_in = new.accounts.sign_in("USER1", PASSWORD)
    assert signed_in.user.username == "User1"
    new.people.rename(new.context.get_user("user2"), "user2", "zoe")
    new.accounts.remove(new.context.get_user("user4"), "user4")
    traffic.names["zoe"] = traffic.names.pop("user2")
    del traffic.names["user4"]

    # Back to the old system: nothing is lost, and old passwords still work there.
    assert quiet.rollback().phase == "rolled-back"
    assert stored_names(source, users.User) == traffic.names | {"maria": "Maria"}
    assert traffic.sign_in("User1").password_hash.startswith("$2b$")
    for _ in range(5):
        traffic()

    # The second attempt succeeds.
    quiet.run()
    quiet.cut_over()
    check_verified(quiet)
    assert quiet.finish(drop_old=True).phase == "finished"
    new = open_new(target)
    for username, name in traffic.names.items():
        assert new.accounts.sign_in(username.upper(), PASSWORD).user.name == name
    new.accounts.sign_in("maria", "nine blue horses")


def test_interrupted_copy_continues_where_it_was(engine: Engine) -> None:
    traffic = OldTraffic(engine)
    for _ in range(20):
        traffic()
    writes = 0

    def stop() -> None:
        nonlocal writes
        writes += 1
        if writes == 12:
            raise KeyboardInterrupt

    with Engine.in_memory() as target:
        with pytest.raises(KeyboardInterrupt):
            make_runner(MIGRATION, engine, target, stop).run()
        assert make_runner(MIGRATION, engine, target, traffic).run().phase == "ready"
        quiet = make_runner(MIGRATION, engine, target)
        quiet.run()
        check_verified(quiet)
        quiet.cut_over()
        assert stored_names(target, User) == traffic.names


# The old table had both; the new keys ignore case.
def test_usernames_that_differ_only_in_case_are_named_by_the_dry_run(engine: Engine) -> None:
    old = OldTraffic(engine).directory
    for username in ("Ada", "ada", "eve"):
        old.register(username, username * 2, PASSWORD)
    trial = dry_run(MIGRATION, engine).steps[-1]
    assert trial.collisions.count == 1
    (key,), (reason,) = trial.collisions.keys, trial.collisions.reasons
    assert {key["username"]["S"], "Ada", "ada"} == {"Ada", "ada"}
    assert "Ada" in reason or "ada" in reason
    with pytest.raises(TransformFailed):
        MigrationRunner(MIGRATION, engine, segments=1).run()

    old.rename("Ada", "ada.lovelace")
    assert dry_run(MIGRATION, engine).ok
    runner = make_runner(MIGRATION, engine)
    assert runner.run().phase == "ready"
    runner.cut_over()
    assert set(stored_names(engine, User)) == {"ada", "ada.lovelace", "eve"}
    assert open_new(engine).accounts.sign_in("ada.lovelace", PASSWORD).user.name == "AdaAda"


# The old system checked the length only, and nobody could sign in with such a name.
def test_unusable_usernames_are_named_by_the_dry_run(engine: Engine) -> None:
    old = OldTraffic(engine).directory
    for username in ("a b c", "x#y", "🙂🙂🙂", "fine"):
        old.register(username, "Someone", PASSWORD)
    trial = dry_run(MIGRATION, engine).steps[-1]
    (failed,) = trial.failures.values()
    assert {key["username"]["S"] for key in failed.keys} == {"a b c", "x#y", "🙂🙂🙂"}
    assert "letters, digits" in failed.reasons[0]
    for number, username in enumerate(("a b c", "x#y", "🙂🙂🙂")):
        old.rename(username, f"someone{number}")
    assert dry_run(MIGRATION, engine).ok


# Go writes nanoseconds, and the zone of the machine.
def test_items_of_the_go_program_are_read(engine: Engine) -> None:
    OldTraffic(engine)
    item: Item = {
        "username": {"S": "JohnDoe"},
        "name": {"S": "John"},
        "password_hash": {"S": "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"},
        "created_at": {"S": "2025-12-07T10:20:30.123456789Z"},
        "updated_at": {"S": "2025-12-07T11:20:30.5+01:00"},
    }
    engine.execute(PutItem("users", item))
    make_runner(MIGRATION, engine).run()
    user = Store(engine).get(User.key("johndoe"))
    assert user is not None
    assert (user.username, user.created_at.isoformat()) == (
        "JohnDoe",
        "2025-12-07T10:20:30.123456+00:00",
    )


def test_first_sign_in_replaces_the_bcrypt_hash(engine: Engine) -> None:
    migrate(engine, "ada")
    accounts = open_new(engine).accounts
    with pytest.raises(NotSignedIn):
        accounts.sign_in("ada", "Secret")
    before = accounts.sign_in("ada", PASSWORD)
    user = Store(engine).get(User.key("ada"))
    assert user is not None
    assert user.password_hash.startswith("$argon2id$")
    assert accounts.authenticate(before.access).username == "ada"
    assert accounts.sign_in("ada", PASSWORD).user.user_id == before.user.user_id


# Otherwise, a stranger who registers after the migration would be the administrator.
def test_first_registration_after_the_migration_is_not_an_administrator(engine: Engine) -> None:
    migrate(engine, "ada")
    service = open_new(engine)
    assert service.accounts.register("eve", "Eve", "nine blue horses").role is Role.USER


def test_migrated_people_use_the_directory(engine: Engine) -> None:
    migrate(engine, "ada").finish(drop_old=True)
    service = open_new(engine)
    store = service.context.store
    ada = store.update(User.key("ada"), User.role.set(Role.ADMIN))
    service.catalog.create(ada, SkillEdit(name="Go", aliases=("golang",)))
    added = service.user_skills.add(ada, "Ada", "GoLang", SkillDraft(Level.EXPERT, 7))
    assert (added.skill_id, added.skill_name) == ("go", "Go")


def test_old_service_rejects_what_it_rejected(engine: Engine) -> None:
    old = OldTraffic(engine).directory
    old.register("Ada", "Ada Lovelace", PASSWORD)
    assert old.register("ada", "Ada Byron", PASSWORD).name == "Ada Byron"
    with pytest.raises(AlreadyExists):
        old.register("Ada", "Ada Lovelace", PASSWORD)
    with pytest.raises(InvalidInput):
        old.register("ab", "Al", "secret")
    assert (old.exists("Ada"), old.exists("eve")) == (True, False)
    with pytest.raises(NotFound):
        old.rename("eve", "eva")
    with pytest.raises(AlreadyExists):
        old.rename("Ada", "ada")


def test_dry_run_does_not_show_password_hashes(engine: Engine) -> None:
    OldTraffic(engine).directory.register("ada", "Ada", PASSWORD)
    (example,) = dry_run(MIGRATION, engine).steps[-1].examples
    assert "Ada" in repr(example)
    assert "$2b$" not in repr(example)

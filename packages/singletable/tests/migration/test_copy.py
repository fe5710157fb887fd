"""Copies that are killed at any request, and written to between any two."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest

from dynamodb_engine.testing import Crash, InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Attr, Driver, Engine, Entity, Key, PutItem, Store, Table, attr, errors
from singletable.migration import Copy, Migration, Part, dry_run, each, merge
from singletable.migration.change_log import ChangeLog
from singletable.migration.copy import Copier
from singletable.migration.runner import MigrationRunner
from tests.designs.site import COPY, Age, Likes, OldUser, Text, User, entities, users
from tests.migration.copy_site import create_site, freshly_copied, stored, write_old
from tests.migration.doubles import Clock


def runner(driver: Driver, clock: Clock, segments: int = 1) -> MigrationRunner:
    return MigrationRunner(
        COPY,
        driver,
        segments=segments,
        page_size=3,
        clock=clock,
        sleep=clock.sleep,
    )


def test_a_copy_derives_all_items(engine: Engine) -> None:
    create_site(engine)
    store = Store(engine)
    store.put(OldUser(username="ada", email="a@x", age=36))
    store.put(OldUser(username="bob", email="b@x"))
    for visitor in ("v1", "v2"):
        engine.execute(PutItem("likes", {"post": {"S": "p"}, "visitor": {"S": visitor}}))
    for kind in ("draft", "text", "other"):
        key: Item = {"PK": {"S": "OLD#1"}, "SK": {"S": kind.upper()}}
        note: Item = {"kind": {"S": kind}, "note": {"S": "1"}, "text": {"S": "hello"}}
        engine.execute(PutItem("notes", {**key, **note}))
    status = runner(engine, Clock(), segments=2).run()
    assert (status.phase, status.changes, status.lag, status.lease) == ("ready", "stream", 0, None)
    emails = {user.username: user.email for user in store.admin.scan(User)}
    assert emails == {"ada": "a@x", "bob": "b@x"}
    assert store.find(User.by_email("b@x")) == store.get(User.key("bob"))
    assert store.get(Age.key("ada")) == Age(username="ada", age=36)
    assert store.get(Likes.key("p")) == Likes(post="p", visitors=["v1", "v2"])
    assert store.get(Text.key("hello", "1")) == Text(note="1", text="hello")
    assert len(stored(engine)) == 8


@pytest.mark.rest
def test_a_copy_killed_at_any_request_continues() -> None:
    for requests in count():
        random = Random(requests)
        with Engine.in_memory() as engine:
            create_site(engine, random)
            clock = Clock()
            driver = InterruptedDriver(engine)
            driver.crash_after(requests)
            try:
                runner(driver, clock).run()
            except Crash:
                pass
            else:
                assert requests > 30
                return
            write_old(engine, random, 3)
            clock.now += 60  # the lease expires
            assert runner(engine, clock).run().phase == "ready"
            assert stored(engine) == freshly_copied(engine), requests


@pytest.mark.rest
@pytest.mark.parametrize("seed", range(15))
def test_writes_between_any_two_requests_are_carried_over(engine: Engine, seed: int) -> None:
    random = Random(seed)
    create_site(engine, random)
    left = 60

    def disturb() -> None:
        nonlocal left
        if left and random.random() < 0.6:
            left -= 1
            write_old(engine, random)

    clock = Clock()
    runner(
        InterruptedDriver(engine, before=disturb, times=None), clock, segments=1 + seed % 3
    ).run()
    runner(engine, clock).run()
    assert stored(engine) == freshly_copied(engine)


def test_failing_rules_are_reported_together_and_continued_after_a_fix(engine: Engine) -> None:
    create_site(engine)
    for number in range(30):
        email = "" if number % 2 else f"{number}@x"
        Store(engine).put(OldUser(username=f"u{number:02}", email=email))

    def strict(old: OldUser) -> User:
        if not old.email:
            raise ValueError("has no e-mail address")
        return User(username=old.username, email=old.email)

    clock = Clock()
    broken = Migration(Copy(entities, each(OldUser, strict)), name="0001_users")
    with pytest.raises(
        errors.TransformFailed, match=r"username=u\d[13579]: ValueError: has no e-mail"
    ) as failed:
        MigrationRunner(broken, engine, clock=clock, sleep=clock.sleep).run()
    assert len(failed.value.failures) > 1
    fixed = Migration(
        Copy(entities, each(OldUser, lambda old: strict(old) if old.email else None)),
        name="0001_users",
    )
    assert MigrationRunner(fixed, engine, clock=clock, sleep=clock.sleep).run().phase == "ready"
    assert len(stored(engine)) == 30


def test_two_old_items_with_the_same_new_key_are_reported(engine: Engine) -> None:
    create_site(engine)
    for name in ("ada", "bob"):
        Store(engine).put(OldUser(username=name, email="same@x"))
    with pytest.raises(errors.TransformFailed, match=r"is also derived from username=") as failed:
        runner(engine, Clock()).run()
    assert len(failed.value.failures) == 1


# One of them is copied, and a run that continues after it does not meet it again.
def test_two_old_items_with_the_same_new_key_are_reported_by_the_next_run_too(
    engine: Engine,
) -> None:
    Store(engine).admin.create_table(users)
    Store(engine).admin.create_table(entities)
    for number in range(12):
        Store(engine).put(OldUser(username=f"u{number}", email=f"{number % 11}@x"))
    rule = each(OldUser, lambda old: User(username=old.email, email=old.username))
    migration = Migration(Copy(entities, rule), name="0001_users")

    def run() -> str | None:
        return MigrationRunner(migration, engine, segments=1, page_size=2).run().phase

    for _ in range(2):
        with pytest.raises(errors.TransformFailed, match=r"is also derived from username=u"):
            run()
    Store(engine).delete(OldUser.key("u0"))
    assert run() == "ready"
    assert {user.email for user in Store(engine).admin.scan(User)} == {
        f"u{number}" for number in range(1, 12)
    }


def test_copy_if_empty_replaces_nothing(engine: Engine) -> None:
    Store(engine).admin.create_table(entities)
    Store(engine).put(User(username="u01", email="somebody@else"))
    migration = Migration(Copy(entities, each(OldUser, to_user), if_empty=True), name="0001_users")
    with Engine.in_memory() as old:
        create_site(old)
        with pytest.raises(errors.MigrationError, match="has items already"):
            dry_run(migration, old, engine)
        with pytest.raises(errors.MigrationError, match="has items already"):
            MigrationRunner(migration, old, engine).run()
        assert MigrationRunner(migration, old, engine).phase() is None
        Store(engine).delete(User.key("u01"))
        runner = MigrationRunner(migration, old, engine)
        assert runner.run().phase == "ready"
        # It has items now: those of the copy.
        assert dry_run(migration, old, engine).ok
        assert runner.run().phase == "ready"


def to_user(old: OldUser) -> User:
    return User(username=old.username, email=old.email)


profiles = Table("profiles", pk="name", sk=None)
settings = Table("settings", pk="name", sk=None)
accounts = Table("accounts", pk="PK", sk="SK")


class OldProfile(Entity, table=profiles):
    name: Attr[str] = attr()
    key = Key(pk=name)


class OldSettings(Entity, table=settings):
    name: Attr[str] = attr()
    key = Key(pk=name)


class Account(Entity, table=accounts):
    name: Attr[str] = attr()
    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")


def both(found: list[OldProfile | OldSettings]) -> Account | None:
    return Account(name=found[0].name) if len(found) == 2 else None


def test_a_merged_item_is_deleted_with_its_parts_across_pages(
    engine: Engine,
) -> None:
    join = merge(
        Part(OldProfile, group=lambda one: one.name, read=OldProfile.key),
        Part(OldSettings, group=lambda one: one.name, read=OldSettings.key),
        into=both,
    )
    store = Store(engine)
    for table in (profiles, settings, accounts):
        store.admin.create_table(table)
    for name in ("ada", "bob"):
        store.put(OldProfile(name=name))
        store.put(OldSettings(name=name))
    clock = Clock()
    move = MigrationRunner(
        Migration(Copy(accounts, join), name="0001_join"), engine, clock=clock, segments=1
    )
    move.run()
    assert len(stored(engine, "accounts")) == 2
    position = move.environment().state.position or ""
    store.delete(OldProfile.key("ada"))
    store.delete(OldSettings.key("ada"))
    env = move.environment()
    log = ChangeLog(env.context, [profiles, settings], "0001_join", page=1)
    copy = move.migration.copy
    assert copy is not None
    Copier(env, copy.current_derivations(env), log).carry(position)
    assert [item["name"] for item in stored(engine, "accounts").values()] == [{"S": "bob"}]


scores = Table("scores", pk="PK", sk="SK")


class Score(Entity, table=scores):
    level: Attr[int] = attr()
    player: Attr[str] = attr()
    key = Key(pk=("LEVEL", level), sk=player)


def test_every_group_of_numbers_is_merged(engine: Engine) -> None:
    create_site(engine)
    Store(engine).admin.create_table(scores)
    for level in (-2, -1, 0):
        Store(engine).put(Score(level=level, player="ada"))
    levels = Part(Score, group=lambda score: score.level, read=Score.key.partition)
    copy = Copy(
        entities,
        merge(levels, into=lambda found: Age(username=str(found[0].level), age=len(found))),
    )
    clock = Clock()
    # Python has the same hash for -1 and -2.
    MigrationRunner(Migration(copy, name="0001_levels"), engine, page_size=1, clock=clock).run()
    assert {item["username"].get("S") for item in stored(engine).values()} == {"-2", "-1", "0"}


def test_a_runner_that_stalls_until_after_the_cut_over_overwrites_nothing(engine: Engine) -> None:
    create_site(engine)
    clock, is_first = Clock(), [True]

    def slow(old: OldUser) -> User:
        if is_first and is_first.pop():
            clock.now += 60
            other = MigrationRunner(copy, engine, clock=clock, sleep=clock.sleep)
            other.run()
            other.cut_over()
            Store(engine).update(User.key("ada"), User.email.set("new@x"))
        return User(username=old.username, email=old.email)

    copy = Migration(Copy(entities, each(OldUser, slow)), name="0001_users")
    Store(engine).put(OldUser(username="ada", email="old@x"))
    with pytest.raises(errors.MigrationLocked):
        MigrationRunner(copy, engine, segments=1, clock=clock, sleep=clock.sleep).run()
    user = Store(engine).get(User.key(username="ada"))
    assert user is not None
    assert user.email == "new@x"

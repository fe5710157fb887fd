"""The design that the migration drill changes, and the processes that it runs and kills.

Old users become profiles, and contacts if they have an e-mail address, so a write may create,
change and remove items of the new table. Each writer has its own users, and reports each write
before and after it: so the auditor knows what must be stored.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, TypeAlias

from singletable import Attr, Driver, Entity, Index, Key, Remote, Store, Table, attr
from singletable.errors import ConnectionFailed, MigrationError, MigrationLocked, OperationError
from singletable.migration import Copy, Migration, Part, SwitchingDriver, each, merge
from singletable.migration.runner import MigrationRunner

users_table = Table("users", pk="username", sk=None)
listing = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
entities_table = Table("entities", pk="PK", sk="SK", indexes=[listing])

# Sends a line to the drill.
Report: TypeAlias = Callable[[str], None]
USERS_PER_WRITER = 12
NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve")


class OldUser(Entity, table=users_table):
    """A user with everything in one item."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    score: Attr[int] = attr(default=0)
    email: Attr[str | None] = attr(default=None)
    key = Key(pk=username)


class Profile(Entity, table=entities_table):
    """A user, without an e-mail address."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    score: Attr[int] = attr()
    key = Key(pk=("USER", username), sk="PROFILE")
    by_name = Key(pk="USERS", sk=("NAME", name, username)).on(listing)


class Contact(Entity, table=entities_table):
    """The e-mail address of a user who has one."""

    username: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="CONTACT")


def split_user(old: OldUser) -> Iterator[Profile | Contact]:
    """Return the new items of a user."""
    yield Profile(username=old.username, name=old.name, score=old.score)
    if old.email is not None:
        yield Contact(username=old.username, email=old.email)


def merge_user(found: list[Profile | Contact]) -> OldUser | None:
    """Return the old user of its new items."""
    user: OldUser | None = None
    for one in found:
        if isinstance(one, Profile):
            user = OldUser(username=one.username, name=one.name, score=one.score)
        elif user is not None:
            user.email = one.email
    return user


MIGRATION = Migration(
    Copy(
        entities_table,
        each(OldUser, split_user),
        back=[
            merge(
                Part(Profile, group=lambda profile: profile.username, read=Profile.key),
                Part(Contact, group=lambda contact: contact.username, read=Contact.key),
                into=merge_user,
            )
        ],
    ),
    name="0001_entities",
)


def create_runner(driver: Driver, report: Report) -> MigrationRunner:
    """Return a runner that reports its progress, so that the drill can kill it at any point."""
    return MigrationRunner(
        MIGRATION,
        driver,
        segments=2,
        page_size=2,
        lease_seconds=0.5,
        on_progress=lambda progress: report(f"progress {progress.done}"),
    )


# Writers


def write_old(store: Store, username: str, chance: Random) -> tuple[Any, ...] | None:
    """Change a user of the old table, and return its fields; None if it is deleted."""
    kind = chance.randrange(4)
    if kind == 0:
        store.delete(OldUser.key(username))
        return None
    name, score = chance.choice(NAMES), chance.randrange(1000)
    email = f"{score}@example.org" if chance.random() < 0.5 else None
    store.put(OldUser(username=username, name=name, score=score, email=email))
    return name, score, email


def write_new(store: Store, username: str, chance: Random) -> tuple[Any, ...] | None:
    """Change a user of the new table in one transaction."""
    with store.transaction() as transaction:
        if chance.randrange(4) == 0:
            transaction.delete(Profile.key(username))
            transaction.delete(Contact.key(username))
            return None
        name, score = chance.choice(NAMES), chance.randrange(1000)
        email = f"{score}@example.org" if chance.random() < 0.5 else None
        transaction.put(Profile(username=username, name=name, score=score))
        if email is None:
            transaction.delete(Contact.key(username))
        else:
            transaction.put(Contact(username=username, email=email))
    return name, score, email


def run_writer(
    store: Store,
    write: Callable[[Store, str, Random], tuple[Any, ...] | None],
    number: int,
    writes: int,
    seed: str,
    report: Report,
) -> None:
    """Write at random, and report each write before it is sent and after it was acknowledged."""
    chance = Random(f"{seed}/{number}")
    for _ in range(writes):
        username = f"user{number}-{chance.randrange(USERS_PER_WRITER)}"
        report(f"begin {username}")
        is_open = False
        while True:
            state = chance.getstate()
            try:
                stored = write(store, username, chance)
            except MigrationError:
                report(f"{'late' if is_open else 'refused'} {username}")
                return
            except (OperationError, ConnectionFailed) as error:
                # An unknown outcome: the same write again makes it known.
                is_open = is_open or error.outcome_unknown
                chance.setstate(state)
                time.sleep(0.01)
                continue
            break
        report(f"done {username} {stored!r}")
        time.sleep(chance.random() * 0.02)


def run_role(report: Report, address: str, role: str, mode: str, *rest: str) -> None:
    """Run one process of the drill."""
    with Remote.at(address) as driver:
        if role in ("old-writer", "new-writer"):
            wrapped = SwitchingDriver(driver, migration=MIGRATION) if mode == "live" else driver
            write = write_old if role == "old-writer" else write_new
            run_writer(Store(wrapped), write, int(rest[0]), int(rest[1]), rest[2], report)
            return
        runner = create_runner(driver, report)
        commands: dict[str, Callable[[], object]] = {
            "run": runner.run,
            "follow": lambda: runner.follow(until=lambda: False),
            "cut-over": lambda: report(f"paused {runner.cut_over().paused}"),
            "rollback": lambda: report(f"paused {runner.rollback().paused}"),
            "finish": lambda: runner.finish(drop_old=True),
        }
        while True:
            try:
                commands[role]()
            except MigrationLocked:
                time.sleep(0.05)  # by a runner that was killed
            else:
                return

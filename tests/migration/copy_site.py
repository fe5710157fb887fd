"""A site that is copied from three old tables to a new one, and drivers that disturb the copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from threading import Lock
from typing import Any, TypeVar

from singletable import Attr, Driver, Engine, Entity, Key, Store, Table, Unique, attr
from singletable import operations as ops
from singletable.migration import Copy, Migration, Part, each, leave_out, merge, unchanged
from singletable.migration.runner import MigrationRunner
from singletable.migration.state import is_state_item
from singletable.values import Item

R = TypeVar("R")

users = Table("users", pk="username", sk=None)
likes = Table("likes", pk="post", sk="visitor")
notes = Table("notes", pk="PK", sk="SK")
entities = Table("entities", pk="PK", sk="SK")


class OldUser(Entity, table=users):
    username: Attr[str] = attr()
    email: Attr[str] = attr()
    age: Attr[int] = attr(default=0)
    key = Key(pk=username)


class OldLike(Entity, table=likes):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=post, sk=visitor)


class OldText(Entity, table=notes, type_tag=("kind", "text")):
    note: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("OLD", note), sk="TEXT")


class OldDraft(Entity, table=notes, type_tag=("kind", "draft")):
    note: Attr[str] = attr()
    key = Key(pk=("OLD", note), sk="DRAFT")


class User(Entity, table=entities):
    username: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="PROFILE")
    by_email = Unique(email)


class Age(Entity, table=entities):
    username: Attr[str] = attr()
    age: Attr[int] = attr()
    key = Key(pk=("USER", username), sk="AGE")


class Likes(Entity, table=entities):
    post: Attr[str] = attr()
    visitors: Attr[list[str]] = attr()
    key = Key(pk=("POST", post), sk="LIKES")


class Text(Entity, table=entities):
    note: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("TEXT", text), sk=("NOTE", note))


def split(old: OldUser) -> Iterator[User | Age]:
    yield User(username=old.username, email=old.email)
    if old.age:
        yield Age(username=old.username, age=old.age)


def count(found: list[OldLike]) -> Likes:
    return Likes(post=found[0].post, visitors=[like.visitor for like in found])


RULES = (
    each(OldUser, split),
    merge(Part(OldLike, group=lambda like: like.post, read=OldLike.key.partition), into=count),
    each(OldText, lambda old: Text(note=old.note, text=old.text)),
    leave_out(OldDraft),
    unchanged(notes),
)
COPY = Migration(Copy(entities, *RULES), name="0001_one_table")


def create_site(engine: Engine, random: Random | None = None, writes: int = 30) -> None:
    for table in (users, likes, notes, entities):
        Store(engine).admin.create_table(table)
    if random is not None:
        for _ in range(writes):
            write_old(engine, random)


def write_old(driver: Driver, random: Random) -> None:
    """Change the old tables as their application does."""
    name = random.choice("abcdef")
    match random.randrange(8):
        case 0 | 1:
            # An address belongs to one user at a time, but may change hands.
            old = driver.execute(ops.Scan("users", consistent_read=True)).items
            taken = {one["email"].get("S") for one in old if one["username"] != {"S": name}}
            free = [text for text in ("x@a", "y@a", "z@a", f"{name}@a") if text not in taken]
            item: Item = {
                "username": {"S": name},
                "email": {"S": random.choice(free)},
                "age": {"N": str(random.randrange(3))},
            }
            driver.execute(ops.PutItem("users", item))
        case 2:
            driver.execute(ops.DeleteItem("users", {"username": {"S": name}}))
        case 3 | 4:
            like: Item = {"post": {"S": random.choice("pq")}, "visitor": {"S": name}}
            driver.execute(ops.PutItem("likes", like))
        case 5:
            like = {"post": {"S": random.choice("pq")}, "visitor": {"S": name}}
            driver.execute(ops.DeleteItem("likes", like))
        case 6:
            # An item without its tag is copied as it is.
            sort_key, kind = random.choice([("TEXT", "text"), ("DRAFT", "draft"), ("TEXT", "?")])
            note: Item = {
                "PK": {"S": f"OLD#{name}"},
                "SK": {"S": sort_key},
                "kind": {"S": kind},
                "note": {"S": name},
                "text": {"S": random.choice("tuv")},
            }
            driver.execute(ops.PutItem("notes", note))
        case _:
            sort_key = random.choice(["TEXT", "DRAFT"])
            driver.execute(
                ops.DeleteItem("notes", {"PK": {"S": f"OLD#{name}"}, "SK": {"S": sort_key}})
            )


def stored(driver: Driver, table: str = "entities") -> dict[str, Item]:
    """Return the items of a table that belong to the application."""
    items = driver.execute(ops.Scan(table, consistent_read=True)).items
    return {repr(sorted(item.items())): item for item in items if not is_state_item(item)}


def freshly_copied(
    engine: Engine, migration: Migration = COPY, at: float = 1000.0
) -> dict[str, Item]:
    """Return the new items that follow from the old ones as they are now."""
    with Engine.in_memory() as copy:
        create_site(copy)
        for table in ("users", "likes", "notes"):
            for item in engine.execute(ops.Scan(table, consistent_read=True)).items:
                copy.execute(ops.PutItem(table, item))
        MigrationRunner(migration, copy, clock=lambda: at, segments=1).run()
        return stored(copy)


# Drivers


class Killed(BaseException):
    """The process ends here."""


@dataclass
class Mortal:
    """Executes requests until the process is killed: before the request, or after it."""

    driver: Driver
    lives: int
    after: bool = False
    requests: int = 0

    def execute(self, operation: ops.Operation[R], /) -> R:
        self.requests += 1
        if self.requests > self.lives or (self.requests == self.lives and not self.after):
            raise Killed
        output = self.driver.execute(operation)
        if self.requests == self.lives:
            raise Killed
        return output


@dataclass
class Disturbed:
    """Does something before each request."""

    driver: Driver
    disturb: Callable[[], object]
    _lock: Lock = field(default_factory=Lock)

    def execute(self, operation: ops.Operation[R], /) -> R:
        with self._lock:
            self.disturb()
        return self.driver.execute(operation)


@dataclass
class Recorded:
    """Remembers the requests."""

    driver: Driver
    requests: list[ops.Operation[Any]] = field(default_factory=list[ops.Operation[Any]])

    def execute(self, operation: ops.Operation[R], /) -> R:
        self.requests.append(operation)
        return self.driver.execute(operation)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

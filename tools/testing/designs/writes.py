"""A table with every kind of write: the pattern that declares it, and a call that sends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from singletable import (
    Attr,
    Count,
    Edit,
    Entity,
    EntityAccess,
    Index,
    Key,
    Number,
    PatternCatalog,
    Store,
    Table,
    Unique,
    WritePattern,
    attr,
    checks,
    clears,
    creates,
    deletes,
    loads,
    puts,
    sequence,
    updated,
    updates,
    version,
)

by_time = Index("by-time", pk="GSI1PK", sk="GSI1SK")
by_state = Index("by-state", pk="GSI2PK", sk="GSI2SK", projection="KEYS_ONLY")
by_rank = Index("by-rank", pk="GSI3PK", sk=Number("rank"), projection=["title"])
design = Table("design", indexes=[by_time, by_state, by_rank])

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Org(Entity, table=design):
    name: Attr[str] = attr()
    motto: Attr[str] = attr(default="")
    members: Attr[int] = attr(default=0)
    last_bill: Attr[int] = attr(default=0)
    key = Key(pk=("ORG", name), sk="ORG")


class Stamped(Entity, table=design):
    """The time of the last change, and the version, are in index keys."""

    code: Attr[str] = attr()
    team: Attr[str] = attr(default="a")
    n: Attr[int] = attr(default=0)
    changed: Attr[datetime] = updated()
    key = Key(pk=("STAMPED", code), sk="STAMPED")
    lately = Key(pk=("TEAM", team), sk=changed).on(by_time)


class Versioned(Entity, table=design):
    code: Attr[str] = attr()
    n: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    key = Key(pk=("VERSIONED", code), sk="VERSIONED")
    by_revision = Key(pk=("VERSIONED",), sk=("R", revision, code)).on(by_time)


class Task(Entity, table=design):
    """In a sparse index, in one that projects keys only, and in one with a number of its own."""

    code: Attr[str] = attr()
    title: Attr[str] = attr(default="t")
    owner: Attr[str] = attr(default="ada")
    state: Attr[str] = attr(default="open")
    rank: Attr[int] = attr(default=1)
    text: Attr[str] = attr(default="")
    key = Key(pk=("TASK", code), sk="TASK")
    open = Key(pk=("OPEN", owner), sk=("TASK", code)).on(by_time, when=state == "open")
    in_state = Key(pk=("STATE", state), sk=("BY", owner, code)).on(by_state)
    ranked = Key(pk="RANKED", sk=rank).on(by_rank)


class Member(Entity, table=design):
    """Two unique values, one of them with a copy of another field; and a count."""

    code: Attr[str] = attr()
    org: Attr[str] = attr(default="acme")
    email: Attr[str | None] = attr(default=None)
    handle: Attr[str | None] = attr(default=None)
    town: Attr[str] = attr(default="x")
    seen: Attr[int] = attr(default=0)
    key = Key(pk=("MEMBER", code), sk="MEMBER")
    one_email = Unique(email, include={"town": town})
    one_handle = Unique(handle)
    counted = Count(Org, Org.members, key=(org,))


class Bill(Entity, table=design):
    """Numbered in each organization."""

    org: Attr[str] = attr(default="acme")
    number: Attr[int] = sequence(Org.last_bill, key=(org,))
    text: Attr[str] = attr(default="")
    key = Key(pk=("BILLS", org), sk=("BILL", number))


Action: TypeAlias = Callable[[Any], object]


# Calls of a store or of a transaction.
def create(item: Any) -> Action:
    return lambda to: to.create(copy(item))


def put(item: Any) -> Action:
    return lambda to: to.put(copy(item))


def delete(entity: Any, name: str = "1") -> Action:
    return lambda to: to.delete(entity.key(name))


def together(*writes: Action) -> Action:
    def write(store: Any) -> None:
        with store.transaction() as transaction:
            for one in writes:
                one(transaction)

    return write


@dataclass(frozen=True)
class Case:
    """A pattern, and the call that sends most of its requests, after `stored`."""

    effects: Sequence[EntityAccess]
    call: Action
    stored: Action = lambda store: None


def case_of(item: Any, *edits: Edit[Any], effects: Sequence[EntityAccess] = ()) -> Case:
    """Return the case of an update; without `effects`, of a pattern that declares these edits."""
    entity = type(item)
    declared = effects or [updates(entity, *(edit.path for edit in edits))]
    return Case(declared, lambda s: s.update(entity.key("1"), *edits), create(item))


TASK, STAMPED, VERSIONED = Task(code="1"), Stamped(code="1"), Versioned(code="1")
ADA, JOINED = Member(code="1", email="a@b.c", handle="a"), Member(code="1")
MOVED = Member(code="1", org="other", email="b@b.c", handle="b")
RENAMED = Member(code="2", org="other", email="b@b.c", handle="b")
OF_ANY_FIELD = (Task.owner.set("bob"), Task.rank.add(1), Task.title.set("u"))
CASES = {
    "create": Case([creates(Task)], create(TASK)),
    "put": Case([puts(Task)], put(Task(code="1", owner="bob", rank=2, title="u")), create(TASK)),
    "delete": Case([deletes(Task)], delete(Task), create(TASK)),
    "update, with the time of the change in an index": case_of(STAMPED, Stamped.n.add(1)),
    "update, with the version in an index": case_of(VERSIONED, Versioned.n.set(1)),
    "replace, with the version in an index": Case(
        [puts(Versioned)],
        lambda s: s.replace(s.get(Versioned.key("1")) or VERSIONED),
        create(VERSIONED),
    ),
    "update of part of an index key": case_of(TASK, Task.owner.set("bob")),
    "update of the condition of a sparse index": case_of(
        TASK, Task.owner.set_if_missing("bob"), effects=[updates(Task, Task.state, Task.owner)]
    ),
    "update of a number that is an index key": case_of(TASK, Task.rank.add(1)),
    "update of a field that some indexes project": case_of(TASK, Task.title.set("u")),
    "update of any field": case_of(TASK, *OF_ANY_FIELD, effects=[updates(Task)]),
    "update without unique values": case_of(ADA, Member.seen.add(1)),
    "update of a field that a marker copies": case_of(ADA, Member.town.set("y")),
    "update of a unique value": case_of(ADA, Member.email.set("b@b.c")),
    "update that moves to another counter": case_of(ADA, Member.org.set("other")),
    "create with unique values and a count": Case([creates(Member)], create(ADA)),
    "put of other unique values": Case([puts(Member)], put(MOVED), create(ADA)),
    "delete with unique values and a count": Case([deletes(Member)], delete(Member), create(ADA)),
    "put of an item with a counter": Case([puts(Org)], put(Org(name="acme", motto="new"))),
    "new item with what it counts": Case(
        [creates(Org), creates(Member), creates(Task)],
        together(create(Org(name="new")), create(Member(code="1", org="new")), create(TASK)),
    ),
    "update of an item with what it counts": Case(
        [creates(Member), updates(Org, Org.motto)],
        together(create(JOINED), lambda to: to.update(Org.key("acme"), Org.motto.set("new"))),
    ),
    "check of an item with what it counts": Case(
        [creates(Member), checks(Org)],
        together(create(JOINED), lambda to: to.check(Org.key("acme"), Org.motto == "")),
    ),
    "delete with what it counts": Case(
        [deletes(Org), deletes(Member)],
        together(delete(Org, "acme"), delete(Member)),
        create(ADA),
    ),
    "new key and counter": Case(
        [deletes(Member), creates(Member)], together(delete(Member), create(RENAMED)), create(ADA)
    ),
    "create with a number": Case([creates(Bill)], lambda s: s.create(Bill())),
    "create with a number in a transaction": Case(
        [creates(Bill), creates(Member)], together(lambda to: to.create(Bill()), create(ADA))
    ),
    "bulk load in batches": Case([loads(Task)], lambda s: s.bulk_load([TASK])),
    "bulk load with unique values and a count": Case([loads(Member)], lambda s: s.bulk_load([ADA])),
    "partition in batches": Case(
        [clears(Task)], lambda s: s.delete_partition(Task.key.partition("1")), create(TASK)
    ),
    "partition with unique values and a count": Case(
        [clears(Member)], lambda s: s.delete_partition(Member.key.partition("1")), create(ADA)
    ),
    "check alone": Case([checks(Org)], together(lambda to: to.check(Org.key("acme")))),
}


def pattern_of(case: Case) -> WritePattern:
    return PatternCatalog("c", design).write("AP1", "Write", *case.effects)


# Calls that no pattern declares.
OTHER_CALLS: list[Callable[[Store], object]] = [
    lambda s: s.delete(Stamped.key("1")),
    lambda s: s.create(Stamped(code="1")),
    lambda s: list(s.query(Stamped.key.partition("1"))),
    lambda s: list(s.hydrate(Task.in_state("open"))),
    lambda s: list(s.admin.scan(Task)),
]

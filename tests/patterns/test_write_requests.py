"""Write patterns plan what the store sends: the same requests, capacity units and permissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from singletable import (
    AccessDenied,
    Attr,
    BatchGetItem,
    BatchWriteItem,
    Call,
    Count,
    Engine,
    Entity,
    EntityAccess,
    Index,
    Item,
    Key,
    Number,
    PatternCatalog,
    Query,
    Store,
    Table,
    TransactWriteItems,
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
from singletable.infrastructure.iam import ArnScope, create_policy, grants_for_patterns
from singletable.operations.partition_keys import written_items
from singletable.patterns import estimate, planned_requests
from tests.infrastructure.enforcement import enforce

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
    """Unique values: one is kept after its release, one copies another field; and a count."""

    code: Attr[str] = attr()
    org: Attr[str] = attr(default="acme")
    email: Attr[str | None] = attr(default=None)
    handle: Attr[str | None] = attr(default=None)
    town: Attr[str] = attr(default="x")
    seen: Attr[int] = attr(default=0)
    key = Key(pk=("MEMBER", code), sk="MEMBER")
    one_email = Unique(email, include={"town": town})
    one_handle = Unique(handle, keep_released=True)
    counted = Count(Org, Org.members, key=(org,))


class Renamed(Entity, table=design):
    """Items of an earlier version have other names of attributes."""

    code: Attr[str] = attr()
    n: Attr[int] = attr(default=0, old_names=("count",))
    text: Attr[str] = attr(default="", old_names=("Text",))
    key = Key(pk=("RENAMED", code), sk="RENAMED")


class Bill(Entity, table=design):
    """Numbered in each organization."""

    org: Attr[str] = attr(default="acme")
    number: Attr[int] = sequence(Org.last_bill, key=(org,))
    text: Attr[str] = attr(default="")
    key = Key(pk=("BILLS", org), sk=("BILL", number))


def stored_member(store: Store) -> None:
    store.create(Member(code="1", email="a@b.c", handle="a"))


def stored_task(store: Store) -> None:
    store.create(Task(code="1"))


def found(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(Org(name="new"))
        transaction.create(Member(code="1", org="new"))
        transaction.create(Task(code="1"))


def join_and_rename(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(Member(code="1"))
        transaction.update(Org.key("acme"), Org.motto.set("new"))


def join_and_check(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(Member(code="1"))
        transaction.check(Org.key("acme"), Org.motto == "")


def dissolve(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.delete(Org.key("acme"))
        transaction.delete(Member.key("1"))


def bill_and_join(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(Bill())
        transaction.create(Member(code="1", email="a@b.c", handle="a"))


def hand_over(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.delete(Member.key("1"))
        transaction.create(Member(code="2", org="other", email="b@b.c", handle="b"))


def check(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.check(Org.key("acme"))


@dataclass(frozen=True)
class Case:
    """A pattern, and the call that sends most of its requests, after `stored`."""

    effects: tuple[EntityAccess, ...]
    call: Callable[[Store], object]
    stored: Callable[[Store], object] = lambda store: None


def case(*effects: EntityAccess, call: Callable[[Store], object], stored: Any = None) -> Case:
    return Case(effects, call, stored or (lambda store: None))


MOVED = Member(code="1", org="other", email="b@b.c", handle="b")
CASES = {
    "create": case(creates(Task), call=lambda s: s.create(Task(code="1"))),
    "put": case(
        puts(Task),
        call=lambda s: s.put(Task(code="1", owner="bob", rank=2, title="u")),
        stored=stored_task,
    ),
    "delete": case(deletes(Task), call=lambda s: s.delete(Task.key("1")), stored=stored_task),
    "update, with the time of the change in an index": case(
        updates(Stamped, Stamped.n),
        call=lambda s: s.update(Stamped.key("1"), Stamped.n.add(1)),
        stored=lambda s: s.create(Stamped(code="1")),
    ),
    "update, with the version in an index": case(
        updates(Versioned, Versioned.n),
        call=lambda s: s.update(Versioned.key("1"), Versioned.n.set(1)),
        stored=lambda s: s.create(Versioned(code="1")),
    ),
    "replace, with the version in an index": case(
        puts(Versioned),
        call=lambda s: s.replace(s.get(Versioned.key("1")) or Versioned(code="1")),
        stored=lambda s: s.create(Versioned(code="1")),
    ),
    "update of part of an index key": case(
        updates(Task, Task.owner),
        call=lambda s: s.update(Task.key("1"), Task.owner.set("bob")),
        stored=stored_task,
    ),
    "update of the condition of a sparse index": case(
        updates(Task, Task.state, Task.owner),
        call=lambda s: s.update(Task.key("1"), Task.owner.set_if_missing("bob")),
        stored=stored_task,
    ),
    "update of a number that is an index key": case(
        updates(Task, Task.rank),
        call=lambda s: s.update(Task.key("1"), Task.rank.add(1)),
        stored=stored_task,
    ),
    "update of a field that some indexes project": case(
        updates(Task, Task.title),
        call=lambda s: s.update(Task.key("1"), Task.title.set("u")),
        stored=stored_task,
    ),
    "update of any field": case(
        updates(Task),
        call=lambda s: s.update(
            Task.key("1"), Task.owner.set("bob"), Task.rank.add(1), Task.title.set("u")
        ),
        stored=stored_task,
    ),
    "update of a renamed number": case(
        updates(Renamed, Renamed.n),
        call=lambda s: s.update(Renamed.key("1"), Renamed.n.add(1)),
        stored=lambda s: s.create(Renamed(code="1")),
    ),
    "update without unique values": case(
        updates(Member, Member.seen),
        call=lambda s: s.update(Member.key("1"), Member.seen.add(1)),
        stored=stored_member,
    ),
    "update of a field that a marker copies": case(
        updates(Member, Member.town),
        call=lambda s: s.update(Member.key("1"), Member.town.set("y")),
        stored=stored_member,
    ),
    "update of a unique value": case(
        updates(Member, Member.email),
        call=lambda s: s.update(Member.key("1"), Member.email.set("b@b.c")),
        stored=stored_member,
    ),
    "update of a unique value that stays reserved": case(
        updates(Member, Member.handle),
        call=lambda s: s.update(Member.key("1"), Member.handle.set("b")),
        stored=stored_member,
    ),
    "update that moves to another counter": case(
        updates(Member, Member.org),
        call=lambda s: s.update(Member.key("1"), Member.org.set("other")),
        stored=stored_member,
    ),
    "create with unique values and a count": case(creates(Member), call=stored_member),
    "put of other unique values": case(
        puts(Member), call=lambda s: s.put(MOVED), stored=stored_member
    ),
    "delete with unique values and a count": case(
        deletes(Member), call=lambda s: s.delete(Member.key("1")), stored=stored_member
    ),
    "put of an item with a counter": case(
        puts(Org), call=lambda s: s.put(Org(name="acme", motto="new"))
    ),
    "new item with what it counts": case(creates(Org), creates(Member), creates(Task), call=found),
    "update of an item with what it counts": case(
        creates(Member), updates(Org, Org.motto), call=join_and_rename
    ),
    "check of an item with what it counts": case(creates(Member), checks(Org), call=join_and_check),
    "delete with what it counts": case(
        deletes(Org), deletes(Member), call=dissolve, stored=stored_member
    ),
    "new key and counter": case(
        deletes(Member), creates(Member), call=hand_over, stored=stored_member
    ),
    "create with a number": case(creates(Bill), call=lambda s: s.create(Bill())),
    "create with a number in a transaction": case(
        creates(Bill), creates(Member), call=bill_and_join
    ),
    "bulk load in batches": case(loads(Task), call=lambda s: s.bulk_load([Task(code="1")])),
    "bulk load with unique values and a count": case(
        loads(Member), call=lambda s: s.bulk_load([Member(code="1", email="a@b.c", handle="a")])
    ),
    "partition in batches": case(
        clears(Task), call=lambda s: s.delete_partition(Task.key.partition("1")), stored=stored_task
    ),
    "partition with unique values and a count": case(
        clears(Member),
        call=lambda s: s.delete_partition(Member.key.partition("1")),
        stored=stored_member,
    ),
    "check alone": case(checks(Org), call=check),
}
# Values that are absent, or stay, need fewer requests than planned.
SHORTER = {
    "new item with what it counts",
    "update of an item with what it counts",
    "check of an item with what it counts",
    "delete with what it counts",
    "update of the condition of a sparse index",
    "put of other unique values",
}


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def store(calls: list[Call]) -> Iterator[Store]:
    with Engine.in_memory() as engine:
        minutes = count()
        clock = lambda: NOON + timedelta(minutes=next(minutes))  # noqa: E731
        store = Store(engine, observers=[calls.append], clock=clock)
        store.admin.create_table(design)
        store.put(Org(name="acme"))
        store.put(Org(name="other"))
        yield store


def pattern_of(case: Case) -> WritePattern:
    return PatternCatalog("c", design).write("AP1", "Write", *case.effects)


def run(case: Case, store: Store, calls: list[Call]) -> Call:
    case.stored(store)
    calls.clear()
    case.call(store)
    return calls[-1]


def sent_requests(call: Call) -> Iterator[tuple[str, Item]]:
    """Yield the action and the key of each request, transactions split up."""
    for sent in call.requests:
        operation: Any = sent.operation
        parts: list[tuple[str, Any]] = [(type(operation).__name__, operation)]
        if isinstance(operation, TransactWriteItems):
            parts = [
                (name, part)
                for action in operation.transact_items
                for name, part in (
                    ("PutItem", action.put),
                    ("UpdateItem", action.update),
                    ("DeleteItem", action.delete),
                    ("ConditionCheckItem", action.condition_check),
                )
                if part is not None
            ]
        for name, part in parts:
            match part:
                case BatchGetItem():
                    items = [key for keys in part.request_items.values() for key in keys.keys]
                case BatchWriteItem():
                    items = [
                        item
                        for writes in part.request_items.values()
                        for item in written_items(writes)
                    ]
                case Query():
                    items = [{"PK": next(iter((part.expression_attribute_values or {}).values()))}]
                case _:
                    items = [getattr(part, "key", None) or part.item]
            yield from ((name, item) for item in items)


def describe_sent(call: Call, pattern: WritePattern) -> Counter[tuple[str, str]]:
    """Return the requests of a call, each with the entity or marker that has the key."""
    accesses = {request.subject: request.access for request in planned_requests(pattern)}
    return Counter(
        (
            action,
            next(
                (one for one, key in accesses.items() if all(c.parse(item) for c in key.pk)),
                "unplanned",
            ),
        )
        for action, item in sent_requests(call)
    )


@pytest.mark.parametrize("name", CASES)
def test_store_sends_what_the_pattern_plans(store: Store, calls: list[Call], name: str) -> None:
    pattern = pattern_of(CASES[name])
    sent = describe_sent(run(CASES[name], store, calls), pattern)
    planned = Counter((one.action, one.subject) for one in planned_requests(pattern))
    assert sent <= planned
    certain = Counter(
        (one.action, one.subject) for one in planned_requests(pattern) if not one.conditional
    )
    assert certain <= sent
    if name not in SHORTER:
        assert sent == planned


@pytest.mark.parametrize("name", CASES)
def test_estimate_is_what_the_call_consumes(store: Store, calls: list[Call], name: str) -> None:
    call, cost = run(CASES[name], store, calls), estimate(pattern_of(CASES[name]))
    assert call.read_units <= cost.read
    assert call.write_units <= cost.write
    if name not in SHORTER:
        assert (call.read_units, call.write_units) == (cost.read, cost.write)


# DynamoDB rejects a transaction that has an item twice.
def test_counters_are_merged_with_the_item_that_counts() -> None:
    planned = planned_requests(pattern_of(CASES["new item with what it counts"]))
    assert [one.action for one in planned if one.subject == "Org"] == ["PutItem"]
    planned = planned_requests(pattern_of(CASES["check of an item with what it counts"]))
    assert [one.action for one in planned if one.subject == "Org"] == ["UpdateItem"]


@pytest.mark.parametrize("name", CASES)
def test_policy_grants_the_actions_that_are_sent(
    store: Store, calls: list[Call], name: str
) -> None:
    sent = {action for action, _ in sent_requests(run(CASES[name], store, calls))}
    granted = {grant.action for grant in grants_for_patterns([pattern_of(CASES[name])])}
    # Patterns of single items also allow batches of them.
    assert sent in (granted, granted - {"BatchWriteItem"}) or (name in SHORTER and sent <= granted)


def test_policy_for_patterns_allows_their_calls_and_no_others(tmp_path: Path) -> None:
    patterns = [pattern_of(case) for case in CASES.values()]
    here = ArnScope("us-east-1", "123456789012")
    policy = create_policy(grants_for_patterns(patterns), scope=here)
    with enforce(policy, tmp_path, [design]) as both:
        operator, app = (Store(driver, clock=lambda: NOON) for driver in (both.operator, both.app))
        for case in CASES.values():
            operator.admin.clear(design)
            for name in ("acme", "other"):
                operator.put(Org(name=name))
            case.stored(operator)
            case.call(app)
        for call in OTHER_CALLS:
            with pytest.raises(AccessDenied):
                call(app)


OTHER_CALLS: list[Callable[[Store], object]] = [
    lambda s: s.delete(Stamped.key("1")),
    lambda s: s.create(Stamped(code="1")),
    lambda s: list(s.query(Stamped.key.partition("1"))),
    lambda s: list(s.hydrate(Task.in_state("open"))),
    lambda s: list(s.admin.scan(Task)),
]

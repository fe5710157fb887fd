"""Write patterns plan what the store sends: the same requests, capacity units and permissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from dynamodb_engine.operations.touches import written_items
from singletable import (
    AccessDenied,
    Attr,
    BatchGetItem,
    BatchWriteItem,
    Call,
    Count,
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
from singletable.patterns import estimate, planned_requests
from singletable_design.infrastructure.iam import ArnScope, create_policy, grants_for_patterns
from tests.infrastructure.enforcement import enforce
from tests.patterns.sent_requests import sent_requests
from tests.store.stores import open_store, transact

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
def create_member(to: Any) -> object:
    return to.create(Member(code="1", email="a@b.c", handle="a"))


def create_task(to: Any) -> object:
    return to.create(Task(code="1"))


def join(to: Any) -> object:
    return to.create(Member(code="1"))


def leave(to: Any) -> object:
    return to.delete(Member.key("1"))


@dataclass(frozen=True)
class Case:
    """A pattern, and the call that sends most of its requests, after `stored`."""

    effects: tuple[EntityAccess, ...]
    call: Action
    stored: Action


def case(*effects: EntityAccess, call: Action, stored: Action = lambda store: None) -> Case:
    return Case(effects, call, stored)


def in_transaction(
    *effects: EntityAccess, writes: tuple[Action, ...], stored: Action = lambda store: None
) -> Case:
    return Case(effects, lambda store: transact(store, *writes), stored)


MOVED = Member(code="1", org="other", email="b@b.c", handle="b")
CASES = {
    "create": case(creates(Task), call=lambda s: s.create(Task(code="1"))),
    "put": case(
        puts(Task),
        call=lambda s: s.put(Task(code="1", owner="bob", rank=2, title="u")),
        stored=create_task,
    ),
    "delete": case(deletes(Task), call=lambda s: s.delete(Task.key("1")), stored=create_task),
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
        stored=create_task,
    ),
    "update of the condition of a sparse index": case(
        updates(Task, Task.state, Task.owner),
        call=lambda s: s.update(Task.key("1"), Task.owner.set_if_missing("bob")),
        stored=create_task,
    ),
    "update of a number that is an index key": case(
        updates(Task, Task.rank),
        call=lambda s: s.update(Task.key("1"), Task.rank.add(1)),
        stored=create_task,
    ),
    "update of a field that some indexes project": case(
        updates(Task, Task.title),
        call=lambda s: s.update(Task.key("1"), Task.title.set("u")),
        stored=create_task,
    ),
    "update of any field": case(
        updates(Task),
        call=lambda s: s.update(
            Task.key("1"), Task.owner.set("bob"), Task.rank.add(1), Task.title.set("u")
        ),
        stored=create_task,
    ),
    "update without unique values": case(
        updates(Member, Member.seen),
        call=lambda s: s.update(Member.key("1"), Member.seen.add(1)),
        stored=create_member,
    ),
    "update of a field that a marker copies": case(
        updates(Member, Member.town),
        call=lambda s: s.update(Member.key("1"), Member.town.set("y")),
        stored=create_member,
    ),
    "update of a unique value": case(
        updates(Member, Member.email),
        call=lambda s: s.update(Member.key("1"), Member.email.set("b@b.c")),
        stored=create_member,
    ),
    "update of a unique value that stays reserved": case(
        updates(Member, Member.handle),
        call=lambda s: s.update(Member.key("1"), Member.handle.set("b")),
        stored=create_member,
    ),
    "update that moves to another counter": case(
        updates(Member, Member.org),
        call=lambda s: s.update(Member.key("1"), Member.org.set("other")),
        stored=create_member,
    ),
    "create with unique values and a count": case(creates(Member), call=create_member),
    "put of other unique values": case(
        puts(Member), call=lambda s: s.put(MOVED), stored=create_member
    ),
    "delete with unique values and a count": case(
        deletes(Member), call=leave, stored=create_member
    ),
    "put of an item with a counter": case(
        puts(Org), call=lambda s: s.put(Org(name="acme", motto="new"))
    ),
    "new item with what it counts": in_transaction(
        *(creates(Org), creates(Member), creates(Task)),
        writes=(
            lambda to: to.create(Org(name="new")),
            lambda to: to.create(Member(code="1", org="new")),
            create_task,
        ),
    ),
    "update of an item with what it counts": in_transaction(
        *(creates(Member), updates(Org, Org.motto)),
        writes=(join, lambda to: to.update(Org.key("acme"), Org.motto.set("new"))),
    ),
    "check of an item with what it counts": in_transaction(
        *(creates(Member), checks(Org)),
        writes=(join, lambda to: to.check(Org.key("acme"), Org.motto == "")),
    ),
    "delete with what it counts": in_transaction(
        *(deletes(Org), deletes(Member)),
        writes=(lambda to: to.delete(Org.key("acme")), leave),
        stored=create_member,
    ),
    "new key and counter": in_transaction(
        *(deletes(Member), creates(Member)),
        writes=(
            leave,
            lambda to: to.create(Member(code="2", org="other", email="b@b.c", handle="b")),
        ),
        stored=create_member,
    ),
    "create with a number": case(creates(Bill), call=lambda s: s.create(Bill())),
    "create with a number in a transaction": in_transaction(
        *(creates(Bill), creates(Member)), writes=(lambda to: to.create(Bill()), create_member)
    ),
    "bulk load in batches": case(loads(Task), call=lambda s: s.bulk_load([Task(code="1")])),
    "bulk load with unique values and a count": case(
        loads(Member), call=lambda s: s.bulk_load([Member(code="1", email="a@b.c", handle="a")])
    ),
    "partition in batches": case(
        clears(Task), call=lambda s: s.delete_partition(Task.key.partition("1")), stored=create_task
    ),
    "partition with unique values and a count": case(
        clears(Member),
        call=lambda s: s.delete_partition(Member.key.partition("1")),
        stored=create_member,
    ),
    "check alone": in_transaction(checks(Org), writes=(lambda to: to.check(Org.key("acme")),)),
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
def store(calls: list[Call]) -> Store:
    minutes = count()
    clock = lambda: NOON + timedelta(minutes=next(minutes))  # noqa: E731
    store = open_store(design, observers=[calls.append], clock=clock)
    store.put(Org(name="acme"))
    store.put(Org(name="other"))
    return store


def pattern_of(case: Case) -> WritePattern:
    return PatternCatalog("c", design).write("AP1", "Write", *case.effects)


def run(case: Case, store: Store, calls: list[Call]) -> Call:
    case.stored(store)
    calls.clear()
    case.call(store)
    return calls[-1]


def keys_of(request: Any) -> list[Item]:
    """Return the keys of the items that a request reads or writes."""
    match request:
        case BatchGetItem():
            return [key for keys in request.request_items.values() for key in keys.keys]
        case BatchWriteItem():
            batches = request.request_items.values()
            return [item for writes in batches for item in written_items(writes)]
        case Query():
            return [{"PK": next(iter((request.expression_attribute_values or {}).values()))}]
        case _:
            return [getattr(request, "key", None) or request.item]


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
        for action, request in sent_requests(call)
        for item in keys_of(request)
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

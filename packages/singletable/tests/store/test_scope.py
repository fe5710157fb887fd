"""A scoped store sends nothing for a key of another tenant."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.operations import (
    BatchGetItem,
    DeleteItem,
    KeysAndAttributes,
    ListTables,
    Operation,
    PutItem,
    Query,
    Scan,
)
from singletable.errors import InvalidCursor, InvalidValue, ItemMismatch, OutOfScope
from singletable.schema import Attr, Entity, ItemKey, Key, Table, Unique, attr, expires, key_of
from singletable.store import DeleteResult, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, transact
from tools.testing.designs.tenants import (
    Comment,
    Country,
    Domain,
    Everything,
    Issue,
    Org,
    Rank,
    User,
    Visit,
    in_state,
    issues,
    levels,
    one_issue,
    tracker,
)


@pytest.fixture
def whole(empty: Store) -> Store:
    """Return a store with two tenants."""
    empty.admin.create_table(tracker)
    for org in ("acme", "other"):
        empty.put(Org(name=org))
        empty.create(Issue(org=org, number=1, title=f"of {org}", slug="first"))
        empty.create(Issue(org=org, number=2))
        empty.put_many([Comment(org=org, issue=1, number=1), Visit(org=org, page="/")])
    return empty


@pytest.fixture
def acme(whole: Store) -> Store:
    return whole.scoped(org="acme")


def test_scoped_store_reads_its_tenant(acme: Store) -> None:
    issue = existing(acme.get(one_issue("acme", 1)))
    assert issue.title == "of acme"
    assert [one.number for one in acme.query(issues("acme"))] == [1, 2]
    assert [one.number for one in acme.query(in_state("acme", "open"))] == [1, 2]
    assert acme.find(Issue.one_slug("acme", "first")) == issue
    assert [one.page for one in acme.query(Visit.key.partition("acme"))] == ["/"]
    assert acme.get_many([Issue.key("acme", 1), Issue.key("acme", 9)]) == [issue, None]
    assert acme.transact_get(Issue.key("acme", 1), Comment.key("acme", 1, 1))[0] == issue
    # The record of the tenant is in its partition, though its field has another name.
    assert acme.get(Org.key("acme")) == Org(name="acme", issues=2)
    assert acme.collect(Everything, Org.key.partition("acme")).org.issues == 2
    assert acme.count(Issue.key.partition("acme")) == 2


def test_scoped_store_writes_its_tenant(acme: Store, whole: Store) -> None:
    acme.create(Issue(org="acme", number=3, slug="third"))
    acme.update(Issue.key("acme", 3), Issue.slug.set("3rd"), Issue.state.set("closed"))
    acme.put_many([Comment(org="acme", issue=3, number=1)])
    with acme.transaction() as transaction:
        transaction.delete(Issue.key("acme", 1))
        transaction.check(Org.key("acme"))
    assert [one.number for one in whole.query(Issue.key.partition("acme"))] == [2, 3]
    assert whole.get(Org.key("acme")) == Org(name="acme", issues=2)


def test_cursors_work_in_a_scope(acme: Store, whole: Store) -> None:
    first = acme.page(issues("acme"), 1)
    second = acme.page(issues("acme"), 1, cursor=first.cursor)
    assert [one.number for one in (*first.items, *second.items)] == [1, 2]
    foreign = whole.page(issues("other"), 1)
    with pytest.raises(InvalidCursor):
        acme.page(issues("acme"), 1, cursor=foreign.cursor)


CALLS: dict[str, Callable[[Store], object]] = {
    "get": lambda s: s.get(Issue.key("other", 1)),
    "key of a pattern": lambda s: s.get(one_issue("other", 1)),
    "find": lambda s: s.find(Issue.one_slug("other", "first")),
    "create": lambda s: s.create(Issue(org="other", number=3)),
    "put": lambda s: s.put(Comment(org="other", issue=1, number=2)),
    "update": lambda s: s.update(Issue.key("other", 1), Issue.title.set("new")),
    "delete": lambda s: s.delete(Issue.key("other", 1)),
    "get_many": lambda s: s.get_many([Issue.key("acme", 1), Issue.key("other", 1)]),
    "put_many": lambda s: s.put_many(
        Comment(org="acme" if number < 40 else "other", issue=1, number=number)
        for number in range(41)
    ),
    "delete_many": lambda s: s.delete_many(
        [*(Comment.key("acme", 1, n) for n in range(30)), Comment.key("other", 1, 1)]
    ),
    "query": lambda s: list(s.query(Issue.key.partition("other"))),
    "query of an index": lambda s: list(s.query(Issue.in_state("other", "open"))),
    "page": lambda s: s.page(Issue.key.partition("other"), 1),
    "count": lambda s: s.count(Issue.key.partition("other")),
    "collect": lambda s: s.collect(Everything, Org.key.partition("other")),
    "shards": lambda s: list(s.query(Visit.key.partition("other"))),
    "transact_get": lambda s: s.transact_get(Issue.key("acme", 1), Issue.key("other", 1)),
    "transaction": lambda s: transact(
        s,
        lambda to: to.update(Issue.key("acme", 1), Issue.title.set("new")),
        lambda to: to.delete(Issue.key("other", 1)),
    ),
    "record of another tenant": lambda s: s.get(Org.key("other")),
}
NOT_SCOPED: dict[str, tuple[Callable[[Store], object], str]] = {
    "entity without the field": (lambda s: s.get(Country.key("de")), "also=(Country,)"),
    "index without the field": (lambda s: list(s.query(Comment.of_author("ada"))), "AUTHOR"),
    "unique value of all tenants": (
        lambda s: s.create(User(org="acme", name="ada", email="a@b.c")),
        "also=(User.one_email,)",
    ),
    "case-insensitive key": (lambda s: s.put(Domain(org="acme")), "exactly"),
    "scan": (lambda s: list(s.admin.scan(Issue)), "Scan"),
    "items": (lambda s: s.admin.items(tracker, 5), "Scan"),
    "clear": (lambda s: s.admin.clear(tracker), "Scan"),
    "table": (lambda s: s.admin.create_table(tracker), "CreateTable"),
    "changes": (lambda s: s.changes(Issue), "ReadChanges"),
}


@pytest.mark.parametrize("name", CALLS)
def test_keys_of_another_tenant_are_rejected(whole: Store, acme: Store, name: str) -> None:
    before = whole.admin.items(tracker, 100).items
    with pytest.raises(OutOfScope) as raised:
        CALLS[name](acme)
    assert "other" in str(raised.value)
    assert raised.value.key is not None
    assert raised.value.scope == {"org": "acme"}
    assert whole.admin.items(tracker, 100).items == before


@pytest.mark.parametrize("name", NOT_SCOPED)
def test_calls_without_a_scope_are_rejected(whole: Store, acme: Store, name: str) -> None:
    before = whole.admin.items(tracker, 100).items
    call, advice = NOT_SCOPED[name]
    with pytest.raises(OutOfScope) as raised:
        call(acme)
    assert advice in str(raised.value)
    assert raised.value.key is None
    assert whole.admin.items(tracker, 100).items == before


def test_shared_entities_and_values_are_allowed(whole: Store) -> None:
    acme = whole.scoped(org="acme", also=[Country, User.one_email])
    acme.put(Country(code="de"))
    acme.create(User(org="acme", name="ada", email="a@b.c"))
    assert acme.find(User.one_email("A@b.c")) is not None
    # The marker is shared; its owner is not.
    other = whole.scoped(org="other", also=[User.one_email])
    with pytest.raises(OutOfScope):
        other.find(User.one_email("a@b.c"))
    with pytest.raises(OutOfScope):
        acme.get(User.key("other", "ada"))


def test_narrower_scope_needs_all_fields(acme: Store) -> None:
    narrow = acme.scoped(issue=1)
    assert len(list(narrow.query(Comment.key.partition("acme", 1)))) == 1
    for key in (Comment.key("acme", 2, 1), Issue.key("acme", 1)):
        with pytest.raises(OutOfScope):
            narrow.get(key)
    assert acme.get(Issue.key("acme", 1)) is not None


# In-memory only: what follows is rejected before any driver is called.
@pytest.fixture
def memory() -> Store:
    return open_store(tracker, levels)


# The items are checked and written window by window.
def test_bulk_load_stops_at_an_item_of_another_tenant(memory: Store) -> None:
    ranks = [Rank(org="acme", name=f"{number:04}", level=1) for number in range(900)]
    ranks[850] = Rank(org="other", name="ada", level=1)
    with pytest.raises(OutOfScope):
        memory.scoped(org="acme").bulk_load(ranks)
    assert [memory.count(Rank.at_level(org, 1)) for org in ("acme", "other")] == [800, 0]


def test_index_with_two_partition_keys_is_scoped(memory: Store) -> None:
    memory.put_many([Rank(org=org, name="ada", level=1) for org in ("acme", "other")])
    acme = memory.scoped(org="acme")
    assert [one.org for one in acme.hydrate(Rank.at_level("acme", 1))] == ["acme"]
    with pytest.raises(OutOfScope):
        acme.count(Rank.at_level("other", 1))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "expects a value"),
        ({"orgg": "acme"}, "no entity has a field orgg"),
        ({"org": None}, "None"),
        ({"org": ""}, "empty"),
        ({"org": 7}, "org"),
        ({"org": "acme", "also": [7]}, "expected entities"),
        ({"org": "acme", "also": Country}, "also"),
    ],
)
def test_invalid_scope_is_rejected(memory: Store, arguments: Any, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        memory.scoped(**arguments)


def test_conflicting_scopes_are_rejected(memory: Store) -> None:
    with pytest.raises(InvalidValue, match="already restricted"):
        memory.scoped(org="acme").scoped(org="other")
    with pytest.raises(InvalidValue, match="cannot share more"):
        memory.scoped(org="acme").scoped(issue=1, also=[Country])
    assert memory.scoped(org="acme").scoped(org="acme").get(Issue.key("acme", 1)) is None


OPERATIONS: list[Operation[Any]] = [
    Scan("tracker"),
    ListTables(),
    PutItem("tracker", {"PK": {"S": "ORG#other"}, "SK": {"S": "x"}}),
    PutItem("tracker", {"SK": {"S": "x"}}),
    PutItem("unknown", {"PK": {"S": "ORG#acme"}, "SK": {"S": "x"}}),
    PutItem("tracker", {"PK": {"S": "ORG#acme\n"}, "SK": {"S": "x"}}),
    PutItem("tracker", {"PK": {"S": "ORG#acme#x"}, "SK": {"S": "x"}}),
    BatchGetItem({"tracker": KeysAndAttributes([{"PK": {"S": "ORG#b"}, "SK": {"S": "x"}}])}),
    Query(
        "tracker",
        key_condition_expression="PK = :v",
        expression_attribute_values={":v": {"S": "ORG#other"}},
    ),
    Query("tracker", index_name="GSI9", key_condition_expression="PK = :v"),
]


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_driver_of_a_scoped_store_is_scoped(memory: Store, operation: Operation[Any]) -> None:
    with pytest.raises(OutOfScope):
        memory.scoped(org="acme").driver.execute(operation)


texts = st.text(min_size=1, max_size=8) | st.sampled_from(
    ["acme", "acme#ISSUE", "acme#", "#acme", "$23acme", "ORG#acme", "acme$23", "ACME", " acme"]
)
designs = Table("designs")


class Before(Entity, table=designs):
    """Another field precedes the one of the scope."""

    a: Attr[str] = attr()
    org: Attr[str] = attr()
    b: Attr[str] = attr()
    key = Key(pk=("X", a, org), sk=b)


class After(Entity, table=designs):
    """Has partition keys of the same shape, with the field in another place."""

    org: Attr[str] = attr()
    a: Attr[str] = attr()
    b: Attr[str] = attr()
    key = Key(pk=("X", org, a), sk=("AFTER", b))


class Plain(Entity, table=designs):
    a: Attr[str] = attr()
    org: Attr[str] = attr()
    key = Key(pk=("ORG", org), sk=a)


@given(texts, texts, texts, texts)
def test_no_value_of_another_tenant_is_in_the_scope(
    scope: str, other: str, first: str, second: str
) -> None:
    store = open_store(designs)
    keys: list[ItemKey[Any]] = [
        Before.key(first, other, second),
        After.key(other, first, second),
        key_of(Plain(org=other, a=first)),
    ]
    scoped = store.scoped(org=scope)
    for key in keys:
        if scope == other and key.entity is Plain:
            assert scoped.get(key) is None
        elif scope != other:
            with pytest.raises(OutOfScope):
                scoped.get(key)


# Their keys begin alike, or contain a separator.
TENANTS = ("a", "ab", "a#b", "a b", "A")
files = Table("files", ttl="until")


class Folder(Entity, table=files):
    org: Attr[str] = attr()
    name: Attr[str] = attr()
    until: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("ORG", org), sk=("FOLDER", name))
    one_name = Unique(org, name)


class Alias(Entity, table=files):
    """Its marker is in a scope that the alias itself is not in."""

    name: Attr[str] = attr()
    org: Attr[str] = attr()
    key = Key(pk=("ALIAS", name), sk="ALIAS")
    one_org = Unique(org)


def tenant_items(org: str) -> list[Any]:
    issues = [Issue(org=org, number=number, slug=f"s{number}") for number in range(30)]
    visits = [Visit(org=org, page=f"/{number}") for number in range(3)]
    user = User(org=org, name="ada", email=f"{TENANTS.index(org)}@b.c")
    return [Org(name=org), user, *issues, Comment(org=org, issue=1, number=1), *visits]


def stored_items(store: Store, *tables: Table) -> list[str]:
    return sorted(str(item) for table in tables for item in store.admin.items(table, 9999).items)


# What is left is as if the tenant had never been there: markers and counters, too.
@pytest.mark.parametrize("segments", [1, 3])
def test_delete_scope_deletes_what_a_tenant_owns_and_nothing_else(
    opener: StoreOpener, segments: int
) -> None:
    store = opener.open()
    for table in (tracker, designs):
        store.admin.create_table(table)
    store.put(Country(code="a"))
    for org in TENANTS[1:]:
        store.bulk_load(tenant_items(org))
    expected = stored_items(store, tracker)
    store.bulk_load(tenant_items("a"))
    everything = stored_items(store, tracker)
    tenant = store.scoped(org="a", also=[User.one_email])
    owned = tenant_items("a")
    found = list(tenant.scan_scope(tracker, segments=segments))
    assert {str(key_of(one)) for one in found} == {str(key_of(one)) for one in owned}
    dry = tenant.delete_scope(tracker, segments=segments, dry_run=True)
    assert dry == DeleteResult(deleted=len(owned), kept=0)
    assert stored_items(store, tracker) == everything
    progress: list[int] = []
    result = tenant.delete_scope(
        tracker, segments=segments, on_progress=lambda one: progress.append(one.done)
    )
    assert result == dry
    assert progress[-1] == len(owned)
    assert stored_items(store, tracker) == expected
    assert tenant.delete_scope(tracker).deleted == 0
    assert list(tenant.scan_scope(designs)) == []


# A marker outlives its owner if that has expired.
def test_delete_scope_deletes_markers_without_owners(memory: Store) -> None:
    memory.admin.create_table(files)
    moment = datetime.now(UTC)
    for org in ("a", "ab"):
        memory.create(Folder(org=org, name="gone", until=moment - timedelta(days=1)))
        memory.create(Folder(org=org, name="new"))
        memory.create(Alias(name=f"of {org}", org=org))
        # DynamoDB deletes an expired item by itself, without its marker.
        memory.driver.execute(DeleteItem("files", Folder.key(org, "gone").key))
    left = memory.scoped(org="a").delete_scope(files)
    assert left.deleted == 1
    partitions = sorted(str(item["PK"]["S"]) for item in memory.admin.items(files, 99).items)
    aliases = [f"{part}{org}" for part in ("ALIAS#of ", "UNIQUE#Alias#org#") for org in ("a", "ab")]
    names = [f"UNIQUE#Folder#org+name#ab#{name}" for name in ("gone", "new")]
    assert partitions == sorted([*aliases, "ORG#ab", *names])


# The partitions of a scope are queried if its value determines them.
def test_scope_is_read_by_queries_if_possible(memory: Store) -> None:
    memory.put_many([Rank(org=org, name="ada", level=1) for org in TENANTS])
    requests: list[str] = []
    tenant = memory.scoped(org="a#b").observed(
        lambda call: requests.extend(type(one.operation).__name__ for one in call.requests)
    )
    assert [one.org for one in tenant.scan_scope(levels)] == ["a#b"]
    assert tenant.delete_scope(levels).deleted == 1
    assert requests == ["Query", "Query", "BatchWriteItem"]
    assert {one.org for one in memory.admin.scan(Rank)} == {*TENANTS} - {"a#b"}


def test_undeclared_items_of_a_scope_raise_unless_kept_or_deleted(memory: Store) -> None:
    memory.driver.execute(PutItem("tracker", {"PK": {"S": "ORG#a"}, "SK": {"S": "other"}}))
    tenant = memory.scoped(org="a")
    with pytest.raises(ItemMismatch):
        list(tenant.scan_scope(tracker))
    with pytest.raises(ItemMismatch):
        tenant.delete_scope(tracker)
    assert tenant.delete_scope(tracker, undeclared="keep") == DeleteResult(0, 1)
    assert tenant.delete_scope(tracker, undeclared="delete") == DeleteResult(1, 0)


INVALID_CALLS: list[tuple[Callable[[Store], object], str]] = [
    (lambda s: s.scan_scope(tracker), "store with a scope"),
    (lambda s: s.delete_scope(tracker), "store with a scope"),
    (lambda s: s.scoped(issue=1).delete_scope(levels), "No entity"),
    (lambda s: s.scoped(org="a").scan_scope(tracker, segments=0), "segments"),
    (lambda s: s.scoped(org="a").delete_scope("tracker"), "Table"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "message"), INVALID_CALLS)
def test_invalid_calls_on_a_scope_are_rejected(
    memory: Store, call: Callable[[Store], object], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        call(memory)

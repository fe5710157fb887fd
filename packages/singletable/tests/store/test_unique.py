"""Unique values: no two items share one, and no marker is left behind."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import GetItem, Scan, UpdateItem
from dynamodb_engine.values import Item
from singletable.errors import AlreadyExists, ConditionFailed, InvalidValue
from singletable.schema import Attr, Entity, Key, Table, Unique, attr, casefold, version
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, expect_error, open_store, transact
from tools.testing.designs.members import Member, check_markers, members

ADA, BEA = Member.key("ada"), Member.key("bea")
plain = Table("plain", pk="id", sk=None)


class Site(Entity, table=plain):
    name: Attr[str] = attr()
    domain: Attr[str] = attr()
    port: Attr[int] = attr(default=80)
    version: Attr[int] = version()
    key = Key(pk=("SITE", name))
    where = Unique(casefold(domain), port)


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(members)
    empty.create(Member(name="ada", email="Ada@x.org", handle="ada"))
    return empty


def test_duplicate_unique_value_raises(store: Store, opener: StoreOpener) -> None:
    with pytest.raises(AlreadyExists, match="email") as raised:
        store.create(Member(name="bea", email="ADA@X.ORG"))
    assert raised.value.fields == ("email",)
    with pytest.raises(AlreadyExists):
        store.put(Member(name="bea", email="ada@x.org"))
    store.create(Member(name="bea", email="bea@x.org"))
    writes: list[Callable[[], object]] = [
        lambda: store.update(BEA, Member.email.set("ADA@x.org")),
        lambda: store.replace(Member(name="bea", email="ada@x.org")),
        lambda: transact(store, lambda to: to.update(BEA, Member.email.set("ADA@x.org"))),
    ]
    for write in writes:
        with pytest.raises(AlreadyExists):
            write()
    assert existing(store.get(BEA)).email == "bea@x.org"
    check_markers(opener.driver)


def test_find_returns_the_owner(store: Store) -> None:
    found = store.find(Member.one_email("aDa@x.org"))
    assert found == store.get(ADA)
    assert store.find(Member.one_email("nobody@x.org")) is None
    assert store.find(Member.one_handle("ada")) == found


def test_update_releases_the_old_value(store: Store, opener: StoreOpener) -> None:
    store.update(ADA, Member.email.set("new@x.org"))
    assert store.find(Member.one_email("ada@x.org")) is None
    store.create(Member(name="bea", email="ada@x.org"))
    ada = existing(store.get(ADA))
    ada.email = "third@x.org"
    store.put(ada)
    ada.email = "fourth@x.org"
    store.replace(ada)
    assert store.find(Member.one_email("fourth@x.org")) == ada
    assert store.find(Member.one_email("new@x.org")) is None
    check_markers(opener.driver)


def test_unchanged_value_keeps_its_marker(store: Store, opener: StoreOpener) -> None:
    ada = existing(store.get(ADA))
    store.put(ada)
    store.update(ADA, Member.email.set("ADA@X.ORG"))
    store.update(ADA, Member.town.set("Bern"))
    assert store.find(Member.one_email("ada@x.org")) == store.get(ADA)
    check_markers(opener.driver)


def test_absent_values_are_not_unique(store: Store, opener: StoreOpener) -> None:
    store.create(Member(name="bea"))
    store.create(Member(name="cid"))
    store.update(ADA, Member.email.set(None))
    assert store.find(Member.one_email("ada@x.org")) is None
    store.update(BEA, Member.email.set("ada@x.org"))
    check_markers(opener.driver)


def test_delete_releases_all_values(store: Store, opener: StoreOpener) -> None:
    store.delete(ADA)
    check_markers(opener.driver)
    store.create(Member(name="bea", email="ada@x.org"))
    check_markers(opener.driver)


def test_marker_copies_follow_the_owner(store: Store, opener: StoreOpener) -> None:
    key: Item = {"PK": {"S": "EMAIL#ada@x.org"}, "SK": {"S": "EMAIL"}}
    marker = existing(opener.driver.execute(GetItem("members", key)).item)
    assert marker["type"] == {"S": "marker"}
    assert "town" not in marker
    store.update(ADA, Member.town.set("Bern"))
    marker = existing(opener.driver.execute(GetItem("members", key)).item)
    assert marker["town"] == {"S": "Bern"}


# How an item gets another key: the value is handed over in one transaction.
def test_transaction_passes_a_unique_value_to_another_item(
    store: Store, opener: StoreOpener
) -> None:
    with store.transaction() as transaction:
        transaction.create(Member(name="lovelace", email="ada@x.org", handle="ada"))
        transaction.delete(ADA)
    assert existing(store.find(Member.one_email("ada@x.org"))).name == "lovelace"
    check_markers(opener.driver)


def test_transaction_swaps_values(store: Store, opener: StoreOpener) -> None:
    store.create(Member(name="bea", email="bea@x.org"))
    with store.transaction() as transaction:
        transaction.update(ADA, Member.email.set("bea@x.org"))
        transaction.update(BEA, Member.email.set("ada@x.org"))
    assert existing(store.find(Member.one_email("ada@x.org"))).name == "bea"
    check_markers(opener.driver)


def test_transaction_rejects_duplicate_values(store: Store, opener: StoreOpener) -> None:
    with expect_error(AlreadyExists), store.transaction() as transaction:
        transaction.create(Member(name="bea", email="new@x.org"))
        transaction.create(Member(name="cid", email="NEW@x.org"))
    assert store.get(BEA) is None
    check_markers(opener.driver)


# From before the constraint was declared: two items have the value, and one has the marker.
def test_marker_of_another_owner_is_not_released(store: Store, opener: StoreOpener) -> None:
    store.create(Member(name="bea"))
    opener.driver.execute(
        UpdateItem(
            "members",
            BEA.key,
            update_expression="SET email = :email",
            expression_attribute_values={":email": {"S": "ada@x.org"}},
        )
    )
    assert store.delete(BEA) is not None
    assert existing(store.find(Member.one_email("ada@x.org"))).name == "ada"


def test_several_fields_form_a_unique_value(empty: Store, opener: StoreOpener) -> None:
    empty.admin.create_table(plain)
    empty.create(Site(name="a", domain="x.org"))
    empty.create(Site(name="b", domain="x.org", port=443))
    with pytest.raises(AlreadyExists) as raised:
        empty.create(Site(name="c", domain="X.ORG"))
    assert raised.value.fields == ("domain", "port")
    assert existing(empty.find(Site.where("x.org", 443))).name == "b"
    with pytest.raises(AlreadyExists):
        empty.update(Site.key("a"), Site.port.add(443 - 80))
    with pytest.raises(InvalidValue):
        empty.find(Site.where("x.org"))  # type: ignore[call-overload]
    empty.delete(Site.key("a"))
    empty.delete(Site.key("b"))
    assert opener.driver.execute(Scan("plain")).items == []


def test_concurrent_creates_do_not_share_a_value() -> None:
    engine = Engine.in_memory()
    store = open_store(members, driver=engine)

    def take(worker: int) -> int:
        won = 0
        for turn in range(10):
            name = f"m{worker}"
            try:
                if turn % 3 == 0:
                    store.put(Member(name=name, email=f"e{turn}@x.org"))
                elif turn % 3 == 1:
                    store.update(Member.key(name), Member.email.set(f"e{turn}@x.org"))
                else:
                    store.delete(Member.key(name))
            except ConditionFailed:
                continue
            won += 1
        return won

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(take, range(16))) > 0
    check_markers(engine)
    emails = [one.email for one in store.admin.scan(Member) if one.email is not None]
    assert len(emails) == len(set(emails))
    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(partial(_tries, store), range(16)))
    assert sum(results) == 1
    check_markers(engine)


def _tries(store: Store, worker: int) -> bool:
    try:
        store.create(Member(name=f"late{worker}", email="late@x.org"))
    except AlreadyExists:
        return False
    return True

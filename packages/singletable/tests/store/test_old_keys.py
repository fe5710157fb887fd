"""Old key formats: an item is found under its old key, and moves to the new one when written."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from singletable import errors
from singletable.engine import Engine
from singletable.operations import GetItem, PutItem, Scan
from singletable.schema import (
    Attr,
    Count,
    Edit,
    Entity,
    Index,
    Key,
    OldKey,
    Table,
    Unique,
    attr,
    key_of,
    padded,
    version,
)
from singletable.schema.model import model_of
from singletable.store import Call, Store
from singletable.testing import InterruptedDriver, StoreClock
from singletable.values import Item
from tests.store.stores import existing, open_store, transact

by_owner = Index("by_owner", pk="GSI1PK", sk="GSI1SK")
former_by_owner = Index("by_owner", pk="GSI1PK", sk="GSI1SK")
former = Table("accounts", indexes=[former_by_owner])
table = Table("accounts", indexes=[by_owner])


class FormerBank(Entity, table=former):
    name: Attr[str] = attr()
    accounts: Attr[int] = attr(default=0)
    key = Key(pk=("BANK", name), sk="BANK")


class FormerAccount(Entity, table=former):
    bank: Attr[str] = attr()
    number: Attr[int] = attr()
    owner: Attr[str] = attr()
    email: Attr[str | None] = attr(default=None)
    balance: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    key = Key(pk=("BANK", bank), sk=("ACCOUNT", padded(number, 4)))
    of_owner = Key(pk=("OWNER", owner), sk=("ACCOUNT", padded(number, 4))).on(former_by_owner)
    one_email = Unique(email, pk=("EMAIL", email), sk="EMAIL")
    counted = Count(FormerBank, FormerBank.accounts, key=(bank,))


class Bank(Entity, table=table):
    name: Attr[str] = attr()
    accounts: Attr[int] = attr(default=0)
    key = Key(pk=("BANK", name), sk="BANK")


class Account(Entity, table=table):
    bank: Attr[str] = attr()
    number: Attr[int] = attr()
    owner: Attr[str] = attr()
    email: Attr[str | None] = attr(default=None)
    balance: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    key = Key(
        pk=("BANK", bank),
        sk=("ACCOUNT", padded(number, 8)),
        old=(OldKey(pk=("BANK", bank), sk=("ACCOUNT", padded(number, 4))),),
    )
    of_owner = Key(pk=("OWNER", owner), sk=("ACCOUNT", padded(number, 8))).on(by_owner)
    one_email = Unique(email, pk=("EMAIL", email), sk="EMAIL")
    counted = Count(Bank, Bank.accounts, key=(bank,))


KEY = Account.key("city", 7)


TABLES = (table,)


def _fill(store: Store) -> Store:
    """Create an account under the old key."""
    store.create(FormerBank(name="city"))
    store.create(FormerAccount(bank="city", number=7, owner="ada", email="a@x", balance=5))
    return store


@pytest.fixture
def local() -> Store:
    """Return a store in memory with an account under the old key."""
    return _fill(open_store(table, clock=StoreClock()))


def sort_keys(store: Any) -> list[str]:
    """Return the sort keys of all items."""
    items = store.admin.items(table, 100).items
    return sorted(str(item["SK"].get("S")) for item in items)


OLD, NEW = "ACCOUNT#0007", "ACCOUNT#00000007"


def test_reads_find_an_item_under_its_old_key(store: Store) -> None:
    _fill(store)
    account = existing(store.get(KEY))
    assert (account.owner, account.balance) == ("ada", 5)
    assert store.get(KEY, consistent=True) == account
    assert store.get_many([KEY, Account.key("city", 8)]) == [account, None]
    assert store.transact_get(KEY, Account.key("city", 8)) == (account, None)
    assert list(store.query(Account.key.partition("city"))) == [account]
    assert list(store.query(Account.of_owner("ada"))) == [account]
    assert list(store.hydrate(Account.of_owner("ada"))) == [account]
    assert list(store.select(Account.of_owner("ada"), Account.number)) == [(7,)]
    assert list(store.admin.scan(Account)) == [account]
    assert store.find(Account.one_email("a@x")) == account
    assert OLD in sort_keys(store)


def _deposit(account: Account) -> None:
    account.balance += 2


def _replaced() -> Account:
    account = Account(bank="city", number=7, owner="ada", email="a@x", balance=7)
    account.revision = 1
    return account


# New values of the key's other fields, if the item were created.
NAMES: list[Edit[Account]] = [Account.owner.set("bob")]

# Writes by a store or in a transaction.
WRITES: dict[str, Callable[[Any], object]] = {
    "update": lambda to: to.update(KEY, Account.balance.add(2)),
    "upsert": lambda to: to.upsert(KEY, Account.balance.add(2), on_create=NAMES),
    "modify": lambda to: to.modify(KEY, _deposit),
    "put": lambda to: to.put(_replaced()),
    "replace": lambda to: to.replace(_replaced()),
}


@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
@pytest.mark.parametrize("name", WRITES)
def test_a_write_moves_the_item(name: str, together: bool, local: Store) -> None:
    store = local
    if together and name != "modify":
        transact(store, WRITES[name])
    else:
        WRITES[name](store)
    account = existing(store.get(KEY))
    assert (account.balance, account.owner, account.revision) == (7, "ada", 2)
    assert OLD not in sort_keys(store)
    assert NEW in sort_keys(store)
    bank = existing(store.get(Bank.key("city")))
    assert bank.accounts == 1
    assert store.find(Account.one_email("a@x")) == account
    with pytest.raises(errors.AlreadyExists):
        store.create(Account(bank="city", number=8, owner="bob", email="a@x"))
    assert [one.number for one in store.query(Account.of_owner("ada"))] == [7]
    assert store.delete(KEY) == account
    bank = existing(store.get(Bank.key("city")))
    assert bank.accounts == 0


def test_update_moves_the_item_on_every_driver(store: Store) -> None:
    _fill(store)
    assert store.update(KEY, Account.email.set("b@x")).email == "b@x"
    assert store.find(Account.one_email("a@x")) is None
    assert OLD not in sort_keys(store)
    assert store.update(KEY, Account.balance.add(1), returning="old").balance == 5


def test_conditions_are_tested_under_the_old_key(local: Store) -> None:
    store, rich = local, Account.balance > 100
    before = sort_keys(store)
    failing: list[Callable[[], object]] = [
        lambda: store.update(KEY, Account.balance.add(2), if_=rich),
        lambda: store.upsert(KEY, Account.balance.add(2), on_create=NAMES, if_=rich),
        lambda: store.put(_replaced(), if_=rich),
        lambda: store.delete(KEY, if_=rich),
        lambda: store.update(KEY, if_=rich),
        lambda: transact(store, lambda to: to.check(KEY, rich)),
        lambda: store.create(Account(bank="city", number=7, owner="bob")),
        lambda: store.put(Account(bank="city", number=7, owner="bob")),
    ]
    for write in failing:
        with pytest.raises(errors.ConditionFailed):
            write()
    with pytest.raises(errors.VersionConflict):
        store.update(KEY, Account.balance.add(1), if_=Account.revision == 3)
    transact(store, lambda to: to.check(KEY, Account.balance == 5))
    assert store.update(KEY, if_=Account.balance == 5).number == 7
    assert sort_keys(store) == before


def test_a_delete_removes_the_item_under_its_old_key(local: Store) -> None:
    assert existing(local.delete(KEY)).balance == 5
    assert local.get(KEY) is None
    local.create(Account(bank="city", number=9, owner="bob", email="a@x"))
    with pytest.raises(errors.NotFound):
        local.update(KEY, Account.balance.add(1))


def test_a_partition_is_deleted_with_items_under_old_keys(local: Store) -> None:
    assert local.delete_partition(Account.key.partition("city")).deleted == 2
    assert sort_keys(local) == []


def test_batches_reject_entities_with_old_keys(local: Store) -> None:
    with pytest.raises(errors.InvalidValue, match="has old keys"):
        local.put_many([Account(bank="city", number=8, owner="bob")])
    with pytest.raises(errors.InvalidValue, match="has old keys"):
        local.delete_many([KEY])


def test_bulk_load_skips_items_under_an_old_key(local: Store) -> None:
    same = Account(bank="city", number=7, owner="ada", email="a@x", balance=5)
    other = Account(bank="city", number=8, owner="bob")
    result = local.bulk_load([same, other])
    assert (result.skipped, result.written) == (1, 1)
    assert OLD in sort_keys(local)


def test_values_that_do_not_fit_the_old_key_are_new(local: Store) -> None:
    key = Account.key("city", 12345)
    assert local.get(key) is None
    assert local.get_many([key]) == [None]
    assert local.transact_get(key) == (None,)
    local.create(Account(bank="city", number=12345, owner="ada"))
    assert local.update(key, Account.balance.add(1)).balance == 1
    assert [one.number for one in local.query(Account.key.partition("city"))] == [12345, 7]
    assert local.delete(key) is not None


def test_clear_keeps_an_item_under_its_old_key(local: Store) -> None:
    local.admin.clear(table, keep=[KEY])
    assert local.get(KEY) is not None
    assert local.find(Account.one_email("a@x")) is not None


def test_parsed_keys_are_new_keys(local: Store) -> None:
    old = next(item for item in local.admin.items(table, 9).items if item["SK"].get("S") == OLD)
    assert Account.key.parse(old) == KEY
    assert local.admin.decode(table, old) == local.get(KEY)


CALLS: dict[str, Callable[[Store], Account | None]] = {
    "get": lambda s: s.get(KEY),
    "get_many": lambda s: s.get_many([KEY])[0],
    "transact_get": lambda s: s.transact_get(KEY)[0],
    "find": lambda s: s.find(Account.one_email("a@x")),
    "hydrate": lambda s: next(s.hydrate(Account.of_owner("ada"))),
    "modify": lambda s: s.modify(KEY, _deposit),
    "update": lambda s: s.update(KEY, Account.balance.add(2)),
}


# Another program moves the account before one of the requests.
@pytest.mark.parametrize("before", range(4))
@pytest.mark.parametrize("name", CALLS)
def test_a_move_at_any_moment_loses_nothing(name: str, before: int, local: Store) -> None:
    def move() -> None:
        local.update(KEY, Account.balance.add(10))

    driver = InterruptedDriver(local.driver, before=move, first=before)
    assert CALLS[name](Store(driver, clock=StoreClock())) is not None
    moved = 10 if driver.count > before else 0
    balance = 5 + moved + (2 if name in ("modify", "update") else 0)
    assert existing(local.get(KEY)).balance == balance
    assert len([key for key in sort_keys(local) if key.startswith("ACCOUNT")]) == 1


added = Table("added")


class Shop(Entity, table=added, schema_version=2):
    """A shop, whose key got a region."""

    region: Attr[str] = attr(default="eu", key_only=True)
    name: Attr[str] = attr()
    title: Attr[str] = attr(default="")
    key = Key(pk=("SHOP", region, name), sk="SHOP", old=(OldKey(pk=("SHOP", name), sk="SHOP"),))


class ShopV1(Entity):
    """The fields of version 1."""

    name: Attr[str] = attr()
    sign: Attr[str] = attr()


@Shop.upgrade(from_=1)
def rename_sign(old: ShopV1) -> Shop:
    """Call the sign a title."""
    return Shop(name=old.name, title=old.sign)


def test_a_part_that_was_added_has_its_default_in_old_keys() -> None:
    engine = Engine.in_memory()
    store = open_store(added, driver=engine, clock=StoreClock())
    old: Item = {"PK": {"S": "SHOP#a"}, "SK": {"S": "SHOP"}, "name": {"S": "a"}, "sign": {"S": "A"}}
    engine.execute(PutItem("added", old))
    shop = Shop(region="eu", name="a", title="A")
    assert store.get(Shop.key("eu", "a")) == shop
    # The same old key, but another item.
    assert store.get(Shop.key("us", "a")) is None
    store.create(Shop(region="us", name="a"))
    assert store.get(Shop.key("eu", "a")) == shop
    assert store.update(Shop.key("eu", "a"), Shop.title.set("B")).title == "B"
    keys = [item["PK"]["S"] for item in engine.execute(Scan("added")).items]
    assert sorted(keys) == ["SHOP#eu#a", "SHOP#us#a"]
    assert store.delete(Shop.key("us", "a")) is not None


def test_random_writes_of_items_under_old_and_new_keys_agree_with_a_model() -> None:
    store = open_store(table, clock=StoreClock())
    store.create(Bank(name="city"))
    chance = random.Random(7)
    expected: dict[int, int] = {}
    for number in range(6):
        store.create(FormerAccount(bank="city", number=number, owner="ada", email=f"{number}@x"))
        expected[number] = 0
    for _ in range(200):
        number = chance.randrange(8)
        key, known = Account.key("city", number), number in expected
        match chance.choice(["add", "upsert", "delete", "create", "modify"]):
            case "add" if known:
                store.update(key, Account.balance.add(1))
                expected[number] += 1
            case "upsert":
                on_create = [Account.owner.set("ada"), Account.email.set(f"{number}@x")]
                store.upsert(key, Account.balance.add(1), on_create=on_create)
                expected[number] = expected.get(number, 0) + 1
            case "delete":
                assert (store.delete(key) is not None) == known
                expected.pop(number, None)
            case "create":
                new = Account(bank="city", number=number, owner="ada", email=f"{number}@x")
                if known:
                    with pytest.raises(errors.AlreadyExists):
                        store.create(new)
                else:
                    store.create(new)
                    expected[number] = 0
            case "modify" if known:
                store.modify(key, _deposit)
                expected[number] += 2
            case _:
                pass
        found = {one.number: one.balance for one in store.query(Account.of_owner("ada"))}
        assert found == expected
        assert existing(store.get(Bank.key("city"))).accounts == len(expected)
    for number in expected:
        assert store.find(Account.one_email(f"{number}@x")) is not None


# The item may have moved between the first two reads.
def test_missing_item_is_read_under_its_new_key_again_consistently(calls: list[Call]) -> None:
    store = open_store(table, clock=StoreClock(), observers=[calls.append])
    assert store.get(KEY) is None
    reads = [sent.operation for sent in calls[-1].requests]
    assert [isinstance(one, GetItem) and one.consistent_read for one in reads] == [None, None, True]


def test_item_under_the_old_key_of_another_is_not_read() -> None:
    model = model_of(Account)
    item = model_of(FormerAccount).item(vars(FormerAccount(bank="city", number=7, owner="ada")))
    assert model.rekeyed(item)["SK"] == {"S": NEW}
    with pytest.raises(errors.ItemMismatch, match=OLD):
        model.rekeyed({**item, "number": {"N": "8"}})


def test_key_of_a_read_item_is_its_new_key(local: Store) -> None:
    account = existing(local.get(KEY))
    assert key_of(account) == KEY
    assert model_of(Account).old_keys[0].attributes(account.__dict__) is not None

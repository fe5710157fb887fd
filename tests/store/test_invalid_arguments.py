"""Invalid arguments raise before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from singletable.errors import DeclarationError, InvalidCursor, InvalidValue, SingleTableError
from singletable.schema import Attr, Condition, Edit, Entity, Key, attr
from singletable.store import Store, parse_stream_event
from tests.store.entities import Ballot, Candidate, Election, File, Voter, ballot, votes
from tests.store.member_entity import Member
from tests.store.stores import memory_store

ADA = Ballot.key("L", "ada")
ALL = Ballot.key.partition("L")


class Named(Entity):
    """Fields for others to inherit, without a table."""

    name: Attr[str] = attr()
    key = Key(pk=("NAMED", name), sk="NAMED")


def untyped(value: object) -> Any:
    """Return the value as Any, to hide it from type checkers."""
    return value


@pytest.fixture(scope="module")
def store() -> Store:
    store = memory_store(votes)
    store.put(ballot("ada"))
    return store


def any_of(conditions: list[Condition[Ballot]]) -> Condition[Ballot]:
    return reduce(lambda one, other: one | other, conditions)


def updating(*edits: Edit[Ballot]) -> Callable[[Any], object]:
    return lambda store: store.update(ADA, *edits)


def querying(where: Callable[[], Condition[Ballot]]) -> Callable[[Any], object]:
    return lambda store: [*store.query(ALL, where=where())]


MISTAKES: dict[str, tuple[Callable[[Any], object], type[SingleTableError], str]] = {
    **{
        f"{name} edits of one value": (updating(*edits), InvalidValue, "two edits change")
        for name, edits in {
            "two": (Ballot.rank.set(1), Ballot.rank.set(2)),
            "opposite": (Ballot.choice.set("x"), Ballot.choice.remove()),
            "nested": (Ballot.marks.set({}), Ballot.marks["a"].set(1)),
            "enclosing": (Ballot.marks["a"].set(1), Ballot.marks.set({})),
        }.items()
    },
    "101 options": (querying(lambda: Ballot.rank.in_(*range(101))), InvalidValue, "at most 100"),
    "reversed bounds": (querying(lambda: Ballot.rank.between(10, 9)), InvalidValue, "higher value"),
    "order of a map": (
        querying(lambda: Ballot.marks < {}),
        InvalidValue,
        "DynamoDB orders strings",
    ),
    "bounds of maps": (querying(lambda: Ballot.marks.between({}, {})), InvalidValue, "orders"),
    "a field and itself": (querying(lambda: Ballot.rank == Ballot.rank), InvalidValue, "itself"),
    "301 operators": (
        querying(lambda: any_of([Ballot.rank == 1] * 151)),
        InvalidValue,
        "300 operators, .* and 301 operators",
    ),
    "5,000 bytes": (
        querying(lambda: any_of([Ballot.rank.in_(*range(n, n + 99)) for n in range(0, 900, 99)])),
        InvalidValue,
        "at most 4,096 bytes",
    ),
    "get an instance": (lambda s: s.get(ballot("ada")), InvalidValue, "key_of"),
    "get a class": (lambda s: s.get(Ballot), InvalidValue, "Entity.key"),
    "get a text": (lambda s: s.get("ada"), InvalidValue, "expected an item key"),
    "get None": (lambda s: s.get(None), InvalidValue, "expected an item key"),
    "get a key": (lambda s: s.get(Ballot.key), InvalidValue, "expected an item key"),
    "delete an instance": (lambda s: s.delete(ballot("ada")), InvalidValue, "key_of"),
    "update an instance": (
        lambda s: s.update(ballot("ada"), Ballot.rank.set(1)),
        InvalidValue,
        "key_of",
    ),
    "create a class": (lambda s: s.create(Ballot), InvalidValue, r"Ballot\(…\)"),
    "create an address": (lambda s: s.create(ADA), InvalidValue, "expected an item"),
    "put a dict": (lambda s: s.put({"PK": "x"}), InvalidValue, "expected an item"),
    "replace None": (lambda s: s.replace(None), InvalidValue, "expected an item"),
    "put many classes": (lambda s: s.put_many([Ballot]), InvalidValue, r"Ballot\(…\)"),
    "put many of one": (lambda s: s.put_many(ballot("ada")), InvalidValue, "list of items"),
    "delete many of one": (lambda s: s.delete_many(ADA), InvalidValue, "list of item keys"),
    "get many instances": (lambda s: s.get_many([ballot("a")]), InvalidValue, "key_of"),
    "get many of None": (lambda s: s.get_many(None), InvalidValue, "list of item keys"),
    "together with an instance": (
        lambda s: s.transact_get(ballot("a")),
        InvalidValue,
        "key_of",
    ),
    "query an address": (lambda s: s.query(ADA), InvalidValue, "get()"),
    "query a class": (lambda s: s.query(Ballot), InvalidValue, "key.partition"),
    "query a key": (lambda s: s.query(Ballot.key), InvalidValue, "key.partition"),
    "count an address": (lambda s: s.count(ADA), InvalidValue, "get()"),
    "page of a text": (lambda s: s.page("L", 1), InvalidValue, "key.partition"),
    "fetch an address": (lambda s: s.hydrate(ADA), InvalidValue, "get()"),
    "pick of a class": (lambda s: s.select(Ballot, Ballot.rank), InvalidValue, "partition"),
    "pick nothing": (lambda s: s.select(ALL), InvalidValue, "at least one field"),
    "pick a text": (lambda s: s.select(ALL, "rank"), InvalidValue, "expected a field of Ballot"),
    "pick another's field": (
        lambda s: s.select(ALL, Voter.town),
        InvalidValue,
        "not a field of Ballot",
    ),
    "collect an entity": (lambda s: s.collect(Ballot, ALL), InvalidValue, "Collection"),
    "collect from an address": (lambda s: s.collect(File, ADA), InvalidValue, "get()"),
    "a bool as condition": (
        lambda s: s.put(ballot("ada"), if_=True),
        InvalidValue,
        "expected a condition on Ballot",
    ),
    "a bool as filter": (lambda s: s.query(ALL, where=False), InvalidValue, "a condition"),
    "an edit as condition": (
        lambda s: s.delete(ADA, if_=Ballot.rank.set(1)),
        InvalidValue,
        "a condition",
    ),
    "a condition as edit": (
        lambda s: s.update(ADA, Ballot.rank == 1),
        InvalidValue,
        "if_=",
    ),
    "another's condition": (
        lambda s: s.update(ADA, Ballot.rank.set(1), if_=Voter.town == "Bern"),
        InvalidValue,
        "not a field of Ballot",
    ),
    "another's field inside": (
        lambda s: s.query(ALL, where=(Ballot.rank == 1) & ~(untyped(Voter).town.size() > 1)),
        InvalidValue,
        "not a field of Ballot",
    ),
    "another's field beside": (
        lambda s: s.query(ALL, where=Ballot.choice == untyped(Voter).town),
        InvalidValue,
        "not a field of Ballot",
    ),
    # Both have a field `election`, stored under the same name; it belongs to the other entity all
    # the same.
    "another's twin": (
        lambda s: s.query(ALL, where=Candidate.election == "L"),
        InvalidValue,
        "not a field of Ballot",
    ),
    "another's edit": (
        lambda s: s.update(Election.key("L"), Candidate.name.set("x")),
        InvalidValue,
        "not a field of Election",
    ),
    "limit 0": (lambda s: s.query(ALL, limit=0), InvalidValue, "limit"),
    "limit -1": (lambda s: s.select(ALL, Ballot.rank, limit=-1), InvalidValue, "limit"),
    "limit of text": (lambda s: s.hydrate(ALL, limit="3"), InvalidValue, "limit"),
    "limit True": (lambda s: s.query(ALL, limit=True), InvalidValue, "limit"),
    "size 0": (lambda s: s.page(ALL, 0), InvalidValue, "size"),
    "size None": (lambda s: s.page(ALL, None), InvalidValue, "size"),
    "cursor of bytes": (lambda s: s.page(ALL, 1, cursor=b"x"), InvalidCursor, "is a string"),
    "cursor of number": (lambda s: s.page(ALL, 1, cursor=7), InvalidCursor, "is a string"),
    "returning both": (
        lambda s: s.update(ADA, Ballot.rank.set(1), returning="both"),
        InvalidValue,
        "'old' or 'new'",
    ),
    "items of a name": (lambda s: s.admin.items("vote_data", 1), InvalidValue, "Table"),
    "items, size 0": (lambda s: s.admin.items(votes, 0), InvalidValue, "size"),
    "read a name's item": (
        lambda s: s.admin.decode("vote_data", {}),
        InvalidValue,
        "Table",
    ),
    "read an instance": (lambda s: s.admin.decode(votes, ballot("ada")), InvalidValue, "stored"),
    "clear an entity": (lambda s: s.admin.clear(Ballot), InvalidValue, "Table"),
    "clear, keep one": (
        lambda s: s.admin.clear(votes, keep=ADA),
        InvalidValue,
        "list of item keys",
    ),
    "clear, keep an instance": (
        lambda s: s.admin.clear(votes, keep=[ballot("ada")]),
        InvalidValue,
        "key_of",
    ),
    "clear, keep another table's": (
        lambda s: s.admin.clear(votes, keep=[Member.key("ada")]),
        InvalidValue,
        "is in Table\\('members'\\)",
    ),
    "find an address": (lambda s: s.find(ADA), InvalidValue, "unique value"),
    "find a unique": (lambda s: s.find(Member.one_email), InvalidValue, "unique value"),
    "an address of no table": (lambda s: s.get(Named.key("x")), DeclarationError, "table="),
    "an item of no table": (lambda s: s.put(Named(name="x")), DeclarationError, "table="),
    "scan of no table": (lambda s: list(s.admin.scan(Named)), DeclarationError, "table="),
    "scan of a text": (lambda s: list(s.admin.scan("Ballot")), DeclarationError, "entity class"),
    "create no table": (lambda s: s.admin.create_table("votes"), InvalidValue, "Table"),
    "changes of an instance": (lambda s: s.changes(ballot("a")), DeclarationError, "entity class"),
    "an event of text": (
        lambda s: untyped(parse_stream_event)("event", Ballot),
        InvalidValue,
        "event",
    ),
    "a secret of text": (
        lambda s: Store(s.driver, cursor_secret=untyped("secret")),
        InvalidValue,
        "16 bytes",
    ),
    "a short secret": (lambda s: Store(s.driver, cursor_secret=b"short"), InvalidValue, "16 bytes"),
    "names of text": (lambda s: Store(s.driver, tables=untyped({"v": "w"})), InvalidValue, "Table"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_invalid_arguments_raise(store: Store, mistake: str) -> None:
    make, kind, said = MISTAKES[mistake]
    with pytest.raises(kind, match=said):
        make(store)


INSIDE: dict[str, Callable[[Any], object]] = {
    "create": lambda transaction: transaction.create(Ballot),
    "put": lambda transaction: transaction.put(ADA),
    "replace": lambda transaction: transaction.replace(None),
    "update": lambda transaction: transaction.update(ballot("ada"), Ballot.rank.set(1)),
    "delete": lambda transaction: transaction.delete(ballot("ada")),
    "check": lambda transaction: transaction.check(Ballot),
}


# The error points to the line that wrote it, not to the end of the block.
@pytest.mark.parametrize("mistake", INSIDE)
def test_invalid_arguments_in_a_transaction_raise_at_once(store: Store, mistake: str) -> None:
    with store.transaction() as transaction, pytest.raises(InvalidValue):
        INSIDE[mistake](transaction)


def test_put_rejects_values_of_the_wrong_type(store: Store) -> None:
    wrong = ballot("ada")
    wrong.rank = "high"  # type: ignore[assignment]
    with pytest.raises(InvalidValue, match=r"Ballot\.rank"):
        store.put(wrong)

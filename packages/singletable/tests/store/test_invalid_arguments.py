"""Invalid arguments raise before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest

from singletable.errors import DeclarationError, InvalidCursor, InvalidValue, SingleTableError
from singletable.schema import Attr, Condition, Edit, Entity, Key, attr
from singletable.store import Call, Store, parse_stream_event
from tests.store.stores import open_store
from tools.testing.designs.members import Member
from tools.testing.designs.votes import Ballot, Candidate, Election, File, Voter, ballot, votes

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
    store = open_store(votes)
    store.put(ballot("ada"))
    return store


def any_of(conditions: list[Condition[Ballot]]) -> Condition[Ballot]:
    return reduce(lambda one, other: one | other, conditions)


def updating(*edits: Edit[Ballot]) -> Callable[[Any], object]:
    return lambda store: store.update(ADA, *edits)


def querying(where: Callable[[], Condition[Ballot]]) -> Callable[[Any], object]:
    return lambda store: [*store.query(ALL, where=where())]


NOT_A_FIELD = "not a field of Ballot"
MISTAKES: dict[str, tuple[Callable[[Any], object], str]] = {
    **{
        f"{name} edits of one value": (updating(*edits), "two edits change")
        for name, edits in {
            "two": (Ballot.rank.set(1), Ballot.rank.set(2)),
            "opposite": (Ballot.choice.set("x"), Ballot.choice.remove()),
            "nested": (Ballot.marks.set({}), Ballot.marks["a"].set(1)),
            "enclosing": (Ballot.marks["a"].set(1), Ballot.marks.set({})),
        }.items()
    },
    "101 options": (querying(lambda: Ballot.rank.in_(*range(101))), "at most 100"),
    "reversed bounds": (querying(lambda: Ballot.rank.between(10, 9)), "higher value"),
    "order of a map": (querying(lambda: Ballot.marks < {}), "DynamoDB orders strings"),
    "bounds of maps": (querying(lambda: Ballot.marks.between({}, {})), "orders"),
    "a field and itself": (querying(lambda: Ballot.rank == Ballot.rank), "itself"),
    "301 operators": (
        querying(lambda: any_of([Ballot.rank == 1] * 151)),
        "300 operators, .* and 301 operators",
    ),
    "5,000 bytes": (
        querying(lambda: any_of([Ballot.rank.in_(*range(n, n + 99)) for n in range(0, 900, 99)])),
        "at most 4,096 bytes",
    ),
    "get an instance": (lambda s: s.get(ballot("ada")), "key_of"),
    "get a class": (lambda s: s.get(Ballot), "Entity.key"),
    "delete an instance": (lambda s: s.delete(ballot("ada")), "key_of"),
    "update an instance": (lambda s: s.update(ballot("ada"), Ballot.rank.set(1)), "key_of"),
    "create a class": (lambda s: s.create(Ballot), "expected an item"),
    "put a dict": (lambda s: s.put({"PK": "x"}), "expected an item"),
    "replace None": (lambda s: s.replace(None), "expected an item"),
    "put many classes": (lambda s: s.put_many([Ballot]), "expected an item"),
    "put many of one": (lambda s: s.put_many(ballot("ada")), "list of items"),
    "delete many of one": (lambda s: s.delete_many(ADA), "list of item keys"),
    "get many instances": (lambda s: s.get_many([ballot("a")]), "key_of"),
    "together with an instance": (lambda s: s.transact_get(ballot("a")), "key_of"),
    "query an address": (lambda s: s.query(ADA), "key.partition"),
    "count a class": (lambda s: s.count(Ballot), "key.partition"),
    "page of a text": (lambda s: s.page("L", 1), "key.partition"),
    "fetch an address": (lambda s: s.hydrate(ADA), "key.partition"),
    "pick of a class": (lambda s: s.select(Ballot, Ballot.rank), "partition"),
    "pick nothing": (lambda s: s.select(ALL), "at least one field"),
    "pick a text": (lambda s: s.select(ALL, "rank"), "expected a field of Ballot"),
    "pick another's field": (lambda s: s.select(ALL, Voter.town), NOT_A_FIELD),
    "collect an entity": (lambda s: s.collect(Ballot, ALL), "Collection"),
    "collect from an address": (lambda s: s.collect(File, ADA), "key.partition"),
    "a bool as condition": (
        lambda s: s.put(ballot("ada"), if_=True),
        "expected a condition on Ballot",
    ),
    "a bool as filter": (lambda s: s.query(ALL, where=False), "a condition"),
    "an edit as condition": (lambda s: s.delete(ADA, if_=Ballot.rank.set(1)), "a condition"),
    "a condition as edit": (lambda s: s.update(ADA, Ballot.rank == 1), "expected edits"),
    "another's condition": (
        lambda s: s.update(ADA, Ballot.rank.set(1), if_=Voter.town == "Bern"),
        NOT_A_FIELD,
    ),
    "another's field inside": (
        lambda s: s.query(ALL, where=(Ballot.rank == 1) & ~(untyped(Voter).town.size() > 1)),
        NOT_A_FIELD,
    ),
    "another's field beside": (
        lambda s: s.query(ALL, where=Ballot.choice == untyped(Voter).town),
        NOT_A_FIELD,
    ),
    # Both have a field `election`, stored under the same name.
    "another's twin": (lambda s: s.query(ALL, where=Candidate.election == "L"), NOT_A_FIELD),
    "another's edit": (
        lambda s: s.update(Election.key("L"), Candidate.name.set("x")),
        "not a field of Election",
    ),
    "limit 0": (lambda s: s.query(ALL, limit=0), "limit"),
    "limit -1": (lambda s: s.select(ALL, Ballot.rank, limit=-1), "limit"),
    "limit of text": (lambda s: s.hydrate(ALL, limit="3"), "limit"),
    "limit True": (lambda s: s.query(ALL, limit=True), "limit"),
    "size 0": (lambda s: s.page(ALL, 0), "size"),
    "size None": (lambda s: s.page(ALL, None), "size"),
    "returning both": (
        lambda s: s.update(ADA, Ballot.rank.set(1), returning="both"),
        "'old' or 'new'",
    ),
    "items of a name": (lambda s: s.admin.items("vote_data", 1), "Table"),
    "items, size 0": (lambda s: s.admin.items(votes, 0), "size"),
    "read a name's item": (lambda s: s.admin.decode("vote_data", {}), "Table"),
    "read an instance": (lambda s: s.admin.decode(votes, ballot("ada")), "stored"),
    "clear an entity": (lambda s: s.admin.clear(Ballot), "Table"),
    "clear, keep one": (lambda s: s.admin.clear(votes, keep=ADA), "list of item keys"),
    "clear, keep an instance": (lambda s: s.admin.clear(votes, keep=[ballot("ada")]), "key_of"),
    "clear, keep another table's": (
        lambda s: s.admin.clear(votes, keep=[Member.key("ada")]),
        "is in Table\\('members'\\)",
    ),
    "scan of a text": (lambda s: list(s.admin.scan("Ballot")), "entity class"),
    "changes of an instance": (lambda s: s.changes(ballot("a")), "entity class"),
    "find an address": (lambda s: s.find(ADA), "unique value"),
    "create no table": (lambda s: s.admin.create_table("votes"), "Table"),
    "an event of text": (lambda s: untyped(parse_stream_event)("event", Ballot), "event"),
    "a secret of text": (lambda s: Store(s.driver, cursor_secret=untyped("secret")), "16 bytes"),
    "a short secret": (lambda s: Store(s.driver, cursor_secret=b"short"), "16 bytes"),
    "names of text": (lambda s: Store(s.driver, tables=untyped({"v": "w"})), "Table"),
}
OTHER_MISTAKES: dict[str, tuple[Callable[[Any], object], type[SingleTableError], str]] = {
    "cursor of bytes": (lambda s: s.page(ALL, 1, cursor=b"x"), InvalidCursor, "is a string"),
    "cursor of number": (lambda s: s.page(ALL, 1, cursor=7), InvalidCursor, "is a string"),
    "an address of no table": (lambda s: s.get(Named.key("x")), DeclarationError, "table="),
    "an item of no table": (lambda s: s.put(Named(name="x")), DeclarationError, "table="),
    "scan of no table": (lambda s: list(s.admin.scan(Named)), DeclarationError, "table="),
}


@pytest.mark.parametrize(("call", "message"), MISTAKES.values(), ids=MISTAKES)
def test_invalid_arguments_raise(store: Store, call: Callable[[Any], object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        call(store)


@pytest.mark.parametrize(("call", "kind", "message"), OTHER_MISTAKES.values(), ids=OTHER_MISTAKES)
def test_other_mistakes_raise(
    store: Store, call: Callable[[Any], object], kind: type[SingleTableError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        call(store)


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


UNKNOWN_OPTIONS: dict[str, tuple[Callable[[Any], object], str]] = {
    "query": (lambda store: store.query(ALL, filter=1), "limit, max_read"),
    "hydrate": (lambda store: store.hydrate(ALL, filter=1), "limit, max_read"),
    "select": (lambda store: store.select(ALL, Ballot.rank, filter=1), "limit, max_read"),
    "page": (lambda store: store.page(ALL, 5, filter=1), "fields, hydrate, max_read"),
    "collect": (lambda store: store.collect(File, ALL, filter=1), "consistent, limit, max_read"),
}


@pytest.mark.parametrize("method", UNKNOWN_OPTIONS)
def test_an_unknown_option_is_rejected_with_the_known_ones(store: Store, method: str) -> None:
    call, known = UNKNOWN_OPTIONS[method]
    with pytest.raises(TypeError, match=rf"{method}\(\) has no option 'filter'.*{known}"):
        call(store)


def test_select_and_hydrate_can_be_consistent(calls: list[Call]) -> None:
    store = open_store(votes, observers=[calls.append])
    list(store.select(ALL, Ballot.rank, consistent=True))
    list(store.hydrate(ALL, consistent=True))
    requests = [sent.operation for call in calls for sent in call.requests]
    assert all(getattr(request, "consistent_read", None) for request in requests)

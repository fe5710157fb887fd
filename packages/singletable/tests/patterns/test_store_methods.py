"""Observers, patterns, strict mode and policies know every method of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from dynamodb_engine import UpdateTable
from dynamodb_engine.operations import StreamSpecification
from singletable import (
    Call,
    Change,
    EntityAccess,
    PatternCatalog,
    Store,
    clears,
    creates,
    deletes,
    evolve,
    loads,
    modifies,
    puts,
    updates,
    upserts,
)
from singletable.patterns import Pattern, estimate, planned_requests
from singletable.testing.strict import suggest_declaration
from tests.store.stores import transact
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, Election, File, ballot, votes

# These send nothing by themselves; `run` calls another method.
NO_CALLS = {"admin", "begin", "driver", "observed", "run", "run_steps", "scoped"}
# The same accesses in another form. The change feed of the engine stands for DynamoDB Streams.
OTHER_FORMS = {
    *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
    *("DescribeStream", "DescribeTable", "GetShardIterator", "ListStreams", "ReadChanges"),
}
# Maintenance of all entities of a tenant, which is no access pattern; test_scope.py checks them.
MAINTENANCE = {"delete_scope", "scan_scope"}
ADA = Ballot.key("L", "ada")
PARTITION = Ballot.key.partition("L")


catalog = PatternCatalog("c", votes, members)
get = catalog.read("R1", "A ballot", Ballot.key)
find = catalog.read("R2", "A member", Member.one_email)
ballots = catalog.read("R3", "Ballots", Ballot.key.partition)
choices = catalog.read("R4", "Ballots for a choice", Ballot.by_choice)
file = catalog.read("R5", "An election", Election.key.partition, collection=File)
feed = catalog.feed("R6", "Changes", Ballot)


def effect(code: str, *effects: EntityAccess) -> Pattern:
    return catalog.write(code, "Write", *effects)


def follow(store: Store) -> Iterator[Change[Ballot]]:
    """Return the changes since a stream was enabled."""
    specification = StreamSpecification(True, "NEW_AND_OLD_IMAGES")
    store.driver.execute(UpdateTable(votes.name, stream_specification=specification))
    return store.stream(Ballot, follow=False)


METHODS: dict[str, tuple[Callable[[Store], object], Pattern]] = {
    "get": (lambda s: s.get(ADA), get),
    "get_many": (lambda s: s.get_many([ADA]), get),
    "transact_get": (lambda s: s.transact_get(ADA), get),
    "find": (lambda s: s.find(Member.one_email("m@b.c")), find),
    "query": (lambda s: list(s.query(PARTITION)), ballots),
    "select": (lambda s: list(s.select(PARTITION, Ballot.rank)), ballots),
    "page": (lambda s: s.page(PARTITION, 1), ballots),
    "count": (lambda s: s.count(PARTITION), ballots),
    "hydrate": (lambda s: list(s.hydrate(Ballot.by_choice("L", "py"))), choices),
    "collect": (lambda s: s.collect(File, Election.key.partition("L")), file),
    "changes": (lambda s: s.changes(Ballot), feed),
    "stream": (lambda s: list(follow(s)), feed),
    "create": (lambda s: s.create(ballot("ben")), effect("W1", creates(Ballot))),
    "put": (lambda s: s.put(ballot("ben")), effect("W2", puts(Ballot))),
    "replace": (lambda s: s.replace(ballot("ada")), catalog["W2"]),
    "put_many": (lambda s: s.put_many([ballot("ben")]), catalog["W2"]),
    "update": (lambda s: s.update(ADA, Ballot.rank.set(1)), effect("W3", updates(Ballot))),
    "upsert": (lambda s: s.upsert(ADA, Ballot.rank.set(1)), effect("W8", upserts(Ballot))),
    "modify": (
        lambda s: s.modify(ADA, lambda one: evolve(one, rank=1)),
        effect("W9", modifies(Ballot)),
    ),
    "delete": (lambda s: s.delete(ADA), effect("W4", deletes(Ballot))),
    "delete_many": (lambda s: s.delete_many([ADA]), catalog["W4"]),
    "transaction": (
        lambda s: transact(
            s,
            lambda to: to.create(ballot("ben")),
            lambda to: to.put(Candidate(election="L", name="py")),
        ),
        effect("W5", creates(Ballot), puts(Candidate)),
    ),
    "bulk_load": (lambda s: s.bulk_load([ballot("ben")]), effect("W6", loads(Ballot))),
    "delete_partition": (lambda s: s.delete_partition(PARTITION), effect("W7", clears(Ballot))),
}


def public_methods() -> set[str]:
    return {name for name in vars(Store) if not name.startswith("_")} - NO_CALLS - MAINTENANCE


@pytest.mark.parametrize("method", sorted(public_methods()))
def test_method_is_known_to_observers_patterns_and_policies(
    store: Store, calls: list[Call], method: str
) -> None:
    assert method in METHODS, (
        f"Store.{method}() is new: give it a shape in store/calls.py, plan its requests in "
        "patterns/requests.py, and add it to this table."
    )
    call, pattern = METHODS[method]
    call(store)
    shape = calls[0].shape
    assert shape.method == method
    assert catalog.recognize(shape) == pattern
    assert PatternCatalog("empty", votes).recognize(shape) is None
    if method not in ("changes", "stream"):
        assert "catalog." in suggest_declaration(shape)
        assert ("hydrate=True" in suggest_declaration(shape)) == (method == "hydrate")
    # A pattern does not say that it is read in a transaction, which costs twice as much.
    if method not in ("changes", "stream", "transact_get"):
        assert calls[0].read_units <= estimate(pattern).read
        assert calls[0].write_units <= estimate(pattern).write
    sent = {type(request.operation).__name__ for one in calls for request in one.requests}
    planned = {request.action for request in planned_requests(pattern)}
    assert planned
    # A pattern does not say whether it is used in a transaction, a batch or a follower of a stream.
    assert sent - OTHER_FORMS <= planned

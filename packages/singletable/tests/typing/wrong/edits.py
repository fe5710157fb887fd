"""Invalid edits, each rejected where it is written."""

from __future__ import annotations

from singletable import ConditionFailed, Store, Transaction
from singletable.schema import Edit
from tests.typing.declared import Ballot, Election


def change(*edits: Edit[Ballot]) -> tuple[Edit[Ballot], ...]:
    """Call functions as a store would be called."""
    return edits


Ballot.weight.set("2")  # error: arg-type | reportArgumentType
Ballot.weight.set(None)  # error: arg-type | reportArgumentType
Ballot.status.set("lost")  # error: arg-type | reportArgumentType
Ballot.note.set(1)  # error: arg-type | reportArgumentType
Ballot.when_cast.set_if_missing("now")  # error: arg-type | reportArgumentType
Ballot.weight.add("1")  # error: arg-type, call-overload | reportArgumentType
Ballot.weight.add(0.5)  # error: arg-type, call-overload | reportArgumentType
Ballot.note.add(1)  # error: misc | reportAttributeAccessIssue
Ballot.rankings.add(1)  # error: misc | reportAttributeAccessIssue
Ballot.rankings.append("Python")  # error: arg-type | reportArgumentType
Ballot.weight.append(1)  # error: misc, arg-type | reportAttributeAccessIssue
Ballot.tags.append("x")  # error: misc, arg-type | reportAttributeAccessIssue
Ballot.tags.add_members(1)  # error: arg-type | reportArgumentType
Ballot.colours.remove_members(1)  # error: arg-type | reportArgumentType
Ballot.rankings.add_members("x")  # error: misc, call-overload | reportAttributeAccessIssue
Ballot.rankings[0].set("Python")  # error: arg-type | reportArgumentType
Ballot.rankings[0].nested(lambda ranking: ranking.name).add(1)  # error: misc | reportAttributeAccessIssue
Ballot.extra["pages"].set("3")  # error: arg-type | reportArgumentType
Ballot.place.nested(lambda place: place.street).set(1)  # error: arg-type | reportArgumentType
Ballot.place.nested(lambda place: place.floors).append("1")  # error: arg-type | reportArgumentType
change(Election.ballots.add(1))  # error: arg-type | reportArgumentType
change(Ballot.weight)  # error: arg-type | reportArgumentType
change(Ballot.weight > 1)  # error: arg-type | reportArgumentType


def patch_and_evolve(error: ConditionFailed, store: Store) -> None:
    """Use the edits of one entity, or the item of an error, for another."""
    store.update(Election.key("L"), *Ballot.edits({"note": "x"}))  # error: arg-type, misc | reportArgumentType
    current: Election | None = error.current_as(Ballot)  # error: assignment, arg-type | reportAssignmentType, reportArgumentType
    Ballot.edits({}, unset="none")  # error: arg-type | reportArgumentType
    del current


def write_no_item(store: Store, transaction: Transaction) -> None:
    """Pass the class, a key, or an item that may be missing."""
    store.create(Ballot)  # error: type-var | reportArgumentType
    store.put(Ballot.key("L", "a"))  # error: type-var | reportArgumentType
    store.replace(store.get(Ballot.key("L", "a")))  # error: type-var | reportArgumentType
    transaction.create(Ballot)  # error: type-var | reportArgumentType


def upsert_and_modify(store: Store) -> None:
    """Mix entities, or return something else."""
    store.upsert(Election.key("L"), Ballot.weight.add(1))  # error: call-overload, arg-type, misc | reportArgumentType, reportCallIssue
    store.modify(Ballot.key("L", "a"), lambda ballot: ballot.weight)  # error: arg-type, return-value | reportArgumentType, reportReturnType

"""Edits of the fields of an entity."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from singletable import ConditionFailed, ItemKey, Store, evolve
from singletable.schema import Edit
from tests.typing.declared import Ballot, Election, Place, Ranking

NOW = datetime(2026, 11, 3, tzinfo=UTC)


def change(*edits: Edit[Ballot]) -> tuple[Edit[Ballot], ...]:
    """Call functions as a store would be called."""
    return edits


change(
    Ballot.weight.set(2),
    Ballot.note.set("late"),
    Ballot.note.set(None),
    Ballot.note.remove(),
    Ballot.when_cast.set_if_missing(NOW),
    Ballot.weight.add(1),
    Ballot.fee.add(Decimal("0.5")),
    Ballot.fee.add(1),
    Ballot.rankings.append(Ranking("Python", 1), Ranking("Rust", 2)),
    Ballot.rankings.prepend(Ranking("C", 3)),
    Ballot.tags.add_members("a", "b"),
    Ballot.tags.remove_members("c"),
    Ballot.colours.add_members("blue"),
    Ballot.colours.remove_members("red"),
    Ballot.rankings[0].set(Ranking("Python", 1)),
    Ballot.rankings[0].nested(lambda ranking: ranking.rank).add(1),
    Ballot.extra["pages"].set(3),
    Ballot.extra["pages"].add(3),
    Ballot.place.nested(lambda place: place.street).set("Main Street"),
    Ballot.place.nested(lambda place: place.floors).append(1),
    Ballot.place.set(Place("Main Street", [])),
    Ballot.status.set("spoiled"),
    Ballot.gone.set(NOW),
)

election: Edit[Election] = Election.ballots.add(1)


def patch_and_evolve(ballot: Ballot, error: ConditionFailed) -> None:
    """Derive edits from a patch, and items from others."""
    edits: tuple[Edit[Ballot], ...] = Ballot.edits({"note": "x"}, unset="include")
    copy: Ballot = evolve(ballot, note="x")
    current: Ballot | None = error.current_as(Ballot)
    del edits, copy, current


def upsert_and_modify(store: Store, key: ItemKey[Ballot]) -> None:
    """Create, update and modify items."""
    new: Ballot = store.upsert(key, Ballot.weight.add(1), on_create=[Ballot.when_cast.set(NOW)])
    changed: Ballot = store.modify(key, lambda ballot: evolve(ballot, weight=2))
    with store.transaction() as tx:
        tx.upsert(key, Ballot.weight.add(1), on_create=(Ballot.when_cast.set(NOW),))
    del new, changed

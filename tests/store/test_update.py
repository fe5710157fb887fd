"""Updates of existing items, with every kind of edit."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.errors import ConditionFailed, InvalidValue, NotFound
from singletable.operations import GetItem
from singletable.schema import Edit
from singletable.store import Store
from tests.store.entities import Ballot, Place, Voter, ballot, votes
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing

ADA = Ballot.key("L", "ada")
TABLES = (votes,)


# Each edit, with the ballot before and after it.
CASES: dict[str, tuple[Callable[[], Edit[Ballot]], Ballot, Ballot]] = {
    "set": (lambda: Ballot.rank.set(5), ballot("ada"), ballot("ada", rank=5)),
    "set_none": (lambda: Ballot.choice.set(None), ballot("ada", choice="Ann"), ballot("ada")),
    "set_once_there": (
        lambda: Ballot.choice.set_if_missing("Bob"),
        ballot("ada", choice="Ann"),
        ballot("ada", choice="Ann"),
    ),
    "set_once_absent": (
        lambda: Ballot.choice.set_if_missing("Bob"),
        ballot("ada"),
        ballot("ada", choice="Bob"),
    ),
    "add": (lambda: Ballot.rank.add(-3), ballot("ada", rank=5), ballot("ada", rank=2)),
    "remove": (lambda: Ballot.choice.remove(), ballot("ada", choice="Ann"), ballot("ada")),
    "append": (
        lambda: Ballot.notes.append("b", "c"),
        ballot("ada", notes=["a"]),
        ballot("ada", notes=["a", "b", "c"]),
    ),
    "prepend": (
        lambda: Ballot.notes.prepend("b", "c"),
        ballot("ada", notes=["a"]),
        ballot("ada", notes=["b", "c", "a"]),
    ),
    "include": (
        lambda: Ballot.tags.add_members("x", "y"),
        ballot("ada", tags={"x"}),
        ballot("ada", tags={"x", "y"}),
    ),
    "include_the_first": (
        lambda: Ballot.tags.add_members("x"),
        ballot("ada"),
        ballot("ada", tags={"x"}),
    ),
    "exclude": (
        lambda: Ballot.tags.remove_members("x"),
        ballot("ada", tags={"x", "y"}),
        ballot("ada", tags={"y"}),
    ),
    "exclude_the_last": (
        lambda: Ballot.tags.remove_members("x"),
        ballot("ada", tags={"x"}),
        ballot("ada"),
    ),
    "element": (
        lambda: Ballot.notes[1].set("z"),
        ballot("ada", notes=["a", "b"]),
        ballot("ada", notes=["a", "z"]),
    ),
    "name_in_map": (
        lambda: Ballot.marks["b c"].set(2),
        ballot("ada", marks={"a": 1}),
        ballot("ada", marks={"a": 1, "b c": 2}),
    ),
    "add_in_map": (
        lambda: Ballot.marks["a"].add(2),
        ballot("ada", marks={"a": 1}),
        ballot("ada", marks={"a": 3}),
    ),
    "member": (
        lambda: Ballot.place.nested(lambda place: place.booth).set(9),
        ballot("ada", place=Place("Bern", 1)),
        ballot("ada", place=Place("Bern", 9)),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_edit_changes_only_its_field(store: Store, name: str) -> None:
    edit, before, after = CASES[name]
    store.put(before)
    assert store.update(ADA, edit()) == after
    assert store.get(ADA) == after


def test_update_returns_the_old_state(store: Store) -> None:
    store.put(ballot("ada", rank=1))
    assert store.update(ADA, Ballot.rank.set(2), returning="old") == ballot("ada", rank=1)
    assert store.get(ADA) == ballot("ada", rank=2)


def test_update_edits_several_fields(store: Store) -> None:
    store.put(ballot("ada"))
    edits = (Ballot.rank.add(2), Ballot.choice.set("Ann"), Ballot.notes.append("a"))
    assert store.update(ADA, *edits) == ballot("ada", rank=2, choice="Ann", notes=["a"])


def test_update_with_a_condition(store: Store) -> None:
    store.put(ballot("ada", rank=1))
    store.update(ADA, Ballot.rank.add(1), if_=Ballot.rank < 2)
    with pytest.raises(ConditionFailed) as raised:
        store.update(ADA, Ballot.rank.add(1), if_=Ballot.rank < 2)
    assert not isinstance(raised.value, NotFound)
    assert raised.value.current == ballot("ada", rank=2)


CONDITIONS = {
    "and": (Ballot.rank == 2) & (Ballot.choice == "Ann"),
    "or": (Ballot.rank == 9) | Ballot.choice.begins_with("A"),
    "not": ~(Ballot.rank == 9),
    "between": Ballot.rank.between(1, 3),
    "in": Ballot.rank.in_(1, 2, 3),
    "exists": Ballot.choice.exists(),
    "contains": Ballot.tags.contains("x"),
    "size": Ballot.notes.size() == 1,
    "nested": Ballot.marks["a"] >= 1,
    "other_field": Ballot.rank > Ballot.marks["a"],
    "missing": Ballot.place.missing(),
    "none": Ballot.place == None,  # noqa: E711 (a condition, no comparison)
    "not_none": Ballot.choice != None,  # noqa: E711
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_are_evaluated_on_the_item(store: Store, name: str) -> None:
    meets = ballot("ada", rank=2, choice="Ann", tags={"x"}, notes=["n"], marks={"a": 1})
    store.put(meets)
    store.update(ADA, Ballot.rank.add(0), if_=CONDITIONS[name])
    with pytest.raises(ConditionFailed) as raised:
        store.update(ADA, Ballot.rank.add(1), if_=~CONDITIONS[name])
    assert raised.value.current == meets


def test_update_of_a_missing_item_raises(store: Store) -> None:
    with pytest.raises(NotFound):
        store.update(ADA, Ballot.rank.add(1))
    assert store.get(ADA) is None


# Its index key depends on the stored item, so that is read first; nothing is written either.
def test_update_that_reads_a_missing_item_raises(store: Store) -> None:
    with pytest.raises(NotFound):
        store.update(ADA, Ballot.choice.set_if_missing("Ann"))
    assert store.get(ADA) is None


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ((Ballot.voter.set("bob"),), "primary key"),
        ((Voter.town.set("Bern"),), "not a field of Ballot"),
    ],
)
def test_update_rejects_invalid_edits(
    store: Store, edits: tuple[Edit[Ballot], ...], said: str
) -> None:
    store.put(ballot("ada"))
    with pytest.raises(InvalidValue, match=said):
        store.update(ADA, *edits)
    assert store.get(ADA) == ballot("ada")


def test_update_rejects_edits_of_stamps(store: Store) -> None:
    store.create(Voter(name="ada"))
    for edit in (Voter.version.set(9), Voter.changed.set(ballot("ada").when_cast)):
        with pytest.raises(InvalidValue, match="set by the store"):
            store.update(Voter.key("ada"), edit)


def test_update_keeps_unknown_attributes(store: Store, opener: StoreOpener) -> None:
    made = ballot("ada")
    made.__dict__["_unknown"] = {"newer": {"S": "kept"}}
    store.put(made)
    store.update(ADA, Ballot.rank.set(4))
    item = existing(opener.driver.execute(GetItem("vote_data", ADA.key)).item)
    assert item["newer"] == {"S": "kept"}

"""Updates of existing items, with every kind of edit."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ConditionFailed, InvalidValue, NotFound
from singletable.schema import Edit
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import stored_item
from tools.testing.designs.votes import Ballot, Place, Voter, ballot, votes

ADA = Ballot.key("L", "ada")
TABLES = (votes,)


BOOTH = Ballot.place.nested(lambda place: place.booth)
# Each edit, with the value of its field before and after it; None if the field is absent.
CASES: dict[str, tuple[Edit[Ballot], Any, Any]] = {
    "set": (Ballot.rank.set(5), None, 5),
    "set_none": (Ballot.choice.set(None), "Ann", None),
    "set_once_there": (Ballot.choice.set_if_missing("Bob"), "Ann", "Ann"),
    "set_once_absent": (Ballot.choice.set_if_missing("Bob"), None, "Bob"),
    "add": (Ballot.rank.add(-3), 5, 2),
    "remove": (Ballot.choice.remove(), "Ann", None),
    "append": (Ballot.notes.append("b", "c"), ["a"], ["a", "b", "c"]),
    "prepend": (Ballot.notes.prepend("b", "c"), ["a"], ["b", "c", "a"]),
    "include": (Ballot.tags.add_members("x", "y"), {"x"}, {"x", "y"}),
    "include_the_first": (Ballot.tags.add_members("x"), None, {"x"}),
    "exclude": (Ballot.tags.remove_members("x"), {"x", "y"}, {"y"}),
    "exclude_the_last": (Ballot.tags.remove_members("x"), {"x"}, None),
    "element": (Ballot.notes[1].set("z"), ["a", "b"], ["a", "z"]),
    "name_in_map": (Ballot.marks["b c"].set(2), {"a": 1}, {"a": 1, "b c": 2}),
    "add_in_map": (Ballot.marks["a"].add(2), {"a": 1}, {"a": 3}),
    "member": (BOOTH.set(9), Place("Bern", 1), Place("Bern", 9)),
}


@pytest.mark.parametrize(("edit", "before", "after"), CASES.values(), ids=CASES)
def test_edit_changes_only_its_field(
    store: Store, edit: Edit[Ballot], before: Any, after: Any
) -> None:
    old, new = ({} if value is None else {edit.field: value} for value in (before, after))
    store.put(ballot("ada", **old))
    assert store.update(ADA, edit) == ballot("ada", **new)
    assert store.get(ADA) == ballot("ada", **new)


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
    assert stored_item(opener.driver, ADA)["newer"] == {"S": "kept"}


@pytest.mark.parametrize(
    ("edit", "advice"),
    [
        (lambda field: field.tags.add({"x"}), "It is a set: use add_members(…)"),
        (lambda field: field.tags.append("x"), "It is a set: use add_members(…)"),
        (lambda field: field.notes.add(["x"]), "It is a list: use append(…)"),
        (lambda field: field.notes.add_members("x"), "It is a list: use append(…)"),
    ],
)
def test_edit_of_another_type_names_the_one_to_use(edit: Any, advice: str) -> None:
    with pytest.raises(InvalidValue) as raised:
        edit(Ballot)
    assert advice in raised.value.text

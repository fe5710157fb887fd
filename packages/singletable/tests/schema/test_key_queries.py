"""A query returns exactly the matching items of its entity, when DynamoDB runs it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine.expressions import KeyCondition
from dynamodb_engine.values import Item
from singletable import Driver, InvalidValue, PutItem, Query, connect
from singletable.schema import ItemKey, Model, Selection, Table
from singletable.schema.table import create_operation
from tests.schema.key_strategies import KINDS, TEXT, Kind, Sketch, declare, partition_of, rank
from tests.store.stores import existing

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
ORDERED = [kind for kind in KINDS if kind.name != "choice"]
_number = iter(range(10**9))


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    with connect("memory:") as driver:
        yield driver


def _found(driver: Driver, model: Model, selection: Selection[Any]) -> list[tuple[Any, ...]]:
    """Return the values of the items, in order; an item of another entity fails the test."""
    fields = (*model.key.pk_fields, *model.key.sk_fields)
    found: list[tuple[Any, ...]] = []
    for item in _items(driver, model, selection):
        values = model.key.parse(item)
        assert values is not None, f"{item} is not of the entity that was queried"
        found.append(tuple(values[field] for field in fields))
    return found


def _items(driver: Driver, model: Model, selection: Selection[Any]) -> Iterator[Item]:
    """Yield the items of a query, those of other entities included, without excluded ones."""
    for query in selection.key_queries():
        condition, names, values = _written(query.clauses)
        result = driver.execute(
            Query(
                model.table.name,
                key_condition_expression=condition,
                expression_attribute_names=names,
                expression_attribute_values=values,
            )
        )
        yield from (item for item in result.items if item["SK"]["S"] != query.excluded)


def _written(clauses: KeyCondition) -> tuple[str, dict[str, str], dict[str, Any]]:
    """Return a key condition as a request writes it."""
    texts: list[str] = []
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    for clause in clauses:
        name = f"#n{len(names)}"
        names[name] = clause.attribute
        marks = [f":v{len(values) + at}" for at in range(len(clause.values))]
        values |= dict(zip(marks, clause.values, strict=True))
        match clause.comparator:
            case "begins_with":
                texts.append(f"begins_with({name}, {marks[0]})")
            case "BETWEEN":
                texts.append(f"{name} BETWEEN {marks[0]} AND {marks[1]}")
            case other:
                texts.append(f"{name} {other} {marks[0]}")
    return " AND ".join(texts), names, values


def _filled(driver: Driver, *sketches: tuple[Sketch, list[tuple[Any, ...]]]) -> list[Model]:
    """Return entities of one table that has items with these values."""
    table = Table(f"table{next(_number)}")
    driver.execute(create_operation(table))
    models: list[Model] = []
    for sketch, _ in sketches:
        model = existing(declare(table, sketch))
        models.append(model)
    for model, (_, tuples) in zip(models, sketches, strict=True):
        for values in tuples:
            driver.execute(PutItem(table.name, ItemKey[Any].of(model.entity, values).key))
    return models


def _values(kind: Kind, data: st.DataObject) -> list[Any]:
    values = data.draw(st.lists(kind.values, min_size=2, max_size=6))
    if kind.name == "text":
        values += [values[0] + values[1], f"{values[0]}#", f"{values[0]} ", f"{values[0]}\0"]
    return values


# The same partition has items of other entities before, after and between: none may be returned.
AROUND = [("R", KINDS[0]), ("SA", KINDS[0]), ("T", KINDS[0]), ("S",)]


@pytest.mark.parametrize("kind", ORDERED, ids=lambda kind: kind.name.replace(" ", "-"))
@pytest.mark.parametrize(
    "behind", [pytest.param(False, marks=pytest.mark.rest), True], ids=["last", "inner"]
)
@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_range_returns_the_matching_items(
    driver: Driver, kind: Kind, behind: bool, data: st.DataObject
) -> None:
    tail = (KINDS[0],) if behind else ()
    values = _values(kind, data)
    tuples = [(value, *(["x #"] if behind else [])) for value in values]
    others = [(Sketch(("P",), side), [("#x",)] if len(side) > 1 else [()]) for side in AROUND]
    model, *_ = _filled(driver, (Sketch(("P",), ("S", kind, *tail)), tuples), *others)
    partition = partition_of(model)
    pivot = data.draw(st.sampled_from(values) | kind.values)
    for name, holds in COMPARISONS.items():
        found = _found(driver, model, getattr(partition, name)(pivot))
        expected = {one for one in tuples if holds(rank(kind, one[0]), rank(kind, pivot))}
        assert (name, set(found)) == (name, expected)
        assert len(found) == len(expected)
    low, high = sorted([pivot, values[0]], key=lambda value: rank(kind, value))
    found = _found(driver, model, partition.between(low, high))
    assert set(found) == {
        one for one in tuples if rank(kind, low) <= rank(kind, one[0]) <= rank(kind, high)
    }
    assert set(_found(driver, model, partition)) == set(tuples)


@pytest.mark.parametrize("behind", [False, True], ids=["last", "inner"])
@given(data=st.data())
def test_begins_with_returns_the_matching_items(
    driver: Driver, behind: bool, data: st.DataObject
) -> None:
    text = KINDS[0]
    tail = (text,) if behind else ()
    values = _values(text, data)
    tuples = [(value, *(["x"] if behind else [])) for value in values]
    model, *_ = _filled(driver, (Sketch(("P",), ("S", text, *tail)), tuples))
    partition = partition_of(model)
    whole = data.draw(st.sampled_from(values))
    prefix = whole[: data.draw(st.integers(0, len(whole)))]
    found = _found(driver, model, partition.begins_with(prefix))
    assert set(found) == {one for one in tuples if one[0].startswith(prefix)}


# "BALLOT#a" is followed by "BALLOT#a#NOTE#1": its value is escaped like an inner one, so that the
# notes of a ballot come right after it, and a range of ballots contains only ballots.
@given(voters=st.lists(TEXT, min_size=1, max_size=6, unique=True), pivot=TEXT)
def test_key_sorts_right_before_longer_keys_with_the_same_prefix(
    driver: Driver, voters: list[str], pivot: str
) -> None:
    text = KINDS[0]
    ballot, note = _filled(
        driver,
        (Sketch(("P",), ("BALLOT", text)), [(voter,) for voter in voters]),
        (Sketch(("P",), ("BALLOT", text, "NOTE", text)), [(voter, "1") for voter in voters]),
    )
    key = {
        model.entity: [
            ItemKey[Any].of(model.entity, (voter, "1")[: at + 1]).key["SK"]["S"] for voter in voters
        ]
        for at, model in enumerate((ballot, note))
    }
    everything = sorted([*key[ballot.entity], *key[note.entity]], key=str.encode)
    for own, notes in zip(key[ballot.entity], key[note.entity], strict=True):
        assert everything.index(notes) == everything.index(own) + 1
    for name, holds in COMPARISONS.items():
        partition = partition_of(ballot)
        items = _items(driver, ballot, getattr(partition, name)(pivot))
        found = [str(values["f0"]) for item in items if (values := ballot.key.parse(item))]
        expected = [voter for voter in voters if holds(voter.encode(), pivot.encode())]
        assert (name, sorted(found)) == (name, sorted(expected))


# Separators of one and several characters, and texts that end a part or begin with one.
@pytest.mark.parametrize("between", ["|", "::", "/a-", "#id_", "~"])
def test_query_of_a_concatenated_sort_key_returns_exactly_the_matching_items(
    driver: Driver, between: str
) -> None:
    text, day, number = KINDS[0], KINDS[5], KINDS[2]
    texts = [
        "a",
        "b",
        *(f"a{between[:end]}" for end in range(1, 3)),
        f"b{between[-1]}",
        "ab",
        "a:b",
    ]
    pairs: list[tuple[Any, ...]] = [
        (one, two) for one in texts for two in [*texts, f"a{between}b", between]
    ]
    days: list[tuple[Any, ...]] = [
        (date(2024, 3, at), at + number) for at in (1, 9, 10) for number in (0, 90)
    ]
    sides: list[tuple[Any, ...]] = [("S", between, text, between, text), ("D|", day, "|", number)]
    sides += [("R|", text), ("S",), ("T", text)]
    around: list[list[tuple[Any, ...]]] = [[("x",)], [()], [("x",)]]
    valid = [pair for pair in pairs if (pair[0] + between).find(between) == len(pair[0])]
    sketches = [Sketch(("P|",), side, verbatim=True) for side in sides]
    model, dated, *_ = _filled(driver, *zip(sketches, [valid, days, *around], strict=True))
    partition = partition_of(model)
    rejected = 0
    for prefix in {one[:end] for one, _ in pairs for end in range(4)}:
        try:
            found = _found(driver, model, partition.begins_with(prefix))
        except InvalidValue:
            rejected += 1
        else:
            assert set(found) == {one for one in valid if one[0].startswith(prefix)}
    assert rejected < 8
    for first in {one for one, _ in valid}:
        rest = [two for one, two in valid if one == first]
        for name, holds in COMPARISONS.items():
            selection = getattr(partition.eq(first), name)("a:b")
            expected = {(first, two) for two in rest if holds(two, "a:b")}
            assert set(_found(driver, model, selection)) == expected
    for name, holds in COMPARISONS.items():
        selection = getattr(partition_of(dated), name)(date(2024, 3, 9))
        expected = {one for one in days if holds(one[0], date(2024, 3, 9))}
        assert set(_found(driver, dated, selection)) == expected
    with pytest.raises(InvalidValue, match="the keys do not sort as its values do"):
        partition.gt("a")


def test_range_requires_an_ordered_value() -> None:
    choice = next(kind for kind in KINDS if kind.name == "choice")
    model = existing(declare(Table("choices"), Sketch(("P",), ("S", choice))))
    with pytest.raises(InvalidValue, match=r"has no declared order in the key S#\{f0\}"):
        partition_of(model).gt("a")


def test_between_rejects_the_higher_value_first() -> None:
    model = existing(declare(Table("numbers"), Sketch(("P",), ("S", KINDS[1]))))
    with pytest.raises(InvalidValue, match="has the higher value first"):
        partition_of(model).between(2, 1)

"""Keys by example: their texts, rejected values, and attributes shared with other keys."""

# Some classes are declared for what their declaration does to others.
# pyright: reportUnusedClass=false
from __future__ import annotations

import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NewType

import pytest

from dynamodb_engine.values import Item
from singletable import DeclarationError, InvalidValue
from singletable.schema import (
    Attr,
    DeclarationWarning,
    Entity,
    Index,
    ItemKey,
    Key,
    Number,
    Shards,
    Table,
    Unique,
    attr,
    casefold,
    descending,
    expires,
    model_of,
    padded,
    repeated,
)
from tools.testing.cases import every

NOW = datetime(2026, 11, 3, 10, 30, tzinfo=UTC)
ElectionName = NewType("ElectionName", str)
NAME = ElectionName("$23")

by_voter = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
inverted = Index("inverted", pk="SK", sk="PK")
recent = Index("recent", pk="RECENTPK", sk="RECENTSK")
levels = Index("levels", pk=("skill", Number("level")), sk=(Number("years"), "last_used"))
votes = Table("votes", indexes=[by_voter, inverted, recent, levels], ttl="TTL")


class Election(Entity, table=votes):
    name: Attr[ElectionName] = attr()
    key = Key(pk=("ELECTION", name), sk="METADATA")


class Ballot(Entity, table=votes):
    election: Attr[str] = attr()
    voter: Attr[str] = attr()
    cast: Attr[datetime] = attr()
    key = Key(pk=("ELECTION", election), sk=("BALLOT", voter))
    of_voter = Key(pk=("VOTER", voter), sk=(cast, election)).on(by_voter)
    turned = Key(pk=("BALLOT", voter), sk=("ELECTION", election)).on(inverted)
    newest = Key(pk=("RECENT", Shards(4)), sk=(descending(cast),)).on(recent)


class Skill(Entity, table=votes):
    user: Attr[str] = attr()
    skill: Attr[str] = attr()
    level: Attr[int] = attr()
    years: Attr[int] = attr()
    last_used: Attr[date] = attr()
    key = Key(pk=("USER", casefold(user)), sk=("USER", repeated(user), "SKILL", skill))
    by_level = Key(pk=(skill, level), sk=(years, last_used)).on(levels)


class Event(Entity, table=votes):
    day: Attr[date] = attr()
    number: Attr[int] = attr()
    price: Attr[Decimal] = attr(default=Decimal(0))
    key = Key(
        pk=("EVENTS", day, Shards(4, by=number, prefix="s")),
        sk=(padded(number, 4), padded(price, 3, 2)),
    )


def _ballot(**values: Any) -> Any:
    return model_of(Ballot).item({"election": "Tea", "voter": "al ice", "cast": NOW, **values})


DAY = date(2026, 11, 3)
ATTRIBUTES: list[tuple[Any, dict[str, str]]] = [
    (_ballot(), {"PK": "ELECTION#Tea", "SK": "BALLOT#al ice"}),  # ordinary text is not escaped
    (_ballot(), {"GSI1SK": "2026-11-03T10:30:00.000000Z#Tea"}),
    (_ballot(election="a#b$c"), {"PK": "ELECTION#a$23b$24c"}),  # separators are
    (Event.key(DAY, 7, Decimal("1.5")).key, {"SK": "0007#001.50"}),
    # Negative zero has the same key as zero.
    (Event.key(DAY, 0, Decimal("-0.00")).key, {"SK": "0000#000.00"}),
    # In any case.
    (Skill.key("ADA", "x").key, {"PK": "USER#ada", "SK": "USER#ADA#SKILL#x"}),
]


@every(("item", "expected"), ATTRIBUTES)
def test_key_attribute_has_this_text(item: Item, expected: dict[str, str]) -> None:
    assert {name: item[name]["S"] for name in expected} == expected


# `sk=(name)` looks like a tuple, but is not.
def test_single_part_needs_no_tuple() -> None:
    class Note(Entity, table=Table("alone")):
        name: Attr[str] = attr()
        number: Attr[int] = attr()
        key = Key(pk=name, sk=padded(number, 2))
        names = Unique(name, pk=name)

    class Copy(Entity, table=Table("twice")):
        name: Attr[str] = attr()
        key = Key(pk=("COPY", name), sk=repeated(name))

    assert Note.key("Ada", 7).key == {"PK": {"S": "Ada"}, "SK": {"S": "07"}}
    assert Copy.key("Ada").key == {"PK": {"S": "COPY#Ada"}, "SK": {"S": "Ada"}}


# An inverted index uses the table's own attributes: leaving the index must not remove them.
def test_inverted_index_has_no_dedicated_attributes() -> None:
    assert model_of(Ballot).indexes["turned"].dedicated_attributes == ()
    assert Ballot.turned("alice").key_queries()[0].clauses[0].attribute == "SK"


def test_all_random_shards_are_queried() -> None:
    queries = Ballot.newest().key_queries()
    partitions = [one.clauses[0].values[0]["S"] for one in queries]
    assert partitions == ["RECENT#0", "RECENT#1", "RECENT#2", "RECENT#3"]
    assert _ballot()["RECENTPK"]["S"] in partitions


def test_only_the_computed_shard_is_queried_if_its_value_is_given() -> None:
    day = date(2026, 11, 3)
    partition = Event.key.partition(day)
    assert len(partition.key_queries()) == 4
    (alone,) = partition.eq(7).key_queries()
    assert alone.clauses[0].values[0] == Event.key(day, 7, Decimal(0)).key["PK"]


def test_casefold_value_is_parsed_from_its_repetition() -> None:
    item = Skill.key("Ada", "x").key
    assert model_of(Skill).matches(item)
    assert model_of(Skill).key.parse(item) == {"user": "Ada", "skill": "x"}


def test_multi_attribute_key_consists_of_fields() -> None:
    clauses = Skill.by_level("Python", 4).eq(3).ge(date(2026, 1, 1)).key_queries()[0].clauses
    assert [(one.attribute, one.comparator, *one.values) for one in clauses] == [
        ("skill", "=", {"S": "Python"}),
        ("level", "=", {"N": "4"}),
        ("years", "=", {"N": "3"}),
        ("last_used", ">=", {"S": "2026-01-01"}),
    ]


REJECTED: list[tuple[Callable[[Any, Any, Any], object], str]] = [
    (lambda b, s, e: b.key("", "x"), "Ballot.election in the key ELECTION#{election}: a value in"),
    (lambda b, s, e: b.key("x" * 2040, "x"), "2049 bytes, but DynamoDB allows 2048 in PK."),
    (lambda b, s, e: b.key("x", "é" * 509), "1025 bytes, but DynamoDB allows 1024 in SK."),
    (lambda b, s, e: b.key("x", "\ud800"), "Ballot.voter in the key BALLOT#{voter}: expected a"),
    (lambda b, s, e: b.of_voter("x").gt(datetime(2026, 1, 1)), "a datetime with a time zone"),
    (lambda b, s, e: b.of_voter("").key_queries(), "must not be empty"),
    (lambda b, s, e: b.key.partition("x").eq(None), "expected a value for voter, but got None"),
    (lambda b, s, e: b.key.partition(None), "expected values, but got None"),
    (lambda b, s, e: b.key("x"), "Ballot.key expects 2 values (election, voter), but got 1."),
    (lambda b, s, e: s.by_level("x" * 2049, 1).key_queries(), "2049 bytes"),
    (lambda b, s, e: s.by_level("", 1).key_queries(), "Skill.skill: a value in a key must not be"),
    (lambda b, s, e: e.key(DAY, -1, Decimal(0)), "expected a number of 0 or more with at most 4"),
    (lambda b, s, e: e.key(DAY, 1, Decimal("NaN")), "expected a number of 0 or more"),
    (lambda b, s, e: e.key(DAY, 1, Decimal("0.001")), "and 2 after it, but got 0.001"),
]


@every(("call", "fragment"), REJECTED)
def test_invalid_key_value_is_rejected_with_its_field(call: Any, fragment: str) -> None:
    with pytest.raises(InvalidValue) as rejected:
        call(Ballot, Skill, Event)
    assert fragment in str(rejected.value)


# A range needs a text longer than its bound, which does not fit here.
def test_range_from_the_longest_value_is_allowed() -> None:
    longest = "x" * (1024 - len("BALLOT#"))
    for selection in (
        Ballot.key.partition("e").gt(longest),
        Ballot.key.partition("e").lt(longest),
        Ballot.key.partition("e").between("a", longest),
    ):
        for clause in selection.key_queries()[0].clauses:
            assert all(len(value["S"]) <= 1024 for value in clause.values)
    assert Ballot.key.partition("e").gt(longest).key_queries()[0].excluded == f"BALLOT#{longest}"


# Partition keys are not sorted, and sort keys are sorted only within a partition.
def test_only_sort_keys_next_to_longer_ones_are_escaped_more() -> None:
    table = Table("followed")

    class Person(Entity, table=table):
        name: Attr[str] = attr()
        key = Key(pk=("PERSON", name), sk=("NAME", repeated(name)))

    class _Letter(Entity, table=table):
        name: Attr[str] = attr()
        number: Attr[int] = attr()
        key = Key(pk=("PERSON", name, "LETTERS"), sk=("NAME", repeated(name), number))

    assert Person.key("Ada L").key == {"PK": {"S": "PERSON#Ada L"}, "SK": {"S": "NAME#Ada L"}}

    class _Phone(Entity, table=table):
        name: Attr[str] = attr()
        number: Attr[int] = attr()
        key = Key(pk=("PERSON", name), sk=("NAME", repeated(name), number))

    assert Person.key("Ada L").key == {"PK": {"S": "PERSON#Ada L"}, "SK": {"S": "NAME#Ada$20L"}}


# Each entity has its own stored names for inherited fields.
def test_inherited_fields_are_copied_for_each_entity() -> None:
    class Brief(Entity):
        name: Attr[str] = attr()
        gone: Attr[datetime] = expires()
        key = Key(pk=("A", name), sk="X")

    class One(Brief, table=Table("one", ttl="TTL")):
        pass

    class Two(Brief, table=Table("two", ttl="until")):
        pass

    assert model_of(One).fields["gone"].attribute == "TTL"
    assert model_of(Two).fields["gone"].attribute == "until"
    assert str(Two.gone) == "Two.gone"


def test_overlapping_index_keys_cause_a_warning() -> None:
    index = Index("all", pk="ALLPK", sk="ALLSK")
    table = Table("mixed", indexes=[index])

    class _Poll(Entity, table=table):
        name: Attr[str] = attr()
        key = Key(pk=("POLL", name), sk="X")
        all = Key(pk="ALL", sk=(name,)).on(index)

    with pytest.warns(DeclarationWarning, match="A query of one also reads") as warned:

        class _Survey(Entity, table=table):
            name: Attr[str] = attr()
            key = Key(pk=("SURVEY", name), sk="X")
            all = Key(pk="ALL", sk=(name,)).on(index)

    assert warned[0].filename == __file__


def test_field_stored_as_the_type_tag_of_another_entity_causes_a_warning() -> None:
    table = Table("tagged")

    class _Poll(Entity, table=table, type_tag=("type", "POLL")):
        name: Attr[str] = attr()
        key = Key(pk=("POLL", name), sk="X")

    with pytest.warns(DeclarationWarning, match="which is the type tag of _Poll") as warned:

        class _Contact(Entity, table=table):
            kind: Attr[str] = attr(name="type")
            key = Key(pk=("CONTACT", kind), sk="X")

    assert warned[0].filename == __file__


# An index by type uses the type tag as key; an update that leaves the index must not remove it.
def test_type_tag_may_be_the_key_of_an_index() -> None:
    index = Index("by_type", pk="type", sk="name")
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Poll(Entity, table=Table("typed", indexes=[index]), type_tag=("type", "POLL")):
            name: Attr[str] = attr()
            key = Key(pk=("POLL", name), sk="X")
            all = Key(pk="POLL", sk=(name,)).on(index)

    assert model_of(Poll).indexes["all"].dedicated_attributes == ()


def test_rejected_entity_is_not_registered() -> None:
    table = Table("clean")
    with pytest.raises(DeclarationError):

        class _Wrong(Entity, table=table):
            name: Attr[str] = attr()

    assert table.entities == []


# A key from a log or a stream can be used again.
@every(
    "item_key",
    [Ballot.key("a#b", "al ice"), Event.key(DAY, 7, Decimal("1.50")), Election.key(NAME)],
)
def test_key_is_parsed_to_an_equal_item_key(item_key: ItemKey[Any]) -> None:
    parsed = item_key.entity.key.parse({**item_key.key, "other": {"N": "1"}})
    assert parsed == item_key
    assert parsed.values == item_key.values


# Keys of another shape, and texts that no value has: `7` is stored as `0007`.
NOT_PARSED: list[tuple[Any, Item]] = [
    (Ballot, {}),
    (Ballot, {"PK": {"S": "ELECTION#x"}}),
    (Ballot, {"PK": {"N": "1"}, "SK": {"S": "X"}}),
    (Ballot, Election.key(NAME).key),
    (Event, {"PK": {"S": "EVENTS#2026-11-03#s1"}, "SK": {"S": "0007#000.0"}}),
    (Event, {"PK": {"S": "EVENTS#2026-11-03#s1"}, "SK": {"S": "7#000.00"}}),
    (Event, {"PK": {"S": "EVENTS#2026-11-03#s9"}, "SK": {"S": "0007#000.00"}}),
    (Event, {"PK": {"S": "EVENTS#2026-13-03#s1"}, "SK": {"S": "0007#000.00"}}),
    (Event, {"PK": {"S": "EVENTS#2026-11-03#s1"}, "SK": {"S": "٠٠٠٧#000.00"}}),
    (Event, {"PK": {"S": "EVENTS#2026-11-03#s1"}, "SK": {"S": "0007"}}),
]


@every(("entity", "item"), NOT_PARSED)
def test_key_of_another_shape_or_text_is_not_parsed(entity: Any, item: Item) -> None:
    assert entity.key.parse(item) is None

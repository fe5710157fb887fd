"""Keys with zero to four values on each side: their number, order and types."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

from singletable.schema import (
    Attr,
    Entity,
    Index,
    ItemKey,
    Key,
    Partition,
    Selection,
    Shards,
    Table,
    attr,
    casefold,
    concat,
    descending,
    ordered,
    padded,
    repeated,
)
from singletable.schema.unique import UniqueValue
from tests.typing.declared import Ballot, Election, Event, Person, Stage, UserSkill

DAY = date(2026, 11, 3)
NOW = datetime(2026, 11, 3, tzinfo=UTC)


def none_to_four(
    s: str, i: int, d: date, t: datetime, u: UUID, m: Decimal, b: bool, g: Stage
) -> None:
    """Pass values to each shape of key, from left to right."""
    first, second, third, fourth = (
        Index(n, pk=f"{n}P", sk=f"{n}S") for n in ("one", "two", "three", "four")
    )
    table = Table("shapes", indexes=[first, second, third, fourth])

    class Thing(Entity, table=table):
        """An entity with many fields."""

        s: Attr[str] = attr()
        i: Attr[int] = attr()
        d: Attr[date] = attr()
        t: Attr[datetime] = attr()
        u: Attr[UUID] = attr()
        m: Attr[Decimal] = attr()
        b: Attr[bool] = attr()
        g: Attr[Stage] = attr()
        n: Attr[str] = attr()
        maybe: Attr[int | None] = attr(default=None)

        key = Key(pk=("A", s, "B", i), sk=(d, "C", t, u, "D", padded(m, 8, 2)))
        one = Key(pk="ALL", sk=(s,)).on(first)
        two = Key(pk=("X", s, "SHARD", Shards(4)), sk=("Y", descending(i), d, repeated(s))).on(
            second
        )
        three = Key(pk=(s, i, ordered(g)), sk=("ONE", u, "TWO", t, casefold(n))).on(third)
        four = Key(pk=("1", s, "2", i, "3", d, "4", t), sk=("M", maybe)).on(fourth)

    class Other(Entity, table=table):
        """An entity with a repeated value before another."""

        s: Attr[str] = attr()
        i: Attr[int] = attr()
        key = Key(pk=("O", s), sk=("S", repeated(s), "I", i))
        one = Key(pk=("O", s), sk=("S", repeated(s), i)).on(first)
        alone = Key(pk=s, sk=descending(i)).on(second)
        plain = Key(pk=concat("O|", s), sk=concat("$I_", padded(i, 5), "|", repeated(s))).on(third)

    class Concatenated(Entity, table=table):
        """An entity with repeated values between the texts of `concat`."""

        s: Attr[str] = attr()
        i: Attr[int] = attr()
        d: Attr[date] = attr()
        key = Key(pk=concat("C|", s), sk=concat("A|", d, "|", repeated(s), "|", i))
        one = Key(
            pk=concat("C|", s, "|", repeated(s), "|"), sk=concat(repeated(s), "|", d, "|", i)
        ).on(first)
        two = Key(pk=concat("C|", d), sk=concat("A|", repeated(d), "|", s, "|", i)).on(second)
        three = Key(pk="ALL", sk=concat("A|", s, "|", d, "|", repeated(s), "|", i)).on(third)
        four = Key(pk=concat("C|", s), sk=concat(d, "|", repeated(s), "|", i)).on(fourth)

    item_key: ItemKey[Other] = Other.key(s, i)
    number: Partition[Other, int] = Other.one(s)
    concatenated: ItemKey[Concatenated] = Concatenated.key(s, d, i)
    found: Partition[Concatenated, str, date, int] = Concatenated.three()
    alone: Partition[Other, int] = Other.alone(s)
    plain: Partition[Other, int] = Other.plain(s)
    back: ItemKey[Other] | None = Other.key.parse(item_key.key)
    del item_key, number, alone, plain, back, concatenated, found

    address: ItemKey[Thing] = Thing.key(s, i, d, t, u, m)
    partition: Partition[Thing, date, datetime, UUID, Decimal] = Thing.key.partition(s, i)
    days: Partition[Thing, datetime, UUID, Decimal] = partition.eq(d)
    items: Partition[Thing] = days.eq(t).eq(u).eq(m)
    last: Selection[Thing] = days.eq(t).eq(u).between(m, m)
    all_: Partition[Thing, str] = Thing.one()
    begun: Selection[Thing] = Thing.one().begins_with("x")
    spread: Partition[Thing, int, date] = Thing.two(s)
    deep: Partition[Thing, UUID, datetime, str] = Thing.three(s, i, g)
    wide: Partition[Thing, int | None] = Thing.four(s, i, d, t)
    some: Selection[Thing] = wide.gt(3)
    del address, items, last, all_, begun, spread, deep, some, b


none_to_four("a", 1, DAY, NOW, UUID(int=1), Decimal("1.5"), True, Stage.OPEN)

ballot: ItemKey[Ballot] = Ballot.key("Languages", "alice")
election: ItemKey[Election] = Election.key("Languages")
whole: Partition[Election] = Election.key.partition("Languages")
person: ItemKey[Person] = Person.key(7)
cast: Partition[Ballot, datetime, str] = Ballot.of_voter("alice")
region: Partition[Ballot, int] = Ballot.of_region("north")
skills: Partition[UserSkill, int, date] = UserSkill.by_level("Python", 4)
used: Selection[UserSkill] = skills.eq(3).ge(DAY)
event: ItemKey[Event] = Event.key(DAY, NOW, UUID(int=1))
taken: UniqueValue[Person] = Person.address("ada@example.org")
both: UniqueValue[Person] = Person.birthday(date(1815, 12, 10), 7)

# By name, type checkers know the result, but neither the names nor the types of the values.
by_name: ItemKey[Ballot] = Ballot.key(election="Languages", voter="alice")
named_partition: Partition[Ballot, str] = Ballot.key.partition(election="Languages")
named_skills: Partition[UserSkill, int, date] = UserSkill.by_level(skill="Python", level=4)
named_value: UniqueValue[Person] = Person.birthday(born=date(1815, 12, 10), number=7)

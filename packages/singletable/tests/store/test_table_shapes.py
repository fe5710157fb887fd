"""Tables without a sort key, with number keys, and with other attribute names."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from dynamodb_engine.operations import GetItem
from dynamodb_engine.values import Item
from singletable.errors import AlreadyExists, InvalidValue
from singletable.schema import Attr, Entity, Index, Key, LocalIndex, Number, Table, attr
from singletable.store import Store
from tests.store.store_adapter import StoreOpener

simple = Table("simple", pk="id", sk=None)
meters = Table("meters", pk=Number("meter"), sk=Number("at"))
skill_index = Index("skills", pk=("skill", Number("level")), sk=(Number("years"), "last_used"))
people = Table("people", pk="hash", sk="range", indexes=[skill_index])
by_size = LocalIndex("by_size", sk=Number("size"))
folders = Table("folders", indexes=[by_size])


class Setting(Entity, table=simple):
    name: Attr[str] = attr(key_only=True)
    value: Attr[str] = attr(default="", name="v")
    key = Key(pk=("SETTING", name))


class Reading(Entity, table=meters):
    meter: Attr[int] = attr()
    at: Attr[Decimal] = attr()
    value: Attr[int] = attr(default=0)
    key = Key(pk=(meter,), sk=(at,))


class Skill(Entity, table=people):
    person: Attr[str] = attr(key_only=True)
    skill: Attr[str] = attr()
    level: Attr[int] = attr()
    years: Attr[int | None] = attr(default=None)
    last_used: Attr[date] = attr(default=date(2026, 1, 1))
    key = Key(pk=("PERSON", person), sk=("SKILL", skill))
    experts = Key(pk=(skill, level), sk=(years, last_used)).on(skill_index)


class Paper(Entity, table=folders):
    folder: Attr[str] = attr()
    name: Attr[str] = attr()
    size: Attr[int | None] = attr(default=None)
    key = Key(pk=("FOLDER", folder), sk=("PAPER", name))
    sized = Key(pk=("FOLDER", folder), sk=(size,)).on(by_size)


def test_table_without_a_sort_key(empty: Store, opener: StoreOpener) -> None:
    empty.admin.create_table(simple)
    made = empty.create(Setting(name="theme", value="dark"))
    with pytest.raises(AlreadyExists):
        empty.create(Setting(name="theme"))
    key: Item = {"id": {"S": "SETTING#theme"}}
    assert opener.driver.execute(GetItem("simple", key)).item == {**key, "v": {"S": "dark"}}
    assert empty.get(Setting.key("theme")) == made
    assert empty.update(Setting.key("theme"), Setting.value.set("light")).value == "light"
    assert [one.name for one in empty.query(Setting.key.partition("theme"))] == ["theme"]
    assert empty.count(Setting.key.partition("theme")) == 1
    assert list(empty.select(Setting.key.partition("theme"), Setting.name, Setting.value)) == [
        ("theme", "light")
    ]
    assert empty.get_many([Setting.key("theme"), Setting.key("x")])[1] is None
    assert empty.delete(Setting.key("theme")) is not None


def test_condition_on_a_key_only_field_raises(empty: Store) -> None:
    empty.admin.create_table(simple)
    empty.create(Setting(name="theme"))
    with pytest.raises(InvalidValue, match="key_only=True"):
        empty.update(Setting.key("theme"), Setting.value.set("x"), if_=Setting.name == "theme")
    with pytest.raises(InvalidValue, match="key_only=True"):
        empty.query(Setting.key.partition("theme"), where=Setting.name == "theme")


def test_number_keys(empty: Store) -> None:
    empty.admin.create_table(meters)
    times = [Decimal("-2.5"), Decimal(0), Decimal("1E+2"), Decimal("100.5"), Decimal("1E+3")]
    empty.put_many(Reading(meter=7, at=at, value=number) for number, at in enumerate(times))
    found = [one.at for one in empty.query(Reading.key.partition(7))]
    assert found == times
    later = empty.query(Reading.key.partition(7).gt(Decimal("99.9")), reverse=True)
    assert [one.value for one in later] == [4, 3, 2]
    # It is the same item, however the number is spelled.
    same = [Reading.key(7, Decimal(100)), Reading.key(7, Decimal("1E+2"))]
    assert [one and one.value for one in empty.get_many(same)] == [2, 2]
    assert [one and one.value for one in empty.transact_get(*same)] == [2, 2]
    with pytest.raises(InvalidValue, match="the same key"):
        empty.put_many([Reading(meter=1, at=Decimal("1E+1")), Reading(meter=1, at=Decimal("10.0"))])
    with empty.transaction() as transaction:
        transaction.update(same[0], Reading.value.add(1))
        transaction.update(same[1], Reading.value.add(1))
    assert [one and one.value for one in empty.get_many(same)] == [4, 4]
    page = empty.page(Reading.key.partition(7), 2)
    assert len(empty.page(Reading.key.partition(7), 9, cursor=page.cursor).items) == 3


def test_index_with_several_key_attributes(empty: Store) -> None:
    empty.admin.create_table(people)
    for person, years in (("ada", 9), ("bea", 10), ("cid", 2), ("dan", None)):
        empty.create(Skill(person=person, skill="Python", level=4, years=years))
    experts = Skill.experts("Python", 4)
    assert [one.person for one in empty.query(experts)] == ["cid", "ada", "bea"]
    assert [one.person for one in empty.query(experts.gt(5), reverse=True)] == ["bea", "ada"]
    assert [one.person for one in empty.query(experts.eq(9).ge(date(2026, 1, 1)))] == ["ada"]
    assert empty.count(experts) == 3
    empty.update(Skill.key("dan", "Python"), Skill.years.set(1))
    empty.update(Skill.key("ada", "Python"), Skill.level.set(5))
    assert [one.person for one in empty.query(experts)] == ["dan", "cid", "bea"]
    page = empty.page(experts, 1)
    rest = empty.page(experts, 9, cursor=page.cursor)
    assert [one.person for one in (*page.items, *rest.items)] == ["dan", "cid", "bea"]


def test_consistent_query_of_a_local_index(empty: Store) -> None:
    empty.admin.create_table(folders)
    for name, size in (("a", 3), ("b", 1), ("c", None), ("d", 2)):
        empty.create(Paper(folder="f", name=name, size=size))
    found = empty.query(Paper.sized("f"), consistent=True)
    assert [one.name for one in found] == ["b", "d", "a"]
    assert empty.count(Paper.sized("f").gt(1), consistent=True) == 2
    empty.update(Paper.key("f", "c"), Paper.size.set(9))
    assert [one.name for one in empty.query(Paper.sized("f"), reverse=True)] == list("cadb")

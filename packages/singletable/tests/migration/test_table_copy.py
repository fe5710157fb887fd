"""Copies of tables: whole, in part, changed, anonymized, interrupted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import pytest

from dynamodb_engine.operations import Scan
from dynamodb_engine.testing import Crash, InterruptedDriver, endpoint
from dynamodb_engine.values import Item
from singletable import (
    Attr,
    BatchWriteItem,
    Driver,
    Engine,
    Entity,
    Index,
    Key,
    Number,
    Remote,
    Store,
    Table,
    Unique,
    attr,
    casefold,
)
from singletable.errors import InvalidValue, MigrationError, ResourceNotFound, TransformFailed
from singletable.migration.anonymization import Anonymizer
from singletable.migration.table_copy import CopyResult, CopySettings, TableCopy
from singletable.schema import read_table

R = TypeVar("R")

people = Table(
    "people",
    indexes=[Index("GSI1", pk="City", sk=Number("Age"), projection=["Name"])],
    ttl="Until",
)
SECRET = "correct horse"


class Person(Entity, table=people):
    email: Attr[str] = attr(name="Email")
    name: Attr[str] = attr(name="Name")
    city: Attr[str] = attr(name="City", default="Rome")
    age: Attr[int] = attr(name="Age", default=30)
    key = Key(pk=("PERSON", email), sk="PROFILE")
    one_email = Unique(casefold(email))


class Note(Entity, table=people):
    email: Attr[str] = attr(name="Email")
    number: Attr[int] = attr(name="Number")
    text: Attr[str] = attr(name="Text", default="")
    key = Key(pk=("PERSON", email), sk=("NOTE", number))


@pytest.fixture
def source() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(people)
        for number in range(20):
            email = f"Person{number}@example.org"
            store.create(Person(email=email, name=f"Name {number}", age=number))
            for note in range(3):
                store.create(Note(email=email, number=note, text=f"from {email}"))
        yield engine


@pytest.fixture
def target() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine


def items(driver: Driver, table: str = "people") -> dict[str, Item]:
    """Return all items by the text of their key."""
    found = driver.execute(Scan(table)).items
    return {f"{one['PK']['S']} {one['SK']['S']}": one for one in found}


def copy(source: Driver, target: Driver, **settings: Any) -> CopyResult:
    return TableCopy(source, target, "people", settings=CopySettings(**settings)).run()


@pytest.mark.parametrize("where", ["memory", "file", "http"])
def test_copies_all_items_and_creates_the_table_like_the_original(
    source: Engine, tmp_path: Path, where: str
) -> None:
    with ExitStack() as stack:
        target: Driver
        if where == "http":
            url = stack.enter_context(endpoint(stack.enter_context(Engine.in_memory())))
            target = stack.enter_context(Remote.at(f"dynamodb+{url}"))
        elif where == "file":
            target = stack.enter_context(Engine.on_file(tmp_path / "copy.db"))
        else:
            target = stack.enter_context(Engine.in_memory())
        done: list[int] = []
        copied = TableCopy(source, target, "people", on_progress=lambda one: done.append(one.done))
        assert copied.is_new
        assert copied.run() == CopyResult(100, 0, {})
        assert done[-1] == 100
        # No state of the copy is left.
        assert items(target) == items(source)
        (_, old), (_, new) = read_table(source, "people"), read_table(target, "people")
        assert (new.key_attributes, new.ttl) == (old.key_attributes, "Until")
        assert [vars(one) for one in new.indexes] == [vars(one) for one in old.indexes]
        # A repeated copy changes nothing.
        assert not TableCopy(source, target, "people").is_new
        assert copy(source, target).copied == 100
        assert items(target) == items(source)


def test_a_copy_in_the_same_place_has_another_name(source: Engine) -> None:
    assert TableCopy(source, source, "people", "again").run().copied == 100
    assert items(source, "again") == items(source)


def test_sample_has_whole_partitions_and_their_unique_values(
    source: Engine, target: Engine
) -> None:
    result = copy(source, target, sample=0.4)
    store = Store(target)
    found = list(store.admin.scan(Person))
    assert 2 <= len(found) <= 14
    # A profile, three notes and a marker each.
    assert result.copied == 5 * len(found)
    for person in found:
        assert len(list(store.query(Note.key.partition(person.email)))) == 3
        assert store.find(Person.one_email(person.email)) == person
    # A larger sample contains the smaller one.
    assert copy(source, target, sample=0.6).copied == len(items(target))


def test_function_changes_and_leaves_out_items(source: Engine, target: Engine) -> None:
    seen: list[dict[str, Any]] = []

    def older(item: dict[str, Any]) -> dict[str, Any] | None:
        seen.append(item)
        return {**item, "Age": item["Age"] + Decimal("0.5")} if "Age" in item else None

    assert copy(source, target, transform=older) == CopyResult(20, 80, {})
    assert items(target)["PERSON#Person3@example.org PROFILE"]["Age"] == {"N": "3.5"}
    assert {type(one["Age"]) for one in seen if "Age" in one} == {int}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda item: {}, "no key attribute 'PK' of type S"),
        (lambda item: {**item, "SK": 1}, "no key attribute 'SK' of type S"),
        (lambda item: [item], "expected a dict or None"),
        (lambda item: {**item, "Age": 1.5}, "Age"),
        (lambda item: item["missing"], "KeyError: 'missing'"),
        (lambda item: {**item, "PK": "x", "SK": "y"}, "another item became PK=x SK=y"),
    ],
)
def test_wrong_results_of_a_function_name_the_item(
    source: Engine, target: Engine, function: Callable[[Any], Any], message: str
) -> None:
    with pytest.raises(TransformFailed, match=r"PERSON#|UNIQUE") as raised:
        copy(source, target, transform=function)
    assert message in str(raised.value)


def test_fakes_keep_references_and_unique_values_consistent(source: Engine, target: Engine) -> None:
    anonymizer = Anonymizer({"Email": "email", "Name": "name"}, SECRET)
    result = copy(source, target, anonymizer=anonymizer)
    assert result.replaced == {"Email": 80, "Name": 20}
    assert "example.org" not in str(items(target)).casefold()
    store = Store(target)
    found = list(store.admin.scan(Person))
    assert len({one.name for one in found}) == len({one.email for one in found}) == 20
    for person in found:
        assert store.find(Person.one_email(person.email.upper())) == person
        notes = list(store.query(Note.key.partition(person.email)))
        assert [one.text for one in notes] == [f"from {person.email}"] * 3
    # The same secret gives the same fakes: nothing is there twice.
    copy(source, target, anonymizer=Anonymizer({"Email": "email", "Name": "name"}, SECRET))
    assert len(items(target)) == 100


def test_fakes_replace_values_anywhere_in_the_item_but_not_parts_of_words() -> None:
    anonymizer = Anonymizer(
        {"Name": "name", "Phone": "phone", "Id": "hash", "Key": "hash", "Secret": "remove"}, SECRET
    )
    item: Item = {
        "PK": {"S": "user_Al#X"},
        "Name": {"S": "Al"},
        "Text": {"S": "Also by AL, Al"},
        "Deep": {"L": [{"M": {"Phone": {"SS": ["+1 555-0100", "+1 555-0101"]}}}]},
        "Secret": {"S": "x"},
        "Id": {"N": "12.50"},
        "Key": {"B": "AAEC"},
        "Other": {"N": "12.50"},
    }
    new = anonymizer.apply(item, anonymizer.replacements(item), Counter())
    name = new["Name"]["S"]
    assert name != "Al"
    assert new["PK"] == {"S": f"user_{name}#X"}
    assert new["Text"] == {"S": f"Also by AL, {name}"}
    phones = new["Deep"]["L"][0]["M"]["Phone"]["SS"]
    assert len(set(phones) | {"+1 555-0100", "+1 555-0101"}) == 4
    assert [one[0] + one[2] + one[6] + str(len(one)) for one in phones] == ["+ -11", "+ -11"]
    assert "Secret" not in new
    assert (len(new["Id"]["N"]), new["Id"] == item["Id"]) == (5, False)
    assert new["Key"] != item["Key"]
    assert new["Other"] == item["Other"]


# Two people with fakes that are equal would become one, if the fake is in the key.
def test_different_numbers_have_different_fakes_with_as_many_digits() -> None:
    anonymizer = Anonymizer({"n": "phone"}, SECRET)
    for kind in ("N", "S"):
        texts = [str(number) for number in range(1, 1200)]
        fakes = [anonymizer.replacements({"n": {kind: text}})[text] for text in texts]  # type: ignore[misc]
        assert len(set(fakes)) == len(texts)
        assert [len(one) for one in fakes] == [len(one) for one in texts]


def test_interrupted_copy_continues_and_other_settings_are_rejected(
    source: Engine, target: Engine
) -> None:
    # With a rate, pages are small; the clock never shows a delay.
    settings = CopySettings(rate=25, segments=2)
    slept: list[float] = []
    driver = InterruptedDriver(target)
    driver.crash_after(2, BatchWriteItem)
    with pytest.raises(Crash):
        TableCopy(source, driver, "people", settings=settings, sleep=slept.append).run()
    assert 0 < len(items(target)) < 100
    with pytest.raises(MigrationError, match="other settings"):
        copy(source, target, sample=0.4)
    driver.interrupt(BatchWriteItem)
    continued = TableCopy(source, driver, "people", settings=settings, sleep=slept.append)
    assert continued.run().copied == 100
    assert items(target) == items(source)
    # Two batches were written before, and are not written again.
    assert driver.count < 4
    assert copy(source, target, sample=0.4).copied < 100


def test_restart_forgets_an_interrupted_copy(source: Engine, target: Engine) -> None:
    settings = CopySettings(rate=25, segments=1)
    driver = InterruptedDriver(target)
    driver.crash_after(2, BatchWriteItem)
    with pytest.raises(Crash):
        TableCopy(source, driver, "people", settings=settings, sleep=lambda _: None).run()
    again = TableCopy(source, target, "people", settings=CopySettings(sample=0.4))
    assert again.run(restart=True).copied < 100


def test_different_keys_and_copies_onto_itself_are_rejected(source: Engine, target: Engine) -> None:
    Store(target).admin.create_table(Table("people", pk="id", sk=None))
    with pytest.raises(InvalidValue, match=r"has the key id \(S\), but 'people' has PK \(S\)"):
        TableCopy(source, target, "people")
    with pytest.raises(InvalidValue, match="onto itself"):
        TableCopy(source, source, "people")


def test_preview_writes_nothing(source: Engine, target: Engine) -> None:
    anonymizer = Anonymizer({"Email": "email", "SK": "remove"}, SECRET)
    with pytest.raises(InvalidValue, match="'SK' is a key attribute"):
        TableCopy(source, target, "people", settings=CopySettings(anonymizer=anonymizer))
    anonymizer = Anonymizer({"Email": "email"}, SECRET)
    settings = CopySettings(
        anonymizer=anonymizer, transform=lambda item: item if "Age" in item else None
    )
    found = TableCopy(source, target, "people", settings=settings).preview(4)
    assert [one["Email"]["S"].endswith("@example.com") for one in found] == [True] * 4
    with pytest.raises(ResourceNotFound):
        target.execute(Scan("people"))


@pytest.mark.parametrize(
    "settings",
    [{"sample": 0}, {"sample": 1.5}, {"segments": 0}, {"segments": 1000}],
)
def test_wrong_settings_are_rejected(settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidValue):
        CopySettings(**settings)


@pytest.mark.parametrize(
    ("kinds", "secret", "message"),
    [({"Email": "mail"}, SECRET, "Kinds: email, name"), ({"Email": "email"}, "abc", "3 char")],
)
def test_wrong_fakes_are_rejected(kinds: dict[str, str], secret: str, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Anonymizer(kinds, secret)


def test_a_copy_onto_itself_by_another_address_changes_nothing(source: Engine) -> None:
    before = items(source)
    with pytest.raises(InvalidValue, match="onto itself"):
        copy(source, InterruptedDriver(source), transform=lambda item: {**item, "Name": "Nobody"})
    assert items(source) == before


def test_items_of_different_pages_that_become_one_are_reported(
    source: Engine, target: Engine
) -> None:
    # A page has 1 MB.
    for number in range(5):
        Store(source).create(Note(email="long@x", number=number, text="x" * 300_000))

    def renumber(item: dict[str, Any]) -> dict[str, Any] | None:
        if item["PK"] != "PERSON#long@x":
            return None
        return {**item, "SK": "FIRST OR LAST"} if item["Number"] in (0, 4) else item

    with pytest.raises(TransformFailed, match="another item became"):
        copy(source, target, transform=renumber, segments=1)

"""The schema of a declaration is canonical JSON, and a broken lock file is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Literal, NewType
from uuid import uuid4

import pytest

from singletable import (
    Attr,
    Compressed,
    Count,
    Entity,
    Index,
    Key,
    LocalIndex,
    MigrationError,
    Number,
    Shards,
    Table,
    TimeFormat,
    Unique,
    attr,
    casefold,
    concat,
    created,
    descending,
    expires,
    ordered,
    padded,
    repeated,
    sequence,
    version,
)
from singletable.migration.schema_diff.snapshot import Schema, lock_text, read_lock, snapshot

UserId = NewType("UserId", str)


class Status(Enum):
    OPEN = "open"
    DONE = "done"


@dataclass
class Address:
    city: str
    tags: list[str] = field(default_factory=list)


def shop() -> Table:
    """Declare a table that uses every feature."""
    by_status = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=["total", "customer"])
    by_total = LocalIndex("by_total", sk=Number("total"))
    table = Table("shop", indexes=[by_status, by_total], ttl="ttl")

    class Customer(Entity, table=table, type_tag=("type", "CUSTOMER")):
        user: Attr[UserId] = attr()
        email: Attr[str | None] = attr(name="Email")
        address: Attr[Address | None] = attr(default=None)
        orders: Attr[int] = attr(default=0)
        last: Attr[int] = attr(default=0)
        since: Attr[datetime] = created(time_format=TimeFormat.SECONDS)
        version: Attr[int] = version()
        notes: Attr[str] = attr(default="", codec=Compressed())
        token: Attr[str] = attr(factory=lambda: str(uuid4()))

        key = Key(pk=("CUSTOMER", user), sk=("CUSTOMER", repeated(user)))
        one_email = Unique(casefold(email), include={"user": user, "kind": "email"})

    class Order(Entity, table=table):
        user: Attr[UserId] = attr(key_only=True)
        number: Attr[int] = sequence(Customer.last, key=(user,))
        status: Attr[Status] = attr(default=Status.OPEN)
        speed: Attr[Literal["slow", "fast"]] = attr()
        total: Attr[int] = attr()

        key = Key(pk=("CUSTOMER", user), sk=("ORDER", padded(number, 6)))
        by_status_key = Key(
            pk=("STATUS", status, Shards(4, by=number, prefix="s")),
            sk=(descending(ordered(speed)), number),
        ).on(by_status, when=status != Status.DONE)
        cheapest = Key(pk=("CUSTOMER", user), sk=total).on(by_total)
        counted = Count(Customer, Customer.orders, key=(user,))

    class Session(Entity, table=table):
        token: Attr[str] = attr()
        number: Attr[int] = attr()
        until: Attr[datetime] = expires(name="ttl")
        key = Key(pk=concat("SESSION|", token, "|", padded(number, 2)), sk="SESSION")

    return table


def test_snapshot_has_every_fact_about_stored_items() -> None:
    table = snapshot([shop()]).tables["shop"]
    assert (table.pk, table.sk, table.ttl) == ("PK", "SK", "ttl")
    assert table.indexes["GSI1"].projection == ("customer", "total")
    by_total = table.indexes["by_total"]
    assert (by_total.sk, by_total.local) == (("total (N)",), True)
    customer, order = table.entities["Customer"], table.entities["Order"]
    assert customer.type_tag == ("type", "CUSTOMER")
    assert customer.key == {"PK": "CUSTOMER#{user}", "SK": "CUSTOMER#{repeated(user)}"}
    session = table.entities["Session"].key["PK"]
    assert session == "{concat('SESSION|', token, '|', padded(number, 2))}"
    email, notes = customer.fields["email"], customer.fields["notes"]
    assert (email.attribute, email.type, email.optional) == ("Email", "str", True)
    assert email.default is None
    assert (notes.codec, notes.stored, notes.default) == ("Compressed()", "B", "''")
    assert customer.fields["since"].time_format == "SECONDS"
    assert customer.fields["since"].role == "created"
    assert customer.fields["token"].default == "Customer.<lambda>()"
    unique = customer.uniques["one_email"]
    assert unique.fields == ("casefold(email)",)
    assert unique.key == {"PK": "UNIQUE#Customer#email#{casefold(email)}", "SK": "UNIQUE"}
    assert unique.include == {"user": "{user}", "kind": "email"}
    assert order.fields["user"].key_only
    assert order.fields["status"].default == "Status.OPEN"
    assert order.sequences["number"].field == "last"
    assert (order.counts["counted"].entity, order.counts["counted"].key) == ("Customer", ("user",))
    placed = order.indexes["by_status_key"]
    assert placed.key == {
        "GSI1PK": "STATUS#{status}#{Shards(4, by=number, prefix='s')}",
        "GSI1SK": "{descending(ordered(speed, ['slow', 'fast']))}#{number}",
    }
    assert placed.when == "status != 'done'"
    assert order.indexes["cheapest"].key == {"PK": "CUSTOMER#{user}", "total": "{total}"}


def test_snapshot_describes_classes_in_types() -> None:
    classes = snapshot([shop()]).classes
    assert classes["Address"].members == {"city": "str", "tags": "list[str] = list()"}
    assert classes["Status"].members == {"OPEN": "'open'", "DONE": "'done'"}
    assert classes["UserId"].members == {"of": "str"}


def test_required_fields_are_those_that_an_item_must_have() -> None:
    entities = snapshot([shop()]).tables["shop"].entities
    fields = {name: one for entity in entities.values() for name, one in entity.fields.items()}
    required = {name for name, one in fields.items() if one.required}
    assert required == {"number", "since", "speed", "token", "total", "until"}


def test_equal_declarations_have_equal_texts_and_digests() -> None:
    one, two = snapshot([shop()]), snapshot([shop()])
    assert one == two
    assert lock_text(one, None) == lock_text(two, None)
    assert len(one.digest) == 12
    assert one.digest != Schema().digest


def test_lock_is_read_back_and_has_one_fact_per_line(tmp_path: Path) -> None:
    schema = snapshot([shop()])
    path = tmp_path / "schema.lock"
    assert read_lock(path) is None
    path.write_text(lock_text(schema, "0003_emails"))
    lock = read_lock(path)
    assert lock is not None
    assert (lock.schema, lock.digest, lock.migration) == (schema, schema.digest, "0003_emails")
    assert '  "migration": "0003_emails",' in path.read_text().splitlines()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "is not a schema lock"),
        ("[]", "is not a schema lock"),
        ("{}", "is not a schema lock"),
        ('<<<<<<< HEAD\n"digest"', "conflict marks of a merge"),
        ('{"format": 99, "rules": 1}', "format 99"),
    ],
)
def test_broken_or_newer_lock_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "schema.lock"
    path.write_text(text)
    with pytest.raises(MigrationError, match=expected):
        read_lock(path)


def test_edited_lock_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "schema.lock"
    lock = json.loads(lock_text(snapshot([shop()]), None))
    lock["schema"]["tables"]["shop"]["ttl"] = "expires"
    path.write_text(json.dumps(lock))
    with pytest.raises(MigrationError, match="was edited, or merged"):
        read_lock(path)


def test_two_tables_of_one_name_are_refused() -> None:
    with pytest.raises(MigrationError, match="Two tables are named 'shop'"):
        snapshot([shop(), shop()])

"""A session with PynamoDB: models, conditions, batches and transactions."""

# PynamoDB is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from pynamodb.attributes import (
    BinaryAttribute,
    BinarySetAttribute,
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    NumberSetAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
    UTCDateTimeAttribute,
    VersionAttribute,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import (
    DoesNotExist,
    GetError,
    PutError,
    TableDoesNotExist,
    TransactWriteError,
    UpdateError,
)
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model
from pynamodb.transactions import TransactGet, TransactWrite

REGION = os.environ["AWS_REGION"]
URL = os.environ["AWS_ENDPOINT_URL_DYNAMODB"]


class ByVoter(GlobalSecondaryIndex):
    class Meta:
        index_name = "by_voter"
        projection = AllProjection()

    voter = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(range_key=True)


class Ward(MapAttribute):
    name = UnicodeAttribute()
    opened = BooleanAttribute(default=True)


class Ballot(Model):
    class Meta:
        table_name = "pynamodb"
        region = REGION
        host = URL
        billing_mode = "PAY_PER_REQUEST"
        tags: ClassVar = {"team": "votes"}

    election = UnicodeAttribute(hash_key=True)
    number = NumberAttribute(range_key=True)
    voter = UnicodeAttribute(null=True)
    by_voter = ByVoter()
    points = NumberAttribute(default=0)
    seal = BinaryAttribute(legacy_encoding=False, null=True)
    names = UnicodeSetAttribute(null=True)
    years = NumberSetAttribute(null=True)
    marks = BinarySetAttribute(legacy_encoding=False, null=True)
    ranking = ListAttribute(null=True)
    ward = Ward(null=True)
    cast_at = UTCDateTimeAttribute(null=True)
    expires = TTLAttribute(null=True)


class Seat(Model):
    class Meta:
        table_name = "pynamodb.seats"
        region = REGION
        host = URL
        read_capacity_units = 1
        write_capacity_units = 1

    name = UnicodeAttribute(hash_key=True)
    holder = UnicodeAttribute(null=True)
    version = VersionAttribute()


class Nowhere(Seat):
    class Meta:
        table_name = "pynamodb.nowhere"
        region = REGION
        host = URL


def main() -> None:
    assert not Ballot.exists()
    # PynamoDB enables TTL too, because the model has a TTLAttribute.
    Ballot.create_table(wait=True)
    assert Ballot.exists()
    assert Ballot.describe_table()["TableStatus"] == "ACTIVE"
    check_attribute_types()
    check_conditional_update()
    check_batches_and_pages()
    check_optimistic_locking()
    check_canceled_transaction()
    check_errors()
    Ballot.delete_table()


def check_attribute_types() -> None:
    now = datetime(2026, 5, 17, 9, 30, tzinfo=UTC)
    ballot = Ballot(
        "mayor",
        1,
        seal=b"\x00\xff",
        names={"ada", "lovelace"},
        years={1815, 18.5},
        marks={b"\x01", b"\x02"},
        ranking=["lee", {"deep": [1, None]}],
        ward=Ward(name="Grünau"),
        cast_at=now,
        expires=now + timedelta(days=20_000),
    )
    consumed = ballot.save(Ballot.election.does_not_exist())
    assert consumed["ConsumedCapacity"]["CapacityUnits"] >= 1
    got = Ballot.get("mayor", 1, consistent_read=True)
    assert got.attribute_values.keys() == ballot.attribute_values.keys()
    for name, value in ballot.attribute_values.items():
        if name != "ward":
            assert getattr(got, name) == value, name
    assert (got.ward.name, got.ward.opened) == ("Grünau", True)
    failed = raised(PutError, lambda: ballot.save(Ballot.election.does_not_exist()))
    assert failed.cause_response_code == "ConditionalCheckFailedException"


def check_conditional_update() -> None:
    ballot = Ballot("mayor", 1)
    ballot.update(
        actions=[
            Ballot.points.set(Ballot.points + 2),
            Ballot.names.add({"byron"}),
            Ballot.ward.name.set("Süd"),
            Ballot.seal.remove(),
        ],
        condition=(Ballot.points < 5) & Ballot.names.contains("ada"),
    )
    assert (ballot.points, ballot.names, ballot.seal) == (2, {"ada", "lovelace", "byron"}, None)
    failed = raised(
        UpdateError,
        lambda: ballot.update(actions=[Ballot.points.set(0)], condition=Ballot.points == 5),
    )
    assert failed.cause_response_code == "ConditionalCheckFailedException"
    ballot.delete(condition=Ballot.points == 2)
    raised(DoesNotExist, lambda: Ballot.get("mayor", 1))


def check_batches_and_pages() -> None:
    with Ballot.batch_write() as batch:
        for number in range(60):
            batch.save(Ballot("council", number, voter=f"voter {number % 2}"))
    found = Ballot.query("council", Ballot.number.between(10, 49), page_size=7, limit=30)
    assert [ballot.number for ballot in found] == list(range(10, 40))
    assert found.last_evaluated_key == {"election": {"S": "council"}, "number": {"N": "39"}}
    odd = Ballot.by_voter.query("voter 1", scan_index_forward=False, page_size=20)
    assert [ballot.number for ballot in odd] == list(range(59, 0, -2))
    assert Ballot.count("council", filter_condition=Ballot.voter == "voter 0") == 30
    assert sum(1 for _ in Ballot.scan(page_size=25)) == 60
    assert sum(1 for s in range(2) for _ in Ballot.scan(segment=s, total_segments=2)) == 60
    keys = [("council", number) for number in (1, 2, 404)]
    assert sorted(ballot.number for ballot in Ballot.batch_get(keys)) == [1, 2]


def check_optimistic_locking() -> None:
    Seat.create_table(wait=True)
    Seat("chair", holder="ada").save()
    mine, theirs = Seat.get("chair"), Seat.get("chair")
    mine.update(actions=[Seat.holder.set("lee")])
    assert mine.version == 2
    theirs.holder = "kim"
    assert raised(PutError, theirs.save).cause_response_code == "ConditionalCheckFailedException"
    theirs.refresh()
    assert theirs.holder == "lee"
    Seat.delete_table()


def check_canceled_transaction() -> None:
    connection = Connection(region=REGION, host=URL)
    with TransactWrite(connection=connection, client_request_token="pynamodb") as transaction:
        transaction.save(Ballot("referendum", 1, points=3))
        transaction.update(Ballot("referendum", 2), actions=[Ballot.points.add(1)])

    def again() -> None:
        with TransactWrite(connection=connection) as transaction:
            transaction.delete(Ballot("referendum", 1), condition=Ballot.points == 4)
            transaction.condition_check(Ballot, "referendum", 2, condition=Ballot.points == 1)

    canceled = raised(TransactWriteError, again)
    # PynamoDB sends checks before deletions.
    passed, failed = canceled.cancellation_reasons
    assert (passed, failed.code) == (None, "ConditionalCheckFailed")
    with TransactGet(connection=connection) as reading:
        first, second = (reading.get(Ballot, "referendum", number) for number in (1, 2))
    assert (first.get().points, second.get().points) == (Decimal(3), 1)


def check_errors() -> None:
    missing = raised(GetError, lambda: Nowhere.get("chair"))
    assert missing.cause_response_code == "ResourceNotFoundException"
    raised(TableDoesNotExist, Nowhere.describe_table)


def raised(kind: type[Exception], action: Any) -> Any:
    """Return the exception that the action raises."""
    try:
        action()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


main()

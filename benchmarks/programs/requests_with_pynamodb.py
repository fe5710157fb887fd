"""Measure PynamoDB: requests to an endpoint."""

# PynamoDB is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# mypy: disable-error-code="no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pynamodb.attributes import ListAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.models import Model

from benchmarks.programs.endpoint_requests import TABLE, EndpointRequests, endpoint
from benchmarks.programs.with_pynamodb import DatetimeAttribute


class Ballot(Model):
    """The item as a model."""

    class Meta:
        """The table and the endpoint."""

        table_name = TABLE
        region = "us-east-1"
        host = endpoint()
        aws_access_key_id = "singletable"
        aws_secret_access_key = "singletable"

    pk = UnicodeAttribute(hash_key=True, attr_name="PK")
    sk = UnicodeAttribute(range_key=True, attr_name="SK")
    index_pk = UnicodeAttribute(attr_name="GSI1PK")
    index_sk = UnicodeAttribute(attr_name="GSI1SK")
    entity_type = UnicodeAttribute(default="BALLOT")
    election = UnicodeAttribute()
    voter = UnicodeAttribute()
    when_cast = DatetimeAttribute(default=datetime(2026, 1, 1, tzinfo=UTC))
    choice = UnicodeAttribute(null=True)
    rank = NumberAttribute(default=0)
    notes: Any = ListAttribute(of=UnicodeAttribute, default=list)


def create(voter: str) -> object:
    """Write a ballot whose key is free."""
    ballot = Ballot(
        pk="ELECTION#M",
        sk=f"BALLOT#{voter}",
        index_pk=f"VOTER#{voter}",
        index_sk="2026-01-01T00:00:00.000000Z#M",
        election="M",
        voter=voter,
    )
    return ballot.save(condition=Ballot.pk.does_not_exist())


UPDATED = Ballot(pk="ELECTION#L", sk="BALLOT#v001")


def update() -> Ballot:
    """Set the rank, and return the new state."""
    UPDATED.update(actions=[Ballot.rank.set(3)], condition=Ballot.pk.exists())
    return UPDATED


REQUESTS = EndpointRequests(
    get=lambda: Ballot.get("ELECTION#L", "BALLOT#v001"),
    create=create,
    update=update,
    query=lambda: list(Ballot.query("ELECTION#L", Ballot.sk.startswith("BALLOT#"))),
)

if __name__ == "__main__":
    REQUESTS.measure_and_print("pynamodb")

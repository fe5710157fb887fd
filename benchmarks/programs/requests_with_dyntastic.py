"""Measure dyntastic: requests to an endpoint."""

# dyntastic is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# mypy: disable-error-code="no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

from dyntastic import A, Dyntastic
from pydantic import Field

from benchmarks.programs.endpoint_requests import TABLE, EndpointRequests, endpoint

os.environ.update(AWS_ACCESS_KEY_ID="singletable", AWS_SECRET_ACCESS_KEY="singletable")


class Ballot(Dyntastic):
    """The item as a model."""

    __table_name__ = TABLE
    __table_region__ = "us-east-1"
    __table_host__ = endpoint()
    __hash_key__ = "PK"
    __range_key__ = "SK"

    PK: str
    SK: str
    GSI1PK: str
    GSI1SK: str
    entity_type: str = "BALLOT"
    election: str
    voter: str
    when_cast: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    choice: str | None = None
    rank: int = 0
    notes: list[str] = Field(default_factory=list)


def create(voter: str) -> Any:
    """Write a ballot whose key is free."""
    ballot = Ballot(
        PK="ELECTION#M",
        SK=f"BALLOT#{voter}",
        GSI1PK=f"VOTER#{voter}",
        GSI1SK="2026-01-01T00:00:00.000000Z#M",
        election="M",
        voter=voter,
    )
    return ballot.save(condition=A.PK.not_exists())


UPDATED = Ballot.get("ELECTION#L", "BALLOT#v001")


def update() -> Ballot:
    """Set the rank, and read the new state, which takes a second request."""
    UPDATED.update(A.rank.set(3), condition=A.PK.exists(), refresh=True)
    return UPDATED


REQUESTS = EndpointRequests(
    get=lambda: Ballot.get("ELECTION#L", "BALLOT#v001"),
    create=create,
    update=update,
    query=lambda: list(Ballot.query("ELECTION#L", range_key_condition=A.SK.begins_with("BALLOT#"))),
)

if __name__ == "__main__":
    REQUESTS.measure_and_print("dyntastic")

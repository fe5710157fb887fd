"""Measure dyntastic: how often per second it reads and writes the item."""

# dyntastic is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# mypy: disable-error-code="no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from datetime import datetime
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from dyntastic import Dyntastic, attr
from pydantic import BaseModel

from benchmarks.programs.ballot_item import ObjectMapper

plain, wire = TypeDeserializer().deserialize, TypeSerializer().serialize


class Booth(BaseModel):
    """The place where a ballot was cast."""

    street: str
    floor: int


class Ballot(Dyntastic):
    """The item as a model."""

    __table_name__ = "ballots"
    __table_region__ = "us-east-1"
    __hash_key__ = "PK"
    __range_key__ = "SK"

    PK: str
    SK: str
    entity_type: str
    election: str
    voter: str
    confirmation: str
    ward: str
    rank: int
    weight: int
    when_cast: datetime
    choices: list[str]
    booth: Booth
    counted: bool


def read(item: dict[str, Any]) -> Ballot:
    """Read as its requests do: boto3's resource converts the item, and the model loads it."""
    return Ballot._dyntastic_load_model({name: plain(value) for name, value in item.items()})


def write(ballot: Ballot) -> dict[str, Any]:
    """Write as its requests do: the model serializes itself, and boto3's resource converts it."""
    dumped = attr.serialize(ballot.model_dump())
    return {name: wire(value) for name, value in dumped.items()}


MAPPER = ObjectMapper("dyntastic", read, write).checked()

if __name__ == "__main__":
    MAPPER.measure_and_print()

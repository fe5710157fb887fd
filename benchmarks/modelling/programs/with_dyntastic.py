"""The item with dyntastic: how often a second it is read and written."""

# dyntastic is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# mypy: disable-error-code="no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import sys
from datetime import datetime
from typing import Any

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from dyntastic import Dyntastic, attr
from pydantic import BaseModel

from benchmarks.measuring.rates import rates
from benchmarks.modelling.ballot import WIRE
from benchmarks.modelling.contender import Contender

plain, wire = TypeDeserializer().deserialize, TypeSerializer().serialize


class Booth(BaseModel):
    """Where a ballot was cast."""

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
    """As its requests do: boto3's resource converts what came, and the model loads it."""
    return Ballot._dyntastic_load_model({name: plain(value) for name, value in item.items()})


def write(ballot: Ballot) -> dict[str, Any]:
    """As its requests do: the model serializes itself, and boto3's resource converts it."""
    dumped = attr.serialize(ballot.model_dump())
    return {name: wire(value) for name, value in dumped.items()}


CONTENDER = Contender("dyntastic", read, write).checked()

if __name__ == "__main__":
    ballot = CONTENDER.read(WIRE)
    acts = [lambda _: CONTENDER.read(WIRE), lambda _: CONTENDER.write(ballot)]
    print(json.dumps(rates(acts, float(sys.argv[1]))))

"""What one writes without a library: boto3's own conversion, and pydantic for the types."""

# boto3 has no types of its own.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, cast

from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from pydantic import BaseModel

from benchmarks.modelling.contender import Contender


class Booth(BaseModel):
    """Where a ballot was cast."""

    street: str
    floor: int


class Ballot(BaseModel):
    """The item as a model."""

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


def boto3_and_pydantic() -> Contender:
    """Each value by boto3, and the whole by pydantic."""
    plain, wire = TypeDeserializer().deserialize, TypeSerializer().serialize

    def read(item: dict[str, Any]) -> Ballot:
        return Ballot.model_validate({name: plain(value) for name, value in item.items()})

    def write(ballot: Ballot) -> dict[str, Any]:
        dumped = ballot.model_dump()
        dumped["when_cast"] = ballot.when_cast.isoformat()
        return {name: cast(Any, wire(value)) for name, value in dumped.items()}

    return Contender("boto3 and pydantic", read, write, lambda raw: read(json.loads(raw)))

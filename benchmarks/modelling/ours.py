"""The codec that is compiled for an entity."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchmarks.modelling.contender import Contender
from singletable.schema.codec import StoredField, codec_of, compile_codec
from singletable.values import item_from_json


@dataclass(frozen=True)
class Booth:
    """Where a ballot was cast."""

    street: str
    floor: int


class Ballot:
    """What the codec fills."""


FIELDS: dict[str, Any] = {
    "election": str,
    "voter": str,
    "confirmation": str,
    "ward": str,
    "rank": int,
    "weight": int,
    "when_cast": datetime,
    "choices": list[str],
    "booth": Booth,
    "counted": bool,
}


def ours() -> Contender:
    """Objects made as entities are: their values are what the codec gives."""
    codec = compile_codec(
        "Ballot",
        [StoredField(name, name, codec_of(kind)) for name, kind in FIELDS.items()],
        frozenset({"PK", "SK", "entity_type"}),
    )

    def read(item: dict[str, Any]) -> Ballot:
        ballot = Ballot()
        ballot.__dict__ = codec.decode(item)
        return ballot

    def write(ballot: Ballot) -> dict[str, Any]:
        return {**codec.encode(ballot.__dict__)}

    return Contender("singletable", read, write, lambda raw: read(item_from_json(raw)))

"""The item that object mappers read and write, and the check that they do."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from benchmarks.harness.measurement import expect, measure_rates

# Two keys and a type tag, as in every single-table design, and ten fields.
WIRE: dict[str, Any] = {
    "PK": {"S": "ELECTION#Favorite Language"},
    "SK": {"S": "BALLOT#alice"},
    "entity_type": {"S": "BALLOT"},
    "election": {"S": "Favorite Language"},
    "voter": {"S": "alice"},
    "confirmation": {"S": "c5e2a7f0-54d1-4c1e-9d27-3f3b8d6a9f10"},
    "ward": {"S": "North Harbour"},
    "rank": {"N": "3"},
    "weight": {"N": "12"},
    "when_cast": {"S": "2026-11-15T05:00:00.000000Z"},
    "choices": {"L": [{"S": "Python"}, {"S": "Kotlin"}, {"S": "Rust"}]},
    "booth": {"M": {"street": {"S": "Quay 7"}, "floor": {"N": "2"}}},
    "counted": {"BOOL": True},
}
JSON = json.dumps(WIRE).encode()
WHEN = datetime(2026, 11, 15, 5, tzinfo=UTC)
CHOICES = ["Python", "Kotlin", "Rust"]


def field_values(ballot: Any) -> tuple[object, ...]:
    """Return the values of an object, to check that it was read correctly."""
    booth = ballot.booth
    return (
        ballot.election,
        ballot.voter,
        ballot.confirmation,
        ballot.ward,
        int(ballot.rank),
        int(ballot.weight),
        ballot.when_cast,
        list(ballot.choices),
        booth.street,
        int(booth.floor),
        ballot.counted,
    )


FIELD_VALUES = (
    "Favorite Language",
    "alice",
    "c5e2a7f0-54d1-4c1e-9d27-3f3b8d6a9f10",
    "North Harbour",
    3,
    12,
    WHEN,
    CHOICES,
    "Quay 7",
    2,
    True,
)
FIELDS = frozenset(WIRE) - {"PK", "SK", "entity_type"}


@dataclass(frozen=True, slots=True)
class ObjectMapper:
    """A library that maps items to objects: from DynamoDB JSON, from bytes if it can, and back."""

    name: str
    read: Callable[[dict[str, Any]], Any]
    write: Callable[[Any], dict[str, Any]]
    read_json: Callable[[bytes], Any] | None = None

    def checked(self) -> ObjectMapper:
        """Return the mapper after checking that it reads and writes the item correctly."""
        ballot = self.read(WIRE)
        expect(field_values(ballot), FIELD_VALUES)
        written = self.write(ballot)
        expect(sorted(FIELDS - written.keys()), [])
        expect(field_values(self.read({**WIRE, **written})), FIELD_VALUES)
        if self.read_json is not None:
            expect(field_values(self.read_json(JSON)), FIELD_VALUES)
        return self

    def measure_and_print(self) -> None:
        """Print the rates of reading and writing as JSON; the argument is the time in seconds."""
        ballot = self.read(WIRE)
        works = [lambda _: self.read(WIRE), lambda _: self.write(ballot)]
        print(json.dumps(measure_rates(works, float(sys.argv[1]))))

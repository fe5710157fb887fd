"""The item that every contender reads and writes; known without any of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

# Two keys and a type tag that are no fields, as in every single-table design, and ten fields.
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


def facts(ballot: Any) -> tuple[object, ...]:
    """What a contender has understood, for it to count."""
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


FACTS = (
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

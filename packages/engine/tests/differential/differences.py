"""Known differences from a peer, read from `differences.toml`, and how to recognize them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dynamodb_engine.operations import Operation, Projection
from dynamodb_engine.values import Item
from dynamodb_engine.wire import read_request, write_request
from dynamodb_engine.wire.requests import VERSION
from tests.differential import request
from tests.differential.answer import Answer, Refused, Step
from tests.differential.strategies.tables import NAME, Index, Keys, Table

PLAIN = Table(Keys("pk", None), {"pk": "S"})
NUMBERED = Table(Keys("pk", None), {"pk": "N"})
INDEXED = Table(
    Keys("pk", "sk"),
    {"pk": "S", "sk": "S", "la": "S", "ga": "S"},
    indexes=(
        Index("local", Keys("pk", "la"), Projection("KEYS_ONLY"), False),
        Index("global", Keys("ga", None), Projection("KEYS_ONLY"), True),
    ),
)
_TABLES = {"plain": PLAIN, "numbered": NUMBERED, "indexed": INDEXED}
_CONDITION_FAILED = ("ConditionalCheckFailedException", "TransactionCanceledException")
_ASKS_ABOUT_EMPTY = re.compile(r"size\(|\bIN \(|BETWEEN|attribute_type\(|contains\(")
_CLEF = "\U0001d11e"


@dataclass(frozen=True)
class Example:
    """A request that a peer answers differently than AWS, and the items before it."""

    operation: Operation[Any]
    items: tuple[Item, ...] = ()
    table: Table = PLAIN


@dataclass(frozen=True)
class Difference:
    """Something a peer does in some responses, and how to recognize them."""

    peer: str
    what: str
    aws: str
    evidence: str
    example: Example
    ours: str
    theirs: str
    matching: str
    expression: str
    when: tuple[str, ...]

    def explains(self, step: Step) -> bool:
        """Return whether this is why the responses differ."""
        target, body = write_request(step.operation)
        sent = f"{target.partition('.')[2]} {body.decode()}"
        return bool(
            re.search(self.ours, _line(step.ours))
            and re.search(self.theirs, _line(step.theirs))
            and re.search(self.matching, sent)
            and re.search(self.expression, request.expressions(step.operation))
            and all(_CONDITIONS[name](step) for name in self.when)
        )


def _decided(step: Step) -> bool:
    """Return whether the responses differ only because a condition does or does not hold."""
    failed, refused = 0, 0
    for answer in (step.ours, step.theirs):
        if isinstance(answer, Refused):
            failed += answer.code in _CONDITION_FAILED
            refused += answer.code not in _CONDITION_FAILED
    return refused == 0 or (refused == 1 and failed == 1)


def _asks_about_empty_values(step: Step) -> bool:
    asked = _ASKS_ABOUT_EMPTY.search(request.expressions(step.operation)) is not None
    legacy = bool(request.legacy_operators(step.operation))
    return request.holds_empty(step.held) and (asked or legacy)


def _compares_beyond_the_basic_plane(step: Step) -> bool:
    mentioned = request.mentions_both([step.held, step.operation], "\uffff", _CLEF)
    return mentioned and (_decided(step) or "BETWEEN" in _line(step.theirs))


def _compares_with(*kinds: str) -> Callable[[Step], bool]:
    return lambda step: any(
        kind in value for value in request.arguments(step.operation) for kind in kinds
    )


_CONDITIONS: dict[str, Callable[[Step], bool]] = {
    "decided": _decided,
    "asks_about_empty_values": _asks_about_empty_values,
    "asks_table_through_local_index": lambda step: request.asks_table_through_local_index(
        step.table, step.operation
    ),
    "calculates": lambda step: request.calculates(step.operation),
    "compares_beyond_the_basic_plane": _compares_beyond_the_basic_plane,
    "compares_two_attributes": lambda step: request.compares_two_attributes(step.operation),
    "compares_with_a_document": _compares_with("L", "M"),
    "compares_with_empty_binary": lambda step: {"B": ""} in list(request.arguments(step.operation)),
    "compares_with_null": _compares_with("NULL"),
    "compares_with_truth": lambda step: request.compares_with_truth(step.held, step.operation),
    "expects_existing_value": lambda step: request.expects_existing_value(step.operation),
    "has_wide_numbers": lambda step: request.wide_numbers(step.held, step.operation),
    "mentions_a_clef": lambda step: request.mentions_both([step.held, step.operation], _CLEF, ""),
    "only_removes": lambda step: request.only_removes(step.operation),
}


def _line(answer: Answer) -> str:
    return f"{answer.code}: {answer.message}" if isinstance(answer, Refused) else "answered"


def _read(entry: dict[str, Any], peer: str) -> Difference:
    operation, _, body = entry["request"].partition(" ")
    sent = {"TableName": NAME, **msgspec.json.decode(body)}
    example = Example(
        read_request(f"{VERSION}.{operation}", msgspec.json.encode(sent)),
        tuple(msgspec.json.decode(item) for item in entry.get("items", ())),
        _TABLES[entry.get("table", "plain")],
    )
    return Difference(
        peer,
        entry["does"],
        entry["aws"],
        entry["evidence"],
        example,
        ours=entry.get("ours", ""),
        theirs=entry.get("theirs", ""),
        matching=entry.get("matching", ""),
        expression=entry.get("expression", ""),
        when=tuple(entry.get("when", ())),
    )


DIFFERENCES = [
    _read(entry, peer)
    for entry in tomllib.loads(Path(__file__).with_suffix(".toml").read_text())["difference"]
    for peer in entry["peers"]
]

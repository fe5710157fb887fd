"""Valid requests as data, one file per operation; malformed ones are derived from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dynamodb_engine.wire import TARGETS

VALID = Path(__file__).resolve().with_name("valid")
_TARGETS = {target.partition(".")[2]: target for target in TARGETS}


def target_of(operation: str) -> str:
    """Return the target header of an operation."""
    return _TARGETS[operation]


@dataclass(frozen=True, slots=True)
class Request:
    """The target header and the body of a request."""

    target: str
    body: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.target.partition('.')[2]} {json.dumps(self.body):.60}"


REQUESTS = [
    Request(target_of(path.stem), body)
    for path in sorted(VALID.glob("*.json"))
    for body in json.loads(path.read_text())
]

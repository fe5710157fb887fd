"""Valid requests, as data: a file an operation, from which the malformed ones are made."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singletable.wire import TARGETS

VALID = Path(__file__).with_name("valid")
_TARGETS = {target.partition(".")[2]: target for target in TARGETS}


def target_of(operation: str) -> str:
    """The target header that asks for an operation."""
    return _TARGETS[operation]


@dataclass(frozen=True, slots=True)
class Request:
    """A target and a body that together ask for something."""

    target: str
    body: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.target.partition('.')[2]} {json.dumps(self.body):.60}"


REQUESTS = [
    Request(target_of(path.stem), body)
    for path in sorted(VALID.glob("*.json"))
    for body in json.loads(path.read_text())
]

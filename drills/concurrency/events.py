"""What a client saw: when it asked, when it was answered, what it wrote and what it read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Value: TypeAlias = str | int | None


@dataclass(frozen=True, slots=True)
class Touch:
    """One operation on one item that holds a single value: a register or a counter.

    `swap` writes if the value is `expected`; `done` tells whether it was. `seen` is the value that
    came back, if `saw`: the old one, and for `add` the new one.
    """

    key: str
    began: int
    ended: int
    kind: Literal["get", "put", "swap", "remove", "add"]
    written: Value = None
    expected: Value = None
    done: bool = True
    saw: bool = True
    seen: Value = None


@dataclass(frozen=True, slots=True)
class Transaction:
    """Operations on several lists at one moment: what was read of each, what was added to each."""

    name: str
    began: int
    ended: int
    read: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    added: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(slots=True)
class Events:
    """Everything that all clients saw, and what was added but refused."""

    touches: list[Touch] = field(default_factory=list[Touch])
    transactions: list[Transaction] = field(default_factory=list[Transaction])
    refused: set[str] = field(default_factory=set[str])

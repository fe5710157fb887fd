"""An expression as it was written: `#names` and `:values` are not looked up yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from singletable.expressions.nodes import At, Path

Section: TypeAlias = Literal["SET", "REMOVE", "ADD", "DELETE"]


@dataclass(frozen=True, slots=True)
class WrittenPath:
    """A document path; `ready` for use unless a step of it is a `#name`."""

    steps: Path
    ready: At | None


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """A `:value`."""

    alias: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its operands."""

    function: str
    operands: tuple[WrittenOperand, ...]


WrittenOperand: TypeAlias = WrittenPath | WrittenValue | Call


@dataclass(frozen=True, slots=True)
class Clause:
    """One comparison or test: "=", "BETWEEN", "IN" or a function, on its operands.

    If their number is wrong, `fault` says so: it is reported in its turn, when values are put in.
    """

    operator: str
    operands: tuple[WrittenOperand, ...]
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Joined:
    """Conditions with the same word between them."""

    word: Literal["AND", "OR"]
    parts: tuple[WrittenCondition, ...]


@dataclass(frozen=True, slots=True)
class Negated:
    """NOT condition"""

    condition: WrittenCondition


WrittenCondition: TypeAlias = Clause | Joined | Negated


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """left + right, or left - right"""

    sign: Literal["+", "-"]
    left: WrittenOperand
    right: WrittenOperand


WrittenTerm: TypeAlias = WrittenOperand | Arithmetic


@dataclass(frozen=True, slots=True)
class WrittenAction:
    """One change: its section, its target, and what comes there (nothing for REMOVE)."""

    section: Section
    target: WrittenPath
    term: WrittenTerm | None


@dataclass(frozen=True, slots=True)
class WrittenUpdate:
    """The changes, with every `#name` and `:value` in reading order."""

    actions: tuple[WrittenAction, ...]
    names: tuple[str, ...]
    values: tuple[str, ...]


WrittenProjection: TypeAlias = tuple[WrittenPath, ...]

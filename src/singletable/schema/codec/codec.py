"""How one type is held in an attribute, and the words for what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue, content_of, type_of

Writing: TypeAlias = Callable[[Source, str], str]

TYPE_WORDS = {
    "S": "text (S)",
    "N": "a number (N)",
    "B": "binary (B)",
    "BOOL": "true or false (BOOL)",
    "NULL": "null (NULL)",
    "M": "a map (M)",
    "L": "a list (L)",
    "SS": "a set of texts (SS)",
    "NS": "a set of numbers (NS)",
    "BS": "a set of binaries (BS)",
}

OR_DECLARE = "Correct the item, or declare the field as what it holds."


@dataclass(frozen=True, slots=True)
class Codec:
    """How one type is held in an attribute.

    `encode` and `decode` explain what does not fit. `writing` and `reading` give a Python
    expression that does the same for a value in a variable; it may raise anything, for whoever
    runs it then asks `encode` or `decode`. A wire form is trusted to be one: text under "S".
    """

    types: frozenset[str]
    optional: bool
    encode: Callable[[object], AttributeValue]
    decode: Callable[[AttributeValue], object]
    says: str
    writing: Writing
    reading: Writing
    # Levels of nesting, itself included; DynamoDB allows 32.
    depth: int = 1
    # What an attribute that is not there stands for; None if it must be there.
    absent: Callable[[], object] | None = None


def unfit(says: str, value: object, advice: str = "") -> InvalidValue:
    """What is said of a value that is not of the type."""
    came = "None" if value is None else f"{shown(value)} ({type(value).__name__})"
    if value is None:
        advice = advice or "Give one, or declare the type as T | None."
    return InvalidValue(f"expected {says}, but got {came}.{_after(advice)}")


def mismatch(says: str, value: AttributeValue, advice: str = OR_DECLARE) -> ItemMismatch:
    """What is said of an attribute that does not hold the type."""
    kind = type_of(value) if value else ""
    came = TYPE_WORDS.get(kind, "no value")
    if kind in ("S", "N", "BOOL"):
        came += f": {shown(content_of(value))}"
    return ItemMismatch(f"expected {says}, but the item has {came}.{_after(advice)}")


def inside(problem: InvalidValue | ItemMismatch, outer: str) -> InvalidValue | ItemMismatch:
    """The same problem, its place told from further out."""
    return type(problem)(problem.text, outer + problem.place)


def shown(value: object) -> str:
    """The beginning of what Python prints for the value; some things it cannot print."""
    try:
        text = repr(value)
    except Exception:
        return "something that cannot be printed"
    return text if len(text) <= 80 else f"{text[:77]}…"


def _after(advice: str) -> str:
    return f" {advice}" if advice else ""

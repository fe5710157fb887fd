"""The parts of a key: values of fields, each in its form, and shards that spread writes."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from singletable.errors import DeclarationError
from singletable.schema.key_encoding import (
    KeyEncoding,
    casefold_encoding,
    descending_encoding,
    ordered_encoding,
    padded_encoding,
)

T = TypeVar("T")


class KeyPart(ABC, Generic[T]):
    """A value of type T that stands in a key."""

    @property
    @abstractmethod
    def field(self) -> str:
        """The name of the field it comes from."""

    @property
    @abstractmethod
    def annotation(self) -> object:
        """The type of the field, without None."""

    @abstractmethod
    def encoding(self) -> KeyEncoding:
        """How the value is written into a key."""


class _EncodedPart(KeyPart[T]):
    """A part in a form of its own."""

    def __init__(self, part: KeyPart[T], shape: Callable[[KeyPart[T]], KeyEncoding]) -> None:
        self._part = part
        self._shape = shape

    @property
    def field(self) -> str:
        return self._part.field

    @property
    def annotation(self) -> object:
        return self._part.annotation

    def encoding(self) -> KeyEncoding:
        try:
            return self._shape(self._part)
        except DeclarationError as error:
            said = str(error).removeprefix(f"{self}: ")
            raise DeclarationError(f"{self}: {said}") from None

    def __repr__(self) -> str:
        return repr(self._part)


def _unshaped(part: KeyPart[T], how: str) -> KeyPart[T]:
    """The part, which must be a field: a form that is chosen for it would undo one it has."""
    if isinstance(part, _EncodedPart):
        raise DeclarationError(
            f"{how}() is for a field, and comes first: descending({how}(field, …)), not "
            f"{how}(descending(field), …)."
        )
    return part


def padded(part: KeyPart[T], digits: int, decimals: int = 0) -> KeyPart[T]:
    """A number written with so many digits before the point, and after it: 42 as 00000042."""
    part = _unshaped(part, "padded")
    return _EncodedPart(part, lambda inner: padded_encoding(inner.annotation, digits, decimals))


def ordered(part: KeyPart[T], order: Sequence[T] | None = None) -> KeyPart[T]:
    """An Enum or Literal written as its place in an order, so that ranges can be asked for."""
    part = _unshaped(part, "ordered")
    return _EncodedPart(part, lambda inner: ordered_encoding(inner.annotation, order))


def descending(part: KeyPart[T]) -> KeyPart[T]:
    """A number, time, date or ordered value written so that the highest comes first."""
    return _EncodedPart(part, lambda inner: descending_encoding(inner.encoding()))


def casefold(part: KeyPart[T]) -> KeyPart[T]:
    """A text written without the difference between upper and lower case."""
    return _EncodedPart(part, lambda inner: casefold_encoding(inner.encoding()))


class RepeatedPart:
    """A value that stands in the key a second time, and is given only once."""

    def __init__(self, part: KeyPart[Any]) -> None:
        self.part = part


def repeated(part: KeyPart[Any]) -> RepeatedPart:
    """The value again: `Key(pk=("USER", name), sk=("USER", same(name)))` takes one value."""
    return RepeatedPart(part)


class Shards:
    """One of so many suffixes: what is written to one key is spread over as many partitions.

    `by` a field, the suffix is calculated from its value, and an item can be found again; without
    it the suffix is random, which only the key of an index may be. Readers ask every shard.
    """

    def __init__(self, count: int, *, by: KeyPart[Any] | None = None, prefix: str = "") -> None:
        if not 2 <= count <= MAX_SHARDS:
            raise DeclarationError(
                f"Shards({count}): expected a number of shards from 2 to {MAX_SHARDS}; "
                "a reader asks each of them."
            )
        if "#" in prefix or "$" in prefix:
            raise DeclarationError(f"Shards: the prefix {prefix!r} must not contain # or $.")
        self.count = count
        self.by = by
        self.prefix = prefix

    @property
    def suffixes(self) -> list[str]:
        """What the segment may be, for each shard."""
        width = len(str(self.count - 1))
        return [f"{self.prefix}{number:0{width}d}" for number in range(self.count)]

    def suffix_for(self, value: str | None) -> str:
        """The segment for a value of the field in its key form; a random one for None."""
        if value is None:
            return random.choice(self.suffixes)
        number = int.from_bytes(hashlib.sha256(value.encode()).digest()[:8])
        return self.suffixes[number % self.count]


MAX_SHARDS = 1000


# FROM shapes.py: The shapes a key may be declared in, with the types of its values.
#
# One field, or a tuple of fields with a text, or none, before each of them; after one or two values
# also a text at the end, and a second one where the first value has a text before it: a shard after
# its own text.
# One value may also follow two or three of them: a text, a value that is repeated, a text.
# Texts that meet are written as one ("A#B"). Checkers find the one arm that fits, and with it the
# number, order and types of the values.

A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

FixedPart: TypeAlias = "str | Shards | RepeatedPart"
NoValue: TypeAlias = (
    "str | tuple[FixedPart] | tuple[FixedPart, FixedPart] | tuple[FixedPart, FixedPart, FixedPart]"
)
OneValue: TypeAlias = (
    KeyPart[A]
    | tuple[KeyPart[A]]
    | tuple[KeyPart[A], FixedPart]
    | tuple[FixedPart, KeyPart[A]]
    | tuple[FixedPart, KeyPart[A], FixedPart]
    | tuple[FixedPart, KeyPart[A], FixedPart, FixedPart]
    | tuple[FixedPart, FixedPart, KeyPart[A]]
    | tuple[FixedPart, FixedPart, FixedPart, KeyPart[A]]
)
TwoValues: TypeAlias = (
    tuple[KeyPart[A], KeyPart[B]]
    | tuple[KeyPart[A], KeyPart[B], FixedPart]
    | tuple[KeyPart[A], FixedPart, KeyPart[B]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], FixedPart]
    | tuple[FixedPart, KeyPart[A], KeyPart[B]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], FixedPart]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B]]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, FixedPart]
)
ThreeValues: TypeAlias = (
    tuple[KeyPart[A], KeyPart[B], KeyPart[C]]
    | tuple[KeyPart[A], KeyPart[B], FixedPart, KeyPart[C]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], KeyPart[C]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], KeyPart[C]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], FixedPart, KeyPart[C]]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], KeyPart[C]]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C]]
)
FourValues: TypeAlias = (
    tuple[KeyPart[A], KeyPart[B], KeyPart[C], KeyPart[D]]
    | tuple[KeyPart[A], KeyPart[B], KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[KeyPart[A], KeyPart[B], FixedPart, KeyPart[C], KeyPart[D]]
    | tuple[KeyPart[A], KeyPart[B], FixedPart, KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], KeyPart[C], KeyPart[D]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C], KeyPart[D]]
    | tuple[KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], KeyPart[C], KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], FixedPart, KeyPart[C], KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], KeyPart[B], FixedPart, KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], KeyPart[C], KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], KeyPart[C], FixedPart, KeyPart[D]]
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C], KeyPart[D]]
    | tuple[
        FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C], FixedPart, KeyPart[D]
    ]
)

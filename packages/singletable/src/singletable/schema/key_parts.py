"""The parts of a key: field values with their encodings, shards, and the types of key tuples."""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, TypeVarTuple, cast

from singletable.errors import DeclarationError
from singletable.schema.key_encoding import (
    KeyEncoding,
    casefold_encoding,
    descending_encoding,
    ordered_encoding,
    padded_encoding,
)

T = TypeVar("T")
Parts = TypeVarTuple("Parts")

MAX_SHARDS = 1000


class KeyPart(ABC, Generic[T]):
    """A value of type T in a key."""

    @property
    @abstractmethod
    def field(self) -> str:
        """The name of its field."""

    @property
    @abstractmethod
    def annotation(self) -> object:
        """The type of the field, without None."""

    @abstractmethod
    def encoding(self) -> KeyEncoding:
        """Return how the value is written into a key."""


class MissingValues:
    """What a key is without its values, for type checkers, so that its use is an error."""


class _EncodedPart(KeyPart[T]):
    """A part with an encoding of its own."""

    def __init__(self, part: KeyPart[T], encode: Callable[[KeyPart[T]], KeyEncoding]) -> None:
        self._part = part
        self._encode = encode

    @property
    def field(self) -> str:
        return self._part.field

    @property
    def annotation(self) -> object:
        return self._part.annotation

    def encoding(self) -> KeyEncoding:
        try:
            return self._encode(self._part)
        except DeclarationError as error:
            problem = str(error).removeprefix(f"{self}: ")
            raise DeclarationError(f"{self}: {problem}") from None

    def __repr__(self) -> str:
        return repr(self._part)


def _check_plain(part: KeyPart[Any], function: str) -> None:
    """Raise if the part has an encoding already, which a new one would replace."""
    if isinstance(part, _EncodedPart):
        raise DeclarationError(
            f"{function}() takes a field: write descending({function}(field, …)), not "
            f"{function}(descending(field), …)."
        )


def padded(part: KeyPart[T], digits: int, decimals: int = 0) -> KeyPart[T]:
    """Write a number with leading zeros: padded(number, 8) writes 42 as 00000042.

    `digits` are before the decimal point and `decimals` after it.
    """
    _check_plain(part, "padded")
    return _EncodedPart(part, lambda inner: padded_encoding(inner.annotation, digits, decimals))


def ordered(part: KeyPart[T], order: Sequence[T] | None = None) -> KeyPart[T]:
    """Write an Enum or Literal as its position in an order, so that ranges can be queried.

    Without `order` it is the order of declaration.
    """
    _check_plain(part, "ordered")
    return _EncodedPart(part, lambda inner: ordered_encoding(inner.annotation, order))


def descending(part: KeyPart[T]) -> KeyPart[T]:
    """Write a number, datetime, date or ordered value so that the highest sorts first."""
    return _EncodedPart(part, lambda inner: descending_encoding(inner.encoding()))


def casefold(part: KeyPart[T]) -> KeyPart[T]:
    """Write a string case-insensitively."""
    return _EncodedPart(part, lambda inner: casefold_encoding(inner.encoding()))


class RepeatedPart:
    """A value that is in the key a second time, and passed only once."""

    def __init__(self, part: KeyPart[Any]) -> None:
        self.part = part


def repeated(part: KeyPart[Any]) -> RepeatedPart:
    """Repeat a value: `Key(pk=("USER", name), sk=("USER", repeated(name)))` takes one value."""
    return RepeatedPart(part)


class ConcatParts(tuple[Any, ...]):
    """The parts of a key that was declared with `concat`."""

    __slots__ = ()


def concat(*parts: *Parts) -> tuple[*Parts]:
    """Write the parts of a key as they are: `concat("ORD|", day, "|", padded(number, 5))`.

    No separator is inserted and nothing is escaped, as keys of an existing table may require. So a
    value must not contain the text that follows it, unless all its texts have the same length.
    """
    # Type checkers see a tuple, from which they infer the number and types of the values.
    return cast(tuple[*Parts], ConcatParts(parts))


class Shards:
    """A suffix that spreads the items of one partition key over `count` partitions.

    With `by`, the suffix is computed from a field, so an item can be read by its key. Without it,
    the suffix is random, which is allowed for indexes only. A query reads every shard.
    """

    def __init__(self, count: int, *, by: KeyPart[Any] | None = None, prefix: str = "") -> None:
        if not 2 <= count <= MAX_SHARDS:
            raise DeclarationError(
                f"Shards({count}): expected a number of shards from 2 to {MAX_SHARDS}, because a "
                "query reads each of them."
            )
        if "#" in prefix or "$" in prefix:
            raise DeclarationError(f"Shards: the prefix {prefix!r} must not contain # or $.")
        self.count = count
        self.by = by
        self.prefix = prefix
        width = len(str(count - 1))
        self.suffixes = [f"{prefix}{number:0{width}d}" for number in range(count)]

    def suffix_for(self, value: str | None) -> str:
        """Return the suffix for the encoded value of the field, or a random one for None."""
        if value is None:
            return random.choice(self.suffixes)
        number = int.from_bytes(hashlib.sha256(value.encode()).digest()[:8])
        return self.suffixes[number % self.count]


# The tuples that `pk` and `sk` accept, by the number of field values. A field may have a text
# before it. After one or two fields there may be a text at the end, and a second one (a shard after
# its own text) if a text precedes the first field. One field may also follow two or three fixed
# parts: a text, a repeated value, a text. Adjacent texts are written as one ("A#B"). Type checkers
# find the alternative that fits, and with it the number, order and types of the values. In `concat`
# a repeated value is between texts, so three fixed parts may be in any one place.
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

FixedPart: TypeAlias = "str | Shards | RepeatedPart"
NoValue: TypeAlias = (
    str
    | RepeatedPart
    | tuple[FixedPart]
    | tuple[FixedPart, FixedPart]
    | tuple[FixedPart, FixedPart, FixedPart]
)
OneValue: TypeAlias = (
    KeyPart[A]
    | tuple[KeyPart[A]]
    | tuple[KeyPart[A], FixedPart]
    | tuple[KeyPart[A], FixedPart, FixedPart]
    | tuple[KeyPart[A], FixedPart, FixedPart, FixedPart]
    | tuple[FixedPart, KeyPart[A]]
    | tuple[FixedPart, KeyPart[A], FixedPart]
    | tuple[FixedPart, KeyPart[A], FixedPart, FixedPart]
    | tuple[FixedPart, KeyPart[A], FixedPart, FixedPart, FixedPart]
    | tuple[FixedPart, FixedPart, KeyPart[A]]
    | tuple[FixedPart, FixedPart, FixedPart, KeyPart[A]]
    | tuple[FixedPart, FixedPart, FixedPart, KeyPart[A], FixedPart]
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
    | tuple[FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, FixedPart, FixedPart]
    | tuple[KeyPart[A], FixedPart, FixedPart, FixedPart, KeyPart[B]]
    | tuple[FixedPart, KeyPart[A], FixedPart, FixedPart, FixedPart, KeyPart[B]]
    | tuple[FixedPart, FixedPart, KeyPart[A], FixedPart, KeyPart[B]]
    | tuple[FixedPart, FixedPart, FixedPart, KeyPart[A], FixedPart, KeyPart[B]]
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
    | tuple[
        FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, FixedPart, FixedPart, KeyPart[C]
    ]
    | tuple[
        FixedPart, KeyPart[A], FixedPart, FixedPart, FixedPart, KeyPart[B], FixedPart, KeyPart[C]
    ]
    | tuple[
        FixedPart, FixedPart, FixedPart, KeyPart[A], FixedPart, KeyPart[B], FixedPart, KeyPart[C]
    ]
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

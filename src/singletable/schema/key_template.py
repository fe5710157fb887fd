"""The template of one key attribute: texts that stay and values between them, joined by `#`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.key_encoding import KeyEncoding
from singletable.schema.key_parts import KeyPart, RepeatedPart, Shards

# FROM escape.py: How a value stands inside a key: no value can forge a divider, and order is kept.
#
# Rule 1. Parts of a key are joined by `#`. Inside a value `#` and `$` are written as `$` and
# two hex
#         digits, so a `#` in a key always divides, and a `$` always begins an escape.
# Rule 2. A value that something follows escapes every character below `#` too: otherwise "a b"
# would
#         sort before "a" as soon as a divider follows both. A value that ends its key needs no such
#         care, so ordinary text stays as it is.
# Rule 3. Texts sort as the values they were made of, and a part of a value makes a part of its
# text.

DIVIDER = "#"
AFTER_DIVIDER = "$"

_INNER = {code: f"${code:02X}" for code in range(ord("$") + 1)}
_LAST = {ord("#"): "$23", ord("$"): "$24"}
_ESCAPED = re.compile(r"\$([0-9A-F]{2})")


def escape(text: str, *, last: bool) -> str:
    """The text as it stands in a key, where it ends the key or something follows."""
    return text.translate(_LAST if last else _INNER)


def unescape(text: str) -> str:
    """The text that was escaped, in either way."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


@dataclass(frozen=True, slots=True)
class FixedSegment:
    """A text that stays."""

    text: str


@dataclass(frozen=True, slots=True)
class FieldSegment:
    """The value of a field."""

    field: str
    encoding: KeyEncoding


@dataclass(frozen=True, slots=True)
class RepeatedSegment:
    """A value that stands elsewhere in the key too."""

    value: FieldSegment


@dataclass(frozen=True, slots=True)
class ShardSegment:
    """The suffix that spreads a key, calculated from a field's value or random."""

    shards: Shards
    by: FieldSegment | None


Segment: TypeAlias = FixedSegment | FieldSegment | RepeatedSegment | ShardSegment
KeySpec: TypeAlias = str | KeyPart[Any] | Sequence[str | Shards | RepeatedPart | KeyPart[Any]]


class KeyTemplate:
    """How one key attribute is written and read."""

    def __init__(self, owner: str, segments: Sequence[Segment]) -> None:
        self.owner = owner
        self.segments = tuple(segments)
        # Whether the last value is escaped as if something followed: so that it sorts right beside
        # longer keys that begin with the same segments.
        self.followed = False

    @classmethod
    def from_parts(cls, owner: str, said: KeySpec) -> KeyTemplate:
        """The template that was declared as a tuple; a `#` in a text divides it."""
        segments: list[Segment] = []
        for part in parts_of_spec(said):
            segments += _segments(owner, part)
        return cls(owner, segments)

    @cached_property
    def field_segments(self) -> tuple[FieldSegment, ...]:
        """The values it is called with, from left to right."""
        return tuple(segment for segment in self.segments if isinstance(segment, FieldSegment))

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields it is made of, those that choose a shard included."""
        names: dict[str, None] = {}
        for segment in self.segments:
            match segment:
                case (
                    FieldSegment(field)
                    | RepeatedSegment(FieldSegment(field))
                    | ShardSegment(by=FieldSegment(field))
                ):
                    names[field] = None
                case FixedSegment() | ShardSegment():
                    pass
        return tuple(names)

    @cached_property
    def visible_fields(self) -> tuple[str, ...]:
        """The fields whose values stand in it."""
        return tuple(
            dict.fromkeys(
                segment.field if isinstance(segment, FieldSegment) else segment.value.field
                for segment in self.segments
                if isinstance(segment, FieldSegment | RepeatedSegment)
            )
        )

    @cached_property
    def shards(self) -> Shards | None:
        """How it is spread, if it is."""
        for segment in self.segments:
            if isinstance(segment, ShardSegment):
                return segment.shards
        return None

    def render(self, values: Mapping[str, object], shard: str | None = None) -> str | None:
        """The key for these values; None if one of them is absent."""
        # Whoever asks for all shards has no value that chooses one.
        for field in self.fields if shard is None else self.visible_fields:
            if values.get(field) is None:
                return None
        return DIVIDER.join(
            [
                segment.text
                if isinstance(segment, FixedSegment)
                else self._written(at, values, shard)
                for at, segment in enumerate(self.segments)
            ]
        )

    def prefix(self, values: Mapping[str, object]) -> str:
        """The key up to the first value that is not given, its divider included."""
        written: list[str] = []
        for at, segment in enumerate(self.segments):
            match segment:
                case FieldSegment(field) | RepeatedSegment(FieldSegment(field)) if (
                    field not in values
                ):
                    return "".join(f"{text}{DIVIDER}" for text in written)
                case _:
                    written.append(self._written(at, values, None))
        return DIVIDER.join(written)

    def value_text(self, at: int, value: FieldSegment, given: object) -> str:
        """The value as it stands in a segment of this template."""
        return escape(self.encode_value(value, given), last=self.ends_at(at))

    def prefix_text(self, at: int, value: FieldSegment, given: object) -> str:
        """The beginning of a value as it stands in a segment of this template; may be empty."""
        return escape(self.encode_value(value, given), last=self.ends_at(at)) if given else ""

    def ends_at(self, at: int) -> bool:
        """Whether nothing follows the segment, in this key or in longer ones beside it."""
        return at == len(self.segments) - 1 and not self.followed

    def next_value(self, values: Mapping[str, object]) -> tuple[int, FieldSegment] | None:
        """The first value that is not given, and where it stands."""
        for at, segment in enumerate(self.segments):
            if isinstance(segment, FieldSegment) and segment.field not in values:
                return at, segment
        return None

    def parse(self, text: str) -> dict[str, object] | None:
        """The values that a key was made of; None if it was not made by this template.

        A value that was written without its case cannot be had back, and is left out.
        """
        pieces = text.split(DIVIDER)
        if len(pieces) != len(self.segments):
            return None
        values: dict[str, object] = {}
        for segment, piece in zip(self.segments, pieces, strict=True):
            match segment:
                case FixedSegment(fixed):
                    if piece != fixed:
                        return None
                case ShardSegment(shards):
                    if piece not in shards.suffixes:
                        return None
                case FieldSegment(field, form) | RepeatedSegment(FieldSegment(field, form)):
                    read = form.parse(unescape(piece))
                    if read is None or (form.exact and values.setdefault(field, read) != read):
                        return None
        return values

    def _written(self, at: int, values: Mapping[str, object], shard: str | None) -> str:
        match self.segments[at]:
            case FixedSegment(text):
                return text
            case ShardSegment(shards, by):
                if shard is not None:
                    return shard
                chosen_by = None if by is None else self.encode_value(by, values[by.field])
                return shards.suffix_for(chosen_by)
            case (FieldSegment() as value) | RepeatedSegment(value):
                return self.value_text(at, value, values[value.field])

    def encode_value(self, value: FieldSegment, given: object) -> str:
        """The value in the form it has in this key, before it is escaped."""
        try:
            text = value.encoding.write(given)
        except InvalidValue as error:
            said = str(error).removesuffix(".")
            raise InvalidValue(f"{self.owner}.{value.field} in the key {self}: {said}.") from None
        if not text:
            raise InvalidValue(
                f"{self.owner}.{value.field} in the key {self}: a value in a key is never empty."
            )
        return text

    def __str__(self) -> str:
        return DIVIDER.join([_shown(segment) for segment in self.segments])


def parts_of_spec(said: KeySpec) -> list[str | Shards | RepeatedPart | KeyPart[Any]]:
    """The parts of a key; one alone need not be a tuple."""
    return [said] if isinstance(said, str | KeyPart) else list(said)


def _segments(owner: str, part: str | Shards | RepeatedPart | KeyPart[Any]) -> list[Segment]:
    if isinstance(part, str):
        return [FixedSegment(text) for text in _texts(owner, part)]
    if isinstance(part, Shards):
        by = None if part.by is None else FieldSegment(part.by.field, part.by.encoding())
        return [ShardSegment(part, by)]
    if isinstance(part, RepeatedPart):
        return [RepeatedSegment(FieldSegment(part.part.field, part.part.encoding()))]
    if isinstance(part, KeyPart):  # pyright: ignore[reportUnnecessaryIsInstance]
        return [FieldSegment(part.field, part.encoding())]
    raise DeclarationError(
        f"{owner}: {part!r} ({type(part).__name__}) is no part of a key. Write texts and fields: "
        "('ELECTION', election_name)."
    )


def _texts(owner: str, text: str) -> list[str]:
    texts = text.split(DIVIDER)
    if not all(texts):
        raise DeclarationError(
            f"{owner}: the text {text!r} in a key has an empty part. Parts are joined by # without "
            "being told: write ('ELECTION', election_name), not ('ELECTION#', election_name)."
        )
    if "$" in text or "{" in text:
        raise DeclarationError(
            f"{owner}: the text {text!r} in a key contains {'$' if '$' in text else '{'!r}. "
            "$ begins an escape, and fields are given as themselves: ('ELECTION', election_name)."
        )
    return texts


def _shown(segment: Segment) -> str:
    match segment:
        case FixedSegment(text):
            return text
        case FieldSegment(field) | RepeatedSegment(FieldSegment(field)):
            return f"{{{field}}}"
        case ShardSegment(shards):
            return f"{shards.prefix}{{0…{shards.count - 1}}}"

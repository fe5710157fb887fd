"""Key templates: the fixed texts and field values of one key attribute.

Segments are joined by `#`, and escaping keeps values apart and in order:

Rule 1. Segments are joined by `#`. In a value, `#` and `$` are written as `$` and two hex digits,
        so a `#` in a key always separates segments and a `$` always starts an escape.
Rule 2. A value that another segment follows has every character below `#` escaped as well;
        otherwise "a b" would sort before "a" once a separator follows both. A value at the end of
        a key does not need this, so ordinary text stays readable.
Rule 3. Texts sort as their values do, and a prefix of a value is a prefix of its text.

The segments of `concat` are written as they are, for keys of existing tables:

Rule 4. A value whose texts differ in length ends where the text that follows it first occurs, so
        it must not contain this text, nor one that follows it in a key with the same beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeAlias

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec.codec import SourceBuilder
from singletable.schema.key_encoding import KeyEncoding
from singletable.schema.key_parts import ConcatParts, KeyPart, RepeatedPart, Shards

SEPARATOR = "#"
# The character that sorts right after the separator.
AFTER_SEPARATOR = "$"
# After every text that starts with the same characters; not a character in any text.
MAX_TEXT = "\U0010ffff"

_INNER = {code: f"${code:02X}" for code in range(ord("$") + 1)}
_LAST = {ord("#"): "$23", ord("$"): "$24"}
_ESCAPED = re.compile(r"\$([0-9A-F]{2})")


def escape(text: str, *, last: bool) -> str:
    """Escape a value; `last` tells that no segment follows it."""
    return text.translate(_LAST if last else _INNER)


def unescape(text: str) -> str:
    """Return the value that was escaped, in either way."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text)


@dataclass(frozen=True, slots=True)
class FixedSegment:
    """A fixed text."""

    text: str

    @property
    def label(self) -> str:
        """The text in lower case, without separators around it."""
        return self.text.lower().strip("#$|:/.,;~^_- ")


@dataclass(frozen=True, slots=True)
class FieldSegment:
    """The value of a field."""

    field: str
    encoding: KeyEncoding


@dataclass(frozen=True, slots=True)
class RepeatedSegment:
    """A value that is in the key already, and is repeated."""

    value: FieldSegment


@dataclass(frozen=True, slots=True)
class ShardSegment:
    """The shard suffix, computed from a field's value or random."""

    shards: Shards
    by: FieldSegment | None


# What decides how a value is written into a key: its field and encoding, whether nothing follows
# it, and the texts that end it in `concat`.
ValueText: TypeAlias = tuple[str, str, bool, frozenset[str] | None]
Segment: TypeAlias = FixedSegment | FieldSegment | RepeatedSegment | ShardSegment
KeySpec: TypeAlias = (
    str | RepeatedPart | KeyPart[Any] | Sequence[str | Shards | RepeatedPart | KeyPart[Any]]
)


class KeyTemplate:
    """Writes and parses one key attribute."""

    def __init__(self, owner: str, segments: Sequence[Segment], separator: str = SEPARATOR) -> None:
        self.owner = owner
        self.segments = tuple(segments)
        # Empty if the segments are written as they are.
        self.separator = separator
        # By position: the texts that end a value, in this key or in others next to it.
        self.ends: list[set[str]] = [
            {separator} if separator else {after.text} if isinstance(after, FixedSegment) else set()
            for after in (*self.segments[1:], None)
        ]
        # Whether the last value is escaped as if a segment followed, so that it sorts correctly
        # among longer keys that start with the same segments.
        self.followed = False

    @classmethod
    def from_parts(cls, owner: str, spec: KeySpec) -> KeyTemplate:
        """Create the template of a declared `pk` or `sk`; a `#` in a text separates segments."""
        parts = parts_of_spec(spec)
        if isinstance(spec, ConcatParts):
            return cls(owner, _concatenated(owner, parts), "")
        return cls(owner, [segment for part in parts for segment in _segments(owner, part)])

    @cached_property
    def field_segments(self) -> tuple[FieldSegment, ...]:
        """The values that a caller passes, from left to right."""
        return tuple(segment for segment in self.segments if isinstance(segment, FieldSegment))

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields that the key is computed from, including those that select a shard."""
        names: dict[str, None] = {}
        for segment in self.segments:
            match segment:
                case FieldSegment(field) | RepeatedSegment(FieldSegment(field)):
                    names[field] = None
                case ShardSegment(by=FieldSegment(field)):
                    names[field] = None
                case FixedSegment() | ShardSegment():
                    pass
        return tuple(names)

    @cached_property
    def visible_fields(self) -> tuple[str, ...]:
        """The fields in the key."""
        return tuple(
            dict.fromkeys(
                segment.field if isinstance(segment, FieldSegment) else segment.value.field
                for segment in self.segments
                if isinstance(segment, FieldSegment | RepeatedSegment)
            )
        )

    @cached_property
    def shards(self) -> Shards | None:
        """The shards of the key, if it has any."""
        for segment in self.segments:
            if isinstance(segment, ShardSegment):
                return segment.shards
        return None

    def render(self, values: Mapping[str, object], shard: str | None = None) -> str | None:
        """Return the key for these values, or None if a value is None or missing."""
        # A query of all shards has no value that selects one.
        for field in self.fields if shard is None else self.visible_fields:
            if values.get(field) is None:
                return None
        return self.separator.join(
            [
                segment.text
                if isinstance(segment, FixedSegment)
                else self._segment_text(position, values, shard)
                for position, segment in enumerate(self.segments)
            ]
        )

    def render_source(
        self,
        source: SourceBuilder,
        variables: Mapping[str, str],
        texts: Mapping[ValueText, str] | None = None,
    ) -> str:
        """Return an expression that renders the key; `variables` have the values of its fields.

        `texts` are the variables with texts of `value_sources` that have been computed already.
        """
        known: Mapping[ValueText, str] = texts or {}
        parts: list[str] = []
        for position, segment in enumerate(self.segments):
            match segment:
                case FixedSegment(text):
                    parts.append(repr(text))
                case ShardSegment(by=by):
                    write = source.bind(partial(self._shard_text, segment), "shard")
                    parts.append(f"{write}({None if by is None else variables[by.field]})")
                case (FieldSegment() as value) | RepeatedSegment(value):
                    parts.append(
                        known.get(self._value_text_id(position, value))
                        or self._value_source(source, position, value, variables)
                    )
        return (f" + {self.separator!r} + " if self.separator else " + ").join(parts)

    def value_sources(
        self, source: SourceBuilder, variables: Mapping[str, str], contents: Mapping[str, str]
    ) -> dict[ValueText, str]:
        """Return expressions that render the values in the key; other keys may have the same.

        `contents` are expressions of the stored texts of fields, from which `variables` were read.
        """
        sources: dict[ValueText, str] = {}
        for position, segment in enumerate(self.segments):
            if isinstance(segment, FieldSegment):
                text = self._value_source(source, position, segment, variables)
                if segment.field in contents:
                    stored = contents[segment.field]
                    is_same = self._is_same_source(source, position, segment, stored)
                    text = f"({stored} if {is_same} else {text})" if is_same else text
                sources[self._value_text_id(position, segment)] = text
        return sources

    def _is_same_source(
        self, source: SourceBuilder, position: int, segment: FieldSegment, stored: str
    ) -> str | None:
        """Return the expression that is true if a stored text is in the key as it is, or None."""
        encoding = segment.encoding
        if encoding.stored_expression is None or self.separator or encoding.width is not None:
            return encoding.stored_expression and encoding.stored_expression(source, stored)
        # Letters and digits contain no text that begins with another character.
        is_text_clear = not any(end[0].isalnum() for end in self.ends[position])
        return f"{stored}.isalnum()" if is_text_clear else None

    def _value_text_id(self, position: int, segment: FieldSegment) -> ValueText:
        # In `concat`, the next segment determines the characters that a value must not contain.
        ends = None if self.separator else frozenset(self.ends[position])
        return segment.field, segment.encoding.declared, self.is_last(position), ends

    def _value_source(
        self,
        source: SourceBuilder,
        position: int,
        segment: FieldSegment,
        variables: Mapping[str, str],
    ) -> str:
        name, encoding = variables[segment.field], segment.encoding
        write = source.bind(partial(self.value_text, position, segment), segment.field)
        text = f"{write}({name})"
        needs_check = not self.separator and encoding.width is None
        if encoding.plain_expression is None or needs_check:
            return text
        is_plain, plain = encoding.plain_expression(source, name)
        return f"({plain} if {is_plain} else {text})"

    def prefix(self, values: Mapping[str, object]) -> str:
        """Return the key up to the first missing value, with the separator before it."""
        texts = self.leading_texts(values)
        missing = self.separator if texts and len(texts) < len(self.segments) else ""
        return self.separator.join(texts) + missing

    def leading_texts(self, values: Mapping[str, object]) -> list[str]:
        """Return the texts of the segments before the first missing value."""
        texts: list[str] = []
        for position, segment in enumerate(self.segments):
            value = segment.value if isinstance(segment, RepeatedSegment) else segment
            if isinstance(value, FieldSegment) and value.field not in values:
                break
            texts.append(self._segment_text(position, values, None))
        return texts

    def value_text(self, position: int, segment: FieldSegment, value: object) -> str:
        """Return the value as it is written at this position."""
        text = self.encode_value(segment, value)
        if self.separator:
            return escape(text, last=self.is_last(position))
        for end in (*self.ends[position], MAX_TEXT):
            if segment.encoding.width is None and (text + end).find(end) < len(text):
                how = "contains" if end in text else "runs into"
                raise InvalidValue(
                    f"{self.owner}.{segment.field} in the key {self}: {text!r} {how} {end!r}, "
                    "which ends a value in the keys of this table, so the key could be read as "
                    "that of another item. Use another value."
                )
        return text

    def prefix_text(self, position: int, segment: FieldSegment, prefix: object) -> str:
        """Return the prefix of a value as it is written at this position; may be empty."""
        text = self.value_text(position, segment, prefix) if prefix else ""
        if not self.separator and position < len(self.segments) - 1:
            for end in self.ends[position]:
                if any(text.endswith(end[:length]) for length in range(1, len(end))):
                    raise InvalidValue(
                        f"{self.owner}.{segment.field} in the key {self}: begins_with({text!r}) "
                        f"would also find values before {end!r}. Use a shorter or longer prefix."
                    )
        return text

    def is_sorted(self, position: int, segment: FieldSegment, *, with_longer: bool) -> bool:
        """Return whether keys, or with longer ones next to them, sort as the values do here."""
        if self.separator or segment.encoding.width is not None:
            return True
        # A text that follows the value may sort anywhere: "a|x" is after "ab|x".
        return self.is_last(position) if with_longer else position == len(self.segments) - 1

    def after(self, prefix: str) -> str:
        """Return a text after all keys with this prefix that is not a key itself."""
        if self.separator:
            return prefix.removesuffix(SEPARATOR) + AFTER_SEPARATOR
        return prefix + MAX_TEXT

    def is_continued(self, position: int, text: str, longer: str) -> bool:
        """Return whether a longer key continues the text, which ends with this position."""
        if not self.separator and width_of(self.segments[position]) is not None:
            return longer.startswith(text)
        return any(longer.startswith(text + end) for end in self.ends[position])

    def is_last(self, position: int) -> bool:
        """Return whether no segment follows, in this key or in longer keys next to it."""
        return position == len(self.segments) - 1 and not self.followed

    def next_value(self, values: Mapping[str, object]) -> tuple[int, FieldSegment] | None:
        """Return the first missing value and its position."""
        for position, segment in enumerate(self.segments):
            if isinstance(segment, FieldSegment) and segment.field not in values:
                return position, segment
        return None

    def parse(self, text: str) -> dict[str, object] | None:
        """Return the values in a key, or None if this template never renders such a text.

        A value whose encoding is not lossless is left out.
        """
        pieces = self.split(text)
        if pieces is None:
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
                case FieldSegment(field, encoding) | RepeatedSegment(FieldSegment(field, encoding)):
                    value = encoding.parse(unescape(piece) if self.separator else piece)
                    if value is None:
                        return None
                    if encoding.lossless and values.setdefault(field, value) != value:
                        return None
        return values

    def split(self, text: str) -> list[str] | None:
        """Return the texts of the segments in a key, or None if it has other segments."""
        if self.separator:
            pieces = text.split(self.separator)
            return pieces if len(pieces) == len(self.segments) else None
        pieces, at = list[str](), 0
        for segment, after, ends in zip(
            self.segments, (*self.segments[1:], None), self.ends, strict=True
        ):
            width = width_of(segment)
            if width is not None:
                end = at + width
            else:
                end = text.find(after.text, at) if isinstance(after, FixedSegment) else len(text)
            piece = text[at:end]
            if end <= at or (width is None and any(one in piece for one in ends)):
                return None
            pieces.append(piece)
            at = end
        return pieces if at == len(text) else None

    def agrees_without_shard(self, text: str, other: str) -> bool:
        """Return whether two keys are the same but for the shard."""
        pieces, others = self.split(text), self.split(other)
        return pieces is not None and all(
            isinstance(segment, ShardSegment) or one == another
            for segment, one, another in zip(self.segments, pieces, others or (), strict=True)
        )

    def _segment_text(self, position: int, values: Mapping[str, object], shard: str | None) -> str:
        match self.segments[position]:
            case FixedSegment(text):
                return text
            case ShardSegment(by=by) as segment:
                if shard is not None:
                    return shard
                return self._shard_text(segment, None if by is None else values[by.field])
            case (FieldSegment() as segment) | RepeatedSegment(segment):
                return self.value_text(position, segment, values[segment.field])

    def _shard_text(self, segment: ShardSegment, value: object) -> str:
        by = segment.by
        return segment.shards.suffix_for(None if by is None else self.encode_value(by, value))

    def encode_value(self, segment: FieldSegment, value: object) -> str:
        """Return the encoded value before escaping; raise InvalidValue if it does not fit."""
        try:
            text = segment.encoding.write(value)
        except InvalidValue as error:
            problem = str(error).removesuffix(".")
            raise InvalidValue(
                f"{self.owner}.{segment.field} in the key {self}: {problem}."
            ) from None
        if not text:
            raise InvalidValue(
                f"{self.owner}.{segment.field} in the key {self}: a value in a key must not be "
                "empty."
            )
        return text

    def __str__(self) -> str:
        return self.separator.join([_shown(segment) for segment in self.segments])


def width_of(segment: Segment) -> int | None:
    """Return the length of every text of a segment; None if lengths differ."""
    match segment:
        case FixedSegment(text):
            return len(text)
        case ShardSegment(shards):
            return len(shards.suffixes[0])
        case FieldSegment(_, encoding) | RepeatedSegment(FieldSegment(_, encoding)):
            return encoding.width


def parts_of_spec(spec: KeySpec) -> list[str | Shards | RepeatedPart | KeyPart[Any]]:
    """Return the parts of a key; a single part need not be in a tuple."""
    return [spec] if isinstance(spec, str | KeyPart | RepeatedPart) else list(spec)


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
        f"{owner}: {part!r} ({type(part).__name__}) cannot be part of a key. Use strings and "
        "fields, ('ELECTION', election_name), and declare each field with attr() above the key."
    )


def _texts(owner: str, text: str) -> list[str]:
    texts = text.split(SEPARATOR)
    if not all(texts):
        raise DeclarationError(
            f"{owner}: the text {text!r} in a key has an empty segment. Parts are joined by # "
            "automatically: write ('ELECTION', election_name), not ('ELECTION#', election_name)."
        )
    _check_text(owner, text)
    if "$" in text:
        raise DeclarationError(
            f"{owner}: the text {text!r} in a key contains '$', which is reserved for escapes. "
            f"Use another character, or write the key as it is: concat({text!r}, …)."
        )
    return texts


def _check_text(owner: str, text: str) -> None:
    if "{" in text:
        raise DeclarationError(
            f"{owner}: the text {text!r} in a key contains '{{'. Write fields without quotes: "
            "('ELECTION', election_name)."
        )


def _concatenated(owner: str, parts: Iterable[Any]) -> list[Segment]:
    """Return the segments of `concat`; adjacent texts are one."""
    segments: list[Segment] = []
    for part in parts:
        before = segments[-1] if segments else None
        if isinstance(part, str):
            _check_text(owner, part)
            if not part or MAX_TEXT in part:
                raise DeclarationError(f"{owner}: the text {part!r} cannot be in a key.")
            if isinstance(before, FixedSegment):
                segments[-1] = FixedSegment(before.text + part)
            else:
                segments.append(FixedSegment(part))
            continue
        segments += _segments(owner, part)
        if before is not None and width_of(before) is None:
            raise DeclarationError(
                f"{owner}: there is no text after {_shown(before)} in concat(…), so a key would "
                f"not tell where it ends and {_shown(segments[-1])} begins. Write a text between "
                "them, or use a type whose texts all have the same length."
            )
    return segments


def _shown(segment: Segment) -> str:
    match segment:
        case FixedSegment(text):
            return text
        case FieldSegment(field) | RepeatedSegment(FieldSegment(field)):
            return f"{{{field}}}"
        case ShardSegment(shards):
            return f"{shards.prefix}{{0…{shards.count - 1}}}"

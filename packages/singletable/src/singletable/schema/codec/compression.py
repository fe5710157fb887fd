"""Compressed fields, stored as binary (B).

The first byte is the format: 0 is the plain content, for values that compression does not make
smaller, and 1 is zlib. The content is the attribute value in JSON, as DynamoDB has it.
"""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any, cast

from msgspec import DecodeError, json

from dynamodb_engine.values import AttributeValue
from singletable.errors import DeclarationError, InvalidValue, ItemMismatch
from singletable.schema.codec.codec import Codec, mismatch, optional_codec
from singletable.schema.codec.field_codec import FieldCodec, TypeReader

PLAIN, ZLIB = 0, 1
DEFAULT_MAX_SIZE = 16 * 1024 * 1024


class Compressed(FieldCodec[Any]):
    """Store the field compressed with zlib, as binary.

    Values that need more than `max_size` bytes before compression are rejected, and so are stored
    ones: a few bytes can expand to gigabytes.
    """

    def __init__(self, *, max_size: int = DEFAULT_MAX_SIZE) -> None:
        if max_size < 1:
            raise DeclarationError(f"Compressed(max_size={max_size}): expected at least one byte.")
        self._max_size = max_size

    def build(self, annotation: object, reader: TypeReader) -> Codec:
        """Return a codec that compresses the stored form of the type."""
        return opaque_codec(
            reader.codec_of(annotation), "compressed", self._compress, self._decompress
        )

    def _compress(self, value: AttributeValue) -> object:
        plain = json.encode(value)
        if len(plain) > self._max_size:
            raise InvalidValue(
                f"expected a value of at most {self._max_size} bytes before compression, but it "
                f"has {len(plain)}. Store a smaller value, or declare Compressed(max_size=…)."
            )
        packed = zlib.compress(plain)
        small = len(packed) < len(plain)
        content = bytes([ZLIB]) + packed if small else bytes([PLAIN]) + plain
        return b64encode(content).decode()

    def _decompress(self, content: object) -> AttributeValue:
        try:
            data = b64decode(cast(str, content), validate=True)
            plain = data[1:] if data[0] == PLAIN else self._inflate(data)
            return cast(AttributeValue, json.decode(plain))
        except (ValueError, TypeError, IndexError, RecursionError, zlib.error, DecodeError):
            raise ItemMismatch(
                "expected a value that Compressed() wrote, but the item has other binary. Correct "
                "the item, or declare the field without the codec."
            ) from None

    def _inflate(self, data: bytes) -> bytes:
        if data[0] != ZLIB:
            raise ItemMismatch(
                f"expected a compressed value of format {PLAIN} or {ZLIB}, but it has format "
                f"{data[0]}. A newer version of the program may have written it."
            )
        inflater = zlib.decompressobj()
        # One byte more, to tell a value of exactly this size from a larger one.
        plain = inflater.decompress(data[1:], self._max_size + 1)
        if len(plain) > self._max_size:
            raise ItemMismatch(
                f"expected a value of at most {self._max_size} bytes before compression, but the "
                "stored one is larger. If it is yours, declare Compressed(max_size=…)."
            )
        if not inflater.eof:
            raise ValueError("truncated")
        return plain

    def __repr__(self) -> str:
        return "Compressed()"


def opaque_codec(
    inner: Codec,
    opaque: str,
    pack: Callable[[AttributeValue], object],
    unpack: Callable[[object], AttributeValue],
) -> Codec:
    """Return a codec that packs the stored form of `inner` into binary; null stays null."""

    def encode(value: object) -> AttributeValue:
        try:
            stored = inner.encode(value)
            return stored if "NULL" in stored else cast(AttributeValue, {"B": pack(stored)})
        except RecursionError:
            raise InvalidValue(
                f"expected {inner.expects}, but it exceeds Python's recursion limit. It may "
                "contain itself."
            ) from None

    def decode(value: AttributeValue) -> object:
        if "NULL" in value:
            return inner.decode(value)
        if "B" not in value:
            raise mismatch(f"binary (B), because the field is {opaque}", value)
        return inner.decode(unpack(value["B"]))

    absent = None if inner.optional else inner.absent_value
    types = frozenset({"B"})
    codec = Codec(types, encode, decode, inner.expects, absent_value=absent, opaque=opaque)
    return optional_codec(codec) if inner.optional else codec

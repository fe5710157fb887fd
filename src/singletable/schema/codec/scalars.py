"""Text, binary, yes or no, and identifiers."""

from __future__ import annotations

from binascii import Error as BinasciiError
from binascii import a2b_base64, b2a_base64
from uuid import UUID

from singletable.errors import InvalidValue
from singletable.schema.codec.codec import Codec, mismatch, shown, unfit
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue, plain

TEXT_SAYS = "text (str)"
BOOL_SAYS = "True or False (bool)"
BYTES_SAYS = "binary (bytes)"
UUID_SAYS = "an identifier (UUID)"


def whole_characters(text: str) -> str:
    """The text, if it can be written; Python allows half a surrogate pair, and UTF-8 does not."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise InvalidValue(
            f"expected {TEXT_SAYS}, but {half!r} in {shown(text)} is half of a surrogate pair. "
            "Give the whole character."
        ) from None
    return text


def is_text(name: str) -> str:
    """Source that is true for text that can be written."""
    return f"{name}.__class__ is str and ({name}.isascii() or {name}.encode())"


def _encode_text(value: object) -> AttributeValue:
    if not isinstance(value, str):
        raise unfit(TEXT_SAYS, value)
    # A string of a type of its own, such as a StrEnum's member, is held as the bare string.
    return {"S": whole_characters(str(plain(value)))}


def _decode_text(value: AttributeValue) -> object:
    if "S" not in value:
        raise mismatch("text (S)", value)
    return value["S"]


def _write_text(source: Source, name: str) -> str:
    return f'{{"S": {name}}} if {is_text(name)} else refuse()'


TEXT = Codec(
    types=frozenset({"S"}),
    optional=False,
    encode=_encode_text,
    decode=_decode_text,
    says=TEXT_SAYS,
    writing=_write_text,
    reading=lambda _, name: f'{name}["S"]',
)


def _encode_bool(value: object) -> AttributeValue:
    if not isinstance(value, bool):
        raise unfit(BOOL_SAYS, value)
    return {"BOOL": value}


def _decode_bool(value: AttributeValue) -> object:
    if "BOOL" not in value:
        raise mismatch("true or false (BOOL)", value)
    return value["BOOL"]


BOOL = Codec(
    types=frozenset({"BOOL"}),
    optional=False,
    encode=_encode_bool,
    decode=_decode_bool,
    says=BOOL_SAYS,
    writing=lambda _, name: f'{{"BOOL": {name}}} if {name}.__class__ is bool else refuse()',
    reading=lambda _, name: f'{name}["BOOL"]',
)


def _encode_bytes(value: object) -> AttributeValue:
    if not isinstance(value, bytes):
        raise unfit(BYTES_SAYS, value)
    return {"B": b2a_base64(value, newline=False).decode()}


def _decode_bytes(value: AttributeValue) -> object:
    if "B" not in value:
        raise mismatch("binary (B)", value)
    try:
        return a2b_base64(value["B"], strict_mode=True)
    except (BinasciiError, ValueError):
        raise mismatch("binary (B) in base64", value) from None


def _write_bytes(source: Source, name: str) -> str:
    base64 = source.name(b2a_base64, "b2a_base64")
    made = f"{base64}({name}, newline=False).decode()"
    return f'{{"B": {made}}} if {name}.__class__ is bytes else refuse()'


BYTES = Codec(
    types=frozenset({"B"}),
    optional=False,
    encode=_encode_bytes,
    decode=_decode_bytes,
    says=BYTES_SAYS,
    writing=_write_bytes,
    reading=lambda source, name: f'{source.name(a2b_base64, "a2b_base64")}({name}["B"])',
)


def _encode_uuid(value: object) -> AttributeValue:
    if not isinstance(value, UUID):
        raise unfit(UUID_SAYS, value)
    return {"S": str(value)}


def _decode_uuid(value: AttributeValue) -> object:
    if "S" not in value:
        raise mismatch("an identifier as text (S)", value)
    try:
        return UUID(value["S"])
    except ValueError:
        raise mismatch("an identifier of 32 hex digits, as text (S)", value) from None


def _write_uuid(source: Source, name: str) -> str:
    kind = source.name(UUID, "UUID")
    return f'{{"S": str({name})}} if {name}.__class__ is {kind} else refuse()'


IDENTIFIER = Codec(
    types=frozenset({"S"}),
    optional=False,
    encode=_encode_uuid,
    decode=_decode_uuid,
    says=UUID_SAYS,
    writing=_write_uuid,
    reading=lambda source, name: f'{source.name(UUID, "UUID")}({name}["S"])',
)

"""Text, binary, yes or no, and identifiers."""

from __future__ import annotations

from binascii import Error as BinasciiError
from binascii import a2b_base64, b2a_base64
from decimal import Decimal
from uuid import UUID

from singletable.errors import InvalidValue
from singletable.schema.codec.codec import Codec, Source, invalid_value, mismatch, short_repr
from singletable.values import AttributeValue, InvalidNumber, canonical_number, to_builtin

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
            f"expected {TEXT_SAYS}, but {half!r} in {short_repr(text)} is half of a surrogate pair. "
            "Give the whole character."
        ) from None
    return text


def is_text(name: str) -> str:
    """Source that is true for text that can be written."""
    return f"{name}.__class__ is str and ({name}.isascii() or {name}.encode())"


def _encode_text(value: object) -> AttributeValue:
    if not isinstance(value, str):
        raise invalid_value(TEXT_SAYS, value)
    # A string of a type of its own, such as a StrEnum's member, is held as the bare string.
    return {"S": whole_characters(str(to_builtin(value)))}


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
    expects=TEXT_SAYS,
    writing=_write_text,
    reading=lambda _, name: f'{name}["S"]',
)


def _encode_bool(value: object) -> AttributeValue:
    if not isinstance(value, bool):
        raise invalid_value(BOOL_SAYS, value)
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
    expects=BOOL_SAYS,
    writing=lambda _, name: f'{{"BOOL": {name}}} if {name}.__class__ is bool else refuse()',
    reading=lambda _, name: f'{name}["BOOL"]',
)


def _encode_bytes(value: object) -> AttributeValue:
    if not isinstance(value, bytes):
        raise invalid_value(BYTES_SAYS, value)
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
    expects=BYTES_SAYS,
    writing=_write_bytes,
    reading=lambda source, name: f'{source.name(a2b_base64, "a2b_base64")}({name}["B"])',
)


def _encode_uuid(value: object) -> AttributeValue:
    if not isinstance(value, UUID):
        raise invalid_value(UUID_SAYS, value)
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
    expects=UUID_SAYS,
    writing=_write_uuid,
    reading=lambda source, name: f'{source.name(UUID, "UUID")}({name}["S"])',
)


# Numbers: whole ones, decimals, and floats as the shortest text that gives the same float back.
#
# DynamoDB holds 38 digits, from 1E-130 up to 1E+126. What it cannot hold is refused before it is
# sent; a float that is no number, or infinite, is among that. A whole number may be given where a
# float or a Decimal is declared; never a bool, and never a float for a Decimal.

WHOLE_SAYS = "a whole number (int)"
DECIMAL_SAYS = "a number (Decimal)"
FLOAT_SAYS = "a number (float)"
# Between these every whole number has at most 38 digits.
MOST = 10**38
LEAST = -MOST
# No whole number from here on has a place in DynamoDB.
BEYOND = 10**126


def number_text(says: str, value: int | Decimal | float) -> str:
    """The canonical text of the number; InvalidValue if DynamoDB cannot hold it."""
    try:
        if isinstance(value, int) and abs(value) >= BEYOND:
            raise InvalidNumber
        return canonical_number(repr(value) if isinstance(value, float) else str(value))
    except InvalidNumber:
        came = f"{shown_number(value)} ({type(value).__name__})"
        raise InvalidValue(
            f"expected {says} that DynamoDB can hold, but got {came}. It holds 38 digits, "
            "from 1E-130 up to 1E+126, and neither infinity nor what is no number. "
            "Round it, or hold it as text (str)."
        ) from None


def shown_number(value: int | Decimal | float) -> str:
    """The number for a message. Python does not print whole numbers of thousands of digits."""
    if isinstance(value, int) and abs(value) >= BEYOND:
        return "a whole number of more than 126 digits"
    return short_repr(value)


def _convert(value: object, kind: str) -> str:
    return f"Convert it first: {kind}(…)." if isinstance(value, str) else ""


def _encode_whole(value: object) -> AttributeValue:
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid_value(WHOLE_SAYS, value, _convert(value, "int"))
    return {"N": number_text(WHOLE_SAYS, int(value))}


def _decode_whole(value: AttributeValue) -> object:
    if "N" not in value:
        raise mismatch("a whole number (N)", value)
    try:
        return int(canonical_number(value["N"]))
    except ValueError:
        raise mismatch("a whole number (N)", value) from None


def _write_whole(source: Source, name: str) -> str:
    least, most = source.name(LEAST, "least"), source.name(MOST, "most")
    fits = f"{name}.__class__ is int and {least} < {name} < {most}"
    return f'{{"N": str({name})}} if {fits} else refuse()'


WHOLE = Codec(
    types=frozenset({"N"}),
    optional=False,
    encode=_encode_whole,
    decode=_decode_whole,
    expects=WHOLE_SAYS,
    writing=_write_whole,
    reading=lambda _, name: f'int({name}["N"])',
)


def _encode_decimal(value: object) -> AttributeValue:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        advice = _convert(value, "Decimal")
        if isinstance(value, float):
            advice = f'Write Decimal("{value!r}"), which is exact.'
        raise invalid_value(DECIMAL_SAYS, value, advice)
    return {"N": number_text(DECIMAL_SAYS, value if isinstance(value, Decimal) else int(value))}


def _decode_decimal(value: AttributeValue) -> object:
    if "N" not in value:
        raise mismatch("a number (N)", value)
    try:
        return Decimal(canonical_number(value["N"]))
    except InvalidNumber:
        raise mismatch("a number (N)", value) from None


def _write_decimal(source: Source, name: str) -> str:
    kind, text = source.name(Decimal, "Decimal"), source.name(canonical_number, "canonical_number")
    return f'{{"N": {text}(str({name}))}} if {name}.__class__ is {kind} else refuse()'


DECIMAL = Codec(
    types=frozenset({"N"}),
    optional=False,
    encode=_encode_decimal,
    decode=_decode_decimal,
    expects=DECIMAL_SAYS,
    writing=_write_decimal,
    reading=lambda source, name: f'{source.name(Decimal, "Decimal")}({name}["N"])',
)


def _encode_float(value: object) -> AttributeValue:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise invalid_value(FLOAT_SAYS, value, _convert(value, "float"))
    if isinstance(value, int) and not _same_as_float(value):
        raise invalid_value(
            FLOAT_SAYS,
            value if abs(value) < BEYOND else float("inf"),
            "No float is exactly this number: declare the field as int or Decimal.",
        )
    return {"N": number_text(FLOAT_SAYS, float(value))}


def _same_as_float(value: int) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


def _decode_float(value: AttributeValue) -> object:
    if "N" not in value:
        raise mismatch("a number (N)", value)
    try:
        return float(canonical_number(value["N"]))
    except InvalidNumber:
        raise mismatch("a number (N)", value) from None


def _write_float(source: Source, name: str) -> str:
    text = source.name(canonical_number, "canonical_number")
    return f'{{"N": {text}(repr({name}))}} if {name}.__class__ is float else refuse()'


FLOAT = Codec(
    types=frozenset({"N"}),
    optional=False,
    encode=_encode_float,
    decode=_decode_float,
    expects=FLOAT_SAYS,
    writing=_write_float,
    reading=lambda _, name: f'float({name}["N"])',
)

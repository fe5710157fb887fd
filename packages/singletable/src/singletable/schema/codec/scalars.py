"""Codecs of strings, booleans, bytes, UUIDs and numbers.

DynamoDB stores numbers of up to 38 digits, from 1E-130 to 1E+126. Other numbers, infinity and NaN
are rejected before they are sent. A float is stored as the shortest text that reads back as the
same float. An int is accepted where a float or Decimal is declared; a bool never is, nor a float
where a Decimal is declared.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from decimal import Decimal
from uuid import UUID

from dynamodb_engine.values import InvalidNumber, canonical_number, to_builtin
from singletable.errors import InvalidValue
from singletable.schema.codec.codec import SourceBuilder, invalid_value, scalar_codec, short_repr

STRING_TYPE = "a string (str)"
INT_TYPE = "an integer (int)"
DECIMAL_TYPE = "a number (Decimal)"
FLOAT_TYPE = "a number (float)"
# Every integer between these has at most 38 digits.
INT_LIMIT = 10**38
NEGATIVE_INT_LIMIT = -INT_LIMIT
# DynamoDB cannot store an integer from here on.
NUMBER_LIMIT = 10**126


def check_surrogates(text: str) -> str:
    """Return the text; raise InvalidValue if it has half a surrogate pair, which UTF-8 forbids."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start : error.end]
        raise InvalidValue(
            f"expected {STRING_TYPE}, but {half!r} in {short_repr(text)} is half of a surrogate "
            "pair. Pass the whole character."
        ) from None
    return text


def is_string_source(name: str) -> str:
    """Return an expression that is true for a string that can be encoded as UTF-8."""
    return f"{name}.__class__ is str and ({name}.isascii() or {name}.encode())"


def _encode_string(value: object) -> str:
    if not isinstance(value, str):
        raise invalid_value(STRING_TYPE, value)
    # An instance of a subclass, such as a member of a StrEnum, is stored as a plain str.
    return check_surrogates(str(to_builtin(value)))


STRING = scalar_codec(
    "S",
    _encode_string,
    lambda text: text,
    expects=STRING_TYPE,
    stored="a string (S)",
    encode_expression=lambda _, name: f'{{"S": {name}}} if {is_string_source(name)} else fail()',
    content_expression=lambda _, content: content,
)


def _encode_bool(value: object) -> bool:
    if not isinstance(value, bool):
        raise invalid_value("True or False (bool)", value)
    return value


BOOL = scalar_codec(
    "BOOL",
    _encode_bool,
    lambda flag: flag,
    expects="True or False (bool)",
    stored="a boolean (BOOL)",
    encode_expression=lambda _, name: f'{{"BOOL": {name}}} if {name}.__class__ is bool else fail()',
    content_expression=lambda _, content: content,
)


def _encode_bytes(value: object) -> str:
    if not isinstance(value, bytes):
        raise invalid_value("bytes", value)
    return b2a_base64(value, newline=False).decode()


def _bytes_expression(source: SourceBuilder, name: str) -> str:
    encoded = f"{source.bind(b2a_base64, 'b2a_base64')}({name}, newline=False).decode()"
    return f'{{"B": {encoded}}} if {name}.__class__ is bytes else fail()'


BYTES = scalar_codec(
    "B",
    _encode_bytes,
    lambda text: a2b_base64(text, strict_mode=True),
    expects="bytes",
    stored="binary (B) in base64",
    encode_expression=_bytes_expression,
    content_expression=lambda source, content: (
        f"{source.bind(a2b_base64, 'a2b_base64')}({content})"
    ),
)


def _encode_uuid(value: object) -> str:
    if not isinstance(value, UUID):
        raise invalid_value("a UUID", value)
    return str(value)


def _uuid_expression(source: SourceBuilder, name: str) -> str:
    return f'{{"S": str({name})}} if {name}.__class__ is {source.bind(UUID, "UUID")} else fail()'


UUID_CODEC = scalar_codec(
    "S",
    _encode_uuid,
    UUID,
    expects="a UUID",
    stored="a UUID of 32 hex digits, as a string (S)",
    encode_expression=_uuid_expression,
    content_expression=lambda source, content: f"{source.bind(UUID, 'UUID')}({content})",
)


def number_text(expects: str, value: int | Decimal | float) -> str:
    """Return the canonical text of the number; raise InvalidValue if DynamoDB cannot store it."""
    too_large = isinstance(value, int) and abs(value) >= NUMBER_LIMIT
    try:
        if too_large:
            raise InvalidNumber
        return canonical_number(repr(value) if isinstance(value, float) else str(value))
    except InvalidNumber:
        # Python does not print integers of thousands of digits.
        shown = "an integer of more than 126 digits" if too_large else short_repr(value)
        raise InvalidValue(
            f"expected {expects} that DynamoDB can store, but got {shown} "
            f"({type(value).__name__}). It stores 38 digits, from 1E-130 to 1E+126, and neither "
            "infinity nor NaN. Round the number, or store it as a string (str)."
        ) from None


def _conversion_advice(value: object, kind: str) -> str:
    return f"Convert it first: {kind}(…)." if isinstance(value, str) else ""


def _encode_int(value: object) -> str:
    if type(value) is int and NEGATIVE_INT_LIMIT < value < INT_LIMIT:
        return str(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise invalid_value(INT_TYPE, value, _conversion_advice(value, "int"))
    return number_text(INT_TYPE, int(value))


def _int_expression(source: SourceBuilder, name: str) -> str:
    low, high = source.bind(NEGATIVE_INT_LIMIT, "low"), source.bind(INT_LIMIT, "high")
    valid = f"{name}.__class__ is int and {low} < {name} < {high}"
    return f'{{"N": str({name})}} if {valid} else fail()'


INT = scalar_codec(
    "N",
    _encode_int,
    lambda text: int(canonical_number(text)),
    expects=INT_TYPE,
    stored="an integer (N)",
    encode_expression=_int_expression,
    content_expression=lambda _, content: f"int({content})",
)


def _encode_decimal(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        advice = _conversion_advice(value, "Decimal")
        if isinstance(value, float):
            advice = f'Write Decimal("{value!r}"), which is exact.'
        raise invalid_value(DECIMAL_TYPE, value, advice)
    return number_text(DECIMAL_TYPE, value if isinstance(value, Decimal) else int(value))


def _decimal_expression(source: SourceBuilder, name: str) -> str:
    kind = source.bind(Decimal, "Decimal")
    text = source.bind(canonical_number, "canonical_number")
    return f'{{"N": {text}(str({name}))}} if {name}.__class__ is {kind} else fail()'


DECIMAL = scalar_codec(
    "N",
    _encode_decimal,
    lambda text: Decimal(canonical_number(text)),
    expects=DECIMAL_TYPE,
    stored="a number (N)",
    encode_expression=_decimal_expression,
    content_expression=lambda source, content: f"{source.bind(Decimal, 'Decimal')}({content})",
)


def _encode_float(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise invalid_value(FLOAT_TYPE, value, _conversion_advice(value, "float"))
    if isinstance(value, int) and not _is_exact_float(value):
        raise invalid_value(
            FLOAT_TYPE,
            value if abs(value) < NUMBER_LIMIT else float("inf"),
            "No float equals this integer exactly: declare the field as int or Decimal.",
        )
    return number_text(FLOAT_TYPE, float(value))


def _is_exact_float(value: int) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


def _float_expression(source: SourceBuilder, name: str) -> str:
    text = source.bind(canonical_number, "canonical_number")
    return f'{{"N": {text}(repr({name}))}} if {name}.__class__ is float else fail()'


FLOAT = scalar_codec(
    "N",
    _encode_float,
    lambda text: float(canonical_number(text)),
    expects=FLOAT_TYPE,
    stored="a number (N)",
    encode_expression=_float_expression,
    content_expression=lambda _, content: f"float({content})",
)

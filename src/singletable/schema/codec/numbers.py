"""Numbers: whole ones, decimals, and floats as the shortest text that gives the same float back.

DynamoDB holds 38 digits, from 1E-130 up to 1E+126. What it cannot hold is refused before it is
sent; a float that is no number, or infinite, is among that. A whole number may be given where a
float or a Decimal is declared; never a bool, and never a float for a Decimal.
"""

from __future__ import annotations

from decimal import Decimal

from singletable.errors import InvalidValue
from singletable.schema.codec.codec import Codec, mismatch, shown, unfit
from singletable.schema.codec.source import Source
from singletable.values import AttributeValue, NotANumber, canonical_number

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
            raise NotANumber
        return canonical_number(repr(value) if isinstance(value, float) else str(value))
    except NotANumber:
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
    return shown(value)


def _convert(value: object, kind: str) -> str:
    return f"Convert it first: {kind}(…)." if isinstance(value, str) else ""


def _encode_whole(value: object) -> AttributeValue:
    if not isinstance(value, int) or isinstance(value, bool):
        raise unfit(WHOLE_SAYS, value, _convert(value, "int"))
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
    says=WHOLE_SAYS,
    writing=_write_whole,
    reading=lambda _, name: f'int({name}["N"])',
)


def _encode_decimal(value: object) -> AttributeValue:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        advice = _convert(value, "Decimal")
        if isinstance(value, float):
            advice = f'Write Decimal("{value!r}"), which is exact.'
        raise unfit(DECIMAL_SAYS, value, advice)
    return {"N": number_text(DECIMAL_SAYS, value if isinstance(value, Decimal) else int(value))}


def _decode_decimal(value: AttributeValue) -> object:
    if "N" not in value:
        raise mismatch("a number (N)", value)
    try:
        return Decimal(canonical_number(value["N"]))
    except NotANumber:
        raise mismatch("a number (N)", value) from None


def _write_decimal(source: Source, name: str) -> str:
    kind, text = source.name(Decimal, "Decimal"), source.name(canonical_number, "canonical_number")
    return f'{{"N": {text}(str({name}))}} if {name}.__class__ is {kind} else refuse()'


DECIMAL = Codec(
    types=frozenset({"N"}),
    optional=False,
    encode=_encode_decimal,
    decode=_decode_decimal,
    says=DECIMAL_SAYS,
    writing=_write_decimal,
    reading=lambda source, name: f'{source.name(Decimal, "Decimal")}({name}["N"])',
)


def _encode_float(value: object) -> AttributeValue:
    if isinstance(value, bool) or not isinstance(value, float | int):
        raise unfit(FLOAT_SAYS, value, _convert(value, "float"))
    if isinstance(value, int) and not _same_as_float(value):
        raise unfit(
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
    except NotANumber:
        raise mismatch("a number (N)", value) from None


def _write_float(source: Source, name: str) -> str:
    text = source.name(canonical_number, "canonical_number")
    return f'{{"N": {text}(repr({name}))}} if {name}.__class__ is float else refuse()'


FLOAT = Codec(
    types=frozenset({"N"}),
    optional=False,
    encode=_encode_float,
    decode=_decode_float,
    says=FLOAT_SAYS,
    writing=_write_float,
    reading=lambda _, name: f'float({name}["N"])',
)

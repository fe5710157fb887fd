"""How values are written into keys: one text for each value, sorted as the values are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType, TypeAlias, get_args, get_origin
from uuid import UUID

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec import TimeFormat
from singletable.schema.codec.codec import SourceBuilder
from singletable.schema.codec.field_codec import (
    CustomCodec,
    FieldCodec,
    field_codecs,
    runtime_class,
)
from singletable.schema.codec.times import EPOCH, MICROSECOND, writer_of

INT_DIGITS = 19
# The microseconds of the longest timedelta.
TIMEDELTA_DIGITS = 20

# Returns two expressions for the value of the variable with this name: whether its text needs no
# escaping, and the text.
PlainExpression: TypeAlias = Callable[[SourceBuilder, str], tuple[str, str]]


@dataclass(frozen=True, slots=True)
class KeyEncoding:
    """How values of one type are written into keys and read from them.

    Encodings with the same name are equal: they write the same value in the same way.
    """

    name: str
    write: Callable[[Any], str] = field(compare=False)
    read: Callable[[str], object] = field(compare=False)
    pattern: re.Pattern[str] = field(compare=False)
    # Whether texts sort as their values do.
    ordered: bool = True
    # Whether descending() can be applied.
    reversible: bool = False
    descending: bool = False
    # Whether the value can be read back from its text.
    lossless: bool = True
    # The fast path of generated code; other values are written by `write` and escaped.
    plain_expression: PlainExpression | None = field(default=None, compare=False)
    # For types that are stored as the text that is in keys, unless it needs escaping or another
    # program wrote it in another form: returns the expression that is true of such a stored text.
    stored_expression: Callable[[SourceBuilder, str], str] | None = field(
        default=None, compare=False
    )
    # The field's own codec, if it has one.
    codec: FieldCodec[Any] | None = None
    # How a declaration writes it, with {} for the field: `padded({}, 8)`.
    declared: str = field(default="{}", compare=False)
    # The length of every text; None if lengths differ.
    width: int | None = field(default=None, compare=False)
    # All texts of an Enum, a Literal or a bool.
    choices: tuple[str, ...] = field(default=(), compare=False)

    @property
    def characters(self) -> frozenset[str] | None:
        """The characters in texts of one width; None for any text."""
        if self.width is None:
            return None
        pattern = self.pattern.pattern
        others = set(pattern.replace("[0-9]", "")) & set("-~.:TZ")
        return frozenset("0123456789") | others | set("abcdef" if "a-f" in pattern else "")

    def matches(self, text: str) -> bool:
        """Return whether some value may be written as this text."""
        return self.pattern.fullmatch(text) is not None

    def parse(self, text: str) -> object:
        """Return the value that is written as this text, or None."""
        if not self.matches(text):
            return None
        try:
            value = self.read(text)
            return value if self.write(value) == text else None
        except (ValueError, KeyError, IndexError, OverflowError):
            return None


def key_encoding_of(
    annotation: object, time_format: TimeFormat | None, *, rounds: bool = False
) -> KeyEncoding:
    """Return the encoding of a type; raise DeclarationError if it cannot be part of a key."""
    if isinstance(annotation, NewType):
        return key_encoding_of(annotation.__supertype__, time_format)
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        own = next((extra for extra in extras if isinstance(extra, TimeFormat)), None)
        codecs = field_codecs(extras)
        if codecs:
            return _custom_encoding(codecs[-1], inner, own or time_format)
        return key_encoding_of(inner, own or time_format, rounds=rounds)
    if annotation is datetime:
        return _datetime_encoding(time_format or TimeFormat.MICROSECONDS, rounds=rounds)
    if isinstance(annotation, type) and annotation in _SIMPLE:
        return _SIMPLE[annotation]
    choices = choices_of(annotation)
    if choices is not None:
        return _choice_encoding(choices)
    if annotation is Decimal:
        raise DeclarationError(
            "a Decimal in a key needs a number of digits: write padded(field, digits, decimals)."
        )
    if annotation is float:
        raise DeclarationError(
            "a float cannot be part of a key: rounding would produce different texts for what is "
            "meant as one number. Use int or Decimal."
        )
    raise DeclarationError(
        f"{type_name(annotation)} cannot be part of a key. Keys consist of str, int, Decimal, "
        "datetime, date, timedelta, UUID, bool, Enum and Literal, and of types whose codec stores "
        "them as one of these."
    )


def _custom_encoding(
    codec: FieldCodec[Any], annotation: object, time_format: TimeFormat | None
) -> KeyEncoding:
    """Return the encoding of the type that a codec stores."""
    if not isinstance(codec, CustomCodec):
        raise DeclarationError(
            f"a field with {codec!r} cannot be part of a key, because keys are stored as they are. "
            "Use another field in the key."
        )
    stored = key_encoding_of(codec.stored_as, time_format)
    kind = runtime_class(annotation)

    def write(value: object) -> str:
        if kind is not None and not isinstance(value, kind):
            raise _wrong_type(f"a {kind.__name__}", value)
        try:
            return stored.write(codec.encode(value))
        except InvalidValue:
            raise
        except Exception as error:
            raise InvalidValue(
                f"expected a value that {codec!r} can encode, but got {value!r} "
                f"({type(value).__name__}): {error}"
            ) from error

    def read(text: str) -> object:
        try:
            return codec.decode(stored.read(text))
        except Exception as error:
            raise ValueError(str(error)) from error

    return replace(
        stored,
        write=write,
        read=read,
        codec=codec,
        plain_expression=None,
        stored_expression=None,
    )


def casefold_encoding(encoding: KeyEncoding) -> KeyEncoding:
    """Return the encoding that ignores case; the original value cannot be read back."""
    if encoding is not _STRING:
        raise DeclarationError("casefold() requires a str field.")

    def write(value: object) -> str:
        return _string(value).casefold()

    def plain_expression(source: SourceBuilder, name: str) -> tuple[str, str]:
        return _plain_string(source, name)[0], f"{name}.casefold()"

    return replace(
        encoding,
        name="casefold",
        write=write,
        lossless=False,
        # No character becomes one that is escaped.
        plain_expression=plain_expression,
        stored_expression=None,
        declared="casefold({})",
    )


def descending_encoding(encoding: KeyEncoding) -> KeyEncoding:
    """Return the encoding in which the highest value sorts first."""
    if encoding.descending:
        raise DeclarationError("descending(descending(field)) is the same as field: write field.")
    if not encoding.reversible:
        raise DeclarationError(
            "descending() requires a number, datetime, date or ordered() field, not a "
            f"{encoding.name}. To read from the end, query with reverse=True."
        )

    def write(value: object) -> str:
        return _complement(encoding.write(value), "-", "~")

    def read(text: str) -> object:
        return encoding.read(_complement(text, "~", "-"))

    return replace(
        encoding,
        name=f"descending {encoding.name}",
        write=write,
        read=read,
        pattern=re.compile(encoding.pattern.pattern.replace("-?", "~?")),
        descending=True,
        plain_expression=None,
        stored_expression=None,
        declared=f"descending({encoding.declared})",
    )


def ordered_encoding(annotation: object, order: Sequence[object] | None) -> KeyEncoding:
    """Return the encoding by position in `order`, which defaults to the order of declaration."""
    choices = choices_of(annotation)
    if choices is None:
        raise DeclarationError(
            f"ordered() requires an Enum or Literal field, not {type_name(annotation)}."
        )
    listed = list(order) if order is not None else list(choices.values())
    if len(listed) != len(choices) or any(one not in listed for one in choices.values()):
        raise DeclarationError(
            f"ordered(): the order must list each of {', '.join(choices)} once, but it lists "
            f"{', '.join(str(one.value if isinstance(one, Enum) else one) for one in listed)}."
        )
    width = len(str(len(listed) - 1))
    stored: list[object] = [one.value if isinstance(one, Enum) else one for one in listed]

    def write(value: object) -> str:
        if value not in listed:
            raise _wrong_type(f"one of {', '.join(choices)}", value)
        return f"{listed.index(value):0{width}d}"

    return KeyEncoding(
        f"ordered {listed}",
        write,
        lambda text: listed[int(text)],
        _digit_pattern(f"d{{{width}}}"),
        reversible=True,
        declared=f"ordered({{}}, {stored})",
        width=width,
    )


def padded_encoding(annotation: object, digits: int, decimals: int) -> KeyEncoding:
    """Return the encoding of non-negative numbers with this many digits before and after the point.

    Texts of equal width sort by value.
    """
    if annotation is not int and annotation is not Decimal:
        raise DeclarationError(
            f"padded() requires an int or Decimal field, not {type_name(annotation)}."
        )
    if digits < 1 or decimals < 0 or (annotation is int and decimals):
        raise DeclarationError(
            "padded(field, digits, decimals): digits must be at least 1, and an int has no "
            "decimals."
        )
    width = digits + (decimals + 1 if decimals else 0)

    def write(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise _wrong_type("a number", value)
        number = Decimal(value)
        # The sign of a zero is not part of its value.
        text = f"{number.copy_abs():0{width}.{decimals}f}" if number.is_finite() else ""
        if not text or number < 0 or len(text) > width or Decimal(text) != number:
            raise InvalidValue(
                f"expected a number of 0 or more with at most {digits} digits before the point and "
                f"{decimals} after it, but got {value}"
            )
        return text

    pattern = f"d{{{digits}}}" + (rf"\.d{{{decimals}}}" if decimals else "")
    read: Callable[[str], object] = int if annotation is int else Decimal
    return KeyEncoding(
        f"padded {digits} {decimals}",
        write,
        read,
        _digit_pattern(pattern),
        reversible=True,
        plain_expression=None if decimals else _plain_int(digits, digits),
        declared=f"padded({{}}, {digits}{f', {decimals}' if decimals else ''})",
        width=width,
    )


def choices_of(annotation: object) -> dict[str, object] | None:
    """Return the values of an Enum or Literal by their texts, or None for other types."""
    choices: dict[str, object]
    if get_origin(annotation) is Literal:
        name = str(annotation)
        choices = {str(one): one for one in get_args(annotation) if one is not None}
    elif isinstance(annotation, type) and issubclass(annotation, Enum):
        name = annotation.__name__
        choices = {str(one.value): one for one in annotation}
    else:
        return None
    if "" in choices:
        raise DeclarationError(
            f"a value of {name} is empty, and a value in a key must not be. Use a non-empty text."
        )
    return choices


def type_name(annotation: object) -> str:
    """Return the type as it is written in source."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def _choice_encoding(choices: dict[str, object]) -> KeyEncoding:
    def write(value: object) -> str:
        for text, choice in choices.items():
            if choice is value or choice == value:
                return text
        raise _wrong_type(f"one of {', '.join(choices)}", value)

    pattern = re.compile("|".join(re.escape(text) for text in choices))
    name = f"one of {', '.join(choices)}"
    return KeyEncoding(
        name, write, choices.__getitem__, pattern, ordered=False, choices=tuple(choices)
    )


def _datetime_encoding(time_format: TimeFormat, *, rounds: bool) -> KeyEncoding:
    """Return the encoding that equals the stored format; epochs are padded with zeros."""
    write = writer_of(time_format, rounds=rounds)
    if time_format in (TimeFormat.EPOCH_SECONDS, TimeFormat.EPOCH_MILLISECONDS):
        in_seconds = time_format is TimeFormat.EPOCH_SECONDS
        unit = timedelta(seconds=1) if in_seconds else timedelta(milliseconds=1)
        width = 11 if in_seconds else 14

        def write_epoch(value: object) -> str:
            elapsed = int(write(value))
            if not 0 <= elapsed < 10**width:
                raise InvalidValue(f"expected a time from 1970 to 5138, but got {value}")
            return f"{elapsed:0{width}d}"

        def read_epoch(text: str) -> datetime:
            return EPOCH + int(text) * unit

        pattern = _digit_pattern(f"d{{{width}}}")
        return KeyEncoding(
            time_format.name, write_epoch, read_epoch, pattern, reversible=True, width=width
        )
    digits = {TimeFormat.SECONDS: 0, TimeFormat.MILLISECONDS: 3, TimeFormat.MICROSECONDS: 6}
    decimals = digits[time_format]

    def plain_expression(source: SourceBuilder, name: str) -> tuple[str, str]:
        is_utc = f"{name}.__class__ is {source.bind(datetime, 'datetime')}"
        is_utc += f" and {name}.tzinfo is {source.bind(UTC, 'UTC')}"
        if not rounds:  # a time that is too fine takes the slow path, which raises the error
            is_utc += f" and {name}.microsecond % {10 ** (6 - decimals)} == 0"
        return is_utc, f"{source.bind(write, 'write_time')}({name})"

    length = 21 + decimals if decimals else 20

    def stored_expression(_: SourceBuilder, text: str) -> str:
        # Other notations of RFC 3339 and ISO 8601 have another length, or others of these marks.
        marks = f'{text}[7:20:3] == "-T::."' if decimals else f'{text}[7:17:3] == "-T::"'
        return f'{marks} and {text}[{length - 1}:] == "Z"'

    fraction = rf"\.d{{{decimals}}}" if decimals else ""
    pattern = _digit_pattern("d{4}-d{2}-d{2}Td{2}:d{2}:d{2}" + fraction + "Z")
    return KeyEncoding(
        time_format.name,
        write,
        datetime.fromisoformat,
        pattern,
        reversible=True,
        plain_expression=plain_expression,
        stored_expression=stored_expression,
        width=length,
    )


_DIGIT_COMPLEMENTS = str.maketrans("0123456789", "9876543210")


def _complement(text: str, sign: str, replacement: str) -> str:
    """Complement each digit; a sign that sorts before digits becomes one that sorts after them."""
    complement = text.translate(_DIGIT_COMPLEMENTS)
    return replacement + complement[1:] if complement.startswith(sign) else complement


def _digit_pattern(pattern: str) -> re.Pattern[str]:
    r"""Compile a pattern in which d is an ASCII digit; \d would match the digits of all scripts."""
    return re.compile(pattern.replace("d", "[0-9]"))


def _wrong_type(expected: str, value: object) -> InvalidValue:
    return InvalidValue(f"expected {expected}, but got {value!r} ({type(value).__name__})")


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong_type("a string (str)", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValue(
            f"expected a string of whole characters, but {value!r} has half of a surrogate pair"
        ) from None
    return value


def _boolean(value: object) -> str:
    if not isinstance(value, bool):
        raise _wrong_type("True or False", value)
    return "true" if value else "false"


def _date(value: object) -> str:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _wrong_type("a date", value)
    return value.isoformat()


def _uuid(value: object) -> str:
    if not isinstance(value, UUID):
        raise _wrong_type("a UUID", value)
    return str(value)


def _int(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type("an integer (int)", value)
    if abs(value) >= 10**INT_DIGITS:
        raise InvalidValue(f"expected a number of at most {INT_DIGITS} digits, but got {value}")
    return _signed(value, INT_DIGITS)


def _signed(value: int, digits: int) -> str:
    # A minus sign sorts before the digits, and the complement puts -2 before -1.
    if value < 0:
        return f"-{10**digits + value:0{digits}d}"
    return f"{value:0{digits + 1}d}"


def _read_signed(text: str) -> int:
    return int(text[1:]) - 10 ** len(text[1:]) if text.startswith("-") else int(text)


def _timedelta(value: object) -> str:
    if not isinstance(value, timedelta):
        raise _wrong_type("a timedelta", value)
    return _signed(value // MICROSECOND, TIMEDELTA_DIGITS)


def _read_timedelta(text: str) -> timedelta:
    return _read_signed(text) * MICROSECOND


# Characters up to $ may need to be escaped, and halves of surrogate pairs are rejected.
_is_plain = re.compile("[^\0-$\ud800-\udfff]+").fullmatch


def _plain_text(source: SourceBuilder, text: str) -> str:
    # Most values are letters and digits, for which `isalnum` is the fastest test.
    return f"{text}.isalnum() or {source.bind(_is_plain, 'is_plain')}({text})"


def _plain_string(source: SourceBuilder, name: str) -> tuple[str, str]:
    return f"{name}.__class__ is str and ({_plain_text(source, name)})", name


def _plain_int(digits: int, width: int) -> PlainExpression:
    return lambda _, name: (
        f"{name}.__class__ is int and 0 <= {name} < {10**digits}",
        f'f"{{{name}:0{width}d}}"',
    )


def _plain(kind: type, method: str) -> PlainExpression:
    """Return the expression for values of exactly this type. Their texts need no escaping."""
    return lambda source, name: (
        f"{name}.__class__ is {source.bind(kind, kind.__name__)}",
        f"{name}.{method}()",
    )


_STRING = KeyEncoding(
    "str",
    _string,
    str,
    re.compile(".+", re.DOTALL),
    plain_expression=_plain_string,
    stored_expression=_plain_text,
)
_SIMPLE: dict[type, KeyEncoding] = {
    str: _STRING,
    bool: KeyEncoding(
        "bool",
        _boolean,
        lambda text: text == "true",
        re.compile("true|false"),
        choices=("true", "false"),
    ),
    int: KeyEncoding(
        "int",
        _int,
        _read_signed,
        _digit_pattern(f"-?d{{{INT_DIGITS}}}d?"),
        reversible=True,
        plain_expression=_plain_int(INT_DIGITS, INT_DIGITS + 1),
        width=INT_DIGITS + 1,
    ),
    date: KeyEncoding(
        "date",
        _date,
        date.fromisoformat,
        _digit_pattern("d{4}-d{2}-d{2}"),
        reversible=True,
        plain_expression=_plain(date, "isoformat"),
        width=10,
    ),
    UUID: KeyEncoding(
        "UUID",
        _uuid,
        UUID,
        re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        plain_expression=_plain(UUID, "__str__"),
        width=36,
    ),
    timedelta: KeyEncoding(
        "timedelta",
        _timedelta,
        _read_timedelta,
        _digit_pattern(f"-?d{{{TIMEDELTA_DIGITS}}}d?"),
        reversible=True,
        width=TIMEDELTA_DIGITS + 1,
    ),
}

"""The text a value has inside a key: one for each value, and where one is stated in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NewType, get_args, get_origin
from uuid import UUID

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec import TimeFormat
from singletable.schema.codec.times import EPOCH, in_utc


@dataclass(frozen=True, slots=True)
class KeyEncoding:
    """How values of one type are written into keys, and read from them.

    Two forms are equal if they have one name: they write the same value in the same way.
    """

    name: str
    write: Callable[[Any], str] = field(compare=False)
    read: Callable[[str], object] = field(compare=False)
    shape: re.Pattern[str] = field(compare=False)
    # Whether texts sort as their values do.
    ordered: bool = True
    # Whether there is a form in which the highest comes first.
    turns: bool = False
    descending: bool = False
    # Whether the value can be had back from its text.
    exact: bool = True

    def could_be(self, text: str) -> bool:
        """Whether some value is written so."""
        return self.shape.fullmatch(text) is not None

    def parse(self, text: str) -> object:
        """The value that is written so; None if there is none."""
        if not self.could_be(text):
            return None
        try:
            value = self.read(text)
            return value if self.write(value) == text else None
        except (ValueError, KeyError, IndexError, OverflowError):
            return None


def digit_pattern(shape: str) -> re.Pattern[str]:
    """A shape in which d is a digit, of those that Python and DynamoDB write."""
    return re.compile(shape.replace("d", "[0-9]"))


def wrong_type(expected: str, value: object) -> InvalidValue:
    """What is said of a value that is not of the type."""
    return InvalidValue(f"expected {expected}, but got {value!r} ({type(value).__name__})")


def type_name(annotation: object) -> str:
    """The type as one would write it."""
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


# Values of an Enum or a Literal in a key: their own texts, or their places in an order.


def ordered_encoding(annotation: object, order: Sequence[object] | None) -> KeyEncoding:
    """The place of a value in a stated order; without one, in the order of the declaration."""
    options = choices_of(annotation)
    if options is None:
        raise DeclarationError(
            f"ordered() is for Enum and Literal types, not for {type_name(annotation)}."
        )
    listed = list(order) if order is not None else list(options.values())
    if len(listed) != len(options) or any(one not in listed for one in options.values()):
        raise DeclarationError(
            f"ordered(): the order must name each of {', '.join(options)} once, and it names "
            f"{', '.join(str(one.value if isinstance(one, Enum) else one) for one in listed)}."
        )
    width = len(str(len(listed) - 1))

    def write(value: object) -> str:
        if value not in listed:
            raise wrong_type(f"one of {', '.join(options)}", value)
        return f"{listed.index(value):0{width}d}"

    return KeyEncoding(
        f"ordered {listed}",
        write,
        lambda text: listed[int(text)],
        digit_pattern(f"d{{{width}}}"),
        turns=True,
    )


def choices_of(annotation: object) -> dict[str, object] | None:
    """The values that a type allows, by their texts; None if it is not of that kind."""
    if get_origin(annotation) is Literal:
        some = [one for one in get_args(annotation) if one is not None]
        return _never_empty(str(annotation), {str(one): one for one in some})
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _never_empty(annotation.__name__, {str(one.value): one for one in annotation})
    return None


def _never_empty(name: str, options: Mapping[str, object]) -> dict[str, object]:
    if "" in options:
        raise DeclarationError(
            f"one of the values of {name} is empty, and a value in a key never is. Give it a text."
        )
    return dict(options)


def choice_encoding(options: dict[str, object]) -> KeyEncoding:
    """One of some values, by its text; they have no order."""

    def write(value: object) -> str:
        for text, option in options.items():
            if option is value or option == value:
                return text
        raise wrong_type(f"one of {', '.join(options)}", value)

    shape = re.compile("|".join(re.escape(text) for text in options))
    return KeyEncoding(
        f"one of {', '.join(options)}", write, options.__getitem__, shape, ordered=False
    )


# FROM number_form.py: Numbers in a key: of one width, so that their texts sort as they do.

INT_DIGITS = 19


def padded_encoding(annotation: object, whole: int, fraction: int) -> KeyEncoding:
    """A number with so many digits before and after the point, none of them negative."""
    if annotation is not int and annotation is not Decimal:
        raise DeclarationError(f"padded() is for int and Decimal, not for {type_name(annotation)}.")
    if whole < 1 or fraction < 0 or (annotation is int and fraction):
        raise DeclarationError(
            "padded(field, whole, fraction): whole is at least 1, and an int has no fraction."
        )
    width = whole + (fraction + 1 if fraction else 0)

    def write(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise wrong_type("a number", value)
        number = Decimal(value)
        # A zero may have a sign, which is no part of its value.
        text = f"{number.copy_abs():0{width}.{fraction}f}" if number.is_finite() else ""
        if not text or number < 0 or len(text) > width or Decimal(text) != number:
            raise InvalidValue(
                f"expected a number from 0 on, with at most {whole} digits before the point and "
                f"{fraction} after it, but got {value}"
            )
        return text

    shape = f"d{{{whole}}}" + (rf"\.d{{{fraction}}}" if fraction else "")
    read: Callable[[str], object] = int if annotation is int else Decimal
    return KeyEncoding(f"padded {whole} {fraction}", write, read, digit_pattern(shape), turns=True)


def _whole_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type("a whole number (int)", value)
    if abs(value) >= 10**INT_DIGITS:
        raise InvalidValue(f"expected a number of at most {INT_DIGITS} digits, but got {value}")
    # A minus sign sorts before the digits, and the complement puts -2 before -1.
    return (
        f"{value:0{INT_DIGITS + 1}d}" if value >= 0 else f"-{10**INT_DIGITS + value:0{INT_DIGITS}d}"
    )


def _read_whole(text: str) -> int:
    return int(text[1:]) - 10**INT_DIGITS if text.startswith("-") else int(text)


INT = KeyEncoding(
    "int", _whole_text, _read_whole, digit_pattern(f"-?d{{{INT_DIGITS}}}d?"), turns=True
)


# FROM forms.py: Which form each type has in keys, and the forms that are made of others.


def key_encoding_of(annotation: object, time: TimeFormat | None) -> KeyEncoding:
    """The form that values of a type have in keys."""
    if isinstance(annotation, NewType):
        return key_encoding_of(annotation.__supertype__, time)
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        own = next((extra for extra in extras if isinstance(extra, TimeFormat)), None)
        return key_encoding_of(inner, own or time)
    if annotation is str:
        return _TEXT
    if annotation is bool:
        return KeyEncoding("bool", _boolean, lambda text: text == "true", re.compile("true|false"))
    if annotation is int:
        return INT
    if annotation is datetime:
        return _time(time or TimeFormat.MICROSECONDS)
    if annotation is date:
        return KeyEncoding(
            "date", _date, date.fromisoformat, digit_pattern("d{4}-d{2}-d{2}"), turns=True
        )
    if annotation is UUID:
        shape = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        return KeyEncoding("UUID", _uuid, UUID, shape)
    options = choices_of(annotation)
    if options is not None:
        return choice_encoding(options)
    raise DeclarationError(_no_form(annotation))


def casefold_encoding(form: KeyEncoding) -> KeyEncoding:
    """The form without the difference between upper and lower case; what was meant is not kept."""
    if form is not _TEXT:
        raise DeclarationError("casefold() is for texts (str).")
    return replace(form, name="casefold", write=_folded_text, exact=False)


def descending_encoding(form: KeyEncoding) -> KeyEncoding:
    """The form in which the highest value comes first."""
    if form.descending:
        raise DeclarationError("descending(descending(field)) is field: write it so.")
    if not form.turns:
        raise DeclarationError(
            "descending() is for numbers, times, dates and ordered() values; there is no such form "
            f"of a {form.name}. To read from the end, query in reverse."
        )

    def write(value: object) -> str:
        return _turned(form.write(value), "-", "~")

    def read(text: str) -> object:
        return form.read(_turned(text, "~", "-"))

    return replace(
        form,
        name=f"descending {form.name}",
        write=write,
        read=read,
        shape=re.compile(form.shape.pattern.replace("-?", "~?")),
        descending=True,
    )


_COMPLEMENT = str.maketrans("0123456789", "9876543210")


def _turned(text: str, sign: str, instead: str) -> str:
    """Each digit becomes its complement; a sign that sorts before digits, one that sorts after."""
    turned = text.translate(_COMPLEMENT)
    return instead + turned[1:] if turned.startswith(sign) else turned


def _folded_text(value: object) -> str:
    return _text(value).casefold()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise wrong_type("a text (str)", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValue(
            f"expected a text of whole characters, but got {value!r}, which has half of one"
        ) from None
    return value


def _boolean(value: object) -> str:
    if not isinstance(value, bool):
        raise wrong_type("True or False", value)
    return "true" if value else "false"


def _date(value: object) -> str:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise wrong_type("a date", value)
    return value.isoformat()


def _uuid(value: object) -> str:
    if not isinstance(value, UUID):
        raise wrong_type("a UUID", value)
    return str(value)


def _time(kind: TimeFormat) -> KeyEncoding:
    """Times as they stand in attributes of the same form; epochs with zeros before them."""
    if kind in (TimeFormat.EPOCH_SECONDS, TimeFormat.EPOCH_MILLISECONDS):
        unit = (
            timedelta(seconds=1) if kind is TimeFormat.EPOCH_SECONDS else timedelta(milliseconds=1)
        )
        width = 11 if kind is TimeFormat.EPOCH_SECONDS else 14

        def write_epoch(value: object) -> str:
            since = (_aware(value) - EPOCH) // unit
            if not 0 <= since < 10**width:
                raise InvalidValue(f"expected a time from 1970 to 5138, but got {value}")
            return f"{since:0{width}d}"

        def read_epoch(text: str) -> datetime:
            return EPOCH + int(text) * unit

        return KeyEncoding(
            kind.name, write_epoch, read_epoch, digit_pattern(f"d{{{width}}}"), turns=True
        )
    digits = {TimeFormat.SECONDS: 0, TimeFormat.MILLISECONDS: 3, TimeFormat.MICROSECONDS: 6}[kind]

    def write(value: object) -> str:
        text = _aware(value).strftime("%Y-%m-%dT%H:%M:%S.%f").zfill(26)
        return (text[: 20 + digits] if digits else text[:19]) + "Z"

    fraction = rf"\.d{{{digits}}}" if digits else ""
    shape = digit_pattern("d{4}-d{2}-d{2}Td{2}:d{2}:d{2}" + fraction + "Z")
    return KeyEncoding(kind.name, write, datetime.fromisoformat, shape, turns=True)


def _aware(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise wrong_type("a time (datetime)", value)
    return in_utc(value)


def _no_form(annotation: object) -> str:
    if annotation is Decimal:
        return "a Decimal in a key needs a number of digits: write padded(field, whole, fraction)."
    if annotation is float:
        return "a float makes no key: two ways to one number give two texts. Use int or Decimal."
    return (
        f"{type_name(annotation)} has no text form for a key. Keys are made of str, int, Decimal, "
        "datetime, date, UUID, bool, Enum and Literal."
    )


_TEXT = KeyEncoding("text", _text, str, re.compile(".+", re.DOTALL))

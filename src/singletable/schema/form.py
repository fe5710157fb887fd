"""The text a value has inside a key: one for each value, and where one is stated in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, get_args, get_origin
from uuid import UUID

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.codec import TimeForm

INT_DIGITS = 19
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Form:
    """How values of one type are written into keys, and read from them."""

    write: Callable[[Any], str]
    read: Callable[[str], object]
    shape: re.Pattern[str]
    ordered: bool = True
    descending: bool = False
    # Whether the value can be had back from its text.
    exact: bool = True

    def could_be(self, text: str) -> bool:
        """Whether some value is written so."""
        return self.shape.fullmatch(text) is not None


def form_of(annotation: object, time: TimeForm | None) -> Form:
    """The form that values of a type have in keys."""
    if annotation is str:
        return _TEXT
    if annotation is bool:
        return Form(_boolean, lambda text: text == "true", re.compile("true|false"))
    if annotation is int:
        return _INT
    if annotation is datetime:
        return _time(time or TimeForm.MICROSECONDS)
    if annotation is date:
        return Form(_date, date.fromisoformat, re.compile(r"\d{4}-\d\d-\d\d"))
    if annotation is UUID:
        return Form(_uuid, UUID, re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
    options = _options(annotation)
    if options is not None:
        return _one_of(options)
    raise DeclarationError(_no_form(annotation))


def digits_of(annotation: object, whole: int, fraction: int) -> Form:
    """A number with so many digits before and after the point, none of them negative."""
    if annotation is not int and annotation is not Decimal:
        raise DeclarationError(f"digits() is for int and Decimal, not for {_name(annotation)}.")
    if whole < 1 or fraction < 0 or (annotation is int and fraction):
        raise DeclarationError(
            "digits(field, whole, fraction): whole is at least 1, and an int has no fraction."
        )
    width = whole + (fraction + 1 if fraction else 0)

    def write(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise _wrong("a number", value)
        text = f"{Decimal(value):0{width}.{fraction}f}"
        if value < 0 or len(text) > width or Decimal(text) != value:
            raise InvalidValue(
                f"expected a number from 0 on, with at most {whole} digits before the point and "
                f"{fraction} after it, but got {value}"
            )
        return text

    shape = rf"\d{{{whole}}}" + (rf"\.\d{{{fraction}}}" if fraction else "")
    read: Callable[[str], object] = int if annotation is int else Decimal
    return Form(write, read, re.compile(shape))


def ordered_of(annotation: object, order: Sequence[object] | None) -> Form:
    """The place of a value in a stated order; without one, in the order of the declaration."""
    options = _options(annotation)
    if options is None:
        raise DeclarationError(
            f"ordered() is for Enum and Literal types, not for {_name(annotation)}."
        )
    listed = list(order) if order is not None else list(options.values())
    if len(listed) != len(options) or any(one not in listed for one in options.values()):
        raise DeclarationError(
            f"ordered(): the order must name each of {', '.join(options)} once, "
            f"and it names {', '.join(map(str, listed))}."
        )
    width = len(str(len(listed) - 1))

    def write(value: object) -> str:
        if value not in listed:
            raise _wrong(f"one of {', '.join(options)}", value)
        return f"{listed.index(value):0{width}d}"

    return Form(write, lambda text: listed[int(text)], re.compile(rf"\d{{{width}}}"))


def folded(form: Form) -> Form:
    """The form without the difference between upper and lower case; what was meant is not kept."""
    if form is not _TEXT:
        raise DeclarationError("casefold() is for texts (str).")
    return replace(form, write=_folded_text, exact=False)


def reversed_form(form: Form) -> Form:
    """The form in which the highest value comes first."""
    if not form.ordered or form is _TEXT or not form.exact:
        raise DeclarationError(
            "descending() is for numbers, times, dates and ordered() values: texts of free length "
            "have no last one to begin with. To read texts from the end, query in reverse."
        )

    def write(value: object) -> str:
        return _turned(form.write(value), "-", "~")

    def read(text: str) -> object:
        return form.read(_turned(text, "~", "-"))

    return replace(
        form,
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
        raise _wrong("a text (str)", value)
    return value


def _boolean(value: object) -> str:
    if not isinstance(value, bool):
        raise _wrong("True or False", value)
    return "true" if value else "false"


def _whole(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong("a whole number (int)", value)
    if abs(value) >= 10**INT_DIGITS:
        raise InvalidValue(f"expected a number of at most {INT_DIGITS} digits, but got {value}")
    # A minus sign sorts before the digits, and the complement puts -2 before -1.
    return (
        f"{value:0{INT_DIGITS + 1}d}" if value >= 0 else f"-{10**INT_DIGITS + value:0{INT_DIGITS}d}"
    )


def _read_whole(text: str) -> int:
    return int(text[1:]) - 10**INT_DIGITS if text.startswith("-") else int(text)


def _date(value: object) -> str:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise _wrong("a date", value)
    return value.isoformat()


def _uuid(value: object) -> str:
    if not isinstance(value, UUID):
        raise _wrong("a UUID", value)
    return str(value)


def _time(kind: TimeForm) -> Form:
    """Times as they stand in attributes of the same form; epochs with zeros before them."""
    if kind in (TimeForm.EPOCH_SECONDS, TimeForm.EPOCH_MILLISECONDS):
        unit = timedelta(seconds=1) if kind is TimeForm.EPOCH_SECONDS else timedelta(milliseconds=1)
        width = 11 if kind is TimeForm.EPOCH_SECONDS else 14

        def write_epoch(value: object) -> str:
            since = (_aware(value) - _EPOCH) // unit
            if since < 0:
                raise InvalidValue(f"expected a time since 1970, but got {value}")
            return f"{since:0{width}d}"

        return Form(
            write_epoch, lambda text: _EPOCH + int(text) * unit, re.compile(rf"\d{{{width}}}")
        )
    digits = {TimeForm.SECONDS: 0, TimeForm.MILLISECONDS: 3, TimeForm.MICROSECONDS: 6}[kind]

    def write(value: object) -> str:
        text = _aware(value).strftime("%Y-%m-%dT%H:%M:%S.%f").zfill(26)
        return (text[: 20 + digits] if digits else text[:19]) + "Z"

    fraction = rf"\.\d{{{digits}}}" if digits else ""
    shape = re.compile(rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d{fraction}Z")
    return Form(write, datetime.fromisoformat, shape)


def _aware(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise _wrong("a time (datetime)", value)
    if value.tzinfo is None:
        raise InvalidValue(
            f"expected a time with its zone, but got {value!r}. Write datetime.now(UTC), or "
            "value.replace(tzinfo=UTC) if UTC is meant"
        )
    return value.astimezone(UTC)


def _options(annotation: object) -> dict[str, object] | None:
    """The values that a type allows, by their texts; None if it is not of that kind."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {str(one.value): one for one in annotation}
    if get_origin(annotation) is Literal:
        return {str(one): one for one in get_args(annotation)}
    return None


def _one_of(options: dict[str, object]) -> Form:
    def write(value: object) -> str:
        for text, option in options.items():
            if option is value or option == value:
                return text
        raise _wrong(f"one of {', '.join(options)}", value)

    shape = re.compile("|".join(re.escape(text) for text in options))
    return Form(write, options.__getitem__, shape, ordered=False)


def _wrong(expected: str, value: object) -> InvalidValue:
    return InvalidValue(f"expected {expected}, but got {value!r} ({type(value).__name__})")


def _no_form(annotation: object) -> str:
    if annotation is Decimal:
        return "a Decimal in a key needs a number of digits: write digits(field, whole, fraction)."
    if annotation is float:
        return "a float makes no key: two ways to one number give two texts. Use int or Decimal."
    return (
        f"{_name(annotation)} has no text form for a key. Keys are made of str, int, Decimal, "
        "datetime, date, UUID, bool, Enum and Literal."
    )


def _name(annotation: object) -> str:
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


_TEXT = Form(_text, str, re.compile(".+", re.DOTALL))
_INT = Form(_whole, _read_whole, re.compile(rf"-?\d{{{INT_DIGITS}}}\d?"))

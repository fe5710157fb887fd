"""Which form each type has in keys, and the forms that are made of others."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, NewType, get_args, get_origin
from uuid import UUID

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.choice_form import one_of, options_of
from singletable.schema.codec import TimeFormat
from singletable.schema.codec.times import EPOCH, in_utc
from singletable.schema.form import Form, digit_shape, name_of, wrong
from singletable.schema.number_form import INT


def form_of(annotation: object, time: TimeFormat | None) -> Form:
    """The form that values of a type have in keys."""
    if isinstance(annotation, NewType):
        return form_of(annotation.__supertype__, time)
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        own = next((extra for extra in extras if isinstance(extra, TimeFormat)), None)
        return form_of(inner, own or time)
    if annotation is str:
        return _TEXT
    if annotation is bool:
        return Form("bool", _boolean, lambda text: text == "true", re.compile("true|false"))
    if annotation is int:
        return INT
    if annotation is datetime:
        return _time(time or TimeFormat.MICROSECONDS)
    if annotation is date:
        return Form("date", _date, date.fromisoformat, digit_shape("d{4}-d{2}-d{2}"), turns=True)
    if annotation is UUID:
        shape = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
        return Form("UUID", _uuid, UUID, shape)
    options = options_of(annotation)
    if options is not None:
        return one_of(options)
    raise DeclarationError(_no_form(annotation))


def folded(form: Form) -> Form:
    """The form without the difference between upper and lower case; what was meant is not kept."""
    if form is not _TEXT:
        raise DeclarationError("casefold() is for texts (str).")
    return replace(form, name="casefold", write=_folded_text, exact=False)


def reversed_form(form: Form) -> Form:
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
        raise wrong("a text (str)", value)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidValue(
            f"expected a text of whole characters, but got {value!r}, which has half of one"
        ) from None
    return value


def _boolean(value: object) -> str:
    if not isinstance(value, bool):
        raise wrong("True or False", value)
    return "true" if value else "false"


def _date(value: object) -> str:
    if isinstance(value, datetime) or not isinstance(value, date):
        raise wrong("a date", value)
    return value.isoformat()


def _uuid(value: object) -> str:
    if not isinstance(value, UUID):
        raise wrong("a UUID", value)
    return str(value)


def _time(kind: TimeFormat) -> Form:
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

        return Form(kind.name, write_epoch, read_epoch, digit_shape(f"d{{{width}}}"), turns=True)
    digits = {TimeFormat.SECONDS: 0, TimeFormat.MILLISECONDS: 3, TimeFormat.MICROSECONDS: 6}[kind]

    def write(value: object) -> str:
        text = _aware(value).strftime("%Y-%m-%dT%H:%M:%S.%f").zfill(26)
        return (text[: 20 + digits] if digits else text[:19]) + "Z"

    fraction = rf"\.d{{{digits}}}" if digits else ""
    shape = digit_shape("d{4}-d{2}-d{2}Td{2}:d{2}:d{2}" + fraction + "Z")
    return Form(kind.name, write, datetime.fromisoformat, shape, turns=True)


def _aware(value: object) -> datetime:
    if not isinstance(value, datetime):
        raise wrong("a time (datetime)", value)
    return in_utc(value)


def _no_form(annotation: object) -> str:
    if annotation is Decimal:
        return "a Decimal in a key needs a number of digits: write padded(field, whole, fraction)."
    if annotation is float:
        return "a float makes no key: two ways to one number give two texts. Use int or Decimal."
    return (
        f"{name_of(annotation)} has no text form for a key. Keys are made of str, int, Decimal, "
        "datetime, date, UUID, bool, Enum and Literal."
    )


_TEXT = Form("text", _text, str, re.compile(".+", re.DOTALL))

"""Numbers in a key: of one width, so that their texts sort as they do."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from singletable.errors import DeclarationError, InvalidValue
from singletable.schema.form import Form, digit_shape, name_of, wrong

INT_DIGITS = 19


def digits_of(annotation: object, whole: int, fraction: int) -> Form:
    """A number with so many digits before and after the point, none of them negative."""
    if annotation is not int and annotation is not Decimal:
        raise DeclarationError(f"padded() is for int and Decimal, not for {name_of(annotation)}.")
    if whole < 1 or fraction < 0 or (annotation is int and fraction):
        raise DeclarationError(
            "padded(field, whole, fraction): whole is at least 1, and an int has no fraction."
        )
    width = whole + (fraction + 1 if fraction else 0)

    def write(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise wrong("a number", value)
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
    return Form(f"padded {whole} {fraction}", write, read, digit_shape(shape), turns=True)


def _whole_text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong("a whole number (int)", value)
    if abs(value) >= 10**INT_DIGITS:
        raise InvalidValue(f"expected a number of at most {INT_DIGITS} digits, but got {value}")
    # A minus sign sorts before the digits, and the complement puts -2 before -1.
    return (
        f"{value:0{INT_DIGITS + 1}d}" if value >= 0 else f"-{10**INT_DIGITS + value:0{INT_DIGITS}d}"
    )


def _read_whole(text: str) -> int:
    return int(text[1:]) - 10**INT_DIGITS if text.startswith("-") else int(text)


INT = Form("int", _whole_text, _read_whole, digit_shape(f"-?d{{{INT_DIGITS}}}d?"), turns=True)

"""A result as JSON that is the same, byte for byte, whenever the same ballots are counted again."""

from __future__ import annotations

import json
from fractions import Fraction

import msgspec

VERSION = 1


def document(result: object, **more: object) -> str:
    """JSON with sorted keys; a fraction is a text like "7/2", and no number is ever rounded."""
    fields: dict[str, object] = msgspec.to_builtins(result, enc_hook=_fraction)
    whole = {"format": "singletable count", "version": VERSION, **fields, **more}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _fraction(value: object) -> int | str:
    if not isinstance(value, Fraction):
        raise NotImplementedError(f"{type(value).__name__} has no form in a result")
    return value.numerator if value.denominator == 1 else str(value)

"""Canonical JSON, digests of it, and codes that people can type.

Everyone who hashes a value must get the same digest, so every value has one form in bytes: JSON in
UTF-8 with sorted keys and no spaces. Numbers are integers that every JSON parser reads exactly;
fractions can be written in many ways and are rejected.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import cast

from singletable_apps.elections.proofs.checker import domain_prefix as domain_prefix
from singletable_apps.elections.proofs.checker import encode_code as encode_code
from singletable_apps.elections.proofs.checker import format_code as format_code
from singletable_apps.elections.proofs.errors import InvalidCode, NotCanonical

# JavaScript and other languages round larger numbers.
MAX_INTEGER = 2**53 - 1


def canonical_json(value: object) -> bytes:
    """Return the canonical form of a value of None, bool, int, str, lists and dicts."""
    _check(value, "")
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def digest(value: object, *, domain: str) -> str:
    """Return SHA-256 over the domain, a zero byte and the canonical form, in hex.

    The domain separates purposes: equal values for different purposes have different digests.
    """
    return sha256(domain_prefix(domain) + canonical_json(value)).hexdigest()


def _check(value: object, where: str) -> None:
    match value:
        case None | bool():
            return
        case int():
            if abs(value) > MAX_INTEGER:
                raise _not_canonical(
                    where, f"The number {value} is beyond ±{MAX_INTEGER:,}; write it as text"
                )
        case str():
            _check_text(value, where)
        case list() | tuple():
            for index, item in enumerate(cast(list[object], value)):
                _check(item, f"{where}[{index}]")
        case dict():
            for key, item in cast(dict[object, object], value).items():
                if not isinstance(key, str):
                    raise _not_canonical(where, f"The key {key!r} is not text")
                _check_text(key, where)
                _check(item, f"{where}.{key}")
        case _:
            raise _not_canonical(
                where,
                f"{value!r} is of type {type(value).__name__}; use None, bool, int, str, list and "
                "dict",
            )


def _check_text(text: str, where: str) -> None:
    # Half of a surrogate pair is possible in a Python str, but not in UTF-8.
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise _not_canonical(where, f"{text!r} contains half a surrogate pair")


def _not_canonical(where: str, problem: str) -> NotCanonical:
    where = where.lstrip(".") or "the value itself"
    return NotCanonical(f"{problem} (at {where}).", where)


# Codes have 256 bits as 52 characters of base32 in lowercase: a-z and 2-7, so that nobody has to
# tell 0 from o or 1 from l.

CODE_LENGTH = 52
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyz234567")
_DASHES = "-‐‑–—"


def shorten_code(code: str) -> str:
    """Return the first eight letters of a code, to compare it with a list at a glance."""
    return format_code(code)[:9]


def parse_code(text: str) -> str:
    """Return the code that someone typed, with any spaces, dashes and capitals."""
    code = "".join(each for each in text if not each.isspace() and each not in _DASHES)
    # Only ASCII is lowered: the Kelvin sign would become a k.
    code = code.lower() if code.isascii() else code
    for character in code:
        if character not in _ALPHABET:
            raise InvalidCode(
                f"“{character}” cannot be in a code, which has only the letters a–z and the digits "
                "2–7. Please check what you copied."
            )
    if len(code) != CODE_LENGTH:
        raise InvalidCode(
            f"A code has {CODE_LENGTH} letters and digits, but this one has {len(code)}. Please "
            "copy all of it."
        )
    # 52 characters hold 260 bits. The last four must be zero, or a digest would have many codes.
    if code[-1] not in "aq":
        raise InvalidCode(f"A code ends in a or q, but this one ends in {code[-1]}. Copy it again.")
    return code

"""One form in bytes for a value, so that everybody who hashes it gets the same digest.

The form is JSON in UTF-8 with sorted keys and no spaces. Numbers are whole and no larger than
what every reader of JSON keeps exactly; fractions have many spellings and are refused.
"""

from __future__ import annotations

import json
from base64 import b32encode
from hashlib import sha256
from typing import cast

from singletable_apps.elections.proofs.errors import InvalidCode, NotCanonical

# JavaScript and many others read larger numbers as something near them.
LARGEST = 2**53 - 1
# What stands before every domain, so that no digest of ours is one of somebody else's.
PREFIX = "singletable elections 1: "


def canonical_json(value: object) -> bytes:
    """The one form of a value made of None, truths, whole numbers, text, lists and mappings."""
    _check(value, "")
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def digest(value: object, *, domain: str) -> str:
    """SHA-256, in hex, over the domain, a zero byte and the canonical form.

    What is hashed for one purpose never has the digest of what is hashed for another.
    """
    return sha256(domain_prefix(domain) + canonical_json(value)).hexdigest()


def domain_prefix(domain: str) -> bytes:
    """What a domain puts before the bytes that are hashed, signed or sealed for it."""
    return f"{PREFIX}{domain}\0".encode()


def _check(value: object, where: str) -> None:
    match value:
        case None | bool():
            return
        case int():
            if abs(value) > LARGEST:
                raise _refused(where, f"the number {value}, beyond ±{LARGEST:,}; write it as text")
        case str():
            _check_text(value, where)
        case list() | tuple():
            for index, each in enumerate(cast(list[object], value)):
                _check(each, f"{where}[{index}]")
        case dict():
            for key, each in cast(dict[object, object], value).items():
                if not isinstance(key, str):
                    raise _refused(where, f"the key {key!r}; keys are text")
                _check_text(key, where)
                _check(each, f"{where}.{key}")
        case _:
            kind = type(value).__name__
            raise _refused(
                where, f"{kind} {value!r}; use None, bool, int, str, list and dict alone"
            )


def _check_text(text: str, where: str) -> None:
    # Half of a surrogate pair is a str to Python, and nothing to UTF-8.
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _refused(where, f"{text!r}, which is no text: it holds half a surrogate pair")


def _refused(where: str, what: str) -> NotCanonical:
    place = where.lstrip(".") or "the value itself"
    return NotCanonical(f"At {place} is {what}.", place)


# Codes that people compare and type: 256 bits as 52 letters of lowercase base32.
#
# The alphabet is a–z and 2–7, so that 0 and o, or 1 and l, are never both in question.

LENGTH = 52
_GROUP = 4
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz234567")


def encode_code(hex_digest: str) -> str:
    """The code of a digest in hex."""
    return b32encode(bytes.fromhex(hex_digest)).decode().rstrip("=").lower()


def format_code(code: str) -> str:
    """The code in groups of four, for eyes."""
    return "-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP))


def parse_code(text: str) -> str:
    """The code that somebody typed, with any spaces, dashes and capitals."""
    code = "".join(letter for letter in text if not letter.isspace() and letter not in "-‐‑–—")
    # Only ASCII is lowered: the Kelvin sign would become a k.
    code = code.lower() if code.isascii() else code
    for letter in code:
        if letter not in _LETTERS:
            raise InvalidCode(
                f"'{letter}' is in no code: a code is made of the letters a–z and the digits 2–7. "
                f"Look again at what you copied."
            )
    if len(code) != LENGTH:
        raise InvalidCode(
            f"A code has {LENGTH} letters and digits, and this one has {len(code)}. "
            f"Copy the whole of it."
        )
    # 52 letters hold 260 bits: the last four are zero, or two codes would be one digest.
    if code[-1] not in "aq":
        raise InvalidCode(f"A code ends in a or q, and this one in {code[-1]}. Copy it again.")
    return code

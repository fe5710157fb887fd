"""Canonical JSON and digests, as in the checker, and codes that people can type."""

from __future__ import annotations

from singletable_apps.elections.proofs.checker import canonical_json as canonical_json
from singletable_apps.elections.proofs.checker import digest as digest
from singletable_apps.elections.proofs.checker import domain_prefix as domain_prefix
from singletable_apps.elections.proofs.checker import encode_code as encode_code
from singletable_apps.elections.proofs.checker import format_code as format_code
from singletable_apps.elections.proofs.errors import InvalidCode

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

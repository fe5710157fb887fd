"""Codes that people compare and type: 256 bits as 52 letters of lowercase base32.

The alphabet is a–z and 2–7, so that 0 and o, or 1 and l, are never both in question.
"""

from __future__ import annotations

from base64 import b32encode

from singletable_apps.elections.proofs.errors import CodeRefused

LENGTH = 52
_GROUP = 4
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz234567")


def code_of(hex_digest: str) -> str:
    """The code of a digest in hex."""
    return b32encode(bytes.fromhex(hex_digest)).decode().rstrip("=").lower()


def readable(code: str) -> str:
    """The code in groups of four, for eyes."""
    return "-".join(code[at : at + _GROUP] for at in range(0, len(code), _GROUP))


def parse_code(text: str) -> str:
    """The code that somebody typed, with any spaces, dashes and capitals."""
    code = "".join(letter for letter in text if not letter.isspace() and letter not in "-‐‑–—")
    # Only ASCII is lowered: the Kelvin sign would become a k.
    code = code.lower() if code.isascii() else code
    for letter in code:
        if letter not in _LETTERS:
            raise CodeRefused(
                f"'{letter}' is in no code: a code is made of the letters a–z and the digits 2–7. "
                f"Look again at what you copied."
            )
    if len(code) != LENGTH:
        raise CodeRefused(
            f"A code has {LENGTH} letters and digits, and this one has {len(code)}. "
            f"Copy the whole of it."
        )
    # 52 letters hold 260 bits: the last four are zero, or two codes would be one digest.
    if code[-1] not in "aq":
        raise CodeRefused(f"A code ends in a or q, and this one in {code[-1]}. Copy it again.")
    return code

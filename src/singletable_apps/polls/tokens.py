"""One secret of the server, and all that is made of it: admin keys, one-time codes, ids of votes.

None of them is kept anywhere. Whoever can read the table, but not the secret, can neither manage a
poll nor vote in it, and cannot tell which code or browser a vote is from.
"""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass, field
from uuid import UUID

# The digits of Crockford's base 32: none can be taken for another.
_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_MISREAD = str.maketrans("ILO", "110")
# Whatever is longer is none of ours.
_LONGEST = 100
# A code is its number in four digits, and eight that only the server can make for it.
_NUMBER, _CHECK = 4, 8
MOST_CODES = 10_000
# Where a UUID says of which version and variant it is.
_KIND = 0xF << 76 | 0x3 << 62


@dataclass(frozen=True, slots=True)
class Secret:
    """The secret: at least 32 random bytes, the same for every server of the polls."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) < 32:
            raise ValueError(f"Expected a secret of 32 bytes or more, but got {len(self.key)}.")

    @property
    def name(self) -> str:
        """What tells this secret from another, and nothing else of it."""
        return _text(self._made("name"), 8)

    def admin_key(self, poll_id: str) -> str:
        """What is in the link that manages a poll."""
        return _text(self._made("admin", poll_id), 26)

    def is_admin(self, poll_id: str, key: str) -> bool:
        """Whether this is the key of the poll."""
        return hmac.compare_digest(_bytes(_plain(key)), self.admin_key(poll_id).encode())

    def code(self, poll_id: str, number: int) -> str:
        """The one-time code of that number, from 0 on, as people type it: `000A-7K3M-QX9T`."""
        head = _text(number.to_bytes(4, "big"), _NUMBER, least=True)
        check = _text(self._made("code", poll_id, head), _CHECK)
        return f"{head}-{check[:4]}-{check[4:]}"

    def number_of(self, poll_id: str, code: str) -> int | None:
        """The number of a code, however it was typed; None if it is none of this poll."""
        typed = _plain(code)
        if len(typed) != _NUMBER + _CHECK or any(digit not in _DIGITS for digit in typed):
            return None
        number = 0
        for digit in typed[:_NUMBER]:
            number = number * 32 + _DIGITS.index(digit)
        right = _plain(self.code(poll_id, number))
        return number if hmac.compare_digest(typed.encode(), right.encode()) else None

    def kept_code(self, poll_id: str, number: int) -> str:
        """A code as the browser keeps that voted with it: more follows than anybody can guess."""
        seal = _text(self._made("kept code", poll_id, str(number)), 26)
        return f"{self.code(poll_id, number)}-{seal}"

    def code_in(self, poll_id: str, kept: str) -> str | None:
        """The code that a browser keeps; None if it was not given it."""
        code, _, _ = kept.rpartition("-")
        number = self.number_of(poll_id, code)
        if number is None:
            return None
        right = self.kept_code(poll_id, number)
        return code if hmac.compare_digest(_bytes(kept), right.encode()) else None

    def browser(self, token: str) -> str:
        """What the table knows a browser by: not what it shows, so nobody can pose as it."""
        return _text(self._made("browser", token), 26)

    def browser_of(self, poll_id: str, request: str) -> str:
        """What a new browser is known by that votes by this request, however often it is sent."""
        return _text(self._made("first vote", poll_id, request), 26)

    def vote_id(self, poll_id: str, kind: str, who: str) -> str:
        """The id of the one vote of a browser, a code or a request in a poll: a UUID."""
        made = int.from_bytes(self._made("vote", poll_id, kind, who)[:16], "big")
        # RFC 9562 leaves version 8 to those who make ids in a way of their own.
        return str(UUID(int=made & ~_KIND | 8 << 76 | 2 << 62))

    def _made(self, *parts: str) -> bytes:
        # Lengths before the texts, so that no two lists of parts are the same bytes.
        message = b"".join(b"%d:%b" % (len(one), one) for one in map(_bytes, parts))
        return hmac.digest(self.key, message, "sha256")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _plain(typed: str) -> str:
    """What was typed, without dashes, blanks and whatever else came with it."""
    plain = unicodedata.normalize("NFKC", typed[:_LONGEST]).upper()
    return "".join(filter(str.isalnum, plain)).translate(_MISREAD)


def _text(data: bytes, digits: int, *, least: bool = False) -> str:
    """The first digits of a number in base 32, or the last."""
    number = int.from_bytes(data, "big")
    if not least:
        number >>= max(0, len(data) * 8 - digits * 5)
    made = ""
    for _ in range(digits):
        number, digit = divmod(number, 32)
        made = _DIGITS[digit] + made
    return made

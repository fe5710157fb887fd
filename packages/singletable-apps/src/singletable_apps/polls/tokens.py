"""Derive admin keys, voting codes and vote ids from one server secret.

None of them is stored. Someone who can read the table but not the secret cannot manage a poll,
cannot vote with a code, and cannot tell which code or browser cast a vote.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from uuid import UUID

from singletable_apps.shared.readable_codes import (
    DIGITS,
    clean_code,
    decode_number,
    encode_bytes,
    encode_number,
)
from singletable_apps.shared.service import is_uuid

# A code is its number in four digits followed by eight digits of HMAC.
_NUMBER_DIGITS, _MAC_DIGITS = 4, 8
MAX_CODES = 10_000
# The version and variant bits of a UUID.
_UUID_KIND = 0xF << 76 | 0x3 << 62
_POLL_ID_DIGITS = 8


def new_poll_id() -> str:
    """Return a random id such as `7K3MQX9T`: short enough to type, and hard to misread."""
    return "".join(secrets.choice(DIGITS) for _ in range(_POLL_ID_DIGITS))


def parse_poll_id(typed: str) -> str | None:
    """Return the id of a poll in the form that is stored, or None. Older polls have a UUID."""
    if is_uuid(typed):
        return typed
    text = clean_code(typed)
    is_id = len(text) == _POLL_ID_DIGITS and decode_number(text) is not None
    return text if is_id else None


@dataclass(frozen=True, slots=True)
class Secret:
    """The server secret: at least 32 random bytes, the same for all servers of a table."""

    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if len(self.key) < 32:
            raise ValueError(f"Expected a secret of 32 bytes or more, but got {len(self.key)}.")

    @property
    def fingerprint(self) -> str:
        """Return a short text that identifies the secret without revealing it."""
        return encode_bytes(self._mac("name"), 8)

    def admin_key(self, poll_id: str) -> str:
        """Return the key in the admin link of a poll."""
        return encode_bytes(self._mac("admin", poll_id), 26)

    def is_admin_key(self, poll_id: str, key: str) -> bool:
        """Return whether this is the admin key of the poll."""
        return hmac.compare_digest(_to_bytes(clean_code(key)), self.admin_key(poll_id).encode())

    def voting_code(self, poll_id: str, number: int) -> str:
        """Return voting code `number` (from 0), formatted like `000A-7K3M-QX9T`."""
        head = encode_number(number, _NUMBER_DIGITS)
        mac = encode_bytes(self._mac("code", poll_id, head), _MAC_DIGITS)
        return f"{head}-{mac[:4]}-{mac[4:]}"

    def code_number(self, poll_id: str, code: str) -> int | None:
        """Return the number of a code as typed by a person, or None if it is not valid."""
        typed = clean_code(code)
        number = decode_number(typed[:_NUMBER_DIGITS])
        if len(typed) != _NUMBER_DIGITS + _MAC_DIGITS or number is None:
            return None
        expected = clean_code(self.voting_code(poll_id, number))
        return number if hmac.compare_digest(typed.encode(), expected.encode()) else None

    def proof_digest(self, poll_id: str, proof: str) -> str:
        """Return what a vote stores to recognize the secret of the browser that cast it."""
        return encode_bytes(self._mac("proof", poll_id, proof), 26)

    def email_token(self, poll_id: str, email: str) -> str:
        """Return the token in the link that confirms the address for notices."""
        return encode_bytes(self._mac("email", poll_id, email), 26)

    def is_email_token(self, poll_id: str, email: str, token: str) -> bool:
        """Return whether this token was sent to the address."""
        return hmac.compare_digest(_to_bytes(token), self.email_token(poll_id, email).encode())

    def browser_id(self, token: str) -> str:
        """Return the id stored for a browser, from which its cookie cannot be guessed."""
        return encode_bytes(self._mac("browser", token), 26)

    def browser_for_request(self, poll_id: str, request_key: str) -> str:
        """Return the token for a new browser that votes with this idempotency key."""
        return encode_bytes(self._mac("first vote", poll_id, request_key), 26)

    def vote_id(self, poll_id: str, kind: str, voter: str) -> str:
        """Return the id of the one vote of a browser, code or request in a poll, as a UUID."""
        mac = int.from_bytes(self._mac("vote", poll_id, kind, voter)[:16], "big")
        # RFC 9562 reserves UUID version 8 for custom formats.
        return str(UUID(int=mac & ~_UUID_KIND | 8 << 76 | 2 << 62))

    def _mac(self, *parts: str) -> bytes:
        # Length prefixes, so that two different lists of parts never give the same message.
        message = b"".join(b"%d:%b" % (len(part), part) for part in map(_to_bytes, parts))
        return hmac.digest(self.key, message, "sha256")


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")

"""Seats: roles in a game, as tokens that the server signs.

A token names the game and the role, and for players the player. It is not stored: the server
recognizes its own signature. Links of hosts and screens can be replaced, and the old ones are void
(`Game.links` counts). Hosts and administrators are recognized by a token in a cookie, too: there
are no accounts and no passwords.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from enum import StrEnum

from singletable_apps.games.errors import NotSeated
from singletable_apps.shared.sealed import derive_key

# Crockford's base 32 in lower case: no digit looks like another.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_MAC_DIGITS = 26
_SEPARATOR = "."


class Role(StrEnum):
    """What someone is in a game."""

    HOST = "host"
    COHOST = "cohost"
    SCREEN = "screen"
    PLAYER = "player"
    AUDIENCE = "audience"
    ADMIN = "admin"


# The generation of a seat that is not by a link: the host's own game, or the administrator.
NO_LINK = -1
# Roles that can drive a game.
DRIVERS = frozenset({Role.HOST, Role.COHOST, Role.ADMIN})


@dataclass(frozen=True, slots=True)
class Seat:
    """A role in a game; `player_id` is set for players, `generation` for links."""

    role: Role
    game_id: str
    player_id: str = ""
    generation: int = 0

    @property
    def can_drive(self) -> bool:
        """Return whether this role can start questions and close them."""
        return self.role in DRIVERS


@dataclass(frozen=True, slots=True)
class Actor:
    """Someone with a token: a seat in a game, a host with an id, or the administrator."""

    seat: Seat | None = None
    host_id: str = ""
    is_admin: bool = False


class Tokens:
    """Issues and reads tokens with keys that are derived from the server secret."""

    def __init__(self, secret: bytes) -> None:
        self._seats = derive_key(secret, "games seats")
        self._people = derive_key(secret, "games hosts")
        self._answers = derive_key(secret, "games answers")
        self.cursor_key = derive_key(secret, "games cursors")

    def seat_token(self, seat: Seat) -> str:
        """Return the token of a seat."""
        parts = [seat.role.value, seat.game_id, seat.player_id or str(seat.generation)]
        return _SEPARATOR.join([*parts, _mac(self._seats, *parts)])

    def read_seat(self, token: str) -> Seat:
        """Return the seat of a token, or raise NotSeated. Its generation is not checked here."""
        role, game_id, rest, mac = _split(token, 4)
        if role not in [*Role] or not hmac.compare_digest(
            mac, _mac(self._seats, role, game_id, rest)
        ):
            raise NotSeated("This link is not valid. Ask for a new one.")
        if role == Role.PLAYER:
            return Seat(Role.PLAYER, game_id, rest)
        return Seat(Role(role), game_id, generation=int(rest))

    def host_token(self, host_id: str) -> str:
        """Return the token with which a browser is recognized as a host."""
        return _SEPARATOR.join(["h", host_id, _mac(self._people, "h", host_id)])

    def read_host(self, token: str) -> str:
        """Return the id of a host, or raise NotSeated."""
        kind, host_id, mac = _split(token, 3)
        if kind != "h" or not hmac.compare_digest(mac, _mac(self._people, "h", host_id)):
            raise NotSeated("This host link is not valid.")
        return host_id

    def admin_token(self) -> str:
        """Return the token of the administrator."""
        return _mac(self._people, "admin")

    def is_admin(self, token: str) -> bool:
        """Return whether this is the token of the administrator."""
        return hmac.compare_digest(_ascii(token), self.admin_token())

    def read_actor(self, token: str) -> Actor:
        """Return the actor that a token of any kind names, or raise NotSeated."""
        if self.is_admin(token):
            return Actor(is_admin=True)
        if token.startswith(f"h{_SEPARATOR}"):
            return Actor(host_id=self.read_host(token))
        return Actor(seat=self.read_seat(token))

    def answer_id(self, game_id: str, question_id: str, player_id: str) -> str:
        """Return the id of an answer, which does not reveal its author."""
        return _mac(self._answers, game_id, question_id, player_id)[:10]


def new_id() -> str:
    """Return a random id of 80 bits."""
    return _encode(secrets.token_bytes(10), 16)


def new_game_id(milliseconds: int) -> str:
    """Return a random id of 128 bits that begins with the time, as a ULID does."""
    return _encode(milliseconds.to_bytes(6, "big"), 10) + new_id()


def new_join_code() -> str:
    """Return six random digits, the first of which is not 0."""
    return str(100_000 + secrets.randbelow(900_000))


def _split(token: str, count: int) -> list[str]:
    parts = _ascii(token).split(_SEPARATOR)
    if len(parts) != count or not all(parts) or len(token) > 200:
        raise NotSeated("This link is not complete. Copy it again.")
    return parts


def _ascii(text: str) -> str:
    return text if text.isascii() else "?"


def _mac(key: bytes, *parts: str) -> str:
    message = b"".join(b"%d:%b" % (len(part), part) for part in map(str.encode, parts))
    return _encode(hmac.digest(key, message, hashlib.sha256), _MAC_DIGITS)


def _encode(data: bytes, digits: int) -> str:
    """Return the lowest digits of the data as a number in base 32."""
    number = int.from_bytes(data, "big")
    text = ""
    for _ in range(digits):
        number, digit = divmod(number, 32)
        text = _DIGITS[digit] + text
    return text

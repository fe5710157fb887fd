"""An address to a driver: `memory:`, `file:votes.db`, `dynamodb:`, `dynamodb+http://host:port`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import AddressError

if TYPE_CHECKING:  # a driver's room is entered when an address asks for it
    from singletable.engine import AsyncEngine, Engine, Settings
    from singletable.remote import AsyncRemote, Remote

# Kinds of address that the design has and this release has not: refused by name, never guessed at.
_LATER = ("mysql", "postgresql")
_WAY_OUT = "There are 'memory:', 'file:PATH', 'dynamodb:' and 'dynamodb+http://HOST:PORT'."
_REMOTE = ("dynamodb", "dynamodb+http", "dynamodb+https")


def connect(address: str, settings: Settings | None = None) -> Engine | Remote:
    """The driver behind an address; close it when done, or use it in a `with` block."""
    if _is_remote(address, settings):
        from singletable.remote import Remote

        return Remote.at(address)
    return _engine(address, settings)


def connect_async(address: str, settings: Settings | None = None) -> AsyncEngine | AsyncRemote:
    """The same driver for an event loop; use it in an `async with` block."""
    if _is_remote(address, settings):
        from singletable.remote import AsyncRemote

        return AsyncRemote.at(address)
    from singletable.engine import AsyncEngine

    return AsyncEngine(_engine(address, settings))


def _is_remote(address: str, settings: Settings | None) -> bool:
    if not isinstance(address, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        # Most often what an environment that lacks the variable has given: None.
        raise AddressError(f"An address is a text, but got {address!r}. {_WAY_OUT}")
    kind, colon, _ = address.partition(":")
    if not colon or kind not in _REMOTE:
        return False
    if settings is not None:
        raise AddressError(
            f"Settings are for the engine in this process, 'memory:' or 'file:PATH', and '{kind}:' "
            "is elsewhere. Its options follow the address, such as ?timeout=10."
        )
    return True


def _engine(address: str, settings: Settings | None) -> Engine:
    from singletable.engine import Engine

    kind, colon, rest = address.partition(":")
    match kind:
        case "memory" if colon and not rest:
            return Engine.in_memory(settings)
        case "file" if rest:
            return Engine.on_file(file_path(rest), settings)
        case _:
            raise AddressError(_refusal(kind, colon, rest))


def file_path(rest: str) -> Path:
    """What follows `file:`: `votes.db`, `/srv/votes.db`, or as a URL has it `///srv/votes.db`."""
    if not rest.startswith("//"):
        return Path(rest)
    if rest.startswith("///"):
        return Path(rest[2:])
    raise AddressError(
        f"'file:{rest}' names a host, and a file is on this one. "
        f"Write file:{rest[2:]} for a path from here, file:/{rest[2:]} for one from the root."
    )


def _refusal(kind: str, colon: str, rest: str) -> str:
    # An address may hold a password, so only its kind is repeated.
    if not colon:
        meant = f" Is it '{_meant(kind)}'?" if kind else ""
        return f"'{kind}' is not an address: it has no kind. {_WAY_OUT}{meant}"
    if kind in ("http", "https"):
        return f"'{kind}:' does not say what listens there. {_WAY_OUT} Put 'dynamodb+' before it."
    if kind in _LATER:
        return f"'{kind}:' addresses are not in this release yet. {_WAY_OUT}"
    if kind == "memory":
        return f"A database in memory has no name, and '{rest}' follows 'memory:'. {_WAY_OUT}"
    if kind == "file":
        return "'file:' is followed by a path, and there is none. Write file:votes.db, for example."
    return f"'{kind}:' is no kind of address that singletable knows. {_WAY_OUT}"


def _meant(word: str) -> str:
    """The address that somebody meant who wrote one word: a kind without its colon, or a path."""
    return f"{word}:" if word in ("memory", "dynamodb") else f"file:{word}"

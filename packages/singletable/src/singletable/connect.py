"""Open the driver for an address: `memory:`, `file:votes.db`, `postgresql:` and others."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from singletable.errors import AddressError

if TYPE_CHECKING:  # drivers are imported when an address needs them
    from singletable.engine import AsyncEngine, Engine, Settings
    from singletable.remote import AsyncRemote, Remote

_SERVERS = ("postgresql", "mysql", "mariadb")
_EXPECTED = (
    "Expected 'memory:', 'file:PATH', 'postgresql://USER@HOST/DATABASE', "
    "'mysql://USER@HOST/DATABASE', 'dynamodb:' or 'dynamodb+http://HOST:PORT'."
)
_REMOTE = ("dynamodb", "dynamodb+http", "dynamodb+https")


def connect(address: str, settings: Settings | None = None) -> Engine | Remote:
    """Open the driver for an address. Close it when done, or use it in a `with` block."""
    if _is_remote(address, settings):
        from singletable.remote import Remote

        return Remote.at(address)
    return _open_engine(address, settings)


def connect_async(address: str, settings: Settings | None = None) -> AsyncEngine | AsyncRemote:
    """Open the async driver for an address. Use it in an `async with` block."""
    if _is_remote(address, settings):
        from singletable.remote import AsyncRemote

        return AsyncRemote.at(address)
    from singletable.engine import AsyncEngine

    return AsyncEngine(_open_engine(address, settings))


def _is_remote(address: str, settings: Settings | None) -> bool:
    if not isinstance(address, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        # Usually None, from an environment variable that is not set.
        raise AddressError(f"Expected an address as a string, but got {address!r}. {_EXPECTED}")
    kind, colon, _ = address.partition(":")
    if not colon or kind not in _REMOTE:
        return False
    if settings is not None:
        raise AddressError(
            f"Settings are for our own engine ('memory:', 'file:PATH', 'postgresql:' or 'mysql:'), "
            f"not for '{kind}:'. "
            "Use address options instead, such as ?timeout=10."
        )
    return True


def _open_engine(address: str, settings: Settings | None) -> Engine:
    from singletable.engine import Engine

    kind, colon, rest = address.partition(":")
    match kind:
        case "memory" if colon and not rest:
            return Engine.in_memory(settings)
        case "file" if rest:
            return Engine.on_file(file_path(rest), settings)
        case _ if kind in _SERVERS and rest.startswith("//"):
            from singletable.engine.server_engine import ServerEngine

            check_server_address(address)
            return ServerEngine.at(address, settings)
        case _:
            raise AddressError(_explain(kind, colon, rest))


def file_path(rest: str) -> Path:
    """Parse what follows `file:`: `votes.db`, `/srv/votes.db`, or the URL `///srv/votes.db`."""
    if not rest.startswith("//"):
        return Path(rest)
    if rest.startswith("///"):
        return Path(rest[2:])
    raise AddressError(
        f"'file:{rest}' has a host, but files are local. Use file:{rest[2:]} for a relative path "
        f"or file:/{rest[2:]} for an absolute one."
    )


def hide_password(address: str) -> str:
    """Return the address without its password, for messages. A message may contain addresses."""
    hidden = re.sub(r"[^\s']+", _hide_login, address)
    return re.sub(r"([?&]\w{0,20}password=)[^&\s']*", r"\1", hidden)


def _hide_login(word: re.Match[str]) -> str:
    """Return a word without what is between the user and the host of an address."""
    kind, slash, rest = word[0].partition(":/")
    login, at, host = rest.rpartition("@")
    user, colon, _ = login.partition(":")
    return f"{kind}{slash}{user}@{host}" if at and colon else word[0]


def check_server_address(address: str) -> None:
    """Raise AddressError, without the password, unless the address of a server can be read."""
    kind, _, rest = address.partition("://")
    hosts = re.split("[/?#]", rest, maxsplit=1)[0].rpartition("@")[2].split(",")
    is_readable = all(re.fullmatch(r"(\[[^\[\]]*\]|[^:\[\]]*)(:\d*)?", host) for host in hosts)
    if not is_readable or re.search("%(?![0-9A-Fa-f]{2})", address):
        raise AddressError(
            f"The address '{kind}://…' cannot be read. Expected '{kind}://USER:PASSWORD@HOST:PORT/"
            "DATABASE'. In the user name and the password, write % as %25, / as %2F, : as %3A and "
            "@ as %40."
        )


def local_file(argument: str) -> Path:
    """Return the path that a command got, as such or as `file:PATH`; raise for other addresses."""
    kind, colon, rest = argument.partition(":")
    if kind == "file" and colon:
        return file_path(rest)
    if colon and (rest.startswith("//") or kind in _REMOTE):
        raise AddressError(f"Expected the path of a file, such as votes.db, but got '{kind}:'.")
    return Path(argument)


def _explain(kind: str, colon: str, rest: str) -> str:
    # An address may contain a password, so only its kind is repeated.
    if not colon:
        hint = f" Did you mean '{_guess(kind)}'?" if kind else ""
        return f"'{kind}' is not an address. {_EXPECTED}{hint}"
    if kind in ("http", "https"):
        return f"'{kind}:' is not an address. Prefix it with 'dynamodb+'. {_EXPECTED}"
    if kind in _SERVERS:
        return f"'{kind}:' needs a server and a database. {_EXPECTED}"
    if kind == "memory":
        return f"An in-memory database has no name, but got '{rest}' after 'memory:'. {_EXPECTED}"
    if kind == "file":
        return "'file:' needs a path, such as file:votes.db."
    return f"Unknown kind of address: '{kind}:'. {_EXPECTED}"


def _guess(word: str) -> str:
    """Return the address that a text without a colon probably stands for."""
    return f"{word}:" if word in ("memory", "dynamodb") else f"file:{word}"

"""Open an engine by its address: `memory:`, `file:votes.db`, `postgresql:` or `mysql:`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from dynamodb_engine.errors import AddressError

if TYPE_CHECKING:  # an engine is imported when an address needs it
    from dynamodb_engine.engine import Engine, Settings

# The kinds of addresses of other drivers, such as those of the package `singletable`.
REMOTE = ("dynamodb", "dynamodb+http", "dynamodb+https")
_SERVERS = ("postgresql", "mysql", "mariadb")
EXPECTED = (
    "Expected 'memory:', 'file:PATH', 'postgresql://USER@HOST/DATABASE' or "
    "'mysql://USER@HOST/DATABASE'."
)


def open_engine(
    address: str, settings: Settings | None = None, *, expected: str = EXPECTED
) -> Engine:
    """Open the engine at an address; `expected` says in errors which addresses there are."""
    from dynamodb_engine.engine import Engine

    check_is_text(address, expected)
    kind, colon, rest = address.partition(":")
    match kind:
        case "memory" if colon and not rest:
            return Engine.in_memory(settings)
        case "file" if rest:
            return Engine.on_file(file_path(rest), settings)
        case _ if kind in _SERVERS and rest.startswith("//"):
            from dynamodb_engine.engine.server_engine import ServerEngine

            check_server_address(address)
            return ServerEngine.at(address, settings)
        case _:
            raise AddressError(_explain(kind, colon, rest, expected))


def check_is_text(address: object, expected: str) -> None:
    """Raise AddressError unless the address is a string."""
    if not isinstance(address, str):
        # Usually None, from an environment variable that is not set.
        raise AddressError(f"Expected an address as a string, but got {address!r}. {expected}")


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
    if colon and (rest.startswith("//") or kind in REMOTE):
        raise AddressError(f"Expected the path of a file, such as votes.db, but got '{kind}:'.")
    return Path(argument)


def _explain(kind: str, colon: str, rest: str, expected: str) -> str:
    # An address may contain a password, so only its kind is repeated.
    if not colon:
        hint = f" Did you mean '{_guess(kind)}'?" if kind else ""
        return f"'{kind}' is not an address. {expected}{hint}"
    if kind in ("http", "https"):
        return f"'{kind}:' is not an address. Prefix it with 'dynamodb+'. {expected}"
    if kind in _SERVERS:
        return f"'{kind}:' needs a server and a database. {expected}"
    if kind == "memory":
        return f"An in-memory database has no name, but got '{rest}' after 'memory:'. {expected}"
    if kind == "file":
        return "'file:' needs a path, such as file:votes.db."
    return f"Unknown kind of address: '{kind}:'. {expected}"


def _guess(word: str) -> str:
    """Return the address that a text without a colon probably stands for."""
    return f"{word}:" if word in ("memory", "dynamodb") else f"file:{word}"

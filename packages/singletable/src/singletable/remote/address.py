"""Parse remote addresses, such as `dynamodb:eu-west-1?profile=work`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from singletable.errors import AddressError

EXAMPLES = (
    "Examples: 'dynamodb:' (default region), 'dynamodb:eu-west-1', "
    "'dynamodb+http://localhost:8000' and 'dynamodb+https://HOST'; options follow a '?'"
)
_REGION = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """The parts of an address; None where the AWS configuration decides."""

    url: str | None = None
    region: str | None = None
    profile: str | None = None
    timeout: float = 30.0
    connect_timeout: float = 5.0
    connections: int = 50
    attempts: int | None = None


def parse_address(address: str) -> ConnectionOptions:
    """Parse an address, or raise AddressError with a message that repeats no secret."""
    kind, _, rest = address.partition(":")
    rest, _, query = rest.partition("?")
    options = _parse_options(query)
    if kind == "dynamodb":
        return ConnectionOptions(**_add_region(rest, options))
    return ConnectionOptions(url=_check_url(kind, rest), **options)


def _add_region(rest: str, options: dict[str, Any]) -> dict[str, Any]:
    if not rest:
        return options
    if "region" in options:
        raise AddressError(f"The address has two regions: {rest!r} and the option 'region'.")
    if not _REGION.fullmatch(rest):
        raise AddressError(
            f"Expected the name of a region, such as eu-west-1, after 'dynamodb:'. {EXAMPLES}."
        )
    return {**options, "region": rest}


def _check_url(kind: str, rest: str) -> str:
    scheme = kind.partition("+")[2]
    url = f"{scheme}:{rest}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressError(f"Invalid host in '{kind}:' address: {error}. {EXAMPLES}.") from None
    if "@" in parts.netloc:
        raise AddressError(
            "An address must not contain credentials. Remove the part before '@' and use the AWS "
            "configuration instead (AWS_ACCESS_KEY_ID, a profile, …)."
        )
    if not rest.startswith("//") or not host or port == 0 or not _is_host(host):
        raise AddressError(f"Invalid host in '{kind}:' address: expected '//HOST'. {EXAMPLES}.")
    if parts.path not in ("", "/") or parts.fragment:
        raise AddressError(f"A '{kind}:' address must not have a path. {EXAMPLES}.")
    return url


def _is_host(host: str) -> bool:
    return host.isascii() and host.isprintable() and not set(host) & set(' "<>\\^`{|}%/')


def _parse_options(query: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _OPTIONS:
            raise AddressError(
                f"Unknown address option {name!r}. Options are {', '.join(_OPTIONS)}."
            )
        if name in options:
            raise AddressError(f"The address option {name!r} occurs twice.")
        parse, expected = _OPTIONS[name]
        try:
            options[name] = parse(value)
        except ValueError:
            raise AddressError(
                f"Address option {name!r}: expected {expected}, but got {value!r}."
            ) from None
    return options


def _parse_profile(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


def _parse_region(text: str) -> str:
    if not _REGION.fullmatch(text):
        raise ValueError(text)
    return text


def _parse_seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 86_400:  # also rejects nan
        raise ValueError(text)
    return seconds


def _parse_count(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 10_000:
        raise ValueError(text)
    return count


_OPTIONS: Mapping[str, tuple[Callable[[str], object], str]] = MappingProxyType(
    {
        "region": (_parse_region, "the name of a region, such as eu-west-1"),
        "profile": (_parse_profile, "the name of a profile"),
        "timeout": (_parse_seconds, "a number of seconds above 0"),
        "connect_timeout": (_parse_seconds, "a number of seconds above 0"),
        "connections": (_parse_count, "an integer of at least 1"),
        "attempts": (_parse_count, "an integer of at least 1"),
    }
)

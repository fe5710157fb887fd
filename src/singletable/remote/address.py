"""An address that leads elsewhere, taken apart: `dynamodb:eu-west-1?profile=work`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from singletable.errors import AddressError

EXAMPLES = (
    "There are 'dynamodb:' (the usual region), 'dynamodb:eu-west-1', "
    "'dynamodb+http://localhost:8000' and 'dynamodb+https://HOST'; options follow a '?'"
)
_REGION = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What an address asks for; None where it leaves something to the surroundings."""

    url: str | None = None
    region: str | None = None
    profile: str | None = None
    timeout: float = 30.0
    connect_timeout: float = 5.0
    connections: int = 50
    attempts: int | None = None


def read_address(address: str) -> Asked:
    """The parts of an address; an AddressError says what is wrong, and repeats no secret."""
    kind, _, rest = address.partition(":")
    rest, _, query = rest.partition("?")
    options = _options(query)
    if kind == "dynamodb":
        return Asked(**_region(rest, options))
    return Asked(url=_url(kind, rest), **options)


def _region(rest: str, options: dict[str, Any]) -> dict[str, Any]:
    if not rest:
        return options
    if "region" in options:
        raise AddressError(f"The address says its region twice: {rest!r}, and after 'region='.")
    if not _REGION.fullmatch(rest):
        raise AddressError(
            f"'dynamodb:' is followed by the name of a region, such as eu-west-1, not by what "
            f"follows here. {EXAMPLES}."
        )
    return {**options, "region": rest}


def _url(kind: str, rest: str) -> str:
    scheme = kind.partition("+")[2]
    url = f"{scheme}:{rest}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise AddressError(f"A '{kind}:' address names a host: {error}. {EXAMPLES}.") from None
    if "@" in parts.netloc:
        raise AddressError(
            "An address holds no keys: they come from the usual places (AWS_ACCESS_KEY_ID, a "
            "profile, …). Take out what stands before the '@'."
        )
    if not rest.startswith("//") or not host or port == 0 or not _is_host(host):
        raise AddressError(f"A '{kind}:' address names a host after '//'. {EXAMPLES}.")
    if parts.path not in ("", "/") or parts.fragment:
        raise AddressError(
            f"A '{kind}:' address ends with its host and port, and here a path follows. {EXAMPLES}."
        )
    return url


def _is_host(host: str) -> bool:
    return host.isascii() and host.isprintable() and not set(host) & set(' "<>\\^`{|}%/')


def _options(query: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _OPTIONS:
            known = ", ".join(_OPTIONS)
            raise AddressError(f"{name!r} is no option of an address. There are {known}.")
        if name in options:
            raise AddressError(f"The option {name!r} is given twice.")
        read, what = _OPTIONS[name]
        try:
            options[name] = read(value)
        except ValueError:
            raise AddressError(f"The option {name!r} is {what}, not {value!r}.") from None
    return options


def _name(text: str) -> str:
    if not text:
        raise ValueError(text)
    return text


def _named_region(text: str) -> str:
    if not _REGION.fullmatch(text):
        raise ValueError(text)
    return text


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds <= 86_400:  # also refuses what is not a number
        raise ValueError(text)
    return seconds


def _amount(text: str) -> int:
    amount = int(text)
    if not 1 <= amount <= 10_000:
        raise ValueError(text)
    return amount


_OPTIONS: Mapping[str, tuple[Callable[[str], object], str]] = MappingProxyType(
    {
        "region": (_named_region, "the name of a region, such as eu-west-1"),
        "profile": (_name, "the name of a profile"),
        "timeout": (_seconds, "a number of seconds, more than 0"),
        "connect_timeout": (_seconds, "a number of seconds, more than 0"),
        "connections": (_amount, "a whole number, at least 1"),
        "attempts": (_amount, "a whole number, at least 1"),
    }
)

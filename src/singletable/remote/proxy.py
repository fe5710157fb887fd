"""A proxy between here and there, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY say."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from singletable.errors import AddressError
from singletable.remote.place import Place


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where it is, and the header that it knows us by."""

    host: str
    port: int
    header: str = ""

    def __str__(self) -> str:
        return f"the proxy {self.host}:{self.port}"


def proxy_to(place: Place) -> Proxy | None:
    """The proxy on the way to a place; there is none to this machine itself."""
    if place.is_here or proxy_bypass(place.authority):
        return None
    url = getproxies().get("https" if place.tls else "http")
    return None if not url else _proxy(url)


def connect_request(place: Place, proxy: Proxy) -> bytes:
    """The request for a tunnel through the proxy."""
    host = f"[{place.host}]" if ":" in place.host else place.host
    there = f"{host}:{place.port}"
    return f"CONNECT {there} HTTP/1.1\r\nhost: {there}\r\n{proxy.header}\r\n".encode()


def _proxy(url: str) -> Proxy:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        port = parts.port or 80
    except ValueError:
        port = 0
    if parts.scheme != "http" or not parts.hostname or not port:
        # It may hold a password, so it is not repeated.
        raise AddressError(
            "HTTPS_PROXY or HTTP_PROXY names a proxy that cannot be used: only http://HOST:PORT "
            "can. Set NO_PROXY to this host to go without."
        )
    header = ""
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        known = base64.b64encode(pair.encode()).decode()
        header = f"proxy-authorization: Basic {known}\r\n"
    return Proxy(parts.hostname, port, header)

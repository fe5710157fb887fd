"""What an app may set about its web, and where code that has a request finds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from urllib.parse import urlsplit

from starlette.types import Scope

from singletable_apps.shared.web.rate_limits import RateLimit

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """How a service meets the web; what is here by default is safe for an API that is open to all.

    `trusted_origins` are origins (`https://example.org`) whose pages may change something;
    `proxies` are networks (`10.0.0.0/8`) whose X-Forwarded-For is believed; `uploads` gives paths
    under which bodies of every type are taken, with their largest size; `page_policies` gives the
    Content-Security-Policy of paths that are pages; `limit` is for all requests of one address;
    `secure_cookies` is False for plain HTTP on your own machine.
    Of several prefixes that fit a path, the longest counts.
    """

    trusted_origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    body_limit: int = MEBIBYTE
    uploads: Mapping[str, int] = field(default_factory=dict[str, int])
    page_policies: Mapping[str, str] = field(default_factory=dict[str, str])
    limit: RateLimit | None = None
    secure_cookies: bool = True

    def __post_init__(self) -> None:
        """Refuse what would be found wrong with the first request only."""
        for proxy in self.proxies:
            ip_network(proxy)
        for origin in self.trusted_origins:
            parts = urlsplit(origin)
            if not parts.netloc or origin != f"{parts.scheme}://{parts.netloc}":
                raise ValueError(f"Expected an origin as https://example.org, but got {origin}.")


@dataclass(frozen=True, slots=True)
class Site:
    """An app's settings, and the prefix that its API is under."""

    prefix: str = ""
    settings: Settings = field(default_factory=Settings)


def site_of(scope: Scope) -> Site:
    """The site that serves the request; the plain one if `make_app` did not make it."""
    app = scope.get("app")
    site = getattr(app.state, "site", None) if app is not None else None
    return site if isinstance(site, Site) else Site()

"""Settings of an app, and how code with a request finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from urllib.parse import urlsplit

from starlette.types import Scope

from singletable_apps.shared.web.oidc import Provider

MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """Web settings. The defaults are safe for a public API.

    `trusted_origins` (`https://example.org`) may send unsafe requests. `proxies` are networks
    (`10.0.0.0/8`) whose X-Forwarded-For is trusted. `uploads` maps path prefixes that accept any
    media type to their maximum body size; the longest matching prefix wins. Set `secure_cookies` to
    False only for plain HTTP on your own machine. With a `public_url`, requests for other host
    names are rejected, except from proxies; with https, responses have an HSTS header. People can
    sign in with the identity `provider`.
    """

    trusted_origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    body_limit: int = MEBIBYTE
    uploads: Mapping[str, int] = field(default_factory=dict[str, int])
    secure_cookies: bool = True
    public_url: str = ""
    provider: Provider | None = None

    def __post_init__(self) -> None:
        """Validate at startup instead of with the first request."""
        for proxy in self.proxies:
            ip_network(proxy)
        for origin in self.trusted_origins:
            parts = urlsplit(origin)
            if not parts.netloc or origin != f"{parts.scheme}://{parts.netloc}":
                raise ValueError(
                    f"Expected an origin such as https://example.org, but got {origin}."
                )


@dataclass(frozen=True, slots=True)
class Site:
    """An app's settings and the prefix of its API."""

    prefix: str = ""
    settings: Settings = field(default_factory=Settings)


def site_of(scope: Scope) -> Site:
    """Return the site of a request, or the defaults if `make_app` did not make the app."""
    app = scope.get("app")
    site = getattr(app.state, "site", None) if app is not None else None
    return site if isinstance(site, Site) else Site()

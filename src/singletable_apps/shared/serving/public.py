"""The address that people use, and who is believed about where they come from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from singletable_apps.shared.serving.refusing import ListeningRefused
from singletable_apps.shared.web import Settings

_ORIGIN = re.compile(r"https?://[^\s/?#@{}\\]+")
_MEBIBYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Public:
    """`url` has no slash at its end; `proxies` are networks whose X-Forwarded-For is believed."""

    url: str
    proxies: tuple[str, ...] = ()

    @property
    def secure_cookies(self) -> bool:
        """Whether people come over TLS, so that cookies need no other way."""
        return self.url.startswith("https://")

    def settings(
        self,
        *,
        body_limit: int = _MEBIBYTE,
        uploads: Mapping[str, int] = MappingProxyType({}),
    ) -> Settings:
        """Settings of an app that people come to by this address; the rest is its own."""
        return Settings(
            trusted_origins=(self.url,),
            proxies=self.proxies,
            body_limit=body_limit,
            uploads=uploads,
        )


def public_of(named: str | None, proxies: tuple[str, ...], url: str) -> Public:
    """The address that was named, if one was, or else the one that is listened on."""
    public = Public((named or url).rstrip("/"), proxies)
    if not _ORIGIN.fullmatch(public.url):
        raise ListeningRefused(
            f"--public takes an address as https://vote.example.org, and '{named}' is none."
        )
    try:
        public.settings()
    except ValueError as problem:
        raise ListeningRefused(
            f"--proxy takes a network as 10.0.0.0/8 or 127.0.0.1, and {problem}."
        ) from problem
    return public

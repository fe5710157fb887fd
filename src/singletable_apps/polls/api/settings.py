"""What an operator may set about the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.shared.web import RateLimit, Settings


@dataclass(frozen=True)
class Limits:
    """How often one address may ask; None is as often as one likes.

    Many people share an address: a class that votes at once, an office. So votes have room; codes
    that are none have little, for whoever sends many is guessing.
    """

    make: RateLimit | None = field(default_factory=lambda: RateLimit("make", 60, 3600))
    vote: RateLimit | None = field(default_factory=lambda: RateLimit("vote", 600, 60))
    guess: RateLimit | None = field(default_factory=lambda: RateLimit("guess", 20, 60))

    @classmethod
    def off(cls) -> Limits:
        """No limits at all, for trials under load."""
        return cls(None, None, None)


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests; `secure_cookies` is False for plain HTTP on one's own machine.

    `public` is the address that people use, for links and QR codes.
    """

    web: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)
    secure_cookies: bool = True
    public: str = "http://127.0.0.1:8000"

"""What an operator may set about the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.shared.web import RateLimit, Settings

# Ten thousand names of voters are sent at once.
BODY_LIMIT = 4 << 20


@dataclass(frozen=True)
class Limits:
    """How often one may ask: those who have not signed in by address, others by who they are.

    None is as often as one likes. Guesses at passwords are slowed down in any case.
    """

    sign_in: RateLimit | None = field(default_factory=lambda: RateLimit("sign-in", 30, 60))
    register: RateLimit | None = field(default_factory=lambda: RateLimit("register", 20, 3600))
    reset: RateLimit | None = field(default_factory=lambda: RateLimit("reset", 10, 3600))
    cast: RateLimit | None = field(default_factory=lambda: RateLimit("cast", 60, 60))
    signed_in: RateLimit | None = field(default_factory=lambda: RateLimit("signed-in", 1200, 60))

    @classmethod
    def off(cls) -> Limits:
        """No limits at all, for trials under load."""
        return cls(None, None, None, None, None)


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests; `secure_cookies` is False for plain HTTP on one's own machine."""

    web: Settings = field(default_factory=lambda: Settings(body_limit=BODY_LIMIT))
    limits: Limits = field(default_factory=Limits)
    secure_cookies: bool = True

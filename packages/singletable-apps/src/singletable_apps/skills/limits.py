"""How often someone may sign in, search and import, on pages and in the API together."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.shared.web import RateLimit


@dataclass(frozen=True)
class Limits:
    """Rate limits per client network, and per account once signed in. None for no limit."""

    sign_in: RateLimit | None = field(default_factory=lambda: RateLimit("sign-in", 30, 60))
    register: RateLimit | None = field(default_factory=lambda: RateLimit("register", 30, 3600))
    signed_in: RateLimit | None = field(default_factory=lambda: RateLimit("signed-in", 1200, 60))

    @classmethod
    def off(cls) -> Limits:
        """Return no limits, for tests."""
        return cls(None, None, None)

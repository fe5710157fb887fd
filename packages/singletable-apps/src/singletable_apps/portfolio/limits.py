"""How often someone may like, comment, write and sign in, on pages and in the API together."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.shared.web import RateLimit


@dataclass(frozen=True)
class Limits:
    """Rate limits: per client network for visitors, per account for authors. None for no limit."""

    like: RateLimit | None = field(default_factory=lambda: RateLimit("like", 60, 60))
    comment: RateLimit | None = field(default_factory=lambda: RateLimit("comment", 5, 3600))
    contact: RateLimit | None = field(default_factory=lambda: RateLimit("contact", 5, 3600))
    view: RateLimit | None = field(default_factory=lambda: RateLimit("view", 120, 60))
    search: RateLimit | None = field(default_factory=lambda: RateLimit("search", 60, 60))
    sign_in: RateLimit | None = field(default_factory=lambda: RateLimit("sign-in", 30, 60))
    signed_in: RateLimit | None = field(default_factory=lambda: RateLimit("signed-in", 1200, 60))

    @classmethod
    def off(cls) -> Limits:
        """Return no limits, for tests."""
        return cls(None, None, None, None, None, None, None)

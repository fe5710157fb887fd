"""How often one visitor may like, comment, write and search, on pages and in the API together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from fastapi import Request

from singletable_apps.shared.web import RateLimit, client_address, client_network

_MINUTE, _HOUR = 60, 3600


@dataclass(frozen=True)
class Limits:
    """Limits per network of a client; None is no limit."""

    likes: RateLimit | None = field(
        default_factory=partial(RateLimit, "likes", quota=60, seconds=_MINUTE)
    )
    comments: RateLimit | None = field(
        default_factory=partial(RateLimit, "comments", quota=5, seconds=_HOUR)
    )
    messages: RateLimit | None = field(
        default_factory=partial(RateLimit, "messages", quota=5, seconds=_HOUR)
    )
    searches: RateLimit | None = field(
        default_factory=partial(RateLimit, "searches", quota=60, seconds=_MINUTE)
    )

    @staticmethod
    def off() -> Limits:
        """Return no limits, for tests that send many requests."""
        return Limits(None, None, None, None)


def hit_limit(request: Request, limit: RateLimit | None) -> None:
    """Count a request of this client, and raise a 429 problem if there are too many."""
    if limit is not None:
        limit.hit(client_network(client_address(request)))

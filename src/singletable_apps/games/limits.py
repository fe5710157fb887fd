"""How often one may guess codes, join, answer and create games, by pages and the API together."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.shared.web import RateLimit


@dataclass(frozen=True)
class Limits:
    """Rate limits per client network, and of answers and votes per player. None for no limit.

    A whole school may come from one address, so joining is limited generously, and some mistype the
    join code. Access codes of private games are limited strictly. After too many wrong codes, right
    ones are not recognized either: otherwise one could go on guessing. Over a socket, a player can
    answer as often (`RoomLimits.messages_per_second`).
    """

    join: RateLimit | None = field(default_factory=lambda: RateLimit("join", 3_000, 60))
    unknown_game: RateLimit | None = field(
        default_factory=lambda: RateLimit("unknown-game", 200, 60)
    )
    wrong_code: RateLimit | None = field(default_factory=lambda: RateLimit("wrong-code", 20, 60))
    create: RateLimit | None = field(default_factory=lambda: RateLimit("create", 60, 3600))
    upload: RateLimit | None = field(default_factory=lambda: RateLimit("upload", 60, 600))
    answer: RateLimit | None = field(default_factory=lambda: RateLimit("answer", 120, 10))

    def check_answer(self, player_id: str) -> None:
        """Count an answer or a vote of a player, and raise a 429 problem if there are too many."""
        if self.answer is not None:
            self.answer.hit(player_id)

    @classmethod
    def off(cls) -> Limits:
        """Return no limits, for tests."""
        return cls(None, None, None, None, None, None)

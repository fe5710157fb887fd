"""Rate limits for codes, joining, answers and new games, shared by the pages and the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from singletable_apps.shared.web import RateLimit


@dataclass(frozen=True)
class Limits:
    """Rate limits per client network, and for answers and votes per player; None is unlimited.

    A whole school may share one address, and people mistype join codes, so joining has a generous
    limit. Access codes of private games have a strict one. After too many wrong codes, right codes
    are rejected too, so that guessing is useless. Sockets have the same limit on answers
    (`RoomLimits.messages_per_second`).
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
        """Count a player's answer or vote, and raise a 429 problem if there are too many."""
        if self.answer is not None:
            self.answer.hit(player_id)

    @classmethod
    def off(cls) -> Limits:
        """Return no limits, for tests."""
        return cls(None, None, None, None, None, None)

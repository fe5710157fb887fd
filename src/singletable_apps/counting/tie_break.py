"""An order for breaking ties that nobody chose: by SHA-256 of a published seed and the name.

The seed must be fixed before anyone can know what it does, and shown with the result: for instance
the hash of all ballots' confirmations together with a secret that was committed to at the opening
and revealed at the close. Anyone can check the order: printf '%s%s' SEED NAME | sha256sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256


@dataclass(frozen=True, slots=True)
class TieBreak:
    """The order that ties are broken by: whoever is earlier in it stands higher."""

    seed: str
    order: tuple[str, ...]
    digests: tuple[str, ...]

    def first(self, tied: Iterable[str]) -> str:
        """Who of those that are tied stands highest."""
        return min(tied, key=self.order.index)

    def last(self, tied: Iterable[str]) -> str:
        """Who of those that are tied stands lowest."""
        return max(tied, key=self.order.index)


def tie_break(candidates: Iterable[str], seed: str) -> TieBreak:
    """The candidates sorted by the digest of the seed followed by the name."""
    digests = {name: sha256(f"{seed}{name}".encode()).hexdigest() for name in candidates}
    order = sorted(digests, key=lambda name: (digests[name], name))
    return TieBreak(seed, tuple(order), tuple(digests[name] for name in order))

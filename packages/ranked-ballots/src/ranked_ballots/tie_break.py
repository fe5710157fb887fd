"""Break ties by a random-looking order that anyone can verify: SHA-256 of a seed and the name.

The seed must be fixed before anyone can know its effect, and published with the result. For
example: the hash of all ballot receipts together with a secret that was committed to when voting
opened and revealed when it closed. To verify the order: printf '%s%s' SEED NAME | sha256sum.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

_MAX_SEED = 32  # letters of a seed that fit into a sentence


@dataclass(frozen=True, slots=True)
class TieBreak:
    """The order in which ties are broken: candidates earlier in `order` rank higher."""

    seed: str
    order: tuple[str, ...]
    digests: tuple[str, ...]

    @classmethod
    def from_seed(cls, candidates: Iterable[str], seed: str) -> TieBreak:
        """Sort the candidates by the digest of the seed followed by the name."""
        digests = {name: sha256(f"{seed}{name}".encode()).hexdigest() for name in candidates}
        order = sorted(digests, key=lambda name: (digests[name], name))
        return cls(seed, tuple(order), tuple(digests[name] for name in order))

    @property
    def short_seed(self) -> str:
        """Return the seed for a sentence: the start of a long one, such as a hash."""
        return self.seed if len(self.seed) <= _MAX_SEED else f"{self.seed[:8]}…"

    def sort(self, tied: Iterable[str]) -> list[str]:
        """Return the tied candidates, the highest first."""
        return sorted(tied, key=self.order.index)

    def first(self, tied: Iterable[str]) -> str:
        """Return the highest-ranked tied candidate."""
        return min(tied, key=self.order.index)

    def last(self, tied: Iterable[str]) -> str:
        """Return the lowest-ranked tied candidate."""
        return max(tied, key=self.order.index)

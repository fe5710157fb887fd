"""Raw ballots: each a row of all candidates by number, best first, every order equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CANDIDATES = 20
_SEED = 12345


def raw_rows(ballots: int) -> NDArray[np.int8]:
    """So many ballots; the first of them are the same whatever their number."""
    chance = np.random.default_rng(_SEED)
    return np.argsort(chance.random((ballots, CANDIDATES)), axis=1).astype(np.int8)


def names() -> list[str]:
    """The candidates' names."""
    return [f"c{number}" for number in range(CANDIDATES)]

"""What goes wrong, how often, and where: the description of faults, as a value."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from singletable.errors import FaultsError
from singletable.faults.surface import OPERATIONS

Kind: TypeAlias = Literal[
    "throttle",
    "unavailable",
    "internal",
    "in_progress",
    "conflict",
    "unprocessed",
    "internal_after",
    "stale",
]
# AWS's words for what is exceeded; "Table" or "Index" and "Read" or "Write" come before them.
Limit: TypeAlias = Literal[
    "ProvisionedThroughputExceeded",
    "KeyRangeThroughputExceeded",
    "MaxOnDemandThroughputExceeded",
    "AccountLimitExceeded",
]


class Next(Struct, frozen=True):
    """The next so many operations that the fault can strike, each of them, and then no more."""

    times: int


# A probability between 0 and 1, or a count.
Chance: TypeAlias = float | Next


class Faults(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What goes wrong, how often, and where. The default is nothing at all.

    `throttle`        refused for want of throughput; `limit` says which, else the table decides
    `unavailable`     DynamoDB is away: the operation did not happen
    `internal`        an internal error before the operation happened
    `internal_after`  an internal error after the write took effect
    `in_progress`     a transaction with a client token is said to be still at work
    `conflict`        another transaction has the item
    `unprocessed`     a part of a batch, never all of it, is handed back
    `stale`           a read that need not be consistent is answered from a past state, which lags
                      `behind` by so many changes to the table, or by so many seconds of `delay`

    `latency` is a wait of so many seconds before every operation, `jitter` the most that chance
    adds to it. Without `operations`, faults are for operations on items alone. The same seed and
    the same operations give the same faults.
    """

    throttle: Chance = 0.0
    unavailable: Chance = 0.0
    internal: Chance = 0.0
    internal_after: Chance = 0.0
    in_progress: Chance = 0.0
    conflict: Chance = 0.0
    unprocessed: Chance = 0.0
    stale: Chance = 0.0
    limit: Limit | None = None
    latency: float = 0.0
    jitter: float = 0.0
    behind: int = 0
    delay: float = 0.0
    seed: int = 0
    operations: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind, chance in self.chances.items():
            _check_chance(kind, chance)
        for name in ("latency", "jitter", "behind", "delay"):
            if getattr(self, name) < 0:
                raise FaultsError(f"{name} is {getattr(self, name)}, and cannot be less than 0.")
        for name in ("operations", "tables", "indexes", "keys"):
            if isinstance(getattr(self, name), str):
                raise FaultsError(
                    f"{name} is a tuple of names. Write {name}=({getattr(self, name)!r},)."
                )
        for name in self.operations:
            if name not in OPERATIONS:
                raise FaultsError(
                    f"No fault can strike the operation '{name}'. There are: "
                    f"{', '.join(OPERATIONS)}."
                )

    @property
    def chances(self) -> dict[Kind, Chance]:
        """The chance of each kind of fault, in the order in which they are tried."""
        return {
            "throttle": self.throttle,
            "unavailable": self.unavailable,
            "internal": self.internal,
            "in_progress": self.in_progress,
            "conflict": self.conflict,
            "unprocessed": self.unprocessed,
            "internal_after": self.internal_after,
            "stale": self.stale,
        }

    @property
    def quiet(self) -> bool:
        """Whether nothing can go wrong."""
        return not (self.latency or self.jitter or any(self.chances.values()))


def _check_chance(kind: Kind, chance: Chance) -> None:
    if isinstance(chance, Next):
        if chance.times < 1:
            raise FaultsError(f"{kind} is for the next {chance.times}: a count begins at 1.")
    elif not 0 <= chance <= 1:
        raise FaultsError(
            f"{kind} is {chance}, and a probability is between 0 and 1. "
            f"For the next {chance:g}, write Next({chance:g}), or {chance:g}x in text."
        )

"""Advice as values, the thresholds above which it is given, and its words for figures."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from singletable_design.planning.formats import format_bytes, format_dollars, format_number

Kind: TypeAlias = Literal[
    "hot-key-write",
    "hot-key-read",
    "contended-item",
    "large-collection",
    "unused-index",
    "unused-key",
    "sparse-index",
    "smaller-projection",
    "larger-projection",
    "moving-key",
    "filter-waste",
    "scan",
    "large-query",
    "consistent-read",
    "joined-reads",
    "large-item",
    "large-update",
    "transaction",
    "unique-value",
    "count",
    "missing-rate",
    "missing-size",
    "missing-count",
    "missing-values",
    "growing-count",
    "missing-ttl",
    "billing-mode",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

# high: requests fail or are throttled at the declared load. medium: it costs more than necessary,
# or is near a limit. low: a question, or a figure that the plan lacks.
Severity: TypeAlias = Literal["high", "medium", "low"]

# When advice is given. Each threshold has its reason, so that it can be discussed.
# ---------------------------------------------------------------------------------------------
# A key with more than this share of a partition's limit leaves no room for a busier day.
NEAR_LIMIT = 0.7
# Shards and caches are proposed so that a key needs this share of the limit: twice the load fits.
TARGET_SHARE = 0.5
# A change that saves less than this share of the bill is not worth a sentence …
WORTH_SHARE = 0.01
# … nor one that saves less than this, whatever the share: small apps are cheap.
WORTH_DOLLARS = 1.0
# A question that has a good reason in many designs is asked only if the answer matters this much.
QUESTION_SHARE = 0.05
QUESTION_DOLLARS = 10.0
# How long a transaction holds its items: two phases within a region, with a network round trip.
TRANSACTION_SECONDS = 0.02
# Share of transactions that meet another one in the same item: a few are retried and succeed.
CONFLICT_SHARE = 0.1
MANY_CONFLICTS_SHARE = 0.5
# Above this share, whole percents would read as all.
ALMOST_ALL = 0.99
# Items grow. At 80 percent of DynamoDB's 400 KB, the largest items probably reach the limit.
LARGE_ITEM_SHARE = 0.8
# Below 4 KB, an item of its own for the fields that change costs more than it saves.
LARGE_UPDATE_BYTES = 4_096
# An update is small if the fields that it changes have at most this share of the item.
SMALL_UPDATE_SHARE = 0.1
# An entry of less costs one or two write units: a smaller projection saves one of them at most.
WIDE_ENTRY_BYTES = 2_048
# A query ends its page at 1 MB; more is several requests, one after another.
PAGE_BYTES = 1_048_576
MANY_ITEMS = 1_000
PAGE_ITEMS = 100
# Reports and copies may read everything: a query or scan less often than hourly is not listed.
RARE_PER_SECOND = 1 / 3_600
# A filter that keeps half of what it reads is cheaper than an index.
FILTER_FACTOR = 3
# With a local index, DynamoDB limits the items of one partition key to 10 GB.
MAX_COLLECTION_BYTES = 10 * 1024**3
# New items of a month by far exceed the declared count if they at least double it.
GROWTH_FACTOR = 1.0


@dataclass(frozen=True, slots=True)
class Advice:
    """One piece of advice: a problem with figures, what to change, and what that saves.

    Savings are units per second on average over a day, stored bytes, and dollars a month at
    on-demand prices. A negative saving is what the change costs. `how` is the arithmetic.
    """

    kind: Kind
    severity: Severity
    subject: str
    problem: str
    change: str
    saves_read_units: float = 0.0
    saves_write_units: float = 0.0
    saves_bytes: float = 0.0
    saves_dollars: float = 0.0
    how: str = ""

    @property
    def saving(self) -> str:
        """The saved units and bytes in words, or an empty text if there are none."""
        dollars = self.saves_dollars
        if abs(dollars) < 0.005:
            return ""
        parts = [
            f"{text} {'less' if amount > 0 else 'more'}"
            for amount, text in (
                (self.saves_read_units, rate_text(abs(self.saves_read_units), "read")),
                (self.saves_write_units, rate_text(abs(self.saves_write_units), "write")),
                (self.saves_bytes, format_bytes(abs(self.saves_bytes))),
            )
            if abs(amount) >= 0.005
        ]
        price = f"{'Saves' if dollars > 0 else 'Costs'} {format_dollars(abs(dollars))} a month"
        return f"{price}: {', '.join(parts)}." if parts else f"{price}."


def rate_text(units: float, kind: str) -> str:
    """Return units per second in words: 12.5 write units a second."""
    return f"{format_number(units)} {kind} unit{'' if units == 1 else 's'} a second"


def calls_text(calls: float) -> str:
    """Return calls per second in words: 2.5 calls/s."""
    return f"{format_number(calls)} call{'' if calls == 1 else 's'}/s"


def verb(names: Sized, stem: str) -> str:
    """Return the verb for one subject or several: reads, read."""
    return f"{stem}s" if len(names) == 1 else stem


def list_text(names: list[str], most: int = 8) -> str:
    """Return names as a list in words, of which the first ones are shown."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)

"""Counting ranked ballots: the rankings, the methods, and results that explain themselves."""

from __future__ import annotations

from singletable_apps.shared.counting.ballots import Ballots
from singletable_apps.shared.counting.distinct import digest, distinct, groups
from singletable_apps.shared.counting.errors import (
    BallotsRefused,
    CountingError,
    RankingRefused,
    TieUnbroken,
)
from singletable_apps.shared.counting.gathering import ballots_of, ballots_of_groups
from singletable_apps.shared.counting.pairwise import Pairwise, pairwise
from singletable_apps.shared.counting.ranking import Ranking
from singletable_apps.shared.counting.result import Account, Place, Result, Rule
from singletable_apps.shared.counting.rows import ballots_of_orders, ballots_of_ranks
from singletable_apps.shared.counting.tie_break import TieBreak, tie_break

__all__ = [
    "Account",
    "Ballots",
    "BallotsRefused",
    "CountingError",
    "Pairwise",
    "Place",
    "Ranking",
    "RankingRefused",
    "Result",
    "Rule",
    "TieBreak",
    "TieUnbroken",
    "ballots_of",
    "ballots_of_groups",
    "ballots_of_orders",
    "ballots_of_ranks",
    "digest",
    "distinct",
    "groups",
    "pairwise",
    "tie_break",
]

"""Counting ranked ballots: the rankings, the methods, and results that explain themselves."""

from __future__ import annotations

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.borda import borda
from singletable_apps.counting.condorcet import condorcet_winner, smith_set
from singletable_apps.counting.copeland import copeland
from singletable_apps.counting.distinct import digest, distinct, groups
from singletable_apps.counting.errors import (
    BallotsRefused,
    CountingError,
    RankingRefused,
)
from singletable_apps.counting.gathering import ballots_of, ballots_of_groups
from singletable_apps.counting.margin import Margin
from singletable_apps.counting.methods import METHODS
from singletable_apps.counting.pairwise import Matrix, Pairwise, pairwise
from singletable_apps.counting.plurality import plurality
from singletable_apps.counting.ranked_pairs import ranked_pairs
from singletable_apps.counting.ranking import Ranking
from singletable_apps.counting.result import Account, Number, Place, Result, Rule
from singletable_apps.counting.results.ranked_pairs import Pair, RankedPairsResult
from singletable_apps.counting.results.runoff import Round, RunoffResult, Tie, Transfer
from singletable_apps.counting.results.schulze import Path, SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult, ScoreResult
from singletable_apps.counting.rows import ballots_of_orders, ballots_of_ranks
from singletable_apps.counting.running import RunningPairwise, RunningRankings
from singletable_apps.counting.runoff import instant_runoff
from singletable_apps.counting.schulze import schulze
from singletable_apps.counting.tie_break import TieBreak, tie_break

__all__ = [
    "METHODS",
    "Account",
    "Ballots",
    "BallotsRefused",
    "CopelandResult",
    "CountingError",
    "Margin",
    "Matrix",
    "Number",
    "Pair",
    "Pairwise",
    "Path",
    "Place",
    "RankedPairsResult",
    "Ranking",
    "RankingRefused",
    "Result",
    "Round",
    "Rule",
    "RunningPairwise",
    "RunningRankings",
    "RunoffResult",
    "SchulzeResult",
    "ScoreResult",
    "Tie",
    "TieBreak",
    "Transfer",
    "ballots_of",
    "ballots_of_groups",
    "ballots_of_orders",
    "ballots_of_ranks",
    "borda",
    "condorcet_winner",
    "copeland",
    "digest",
    "distinct",
    "groups",
    "instant_runoff",
    "pairwise",
    "plurality",
    "ranked_pairs",
    "schulze",
    "smith_set",
    "tie_break",
]

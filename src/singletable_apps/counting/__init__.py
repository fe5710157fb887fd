"""Count ranked ballots: rankings, counting methods, and results that explain themselves.

    ballots = Ballots.from_rankings(["Ada", "Ben"], [Ranking.from_levels(["Ada", "Ben"])])
    schulze(ballots).winner

`singletable_apps.counting.formats` reads and writes ballot files, `.pictures` draws results as SVG,
and `.report` prints them on a terminal.
"""

from __future__ import annotations

from singletable_apps.counting.ballots import Ballots
from singletable_apps.counting.borda import borda
from singletable_apps.counting.condorcet import find_condorcet_winner, find_smith_set
from singletable_apps.counting.copeland import copeland
from singletable_apps.counting.counters import PairwiseCounter, RankingCounter
from singletable_apps.counting.errors import BallotsError, CountingError, RankingError
from singletable_apps.counting.margin import Margin
from singletable_apps.counting.methods import METHODS
from singletable_apps.counting.pairwise import Matrix, Pairwise, count_pairs
from singletable_apps.counting.plurality import plurality
from singletable_apps.counting.ranked_pairs import ranked_pairs
from singletable_apps.counting.ranking import Ranking
from singletable_apps.counting.result import BallotAccount, Number, Place, Result, Rule
from singletable_apps.counting.results.ranked_pairs import RankedPair, RankedPairsResult
from singletable_apps.counting.results.runoff import Round, RunoffResult, Tie, Transfer
from singletable_apps.counting.results.schulze import BeatPath, SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult, ScoreResult
from singletable_apps.counting.runoff import instant_runoff
from singletable_apps.counting.schulze import schulze
from singletable_apps.counting.text import (
    format_number,
    format_ordinal,
    join_names,
    pluralize,
    replace_control_characters,
)
from singletable_apps.counting.tie_break import TieBreak

__all__ = [
    "METHODS",
    "BallotAccount",
    "Ballots",
    "BallotsError",
    "BeatPath",
    "CopelandResult",
    "CountingError",
    "Margin",
    "Matrix",
    "Number",
    "Pairwise",
    "PairwiseCounter",
    "Place",
    "RankedPair",
    "RankedPairsResult",
    "Ranking",
    "RankingCounter",
    "RankingError",
    "Result",
    "Round",
    "Rule",
    "RunoffResult",
    "SchulzeResult",
    "ScoreResult",
    "Tie",
    "TieBreak",
    "Transfer",
    "borda",
    "copeland",
    "count_pairs",
    "find_condorcet_winner",
    "find_smith_set",
    "format_number",
    "format_ordinal",
    "instant_runoff",
    "join_names",
    "plurality",
    "pluralize",
    "ranked_pairs",
    "replace_control_characters",
    "schulze",
]

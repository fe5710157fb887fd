"""Count ranked ballots: rankings, counting methods, and results that explain themselves.

    ballots = Ballots.from_rankings(["Ada", "Ben"], [Ranking.from_levels(["Ada", "Ben"])])
    schulze(ballots).winner

`singletable_apps.counting.formats` reads and writes ballot files, `.pictures` draws results as SVG,
and `.report` prints them on a terminal. Modules are imported when one of their names is first used:
`singletable --help` loads the command of this package and must not wait for NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from singletable_apps.counting.ballots import Ballots
    from singletable_apps.counting.counters import PairwiseCounter, RankingCounter
    from singletable_apps.counting.errors import BallotsError, CountingError, RankingError
    from singletable_apps.counting.methods.explanation import describe_margin
    from singletable_apps.counting.methods.ranked_pairs import (
        RankedPair,
        RankedPairsResult,
        ranked_pairs,
    )
    from singletable_apps.counting.methods.registry import METHODS, explain
    from singletable_apps.counting.methods.runoff import (
        Round,
        RunoffResult,
        Tie,
        Transfer,
        instant_runoff,
    )
    from singletable_apps.counting.methods.schulze import BeatPath, SchulzeResult, schulze
    from singletable_apps.counting.methods.scores import (
        CopelandResult,
        ScoreResult,
        borda,
        copeland,
        plurality,
    )
    from singletable_apps.counting.pairwise import (
        Matrix,
        Pairwise,
        count_pairs,
        find_condorcet_winner,
        find_smith_set,
    )
    from singletable_apps.counting.ranking import Ranking
    from singletable_apps.counting.result import (
        BallotAccount,
        Margin,
        Number,
        Place,
        Result,
        Rule,
    )
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
    "describe_margin",
    "explain",
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

# In the order of their weight: the first ones do not import NumPy.
_MODULES = (
    "errors",
    "text",
    "ranking",
    "tie_break",
    "result",
    "ballots",
    "pairwise",
    "counters",
    "methods.explanation",
    "methods.registry",
    "methods.schulze",
    "methods.ranked_pairs",
    "methods.runoff",
    "methods.scores",
)


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in _MODULES:
            names = vars(import_module(f"{__name__}.{module}"))
            if name in names:
                globals()[name] = names[name]
                return names[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

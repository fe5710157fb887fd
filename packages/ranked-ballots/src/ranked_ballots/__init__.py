"""Count ranked ballots: rankings, counting methods, and results that explain themselves.

    ballots = Ballots.from_rankings(["Ada", "Ben"], [Ranking.from_levels(["Ada", "Ben"])])
    schulze(ballots).winner

`ranked_ballots.formats` reads and writes ballot files, `.pictures` draws results as SVG,
and `.report` prints them on a terminal. Modules are imported when one of their names is first used:
`singletable --help` loads the command of this package and must not wait for NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ranked_ballots.ballots import Ballots
    from ranked_ballots.errors import BallotsError, CountingError, RankingError
    from ranked_ballots.methods.explanation import describe_margin
    from ranked_ballots.methods.ranked_pairs import (
        RankedPairsResult,
        ranked_pairs,
    )
    from ranked_ballots.methods.registry import METHODS, STV_METHODS, explain
    from ranked_ballots.methods.runoff import (
        Round,
        RunoffResult,
        Tie,
        instant_runoff,
    )
    from ranked_ballots.methods.schulze import BeatPath, SchulzeResult, schulze
    from ranked_ballots.methods.scores import (
        CopelandResult,
        ScoreResult,
        approval,
        borda,
        copeland,
        plurality,
    )
    from ranked_ballots.methods.stv import StvResult, StvRound, meek_stv, scottish_stv
    from ranked_ballots.pairwise import (
        Pairwise,
        count_pairs,
    )
    from ranked_ballots.ranking import Ranking
    from ranked_ballots.result import (
        BallotAccount,
        Margin,
        Number,
        Place,
        Result,
        Rule,
    )
    from ranked_ballots.text import (
        format_decimal,
        format_number,
        join_names,
        pluralize,
        replace_control_characters,
    )
    from ranked_ballots.tie_break import TieBreak
    from ranked_ballots.turnout import Quorum, QuorumCheck, set_apart

__all__ = [
    "METHODS",
    "STV_METHODS",
    "BallotAccount",
    "Ballots",
    "BallotsError",
    "BeatPath",
    "CopelandResult",
    "CountingError",
    "Margin",
    "Number",
    "Pairwise",
    "Place",
    "Quorum",
    "QuorumCheck",
    "RankedPairsResult",
    "Ranking",
    "RankingError",
    "Result",
    "Round",
    "Rule",
    "RunoffResult",
    "SchulzeResult",
    "ScoreResult",
    "StvResult",
    "StvRound",
    "Tie",
    "TieBreak",
    "approval",
    "borda",
    "copeland",
    "count_pairs",
    "describe_margin",
    "explain",
    "format_decimal",
    "format_number",
    "instant_runoff",
    "join_names",
    "meek_stv",
    "plurality",
    "pluralize",
    "ranked_pairs",
    "replace_control_characters",
    "schulze",
    "scottish_stv",
    "set_apart",
]

# In the order of their weight: the first ones do not import NumPy.
_MODULES = (
    "errors",
    "text",
    "ranking",
    "tie_break",
    "result",
    "ballots",
    "turnout",
    "pairwise",
    "methods.explanation",
    "methods.registry",
    "methods.schulze",
    "methods.ranked_pairs",
    "methods.runoff",
    "methods.scores",
    "methods.stv",
)


def __getattr__(name: str) -> object:
    if name in __all__:
        for module in _MODULES:
            names = vars(import_module(f"{__name__}.{module}"))
            if name in names:
                globals()[name] = names[name]
                return names[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

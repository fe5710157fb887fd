"""Pictures of results as SVG, each with a text that says the same.

Pictures use classes and no inline styles, so that a page can forbid inline styles: link STYLESHEET
as a file. `Picture.to_file` includes the stylesheet. `color_classes` gives the class of each
candidate's color, so that pages can use the same colors.
"""

from __future__ import annotations

from ranked_ballots.methods.ranked_pairs import RankedPairsResult
from ranked_ballots.methods.runoff import RunoffResult
from ranked_ballots.methods.schulze import SchulzeResult
from ranked_ballots.methods.scores import CopelandResult
from ranked_ballots.methods.stv import StvResult
from ranked_ballots.pictures.beat_paths import draw_beat_paths
from ranked_ballots.pictures.pairwise import draw_pairwise_matrix, render_pairwise_table
from ranked_ballots.pictures.picture import Picture
from ranked_ballots.pictures.rounds import draw_round_bars
from ranked_ballots.pictures.style import STYLESHEET, color_classes
from ranked_ballots.pictures.transfers import draw_transfers
from ranked_ballots.result import Result

__all__ = [
    "STYLESHEET",
    "Picture",
    "color_classes",
    "draw_beat_paths",
    "draw_pairwise_matrix",
    "draw_pictures",
    "draw_round_bars",
    "draw_transfers",
    "render_pairwise_table",
]


def draw_pictures(result: Result) -> dict[str, Picture]:
    """Draw all pictures of a result, by file name; results with scores alone have none."""
    match result:
        case SchulzeResult():
            return {"pairs": draw_pairwise_matrix(result), "paths": draw_beat_paths(result)}
        case RankedPairsResult() | CopelandResult():
            return {"pairs": draw_pairwise_matrix(result)}
        case RunoffResult() | StvResult():
            return {"rounds": draw_round_bars(result), "transfers": draw_transfers(result)}
        case _:
            return {}

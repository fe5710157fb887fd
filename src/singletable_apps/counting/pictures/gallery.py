"""Which pictures there are of a result."""

from __future__ import annotations

from singletable_apps.counting.pictures.beat_paths import draw_beat_paths
from singletable_apps.counting.pictures.pairwise_map import draw_pairwise_matrix
from singletable_apps.counting.pictures.picture import Picture
from singletable_apps.counting.pictures.rounds import draw_round_bars
from singletable_apps.counting.pictures.transfers import draw_transfers
from singletable_apps.counting.result import Result
from singletable_apps.counting.results.ranked_pairs import RankedPairsResult
from singletable_apps.counting.results.runoff import RunoffResult
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult


def draw_pictures(result: Result) -> dict[str, Picture]:
    """Every picture of a result, by a name that a file may have; of points alone there is none."""
    match result:
        case SchulzeResult():
            return {"pairs": draw_pairwise_matrix(result), "paths": draw_beat_paths(result)}
        case RankedPairsResult() | CopelandResult():
            return {"pairs": draw_pairwise_matrix(result)}
        case RunoffResult():
            return {"rounds": draw_round_bars(result), "transfers": draw_transfers(result)}
        case _:
            return {}

"""Which pictures there are of a result."""

from __future__ import annotations

from singletable_apps.counting.pictures.beat_paths import beat_paths
from singletable_apps.counting.pictures.pairwise_map import pairwise_map
from singletable_apps.counting.pictures.picture import Picture
from singletable_apps.counting.pictures.rounds import round_bars
from singletable_apps.counting.pictures.transfers import transfer_flow
from singletable_apps.counting.result import Result
from singletable_apps.counting.results.ranked_pairs import RankedPairsResult
from singletable_apps.counting.results.runoff import RunoffResult
from singletable_apps.counting.results.schulze import SchulzeResult
from singletable_apps.counting.results.scores import CopelandResult


def pictures_of(result: Result) -> dict[str, Picture]:
    """Every picture of a result, by a name that a file may have; of points alone there is none."""
    match result:
        case SchulzeResult():
            return {"pairs": pairwise_map(result), "paths": beat_paths(result)}
        case RankedPairsResult() | CopelandResult():
            return {"pairs": pairwise_map(result)}
        case RunoffResult():
            return {"rounds": round_bars(result), "transfers": transfer_flow(result)}
        case _:
            return {}

"""The rounds of an instant runoff as RCTab's JSON."""

from __future__ import annotations

import json
from datetime import date

from singletable_apps.counting.formats.rctab.decimals import written
from singletable_apps.counting.formats.rctab.tabulation import (
    TabulatedRound,
    Tabulation,
    tabulation_of,
)
from singletable_apps.counting.formats.table import RCTAB
from singletable_apps.counting.formats.writable import check_name
from singletable_apps.counting.results.runoff import RunoffResult


def write_rounds(
    result: RunoffResult, *, contest: str, day: date, places: int | None = None
) -> bytes:
    """The file that RCVis draws; `contest` and `day` are what it demands to know beside rounds."""
    for name in (contest, *result.candidates):
        check_name(RCTAB, name)
    tabulation = tabulation_of(result, contest, day.isoformat())
    final = tabulation.rounds[-1].threshold if tabulation.rounds else 0
    whole = {
        "config": {
            "contest": tabulation.contest,
            "date": tabulation.date,
            "generatedBy": "singletable",
            "jurisdiction": "",
            "office": "",
        },
        "jsonFormatVersion": "1",
        "results": [_round(each, places) for each in tabulation.rounds],
        "summary": _summary(tabulation, len(result.candidates), written(final or 0, places)),
    }
    return (json.dumps(whole, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()


def _round(each: TabulatedRound, places: int | None) -> dict[str, object]:
    return {
        "inactiveBallots": {word: written(votes, places) for word, votes in each.inactive.items()},
        "round": each.number,
        "tally": {name: written(votes, places) for name, votes in each.tally.items()},
        "tallyResults": [
            {
                "elected" if outcome.elected else "eliminated": outcome.candidate,
                "transfers": {
                    target: written(votes, places) for target, votes in outcome.transfers.items()
                },
            }
            for outcome in each.outcomes
        ],
        "threshold": written(each.threshold or 0, places),
    }


def _summary(tabulation: Tabulation, candidates: int, final: str) -> dict[str, object]:
    return {
        "finalThreshold": final,
        "numCandidates": candidates,
        "numWinners": 1,
        "totalNumBallots": written(tabulation.ballots or 0, None),
        "undervotes": tabulation.undervotes,
    }

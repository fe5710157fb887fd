"""The file that everybody may have after the close: as much as the level allows, and no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from singletable_apps.elections.proofs.closing import in_order
from singletable_apps.elections.proofs.receipt import Closing
from singletable_apps.elections.proofs.sealing import SealedBallot

FORMAT = "singletable election publication 1"


class PublishedBallot(TypedDict):
    """A ballot that anyone can check against its confirmation."""

    confirmation: str
    nonce: str
    ranking: list[list[str]]


class Published(TypedDict):
    """All confirmations, in the order of their text, and what else the level allows."""

    format: str
    closing: Closing
    confirmations: list[str]
    rankings: list[list[list[str]]] | None
    ballots: list[PublishedBallot] | None


def publish(closing: Closing, ballots: Iterable[SealedBallot]) -> Published:
    """What may be published of these ballots: nobody's name, no time, and no order of casting."""
    level = closing["statement"]["definition"]["level"]
    kept = sorted(ballots, key=lambda ballot: ballot.confirmation)
    return {
        "format": FORMAT,
        "closing": closing,
        "confirmations": [ballot.confirmation for ballot in kept],
        "rankings": in_order(each.ranking for each in kept) if level == "anonymous" else None,
        "ballots": [_published(each) for each in kept] if level == "confirmations" else None,
    }


def _published(ballot: SealedBallot) -> PublishedBallot:
    return {
        "confirmation": ballot.confirmation,
        "nonce": ballot.nonce.hex(),
        "ranking": [list(level) for level in ballot.ranking.levels],
    }

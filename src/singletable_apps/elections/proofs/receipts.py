"""The file that a voter takes home: the ballot with its nonce, and after the close the proof."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs.closing import (
    Definition,
    Statement,
    confirmation,
    definition_digest,
    in_order,
)
from singletable_apps.elections.proofs.errors import StatementRefused
from singletable_apps.elections.proofs.keys import SealedBallot
from singletable_apps.elections.proofs.merkle import Proof

FORMAT = "singletable election receipt 1"


class Closing(TypedDict):
    """A signed statement and the key to check it with."""

    statement: Statement
    signature: str
    public_key: str


class Inclusion(TypedDict):
    """A proof as JSON holds it."""

    index: int
    size: int
    path: list[str]


class Receipt(TypedDict):
    """A ballot as its voter keeps it; `closing` and `proof` are None until the close.

    Nothing is in it that it cannot prove, such as when the ballot was cast.
    """

    format: str
    name: str
    definition: Definition
    nonce: str
    ranking: list[list[str]]
    confirmation: str
    closing: Closing | None
    proof: Inclusion | None


def receipt(*, name: str, definition: Definition, nonce: bytes, ranking: Ranking) -> Receipt:
    """The receipt of a ballot at the moment it is cast under this definition."""
    ranking.check_candidates(definition["candidates"])
    digest = definition_digest(definition)
    return {
        "format": FORMAT,
        "name": name,
        "definition": definition,
        "nonce": nonce.hex(),
        "ranking": [list(level) for level in ranking.levels],
        "confirmation": confirmation(definition["election_id"], digest, nonce, ranking),
        "closing": None,
        "proof": None,
    }


def closed(receipt: Receipt, closing: Closing, proof: Proof) -> Receipt:
    """The same receipt with what was signed at the close, and by the name it was closed under."""
    if proof.size != closing["statement"]["ballots"]:
        raise StatementRefused(
            f"The proof is of {proof.size:,} ballots and the statement of "
            f"{closing['statement']['ballots']:,}. Prove with the tree of the statement."
        )
    return {
        **receipt,
        "name": closing["statement"]["name"],
        "closing": closing,
        "proof": {"index": proof.index, "size": proof.size, "path": list(proof.path)},
    }


PUBLISHED_FORMAT = "singletable election publication 1"


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
        "format": PUBLISHED_FORMAT,
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

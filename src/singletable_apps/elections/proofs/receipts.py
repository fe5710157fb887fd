"""The file that a voter takes home: the ballot with its nonce, and after the close the proof."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypedDict

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs.closing import (
    BallotDefinition,
    ClosingStatement,
    compute_confirmation,
    hash_definition,
    sort_rankings,
)
from singletable_apps.elections.proofs.errors import InvalidDocument
from singletable_apps.elections.proofs.keys import BallotContent
from singletable_apps.elections.proofs.merkle import InclusionProof

FORMAT = "singletable election receipt 1"


class Closing(TypedDict):
    """A signed statement and the key to check it with."""

    statement: ClosingStatement
    signature: str
    public_key: str


class InclusionProofJson(TypedDict):
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
    definition: BallotDefinition
    nonce: str
    ranking: list[list[str]]
    confirmation: str
    closing: Closing | None
    proof: InclusionProofJson | None


def create_receipt(
    *, name: str, definition: BallotDefinition, nonce: bytes, ranking: Ranking
) -> Receipt:
    """The receipt of a ballot at the moment it is cast under this definition."""
    ranking.check_candidates(definition["candidates"])
    digest = hash_definition(definition)
    return {
        "format": FORMAT,
        "name": name,
        "definition": definition,
        "nonce": nonce.hex(),
        "ranking": [list(level) for level in ranking.levels],
        "confirmation": compute_confirmation(definition["election_id"], digest, nonce, ranking),
        "closing": None,
        "proof": None,
    }


def add_proof(receipt: Receipt, closing: Closing, proof: InclusionProof) -> Receipt:
    """The same receipt with what was signed at the close, and by the name it was closed under."""
    if proof.size != closing["statement"]["ballots"]:
        raise InvalidDocument(
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


class PublishedElection(TypedDict):
    """All confirmations, in the order of their text, and what else the level allows."""

    format: str
    closing: Closing
    confirmations: list[str]
    rankings: list[list[list[str]]] | None
    ballots: list[PublishedBallot] | None


def create_publication(closing: Closing, ballots: Iterable[BallotContent]) -> PublishedElection:
    """What may be published of these ballots: nobody's name, no time, and no order of casting."""
    level = closing["statement"]["definition"]["level"]
    kept = sorted(ballots, key=lambda ballot: ballot.confirmation)
    return {
        "format": PUBLISHED_FORMAT,
        "closing": closing,
        "confirmations": [ballot.confirmation for ballot in kept],
        "rankings": sort_rankings(each.ranking for each in kept) if level == "anonymous" else None,
        "ballots": [_published(each) for each in kept] if level == "confirmations" else None,
    }


def _published(ballot: BallotContent) -> PublishedBallot:
    return {
        "confirmation": ballot.confirmation,
        "nonce": ballot.nonce.hex(),
        "ranking": [list(level) for level in ballot.ranking.levels],
    }


# Downloads are named without spaces or quotes, so that the command can be copied into any shell.
CHECKER_FILENAME = "checker.py"


def receipt_filename(election: str) -> str:
    """Return the name of the file in which voters download their receipt."""
    return _filename("receipt", election)


def publication_filename(election: str) -> str:
    """Return the name of the file in which anyone downloads what was published."""
    return _filename("published", election)


def checker_command(receipt: str, publication: str | None = None) -> str:
    """Return the command that checks these files; `--key FINGERPRINT` can follow."""
    listed = "" if publication is None else f" --list {publication}"
    return f"python3 {CHECKER_FILENAME} {receipt}{listed}"


def _filename(kind: str, election: str) -> str:
    words = re.findall(r"\w+", election.lower())
    return f"{'-'.join([kind, *words])[:80]}.json"

"""The documents of an election: ballot definition, closing statement, receipt and publication.

A *confirmation* is the tracking code of a ballot: a hash of the ranking, a random nonce and the
definition. Voters get a *receipt* with it. The *closing statement* is signed once, at the close,
and contains the Merkle root of all confirmations; receipts then get a proof that they are included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from ranked_ballots import Ranking
from singletable_apps.elections.proofs.checker import tie_seed, tracking_code
from singletable_apps.elections.proofs.encoding import canonical_json, digest
from singletable_apps.elections.proofs.errors import InvalidDocument
from singletable_apps.elections.proofs.merkle import InclusionProof

STATEMENT_FORMAT = "singletable election closing 1"
RECEIPT_FORMAT = "singletable election receipt 1"
DELETION_FORMAT = "singletable election deletion 1"
PUBLICATION_FORMAT = "singletable election publication 1"

NONCE_SIZE = 16
# With fewer ballots, the results of a secret election would show who voted how.
MIN_SECRET_BALLOTS = 3
SECRET_SIZE = 32

# What is published after the close: totals only; rankings without confirmations; or with them.
PublicationLevel: TypeAlias = Literal["totals", "anonymous", "confirmations"]


@dataclass(frozen=True, slots=True)
class BallotContent:
    """A ballot with its nonce and confirmation. Secret ballots are stored sealed.

    `weight` is how many times it counts; None if the election is not weighted.
    """

    nonce: bytes
    confirmation: str
    ranking: Ranking
    weight: int | None = None


# The definition, and the confirmation of a ballot under it.


class BallotDefinition(TypedDict):
    """What voters vote on. A confirmation is valid for one definition only.

    `weighted` is there only if ballots have weights; then receipts, published ballots and the
    closing statement have a `weight`, too. `rules` are agreed rules that differ from the usual
    ones: the Schulze method, one seat, no quorum, and only candidates to choose from.
    """

    election_id: int
    candidates: list[str]
    secret: bool
    level: PublicationLevel
    commitment: str
    weighted: NotRequired[bool]
    rules: NotRequired[dict[str, str]]


def create_definition(
    election_id: int,
    candidates: Sequence[str],
    secret: bool,
    *,
    level: PublicationLevel,
    commitment: str,
    is_weighted: bool = False,
    rules: Mapping[str, str] | None = None,
) -> BallotDefinition:
    """Return the definition of the ballots of an election, with the candidates in their order.

    It contains the level of publication, the commitment to the tie-break secret and the rules. So
    a confirmation also proves that all were fixed before the ballot was cast.
    """
    if len(set(candidates)) != len(candidates):
        twice = next(name for name in candidates if candidates.count(name) > 1)
        raise InvalidDocument(f"The candidate '{twice}' appears twice. Name each candidate once.")
    definition: BallotDefinition = {
        "election_id": election_id,
        "candidates": list(candidates),
        "secret": secret,
        "level": level,
        "commitment": commitment,
    }
    if is_weighted:
        definition["weighted"] = True
    if rules:
        definition["rules"] = dict(rules)
    return definition


def hash_definition(definition: BallotDefinition) -> str:
    """Return the digest of a definition, in hex."""
    return digest(definition, domain="definition")


def compute_confirmation(
    election_id: int,
    definition_digest: str,
    nonce: bytes,
    ranking: Ranking,
    weight: int | None = None,
) -> str:
    """Return the tracking code of a ballot. Without the nonce it says nothing about the ranking.

    The nonce is 16 random bytes, new for every ballot and every change of it.
    """
    if len(nonce) != NONCE_SIZE:
        raise InvalidDocument(f"Expected a nonce of {NONCE_SIZE} bytes, but got {len(nonce)}.")
    ballot: dict[str, object] = {"nonce": nonce.hex(), "ranking": ranking.levels}
    if weight is not None:
        ballot["weight"] = weight
    return tracking_code(ballot, election_id, definition_digest)


# Breaking ties. The service commits to a secret at launch and reveals it at the close. The seed
# needs the secret and the root of all ballots, so nobody knows it before the last ballot is cast.


def compute_commitment(secret: bytes) -> str:
    """Return the commitment to a secret of 32 random bytes, which is published at launch."""
    if len(secret) != SECRET_SIZE:
        raise InvalidDocument(f"Expected a secret of {SECRET_SIZE} bytes, but got {len(secret)}.")
    return digest(secret.hex(), domain="tie-break commitment")


def compute_tie_seed(root: str, secret: bytes) -> str:
    """Return the seed in hex. Ties are ordered by SHA-256 over the seed and the name."""
    return tie_seed(root, secret.hex())


# The closing statement.


class ClosingStatement(TypedDict):
    """The statement that is signed at the close, with the number and the root of all ballots."""

    format: str
    name: str
    definition: BallotDefinition
    earlier: list[str]
    ballots: int
    root: str
    rankings: str | None
    secret: str
    rules: dict[str, str]
    closed_at: str
    weight: NotRequired[int]
    eligible: NotRequired[int]
    earlier_names: NotRequired[list[str]]


class Closing(TypedDict):
    """A signed closing statement, and the public key to check it with."""

    statement: ClosingStatement
    signature: str
    public_key: str


class DeletionStatement(TypedDict):
    """The statement that is signed when a closed election is deleted; `closing` is a digest."""

    format: str
    election_id: int
    name: str
    deleted_by: str
    deleted_at: str
    closing: str


def create_deletion(closing: ClosingStatement, deleted_by: str, at: str) -> DeletionStatement:
    """Return what remains of a closed election that is deleted."""
    return {
        "format": DELETION_FORMAT,
        "election_id": closing["definition"]["election_id"],
        "name": closing["name"],
        "deleted_by": deleted_by,
        "deleted_at": at,
        "closing": digest(closing, domain="closing"),
    }


def create_statement(
    *,
    name: str,
    definition: BallotDefinition,
    ballots: int,
    root: str,
    secret: bytes,
    rules: Mapping[str, str],
    closed_at: str,
    earlier: Sequence[str] = (),
    rankings: str | None = None,
    weight: int | None = None,
    eligible: int | None = None,
    earlier_names: Sequence[str] = (),
) -> ClosingStatement:
    """Return the statement to sign.

    `earlier` has the digests of definitions that ballots were cast under before candidates were
    changed. `rankings` is `hash_rankings` of all ballots if the rankings are published. `weight` is
    the sum of the weights of all ballots, `eligible` the number of people who could vote; it is
    there if the definition has a quorum. `earlier_names` are those on receipts from before the
    election was renamed.
    """
    if compute_commitment(secret) != definition["commitment"]:
        raise InvalidDocument(
            "The tie-break secret is not the one that was committed to at launch. Use the secret "
            "that matches the commitment in the definition."
        )
    # With few voters and candidates, all sets of rankings could be tried against a digest.
    if (rankings is not None) != may_publish_rankings(definition, ballots):
        raise InvalidDocument(
            "The statement has a digest of the rankings if they are published (anonymous, "
            f"confirmations), and only then. The level is {definition['level']}."
        )
    statement: ClosingStatement = {
        "format": STATEMENT_FORMAT,
        "name": name,
        "definition": definition,
        "earlier": sorted(earlier),
        "ballots": ballots,
        "root": root,
        "rankings": rankings,
        "secret": secret.hex(),
        "rules": dict(rules),
        "closed_at": closed_at,
    }
    if weight is not None:
        statement["weight"] = weight
    if eligible is not None:
        statement["eligible"] = eligible
    if earlier_names:
        statement["earlier_names"] = sorted(earlier_names)
    return statement


def may_publish_rankings(definition: BallotDefinition, ballots: int) -> bool:
    """Return whether rankings are published: not if so few voted in secret that all would know."""
    too_few = definition["secret"] and 0 < ballots < MIN_SECRET_BALLOTS
    return definition["level"] != "totals" and not too_few


def hash_rankings(rankings: Iterable[Ranking]) -> str:
    """Return one digest for all rankings, in hex. Their order does not matter."""
    return digest(sort_rankings(rankings), domain="rankings")


def sort_rankings(rankings: Iterable[Ranking]) -> list[list[list[str]]]:
    """Return the rankings as lists, sorted by content, so that their order reveals nothing."""
    return sorted(map(_to_lists, rankings), key=canonical_json)


def _to_lists(ranking: Ranking) -> list[list[str]]:
    return [list(level) for level in ranking.levels]


# Receipts.


class Receipt(TypedDict):
    """A ballot for its voter to keep. `closing` and `proof` are None until the close.

    It contains only what can be proved, so for example no time of casting.
    """

    format: str
    name: str
    definition: BallotDefinition
    nonce: str
    ranking: list[list[str]]
    confirmation: str
    closing: Closing | None
    proof: InclusionProof | None
    weight: NotRequired[int]


def create_receipt(
    *,
    name: str,
    definition: BallotDefinition,
    nonce: bytes,
    ranking: Ranking,
    weight: int | None = None,
) -> Receipt:
    """Return the receipt of a ballot when it is cast."""
    ranking.check_candidates(definition["candidates"])
    digested, election_id = hash_definition(definition), definition["election_id"]
    receipt: Receipt = {
        "format": RECEIPT_FORMAT,
        "name": name,
        "definition": definition,
        "nonce": nonce.hex(),
        "ranking": _to_lists(ranking),
        "confirmation": compute_confirmation(election_id, digested, nonce, ranking, weight),
        "closing": None,
        "proof": None,
    }
    if weight is not None:
        receipt["weight"] = weight
    return receipt


def add_proof(receipt: Receipt, closing: Closing, proof: InclusionProof) -> Receipt:
    """Return the receipt with the signed statement and the proof, and the name at the close."""
    statement = closing["statement"]
    if proof["size"] != statement["ballots"]:
        raise InvalidDocument(
            f"The proof is for {proof['size']:,} ballots, but the statement has "
            f"{statement['ballots']:,}. Create the proof with the tree of the statement."
        )
    return {**receipt, "name": statement["name"], "closing": closing, "proof": proof}


# Publications.


class CheckableBallot(TypedDict):
    """A ballot that anyone can check against its confirmation."""

    confirmation: str
    nonce: str
    ranking: list[list[str]]
    weight: NotRequired[int]


class PublishedElection(TypedDict):
    """All confirmations, sorted, and as much about the ballots as the level allows."""

    format: str
    closing: Closing
    confirmations: list[str]
    rankings: list[list[list[str]]] | None
    ballots: list[CheckableBallot] | None


def create_publication(closing: Closing, ballots: Iterable[BallotContent]) -> PublishedElection:
    """Return what may be published: no names, no times, and no order of casting."""
    level = closing["statement"]["definition"]["level"]
    ballots = sorted(ballots, key=lambda ballot: ballot.confirmation)
    return {
        "format": PUBLICATION_FORMAT,
        "closing": closing,
        "confirmations": [ballot.confirmation for ballot in ballots],
        "rankings": sort_rankings(ballot.ranking for ballot in ballots)
        if level == "anonymous"
        else None,
        "ballots": [_publish_ballot(ballot) for ballot in ballots]
        if level == "confirmations"
        else None,
    }


def _publish_ballot(ballot: BallotContent) -> CheckableBallot:
    published: CheckableBallot = {
        "confirmation": ballot.confirmation,
        "nonce": ballot.nonce.hex(),
        "ranking": _to_lists(ballot.ranking),
    }
    if ballot.weight is not None:
        published["weight"] = ballot.weight
    return published


# Downloads. File names have no spaces or quotes, so that the command works in any shell.

CHECKER_FILENAME = "checker.py"


def receipt_filename(election: str) -> str:
    """Return the file name of a downloaded receipt."""
    return _filename("receipt", election)


def final_receipt_filename(election: str) -> str:
    """Return the file name of a receipt with the proof, beside the one from before the close."""
    return _filename("final-receipt", election)


def publication_filename(election: str) -> str:
    """Return the file name of a downloaded publication."""
    return _filename("published", election)


def checker_command(file: str, *, publication: str = "", key: str = "") -> str:
    """Return the command that checks a receipt or a publication.

    Without a `key`, a receipt must be from before the close.
    """
    options = [("--list", publication), ("--key", key)]
    given = "".join(f" {option} {value}" for option, value in options if value)
    return f"python3 {CHECKER_FILENAME} {file}{given}"


def _filename(kind: str, election: str) -> str:
    words = re.findall(r"\w+", election.lower())
    return f"{'-'.join([kind, *words])[:80]}.json"

"""What is said, once and signed, when an election closes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs.encoding import canonical_json, digest, encode_code
from singletable_apps.elections.proofs.errors import InvalidDocument

# A seed for breaking ties that nobody knows before the last ballot is in.
#
# The service commits to a secret at launch and reveals it at the close; the seed needs both the
# secret and the root of all ballots. `seed=` of the counting methods takes it as it is.

SECRET = 32


def compute_commitment(secret: bytes) -> str:
    """What is published at launch about a secret of 32 random bytes."""
    if len(secret) != SECRET:
        raise InvalidDocument(f"A secret is {SECRET} random bytes, and {len(secret)} came.")
    return digest(secret.hex(), domain="tie-break commitment")


def compute_tie_seed(root: str, secret: bytes) -> str:
    """The seed, in hex: the order of ties is that of SHA-256 over it followed by the name."""
    return digest({"root": root, "secret": secret.hex()}, domain="tie-break seed")


FORMAT = "singletable election closing 1"


class ClosingStatement(TypedDict):
    """The end of an election: what was asked, how many ballots there are, and which."""

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
) -> ClosingStatement:
    """The statement to sign.

    `earlier` has the digests of definitions that ballots were cast under before candidates
    changed; `rankings` is `rankings_digest` of all ballots, wherever rankings are published.
    """
    if compute_commitment(secret) != definition["commitment"]:
        raise InvalidDocument(
            "The secret of the tie-break is not the one that was committed to at launch. "
            "Reveal the secret whose commitment is in the definition."
        )
    # Few voters and candidates leave few sets of ballots: each could be tried against a digest.
    if (rankings is None) != (definition["level"] == "totals"):
        raise InvalidDocument(
            "The digest of the rankings is said where rankings are published (anonymous, "
            f"confirmations), and nowhere else; the level is {definition['level']}."
        )
    return {
        "format": FORMAT,
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


def hash_rankings(rankings: Iterable[Ranking]) -> str:
    """One digest, in hex, for all rankings as they were cast, in whatever order they come."""
    return digest(sort_rankings(rankings), domain="rankings")


def sort_rankings(rankings: Iterable[Ranking]) -> list[list[list[str]]]:
    """The rankings as lists, sorted by their canonical bytes: an order that tells nothing."""
    lists = [[list(level) for level in ranking.levels] for ranking in rankings]
    return sorted(lists, key=canonical_json)


NONCE = 16


# What is published at the end: sums; rankings without confirmations; rankings beside them.
PublicationLevel: TypeAlias = Literal["totals", "anonymous", "confirmations"]


class BallotDefinition(TypedDict):
    """What a voter was asked: a confirmation holds for this and nothing else."""

    election_id: int
    candidates: list[str]
    secret: bool
    level: PublicationLevel
    commitment: str


def create_definition(
    election_id: int,
    candidates: Sequence[str],
    secret: bool,
    *,
    level: PublicationLevel,
    commitment: str,
) -> BallotDefinition:
    """What a voter is asked, whatever order the candidates come in.

    The level of publication and the commitment to the tie-break's secret are in it, so that a
    confirmation also proves that both were settled before the ballot was cast.
    """
    if len(set(candidates)) != len(candidates):
        twice = next(name for name in candidates if candidates.count(name) > 1)
        raise InvalidDocument(f"'{twice}' is a candidate twice. Name each candidate once.")
    return {
        "election_id": election_id,
        "candidates": sorted(candidates),
        "secret": secret,
        "level": level,
        "commitment": commitment,
    }


def hash_definition(definition: BallotDefinition) -> str:
    """The digest, in hex, that a confirmation holds the definition by."""
    return digest(definition, domain="definition")


def compute_confirmation(
    election_id: int, definition_digest: str, nonce: bytes, ranking: Ranking
) -> str:
    """The code of one ballot: 52 letters. Without the nonce it tells nothing about the ranking.

    The nonce is 16 random bytes, new for every ballot and every change of it.
    """
    if len(nonce) != NONCE:
        raise InvalidDocument(f"A nonce is {NONCE} random bytes, and {len(nonce)} came.")
    ballot = {
        "election_id": election_id,
        "definition": definition_digest,
        "nonce": nonce.hex(),
        "ranking": ranking.levels,
    }
    return encode_code(digest(ballot, domain="confirmation"))

"""What a voter was asked, and the code that stands for one ballot without telling what is on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs.canonical import digest
from singletable_apps.elections.proofs.codes import code_of
from singletable_apps.elections.proofs.errors import StatementRefused

NONCE = 16

# What is published at the end: sums; rankings without confirmations; rankings beside them.
Level: TypeAlias = Literal["totals", "anonymous", "confirmations"]


class Definition(TypedDict):
    """What a voter was asked: a confirmation holds for this and nothing else."""

    election_id: int
    candidates: list[str]
    secret: bool
    level: Level
    commitment: str


def definition(
    election_id: int, candidates: Sequence[str], secret: bool, *, level: Level, commitment: str
) -> Definition:
    """What a voter is asked, whatever order the candidates come in.

    The level of publication and the commitment to the tie-break's secret are in it, so that a
    confirmation also proves that both were settled before the ballot was cast.
    """
    if len(set(candidates)) != len(candidates):
        twice = next(name for name in candidates if candidates.count(name) > 1)
        raise StatementRefused(f"'{twice}' is a candidate twice. Name each candidate once.")
    return {
        "election_id": election_id,
        "candidates": sorted(candidates),
        "secret": secret,
        "level": level,
        "commitment": commitment,
    }


def definition_digest(definition: Definition) -> str:
    """The digest, in hex, that a confirmation holds the definition by."""
    return digest(definition, domain="definition")


def confirmation(election_id: int, definition_digest: str, nonce: bytes, ranking: Ranking) -> str:
    """The code of one ballot: 52 letters. Without the nonce it tells nothing about the ranking.

    The nonce is 16 random bytes, new for every ballot and every change of it.
    """
    if len(nonce) != NONCE:
        raise StatementRefused(f"A nonce is {NONCE} random bytes, and {len(nonce)} came.")
    ballot = {
        "election_id": election_id,
        "definition": definition_digest,
        "nonce": nonce.hex(),
        "ranking": ranking.levels,
    }
    return code_of(digest(ballot, domain="confirmation"))

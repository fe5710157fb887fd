"""What is said, once and signed, when an election closes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs.canonical import canonical, digest
from singletable_apps.elections.proofs.confirmation import Definition
from singletable_apps.elections.proofs.errors import StatementRefused
from singletable_apps.elections.proofs.tie_break import commitment

FORMAT = "singletable election closing 1"


class Statement(TypedDict):
    """The end of an election: what was asked, how many ballots there are, and which."""

    format: str
    name: str
    definition: Definition
    earlier: list[str]
    ballots: int
    root: str
    rankings: str | None
    secret: str
    rules: dict[str, str]
    closed_at: str


def statement(
    *,
    name: str,
    definition: Definition,
    ballots: int,
    root: str,
    secret: bytes,
    rules: Mapping[str, str],
    closed_at: str,
    earlier: Sequence[str] = (),
    rankings: str | None = None,
) -> Statement:
    """The statement to sign.

    `earlier` has the digests of definitions that ballots were cast under before candidates
    changed; `rankings` is `rankings_digest` of all ballots, wherever rankings are published.
    """
    if commitment(secret) != definition["commitment"]:
        raise StatementRefused(
            "The secret of the tie-break is not the one that was committed to at launch. "
            "Reveal the secret whose commitment is in the definition."
        )
    # Few voters and candidates leave few sets of ballots: each could be tried against a digest.
    if (rankings is None) != (definition["level"] == "totals"):
        raise StatementRefused(
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


def rankings_digest(rankings: Iterable[Ranking]) -> str:
    """One digest, in hex, for all rankings as they were cast, in whatever order they come."""
    return digest(in_order(rankings), domain="rankings")


def in_order(rankings: Iterable[Ranking]) -> list[list[list[str]]]:
    """The rankings as lists, sorted by their canonical bytes: an order that tells nothing."""
    lists = [[list(level) for level in ranking.levels] for ranking in rankings]
    return sorted(lists, key=canonical)

"""The signed statement in sentences: what each line says, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from singletable_apps.counting import TieBreak, join_names, pluralize
from singletable_apps.elections.proofs import Statement, definition_digest, seed

_LEVELS = {
    "totals": "the sums alone; no ranking",
    "anonymous": "all rankings, without confirmations and in an order that tells nothing",
    "confirmations": "all rankings, each beside its confirmation",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the statement: its word there, what it says, and what that means."""

    word: str
    said: str
    means: str
    is_code: bool = False


def lines_of(said: Statement) -> list[Line]:
    """Every line, in an order in which one builds on the other."""
    asked = said["definition"]
    order = TieBreak.from_seed(
        asked["candidates"], seed(said["root"], bytes.fromhex(said["secret"]))
    ).order
    return [
        Line("format", said["format"], "How to read the rest."),
        Line("name", said["name"], "The name of the election when it closed."),
        Line(
            "definition",
            definition_digest(asked),
            f"What voters were asked: number {asked['election_id']}, the candidates "
            f"{join_names(asked['candidates'])}, {'secret' if asked['secret'] else 'open'} "
            "ballots, "
            f"and that this would be published: {_LEVELS[asked['level']]}. Every confirmation "
            "holds it.",
            True,
        ),
        *_earlier(said),
        Line("ballots", f"{said['ballots']:,}", "So many were counted: no more, and no fewer."),
        Line(
            "root",
            said["root"],
            "One digest over all confirmations. Take one away, add one, or change one, and it is "
            "another.",
            True,
        ),
        _rankings(said),
        Line(
            "commitment",
            asked["commitment"],
            "The promise, given at launch, of the secret that ties are broken with.",
            True,
        ),
        Line(
            "secret",
            said["secret"],
            "That secret. With the root it gives the seed, and ties go in the order "
            f"{join_names(order)}.",
            True,
        ),
        Line(
            "rules",
            "; ".join(f"{about}: {choice}" for about, choice in said["rules"].items()),
            "How it was counted, and how anybody can count it again.",
        ),
        Line("closed_at", said["closed_at"], "When it closed."),
    ]


def _earlier(said: Statement) -> list[Line]:
    if not said["earlier"]:
        return []
    digests = pluralize(len(said["earlier"]), "definition")
    return [
        Line(
            "earlier",
            ", ".join(said["earlier"]),
            f"{digests} before: candidates changed while ballots were there already.",
            True,
        )
    ]


def _rankings(said: Statement) -> Line:
    if said["rankings"] is None:
        return Line(
            "rankings",
            "none",
            "Rankings are not published; a digest of few of them could be found out by trying.",
        )
    return Line(
        "rankings", said["rankings"], "One digest over all rankings as they were cast.", True
    )

"""A small closed election, and all ways to change one thing in a document."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ranked_ballots import Ranking
from singletable_apps.elections.proofs.documents import (
    BallotContent,
    BallotDefinition,
    Closing,
    PublicationLevel,
    PublishedElection,
    Receipt,
    add_proof,
    compute_commitment,
    compute_confirmation,
    create_definition,
    create_publication,
    create_receipt,
    create_statement,
    hash_definition,
    hash_rankings,
)
from singletable_apps.elections.proofs.keys import Signer
from singletable_apps.elections.proofs.merkle import MerkleTree

NAME = "Chair of the Gardeners' Club"
CANDIDATES = ["Zoë", "Ada", "Ben > Cy"]
SECRET = bytes(range(32))
SIGNER = Signer(bytes(range(32, 64)))
RANKINGS = [
    Ranking.from_levels(["Ada", ["Zoë", "Ben > Cy"]]),
    Ranking.from_levels(["Zoë"]),
    Ranking(),
    Ranking.from_levels(["Ben > Cy", "Zoë", "Ada"]),
    Ranking.from_levels(["Zoë"]),
]


@dataclass(frozen=True)
class Sample:
    """The documents of the election after the close."""

    definition: BallotDefinition
    ballots: list[BallotContent]
    closing: Closing
    open_receipt: Receipt
    receipt: Receipt
    published: PublishedElection


def make_definition(level: PublicationLevel) -> BallotDefinition:
    return create_definition(
        7, CANDIDATES, True, level=level, commitment=compute_commitment(SECRET)
    )


def cast_ballot(definition: BallotDefinition, number: int, ranking: Ranking) -> BallotContent:
    nonce = bytes([number]) * 16
    code = compute_confirmation(
        definition["election_id"], hash_definition(definition), nonce, ranking
    )
    return BallotContent(nonce, code, ranking)


def close_election(
    definition: BallotDefinition,
    ballots: list[BallotContent],
    earlier: tuple[str, ...] = (),
    earlier_names: tuple[str, ...] = (),
) -> Closing:
    statement = create_statement(
        name=NAME,
        definition=definition,
        ballots=len(ballots),
        root=MerkleTree(ballot.confirmation for ballot in ballots).root,
        secret=SECRET,
        rules={"method": "Schulze", "strength": "winning"},
        closed_at="2026-11-15T12:00:00Z",
        earlier=earlier,
        earlier_names=earlier_names,
        rankings=None
        if definition["level"] == "totals"
        else hash_rankings(ballot.ranking for ballot in ballots),
    )
    return {
        "statement": statement,
        "signature": SIGNER.sign(statement),
        "public_key": SIGNER.public_key,
    }


def make_sample(level: PublicationLevel = "totals") -> Sample:
    definition = make_definition(level)
    ballots = [cast_ballot(definition, number, ranking) for number, ranking in enumerate(RANKINGS)]
    closing = close_election(definition, ballots)
    mine = ballots[0]
    kept = create_receipt(name=NAME, definition=definition, nonce=mine.nonce, ranking=mine.ranking)
    proof = MerkleTree(ballot.confirmation for ballot in ballots).prove(mine.confirmation)
    return Sample(
        definition,
        ballots,
        closing,
        kept,
        add_proof(kept, closing, proof),
        create_publication(closing, ballots),
    )


# An unknown candidate, unsorted names, an empty level, and a candidate twice.
INVALID_RANKINGS: list[list[list[str]]] = [
    [["Eve"]],
    [["Zoë", "Ada"]],
    [["Ada"], []],
    [["Ada"], ["Ada"]],
    [["Ada", "Ada"]],
]


def forge_receipt(ranking: list[list[str]]) -> Receipt:
    """Return a receipt with an invalid ranking and the code that it hashes to."""
    kept = make_sample().open_receipt
    unchecked = Ranking()
    object.__setattr__(unchecked, "levels", ranking)
    nonce = bytes.fromhex(kept["nonce"])
    code = compute_confirmation(7, hash_definition(kept["definition"]), nonce, unchecked)
    return {**kept, "ranking": ranking, "confirmation": code}


def make_earlier_receipt(*, listed: bool) -> Receipt:
    """Return a receipt from before a candidate was added.

    `listed` is whether the closing statement lists that earlier definition.
    """
    before = make_definition("totals")
    names, promised = [*CANDIDATES, "Di"], before["commitment"]
    after = create_definition(7, names, True, level="totals", commitment=promised)
    mine, other = (
        cast_ballot(before, 1, Ranking.from_levels(["Ada"])),
        cast_ballot(after, 2, Ranking()),
    )
    kept = create_receipt(name=NAME, definition=before, nonce=mine.nonce, ranking=mine.ranking)
    closing = close_election(after, [mine, other], (hash_definition(before),) if listed else ())
    proof = MerkleTree([mine.confirmation, other.confirmation]).prove(mine.confirmation)
    return add_proof(kept, closing, proof)


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield copies of a JSON value with one thing changed, each with the place of the change."""
    for path, changed in _changes(value, []):
        whole = copy.deepcopy(value)
        holder = whole
        for step in path[:-1]:
            holder = holder[step]
        if path:
            holder[path[-1]] = changed
        yield f"{'.'.join(map(str, path))} = {changed!r}", whole if path else changed


def _changes(value: Any, path: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    yield from ((path, changed) for changed in _other_values(value))
    for step in _steps(value):
        yield from _changes(value[step], [*path, step])


def _type(value: object) -> type[object]:
    return type(value)


def _steps(value: Any) -> list[Any]:
    kind = _type(value)
    return list(value) if kind is dict else list(range(len(value))) if kind is list else []


def _other_values(value: Any) -> list[Any]:
    kind = _type(value)
    if kind is bool:
        return [not value, int(value)]
    if kind is int:
        return [value + 1, value - 1, -value - 1, str(value), bool(value), float(value)]
    if kind is str:
        spelled = [value.upper(), f" {value}", f"{value}\n", value[:-1], value[1:] + value[:1]]
        return [other for other in [*spelled, "", None, 7] if other != value]
    if kind is list:
        other_lists: list[Any] = [
            [*value, *(value[:1] or ["x"])],
            value[:-1],
            value[::-1],
            {},
            None,
        ]
        return [other for other in other_lists if other != value]
    if kind is dict:
        fewer = [{key: value[key] for key in value if key != name} for name in value]
        return [*fewer, {**value, "note": "x"}, [], None]
    return ["x", 0, [], {}]

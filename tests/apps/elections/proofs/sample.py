"""A small election that was closed, and every way to change one thing in a file about it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from singletable_apps.counting import Ranking
from singletable_apps.elections.proofs import (
    BallotContent,
    BallotDefinition,
    Closing,
    MerkleTree,
    PublicationLevel,
    PublishedElection,
    Receipt,
    Signer,
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
    """What the service has after the close."""

    asked: BallotDefinition
    ballots: list[BallotContent]
    closing: Closing
    open_receipt: Receipt
    receipt: Receipt
    published: PublishedElection


def asked_at(level: PublicationLevel) -> BallotDefinition:
    return create_definition(
        7, CANDIDATES, True, level=level, commitment=compute_commitment(SECRET)
    )


def cast(asked: BallotDefinition, number: int, ranking: Ranking) -> BallotContent:
    nonce = bytes([number]) * 16
    code = compute_confirmation(asked["election_id"], hash_definition(asked), nonce, ranking)
    return BallotContent(nonce, code, ranking)


def close(
    asked: BallotDefinition, ballots: list[BallotContent], earlier: tuple[str, ...] = ()
) -> Closing:
    said = create_statement(
        name=NAME,
        definition=asked,
        ballots=len(ballots),
        root=MerkleTree(ballot.confirmation for ballot in ballots).root,
        secret=SECRET,
        rules={"method": "Schulze", "strength": "winning"},
        closed_at="2026-11-15T12:00:00Z",
        earlier=earlier,
        rankings=None
        if asked["level"] == "totals"
        else hash_rankings(ballot.ranking for ballot in ballots),
    )
    return {
        "statement": said,
        "signature": SIGNER.sign(said),
        "public_key": SIGNER.public_key,
    }


def sample(level: PublicationLevel = "totals") -> Sample:
    asked = asked_at(level)
    ballots = [cast(asked, number, ranking) for number, ranking in enumerate(RANKINGS)]
    closing = close(asked, ballots)
    mine = ballots[0]
    kept = create_receipt(name=NAME, definition=asked, nonce=mine.nonce, ranking=mine.ranking)
    proof = MerkleTree(ballot.confirmation for ballot in ballots).prove(mine.confirmation)
    return Sample(
        asked,
        ballots,
        closing,
        kept,
        add_proof(kept, closing, proof),
        create_publication(closing, ballots),
    )


# A candidate that is none, names out of order, an empty level, and somebody twice.
UNCASTABLE: list[list[list[str]]] = [
    [["Eve"]],
    [["Zoë", "Ada"]],
    [["Ada"], []],
    [["Ada"], ["Ada"]],
    [["Ada", "Ada"]],
]


def forged(ranking: list[list[str]]) -> Receipt:
    """A receipt of what nobody can cast, with the confirmation that it hashes to."""
    kept = sample().open_receipt
    unchecked = Ranking()
    object.__setattr__(unchecked, "levels", ranking)
    nonce = bytes.fromhex(kept["nonce"])
    code = compute_confirmation(7, hash_definition(kept["definition"]), nonce, unchecked)
    return {**kept, "ranking": ranking, "confirmation": code}


def cast_earlier(*, told: bool) -> Receipt:
    """A receipt of a ballot from before a candidate was added, and whether the close tells so."""
    before = asked_at("totals")
    names, promised = [*CANDIDATES, "Di"], before["commitment"]
    after = create_definition(7, names, True, level="totals", commitment=promised)
    mine, other = cast(before, 1, Ranking.from_levels(["Ada"])), cast(after, 2, Ranking())
    kept = create_receipt(name=NAME, definition=before, nonce=mine.nonce, ranking=mine.ranking)
    closing = close(after, [mine, other], (hash_definition(before),) if told else ())
    proof = MerkleTree([mine.confirmation, other.confirmation]).prove(mine.confirmation)
    return add_proof(kept, closing, proof)


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """Copies of a JSON value with one thing changed, each with the place that was changed."""
    for way, changed in _every(value, []):
        whole = copy.deepcopy(value)
        holder = whole
        for step in way[:-1]:
            holder = holder[step]
        if way:
            holder[way[-1]] = changed
        yield f"{'.'.join(map(str, way))} = {changed!r}", whole if way else changed


def _every(value: Any, way: list[Any]) -> Iterator[tuple[list[Any], Any]]:
    yield from ((way, changed) for changed in _others(value))
    for step in _steps(value):
        yield from _every(value[step], [*way, step])


def _kind(value: object) -> type[object]:
    return type(value)


def _steps(value: Any) -> list[Any]:
    kind = _kind(value)
    return list(value) if kind is dict else list(range(len(value))) if kind is list else []


def _others(value: Any) -> list[Any]:
    kind = _kind(value)
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

"""What a receipt proves, in sentences, and the same for what was published."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

import msgspec

from singletable_apps.counting import CountingError, Ranking, TieBreak
from singletable_apps.elections.proofs.closing import (
    FORMAT,
    ClosingStatement,
    compute_commitment,
    compute_confirmation,
    compute_tie_seed,
    hash_definition,
    hash_rankings,
)
from singletable_apps.elections.proofs.encoding import canonical_json, format_code, parse_code
from singletable_apps.elections.proofs.errors import (
    InvalidCode,
    InvalidDocument,
    NotCanonical,
    ProofsError,
)
from singletable_apps.elections.proofs.keys import fingerprint, is_signed
from singletable_apps.elections.proofs.merkle import InclusionProof, is_included, merkle_root
from singletable_apps.elections.proofs.receipts import FORMAT as RECEIPT
from singletable_apps.elections.proofs.receipts import PUBLISHED_FORMAT as PUBLICATION
from singletable_apps.elections.proofs.receipts import (
    Closing,
    InclusionProofJson,
    PublishedElection,
    Receipt,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked: whether it holds, and what it means."""

    ok: bool
    text: str


def check_closing(closing: Closing, key: str | None) -> list[Finding]:
    """Whether it is signed, by the key with this fingerprint if one is given, and fair to ties."""
    return [_signed(closing), *_by(closing, key), _tie_break(closing["statement"])]


def definitions(said: ClosingStatement) -> list[str]:
    """The digests of all definitions that ballots were cast under, the last one first."""
    return [hash_definition(said["definition"]), *said["earlier"]]


def recount(said: ClosingStatement) -> Finding:
    """How to count again what was published."""
    rules = ", ".join(f"{name}: {choice}" for name, choice in sorted(said["rules"].items()))
    if said["definition"]["level"] == "totals":
        return Finding(True, f"The rankings are not published. They were counted by {rules}.")
    order = TieBreak.from_seed(said["definition"]["candidates"], _seed(said)).order
    return Finding(
        True, f"To recount, count the rankings by {rules}; ties in the order {', '.join(order)}."
    )


def _signed(closing: Closing) -> Finding:
    said = closing["statement"]
    whose = format_code(fingerprint(closing["public_key"]))
    if said["format"] != FORMAT or not is_signed(said, closing["signature"], closing["public_key"]):
        return Finding(False, f"The close is not signed by the key {whose}.")
    return Finding(
        True,
        f"The close of {said['closed_at']} (ballots: {said['ballots']:,}) is signed by the key "
        f"{whose}. Compare it with the fingerprint that you were told elsewhere.",
    )


def _by(closing: Closing, key: str | None) -> list[Finding]:
    if key is None:
        return []
    try:
        wanted = parse_code(key)
    except InvalidCode as refused:
        return [Finding(False, f"The fingerprint to compare with is none: {refused}")]
    if fingerprint(closing["public_key"]) != wanted:
        return [Finding(False, f"The key is not the one you expect, {format_code(wanted)}.")]
    return [Finding(True, "The key is the one you expect.")]


def _tie_break(said: ClosingStatement) -> Finding:
    try:
        same = compute_commitment(bytes.fromhex(said["secret"])) == said["definition"]["commitment"]
    except (ValueError, InvalidDocument):
        same = False
    if not same:
        return Finding(False, "The secret of the tie-break is not the one committed to.")
    return Finding(
        True, f"The secret of the tie-break was promised before; ties go by the seed {_seed(said)}."
    )


def _seed(said: ClosingStatement) -> str:
    return compute_tie_seed(said["root"], bytes.fromhex(said["secret"]))


Shape = TypeVar("Shape", Receipt, PublishedElection)


def read_receipt(value: object) -> Receipt:
    """The value as a receipt, every field of its type and none besides."""
    return _expect(_read(value, Receipt, "receipt"), RECEIPT, "receipt")


def read_published(value: object) -> PublishedElection:
    """The value as a publication, every field of its type and none besides."""
    return _expect(_read(value, PublishedElection, "publication"), PUBLICATION, "publication")


def _read(value: object, shape: type[Shape], what: str) -> Shape:
    try:
        given = canonical_json(value)
        read = msgspec.convert(value, shape)
    except (NotCanonical, msgspec.ValidationError) as error:
        raise InvalidDocument(f"This is no {what}: {error}") from error
    except RecursionError as error:
        raise InvalidDocument(f"This is no {what}: it is nested too deeply.") from error
    # Fields that nobody checks could tell a reader anything.
    if canonical_json(read) != given:
        raise InvalidDocument(f"This {what} has fields that no {what} has. Take the original.")
    return read


def _expect(read: Shape, format_name: str, what: str) -> Shape:
    if read["format"] != format_name:
        raise InvalidDocument(
            f"This {what} has the format '{read['format']}', and this program reads "
            f"'{format_name}'. Check it with the program it came with."
        )
    return read


def verify_receipt(receipt: object, *, key: str | None = None) -> list[Finding]:
    """What the receipt proves. `key` is the fingerprint that the signature must be by."""
    try:
        kept = read_receipt(receipt)
    except InvalidDocument as refused:
        return [Finding(False, str(refused))]
    closing, proof = kept["closing"], kept["proof"]
    if closing and proof:
        last = [*check_closing(closing, key), _same(kept, closing), _included(kept, closing, proof)]
    elif closing or proof:
        last = [Finding(False, "The close and the proof come together, and one is missing.")]
    else:
        last = [_still_open(key)]
    return [_ballot(kept), *last]


def verify_publication(
    published: object, *, receipt: object = None, key: str | None = None
) -> list[Finding]:
    """What a publication proves, and whether it is the one that a receipt speaks of."""
    try:
        kept = read_published(published)
        mine = None if receipt is None else read_receipt(receipt)
    except InvalidDocument as refused:
        return [Finding(False, str(refused))]
    findings = [*check_closing(kept["closing"], key), _complete(kept), *_allowed(kept)]
    if mine:
        findings.append(_listed(kept, mine))
    if all(finding.ok for finding in findings):
        findings.append(recount(kept["closing"]["statement"]))
    return findings


def _ballot(kept: Receipt) -> Finding:
    asked = kept["definition"]
    try:
        ranking = _ranking(kept["ranking"])
        ranking.check_candidates(asked["candidates"])
        nonce = _nonce(kept["nonce"])
        code = compute_confirmation(asked["election_id"], hash_definition(asked), nonce, ranking)
    except (ProofsError, CountingError) as refused:
        return Finding(False, f"The ballot cannot be what was cast: {refused}")
    ballot = str(ranking) or "(blank)"
    if code != kept["confirmation"]:
        return Finding(
            False, f"The ballot {ballot} does not give the confirmation of this receipt."
        )
    return Finding(True, f"The ballot {ballot} gives the confirmation {format_code(code)}.")


def _still_open(key: str | None) -> Finding:
    text = "The election was not closed when this receipt was made: nothing is signed yet."
    return Finding(key is None, f"{text} Fetch the receipt again after the close.")


def _same(kept: Receipt, closing: Closing) -> Finding:
    said = closing["statement"]
    if kept["name"] != said["name"]:
        return Finding(
            False, f"The receipt is of '{kept['name']}', and '{said['name']}' was closed."
        )
    if hash_definition(kept["definition"]) not in definitions(said):
        return Finding(False, "The ballot was cast under a definition that was not closed.")
    if kept["definition"] == said["definition"]:
        return Finding(True, f"'{said['name']}' was closed as you were asked.")
    now = ", ".join(said["definition"]["candidates"])
    return Finding(
        True, f"'{said['name']}' changed after this ballot was cast. Closed with: {now}."
    )


def _included(kept: Receipt, closing: Closing, proof: InclusionProofJson) -> Finding:
    said = closing["statement"]
    way = InclusionProof(proof["index"], proof["size"], tuple(proof["path"]))
    if proof["size"] != said["ballots"] or not is_included(said["root"], kept["confirmation"], way):
        return Finding(False, "The proof does not lead from the confirmation to the signed root.")
    return Finding(True, f"The confirmation is among those signed (ballots: {said['ballots']:,}).")


def _complete(kept: PublishedElection) -> Finding:
    said, codes = kept["closing"]["statement"], kept["confirmations"]
    try:
        same = codes == sorted(codes) and merkle_root(codes) == said["root"]
    except ProofsError as refused:
        return Finding(False, str(refused))
    if not same or len(codes) != said["ballots"]:
        return Finding(False, f"The confirmations ({len(codes):,}) do not give the signed root.")
    return Finding(
        True, f"The confirmations ({len(codes):,}) give the signed root: none is missing."
    )


def _allowed(kept: PublishedElection) -> list[Finding]:
    """Whether the rankings that are published are those of the signed ballots."""
    said = kept["closing"]["statement"]
    level = said["definition"]["level"]
    rankings, ballots = kept["rankings"], kept["ballots"]
    if (rankings is not None, ballots is not None) != (
        level == "anonymous",
        level == "confirmations",
    ):
        return [Finding(False, f"What is published is not what the level '{level}' promises.")]
    if rankings is not None and rankings != sorted(rankings, key=canonical_json):
        return [Finding(False, "The rankings are not sorted: their order may tell who cast them.")]
    if ballots is not None:
        given = [(each["confirmation"], each["nonce"], each["ranking"]) for each in ballots]
        if [code for code, _, _ in given] != kept["confirmations"]:
            return [Finding(False, "The ballots are not those of the confirmations.")]
        wrong = [code for code, nonce, ranking in given if not _gives(kept, code, nonce, ranking)]
        if wrong:
            return [Finding(False, f"A ballot does not give its confirmation {wrong[0]}.")]
        rankings = [ranking for _, _, ranking in given]
    if rankings is None:
        return []
    try:
        same = hash_rankings(_ranking(each) for each in rankings) == said["rankings"]
    except (ProofsError, CountingError) as refused:
        return [Finding(False, str(refused))]
    if not same or len(rankings) != said["ballots"]:
        return [Finding(False, "The rankings are not those that were signed.")]
    return [Finding(True, f"The rankings ({len(rankings):,}) are those that were signed.")]


def _gives(kept: PublishedElection, code: str, nonce: str, levels: list[list[str]]) -> bool:
    said = kept["closing"]["statement"]
    asked = said["definition"]["election_id"]
    try:
        ranking, number = _ranking(levels), _nonce(nonce)
        return any(
            compute_confirmation(asked, each, number, ranking) == code for each in definitions(said)
        )
    except (ProofsError, CountingError):
        return False


def _listed(kept: PublishedElection, mine: Receipt) -> Finding:
    if mine["closing"] is None or mine["closing"]["statement"] != kept["closing"]["statement"]:
        return Finding(False, "The publication is not of the close that this receipt speaks of.")
    if mine["confirmation"] not in kept["confirmations"]:
        return Finding(False, "The confirmation of this receipt is not published.")
    return Finding(True, "The confirmation of this receipt is published.")


def _ranking(levels: list[list[str]]) -> Ranking:
    ranking = Ranking.from_levels(levels)
    if [list(level) for level in ranking.levels] != levels:
        raise InvalidDocument(f"the ranking {levels} is not in its one order.")
    return ranking


def _nonce(text: str) -> bytes:
    try:
        nonce = bytes.fromhex(text)
    except ValueError:
        nonce = b""
    if nonce.hex() != text:
        raise InvalidDocument(f"the nonce '{text}' is not in lowercase hex.")
    return nonce


def checker_source() -> str:
    """The one file that checks receipts and publications with Python alone."""
    return (
        files("singletable_apps.elections.proofs")
        .joinpath("checker.py")
        .read_text(encoding="utf-8")
    )

"""Check receipts and publications, and say in sentences what they prove.

`checker.py` makes the same checks without this package; both must agree on every file.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

import msgspec

from ranked_ballots import CountingError, Ranking, TieBreak
from singletable_apps.elections.proofs import documents
from singletable_apps.elections.proofs.encoding import canonical_json, format_code, parse_code
from singletable_apps.elections.proofs.errors import (
    InvalidCode,
    InvalidDocument,
    NotCanonical,
    ProofsError,
)
from singletable_apps.elections.proofs.keys import fingerprint, format_fingerprint, is_signed
from singletable_apps.elections.proofs.merkle import InclusionProof, MerkleTree, is_included


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, in a sentence for voters."""

    ok: bool
    text: str


def verify_receipt(receipt: object, *, key: str | None = None) -> list[Finding]:
    """Return what a receipt proves. `key` is the fingerprint of the key that you expect."""
    try:
        parsed = _parse(receipt, documents.Receipt, documents.RECEIPT_FORMAT, "receipt")
    except InvalidDocument as error:
        return [Finding(False, str(error))]
    closing, proof = parsed["closing"], parsed["proof"]
    if closing and proof:
        return [
            _check_ballot(parsed),
            *_check_closing(closing, key),
            _check_definition(parsed, closing["statement"]),
            _check_inclusion(parsed, closing["statement"], proof),
        ]
    if closing or proof:
        problem = "The receipt is incomplete: it has only one of closing statement and proof."
        return [_check_ballot(parsed), Finding(False, problem)]
    text = (
        "The election was still open when this receipt was made, so nothing is signed yet. "
        "Download your receipt again after the close."
    )
    return [_check_ballot(parsed), Finding(key is None, text)]


def verify_publication(
    published: object, *, receipt: object = None, key: str | None = None
) -> list[Finding]:
    """Return what a publication proves, and whether it contains the ballot of the receipt."""
    try:
        parsed = _parse(
            published, documents.PublishedElection, documents.PUBLICATION_FORMAT, "publication"
        )
        mine = None
        if receipt is not None:
            mine = _parse(receipt, documents.Receipt, documents.RECEIPT_FORMAT, "receipt")
    except InvalidDocument as error:
        return [Finding(False, str(error))]
    findings = [
        *_check_closing(parsed["closing"], key),
        _check_completeness(parsed),
        *_check_rankings(parsed),
    ]
    if mine:
        findings.append(_check_listed(parsed, mine))
    if all(finding.ok for finding in findings):
        findings.append(_explain_recount(parsed["closing"]["statement"]))
    return findings


def checker_source() -> str:
    """Return the source of the checker, one file that needs only Python."""
    folder = files("singletable_apps.elections.proofs")
    return folder.joinpath(documents.CHECKER_FILENAME).read_text(encoding="utf-8")


# Parsing.

Document = TypeVar("Document", documents.Receipt, documents.PublishedElection)


def _parse(value: object, shape: type[Document], format_name: str, kind: str) -> Document:
    """Return the value as a document. Raise InvalidDocument if fields are missing or unknown."""
    try:
        original = canonical_json(value)
        parsed = msgspec.convert(value, shape)
    except (NotCanonical, msgspec.ValidationError) as error:
        raise InvalidDocument(f"This is not a {kind}: {error}") from error
    except RecursionError as error:
        raise InvalidDocument(f"This is not a {kind}: it is nested too deeply.") from error
    # Fields that nobody checks could claim anything.
    if canonical_json(parsed) != original:
        raise InvalidDocument(f"This {kind} has unknown fields. Use the file as you downloaded it.")
    if parsed["format"] != format_name:
        raise InvalidDocument(
            f"This {kind} has the format '{parsed['format']}', but this program reads "
            f"'{format_name}'. Use the checker of the service that it comes from."
        )
    return parsed


def _parse_ranking(levels: list[list[str]]) -> Ranking:
    ranking = Ranking.from_levels(levels)
    if [list(level) for level in ranking.levels] != levels:
        raise InvalidDocument(f"the ranking {levels} is not sorted.")
    return ranking


def _parse_nonce(text: str) -> bytes:
    try:
        nonce = bytes.fromhex(text)
    except ValueError:
        nonce = b""
    if nonce.hex() != text:
        raise InvalidDocument(f"the nonce '{text}' is not lowercase hex.")
    return nonce


# The closing statement.


def _check_closing(closing: documents.Closing, key: str | None) -> list[Finding]:
    statement = closing["statement"]
    return [_check_signature(closing), *_check_key(closing, key), _check_tie_break(statement)]


def _check_signature(closing: documents.Closing) -> Finding:
    statement, public_key = closing["statement"], closing["public_key"]
    signed_by = format_fingerprint(public_key)
    is_valid = is_signed(statement, closing["signature"], public_key)
    if statement["format"] != documents.STATEMENT_FORMAT or not is_valid:
        return Finding(False, f"The closing statement is not signed with the key {signed_by}.")
    return Finding(
        True,
        f"The closing statement of {statement['closed_at']} (ballots: {statement['ballots']:,}) is "
        f"signed with the key {signed_by}. Compare this fingerprint with one you got another way.",
    )


def _check_key(closing: documents.Closing, key: str | None) -> list[Finding]:
    if key is None:
        return []
    try:
        expected = parse_code(key)
    except InvalidCode as error:
        return [Finding(False, f"The fingerprint that you expect is not valid: {error}")]
    if fingerprint(closing["public_key"]) != expected:
        return [Finding(False, f"The key is not the one you expect: {format_code(expected)}.")]
    return [Finding(True, "The key is the one you expect.")]


def _check_tie_break(statement: documents.ClosingStatement) -> Finding:
    try:
        secret = bytes.fromhex(statement["secret"])
        is_committed = documents.compute_commitment(secret) == statement["definition"]["commitment"]
    except (ValueError, InvalidDocument):
        is_committed = False
    if not is_committed:
        return Finding(False, "The secret for breaking ties was not fixed before voting.")
    return Finding(
        True,
        f"The secret for breaking ties was fixed before voting. Its seed is {_seed(statement)}.",
    )


def _seed(statement: documents.ClosingStatement) -> str:
    return documents.compute_tie_seed(statement["root"], bytes.fromhex(statement["secret"]))


def _definition_digests(statement: documents.ClosingStatement) -> list[str]:
    """Return the digests of all definitions that ballots were cast under, the last one first."""
    return [documents.hash_definition(statement["definition"]), *statement["earlier"]]


# Receipts.


def _check_ballot(receipt: documents.Receipt) -> Finding:
    definition = receipt["definition"]
    try:
        ranking = _parse_ranking(receipt["ranking"])
        ranking.check_candidates(definition["candidates"])
        code = documents.compute_confirmation(
            definition["election_id"],
            documents.hash_definition(definition),
            _parse_nonce(receipt["nonce"]),
            ranking,
        )
    except (ProofsError, CountingError) as error:
        return Finding(False, f"This cannot be a ballot of this election: {error}")
    ballot = str(ranking) or "(blank)"
    if code != receipt["confirmation"]:
        return Finding(False, f"The ballot {ballot} does not match the tracking code.")
    return Finding(True, f"The ballot {ballot} matches the tracking code {format_code(code)}.")


def _check_definition(receipt: documents.Receipt, statement: documents.ClosingStatement) -> Finding:
    name = statement["name"]
    if receipt["name"] != name:
        return Finding(False, f"The receipt is for '{receipt['name']}', not for '{name}'.")
    if documents.hash_definition(receipt["definition"]) not in _definition_digests(statement):
        return Finding(False, "The ballot was cast on other terms than the election closed with.")
    if receipt["definition"] == statement["definition"]:
        return Finding(True, f"'{name}' closed with the candidates and terms you voted on.")
    candidates = ", ".join(statement["definition"]["candidates"])
    return Finding(
        True, f"The candidates of '{name}' changed after you voted. It closed with: {candidates}."
    )


def _check_inclusion(
    receipt: documents.Receipt,
    statement: documents.ClosingStatement,
    proof: documents.InclusionProofJson,
) -> Finding:
    path = InclusionProof(proof["index"], proof["size"], tuple(proof["path"]))
    count = statement["ballots"]
    if path.size != count or not is_included(statement["root"], receipt["confirmation"], path):
        return Finding(False, "The tracking code is not in the signed result.")
    return Finding(
        True, f"Your ballot was counted: its code is in the signed result (ballots: {count:,})."
    )


# Publications.


def _check_completeness(published: documents.PublishedElection) -> Finding:
    statement, codes = published["closing"]["statement"], published["confirmations"]
    try:
        is_same = codes == sorted(codes) and MerkleTree(codes).root == statement["root"]
    except ProofsError as error:
        return Finding(False, str(error))
    if not is_same or len(codes) != statement["ballots"]:
        return Finding(
            False, f"The tracking codes ({len(codes):,}) do not match the signed result."
        )
    return Finding(
        True,
        f"The tracking codes ({len(codes):,}) match the signed result: none is missing.",
    )


def _check_rankings(published: documents.PublishedElection) -> list[Finding]:
    """Check that the published rankings, if there are any, are those of the signed ballots."""
    statement = published["closing"]["statement"]
    level = statement["definition"]["level"]
    rankings, ballots = published["rankings"], published["ballots"]
    expected = (level == "anonymous", level == "confirmations")
    if (rankings is not None, ballots is not None) != expected:
        return [Finding(False, f"This is not what was promised to be published: {level}.")]
    if rankings is not None and rankings != sorted(rankings, key=canonical_json):
        return [Finding(False, "The rankings are not sorted. Their order may reveal the voters.")]
    if ballots is not None:
        given = [(each["confirmation"], each["nonce"], each["ranking"]) for each in ballots]
        if [code for code, _, _ in given] != published["confirmations"]:
            return [Finding(False, "The ballots do not belong to the published tracking codes.")]
        for code, nonce, levels in given:
            if not _matches(statement, code, nonce, levels):
                return [Finding(False, f"A ballot does not match its tracking code {code}.")]
        rankings = [levels for _, _, levels in given]
    if rankings is None:
        return []
    try:
        is_same = documents.hash_rankings(map(_parse_ranking, rankings)) == statement["rankings"]
    except (ProofsError, CountingError) as error:
        return [Finding(False, str(error))]
    if not is_same or len(rankings) != statement["ballots"]:
        return [Finding(False, "The rankings do not match the signed result.")]
    return [Finding(True, f"The rankings ({len(rankings):,}) match the signed result.")]


def _matches(
    statement: documents.ClosingStatement, code: str, nonce: str, levels: list[list[str]]
) -> bool:
    """Return whether a ballot under any definition of the election has this code."""
    election_id = statement["definition"]["election_id"]
    try:
        ranking, raw_nonce = _parse_ranking(levels), _parse_nonce(nonce)
        return any(
            documents.compute_confirmation(election_id, definition, raw_nonce, ranking) == code
            for definition in _definition_digests(statement)
        )
    except (ProofsError, CountingError):
        return False


def _check_listed(published: documents.PublishedElection, receipt: documents.Receipt) -> Finding:
    closing = receipt["closing"]
    if closing is None or closing["statement"] != published["closing"]["statement"]:
        return Finding(False, "The receipt and the publication are not from the same close.")
    if receipt["confirmation"] not in published["confirmations"]:
        return Finding(False, "The tracking code of the receipt is not in the publication.")
    return Finding(True, "The tracking code of the receipt is in the publication.")


def _explain_recount(statement: documents.ClosingStatement) -> Finding:
    rules = ", ".join(f"{name}: {choice}" for name, choice in sorted(statement["rules"].items()))
    if statement["definition"]["level"] == "totals":
        return Finding(True, f"The rankings are not published. They were counted with {rules}.")
    order = TieBreak.from_seed(statement["definition"]["candidates"], _seed(statement)).order
    return Finding(
        True,
        f"You can recount the rankings with {rules}. Break ties in this order: {', '.join(order)}.",
    )

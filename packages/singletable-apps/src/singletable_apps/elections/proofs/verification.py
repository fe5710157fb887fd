"""Check receipts on the server, with the checks of the checker that voters download."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

import msgspec

from singletable_apps.elections.proofs import checker, documents
from singletable_apps.elections.proofs.encoding import canonical_json, format_code
from singletable_apps.elections.proofs.errors import InvalidDocument, NotCanonical
from singletable_apps.elections.proofs.keys import format_fingerprint


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, in a sentence for voters."""

    ok: bool
    text: str


def verify_receipt(receipt: object, *, key: str | None = None) -> list[Finding]:
    """Return what a receipt proves. `key` is the fingerprint of the key that you expect."""
    try:
        parsed = _parse_receipt(receipt)
    except InvalidDocument as error:
        return [Finding(False, str(error))]
    found = checker.check_receipt(parsed, key)
    return [
        Finding(each.ok, passed if each.ok else failed)
        for each, (passed, failed) in zip(found, _describe(parsed, key), strict=True)
    ]


def checker_source() -> str:
    """Return the source of the checker, one file that needs only Python."""
    folder = files("singletable_apps.elections.proofs")
    return folder.joinpath(documents.CHECKER_FILENAME).read_text(encoding="utf-8")


def _parse_receipt(value: object) -> documents.Receipt:
    """Return the receipt. Raise InvalidDocument if fields are missing, unknown or malformed."""
    try:
        original = canonical_json(value)
        parsed = msgspec.convert(value, documents.Receipt)
        # Fields that nobody checks could claim anything.
        if canonical_json(parsed) != original:
            raise InvalidDocument(
                "This receipt has unknown fields. Use the file as you downloaded it."
            )
        if parsed["format"] != documents.RECEIPT_FORMAT:
            raise InvalidDocument(
                f"This receipt has the format '{parsed['format']}', but this program reads "
                f"'{documents.RECEIPT_FORMAT}'. Use the checker of the service that it comes from."
            )
        checker.RECEIPT(parsed, "receipt")
    except (NotCanonical, msgspec.ValidationError, checker.InvalidFile) as error:
        raise InvalidDocument(f"This is not a receipt: {error}") from error
    except RecursionError as error:
        raise InvalidDocument("This is not a receipt: it is nested too deeply.") from error
    return parsed


def _describe(receipt: documents.Receipt, key: str | None) -> Iterator[tuple[str, str]]:
    """Yield what to say about each finding of `check_receipt`: if it is good, and if not."""
    ballot = " > ".join(" = ".join(level) for level in receipt["ranking"]) or "(blank)"
    if "weight" in receipt:
        ballot += f" (weight {receipt['weight']:,})"
    code = format_code(receipt["confirmation"])
    yield (
        f"The ballot {ballot} matches the tracking code {code}.",
        f"The ballot {ballot} does not match the tracking code.",
    )
    closing, proof = receipt["closing"], receipt["proof"]
    if closing is None or proof is None:
        still_open = (
            "The election was still open when this receipt was made, so nothing is signed yet. "
            "Download your receipt again after the close."
        )
        incomplete = "The receipt is incomplete: it has only one of closing statement and proof."
        yield still_open, incomplete if closing or proof else still_open
        return
    statement, signed_by = closing["statement"], format_fingerprint(closing["public_key"])
    name, count = statement["name"], f"{statement['ballots']:,}"
    yield (
        f"The closing statement of {statement['closed_at']} (ballots: {count}) is signed with the "
        f"key {signed_by}. Compare this fingerprint with one you got another way.",
        f"The closing statement is not signed with the key {signed_by}.",
    )
    if key is not None:
        not_expected = f"The key is not the one you expect: {format_code(key)}."
        yield "The key is the one you expect.", not_expected
    seed = documents.compute_tie_seed(statement["root"], bytes.fromhex(statement["secret"]))
    yield (
        f"The secret for breaking ties was fixed before voting. Its seed is {seed}.",
        "The secret for breaking ties was not fixed before voting.",
    )
    agreed = statement["definition"].get("rules")
    if agreed:
        rules = checker.list_rules(agreed)
        yield (
            f"The rules were fixed before voting: {rules}.",
            f"It was not counted by the rules that were fixed before voting: {rules}.",
        )
    candidates = ", ".join(statement["definition"]["candidates"])
    yield (
        f"'{name}' closed with the candidates and terms you voted on."
        if receipt["definition"] == statement["definition"]
        else f"The candidates of '{name}' changed after you voted. It closed with: {candidates}.",
        "The ballot was cast on other terms than the election closed with."
        if receipt["name"] == name
        else f"The receipt is for '{receipt['name']}', not for '{name}'.",
    )
    yield (
        f"Your ballot was counted: its code is in the signed result (ballots: {count}).",
        "The tracking code is not in the signed result.",
    )

"""Check receipts on the server, with the checks of the checker that voters download."""

from __future__ import annotations

from importlib.resources import files

import msgspec

from singletable_apps.elections.proofs import checker, documents
from singletable_apps.elections.proofs.checker import Finding
from singletable_apps.elections.proofs.encoding import canonical_json
from singletable_apps.elections.proofs.errors import InvalidDocument, NotCanonical


def verify_receipt(receipt: object, *, key: str | None = None) -> list[Finding]:
    """Return what a receipt proves. `key` is the fingerprint of the key that you expect."""
    try:
        return list(checker.check_receipt(_parse_receipt(receipt), key))
    except InvalidDocument as error:
        return [Finding(False, str(error))]


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
                f"This receipt has the format “{parsed['format']}”, but this program reads "
                f"“{documents.RECEIPT_FORMAT}”. Use the checker of the service that it comes from."
            )
        checker.RECEIPT(parsed, "receipt")
    except (NotCanonical, msgspec.ValidationError, checker.InvalidFile) as error:
        raise InvalidDocument(f"This is not a receipt: {error}") from error
    except RecursionError as error:
        raise InvalidDocument("This is not a receipt: it is nested too deeply.") from error
    return parsed

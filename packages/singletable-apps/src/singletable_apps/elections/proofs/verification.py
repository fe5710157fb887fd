"""Check receipts on the server, with the checks of the checker that voters download."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from singletable_apps.elections.proofs import checker, documents
from singletable_apps.elections.proofs.checker import Finding


def verify_receipt(receipt: Any, *, key: str | None = None) -> list[Finding]:
    """Return what a receipt proves. `key` is the fingerprint of the key that you expect."""
    try:
        _check_version(receipt)
        checker.RECEIPT(receipt, "receipt")
        return list(checker.check_receipt(receipt, key))
    except (ValueError, RecursionError) as error:
        problem = "it is nested too deeply" if isinstance(error, RecursionError) else error
        return [Finding(False, f"This is not a receipt: {problem}.")]


def _check_version(receipt: Any) -> None:
    found = receipt.get("format") if isinstance(receipt, dict) else None
    if isinstance(found, str) and found != documents.RECEIPT_FORMAT:
        raise checker.InvalidFile(
            f"it has the format “{found}”, but this program reads “{documents.RECEIPT_FORMAT}”; "
            "use the checker of the service that it comes from"
        )


def checker_source() -> str:
    """Return the source of the checker, one file that needs only Python."""
    folder = files("singletable_apps.elections.proofs")
    return folder.joinpath(documents.CHECKER_FILENAME).read_text(encoding="utf-8")

"""The checker as text, for those who take it along."""

from __future__ import annotations

from importlib.resources import files


def checker_source() -> str:
    """The one file that checks receipts and publications with Python alone."""
    return (
        files("singletable_apps.elections.proofs")
        .joinpath("checker.py")
        .read_text(encoding="utf-8")
    )

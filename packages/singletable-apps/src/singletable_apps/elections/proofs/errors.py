"""Errors of the proofs.

ProofsError            also a ValueError
├─ UnsealError         a sealed text that this key does not open for this election
├─ MerkleTreeError     duplicate tracking codes, or one that is not in the tree
└─ InvalidDocument     an invalid definition, statement, receipt or publication
"""

from __future__ import annotations

from singletable_apps.shared.errors import AppError


class ProofsError(AppError, ValueError):
    """The base of all errors of the proofs."""


class UnsealError(ProofsError):
    """A sealed text that this key does not open for this election."""

    def __init__(self, message: str, election_id: int) -> None:
        super().__init__(message)
        self.election_id = election_id


class MerkleTreeError(ProofsError):
    """Duplicate tracking codes, or one that is not in the tree."""


class InvalidDocument(ProofsError):
    """An invalid definition, statement, receipt or publication."""

"""Every refusal of the proofs.

ProofsError             also a ValueError: something that came proves nothing
├─ NotCanonical         a value that has no one form in bytes
├─ CodeRefused          text that is no confirmation or fingerprint
├─ SealBroken           a sealed text that this key does not open for this election
├─ TreeRefused          confirmations that make no tree, or one that is not in it
└─ StatementRefused     a definition, statement or receipt that says what cannot be
"""

from __future__ import annotations

from singletable_apps.shared.errors import AppError


class ProofsError(AppError, ValueError):
    """The root: whatever the proofs refuse is one of these."""


class NotCanonical(ProofsError):
    """A value that has no one form in bytes; `where` is the way to it."""

    def __init__(self, message: str, where: str) -> None:
        super().__init__(message)
        self.where = where


class InvalidCode(ProofsError):
    """Text that is no code."""


class UnsealError(ProofsError):
    """A sealed text that this key does not open for this election."""

    def __init__(self, message: str, election_id: int) -> None:
        super().__init__(message)
        self.election_id = election_id


class MerkleTreeError(ProofsError):
    """Confirmations that make no tree, or one that is not in it."""


class InvalidDocument(ProofsError):
    """A definition, statement or receipt that says what cannot be."""

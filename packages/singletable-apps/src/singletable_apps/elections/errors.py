"""All errors of elections. Their messages are shown to people: plain sentences that say what to do.

ElectionsError
├─ Rejected                   nothing was changed; the same request would be rejected again
│  ├─ NotSignedIn             not signed in, or the wrong password
│  ├─ NotPermitted            the user may not do this
│  ├─ NotFound                no user, election, ballot … of that name
│  ├─ AlreadyTaken            someone else has the name or e-mail address; `field` says which
│  ├─ WrongState              the election, or the account, is in a state that does not allow this
│  ├─ InvalidInput            a value is not acceptable; `field` says which
│  ├─ LogNotEmpty             a log can be restored, or sample data added, only where there is none
│  └─ IdempotencyKeyReused    an idempotency key was sent with a different request before
├─ Unavailable                try again later
│  ├─ Busy                    too many concurrent writes
│  └─ RebuildInProgress       the table is being rebuilt from the event log
└─ IntegrityError             log, table or keys do not fit together; an operator has to act
   ├─ CorruptLog              an entry of the log is missing or was changed
   ├─ IncompleteRestore       a restore was interrupted, so the log is not complete
   ├─ InvalidExport           a file is not a complete export of a log
   ├─ WrongKeys               not the keys that ballots were sealed or results signed with
   └─ CorruptTable            an event cannot be applied, or the table is ahead of the log
"""

from __future__ import annotations

from singletable_apps.shared import accounts, permissions
from singletable_apps.shared.errors import AppError


class ElectionsError(AppError):
    """Base class of all errors raised here."""


class Rejected(ElectionsError):
    """Nothing was changed. `field` names the value that was wrong, if it was one."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class NotSignedIn(Rejected, accounts.NotSignedIn):
    """Not signed in, or the wrong password."""


class NotPermitted(Rejected, permissions.NotPermitted):
    """The user may not do this."""


class NotFound(Rejected):
    """Nothing has that name."""


class AlreadyTaken(Rejected):
    """Someone else has the name or e-mail address."""


class WrongState(Rejected):
    """The election, or the account, is in a state that does not allow this."""


class InvalidInput(Rejected):
    """A value is not acceptable."""


class LogNotEmpty(Rejected):
    """There is an event log already."""


class IdempotencyKeyReused(Rejected):
    """The idempotency key was sent with a different request before."""


class Unavailable(ElectionsError):
    """Not possible right now. Try again later."""


class Busy(Unavailable):
    """Too many concurrent writes."""


class RebuildInProgress(Unavailable):
    """The table is being rebuilt from the event log."""


class IntegrityError(ElectionsError):
    """Log, table or keys do not fit together. An operator has to act."""


class CorruptLog(IntegrityError):
    """An entry of the log is missing or was changed."""


class IncompleteRestore(IntegrityError):
    """A restore was interrupted, so the log is not complete."""


class InvalidExport(IntegrityError):
    """The file is not a complete export of a log."""


class WrongKeys(IntegrityError):
    """These are not the keys that ballots were sealed or results signed with."""


class CorruptTable(IntegrityError):
    """An event cannot be applied to the table, or the table is ahead of the log."""

"""The errors of elections: those that all apps share, and its own.

AppError
├─ RequestRejected            nothing was changed; the same request would be rejected again
│  ├─ WrongState              the election, or the account, is in a state that does not allow this
│  ├─ LogNotEmpty             a log can be restored, or sample data added, only where there is none
│  └─ IdempotencyKeyReused    an idempotency key was sent with a different request before
├─ Busy
│  └─ RebuildInProgress       the table is being rebuilt from the event log
└─ IntegrityError             log, table or keys do not fit together; an operator has to act
   ├─ CorruptLog              an entry of the log is missing or was changed
   ├─ IncompleteRestore       a restore was interrupted, so the log is not complete
   ├─ InvalidExport           a file is not a complete export of a log
   ├─ WrongKeys               not the keys that ballots were sealed or results signed with
   └─ CorruptTable            an event cannot be applied, or the table is ahead of the log
"""

from __future__ import annotations

from singletable_apps.shared.errors import AppError, Busy, RequestRejected


class WrongState(RequestRejected):
    """The election, or the account, is in a state that does not allow this."""


class LogNotEmpty(RequestRejected):
    """There is an event log already."""


class IdempotencyKeyReused(RequestRejected):
    """The idempotency key was sent with a different request before."""


class RebuildInProgress(Busy):
    """The table is being rebuilt from the event log."""

    retry_after = 10


class IntegrityError(AppError):
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

"""Every refusal of elections.

ElectionsError
├─ Refused               asked in vain: nothing was changed, and asking again is in vain too
│  ├─ NotSignedIn        nobody knows who asks, or the password is wrong
│  ├─ NotPermitted       who asks may not do this
│  ├─ NotThere           there is no user, election, ballot … of that name
│  ├─ Taken              another has the name or the address; `field` says which
│  ├─ WrongState         the election, or the person, is not in a state for this
│  ├─ Invalid            what was given cannot be; `field` says what
│  ├─ NotEmpty           there is a log already where one is to be restored
│  └─ KeyReused          an idempotency key came with another request than before
├─ Unavailable           not now; ask again later
│  ├─ Busy               others wrote all the time
│  └─ Rebuilding         the table is being built anew from the log
└─ Broken                log and table do not fit together; an operator must look
   ├─ LogBroken          an entry of the log is missing, or is not what it was
   ├─ HalfRestored       the log is not all there: restoring it was broken off
   ├─ ExportBroken       a file is not the whole export of a log
   ├─ WrongKeys          the keys are not those that ballots were sealed, or closes signed, with
   └─ TableBroken        an event cannot be applied to the table, or the table is ahead of the log
"""

from __future__ import annotations

from singletable_apps.shared.errors import AppError


class ElectionsError(AppError):
    """Whatever elections refuse, or fail at."""


class Rejected(ElectionsError):
    """Asked in vain; nothing was changed. `field` names what was wrong, if it was one thing."""

    def __init__(self, why: str, *, field: str | None = None) -> None:
        super().__init__(why)
        self.field = field


class NotSignedIn(Rejected):
    """Nobody knows who asks, or the password is wrong."""


class NotPermitted(Rejected):
    """Who asks may not do this."""


class NotFound(Rejected):
    """There is nothing of that name."""


class AlreadyTaken(Rejected):
    """Another has the name or the address."""


class WrongState(Rejected):
    """The election, or the person, is not in a state for this."""


class InvalidInput(Rejected):
    """What was given cannot be."""


class LogNotEmpty(Rejected):
    """There is a log already where one is to be restored."""


class IdempotencyKeyReused(Rejected):
    """An idempotency key came with another request than before."""


class Unavailable(ElectionsError):
    """Not now; ask again later."""


class Busy(Unavailable):
    """Others wrote all the time."""


class RebuildInProgress(Unavailable):
    """The table is being built anew from the log."""


class IntegrityError(ElectionsError):
    """Log and table do not fit together; an operator must look."""


class CorruptLog(IntegrityError):
    """An entry of the log is missing, or is not what it was."""


class IncompleteRestore(IntegrityError):
    """The log is not all there: restoring it was broken off."""


class InvalidExport(IntegrityError):
    """A file is not the whole export of a log."""


class WrongKeys(IntegrityError):
    """The keys are not those that ballots were sealed, or closes signed, with."""


class CorruptTable(IntegrityError):
    """An event cannot be applied to the table, or the table is ahead of the log."""

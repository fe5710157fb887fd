"""Every refusal of polls.

PollsError
├─ Refused            asked in vain: nothing was changed, and asking again is in vain too
│  ├─ NotThere        there is no such poll, or vote
│  ├─ Invalid         what was given cannot be; `faults` says what, and where
│  ├─ NotAdmin        the admin key is missing, or is not that of the poll
│  ├─ NoCode          the poll asks for a one-time code, and none came, or one that is none
│  ├─ Closed          the poll takes no votes any more
│  ├─ AlreadyVoted    the vote is cast, and the poll lets nobody change theirs
│  ├─ Hidden          the results are not to be seen yet
│  └─ Settled         people have voted, so what they voted on stays as it is
├─ Busy               others wrote all the time, or the table has more to do than it can; ask again
└─ OtherSecret        the poll was made with another secret than the server has; somebody must look
"""

from __future__ import annotations

from collections.abc import Mapping

from singletable_apps.shared.errors import AppError


class PollsError(AppError):
    """Whatever polls refuse, or fail at."""


class Refused(PollsError):
    """Asked in vain; nothing was changed."""


class NotThere(Refused):
    """There is no such poll, or vote."""


class Invalid(Refused):
    """What was given cannot be: `faults` has a sentence for each field that is wrong."""

    def __init__(self, faults: Mapping[str, str]) -> None:
        super().__init__(" ".join(faults.values()))
        self.faults = dict(faults)


class NotAdmin(Refused):
    """The admin key is missing, or is not that of the poll."""


class NoCode(Refused):
    """The poll asks for a one-time code, and none came, or one that is none."""


class Closed(Refused):
    """The poll takes no votes any more."""


class AlreadyVoted(Refused):
    """The vote is cast, and the poll lets nobody change theirs."""


class Hidden(Refused):
    """The results are not to be seen yet."""


class Settled(Refused):
    """People have voted, so what they voted on stays as it is."""


class Busy(PollsError):
    """Not now; nothing was changed that the message does not tell. Ask again."""


class OtherSecret(PollsError):
    """The poll was made with another secret than the server has; an operator must look."""

"""Every error of polls, below those that all apps share.

RequestRejected
├─ NotFound, InvalidInput   as in all apps
├─ InvalidAdminKey          the admin key is not the key of this poll
├─ InvalidCode              the voting code is missing or not valid
├─ PollClosed               the poll does not accept votes any more
├─ AlreadyVoted             this voter has voted, and votes cannot be changed
│  └─ CodeUsed              the code was used, and the vote can be changed only where it was cast
├─ ResultsHidden            the results are not visible to this viewer yet
└─ PollHasVotes             there are votes, so the options cannot change
Busy                        too many concurrent writes, or the table is throttled; try again
WrongSecret                 the poll was created with another secret, which must be restored
"""

from __future__ import annotations

from singletable_apps.shared.errors import AppError
from singletable_apps.shared.errors import Busy as Busy
from singletable_apps.shared.errors import InvalidInput as InvalidInput
from singletable_apps.shared.errors import NotFound as NotFound
from singletable_apps.shared.errors import RequestRejected as RequestRejected


class InvalidAdminKey(RequestRejected):
    """The admin key is missing or belongs to another poll."""


class InvalidCode(RequestRejected):
    """The poll requires a voting code, and it is missing or not valid."""


class PollClosed(RequestRejected):
    """The poll does not accept votes any more."""


class AlreadyVoted(RequestRejected):
    """This voter has already voted, and votes in this poll cannot be changed."""


class CodeUsed(AlreadyVoted):
    """A vote was cast with this code, and the voter has not proved that it is theirs."""


class ResultsHidden(RequestRejected):
    """The results are not visible to this viewer yet."""


class PollHasVotes(RequestRejected):
    """People have voted, so options and protection cannot change."""


class WrongSecret(AppError):
    """The poll was created with another server secret."""

"""Every error of polls.

PollsError
├─ RequestRejected    nothing was changed, and the same request will be rejected again
│  ├─ NotFound        no such poll or vote
│  ├─ InvalidInput    the input is not valid; `errors` has a sentence per field
│  ├─ InvalidAdminKey the admin key is not the key of this poll
│  ├─ InvalidCode     the voting code is missing or not valid
│  ├─ PollClosed      the poll does not accept votes any more
│  ├─ AlreadyVoted    this voter has voted, and votes cannot be changed
│  │  └─ CodeUsed     the code was used, and the vote can be changed only where it was cast
│  ├─ ResultsHidden   the results are not visible to this viewer yet
│  └─ PollHasVotes    there are votes, so the options cannot change
├─ PollBusy           too many concurrent writes, or the table is throttled; try again
└─ WrongSecret        the poll was created with another secret; the operator must restore it
"""

from __future__ import annotations

from collections.abc import Mapping

from singletable_apps.shared.errors import AppError


class PollsError(AppError):
    """Base class of all errors of polls."""


class RequestRejected(PollsError):
    """The request was rejected and nothing was changed."""


class NotFound(RequestRejected):
    """There is no such poll or vote."""


class InvalidInput(RequestRejected):
    """The input is not valid. `errors` has a sentence for each invalid field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


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


class PollBusy(PollsError):
    """Too many others are writing right now. Nothing was changed; try again."""


class WrongSecret(PollsError):
    """The poll was created with another server secret."""

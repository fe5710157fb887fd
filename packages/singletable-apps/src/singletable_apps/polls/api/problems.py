"""The problem types of the API, and which error is which problem."""

from __future__ import annotations

from pydantic.alias_generators import to_camel

from singletable_apps.polls import errors
from singletable_apps.shared.frame import AppProblems
from singletable_apps.shared.web import NOT_ALLOWED, ProblemType

NO_ADMIN_KEY = ProblemType(
    "no-admin-key",
    401,
    "Admin key required",
    "You got the adminKey when you created the poll. Send it as Authorization: Bearer …",
    {"WWW-Authenticate": "How to send the key."},
)
NO_CODE = ProblemType(
    "no-code", 403, "Voting code required", "The organizer of the poll hands out voting codes."
)
CODE_USED = ProblemType(
    "code-used",
    403,
    "Voting code already used",
    "A vote cast with a code can be read and changed only with the cookie or the Idempotency-Key "
    "of the request that cast it, because the organizer knows the code too.",
)
CLOSED = ProblemType("closed", 409, "Poll closed", "The poll does not accept votes any more.")
ALREADY_VOTED = ProblemType(
    "already-voted", 409, "Already voted", "Votes in this poll cannot be changed."
)
HIDDEN = ProblemType(
    "hidden",
    403,
    "Results not visible yet",
    "You can see them after voting, or after closing; with voting codes, from 3 votes on.",
)
SETTLED = ProblemType("settled", 409, "Poll has votes", "Duplicate the poll to ask something else.")
OTHER_SECRET = ProblemType(
    "other-secret",
    503,
    "Wrong server secret",
    "The poll was created with another secret, which the operator has to restore.",
)

PROBLEMS = AppProblems(
    {
        errors.InvalidAdminKey: NOT_ALLOWED,
        errors.InvalidCode: NO_CODE,
        errors.CodeUsed: CODE_USED,
        errors.PollClosed: CLOSED,
        errors.AlreadyVoted: ALREADY_VOTED,
        errors.ResultsHidden: HIDDEN,
        errors.PollHasVotes: SETTLED,
        errors.WrongSecret: OTHER_SECRET,
    },
    others=[NO_ADMIN_KEY],
    field_name=lambda name, _: to_camel(name),
)

"""Results: for those who may see them, and proved by a recount."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from uuid import UUID

from fastapi import Depends, Query

from singletable_apps.polls.api.asking import (
    ANYBODY,
    AdminKey,
    AdminKeyIfAny,
    Browser,
    PollId,
    Service,
)
from singletable_apps.polls.api.models.results import RecountShown, ResultsShown
from singletable_apps.polls.api.refusals import HIDDEN, NO_ADMIN_KEY, topic
from singletable_apps.polls.service import Outcome, Viewer, Voter
from singletable_apps.shared.web import NOT_ALLOWED, NOT_FOUND, IfNoneMatch, responses

router = topic("results", NOT_FOUND)


def _outcome(
    poll_id: PollId,
    polls: Service,
    browser: Browser,
    key: AdminKeyIfAny,
    vote: Annotated[
        UUID | None, Query(description="The id of one's vote, where results are for who voted.")
    ] = None,
) -> Outcome:
    poll = polls.desk.poll(str(poll_id))
    key = key or polls.desk.key_of_maker(poll, browser)
    viewer = Viewer(Voter(browser), None if vote is None else str(vote), key)
    polls.standing.check(poll, viewer)
    return polls.standing.of(poll)


# How the poll stands, for whoever may see it.
Seen: TypeAlias = Annotated[Outcome, Depends(_outcome)]


@router.get("/{poll_id:uuid}/results", responses=responses(HIDDEN), openapi_extra=ANYBODY)
def read_results(outcome: Seen, look: IfNoneMatch) -> ResultsShown:
    """How the poll stands. Ask with the ETag of the answer before: 304 says that nobody voted."""
    look.answer(outcome.mark)
    return ResultsShown.of(outcome)


@router.get("/{poll_id:uuid}/recount", responses=responses(NO_ADMIN_KEY, NOT_ALLOWED))
def recount_votes(poll_id: PollId, key: AdminKey, polls: Service) -> RecountShown:
    """Every vote counted one by one, to prove the results: it takes as long as there are votes."""
    poll = polls.desk.managed(str(poll_id), key)
    return RecountShown.of(poll.id, polls.counting.recount(poll))

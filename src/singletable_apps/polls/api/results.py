"""Results: for those who may see them, and proved by a recount."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from fastapi import Depends, Path, Query, Response

from singletable_apps.counting.formats import WriteError, write_ballots, write_rounds
from singletable_apps.polls.api.dependencies import (
    ANYBODY,
    AdminKey,
    AdminKeyIfAny,
    Browser,
    PollId,
    Service,
)
from singletable_apps.polls.api.problems import HIDDEN, NO_ADMIN_KEY
from singletable_apps.polls.api.schemas import ExportShown, RecountShown, ResultsShown, RoundsFile
from singletable_apps.polls.service import Outcome, Polls, Viewer, Voter
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    FieldError,
    IfNoneMatch,
    Problem,
    api_router,
    download,
    responses,
)

router = api_router("results", NOT_FOUND)


def _outcome(
    poll_id: PollId,
    polls: Service,
    browser: Browser,
    key: AdminKeyIfAny,
    vote: Annotated[
        UUID | None, Query(description="The id of one's vote, where results are for who voted.")
    ] = None,
) -> Outcome:
    poll = polls.context.poll(str(poll_id))
    key = key or polls.context.key_of_maker(poll, browser)
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
    poll = polls.context.managed(str(poll_id), key)
    return RecountShown.of(poll.id, polls.counting.recount(poll))


# Votes as files for other programs: how often each ranking was voted for, never by whom or when.
#
# Rankings come by how frequent they are, so their order tells nothing of the order of votes.

exports_router = api_router("exports", NOT_FOUND, HIDDEN)
_TEXT = {"schema": {"type": "string"}}
_FILE: dict[str, Any] = {
    "description": "The file.",
    "model": ExportShown | RoundsFile,
    "headers": {"Content-Disposition": {"description": "The name of the file.", **_TEXT}},
    "content": {"text/csv": _TEXT, "text/plain": _TEXT},
}


class Format(StrEnum):
    """Of which kind a file is."""

    CSV = "csv"
    ABIF = "abif"
    JSON = "json"
    RCTAB = "rctab"


_SAVED_AS = {
    Format.CSV: ("csv", "text/csv"),
    Format.ABIF: ("abif", "text/plain"),
    Format.JSON: ("json", "application/json"),
    Format.RCTAB: ("rctab.json", "application/json"),
}


@exports_router.get(
    "/{poll_id:uuid}/export/{format}",
    response_class=Response,
    responses={200: _FILE},
    openapi_extra=ANYBODY,
)
def export_votes(
    outcome: Seen,
    polls: Service,
    form: Annotated[Format, Path(alias="format", description="The format.")],
) -> Response:
    """Rankings with counts as csv or abif, the rounds as rctab, or all of it as json."""
    ending, media_type = _SAVED_AS[form]
    try:
        content = _written(outcome, form, polls)
    except WriteError as refusal:
        words = (
            f"The name of an option of '{outcome.poll.title}' means something else in {form}. "
            "Take json, which holds any name."
        )
        raise Problem(INVALID, words, errors=[FieldError(words, parameter="format")]) from refusal
    return download(content, f"{outcome.poll.title}.{ending}", media_type)


def _written(outcome: Outcome, form: Format, polls: Polls) -> bytes:
    match form:
        case Format.CSV | Format.ABIF:
            return write_ballots(outcome.counts.ballots, form, title=outcome.poll.title)
        case Format.JSON:
            return ExportShown.whole(outcome).model_dump_json(by_alias=True, indent=1).encode()
        case Format.RCTAB:
            ended = outcome.poll.expires_at if outcome.is_final else None
            day = (ended or polls.context.clock()).date()
            return write_rounds(outcome.counts.runoff, contest=outcome.poll.title, day=day)

"""The operations of the API: create and manage polls, vote, read results, export votes."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from fastapi import Depends, Path, Query, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from ranked_ballots.formats import write_ballots
from singletable_apps.polls.api import problems, schemas
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import NotFound
from singletable_apps.polls.rules import Ballot
from singletable_apps.polls.service import PollResults, Polls, Viewer, Voter
from singletable_apps.polls.tally import PickResult
from singletable_apps.polls.urls import POLL_ID
from singletable_apps.polls.web import BROWSER, Browser, limit_guesses, new_browser_token
from singletable_apps.shared import web
from singletable_apps.shared.frame import count_request, current_service, limited
from singletable_apps.shared.web.downloads import download_table

# Anyone who knows an idempotency key can change its vote, so it must be hard to guess, like a UUID.
MIN_KEY_LENGTH = 16
_TEXT = {"schema": {"type": "string"}}

# ------------------------------------------------------------------------------ dependencies

PollId: TypeAlias = Annotated[
    str,
    Path(
        description="The id of the poll: eight letters and digits, or a UUID.",
        pattern=f"^(?:{POLL_ID})$",
        examples=["7K3MQX9T"],
    ),
]


Service: TypeAlias = Annotated[Polls, Depends(current_service)]

_ADMIN_KEY = HTTPBearer(
    scheme_name="admin key",
    description="The `adminKey` that you get when you create a poll.",
    auto_error=False,
)


async def _optional_admin_key(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_ADMIN_KEY)],
) -> str | None:
    return credentials.credentials if credentials is not None else None


OptionalAdminKey: TypeAlias = Annotated[str | None, Depends(_optional_admin_key)]


async def _admin_key(key: OptionalAdminKey) -> str:
    if key is None:
        error = web.FieldError(
            "Expected Bearer and the admin key of the poll.", header="Authorization"
        )
        raise web.Problem(problems.NO_ADMIN_KEY, errors=[error])
    return key


AdminKey: TypeAlias = Annotated[str, Depends(_admin_key)]

# ------------------------------------------------------------------------------ create and list

create_router = web.api_router("create")
_COOKIE = {"Set-Cookie": {"description": "Identifies the browser.", **_TEXT}}
_CREATED = {"headers": {**web.CREATED[201]["headers"], **_COOKIE}}


@create_router.post(
    "",
    status_code=201,
    responses={**web.responses(web.TOO_MANY_REQUESTS), 201: _CREATED},
    dependencies=limited("create"),
    openapi_extra=web.PUBLIC,
)
def create_poll(
    poll: schemas.NewPoll,
    request: Request,
    headers: web.Headers,
    service: Service,
    browser: Browser,
) -> schemas.CreatedPollSchema:
    """Create a poll, which is open at once. Save its `adminKey`; you need it to manage the poll."""
    if poll.email:
        count_request(request, "notice")
    token = browser or new_browser_token()
    managed = service.lifecycle.create(poll.to_draft(), token, email=poll.email)
    BROWSER.set(request, token)
    headers.created(managed.poll.revision, "read_poll", poll_id=managed.poll.id)
    return schemas.CreatedPollSchema.from_managed(managed, service.context.urls)


@create_router.get("", openapi_extra=web.PUBLIC)
def list_my_polls(
    service: Service, browser: Browser, page: web.Pagination
) -> web.Page[schemas.CreatedPollSchema]:
    """List the polls that this browser created, newest first; empty without its cookie."""
    if browser is None:
        return page.answer([], None)
    polls = service.lifecycle.list_created(browser, page.limit, page.cursor)
    urls = service.context.urls
    items = [schemas.CreatedPollSchema.from_managed(managed, urls) for managed in polls.items]
    return page.answer(items, polls.cursor)


# ------------------------------------------------------------------------------ read and manage

poll_router = web.api_router("polls", web.NOT_FOUND)
_MANAGED = web.responses(problems.NO_ADMIN_KEY, web.NOT_ALLOWED)
OptionName = Annotated[str, Path(description="The option.")]


@poll_router.get("/{poll_id:poll}")
def read_poll(poll_id: PollId, service: Service, look: web.IfNoneMatch) -> schemas.PollSchema:
    """Return a poll to anyone with its id."""
    poll = service.context.get_poll(poll_id)
    look.answer(poll.revision)
    return schemas.PollSchema.from_poll(poll, service.context.urls)


@poll_router.patch("/{poll_id:poll}", responses={**_MANAGED, **web.responses(problems.SETTLED)})
def edit_poll(
    poll_id: PollId,
    key: AdminKey,
    changes: schemas.PollChanges,
    service: Service,
    edit: web.IfMatch,
) -> schemas.PollSchema:
    """Edit a poll. Options and protection can change only before the first vote."""
    poll = service.lifecycle.edit(poll_id, key, changes.apply, check=edit.check)
    return _respond_edited(poll, edit, service)


@poll_router.post("/{poll_id:poll}/close", responses=_MANAGED)
def close_poll(
    poll_id: PollId, key: AdminKey, service: Service, edit: web.IfMatch
) -> schemas.PollSchema:
    """Close a poll. When you get the response, the results are final."""
    poll = service.lifecycle.close(poll_id, key, check=edit.check)
    return _respond_edited(poll, edit, service)


@poll_router.delete("/{poll_id:poll}", status_code=204, responses=_MANAGED)
def delete_poll(poll_id: PollId, key: AdminKey, service: Service, edit: web.IfMatch) -> None:
    """Delete a poll and all its votes."""
    service.lifecycle.delete(poll_id, key, check=edit.check)


@poll_router.delete(
    "/{poll_id:poll}/options/{name}",
    status_code=204,
    responses={**_MANAGED, **web.responses(problems.SETTLED)},
)
def remove_option(poll_id: PollId, name: OptionName, key: AdminKey, service: Service) -> None:
    """Remove an option that no one has voted for, in a poll where people can add options."""
    service.options.remove(poll_id, key, name)


@poll_router.put("/{poll_id:poll}/options/{name}/picture", responses=_MANAGED)
def set_picture(
    poll_id: PollId, name: OptionName, key: AdminKey, sent: schemas.NewPicture, service: Service
) -> schemas.PollSchema:
    """Set or remove the picture of an option, which is shown on the ballot and in the results."""
    poll = service.pictures.set(poll_id, key, name, sent.data, sent.alt)
    return schemas.PollSchema.from_poll(poll, service.context.urls)


@poll_router.get("/{poll_id:poll}/comments", openapi_extra=web.PUBLIC)
def list_comments(poll_id: PollId, service: Service) -> list[schemas.CommentSchema]:
    """List the comments, oldest first."""
    comments = service.comments.list_all(service.context.get_poll(poll_id))
    return [schemas.CommentSchema.model_validate(comment) for comment in comments]


@poll_router.post(
    "/{poll_id:poll}/comments",
    status_code=201,
    responses=web.responses(web.TOO_MANY_REQUESTS),
    dependencies=limited("comment"),
    openapi_extra=web.PUBLIC,
)
def add_comment(
    poll_id: PollId, comment: schemas.NewComment, service: Service
) -> schemas.CommentSchema:
    """Comment on a poll that allows it."""
    added = service.comments.add(poll_id, comment.name, comment.text)
    return schemas.CommentSchema.model_validate(added)


@poll_router.delete("/{poll_id:poll}/comments/{comment_id}", status_code=204, responses=_MANAGED)
def delete_comment(
    poll_id: PollId,
    comment_id: Annotated[str, Path(description="The id of the comment.")],
    key: AdminKey,
    service: Service,
) -> None:
    """Delete a comment."""
    service.comments.delete(poll_id, key, comment_id)


def _respond_edited(poll: Poll, edit: web.Edit, service: Polls) -> schemas.PollSchema:
    edit.answer(poll.revision)
    return schemas.PollSchema.from_poll(poll, service.context.urls)


# ------------------------------------------------------------------------------ voting codes

codes_router = web.api_router("codes", problems.NO_ADMIN_KEY, web.NOT_ALLOWED, web.NOT_FOUND)


@codes_router.post("/{poll_id:poll}/codes", status_code=201)
def issue_codes(
    poll_id: PollId, key: AdminKey, new: schemas.NewCodes, service: Service
) -> schemas.IssuedCodesSchema:
    """Issue more voting codes. You can list them again at any time."""
    issued = service.codes.issue(poll_id, key, new.count)
    urls = service.context.urls
    codes = [schemas.VotingCodeSchema.make(urls, poll_id, code, used=False) for code in issued]
    return schemas.IssuedCodesSchema(codes=codes)


@codes_router.get("/{poll_id:poll}/codes")
def list_codes(
    poll_id: PollId, key: AdminKey, service: Service, page: web.Pagination
) -> web.Page[schemas.VotingCodeSchema]:
    """List the voting codes in order, and whether each was used, but never how it voted."""
    context = service.context
    issued = range(context.get_managed_poll(poll_id, key).codes)
    numbers, following = page.slice(issued, context.secret.key)
    first = numbers[0] if numbers else 0
    codes = service.codes.list_issued(poll_id, key, first=first, size=len(numbers))
    make = partial(schemas.VotingCodeSchema.make, context.urls, poll_id)
    return page.answer([make(code.code, used=code.is_used) for code in codes], following)


# ------------------------------------------------------------------------------ voting

voting_router = web.api_router(
    "voting", web.NOT_FOUND, problems.NO_CODE, problems.CODE_USED, web.TOO_MANY_REQUESTS
)
_VOTE_HEADERS = {**web.LOCATION, **_COOKIE}
_VOTE_LIMIT = limited("vote")
VoteId = Annotated[UUID | None, Query(description="The id of a vote, for clients without cookies.")]


@voting_router.post(
    "/{poll_id:poll}/vote",
    status_code=201,
    responses={
        **web.responses(problems.CLOSED, problems.ALREADY_VOTED),
        200: {
            "description": "The vote was changed.",
            "model": schemas.VoteSchema,
            "headers": _VOTE_HEADERS,
        },
        201: {"description": "The vote is new.", "headers": _VOTE_HEADERS},
    },
    dependencies=_VOTE_LIMIT,
    openapi_extra=web.PUBLIC,
)
def cast_vote(
    poll_id: PollId,
    vote: schemas.NewVote,
    request: Request,
    response: Response,
    service: Service,
    browser: Browser,
    key: web.IdempotencyKeyIfAny,
) -> schemas.VoteSchema:
    """Cast or change a vote. The poll identifies voters by browser, by code, or not at all.

    Without a cookie you count as a new browser and get a cookie. If you may have to repeat the
    request, add an Idempotency-Key such as a UUID: the same key is the same vote. A vote cast with
    a code can be changed only with the same cookie or the same key.
    """
    _check_key(key)
    # A new browser is derived from the key: repeating it is the same vote, with or without cookie.
    token = browser or (
        service.context.secret.browser_for_request(poll_id, key) if key else new_browser_token()
    )
    voter = Voter(token, vote.code, key and f"{token} {key}", proof=token)
    with limit_guesses(request, vote.code):
        cast = service.voting.cast(poll_id, Ballot(vote.rankings, vote.maybe, vote.name), voter)
    if browser is None:
        BROWSER.set(request, token)
    response.headers["Location"] = f"{request.url.path}?vote={cast.vote.id}"
    if not cast.is_new:
        response.status_code = 200
    return schemas.VoteSchema.from_vote(cast.vote)


@voting_router.get("/{poll_id:poll}/vote", dependencies=_VOTE_LIMIT, openapi_extra=web.PUBLIC)
def read_my_vote(
    poll_id: PollId,
    request: Request,
    service: Service,
    browser: Browser,
    vote: VoteId = None,
    code: Annotated[schemas.CodeText | None, Query()] = None,
) -> schemas.VoteSchema:
    """Return your vote: by the browser's cookie, also with a code, or by the id of the vote."""
    poll, voting = service.context.get_poll(poll_id), service.voting
    voter = Voter(browser, code, proof=browser)
    if vote is not None:
        found = voting.get_vote(poll.id, str(vote))
    else:
        with limit_guesses(request, code):
            voting.vote_id(poll, voter)
        found = voting.find_vote(poll, voter)
    if found is None:
        raise NotFound(f"You have not voted in “{poll.title}” with this browser.")
    return schemas.VoteSchema.from_vote(found)


@voting_router.post(
    "/{poll_id:poll}/options",
    status_code=201,
    responses=web.responses(problems.CLOSED),
    dependencies=_VOTE_LIMIT,
    openapi_extra=web.PUBLIC,
)
def add_option(
    poll_id: PollId, option: schemas.NewOption, request: Request, service: Service
) -> schemas.PollSchema:
    """Add an option for everyone, in a poll that allows it; with voting codes, with a code."""
    with limit_guesses(request, option.code):
        poll = service.options.add(poll_id, option.name, Voter(code=option.code))
    return schemas.PollSchema.from_poll(poll, service.context.urls)


def _check_key(key: str | None) -> None:
    if key is not None and len(key) < MIN_KEY_LENGTH:
        text = f"Expected at least {MIN_KEY_LENGTH} characters, such as a UUID, but got {len(key)}."
        raise web.Problem(
            web.IDEMPOTENCY_KEY, errors=[web.FieldError(text, header="Idempotency-Key")]
        )


# ------------------------------------------------------------------------------ results

results_router = web.api_router("results", web.NOT_FOUND)


def _visible_results(
    poll_id: PollId,
    service: Service,
    browser: Browser,
    key: OptionalAdminKey,
    vote: Annotated[
        UUID | None,
        Query(description="The id of your vote, if the results are only for people who voted."),
    ] = None,
) -> PollResults:
    poll = service.context.get_poll(poll_id)
    key = key or service.context.admin_key_of_creator(poll, browser)
    viewer = Viewer(Voter(browser), None if vote is None else str(vote), key)
    service.results.check_visible(poll, viewer)
    return service.results.compute(poll)


# The results of the poll, if the client can see them.
VisibleResults: TypeAlias = Annotated[PollResults, Depends(_visible_results)]


@results_router.get(
    "/{poll_id:poll}/results", responses=web.responses(problems.HIDDEN), openapi_extra=web.PUBLIC
)
def read_results(
    results: VisibleResults, look: web.IfNoneMatch, service: Service
) -> schemas.ResultsSchema | schemas.PickResultsSchema:
    """Return the current results. Send the last ETag as If-None-Match; 304 means nothing is new."""
    look.answer(results.version)
    voters = service.results.list_voters(results.poll)
    if isinstance(results.count, PickResult):
        return schemas.PickResultsSchema.from_results(results, results.count, voters)
    return schemas.ResultsSchema.from_results(results, voters)


# ------------------------------------------------------------------------------ exports

exports_router = web.api_router("exports", web.NOT_FOUND, problems.HIDDEN)
_FILE: dict[str, Any] = {
    "description": "The file.",
    "model": schemas.ExportSchema | schemas.PickResultsSchema,
    "headers": web.FILE_NAME,
    "content": {"text/csv": _TEXT},
}


class Format(StrEnum):
    """The formats of exports."""

    CSV = "csv"
    JSON = "json"


@exports_router.get(
    "/{poll_id:poll}/export/{format}",
    response_class=Response,
    responses={200: _FILE},
    openapi_extra=web.PUBLIC,
)
def export_votes(
    results: VisibleResults,
    service: Service,
    file_format: Annotated[Format, Path(alias="format", description="The format.")],
) -> Response:
    """Export votes per ranking or option (csv), or everything (json).

    Rankings are sorted by their number of votes: nothing shows who voted when.
    """
    title, count = results.poll.title, results.count
    if file_format is Format.JSON:
        voters = service.results.list_voters(results.poll)
        export: schemas.ResponseModel
        if isinstance(count, PickResult):
            export = schemas.PickResultsSchema.from_results(results, count, voters)
        else:
            export = schemas.ExportSchema.from_results(results, voters)
        content = export.model_dump_json(by_alias=True, indent=1).encode()
        return web.download(content, f"{title}.json", "application/json")
    if isinstance(count, PickResult):
        rows = [(name, count.votes[name], count.maybe[name]) for name in count.votes]
        return download_table(["option", "votes", "maybe"], rows, title, "csv")
    return web.download(write_ballots(count.ballots, "csv"), f"{title}.csv", "text/csv")


ROUTERS = (create_router, poll_router, codes_router, voting_router, results_router, exports_router)

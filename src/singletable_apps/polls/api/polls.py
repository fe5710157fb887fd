"""Making polls, and finding one's own again."""

from __future__ import annotations

from fastapi import Depends, Request, Response

from singletable_apps.polls.api import cookies
from singletable_apps.polls.api.dependencies import (
    ANYBODY,
    AdminKey,
    Api,
    Browser,
    PollId,
    Service,
    ThisApi,
    by_address,
)
from singletable_apps.polls.api.problems import NO_ADMIN_KEY, SETTLED
from singletable_apps.polls.api.schemas import (
    CodeShown,
    IssuedCodes,
    NewCodes,
    NewPoll,
    OwnPoll,
    PollChanges,
    PollShown,
)
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.service import Own
from singletable_apps.polls.urls import share_link
from singletable_apps.shared.qr import qr_svg
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    Edit,
    IfMatch,
    IfNoneMatch,
    OffsetCursors,
    Page,
    Pagination,
    api_router,
    etag,
    responses,
)

create_router = api_router("making")
_TEXT = {"schema": {"type": "string"}}
_MADE = {
    "Location": {"description": "Where the poll is.", **_TEXT},
    "ETag": {"description": "The tag of what is there now.", **_TEXT},
    "Set-Cookie": {"description": "Knows the browser again that made it.", **_TEXT},
}
_LIMITED = Depends(by_address(lambda limits: limits.make))


@create_router.post(
    "",
    status_code=201,
    responses={**responses(TOO_MANY_REQUESTS), 201: {"headers": _MADE}},
    dependencies=[_LIMITED],
    openapi_extra=ANYBODY,
)
def make_poll(
    sent: NewPoll, request: Request, response: Response, api: ThisApi, browser: Browser
) -> OwnPoll:
    """A new poll, which is open at once. Keep the `adminKey`: nothing else manages the poll."""
    token = browser or cookies.new_token()
    own = api.polls.making.make(sent.draft(), token)
    return _made(own, token, request, response, api)


@create_router.post(
    "/{poll_id:uuid}/duplicate",
    status_code=201,
    responses={**responses(NOT_FOUND, TOO_MANY_REQUESTS), 201: {"headers": _MADE}},
    dependencies=[_LIMITED],
    openapi_extra=ANYBODY,
)
def duplicate_poll(
    poll_id: PollId, request: Request, response: Response, api: ThisApi, browser: Browser
) -> OwnPoll:
    """A poll of one's own that asks the same; it has no votes, and no closing time that is over."""
    token = browser or cookies.new_token()
    own = api.polls.making.copy(str(poll_id), token)
    return _made(own, token, request, response, api)


@create_router.get("", openapi_extra=ANYBODY)
def list_my_polls(api: ThisApi, browser: Browser, page: Pagination) -> Page[OwnPoll]:
    """The polls that this browser has made, the newest first; none without its cookie."""
    if browser is None:
        return page.answer([], None)
    found = api.polls.making.mine(browser, page.limit, page.cursor)
    public = api.settings.public
    return page.answer([OwnPoll.own(own, public) for own in found.items], found.cursor)


def _made(own: Own, token: str, request: Request, response: Response, api: Api) -> OwnPoll:
    cookies.BROWSER.set(request, token)
    response.headers["Location"] = request.app.url_path_for("read_poll", poll_id=own.poll.id)
    response.headers["ETag"] = etag(own.poll.revision)
    return OwnPoll.own(own, api.settings.public)


router = api_router("polls", NOT_FOUND)
_MANAGED = responses(NO_ADMIN_KEY, NOT_ALLOWED)
_SVG = {"description": "The QR code.", "content": {"image/svg+xml": {"schema": {"type": "string"}}}}


@router.get("/{poll_id:uuid}")
def read_poll(poll_id: PollId, api: ThisApi, look: IfNoneMatch) -> PollShown:
    """A poll, for everybody who knows its id."""
    poll = api.polls.context.poll(str(poll_id))
    look.answer(poll.revision)
    return PollShown.of(poll, api.settings.public)


@router.patch("/{poll_id:uuid}", responses={**_MANAGED, **responses(SETTLED)})
def change_poll(
    poll_id: PollId, key: AdminKey, sent: PollChanges, api: ThisApi, edit: IfMatch
) -> PollShown:
    """Some things about a poll; options, and how one votes, only while nobody has voted."""
    poll = api.polls.changing.change(str(poll_id), key, sent.on, basis=edit.check)
    return _shown(poll, edit, api)


@router.post("/{poll_id:uuid}/close", responses=_MANAGED)
def close_poll(poll_id: PollId, key: AdminKey, api: ThisApi, edit: IfMatch) -> PollShown:
    """Take no more votes. The results are final when this is answered."""
    poll = api.polls.changing.close(str(poll_id), key, basis=edit.check)
    return _shown(poll, edit, api)


@router.delete("/{poll_id:uuid}", status_code=204, responses=_MANAGED)
def delete_poll(poll_id: PollId, key: AdminKey, polls: Service, edit: IfMatch) -> None:
    """Delete a poll with every vote in it."""
    polls.deleting.delete(str(poll_id), key, basis=edit.check)


@router.get("/{poll_id:uuid}/qr.svg", response_class=Response, responses={200: _SVG})
def draw_qr_code(poll_id: PollId, api: ThisApi) -> Response:
    """The link to the poll as a picture that phones read."""
    poll = api.polls.context.poll(str(poll_id))
    drawn = qr_svg(share_link(api.settings.public, poll.id))
    return Response(drawn, media_type="image/svg+xml")


def _shown(poll: Poll, edit: Edit, api: Api) -> PollShown:
    edit.answer(poll.revision)
    return PollShown.of(poll, api.settings.public)


codes_router = api_router("codes", NO_ADMIN_KEY, NOT_ALLOWED, NOT_FOUND)


@codes_router.post("/{poll_id:uuid}/codes", status_code=201)
def issue_codes(poll_id: PollId, key: AdminKey, sent: NewCodes, api: ThisApi) -> IssuedCodes:
    """So many codes more; they can be listed again at any time."""
    issued = api.polls.making.issue_codes(str(poll_id), key, sent.count)
    public = api.settings.public
    codes = [CodeShown.of(public, str(poll_id), code, used=False) for code in issued]
    return IssuedCodes(codes=codes)


@codes_router.get("/{poll_id:uuid}/codes")
def list_codes(poll_id: PollId, key: AdminKey, api: ThisApi, page: Pagination) -> Page[CodeShown]:
    """The codes in the order of their numbers, and which were voted with; never for what."""
    offsets = OffsetCursors(api.polls.context.secret.key)
    position = offsets.open(page)
    first = position if isinstance(position, int) else 0
    codes = api.polls.making.codes(str(poll_id), key, first=first, size=page.limit + 1)
    following = offsets.seal(page, first + page.limit) if len(codes) > page.limit else None
    public = api.settings.public
    shown = [
        CodeShown.of(public, str(poll_id), one.code, used=one.is_used)
        for one in codes[: page.limit]
    ]
    return page.answer(shown, following)

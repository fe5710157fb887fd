"""Making polls, and finding one's own again."""

from __future__ import annotations

from fastapi import Depends, Request, Response

from singletable_apps.polls.api import browsers
from singletable_apps.polls.api.asking import ANYBODY, Api, Browser, PollId, ThisApi, by_address
from singletable_apps.polls.api.models.polls import NewPoll, OwnPoll
from singletable_apps.polls.api.refusals import topic
from singletable_apps.polls.service import Own
from singletable_apps.shared.web import NOT_FOUND, TOO_MANY, Page, Paging, etag, responses

router = topic("making")
_TEXT = {"schema": {"type": "string"}}
_MADE = {
    "Location": {"description": "Where the poll is.", **_TEXT},
    "ETag": {"description": "The tag of what is there now.", **_TEXT},
    "Set-Cookie": {"description": "Knows the browser again that made it.", **_TEXT},
}
_LIMITED = Depends(by_address(lambda limits: limits.make))


@router.post(
    "",
    status_code=201,
    responses={**responses(TOO_MANY), 201: {"headers": _MADE}},
    dependencies=[_LIMITED],
    openapi_extra=ANYBODY,
)
def make_poll(
    sent: NewPoll, request: Request, response: Response, api: ThisApi, browser: Browser
) -> OwnPoll:
    """A new poll, which is open at once. Keep the `adminKey`: nothing else manages the poll."""
    token = browser or browsers.new_token()
    own = api.polls.making.make(sent.draft(), token)
    return _made(own, token, request, response, api)


@router.post(
    "/{poll_id:uuid}/duplicate",
    status_code=201,
    responses={**responses(NOT_FOUND, TOO_MANY), 201: {"headers": _MADE}},
    dependencies=[_LIMITED],
    openapi_extra=ANYBODY,
)
def duplicate_poll(
    poll_id: PollId, request: Request, response: Response, api: ThisApi, browser: Browser
) -> OwnPoll:
    """A poll of one's own that asks the same; it has no votes, and no closing time that is over."""
    token = browser or browsers.new_token()
    own = api.polls.making.copy(str(poll_id), token)
    return _made(own, token, request, response, api)


@router.get("", openapi_extra=ANYBODY)
def list_my_polls(api: ThisApi, browser: Browser, page: Paging) -> Page[OwnPoll]:
    """The polls that this browser has made, the newest first; none without its cookie."""
    if browser is None:
        return page.answer([], None)
    found = api.polls.making.mine(browser, page.limit, page.cursor)
    public = api.settings.public
    return page.answer([OwnPoll.own(own, public) for own in found.items], found.cursor)


def _made(own: Own, token: str, request: Request, response: Response, api: Api) -> OwnPoll:
    browsers.keep(response, token, secure=api.settings.secure_cookies)
    response.headers["Location"] = request.app.url_path_for("read_poll", poll_id=own.poll.id)
    response.headers["ETag"] = etag(own.poll.revision)
    return OwnPoll.own(own, api.settings.public)

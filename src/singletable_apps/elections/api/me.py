"""Who asks: their account, what they have been doing, and where they are signed in."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Response

from singletable_apps.elections.api.asking import Service, SignedInUser, ThisApi, Viewer
from singletable_apps.elections.api.models.people import Account, OwnActivity, SessionShown
from singletable_apps.elections.api.refusals import topic
from singletable_apps.elections.api.slicing import sliced
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_SIGNED_IN,
    TOO_MANY,
    Page,
    Paging,
    etag,
    responses,
)

router = topic("me", NOT_SIGNED_IN, TOO_MANY)


@router.get("/me", responses=responses(NOT_ALLOWED))
def read_me(user: Viewer, response: Response) -> Account:
    """One's own account."""
    response.headers["ETag"] = etag(user.revision)
    return Account.of(user, user)


@router.get("/me/activity")
def read_my_activity(user: SignedInUser, elections: Service) -> OwnActivity:
    """What one has been doing; also for who may do nothing yet."""
    found = elections.queries.activity(user)
    return OwnActivity(
        user_name=found.user_name,
        role=found.role,
        elections_owned=found.elections_owned,
        ballots_cast=found.ballots_cast,
    )


@router.get("/me/sessions")
def list_my_sessions(user: SignedInUser, api: ThisApi, page: Paging) -> Page[SessionShown]:
    """Where one is signed in, the session that was used last first."""
    some, cursor = sliced(page, api.elections.access.sessions(user), api)
    shown = [
        SessionShown(id=one.id, about=one.about, begun=one.begun, used=one.used, ends=one.ends)
        for one in some
    ]
    return page.answer(shown, cursor)


@router.delete("/me/sessions/{session}", status_code=204)
def end_my_session(
    user: SignedInUser,
    elections: Service,
    session: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", examples=["A" * 22])],
) -> None:
    """End a session. Its access token works until its minutes are over."""
    elections.access.end_session(user, session)

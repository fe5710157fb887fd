"""The way back for who has forgotten a password: a letter, and a page that it leads to."""

from __future__ import annotations

from typing import Annotated

from fastapi import BackgroundTasks, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.api.access import send_reset_letter
from singletable_apps.elections.api.asking import by_address
from singletable_apps.elections.errors import NotSignedIn, Refused
from singletable_apps.elections.pages.addresses import PREFIX, address
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import page_router, sign_in
from singletable_apps.shared.pages import Form, Typed
from singletable_apps.shared.web import client_address

router = page_router()
LIMITED = [Depends(by_address(lambda limits: limits.reset))]


class Forgetful(BaseModel):
    """Who has forgotten a password."""

    who: Annotated[str, Field(min_length=1, max_length=400)]


@router.get("/forgot")
def ask_who(request: Request, site: ThisSite) -> Response:
    """The form."""
    return site.pages.page(request, "elections/forgot.html", form=Form())


@router.post("/forgot", dependencies=LIMITED)
def send_letter(request: Request, site: ThisSite, form: Typed, tasks: BackgroundTasks) -> Response:
    """Have a letter sent to whoever it is; the answer is the same if it is nobody."""
    typed = form.read(Forgetful)
    if isinstance(typed, Form):
        return site.pages.page(request, "elections/forgot.html", 422, form=typed)
    site.elections.office.check_whole()
    # Sent after the answer, for how long it takes would tell whether there is anybody.
    tasks.add_task(send_reset_letter, site.elections, typed.who, client_address(request))
    response = site.pages.redirect(address("forgot", "sent"))
    response.background = tasks
    return response


@router.get("/forgot/sent")
def say_sent(request: Request, site: ThisSite) -> Response:
    """What happens next."""
    return site.pages.page(request, "elections/forgot_sent.html")


class NewPassword(BaseModel):
    """Another password, and the token of the letter."""

    token: str = ""
    password: str


@router.get("/reset")
def ask_for_password(
    request: Request, site: ThisSite, token: Annotated[str, Query(max_length=400)] = ""
) -> Response:
    """The form; who comes too late is told before they think of a password."""
    site.elections.office.check_whole()
    try:
        site.elections.access.check_reset(token)
    except NotSignedIn as refusal:
        return _too_late(request, site, refusal)
    return site.pages.page(request, "elections/reset.html", form=Form({"token": token}))


@router.post("/reset", dependencies=LIMITED)
def set_password(request: Request, site: ThisSite, form: Typed) -> Response:
    """Another password, and be signed in with it."""
    typed = form.read(NewPassword)
    if isinstance(typed, Form):
        return site.pages.page(request, "elections/reset.html", 422, form=typed)
    site.elections.office.check_whole()
    try:
        browser = request.headers.get("user-agent", "")
        entered = site.elections.access.reset(typed.token, typed.password, about=browser)
    except NotSignedIn as refusal:
        return _too_late(request, site, refusal)
    except Refused as refusal:
        form = form.refused(**{refusal.field or "": str(refusal)})
        return site.pages.page(request, "elections/reset.html", 422, form=form)
    sign_in(request, entered)
    return site.pages.redirect(
        PREFIX, "Your password is changed, and other browsers are signed out."
    )


def _too_late(request: Request, site: Site, refusal: NotSignedIn) -> Response:
    return site.pages.page(request, "elections/reset_refused.html", 422, why=str(refusal))

"""Leaving: ending sessions, and an account."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response

from singletable_apps.elections.pages.account import why_not_removed
from singletable_apps.elections.pages.addresses import PREFIX, address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Known, page_router, refresh_token, sign_out
from singletable_apps.shared.pages import Typed

router = page_router()
SessionId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$")]


@router.post("/account/sessions/others/end")
def end_others(request: Request, site: ThisSite, user: Known) -> Response:
    """Sign out everywhere but here."""
    access = site.elections.access
    here = access.session_of(refresh_token(request, site))
    for session in access.sessions(user):
        if session.id != here:
            access.end_session(user, session.id)
    return site.pages.redirect(address("account"), "All other browsers are signed out.")


@router.post("/account/sessions/{session}/end")
def end_session(request: Request, site: ThisSite, user: Known, session: SessionId) -> Response:
    """Sign out in one browser, this one included."""
    access = site.elections.access
    if session == access.session_of(refresh_token(request, site)):
        sign_out(request, site)
        return site.pages.redirect(PREFIX, "You are signed out.")
    access.end_session(user, session)
    return site.pages.redirect(address("account"), "That browser is signed out within minutes.")


@router.get("/account/delete")
def ask_to_delete(request: Request, site: ThisSite, user: Known) -> Response:
    """What will be lost, and what stays."""
    return site.pages.page(
        request,
        "elections/account_delete.html",
        user=user,
        why_not=why_not_removed(site, user),
        changed="",
    )


@router.post("/account/delete")
def delete_account(request: Request, site: ThisSite, user: Known, form: Typed) -> Response:
    """Remove oneself, for good."""
    try:
        site.elections.people.remove(user, user.name, based_on(form))
    except ChangedMeanwhile as refusal:
        user = site.elections.office.view.user(user.name)
        return site.pages.page(
            request,
            "elections/account_delete.html",
            412,
            user=user,
            why_not=why_not_removed(site, user),
            changed=str(refusal),
        )
    sign_out(request, site)
    return site.pages.redirect(PREFIX, "Your account is deleted.")

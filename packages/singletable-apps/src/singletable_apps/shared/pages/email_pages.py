"""Pages about a changed address, for any app.

The links in e-mails lead to `/email` and `/email/old`. At `/account/email`, signed-in users accept
an address that someone else has entered.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from singletable_apps.shared.accounts import EmailChanges, NotSignedIn
from singletable_apps.shared.pages.auth_pages import AuthPage, submit_throttled
from singletable_apps.shared.pages.forms import Form, PostedForm, submit_form

U = TypeVar("U")
Token = Annotated[str, Query(max_length=400)]


class AddressForm(BaseModel):
    """The token from the link, and the decision of the owner of the old address."""

    token: str = ""
    answer: Literal["keep", "accept"] = "keep"


class AcceptForm(BaseModel):
    """The address that was shown. The password may be in another field."""

    email: str


def address_sent(email: str) -> str:
    """Return the message after a new address was entered."""
    return f"Saved. We’ve e-mailed a link to {email}. The address changes when it is opened."


def email_router(
    find_page: Callable[[Request], AuthPage[U]],
    find_changes: Callable[[Request], EmailChanges[U]],
    *,
    rejects: tuple[type[Exception], ...],
    prefix: str = "",
) -> APIRouter:
    """Return the router. Opening a link changes nothing, because e-mail scanners open links too."""
    router = APIRouter(prefix=prefix)

    def show_expired(page: AuthPage[U], reason: str) -> Response:
        return page.render("link_expired", 422, reason=reason)

    def submit(page: AuthPage[U], form: Form, act: Callable[[AddressForm], Response]) -> Response:
        def show(rejected: Form, _: int) -> Response:
            return show_expired(page, next(iter(rejected.errors.values()), rejected.summary))

        return submit_form(form, AddressForm, act, show, rejects=(*rejects, NotSignedIn))

    @router.get("/email")
    def show_new_address(request: Request, token: Token = "") -> Response:
        page = find_page(request)
        try:
            address = find_changes(request).read(token)
        except NotSignedIn as error:
            return show_expired(page, str(error))
        return page.render("email", form=Form({"token": token}), address=address)

    @router.post("/email")
    def confirm_new_address(request: Request, form: PostedForm) -> Response:
        page = find_page(request)

        def act(values: AddressForm) -> Response:
            find_changes(request).confirm(values.token)
            home = page.home if page.user is not None else page.url("sign-in")
            return page.redirect(home, "Your e-mail address was changed.")

        return submit(page, form, act)

    @router.get("/email/old")
    def show_old_address(request: Request, token: Token = "") -> Response:
        page = find_page(request)
        try:
            notice = find_changes(request).read_notice(token)
        except NotSignedIn as error:
            return show_expired(page, str(error))
        return page.render("email_old", form=Form({"token": token}), notice=notice)

    @router.post("/email/old")
    def decide_old_address(request: Request, form: PostedForm) -> Response:
        page = find_page(request)

        def act(values: AddressForm) -> Response:
            changes = find_changes(request)
            if values.answer == "accept":
                changes.accept_new(values.token)
                return page.redirect(page.url("sign-in"), "You accepted the new e-mail address.")
            changes.keep_old(values.token)
            return page.redirect(page.url("sign-in"), "You kept your e-mail address.")

        return submit(page, form, act)

    @router.get("/account/email")
    def show_unaccepted_address(request: Request) -> Response:
        return show_unaccepted(find_page(request), Form())

    @router.post("/account/email")
    def accept_address(request: Request, form: PostedForm) -> Response:
        page = find_page(request)
        user = page.get_user()

        def act(values: AcceptForm) -> Response:
            page.cookies.check_password(request, page.auth, user, form)
            find_changes(request).accept_own(user, values.email)
            flash = "Accepted. Your password can be reset by e-mail again."
            return page.redirect(page.url("account"), flash)

        show = partial(show_unaccepted, page)
        return submit_throttled(page, form, AcceptForm, act, show, (*rejects, NotSignedIn))

    def show_unaccepted(page: AuthPage[U], form: Form, status: int = 200) -> Response:
        user = page.get_user()
        notice = find_changes(page.request).find_unaccepted(user)
        if notice is None:
            return page.redirect(page.url("account"))
        return page.render(
            "email_accept",
            status,
            form=form,
            notice=notice,
            address=page.auth.account_of(user).email,
            needs_password=page.cookies.needs_password(page.request, page.auth),
        )

    return router

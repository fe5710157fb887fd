"""Pages to sign in and out, reset a password, change it, end sessions and change addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias, TypeVar

from fastapi import APIRouter, BackgroundTasks, Depends, Path, Query, Response
from pydantic import BaseModel, Field

from singletable_apps.shared.accounts import NotSignedIn, TooManyAttempts
from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.frame.people import MemberPage, VisitorPage
from singletable_apps.shared.frame.state import limited
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import Form, PostedForm, local_url, submit_form
from singletable_apps.shared.web import client_address, set_header

AnyPage: TypeAlias = Annotated[VisitorPage, Depends(VisitorPage.visited)]
UserPage: TypeAlias = Annotated[MemberPage, Depends(MemberPage.signed_in)]
M = TypeVar("M", bound=BaseModel)
SessionId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{22}$")]
SIGNED_OUT = "You’re signed out."


class SignInForm(BaseModel):
    """A name or an e-mail address, the password, and the page to go to."""

    who: Annotated[str, Field(min_length=1, max_length=400)]
    password: Annotated[str, Field(min_length=1, max_length=2000)]
    next: str = ""


class ForgotPasswordForm(BaseModel):
    """The name or e-mail address of an account."""

    who: Annotated[str, Field(min_length=1, max_length=400)]


class ResetPasswordForm(BaseModel):
    """A new password and the token from the e-mail."""

    token: str = ""
    password: str


class PasswordForm(BaseModel):
    """The current password and a new one."""

    current: str
    new: str


def submit_throttled(
    page: VisitorPage | MemberPage,
    form: Form,
    model: type[M],
    act: Callable[[M], Response],
    show: Callable[[Form, int], Response],
) -> Response:
    """Submit a form. It is shown again if it is rejected, or after too many attempts (429)."""
    try:
        return submit_form(form, model, act, show, rejects=(RequestRejected,))
    except TooManyAttempts as error:
        set_header(page.request, "Retry-After", str(error.seconds))
        return show(form.with_errors(str(error)), 429)


router = APIRouter()


@router.get("/sign-in")
def show_sign_in(
    page: AnyPage, next_url: Annotated[str, Query(alias="next")] = "", again: bool = False
) -> Response:
    """Show the form to sign in; with `again`, even to a signed-in user."""
    if page.visitor is not None and not again:
        return page.redirect(local_url(next_url, page.urls.home))
    return page.render("sign_in", form=Form({"next": next_url}))


@router.post("/sign-in", dependencies=limited("sign_in"))
def submit_sign_in(page: AnyPage, form: PostedForm) -> Response:
    """Sign in."""
    request, auth, cookies = page.request, page.state.auth, page.state.cookies

    def act(values: SignInForm) -> Response:
        signed_in = auth.sign_in(
            values.who,
            values.password,
            address=client_address(request),
            about=page.user_agent,
            device=cookies.device(request),
        )
        # Its cookies are replaced. Otherwise it would stay open, unused, for a month.
        auth.sign_out(cookies.refresh_token(request))
        cookies.remember(request, signed_in)
        return page.redirect(local_url(values.next, page.urls.home))

    return submit_throttled(page, form, SignInForm, act, page.shows("sign_in"))


@router.post("/sign-out")
def submit_sign_out(page: AnyPage) -> Response:
    """Sign out."""
    page.state.cookies.sign_out(page.request, page.state.auth)
    return page.redirect(page.urls.signed_out, SIGNED_OUT)


@router.get("/forgot")
def show_forgot_password(page: AnyPage) -> Response:
    """Show the form that requests a password reset."""
    return page.render("forgot", form=Form())


@router.post("/forgot", dependencies=limited("sign_in"))
def submit_forgot_password(page: AnyPage, form: PostedForm) -> Response:
    """Send an e-mail with a link, if there is such an account."""

    def act(values: ForgotPasswordForm) -> Response:
        tasks, address = BackgroundTasks(), client_address(page.request)
        # Sent after the response: how long it takes would reveal whether the account exists.
        tasks.add_task(page.state.auth.try_request_reset, values.who, address=address)
        response = page.redirect(page.url("forgot", "sent"))
        response.background = tasks
        return response

    return submit_form(form, ForgotPasswordForm, act, page.shows("forgot"))


@router.get("/forgot/sent")
def show_reset_sent(page: AnyPage) -> Response:
    """Say that an e-mail is on its way."""
    return page.render("forgot_sent")


@router.get("/reset")
def show_reset(page: AnyPage, token: Annotated[str, Query(max_length=400)] = "") -> Response:
    """Show the form for a new password."""
    try:
        page.state.auth.check_reset(token)
    except NotSignedIn as error:
        return page.render("reset_expired", 422, reason=str(error))
    return page.render("reset", form=Form({"token": token}))


@router.post("/reset", dependencies=limited("sign_in"))
def submit_reset(page: AnyPage, form: PostedForm) -> Response:
    """Set a new password with the token of an e-mail, and sign in."""

    def act(values: ResetPasswordForm) -> Response:
        try:
            signed_in = page.state.auth.reset(values.token, values.password, about=page.user_agent)
        except NotSignedIn as error:
            return page.render("reset_expired", 422, reason=str(error))
        page.state.cookies.remember(page.request, signed_in)
        flash = "Password saved. You’re signed in here, and signed out everywhere else."
        return page.redirect(page.urls.home, flash)

    show, rejects = page.shows("reset"), (RequestRejected,)
    return submit_form(form, ResetPasswordForm, act, show, rejects=rejects)


@router.post("/account/sessions/others/end")
def end_other_sessions(page: UserPage) -> Response:
    """Sign out everywhere else."""
    page.auth.end_other_sessions(page.user, _current_session(page))
    return page.redirect(page.url("account"), "You’re signed out everywhere else.")


@router.post("/account/sessions/{session}/end")
def end_session(page: UserPage, session: SessionId) -> Response:
    """Sign out somewhere."""
    if session == _current_session(page):
        page.cookies.sign_out(page.request, page.auth)
        return page.redirect(page.urls.signed_out, SIGNED_OUT)
    page.auth.end_session(page.user, session)
    return page.redirect(page.url("account"), "That browser is signed out.")


def _current_session(page: MemberPage) -> str | None:
    return page.auth.session_of(page.cookies.access_token(page.request))


# ------------------------------------------------------------------------------ e-mail addresses

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
    text = "Saved. We’ve e-mailed a link to %(email)s. The address changes when it is opened."
    return Phrase(text, email=email)


# Links in e-mails lead to `/email` and `/email/old`. Opening one changes nothing, because e-mail
# scanners open links too.
email_router = APIRouter()


def _show_expired(page: VisitorPage, reason: str) -> Response:
    return page.render("link_expired", 422, reason=reason)


def _submit(page: VisitorPage, form: Form, act: Callable[[AddressForm], Response]) -> Response:
    def show(rejected: Form, _: int) -> Response:
        return _show_expired(page, next(iter(rejected.errors.values()), rejected.summary))

    return submit_form(form, AddressForm, act, show, rejects=(RequestRejected,))


@email_router.get("/email")
def show_new_address(page: AnyPage, token: Token = "") -> Response:
    """Ask whether a new address is right."""
    try:
        address = page.people.emails.read(token)
    except NotSignedIn as error:
        return _show_expired(page, str(error))
    return page.render("email", form=Form({"token": token}), address=address)


@email_router.post("/email")
def confirm_new_address(page: AnyPage, form: PostedForm) -> Response:
    """Change the address."""

    def act(values: AddressForm) -> Response:
        page.people.emails.confirm(values.token)
        home = page.urls.home if page.visitor is not None else page.url("sign-in")
        return page.redirect(home, "Your e-mail address was changed.")

    return _submit(page, form, act)


@email_router.get("/email/old")
def show_old_address(page: AnyPage, token: Token = "") -> Response:
    """Ask the owner of the old address whether the new one is theirs."""
    try:
        notice = page.people.emails.read_notice(token)
    except NotSignedIn as error:
        return _show_expired(page, str(error))
    return page.render("email_old", form=Form({"token": token}), notice=notice)


@email_router.post("/email/old")
def decide_old_address(page: AnyPage, form: PostedForm) -> Response:
    """Keep the old address, or accept the new one."""

    def act(values: AddressForm) -> Response:
        if values.answer == "accept":
            page.people.emails.accept_new(values.token)
            return page.redirect(page.url("sign-in"), "You accepted the new e-mail address.")
        page.people.emails.keep_old(values.token)
        return page.redirect(page.url("sign-in"), "You kept your e-mail address.")

    return _submit(page, form, act)


@email_router.get("/account/email")
def show_unaccepted_address(page: UserPage) -> Response:
    """Show the address that someone else has entered."""
    return _show_unaccepted(page, Form())


@email_router.post("/account/email")
def accept_address(page: UserPage, form: PostedForm) -> Response:
    """Accept the address that someone else has entered."""

    def act(values: AcceptForm) -> Response:
        page.cookies.check_password(page.request, page.auth, page.user, form)
        page.people.emails.accept_own(page.user, values.email)
        flash = "Accepted. Your password can be reset by e-mail again."
        return page.redirect(page.url("account"), flash)

    def show(form: Form, status: int) -> Response:
        return _show_unaccepted(page, form, status)

    return submit_throttled(page, form, AcceptForm, act, show)


def _show_unaccepted(page: MemberPage, form: Form, status: int = 200) -> Response:
    notice = page.people.emails.find_unaccepted(page.user)
    if notice is None:
        return page.redirect(page.url("account"))
    return page.render(
        "email_accept",
        status,
        form=form,
        notice=notice,
        address=page.auth.account_of(page.user).email,
        needs_password=page.needs_password,
    )

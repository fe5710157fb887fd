"""Pages to sign in and out, reset a password, change it, end sessions and change addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Generic, Literal, TypeVar

from fastapi import APIRouter, BackgroundTasks, Path, Query, Request, Response
from fastapi.params import Depends
from pydantic import BaseModel, Field

from singletable_apps.shared.accounts import Auth, EmailChanges, NotSignedIn, TooManyAttempts
from singletable_apps.shared.pages.forms import Form, PostedForm, submit_form
from singletable_apps.shared.pages.pages import Pages
from singletable_apps.shared.pages.sessions import SessionCookies
from singletable_apps.shared.pages.urls import local_url
from singletable_apps.shared.web import client_address, set_header

U = TypeVar("U")
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


@dataclass(frozen=True)
class AuthPage(Generic[U]):
    """A request for one of these pages, and how the app shows it.

    `user` is who is signed in, as `cookies.visitor` returned it. `url(*parts)` returns the URL of a
    page. After signing in one goes to `home`, and after signing out to `signed_out`. Templates
    extend `frame` and call the name or address to sign in with `login`. The sign-in page has
    further `links`: a question, a text and a URL.
    """

    request: Request
    pages: Pages
    auth: Auth[U]
    cookies: SessionCookies
    user: U | None
    url: Callable[..., str]
    home: str
    signed_out: str
    frame: str = "frame.html"
    login: str = "E-mail address"
    links: Sequence[tuple[str, str, str]] = ()

    @property
    def user_agent(self) -> str:
        """Return the User-Agent, which describes a session to its owner."""
        return self.request.headers.get("user-agent", "")

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render one of the templates in `templates/auth`."""
        return self.pages.render(
            self.request,
            f"auth/{template}.html",
            status,
            frame=self.frame,
            login=self.login,
            more_links=self.links,
            url=self.url,
            **context,
        )

    def redirect(self, url: str, flash: str = "") -> Response:
        """Redirect after something was done, and show a message there."""
        return self.pages.redirect(self.request, url, flash)

    def get_user(self) -> U:
        """Return the signed-in account, or raise NotSignedIn."""
        if self.user is None:
            raise NotSignedIn("Sign in to see this page.")
        return self.user

    def current_session(self) -> str | None:
        """Return the ID of this browser's session, or None."""
        return self.auth.session_of(self.cookies.access_token(self.request))


def account_router(
    find_page: Callable[[Request], AuthPage[U]],
    show_account: Callable[[Request, Form, int], Response],
    *,
    rejects: tuple[type[Exception], ...],
    find_changes: Callable[[Request], EmailChanges[U]] | None = None,
    prefix: str = "",
    limits: Sequence[Depends] = (),
) -> APIRouter:
    """Return the router of these pages.

        /sign-in /sign-out /forgot /forgot/sent /reset /email /email/old
        /account/password /account/email
        /account/sessions/{id}/end /account/sessions/others/end

    `show_account(request, form, status)` renders the app's account page, with the password form.
    `rejects` are the app's errors for passwords that are not acceptable. `find_changes` is
    left out if addresses cannot be changed. The `limits` are dependencies of the requests to
    sign in and to reset a password.
    """
    router = APIRouter(prefix=prefix)
    if find_changes is not None:
        add_email_pages(router, find_page, find_changes, rejects)

    @router.get("/sign-in")
    def show_sign_in(
        request: Request, next_url: Annotated[str, Query(alias="next")] = "", again: bool = False
    ) -> Response:
        page = find_page(request)
        if page.user is not None and not again:
            return page.redirect(local_url(next_url, page.home))
        return page.render("sign_in", form=Form({"next": next_url}))

    @router.post("/sign-in", dependencies=limits)
    def submit_sign_in(request: Request, form: PostedForm) -> Response:
        page = find_page(request)

        def show(form: Form, status: int) -> Response:
            return page.render("sign_in", status, form=form)

        def act(values: SignInForm) -> Response:
            address = client_address(request)
            signed_in = page.auth.sign_in(
                values.who,
                values.password,
                address=address,
                about=page.user_agent,
                device=page.cookies.device(request),
            )
            # Its cookies are replaced. Otherwise it would stay open, unused, for a month.
            page.auth.sign_out(page.cookies.refresh_token(request))
            page.cookies.remember(request, signed_in)
            return page.redirect(local_url(values.next, page.home))

        return submit_throttled(page, form, SignInForm, act, show, (NotSignedIn,))

    @router.post("/sign-out")
    def submit_sign_out(request: Request) -> Response:
        page = find_page(request)
        page.cookies.sign_out(request, page.auth)
        return page.redirect(page.signed_out, SIGNED_OUT)

    @router.get("/forgot")
    def show_forgot_password(request: Request) -> Response:
        return find_page(request).render("forgot", form=Form())

    @router.post("/forgot", dependencies=limits)
    def submit_forgot_password(request: Request, form: PostedForm) -> Response:
        page = find_page(request)

        def act(values: ForgotPasswordForm) -> Response:
            tasks = BackgroundTasks()
            # Sent after the response: how long it takes would reveal whether the account exists.
            tasks.add_task(page.auth.try_request_reset, values.who, address=client_address(request))
            response = page.redirect(page.url("forgot", "sent"))
            response.background = tasks
            return response

        def show(form: Form, status: int) -> Response:
            return page.render("forgot", status, form=form)

        return submit_form(form, ForgotPasswordForm, act, show)

    @router.get("/forgot/sent")
    def show_reset_sent(request: Request) -> Response:
        return find_page(request).render("forgot_sent")

    @router.get("/reset")
    def show_reset(request: Request, token: Annotated[str, Query(max_length=400)] = "") -> Response:
        page = find_page(request)
        try:
            page.auth.check_reset(token)
        except NotSignedIn as error:
            return page.render("reset_expired", 422, reason=str(error))
        return page.render("reset", form=Form({"token": token}))

    @router.post("/reset", dependencies=limits)
    def submit_reset(request: Request, form: PostedForm) -> Response:
        page = find_page(request)

        def act(values: ResetPasswordForm) -> Response:
            try:
                signed_in = page.auth.reset(values.token, values.password, about=page.user_agent)
            except NotSignedIn as error:
                return page.render("reset_expired", 422, reason=str(error))
            page.cookies.remember(request, signed_in)
            flash = "Password saved. You’re signed in here, and signed out everywhere else."
            return page.redirect(page.home, flash)

        def show(form: Form, status: int) -> Response:
            return page.render("reset", status, form=form)

        return submit_form(form, ResetPasswordForm, act, show, rejects=rejects)

    @router.post("/account/password")
    def submit_password(request: Request, form: PostedForm) -> Response:
        page = find_page(request)
        user = page.get_user()

        def act(values: PasswordForm) -> Response:
            signed_in = page.auth.change_own_password(
                user, values.current, values.new, about=page.user_agent
            )
            page.cookies.remember(request, signed_in)
            flash = "Password changed. You’re signed out everywhere else."
            return page.redirect(page.url("account"), flash)

        def show(form: Form, status: int) -> Response:
            return show_account(request, form, status)

        return submit_throttled(page, form, PasswordForm, act, show, (*rejects, NotSignedIn))

    @router.post("/account/sessions/others/end")
    def end_other_sessions(request: Request) -> Response:
        page = find_page(request)
        page.auth.end_other_sessions(page.get_user(), page.current_session())
        return page.redirect(page.url("account"), "You’re signed out everywhere else.")

    @router.post("/account/sessions/{session}/end")
    def end_session(request: Request, session: SessionId) -> Response:
        page = find_page(request)
        user = page.get_user()
        if session == page.current_session():
            page.cookies.sign_out(request, page.auth)
            return page.redirect(page.signed_out, SIGNED_OUT)
        page.auth.end_session(user, session)
        flash = "That browser is signed out."
        return page.redirect(page.url("account"), flash)

    return router


M = TypeVar("M", bound=BaseModel)


def submit_throttled(
    page: AuthPage[U],
    form: Form,
    model: type[M],
    act: Callable[[M], Response],
    show: Callable[[Form, int], Response],
    rejects: tuple[type[Exception], ...],
) -> Response:
    """Submit a form; after too many attempts show it again (429)."""
    try:
        return submit_form(form, model, act, show, rejects=rejects)
    except TooManyAttempts as error:
        set_header(page.request, "Retry-After", str(error.seconds))
        return show(form.with_errors(str(error)), 429)


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
    return f"Saved. We’ve e-mailed a link to {email}. The address changes when it is opened."


def add_email_pages(
    router: APIRouter,
    find_page: Callable[[Request], AuthPage[U]],
    find_changes: Callable[[Request], EmailChanges[U]],
    rejects: tuple[type[Exception], ...],
) -> None:
    """Add the pages about a changed address.

    The links in e-mails lead to `/email` and `/email/old`. At `/account/email`, signed-in users
    accept an address that someone else has entered. Opening a link changes nothing, because e-mail
    scanners open links too.
    """

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

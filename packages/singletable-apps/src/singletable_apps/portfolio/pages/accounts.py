"""Set up the site; the people of the site, on pages of `shared`."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from singletable_apps.portfolio.pages.dependencies import AnyPage
from singletable_apps.portfolio.rules import ROLES
from singletable_apps.shared.frame.people import Column, PeopleSpec, RemovalText, RoleName
from singletable_apps.shared.pages import FORM_METHODS, Form, PostedForm
from singletable_apps.shared.permissions import NotPermitted

router = APIRouter(prefix="/admin")

PEOPLE = PeopleSpec(
    roles=[RoleName(role, *words) for role, words in ROLES.items()],
    removal=RemovalText(
        (
            ("Removed", "The account. It is signed out everywhere."),
            ("Kept", "All posts, images and comments. Owners can edit them."),
        ),
        "Posts, images and comments stay on the site.",
    ),
    columns=[Column("Last sign-in", lambda user: user.last_login, "moment", "Invited")],
    hints={
        "list": "Everyone who can sign in and write here.",
        "account.name": "Readers see it with the posts you write from now on.",
        "invite.name": "Readers see it with their posts.",
        "invite.email": "They sign in with it.",
        "person.name": "Readers see it with the posts written from now on.",
    },
)


class SetUpForm(BaseModel):
    """The site and its first account. The service checks the values."""

    site_title: str
    name: str
    email: str
    password: str
    setup_code: str = ""


@router.api_route("/set-up", methods=FORM_METHODS)
def set_up(
    page: AnyPage, form: PostedForm, code: Annotated[str, Query(max_length=100)] = ""
) -> Response:
    """Create the site and its owner, and sign them in. This can be done once."""
    if page.request.method == "GET" and page.service.profile.is_set_up():
        return page.redirect(page.urls.admin("sign-in"))

    def act(values: SetUpForm) -> Response:
        try:
            owner = page.service.accounts.set_up(**dict(values))
        except NotPermitted as error:
            return page.redirect(page.urls.admin("sign-in"), str(error))
        page.sign_in(owner)
        return page.redirect(page.urls.admin(), f"Welcome, {owner.name}! Your site is ready.")

    return page.fill(form, Form({"setup_code": code}), SetUpForm, act, page.shows("set_up"))

"""What page handlers depend on: the site, the person who is signed in, and the navigation.

A handler looks like this; its template extends `skills/frame.html` and fills the block `page`:

    @router.get("/catalog/{skill_id}")
    def show_skill(page: UserPage, skill_id: Segment) -> Response:
        return page.render("skill", skill=page.service.context.get_skill(skill_id))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request
from fastapi import Path as PathParameter

from singletable_apps.shared import pages
from singletable_apps.shared.accounts import Auth
from singletable_apps.shared.pages import (
    Link,
    Pages,
    PasswordPrompt,
    Product,
    SessionCookies,
    path_of,
)
from singletable_apps.skills.entities import User
from singletable_apps.skills.errors import DirectoryBusy, InvalidInput, NotSignedIn
from singletable_apps.skills.limits import Limits
from singletable_apps.skills.rules import PERMISSIONS, Permission
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.urls import PREFIX, Urls

COOKIES = SessionCookies("skills")
Segment = Annotated[str, PathParameter(max_length=200)]


@dataclass(frozen=True)
class SkillsSite:
    """What every page handler uses."""

    service: SkillsService
    pages: Pages
    limits: Limits = field(default_factory=Limits)


def make_site(service: SkillsService, limits: Limits) -> SkillsSite:
    """Return the site of an open service."""
    urls = service.context.urls
    templates = Pages(
        "skills",
        Path(__file__).parent.parent,
        secret=service.context.secret,
        product=Product("Skills", urls.page(), "Who knows what."),
        prefix=PREFIX,
        sign_in=urls.page("sign-in"),
        context=lambda request: _page_context(request, urls),
    )
    return SkillsSite(service, templates, limits)


def get_site(request: Request) -> SkillsSite:
    """Return the site of a request."""
    return cast(SkillsSite, request.app.state.skills_pages)


async def _current_site(request: Request) -> SkillsSite:
    return get_site(request)


CurrentSite: TypeAlias = Annotated[SkillsSite, Depends(_current_site)]

# The navigation: the text, the path, and who sees it.
_NAVIGATION = (
    ("People", "people", Permission.EDIT_OWN),
    ("Skills", "catalog", Permission.EDIT_OWN),
    ("Search", "search", Permission.EDIT_OWN),
    ("Matrix", "matrix", Permission.EDIT_OWN),
    ("Gaps", "gaps", Permission.EDIT_OWN),
    ("Teams", "teams", Permission.EDIT_OWN),
    ("Projects", "projects", Permission.EDIT_OWN),
    ("Jobs", "roles", Permission.EDIT_OWN),
    ("Admin", "admin", Permission.ADMINISTER),
)
# Pages that are below another entry of the navigation.
_SECTIONS = {"new-role": "roles", "operations": "admin", "export": "matrix"}


def _page_context(request: Request, urls: Urls) -> Mapping[str, object]:
    """Return the variables of every page."""
    user: User | None = getattr(request.state, "user", None)
    common: dict[str, object] = {"urls": urls, "user": user}
    if user is None:
        links = [Link("Sign in", urls.page("sign-in")), Link("Register", urls.page("register"))]
        return {**common, "account_links": links}
    first = path_of(request).removeprefix(urls.page()).strip("/").split("/")[0]
    section = _SECTIONS.get(first, first)
    return {
        **common,
        "account": user.name,
        "account_links": [
            Link("Your profile", urls.person(user.username)),
            Link("Your account", urls.page("account")),
        ],
        "nav": [
            Link(text, urls.page(part), part == section)
            for text, part, permission in _NAVIGATION
            if PERMISSIONS.allows(user.role, permission)
        ],
    }


def find_visitor(request: Request, site: SkillsSite) -> User | None:
    """Return the person who is signed in, or None."""
    return COOKIES.visitor(request, site.service.accounts)


@dataclass(frozen=True)
class PageContext(pages.PageContext):
    """The request, service and templates that a page handler uses."""

    folder = "skills"
    rejects = (InvalidInput, DirectoryBusy)
    site: SkillsSite

    @property
    def pages(self) -> Pages:
        """Return the pages of the app."""
        return self.site.pages

    @property
    def service(self) -> SkillsService:
        """Return the service."""
        return self.site.service

    @property
    def urls(self) -> Urls:
        """Return the URLs of the site."""
        return self.site.service.context.urls


@dataclass(frozen=True)
class UserPageContext(PageContext, PasswordPrompt[User]):
    """A request of someone who is signed in."""

    cookies = COOKIES
    user: User

    @property
    def auth(self) -> Auth[User]:
        """Return the accounts of the app."""
        return self.service.accounts

    def invalid_field(self, field: str, message: str) -> Exception:
        """Return the app's error for a field of a form."""
        return InvalidInput({field: message})


def _any_page(request: Request, site: CurrentSite) -> PageContext:
    find_visitor(request, site)
    return PageContext(request, site)


def _user_page(request: Request, site: CurrentSite) -> UserPageContext:
    user = find_visitor(request, site)
    if user is None:
        raise NotSignedIn("Sign in to see this page.")
    return UserPageContext(request, site, user)


# A page for everyone.
AnyPage: TypeAlias = Annotated[PageContext, Depends(_any_page)]
# A page for people who are signed in. Others are redirected to the sign-in page.
UserPage: TypeAlias = Annotated[UserPageContext, Depends(_user_page)]


async def _manager_page(page: UserPage) -> UserPageContext:
    PERMISSIONS.check(page.user.role, Permission.PLAN)
    return page


async def _admin_page(page: UserPage) -> UserPageContext:
    PERMISSIONS.check(page.user.role, Permission.ADMINISTER)
    return page


ManagerPage: TypeAlias = Annotated[UserPageContext, Depends(_manager_page)]
AdminPage: TypeAlias = Annotated[UserPageContext, Depends(_admin_page)]

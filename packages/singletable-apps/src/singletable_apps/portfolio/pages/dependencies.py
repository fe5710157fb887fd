"""What page handlers depend on: the site, the person who is signed in, and the navigation.

A handler of a page for authors looks like this; its template extends `portfolio/admin.html` and
fills the block `page`:

    @router.get("/admin/media")
    def list_media(page: AuthorPage) -> Response:
        media = page.service.media.list(limit=50)
        return page.render("media", media=media)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, HTTPException, Request, Response

from singletable_apps.portfolio.entities import SiteSettings, User
from singletable_apps.portfolio.errors import InvalidInput, NotSignedIn, SiteBusy
from singletable_apps.portfolio.limits import Limits
from singletable_apps.portfolio.rules import PERMISSIONS, Permission
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared import pages
from singletable_apps.shared.accounts import Auth
from singletable_apps.shared.pages import (
    POLICY,
    Link,
    Pages,
    PasswordPrompt,
    ProblemPage,
    Product,
    SessionCookies,
    path_of,
)
from singletable_apps.shared.web import ProblemType

COOKIES = SessionCookies("portfolio")
# Previews show images of other sites, as the published post does.
AUTHOR_POLICY = POLICY.replace("img-src 'self' data:", "img-src 'self' data: https:")


@dataclass(frozen=True)
class PortfolioSite:
    """What every page handler uses."""

    service: PortfolioService
    pages: Pages
    limits: Limits = field(default_factory=Limits)

    @property
    def urls(self) -> Urls:
        """Return the URLs of the site."""
        return self.service.context.urls


def make_site(
    service: PortfolioService,
    limits: Limits,
    problem_pages: Mapping[ProblemType, ProblemPage] = MappingProxyType({}),
) -> PortfolioSite:
    """Return the site of an open service."""
    urls = service.context.urls
    templates = Pages(
        "portfolio",
        Path(__file__).parent.parent,
        secret=service.context.secret,
        product=Product("Portfolio", urls.page()),
        prefix=urls.prefix,
        sign_in=urls.admin("sign-in"),
        context=lambda request: _page_context(request, urls),
        problem_pages=problem_pages,
    )
    return PortfolioSite(service, templates, limits)


def get_site(request: Request) -> PortfolioSite:
    """Return the site of a request."""
    return cast(PortfolioSite, request.app.state.portfolio_pages)


async def _current_site(request: Request) -> PortfolioSite:
    return get_site(request)


CurrentSite: TypeAlias = Annotated[PortfolioSite, Depends(_current_site)]

# The navigation for authors: the text, the parts of the URL, and who sees it.
_NAVIGATION = (
    ("Dashboard", (), Permission.WRITE),
    ("Posts", ("posts",), Permission.WRITE),
    ("Comments", ("comments",), Permission.WRITE),
    ("Media", ("media",), Permission.WRITE),
    ("Portfolio", ("portfolio",), Permission.EDIT_SITE),
    ("Settings", ("settings",), Permission.EDIT_SITE),
    ("People", ("people",), Permission.MANAGE_ACCOUNTS),
)


def _page_context(request: Request, urls: Urls) -> Mapping[str, object]:
    """Return the variables of every page. Only pages for authors have a user and settings."""
    user: User | None = getattr(request.state, "user", None)
    settings: SiteSettings | None = getattr(request.state, "site_settings", None)
    common: dict[str, object] = {
        "urls": urls,
        "user": user,
        "links": [Link("View site", urls.page())],
    }
    if settings is not None and settings.title:
        common["product"] = Product(settings.title, urls.page(), settings.tagline)
    if user is None:
        return common
    path = path_of(request)
    return {
        **common,
        "account": user.name,
        "account_links": [
            Link("Your account", urls.admin("account")),
            Link("View site", urls.page()),
        ],
        "nav": [
            Link(text, url, _is_current(path, url))
            for text, part, permission in _NAVIGATION
            for url in [urls.admin(*part)]
            if PERMISSIONS.allows(user.role, permission)
        ],
    }


def _is_current(path: str, url: str) -> bool:
    """Return whether a page belongs to a link; only the dashboard itself to the dashboard."""
    return path == url or (path.startswith(f"{url}/") and not url.endswith("/admin"))


def find_visitor(request: Request, site: PortfolioSite) -> User | None:
    """Return who is signed in, or None. Redirect to the first-run page if the site is new."""
    settings = site.service.profile.get_settings(consistent=True)
    if settings.revision == 0:
        raise HTTPException(303, headers={"Location": site.urls.admin("set-up")})
    request.state.site_settings = settings
    return COOKIES.visitor(request, site.service.accounts)


@dataclass(frozen=True)
class PageContext(pages.PageContext):
    """The request, service and templates that a page handler uses."""

    folder = "portfolio"
    frame = "portfolio/admin.html"
    rejects = (InvalidInput, SiteBusy)
    site: PortfolioSite

    @property
    def pages(self) -> Pages:
        """Return the pages of the app."""
        return self.site.pages

    @property
    def service(self) -> PortfolioService:
        """Return the service."""
        return self.site.service

    @property
    def urls(self) -> Urls:
        """Return the URLs of the site."""
        return self.site.urls

    @property
    def settings(self) -> SiteSettings:
        """Return the settings of the site, as read for this request."""
        return cast(SiteSettings, self.request.state.site_settings)

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template of this app, named without its folder and ending."""
        response = super().render(template, status, **context)
        response.headers["Content-Security-Policy"] = AUTHOR_POLICY
        return response


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


async def _any_page(request: Request, site: CurrentSite) -> PageContext:
    return PageContext(request, site)


def _author_page(request: Request, site: CurrentSite) -> UserPageContext:
    user = find_visitor(request, site)
    if user is None:
        raise NotSignedIn("Sign in to see this page.")
    return UserPageContext(request, site, user)


# A page for everyone, also before the site is set up.
AnyPage: TypeAlias = Annotated[PageContext, Depends(_any_page)]
# A page for authors. Others are redirected to the sign-in page.
AuthorPage: TypeAlias = Annotated[UserPageContext, Depends(_author_page)]


async def _owner_page(page: AuthorPage) -> UserPageContext:
    PERMISSIONS.check(page.user.role, Permission.EDIT_SITE)
    return page


# A page for owners.
OwnerPage: TypeAlias = Annotated[UserPageContext, Depends(_owner_page)]

"""Dependencies of page handlers: the service, the signed-in person, and the navigation.

A handler of a page for authors looks like this; its template extends `portfolio/admin.html` and
fills the block `page`:

    @router.get("/admin/media")
    def list_media(page: AuthorPage) -> Response:
        media = page.service.media.list(limit=50)
        return page.render("media", media=media)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self, TypeAlias, cast
from zoneinfo import ZoneInfo

from fastapi import Depends, HTTPException, Request, Response

from singletable_apps.portfolio.entities import SiteSettings, User
from singletable_apps.portfolio.rules import PERMISSIONS, Permission
from singletable_apps.portfolio.service import PortfolioService
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared import frame
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages import POLICY, Link, Product, path_of

# Previews show images of other sites, as the published post does.
AUTHOR_POLICY = POLICY.replace("img-src 'self' data:", "img-src 'self' data: https:")


# The navigation for authors: the text, the parts of the URL, and who sees it.
_NAVIGATION = (
    (Phrase("Dashboard"), (), Permission.WRITE),
    (Phrase("Posts"), ("posts",), Permission.WRITE),
    (Phrase("Comments"), ("comments",), Permission.WRITE),
    (Phrase("Media"), ("media",), Permission.WRITE),
    (Phrase("Newsletter"), ("newsletter",), Permission.EDIT_SITE),
    (Phrase("Portfolio"), ("portfolio",), Permission.EDIT_SITE),
    (Phrase("Settings"), ("settings",), Permission.EDIT_SITE),
    (Phrase("People"), ("people",), Permission.MANAGE_ACCOUNTS),
)


def page_context(request: Request, service: PortfolioService) -> Mapping[str, object]:
    """Return the variables of every page. Only pages for authors have a user and settings."""
    urls = service.context.urls
    user: User | None = getattr(request.state, "user", None)
    settings: SiteSettings | None = getattr(request.state, "site_settings", None)
    view_site = Link(Phrase("View site"), urls.page())
    common: dict[str, object] = {"links": [view_site], "account_links": []}
    if settings is not None:
        # Times are those of the site, as in its posts.
        common["zone"] = ZoneInfo(settings.time_zone)
    if settings is not None and settings.title:
        common["product"] = Product(settings.title, urls.page(), settings.tagline)
        common["search_url"] = urls.page("search")
    if user is None:
        return common
    path = path_of(request)
    return {
        **common,
        "account_links": [
            Link(Phrase("Your account"), urls.admin("account")),
            Link(Phrase("Trash"), urls.admin("trash")),
            view_site,
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


def wants_json(request: Request) -> bool:
    """Return whether a script sent the request."""
    return "application/json" in request.headers.get("accept", "")


class PageContext(frame.PageContext[PortfolioService, Urls]):
    """The request, service and templates that a page handler uses."""

    folder = "portfolio"
    frame = "portfolio/admin.html"

    @property
    def settings(self) -> SiteSettings:
        """Return the settings of the site, as read for this request."""
        return cast(SiteSettings, self.request.state.site_settings)

    def read_settings(self) -> None:
        """Read the settings of the site. Redirect to the first-run page if the site is new."""
        settings = self.service.profile.get_settings(consistent=True)
        if settings.revision == 0:
            raise HTTPException(303, headers={"Location": self.urls.admin("set-up")})
        self.request.state.site_settings = settings

    def render(self, template: str, status: int = 200, /, **context: object) -> Response:
        """Render a template of this app, named without its folder and ending."""
        response = super().render(template, status, **context)
        response.headers["Content-Security-Policy"] = AUTHOR_POLICY
        return response


class UserPageContext(PageContext, frame.UserPageContext[PortfolioService, Urls, User]):
    """A request of a signed-in person."""

    @classmethod
    def signed_in(cls, request: Request) -> Self:
        """Return the context of a page for authors."""
        PageContext(request).read_settings()
        return super().signed_in(request)


Service: TypeAlias = Annotated[PortfolioService, Depends(frame.current_service)]
# A page for everyone, also before the site is set up.
AnyPage: TypeAlias = Annotated[PageContext, Depends(PageContext.public)]
# A page for authors. Others are redirected to the sign-in page.
AuthorPage: TypeAlias = Annotated[UserPageContext, Depends(UserPageContext.signed_in)]


async def _owner_page(page: AuthorPage) -> UserPageContext:
    PERMISSIONS.check(page.user.role, Permission.EDIT_SITE)
    return page


# A page for owners.
OwnerPage: TypeAlias = Annotated[UserPageContext, Depends(_owner_page)]

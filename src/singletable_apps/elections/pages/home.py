"""The first page: what this is, or what there is for who has signed in."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.visiting import Visitor, page_router

router = page_router()


@router.get("")
def home(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """The dashboard, or a word of welcome."""
    if visitor is None:
        return site.pages.page(request, "elections/welcome.html")
    return site.pages.page(request, "elections/dashboard.html", user=visitor)

"""Dependencies of page handlers: the signed-in person, and the navigation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi import Path as PathParameter

from singletable_apps.shared import frame
from singletable_apps.shared.pages import Form, Link, path_of
from singletable_apps.skills.entities import User
from singletable_apps.skills.rules import DEFAULT_LEVELS, PERMISSIONS, RANKS, Permission, words_of
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.urls import Urls

Segment = Annotated[str, PathParameter(max_length=200)]

# The navigation: the text, the path, and who sees it.
_NAVIGATION = (
    ("Start", "start", Permission.EDIT_OWN),
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
_SECTIONS = {"new-role": "roles", "operations": "admin", "export": "matrix", "rounds": "admin"}


def page_context(request: Request, service: SkillsService) -> Mapping[str, object]:
    """Return the variables of every page."""
    urls = service.context.urls
    common = {"search_url": urls.page("search")}
    user: User | None = getattr(request.state, "user", None)
    if user is None:
        return common
    first = path_of(request).removeprefix(urls.page()).strip("/").split("/")[0]
    section = _SECTIONS.get(first, first)
    return {
        **common,
        "ranks": RANKS,
        "settings_form": partial(settings_form, service),
        "level_names": service.context.words().levels,
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


def settings_form(service: SkillsService) -> Form:
    """Return the form with the settings of the directory."""
    directory = service.people.settings()
    values = {
        "name": directory.name,
        "registration": directory.registration.value,
        "levels": "\n".join(directory.levels or DEFAULT_LEVELS),
        "categories": "\n".join(words_of(directory).categories),
    }
    return Form({**values, "revision": directory.revision})


class PageContext(frame.PageContext[SkillsService, Urls]):
    """The request, service and templates that a page handler uses."""

    folder = "skills"


class UserPageContext(frame.UserPageContext[SkillsService, Urls, User]):
    """A request of a signed-in person."""

    folder = "skills"


# A page for everyone.
AnyPage: TypeAlias = Annotated[PageContext, Depends(PageContext.visited)]
# A page for people who are signed in. Others are redirected to the sign-in page.
UserPage: TypeAlias = Annotated[UserPageContext, Depends(UserPageContext.signed_in)]


async def _manager_page(page: UserPage) -> UserPageContext:
    PERMISSIONS.check(page.user.role, Permission.PLAN)
    return page


async def _admin_page(page: UserPage) -> UserPageContext:
    PERMISSIONS.check(page.user.role, Permission.ADMINISTER)
    return page


ManagerPage: TypeAlias = Annotated[UserPageContext, Depends(_manager_page)]
AdminPage: TypeAlias = Annotated[UserPageContext, Depends(_admin_page)]

"""The API of the skills directory: `make_skills_app(service, settings=…)` serves `/api/skills`."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

from fastapi import FastAPI

from singletable_apps.shared.web import ERROR_MEMBER, make_app
from singletable_apps.skills.api import (
    auth,
    catalog,
    entries,
    imports,
    search,
    user_skills,
    users,
)
from singletable_apps.skills.api.dependencies import ERRORS, PROBLEM_TYPES, Api, ApiSettings
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.urls import API

__all__ = ["API", "ApiSettings", "attach", "make_skills_app"]

# The paths of entries match those of other routers, which come first.
_ROUTERS = (
    auth.router,
    users.router,
    catalog.router,
    user_skills.router,
    imports.export_router,
    search.router,
    imports.router,
    entries.router,
)
# The largest bodies of forms, by path.
UPLOADS = {f"{API}/imports": 16_000_000}
_ABOUT = (
    "People and their skills.\n\n"
    "Register and sign in to get an `access_token`, and send it as `Authorization: Bearer …`. "
    "Every error is a problem (RFC 9457) with the additional member `error`. Lists take `limit` "
    "and `cursor`. People and skills are found in any spelling: `Go`, `golang` and `GoLang` are "
    "the same skill."
)


def make_skills_app(service: SkillsService, *, settings: ApiSettings | None = None) -> FastAPI:
    """Return the app of the API for a service."""
    chosen = settings or ApiSettings()
    app = make_app(
        "Skills",
        version("singletable"),
        routers=_ROUTERS,
        prefix=API,
        description=_ABOUT,
        problem_types=PROBLEM_TYPES,
        problem_members=ERROR_MEMBER,
        errors=ERRORS,
        settings=replace(chosen.web, uploads={**UPLOADS, **chosen.web.uploads}),
    )
    attach(app, service, chosen)
    return app


def attach(app: FastAPI, service: SkillsService, settings: ApiSettings) -> None:
    """Let the routers of an app use this service."""
    app.state.skills = Api(service, settings)

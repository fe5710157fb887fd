"""The pages of the skills directory: one module per topic, with templates in `templates/skills`."""

from __future__ import annotations

from fastapi import FastAPI

from singletable_apps.skills.limits import Limits
from singletable_apps.skills.pages import (
    accounts,
    catalog,
    entries,
    imports,
    operations,
    overview,
    people,
    people_admin,
    person,
    roles,
    search,
    skill,
    teams,
)
from singletable_apps.skills.pages.dependencies import SkillsSite, make_site
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.urls import PREFIX

__all__ = ["SkillsSite", "add_pages", "make_site"]

_MODULES = (
    people,
    people_admin,
    person,
    catalog,
    skill,
    search,
    teams,
    operations,
    roles,
    overview,
    entries,
    imports,
    accounts,
)


def add_pages(app: FastAPI, service: SkillsService, limits: Limits | None = None) -> SkillsSite:
    """Add the pages to an app."""
    site = make_site(service, limits or Limits())
    app.state.skills_pages = site
    for module in _MODULES:
        app.include_router(module.router, prefix=PREFIX, include_in_schema=False)
    site.pages.mount(app)
    return site

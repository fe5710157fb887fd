"""Polls on screen: one file a topic, its templates beside."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from fastapi import APIRouter, FastAPI

from singletable_apps.polls.api.dependencies import ApiSettings
from singletable_apps.polls.pages.dependencies import PROBLEM_PAGES
from singletable_apps.polls.pages.site import Site, make_site
from singletable_apps.polls.service import Polls
from singletable_apps.polls.urls import PREFIX

__all__ = ["PREFIX", "Site", "add_pages", "make_site"]


def add_pages(app: FastAPI, polls: Polls, settings: ApiSettings) -> Site:
    """Let an app serve the pages too. Every module here that has a router is a topic."""
    site = make_site(polls, settings, PROBLEM_PAGES)
    app.state.poll_pages = site
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        router = getattr(import_module(module.name), "router", None)
        if isinstance(router, APIRouter):
            app.include_router(router, prefix=PREFIX, include_in_schema=False)
    site.pages.mount(app)
    return site

"""The pages of polls: one module per topic, with its templates in `templates/polls`."""

from __future__ import annotations

from fastapi import FastAPI

from singletable_apps.polls.api.dependencies import ApiSettings
from singletable_apps.polls.pages import codes, create, home, manage, results, vote
from singletable_apps.polls.pages.dependencies import PollsSite, make_site
from singletable_apps.polls.service import Polls
from singletable_apps.polls.urls import PREFIX

__all__ = ["PREFIX", "PollsSite", "add_pages"]


def add_pages(app: FastAPI, polls: Polls, settings: ApiSettings) -> PollsSite:
    """Add the pages to the app of the API."""
    site = make_site(polls, settings)
    app.state.poll_pages = site
    for module in (home, create, vote, results, manage, codes):
        app.include_router(module.router, prefix=PREFIX, include_in_schema=False)
    site.pages.mount(app)
    return site

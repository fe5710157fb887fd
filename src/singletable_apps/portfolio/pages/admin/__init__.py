"""The pages for authors: dashboard, posts, comments, media, portfolio, settings and transfer."""

from __future__ import annotations

from fastapi import APIRouter

from singletable_apps.portfolio.pages.admin import (
    comments,
    dashboard,
    editor,
    history,
    media,
    portfolio,
    settings,
)

router = APIRouter()
# The lists of posts are before the editor: their paths look like the id of a post.
for _module in (dashboard, editor, history, comments, media, portfolio, settings):
    router.include_router(_module.router)

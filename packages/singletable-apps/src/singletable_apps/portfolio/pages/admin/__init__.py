"""The pages for authors: dashboard, posts, comments, media, portfolio, settings and transfer."""

from __future__ import annotations

from fastapi import APIRouter

from singletable_apps.portfolio.pages.admin import (
    comments,
    dashboard,
    drafts,
    editor,
    entries,
    media,
    profile,
    transfer,
    trash,
)

router = APIRouter()
# In order: lists of posts look like ids of posts, and the about page like a list of entries.
for _module in (dashboard, editor, comments, media, profile, entries, transfer, trash, drafts):
    router.include_router(_module.router)

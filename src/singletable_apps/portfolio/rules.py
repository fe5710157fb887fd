"""The rules of the site: who may do what, which input is valid, and what is public."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from singletable_apps.portfolio.entities import Blog, Listing, Role, User
from singletable_apps.shared.permissions import Permissions

MAX_MARKDOWN_BYTES = 120_000
MAX_HTML_BYTES = 240_000
MAX_TITLE = 200
MAX_TAGS, MAX_TAG = 10, 40
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Permission(StrEnum):
    """What an account may be allowed to do."""

    WRITE = "write"
    EDIT_ANY = "edit-any"
    EDIT_SITE = "edit-site"
    MANAGE_ACCOUNTS = "manage-accounts"


PERMISSIONS = Permissions(
    Role,
    {
        Permission.WRITE: (Role.AUTHOR, "Sign in to write."),
        Permission.EDIT_ANY: (Role.OWNER, "Only the owner can change other people’s posts."),
        Permission.EDIT_SITE: (Role.OWNER, "Only the owner can change the site."),
        Permission.MANAGE_ACCOUNTS: (Role.OWNER, "Only the owner can manage accounts."),
    },
)


@dataclass(frozen=True)
class PostDraft:
    """What an author enters for a post. An empty slug is derived from the title."""

    title: str
    markdown: str
    slug: str = ""
    tags: tuple[str, ...] = ()
    category: str = ""
    featured_image_url: str = ""
    featured_image_alt: str = ""
    seo_description: str = ""
    canonical_url: str = ""


def is_id(text: str) -> bool:
    """Return whether the text can be the id of a post, so that it fits into a key."""
    return _ID.fullmatch(text) is not None


def is_public(blog: Blog, now: datetime) -> bool:
    """Return whether everyone can read the post."""
    return (
        blog.listing is Listing.ALL and blog.published_at is not None and blog.published_at <= now
    )


def check_can_edit(actor: User, blog: Blog) -> None:
    """Raise NotPermitted unless the actor wrote the post or may edit every post."""
    if blog.author != actor.email:
        PERMISSIONS.check(actor.role, Permission.EDIT_ANY)

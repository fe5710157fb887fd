"""The name that stays where somebody was removed: no user can have it, for it has an `@`."""

from __future__ import annotations


def name_once_removed(user_id: int) -> str:
    """The name under which what a removed user cast remains."""
    return f"removed@{user_id}"


def is_removed(name: str) -> bool:
    """Whether this is the name of somebody who was removed."""
    return name.startswith("removed@")

"""The home page, and the directory of people."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.skills.pages.dependencies import AnyPage, UserPage

router = APIRouter()


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show what the directory is, or the directory itself to people who are signed in."""
    return page.render("home")


@router.get("/people")
def list_people(page: UserPage) -> Response:
    """List the people."""
    return page.render("people")

"""The settings of the site, and its export and import."""

from __future__ import annotations

from functools import partial
from zoneinfo import available_timezones

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.portfolio.entities import Font, Theme
from singletable_apps.portfolio.errors import InvalidInput, SiteBusy
from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext
from singletable_apps.portfolio.profile_rules import SettingsEdits
from singletable_apps.shared.pages import Form, PostedForm, submit_form

router = APIRouter()


class SettingsForm(BaseModel):
    """The fields of the settings."""

    title: str
    tagline: str
    language: str
    time_zone: str
    theme: Theme
    accent: str
    font: Font
    posts_per_page: int
    likes: bool = False
    comments: bool = False
    contact: bool = False


@router.get("/admin/settings")
def show_settings(page: OwnerPage) -> Response:
    """Show the settings in a form."""
    stored = page.settings
    values = {name: getattr(stored, name) for name in SettingsForm.model_fields}
    form = Form(
        {
            **values,
            "theme": stored.theme.value,
            "font": stored.font.value,
            "revision": stored.revision,
        }
    )
    return _show_settings(page, form, 200)


@router.post("/admin/settings")
def edit_settings(page: OwnerPage, form: PostedForm) -> Response:
    """Save the settings."""

    def save(values: SettingsForm) -> Response:
        edits = SettingsEdits(**values.model_dump())
        page.service.profile.update_settings(page.user, edits, form.revision_check())
        return page.redirect(page.urls.admin("settings"), "Settings saved.")

    return submit_form(
        form, SettingsForm, save, partial(_show_settings, page), rejects=(InvalidInput, SiteBusy)
    )


def _show_settings(page: UserPageContext, form: Form, status: int) -> Response:
    zones = sorted(zone for zone in available_timezones() if "/" in zone or zone == "UTC")
    return page.render("admin/settings", status, heading="Settings", form=form, zones=zones)

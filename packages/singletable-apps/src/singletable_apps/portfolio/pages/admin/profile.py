"""The profile, the about page and the settings of the site."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Response
from pydantic import BaseModel
from starlette.responses import JSONResponse

from singletable import evolve
from singletable.fastapi import ApiModel
from singletable_apps.portfolio import profile_rules
from singletable_apps.portfolio.custom_css import confine
from singletable_apps.portfolio.entities import Portfolio, SiteSettings
from singletable_apps.portfolio.pages.admin.drafts import forget_draft, offer_draft
from singletable_apps.portfolio.pages.admin.views import saved_text
from singletable_apps.portfolio.pages.dependencies import OwnerPage, UserPageContext, wants_json
from singletable_apps.portfolio.pages.theme import theme_stylesheet
from singletable_apps.shared.pages import FORM_METHODS, Form, Link, PostedForm
from singletable_apps.shared.service import time_zone_names

router = APIRouter()
_NETWORKS = {**profile_rules.SOCIAL_NETWORKS, "twitter": "X (Twitter)"}


def portfolio_tabs(page: UserPageContext, current: str) -> list[Link]:
    """Return the links to the parts of the portfolio; the profile is the first page."""
    return [
        Link(part.capitalize(), page.urls.admin("portfolio", *path), part == current)
        for part in ("profile", "about", "projects", "experience", "menu")
        for path in ([] if part == "profile" else [part],)
    ]


class ProfileForm(ApiModel, of=Portfolio, only="name headline profile_pic_url bio email"):
    """The fields of the profile; links are in fields named `social_links-{network}`."""


@router.api_route("/admin/portfolio", methods=FORM_METHODS)
def edit_profile(page: OwnerPage, form: PostedForm) -> Response:
    """Change the profile."""

    def save(values: ProfileForm) -> Response:
        links = {name: form.value(f"social_links-{name}") for name in profile_rules.SOCIAL_NETWORKS}
        changes = {**dict(values), "social_links": links}
        page.service.profile.update_portfolio(page.user, changes, form.revision_check())
        return page.redirect(page.urls.admin("portfolio"), "Profile saved.")

    def initial() -> Form:
        stored = page.service.profile.get_portfolio(consistent=True)
        links = {f"social_links-{name}": url for name, url in stored.social_links.items()}
        return Form.of(ProfileForm, stored, **links, revision=stored.revision)

    return page.fill(form, initial, ProfileForm, save, partial(_show_profile, page))


def _show_profile(page: UserPageContext, form: Form, status: int = 200) -> Response:
    return page.render(
        "admin/profile",
        status,
        form=form,
        tabs=portfolio_tabs(page, "profile"),
        networks=_NETWORKS.items(),
    )


class AboutForm(BaseModel):
    """The text of the about page."""

    markdown: str


@router.api_route("/admin/portfolio/about", methods=FORM_METHODS)
def edit_about(page: OwnerPage, form: PostedForm) -> Response:
    """Change the about page."""

    def save(values: AboutForm) -> Response:
        changes = {"about_markdown": values.markdown}
        saved = page.service.profile.update_portfolio(page.user, changes, form.revision_check())
        forget_draft(page, form)
        if wants_json(page.request):
            text = saved_text(page, saved.updated_at)
            return JSONResponse({"revision": saved.revision, "text": text})
        return page.redirect(page.urls.admin("portfolio", "about"), "About page saved.")

    def initial() -> Form:
        stored = page.service.profile.get_portfolio(consistent=True)
        form = Form({"markdown": stored.about_markdown, "revision": stored.revision})
        return offer_draft(page, form)

    show = partial(_show_about, page)
    return page.fill(form, initial, AboutForm, save, show, field="markdown")


def _show_about(page: UserPageContext, form: Form, status: int) -> Response:
    return page.render(
        "admin/about",
        status,
        form=form,
        tabs=portfolio_tabs(page, "about"),
        mode="shown-again" if page.request.method == "POST" else "saved",
    )


class SettingsForm(ApiModel, of=SiteSettings, omit="id menu updated_at revision"):
    """The settings but for the menu."""


@router.api_route("/admin/settings", methods=FORM_METHODS)
def edit_settings(page: OwnerPage, form: PostedForm) -> Response:
    """Change the settings."""

    def save(values: SettingsForm) -> Response:
        page.service.profile.update_settings(page.user, dict(values), form.revision_check())
        return page.redirect(page.urls.admin("settings"), "Settings saved.")

    initial = Form.of(SettingsForm, page.settings, revision=page.settings.revision)
    return page.fill(form, initial, SettingsForm, save, partial(_show_settings, page))


class LookForm(ApiModel, of=SiteSettings, only="accent font css"):
    """The look in the form of the settings."""


@router.post("/admin/settings/look")
def preview_look(page: OwnerPage, form: PostedForm) -> Response:
    """Return the styles of a look that is not saved, or nothing if it is not valid."""

    def act(look: LookForm) -> Response:
        settings = evolve(page.settings, **profile_rules.check_settings(dict(look)))
        styles = theme_stylesheet(settings) + confine(settings.css).text
        return Response(styles, media_type="text/css")

    return page.submit(form, LookForm, act, lambda *_: Response(status_code=204))


def _show_settings(page: UserPageContext, form: Form, status: int = 200) -> Response:
    # A choice that was made elsewhere stays among the options.
    kept = ("UTC", form.value("time_zone"))
    zones = [zone for zone in time_zone_names() if "/" in zone or zone in kept]
    codes = {form.value("language"): form.value("language"), **profile_rules.LANGUAGES}
    return page.render(
        "admin/settings",
        status,
        form=form,
        zones=[(zone, zone.replace("_", " ")) for zone in sorted(zones)],
        languages=sorted(codes.items(), key=lambda each: each[1].casefold()),
    )

"""What the owner may enter for the profile and the settings of the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from singletable_apps.portfolio.custom_css import MAX_CSS_BYTES, confine
from singletable_apps.portfolio.entities import Experience, Font, MenuEntry, Project, Theme
from singletable_apps.portfolio.rules import MAX_HTML_BYTES, MAX_MARKDOWN_BYTES, is_id, slug_error
from singletable_apps.shared.languages import ENGLISH, Language, Languages, join_phrases
from singletable_apps.shared.service import time_zone_names
from singletable_apps.shared.text import InputChecks, normalize_line

T = TypeVar("T", Project, Experience, MenuEntry)
_NETWORKS = "GitHub LinkedIn Mastodon Twitter Instagram Website"
SOCIAL_NETWORKS = {name.lower(): name for name in _NETWORKS.split()}
# The parts of the site that its menu can have.
_SECTIONS = "Blog Projects Experience About Contact Tags Archive Newsletter"
SECTIONS = {name.lower(): name for name in _SECTIONS.split()}
MAX_NAME, MAX_HEADLINE, MAX_BIO, MAX_DESCRIPTION = 100, 200, 1_000, 2_000
MAX_ENTRIES, MAX_TECHNOLOGIES, MAX_TECHNOLOGY = 100, 20, 40
MAX_POSTS_PER_PAGE = 50
# The languages to choose from, by code, in their own words. Other codes are valid, too.
_LANGUAGES = (
    "ar العربية; bg Български; bn বাংলা; ca Català; cs Čeština; cy Cymraeg; da Dansk; "
    "de Deutsch; el Ελληνικά; en English; en-GB English (UK); es Español; et Eesti; "
    "eu Euskara; fa فارسی; fi Suomi; fr Français; ga Gaeilge; gl Galego; he עברית; "
    "hi हिन्दी; hr Hrvatski; hu Magyar; id Bahasa Indonesia; is Íslenska; it Italiano; "
    "ja 日本語; ko 한국어; lt Lietuvių; lv Latviešu; ms Bahasa Melayu; nb Norsk bokmål; "
    "nl Nederlands; nn Norsk nynorsk; pl Polski; pt Português; "
    "pt-BR Português (Brasil); ro Română; ru Русский; sk Slovenčina; sl Slovenščina; "
    "sr Српски; sv Svenska; sw Kiswahili; ta தமிழ்; th ไทย; tr Türkçe; uk Українська; "
    "ur اردو; vi Tiếng Việt; zh-Hans 简体中文; zh-Hant 繁體中文"
)
LANGUAGES = {each.split()[0]: each.partition(" ")[2] for each in _LANGUAGES.split("; ")}
# The languages of our own texts, which is English for all others.
TRANSLATIONS = Languages(Path(__file__).parent / "translations")
_ACCENT = re.compile(r"#[0-9a-f]{6}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class PortfolioEdits:
    """The fields of the portfolio to change; None leaves a field as it is.

    `about_markdown` is what authors write; `about_content` is HTML, as the original system sent.
    """

    name: str | None = None
    headline: str | None = None
    profile_pic_url: str | None = None
    bio: str | None = None
    email: str | None = None
    social_links: Mapping[str, str] | None = None
    about_markdown: str | None = None
    about_content: str | None = None
    projects: Sequence[Project] | None = None
    experience: Sequence[Experience] | None = None


@dataclass(frozen=True)
class SettingsEdits:
    """The settings to change; None leaves a setting as it is."""

    title: str | None = None
    tagline: str | None = None
    language: str | None = None
    time_zone: str | None = None
    theme: Theme | None = None
    accent: str | None = None
    font: Font | None = None
    posts_per_page: int | None = None
    likes: bool | None = None
    comments: bool | None = None
    contact: bool | None = None
    newsletter: bool | None = None
    menu: Sequence[MenuEntry] | None = None
    css: str | None = None


def changes_of(edits: PortfolioEdits | SettingsEdits) -> dict[str, Any]:
    """Return the fields that an edit changes."""
    values = {each.name: getattr(edits, each.name) for each in fields(edits)}
    return {name: value for name, value in values.items() if value is not None}


def check_portfolio_edits(edits: PortfolioEdits) -> PortfolioEdits:
    """Return the edits normalized, or raise InvalidInput with an error for each invalid field."""
    checks = InputChecks()
    checked = changes_of(edits)
    rules: Mapping[str, Callable[[str, Any], object]] = {
        "name": partial(checks.line, longest=MAX_NAME),
        "headline": partial(checks.line, longest=MAX_HEADLINE),
        "bio": partial(checks.text, longest=MAX_BIO),
        "email": checks.email,
        "profile_pic_url": checks.link,
        "social_links": partial(_check_social_links, checks),
        "about_markdown": partial(checks.source, most_bytes=MAX_MARKDOWN_BYTES),
        "about_content": partial(checks.source, most_bytes=MAX_HTML_BYTES),
        "projects": partial(_check_entries, checks, _check_project),
        "experience": partial(_check_entries, checks, _check_experience),
    }
    for field, value in checked.items():
        checked[field] = rules[field](field, value)
    if edits.about_markdown is not None and edits.about_content is not None:
        checks.reject("about_content", "Send about_markdown or about_content, not both.")
    checks.raise_errors()
    return PortfolioEdits(**checked)


def check_settings_edits(edits: SettingsEdits) -> SettingsEdits:
    """Return the edits normalized, or raise InvalidInput with an error for each invalid setting."""
    checks = InputChecks()
    checked = changes_of(edits)
    if edits.title is not None:
        checked["title"] = checks.line("title", edits.title, longest=MAX_NAME, required=True)
    if edits.tagline is not None:
        checked["tagline"] = checks.line("tagline", edits.tagline, longest=MAX_HEADLINE)
    if edits.accent is not None:
        checked["accent"] = edits.accent.strip().lower()
        if not _ACCENT.fullmatch(checked["accent"]):
            checks.reject("accent", "Enter a color such as #0f6b4f.")
    if edits.language is not None and not _LANGUAGE.fullmatch(edits.language):
        checks.reject("language", "Enter a language code such as en or pt-BR.")
    if edits.time_zone is not None and edits.time_zone not in time_zone_names():
        checks.reject("time_zone", "Choose a time zone such as Europe/Lisbon.")
    most = MAX_POSTS_PER_PAGE
    if edits.posts_per_page is not None and not 1 <= edits.posts_per_page <= most:
        checks.reject("posts_per_page", "Enter a number from 1 to %(most)s.", most=most)
    if edits.menu is not None:
        checked["menu"] = _check_entries(checks, _check_menu_entry, "menu", edits.menu)
    if edits.css is not None:
        checked["css"] = checks.source("css", edits.css, most_bytes=MAX_CSS_BYTES)
        if problems := confine(checked["css"]).problems:
            checks.reject("css", join_phrases("\n", problems))
    checks.raise_errors()
    return SettingsEdits(**checked)


def format_period(start: date | None, end: date | None, language: Language = ENGLISH) -> str:
    """Return the period of a position, such as `Mar 2021 – Present`."""
    first, last = (language.date(each, "LLL y") if each else "" for each in (start, end))
    if not first:
        return language.gettext("Until %(month)s", month=last) if last else ""
    return first if first == last else f"{first} – {last or language.gettext('Present')}"


def _check_social_links(
    checks: InputChecks, field: str, links: Mapping[str, str]
) -> dict[str, str]:
    for name in links:
        if name not in SOCIAL_NETWORKS:
            checks.reject(
                f"{field}/{name}", "Use one of %(names)s.", names=", ".join(SOCIAL_NETWORKS)
            )
    checked = {name: checks.link(f"{field}/{name}", url) for name, url in links.items()}
    return {name: url for name, url in checked.items() if url}


def _check_entries(
    checks: InputChecks, check: Callable[[InputChecks, str, T], T], field: str, entries: Sequence[T]
) -> list[T]:
    if len(entries) > MAX_ENTRIES:
        checks.reject(field, "Use at most %(most)s entries.", most=MAX_ENTRIES)
    ids = [entry.id for entry in entries]
    for number, entry_id in enumerate(ids):
        if not is_id(entry_id):
            message = "Use 1 to 64 letters, digits, hyphens or underscores."
            checks.reject(f"{field}/{number}/id", message)
        elif entry_id in ids[:number]:
            checks.reject(f"{field}/{number}/id", "Each entry needs an id of its own.")
    return [check(checks, f"{field}/{number}", entry) for number, entry in enumerate(entries)]


def _check_menu_entry(checks: InputChecks, field: str, entry: MenuEntry) -> MenuEntry:
    link = entry.link.strip()
    is_outside = slug_error(link) != ""
    link = checks.link(f"{field}/link", link, required=True) if is_outside else link
    title = checks.line(f"{field}/title", entry.title, longest=MAX_NAME, required=is_outside)
    return MenuEntry(entry.id, title, link)


def _check_project(checks: InputChecks, field: str, project: Project) -> Project:
    return Project(
        id=project.id,
        title=checks.line(f"{field}/title", project.title, longest=MAX_NAME, required=True),
        description=checks.text(
            f"{field}/description", project.description, longest=MAX_DESCRIPTION
        ),
        image_url=checks.link(f"{field}/image_url", project.image_url),
        image_alt=checks.line(f"{field}/image_alt", project.image_alt, longest=MAX_HEADLINE),
        technologies=_check_technologies(checks, field, project.technologies),
        link=checks.link(f"{field}/link", project.link),
    )


def _check_experience(checks: InputChecks, field: str, entry: Experience) -> Experience:
    start, end = entry.start_date, entry.end_date
    if start is not None and end is not None and end < start:
        checks.reject(f"{field}/end_date", "Choose a date after the start.")
    return replace(
        entry,
        title=checks.line(f"{field}/title", entry.title, longest=MAX_NAME, required=True),
        company=checks.line(f"{field}/company", entry.company, longest=MAX_NAME, required=True),
        description=checks.text(f"{field}/description", entry.description, longest=MAX_DESCRIPTION),
        technologies=_check_technologies(checks, field, entry.technologies),
    )


def _check_technologies(checks: InputChecks, field: str, names: Sequence[str]) -> list[str]:
    place = f"{field}/technologies"
    entered = [name for name in names if normalize_line(name)]
    if len(entered) > MAX_TECHNOLOGIES:
        checks.reject(place, "Use at most %(most)s technologies.", most=MAX_TECHNOLOGIES)
    return [checks.line(place, name, longest=MAX_TECHNOLOGY) for name in entered]

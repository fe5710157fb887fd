"""What the owner may enter for the profile and the settings of the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from singletable_apps.portfolio.custom_css import MAX_CSS_BYTES, confine
from singletable_apps.portfolio.entities import Experience, MenuEntry, Project
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


# Fields of the portfolio or of the settings to change, by name; the others stay as they are.
Changes: TypeAlias = Mapping[str, Any]


def check_portfolio(changes: Changes) -> Changes:
    """Return the changes normalized, or raise InvalidInput with an error for each invalid field.

    `about_markdown` is what authors write; `about_content` is HTML, as the original system sent.
    """
    checks = InputChecks()
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
    checked = {name: rules[name](name, value) for name, value in changes.items()}
    if {"about_markdown", "about_content"} <= changes.keys():
        checks.reject("about_content", "Send about_markdown or about_content, not both.")
    checks.raise_errors()
    return checked


def check_settings(changes: Changes) -> Changes:
    """Return the changes normalized, or raise InvalidInput with an error for each setting."""
    checks = InputChecks()
    rules: Mapping[str, Callable[[str, Any], object]] = {
        "title": partial(checks.line, longest=MAX_NAME, required=True),
        "tagline": partial(checks.line, longest=MAX_HEADLINE),
        "accent": partial(_check_accent, checks),
        "language": partial(_check_language, checks),
        "time_zone": partial(_check_time_zone, checks),
        "posts_per_page": partial(_check_posts_per_page, checks),
        "menu": partial(_check_entries, checks, _check_menu_entry),
        "css": partial(_check_css, checks),
    }
    checked = {
        name: rules[name](name, value) if name in rules else value
        for name, value in changes.items()
    }
    checks.raise_errors()
    return checked


def _check_accent(checks: InputChecks, field: str, accent: str) -> str:
    color = accent.strip().lower()
    if not _ACCENT.fullmatch(color):
        checks.reject(field, "Enter a color such as #0f6b4f.")
    return color


def _check_language(checks: InputChecks, field: str, language: str) -> str:
    if not _LANGUAGE.fullmatch(language):
        checks.reject(field, "Enter a language code such as en or pt-BR.")
    return language


def _check_time_zone(checks: InputChecks, field: str, zone: str) -> str:
    if zone not in time_zone_names():
        checks.reject(field, "Choose a time zone such as Europe/Lisbon.")
    return zone


def _check_posts_per_page(checks: InputChecks, field: str, posts: int) -> int:
    if not 1 <= posts <= MAX_POSTS_PER_PAGE:
        checks.reject(field, "Enter a number from 1 to %(most)s.", most=MAX_POSTS_PER_PAGE)
    return posts


def _check_css(checks: InputChecks, field: str, css: str) -> str:
    checked = checks.source(field, css, most_bytes=MAX_CSS_BYTES)
    if problems := confine(checked).problems:
        checks.reject(field, join_phrases("\n", problems))
    return checked


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

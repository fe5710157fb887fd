"""The skills directory, declared once: its web app, its commands and its entry on the home page."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.frame import AppSpec, Opening, read_picture
from singletable_apps.shared.frame.jobs import Job
from singletable_apps.skills import api, pages
from singletable_apps.skills.api.dependencies import PROBLEMS
from singletable_apps.skills.sample import create_sample, list_sample
from singletable_apps.skills.service import TABLES, SkillsService, open_skills
from singletable_apps.skills.urls import API, PREFIX, Urls

_FOLDER = Path(__file__).parent
_LARGEST_IMPORT = 16_000_000


@contextmanager
def _open(opening: Opening) -> Generator[SkillsService]:
    yield open_skills(
        opening.driver,
        opening.load_secret("for sessions"),
        emails=opening.emails,
        urls=Urls(public=opening.public),
        passwords=Passwords(keep_bcrypt=os.environ.get("SKILLS_KEEP_BCRYPT") == "1"),
        confirm_addresses=opening.emails.server is not None,
    )


def _picture() -> tuple[str, str, str]:
    alt = "A table of people and skills, with stronger colors for higher levels"
    return read_picture(_FOLDER, alt)


APP = AppSpec[SkillsService](
    tagline="Who knows what.",
    about=(
        "A directory of people and what they know: find experts by several skills at once, see "
        "gaps and single points of failure, and plan what to learn."
    ),
    folder=_FOLDER,
    picture=_picture,
    open=_open,
    outbox=TABLES,
    warning="Back up the secret: without it, nobody stays signed in.",
    sample=create_sample,
    list_sample=list_sample,
    uploads={
        PREFIX: 1 << 16,
        f"{PREFIX}/admin/import": _LARGEST_IMPORT,
        f"{API}/imports": _LARGEST_IMPORT,
    },
    jobs=(
        Job("last reminders", 900, lambda service: service.rounds.remind_last()),
        Job("renames and merges", 900, lambda service: service.catalog.resume()),
        Job("suggestions", 900, lambda service: service.requests.settle()),
        Job("certificates", 6 * 3600, lambda service: service.notices.remind_of_certificates()),
    ),
    description=api.ABOUT,
    routers=api.ROUTERS,
    problems=PROBLEMS,
    pages=pages.ROUTERS,
    context=pages.page_context,
    people=pages.PEOPLE,
)

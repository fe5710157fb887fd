"""The elections app, declared once: its web app, its commands and its entry on the home page."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ranked_ballots import Ballots, Ranking, schulze
from ranked_ballots.pictures import STYLESHEET, draw_beat_paths
from singletable_apps.elections import api, pages
from singletable_apps.elections.keys import load_store_keys
from singletable_apps.elections.sample import describe_sample, fill_sample, list_sample
from singletable_apps.elections.service import TABLES, Elections, create_tables, open_elections
from singletable_apps.elections.urls import PREFIX, Urls
from singletable_apps.elections.web import PROBLEMS
from singletable_apps.shared.ballot import static_files as ballot_static_files
from singletable_apps.shared.frame import AppSpec, Opening
from singletable_apps.shared.frame.accounts import with_accounts
from singletable_apps.shared.frame.jobs import Job
from singletable_apps.shared.images import MAX_BYTES
from singletable_apps.shared.results import TEMPLATES
from singletable_apps.shared.results import static_files as results_static_files

# Enough for ten thousand voter names.
_BODY_LIMIT = 4 << 20
_VOTES = ((4, "Lake Museum Castle"), (3, "Museum Castle Lake"), (2, "Castle Lake Museum"))


@contextmanager
def _open(opening: Opening) -> Generator[Elections]:
    store = create_tables(opening.driver)
    create_missing = opening.options.get("new_keys", False)
    yield open_elections(
        opening.driver,
        load_store_keys(store, opening.keys, create_missing=create_missing),
        emails=opening.emails,
        urls=Urls(public=opening.public),
        # Without a mail server, addresses cannot be confirmed.
        confirm_registrations=opening.emails.server is not None,
    )


def _picture() -> tuple[str, str, str]:
    """Draw a count in which each place is beaten by another."""
    groups = [
        (Ranking.from_levels([[name] for name in order.split()]), many) for many, order in _VOTES
    ]
    picture = draw_beat_paths(schulze(Ballots.from_counts(["Castle", "Lake", "Museum"], groups)))
    return picture.svg, picture.text, STYLESHEET


def _locations(service: Elections, _: Opening) -> Sequence[tuple[str, str]]:
    if service.context.confirm_registrations:
        return [("accounts", "created once their e-mail address is confirmed")]
    return [("accounts", "created at once; with --smtp, e-mail addresses are confirmed first")]


_SPEC = AppSpec[Elections](
    name="elections",
    title="Elections",
    tagline="Ranked voting, with results that anyone can check.",
    about=(
        "Rank candidates, openly or in secret. See how six counting methods decide and why. "
        "Every voter can check that their ballot is in the signed result."
    ),
    folder=Path(__file__).parent,
    picture=_picture,
    open=_open,
    file="votes.db",
    keys="keys",
    secret=lambda service: service.context.keys.secret,
    auth=lambda service: service.auth,
    locations=_locations,
    outbox=TABLES,
    warning=(
        "Back up the keys separately from the tables. Without them, sealed ballots cannot be "
        "counted\nand results cannot be signed."
    ),
    sample=fill_sample,
    sample_title="Creating sample elections",
    sample_hint=describe_sample(),
    list_sample=list_sample,
    limits={
        "reset": (300, 3600),
        "cast": (60, 60),
        "receipt": (10, 3600),
        "voter": (300, 60),
        "wrong_code": (60, 60),
        "sandbox": (30, 60),
    },
    jobs=(Job("ends of elections", 5, lambda service: service.rolls.note_ends()),),
    body_limit=_BODY_LIMIT,
    uploads={PREFIX: MAX_BYTES + (1 << 16)},
    description=api.ABOUT,
    routers=api.ROUTERS,
    problems=PROBLEMS,
    search="all",
    pages=pages.ROUTERS,
    problem_pages=pages.PROBLEM_PAGES,
    context=pages.page_context,
    state=pages.ElectionsState,
    generated_files={**results_static_files(), **ballot_static_files()},
    templates=[TEMPLATES],
)
APP = with_accounts(_SPEC, pages.PEOPLE)

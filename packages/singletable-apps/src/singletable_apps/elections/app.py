"""The elections app, declared once: its web app, its commands and its entry on the home page."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ranked_ballots import Ballots, Ranking, schulze
from ranked_ballots.pictures import STYLESHEET, draw_beat_paths
from singletable_apps.elections import api, pages
from singletable_apps.elections.keys import load_store_keys
from singletable_apps.elections.sample import fill_sample, list_sample
from singletable_apps.elections.service import TABLES, Elections, create_tables, open_elections
from singletable_apps.elections.urls import PREFIX, Urls
from singletable_apps.elections.web import PROBLEMS
from singletable_apps.shared import ballot, results
from singletable_apps.shared.frame import AppSpec, Opening
from singletable_apps.shared.frame.jobs import Job
from singletable_apps.shared.images import MAX_BYTES

_VOTES = ((4, "Lake Museum Castle"), (3, "Museum Castle Lake"), (2, "Castle Lake Museum"))


@contextmanager
def _open(opening: Opening) -> Generator[Elections]:
    store = create_tables(opening.driver)
    yield open_elections(
        opening.driver,
        load_store_keys(store, opening.folder / "keys"),
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


APP = AppSpec[Elections](
    tagline="Ranked voting, with results that anyone can check.",
    about=(
        "Rank candidates, openly or in secret. See how six counting methods decide and why. "
        "Every voter can check that their ballot is in the signed result."
    ),
    folder=Path(__file__).parent,
    picture=_picture,
    open=_open,
    outbox=TABLES,
    warning=(
        "Back up the keys separately from the tables. Without them, sealed ballots cannot be "
        "counted\nand results cannot be signed."
    ),
    sample=fill_sample,
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
    uploads={PREFIX: MAX_BYTES + (1 << 16)},
    description=api.ABOUT,
    routers=api.ROUTERS,
    problems=PROBLEMS,
    pages=pages.ROUTERS,
    context=pages.page_context,
    state=pages.ElectionsState,
    parts=[results, ballot],
    people=pages.PEOPLE,
)

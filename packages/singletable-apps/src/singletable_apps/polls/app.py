"""Polls, declared once: the web app, the commands and the entry on the home page."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ranked_ballots import Ballots, Ranking, instant_runoff
from ranked_ballots.pictures import STYLESHEET, draw_transfers
from singletable_apps.polls import api, pages
from singletable_apps.polls.api.problems import PROBLEMS
from singletable_apps.polls.pages.dependencies import PollsState
from singletable_apps.polls.sample import SAMPLE_POLLS, create_sample, list_sample
from singletable_apps.polls.service import TABLES, Polls, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.polls.urls import PREFIX, Urls
from singletable_apps.shared import ballot, results
from singletable_apps.shared.frame import AppSpec, Opening
from singletable_apps.shared.images import MAX_BYTES


@contextmanager
def _open(opening: Opening) -> Generator[Polls]:
    secret = opening.load_secret("for admin links, voting codes and vote ids")
    urls = Urls(public=opening.public)
    yield open_polls(opening.driver, Secret(secret), urls=urls, emails=opening.emails)


def _picture() -> tuple[str, str, str]:
    """Return the transfers of a sample poll."""
    sample = SAMPLE_POLLS[0]
    groups = [(Ranking.from_levels(order.split(" > ")), votes) for votes, order in sample.votes]
    ballots = Ballots.from_counts(list(sample.draft.candidates), groups)
    picture = draw_transfers(instant_runoff(ballots, look_back=True, seed="sample"))
    return picture.svg, picture.text, STYLESHEET


APP = AppSpec[Polls](
    tagline="Ask a question, let people rank, pick or find a date, see what wins.",
    about=(
        "Create a poll, share the link, and let people rank the options. Instant runoff counts the "
        "votes live, next to three other methods."
    ),
    folder=Path(__file__).parent,
    picture=_picture,
    open=_open,
    state=PollsState,
    warning=(
        "Back up the secret separately from the table. Without it, admin links and voting codes "
        "stop\nworking and voters are not recognized."
    ),
    sample=create_sample,
    list_sample=list_sample,
    # Many voters share an address, such as a school or an office. The limit for invalid codes is
    # strict, because it prevents guessing.
    limits={
        "create": (60, 3600),
        "notice": (10, 3600),
        "vote": (600, 60),
        "guess": (20, 60),
        "comment": (20, 60),
    },
    uploads={PREFIX: MAX_BYTES + (1 << 16)},
    description=api.ABOUT,
    routers=api.ROUTERS,
    problems=PROBLEMS,
    pages=pages.ROUTERS,
    context=pages.page_context,
    parts=[results, ballot],
    outbox=TABLES,
)

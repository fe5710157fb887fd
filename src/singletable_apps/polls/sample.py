"""Polls to look at: one where methods disagree, one that is open, a tie, one with codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from singletable import Driver
from singletable_apps.polls.entities import Protection, Results
from singletable_apps.polls.rules import Draft
from singletable_apps.polls.service import Own, Polls, Voter, open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.apps import SampleData, SampleEntry

# The browser that made them all. It is shorter than the token of any browser, so nobody can send
# it as their own, and nobody else's polls are among them.
MAKER = "sample"
DAY = timedelta(days=1)

Told = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A poll of the sample: what it shows, and how many voted for what; it ends after some days."""

    what: str
    draft: Draft
    votes: tuple[tuple[int, str], ...]
    days: int | None = None


POLLS = (
    Asked(
        "four methods, and they do not agree",
        Draft(
            "Which café for the reading group?",
            ("Niche", "Satisfactory", "Bought", "Cult"),
            "Thursdays at seven. Rank as many as you like.",
        ),
        (
            (4, "Niche > Satisfactory > Bought > Cult"),
            (3, "Bought > Satisfactory > Niche > Cult"),
            (3, "Cult > Satisfactory > Niche > Bought"),
        ),
        days=3,
    ),
    Asked(
        "open, with a hundred votes: vote, and watch the rounds change",
        Draft(
            "Best Programming Language 2024",
            ("JavaScript", "Python", "Go", "Rust", "Haskell", "Zig"),
            "Vote for your favorite programming language",
            protection=Protection.OPEN,
        ),
        (
            (17, "Python > Go > JavaScript"),
            (9, "Python > Rust"),
            (14, "JavaScript > Python > Go"),
            (6, "JavaScript"),
            (12, "Go > Rust > Python > JavaScript"),
            (5, "Go > Python"),
            (13, "Rust > Zig > Go"),
            (8, "Rust > Go > Haskell > Python"),
            (6, "Haskell > Rust > Python"),
            (3, "Haskell"),
            (7, "Zig > Rust > Go > Python"),
        ),
    ),
    Asked(
        "a tie, broken as it was said before anybody voted",
        Draft("Who waters the plants?", ("Ada", "Grace"), changeable=False),
        ((3, "Ada > Grace"), (3, "Grace > Ada")),
        days=2,
    ),
    Asked(
        "one-time codes: one vote each, and results when it has closed",
        Draft(
            "The name of the new meeting room",
            ("Aurora", "Basement", "Kepler", "Room 5"),
            "Everybody has a code by letter.",
            protection=Protection.CODES,
            results=Results.AFTER_CLOSING,
        ),
        ((3, "Aurora > Kepler"), (2, "Room 5"), (2, "Kepler > Aurora > Room 5")),
    ),
)


def fill(driver: Driver, secret: Secret, now: datetime, progress: Told | None = None) -> None:
    """Make the polls of the sample, and let people vote in them; the same every time."""
    for done, asked in enumerate(POLLS, 1):
        begins = now - 5 * DAY + done * timedelta(hours=1)
        times = _minutes_from(begins)
        polls = open_polls(driver, secret, clock=times.__next__)
        ends = None if asked.days is None else begins + asked.days * DAY
        _fill(polls, asked, ends)
        if progress is not None:
            progress(done, len(POLLS))


def _fill(polls: Polls, asked: Asked, ends: datetime | None) -> None:
    own = polls.making.make(replace(asked.draft, expires_at=ends), MAKER)
    codes: list[str] = []
    if own.poll.protection is Protection.CODES:
        codes = list(polls.making.issue_codes(own.poll.id, own.admin_key, 20))
    ballots = [order.split(" > ") for many, order in asked.votes for _ in range(many)]
    for number, ranked in enumerate(ballots):
        code = codes[number] if codes else None
        polls.voting.cast(own.poll.id, ranked, Voter(f"voter-{number}", code, f"vote-{number}"))


def _minutes_from(moment: datetime) -> Iterator[datetime]:
    while True:
        yield moment
        moment += timedelta(minutes=1)


def sample_of(polls: Polls) -> SampleData | None:
    """What there is to try; None where no sample was made, or all of it was deleted."""
    found = polls.making.mine(MAKER, len(POLLS)).items
    if not found:
        return None
    words = {asked.draft.title: asked.what for asked in POLLS}
    entrances = [_entrance(own, words.get(own.poll.title, "")) for own in reversed(found)]
    return SampleData(tuple(entrances))


def _entrance(own: Own, about: str) -> SampleEntry:
    link = f"/polls/p/{own.poll.id}/manage?key={own.admin_key}"
    return SampleEntry(own.poll.title, about, link)

"""Sample polls: disagreeing methods, an open one, a tie, picks, and voting codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from singletable_apps.polls.entities import PollKind, PollSettings, Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Polls, Voter, open_polls
from singletable_apps.shared.apps import SampleData, SampleEntry

# The browser that creates the sample. Real tokens are longer, so no browser can send this one.
SAMPLE_BROWSER = "sample"
DAY = timedelta(days=1)

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SamplePoll:
    """A sample poll: what it shows, its votes, and after how many days it closes."""

    about: str
    draft: PollDraft
    votes: tuple[tuple[int, str], ...]
    days: int | None = None


SAMPLE_POLLS = (
    SamplePoll(
        "Four counting methods that don’t agree",
        PollDraft(
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
    SamplePoll(
        "Open, with a hundred votes: vote and watch the rounds change",
        PollDraft(
            "Best Programming Language 2024",
            ("JavaScript", "Python", "Go", "Rust", "Haskell", "Zig"),
            "Vote for your favorite programming language",
            settings=PollSettings(protection=Protection.OPEN),
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
    SamplePoll(
        "A tie, broken by an order that was fixed before the vote",
        PollDraft(
            "Who waters the plants?", ("Ada", "Grace"), settings=PollSettings(changeable=False)
        ),
        ((3, "Ada > Grace"), (3, "Grace > Ada")),
        days=2,
    ),
    SamplePoll(
        "Pick several, and add what is missing",
        PollDraft(
            "What do we cook on Saturday?",
            ("Pizza", "Dumplings", "Salad", "Curry"),
            settings=PollSettings(kind=PollKind.SEVERAL, write_ins=True, comments=True),
        ),
        ((5, "Pizza > Salad"), (4, "Curry > Dumplings"), (3, "Curry"), (2, "Salad > Curry")),
    ),
    SamplePoll(
        "Voting codes, and results only after closing",
        PollDraft(
            "A name for the new meeting room",
            ("Aurora", "Basement", "Kepler", "Room 5"),
            "You got your code by mail.",
            settings=PollSettings(
                protection=Protection.CODES, results=ResultsVisibility.AFTER_CLOSING
            ),
        ),
        ((3, "Aurora > Kepler"), (2, "Room 5"), (2, "Kepler > Aurora > Room 5")),
    ),
)


def create_sample(service: Polls, progress: Progress | None = None) -> None:
    """Create the sample polls with their votes; the result is the same every time."""
    context = service.context
    driver, secret, now = context.store.driver, context.secret, context.clock()
    for done, sample in enumerate(SAMPLE_POLLS, 1):
        start = now - 5 * DAY + done * timedelta(hours=1)
        polls = open_polls(driver, secret, clock=_minutes_from(start).__next__)
        end = None if sample.days is None else start + sample.days * DAY
        _create(polls, replace(sample.draft, expires_at=end), sample.votes)
        if progress is not None:
            progress(done, len(SAMPLE_POLLS))


def _create(polls: Polls, draft: PollDraft, votes: tuple[tuple[int, str], ...]) -> None:
    managed = polls.lifecycle.create(draft, SAMPLE_BROWSER)
    poll_id, codes = managed.poll.id, list[str]()
    if draft.settings.protection is Protection.CODES:
        codes = list(polls.codes.issue(poll_id, managed.admin_key, 20))
    rankings = [order.split(" > ") for count, order in votes for _ in range(count)]
    for number, ranking in enumerate(rankings):
        code = codes[number] if codes else None
        name = f"voter-{number}"
        polls.voting.cast(poll_id, ranking, Voter(name, code, f"vote-{number}", proof=name))


def _minutes_from(time: datetime) -> Iterator[datetime]:
    while True:
        yield time
        time += timedelta(minutes=1)


def list_sample(polls: Polls) -> SampleData | None:
    """Return the sample polls that exist, or None."""
    created = polls.lifecycle.list_created(SAMPLE_BROWSER, len(SAMPLE_POLLS)).items
    if not created:
        return None
    about = {sample.draft.title: sample.about for sample in SAMPLE_POLLS}
    urls = polls.context.urls
    entries = [
        SampleEntry(
            managed.poll.title,
            about.get(managed.poll.title, ""),
            urls.poll(managed.poll.id, "manage", key=managed.admin_key),
        )
        for managed in reversed(created)
    ]
    return SampleData(tuple(entries))

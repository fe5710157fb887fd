"""The elections of the sample: who cast what, and how far each has come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from singletable_apps.elections.states import Publication, State


@dataclass(frozen=True, slots=True)
class Poll:
    """An election, its ballots by voter, and where it stands at the end."""

    name: str
    what: str
    owner: str
    candidates: tuple[str, ...]
    state: State
    ballots: tuple[tuple[str, str], ...] = ()
    voters: tuple[str, ...] = ()
    secret: bool = False
    publication: Publication | None = None
    opens_in: timedelta | None = None


def _alike(ballot: str, *voters: str) -> tuple[tuple[str, str], ...]:
    return tuple((voter, ballot) for voter in voters)


_BOARD = ("Ada", "Grace", "Alan", "Barbara", "Claude", "Donald", "Edsger", "Frances")

POLLS = (
    Poll(
        name="Where we go in summer",
        what="a cycle: each place is beaten by another",
        owner="Barbara",
        candidates=("Castle", "Lake", "Museum"),
        ballots=(
            *_alike("Lake > Museum > Castle", "Ada", "Grace", "Alan", "Barbara"),
            *_alike("Museum > Castle > Lake", "Claude", "Donald", "Edsger"),
            *_alike("Castle > Lake > Museum", "Frances", "Hedy"),
        ),
        state=State.CLOSED,
    ),
    Poll(
        name="The name of the boat",
        what="a tie, broken by a secret that was promised before the first ballot",
        owner="Hedy",
        candidates=("Heron", "Kingfisher", "Rubber Duck"),
        ballots=(
            *_alike("Heron > Kingfisher", "Ada", "Hedy", "Leslie"),
            *_alike("Kingfisher > Heron", "Alan", "Katherine", "Margaret"),
            *_alike("Rubber Duck", "Claude"),
            *_alike("Heron = Kingfisher = Rubber Duck", "Donald"),
        ),
        state=State.CLOSED,
    ),
    Poll(
        name="Board 2026",
        what="secret and closed: every voter can check that their ballot was counted",
        owner="Ada",
        candidates=("Barbara", "Frances", "Katherine", "Leslie"),
        voters=_BOARD,
        ballots=(
            *_alike("Katherine > Barbara > Frances > Leslie", "Ada", "Grace", "Donald"),
            *_alike("Barbara > Katherine", "Alan", "Barbara"),
            *_alike("Frances > Katherine = Leslie", "Claude", "Frances"),
            *_alike("Leslie", "Edsger"),
        ),
        secret=True,
        publication=Publication.CONFIRMATIONS,
        state=State.CLOSED,
    ),
    Poll(
        name="Treasurer",
        what="secret and open: who has voted can be seen, and nothing else",
        owner="Ada",
        candidates=("Claude", "Edsger", "Margaret"),
        voters=(*_BOARD, "Hedy", "Katherine"),
        ballots=(
            *_alike("Margaret > Claude", "Grace", "Barbara"),
            *_alike("Edsger > Margaret > Claude", "Alan", "Frances", "Hedy"),
        ),
        secret=True,
        state=State.FIXED,
    ),
    Poll(
        name="What is for lunch",
        what="open, and everybody may still change their mind",
        owner="Claude",
        candidates=("Noodles", "Pancakes", "Soup", "Stew"),
        ballots=(
            *_alike("Pancakes > Noodles", "Claude", "Frances", "Leslie"),
            *_alike("Soup = Stew > Noodles", "Donald", "Margaret"),
        ),
        state=State.EDITABLE,
    ),
    Poll(
        name="Next year's motto",
        what="launched, and to open in a week",
        owner="Katherine",
        candidates=("Onward", "Slowly, but surely", "What could go wrong?"),
        opens_in=timedelta(days=7),
        state=State.FIXED,
    ),
    Poll(
        name="Colour of the door",
        what="being set up",
        owner="Donald",
        candidates=("Blue", "Green"),
        state=State.SETUP,
    ),
)

"""People and elections to look at: a cycle, a tie, secret ballots, one that is yet to come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from singletable_apps.elections.entities import Publication, State, User
from singletable_apps.elections.errors import LogNotEmpty
from singletable_apps.elections.projection import get_last_event
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, ElectionSettings

PASSWORD = "lantern copper river"


@dataclass(frozen=True, slots=True)
class SamplePerson:
    """Somebody, and what they are here; who comes first owns the application."""

    name: str
    role: Role = Role.USER

    @property
    def email(self) -> str:
        """Where letters to them go."""
        return f"{self.name.lower()}@example.org"


SAMPLE_PEOPLE = (
    SamplePerson("Ada", Role.OWNER),
    SamplePerson("Grace", Role.AUDITOR),
    SamplePerson("Alan", Role.ADMIN),
    SamplePerson("Barbara"),
    SamplePerson("Claude"),
    SamplePerson("Donald"),
    SamplePerson("Edsger"),
    SamplePerson("Frances"),
    SamplePerson("Hedy"),
    SamplePerson("Katherine"),
    SamplePerson("Leslie", Role.VOTER),
    SamplePerson("Margaret", Role.VOTER),
    SamplePerson("Niklaus", Role.OBSERVER),
    SamplePerson("Radia", Role.NO_ACCESS),
)


def sample_accounts(elections: Elections) -> list[SamplePerson]:
    """Those of the sample who are there as they were made, with the password they were given.

    The number of a user is that of the event that made them, and the sample fills an empty log:
    who is called Ada in another store is not ours.
    """
    found = elections.context.read.find_users([person.name for person in SAMPLE_PEOPLE])
    return [
        SamplePerson(user.name, user.role)
        for number, (person, user) in enumerate(zip(SAMPLE_PEOPLE, found, strict=True), 1)
        if user is not None
        and user.user_id == user.credentials == number
        and user.email == person.email
    ]


@dataclass(frozen=True, slots=True)
class SampleElection:
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

SAMPLE_ELECTIONS = (
    SampleElection(
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
    SampleElection(
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
    SampleElection(
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
    SampleElection(
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
    SampleElection(
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
    SampleElection(
        name="Next year's motto",
        what="launched, and to open in a week",
        owner="Katherine",
        candidates=("Onward", "Slowly, but surely", "What could go wrong?"),
        opens_in=timedelta(days=7),
        state=State.FIXED,
    ),
    SampleElection(
        name="Colour of the door",
        what="being set up",
        owner="Donald",
        candidates=("Blue", "Green"),
        state=State.SETUP,
    ),
)


Told = Callable[[int, int], None]


def fill_sample(elections: Elections, progress: Told | None = None) -> None:
    """Fill an empty store; the same people, elections and ballots every time."""
    newest = get_last_event(elections.context.store)
    if newest is not None:
        raise LogNotEmpty(
            f"The log has {newest.event_id:,} events already, and a sample goes into an empty "
            "store only. Name another."
        )
    total = len(SAMPLE_PEOPLE) + len(SAMPLE_ELECTIONS)
    for done, person in enumerate(SAMPLE_PEOPLE, 1):
        elections.people.register(person.name, person.email, PASSWORD)
        _tell(progress, done, total)
    for done, poll in enumerate(SAMPLE_ELECTIONS, len(SAMPLE_PEOPLE) + 1):
        _conduct(elections, poll)
        _tell(progress, done, total)
    owner = elections.context.read.get_user(SAMPLE_PEOPLE[0].name)
    # Last, for whoever may only look on has cast no ballot, and everybody else could.
    for person in SAMPLE_PEOPLE[1:]:
        elections.people.change_role(owner, person.name, person.role)


def _conduct(elections: Elections, poll: SampleElection) -> None:
    owner = _who(elections, poll.owner)
    opens = elections.context.clock() + poll.opens_in if poll.opens_in is not None else None
    terms = ElectionSettings(
        secret_ballot=poll.secret, publication=poll.publication, no_voting_before=opens
    )
    elections.lifecycle.create(owner, poll.name, terms)
    elections.lifecycle.set_candidates(owner, poll.name, poll.candidates)
    elections.lifecycle.set_voters(owner, poll.name, poll.voters)
    if poll.state is State.SETUP:
        return
    elections.lifecycle.launch(owner, poll.name, allow_edit=poll.state is State.EDITABLE)
    for voter, ballot in poll.ballots:
        who = _who(elections, voter)
        elections.voting.cast(who, poll.name, parse_ballot(ballot), f"sample of {voter}")
    if poll.state is State.CLOSED:
        elections.lifecycle.close(owner, poll.name)


def parse_ballot(ballot: str) -> list[tuple[str, int | None]]:
    """`A > B = C` as lines of a ballot: A is first, B and C are second."""
    levels = [level.split(" = ") for level in ballot.split(" > ")]
    return [(name, rank) for rank, level in enumerate(levels, 1) for name in level]


def _who(elections: Elections, name: str) -> User:
    return elections.context.read.get_user(name)


def _tell(progress: Told | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)

"""Sample people and elections: a cycle, a tie, secret ballots, a roll, one that opens later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeAlias

from singletable_apps.elections.entities import Electorate, Publication, State, User
from singletable_apps.elections.errors import LogNotEmpty
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.projection import get_last_event
from singletable_apps.elections.roles import ROLE_DESCRIPTIONS, ROLE_NAMES, ROLES, Role
from singletable_apps.elections.rules.roll import parse_roll, split_text
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.elections.service.people import People
from singletable_apps.elections.service.voting import Voting
from singletable_apps.shared.apps import SampleData, SampleEntry

PASSWORD = "lantern copper river"


@dataclass(frozen=True, slots=True)
class SamplePerson:
    """A person with a role. The first one owns the site."""

    name: str
    role: Role = Role.USER

    @property
    def email(self) -> str:
        """Return the e-mail address."""
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


def list_sample(service: Elections) -> SampleData | None:
    """Return sample accounts to sign in with, one per role, the highest first; or None."""
    firsts: dict[Role, SamplePerson] = {}
    for person in sample_accounts(service):
        firsts.setdefault(person.role, person)
    if not firsts:
        return None
    entries = [
        SampleEntry(
            f"{person.name}, {ROLE_NAMES[role].lower()}",
            ROLE_DESCRIPTIONS[role],
            service.context.urls.page("sign-in"),
            {"who": person.name, "password": PASSWORD},
            label_prefix="Sign in as",
        )
        for role, person in sorted(firsts.items(), key=lambda first: -ROLES.index(first[0]))
    ]
    return SampleData(tuple(entries), PASSWORD)


def sample_accounts(elections: Elections) -> list[SamplePerson]:
    """Return the sample accounts that still exist with their original password.

    The ID of a user is the number of the event that created them, and sample data starts an empty
    log, so a user named Ada in other data is not mistaken for a sample account.
    """
    read = elections.context.read
    return [
        SamplePerson(user.name, user.role)
        for number, person in enumerate(SAMPLE_PEOPLE, 1)
        if (user := read.find_user(person.name)) is not None
        and user.user_id == user.credentials == number
        and user.email == person.email
    ]


@dataclass(frozen=True, slots=True)
class SampleElection:
    """An election, its ballots by voter, and its state in the end.

    With a `roll`, the voters are people on it, who have no accounts.
    """

    name: str
    description: str
    owner: str
    candidates: tuple[str, ...]
    state: State
    ballots: tuple[tuple[str, str], ...] = ()
    voters: tuple[str, ...] = ()
    roll: str = ""
    secret: bool = False
    publication: Publication | None = None
    opens_in: timedelta | None = None


def _ballots(ballot: str, *voters: str) -> tuple[tuple[str, str], ...]:
    return tuple((voter, ballot) for voter in voters)


# People without accounts, one per line: name, e-mail address, group.
_CLUB = """
Amina Okoye, amina@example.net, Sailing
Björn Lindqvist, bjorn@example.net, Sailing
Chiara Conti, chiara@example.net, Rowing
Dao Minh, dao@example.net, Rowing
Elif Yılmaz, elif@example.net, Rowing
Farid Haddad, farid@example.net, Sailing
Greta Novak, greta@example.net, Youth
Hiro Tanaka, hiro@example.net, Youth
Ingrid Dahl, , Sailing
João Pereira, joao@example.net, Rowing
Kofi Mensah, kofi@example.net, Youth
Lena Fischer, lena@example.net, Sailing
"""

_BOARD = ("Ada", "Grace", "Alan", "Barbara", "Claude", "Donald", "Edsger", "Frances")

SAMPLE_ELECTIONS = (
    SampleElection(
        name="Summer trip",
        description="Closed. A cycle: each place is beaten by another.",
        owner="Barbara",
        candidates=("Castle", "Lake", "Museum"),
        ballots=(
            *_ballots("Lake > Museum > Castle", "Ada", "Grace", "Alan", "Barbara"),
            *_ballots("Museum > Castle > Lake", "Claude", "Donald", "Edsger"),
            *_ballots("Castle > Lake > Museum", "Frances", "Hedy"),
        ),
        state=State.CLOSED,
    ),
    SampleElection(
        name="Name of the boat",
        description="Closed. A tie, broken by a secret that was fixed before voting.",
        owner="Hedy",
        candidates=("Heron", "Kingfisher", "Rubber Duck"),
        ballots=(
            *_ballots("Heron > Kingfisher", "Ada", "Hedy", "Leslie"),
            *_ballots("Kingfisher > Heron", "Alan", "Katherine", "Margaret"),
            *_ballots("Rubber Duck", "Claude"),
            *_ballots("Heron = Kingfisher = Rubber Duck", "Donald"),
        ),
        state=State.CLOSED,
    ),
    SampleElection(
        name="Board 2026",
        description="Closed. Secret ballots that every voter can check.",
        owner="Ada",
        candidates=("Barbara", "Frances", "Katherine", "Leslie"),
        voters=_BOARD,
        ballots=(
            *_ballots("Katherine > Barbara > Frances > Leslie", "Ada", "Grace", "Donald"),
            *_ballots("Barbara > Katherine", "Alan", "Barbara"),
            *_ballots("Frances > Katherine = Leslie", "Claude", "Frances"),
            *_ballots("Leslie", "Edsger"),
        ),
        secret=True,
        publication=Publication.CONFIRMATIONS,
        state=State.CLOSED,
    ),
    SampleElection(
        name="Treasurer",
        description="Open. Secret ballots: you only see who has voted.",
        owner="Ada",
        candidates=("Claude", "Edsger", "Margaret"),
        voters=(*_BOARD, "Hedy", "Katherine"),
        ballots=(
            *_ballots("Margaret > Claude", "Grace", "Barbara"),
            *_ballots("Edsger > Margaret > Claude", "Alan", "Frances", "Hedy"),
        ),
        secret=True,
        state=State.FIXED,
    ),
    SampleElection(
        name="Harbor club board",
        description="Open. Members vote with personal links, without accounts.",
        owner="Ada",
        candidates=("Amina Okoye", "Dao Minh", "Farid Haddad", "Lena Fischer"),
        roll=_CLUB,
        ballots=(
            *_ballots("Dao Minh > Amina Okoye", "Chiara Conti", "Dao Minh", "João Pereira"),
            *_ballots(
                "Amina Okoye > Lena Fischer > Farid Haddad", "Björn Lindqvist", "Hiro Tanaka"
            ),
        ),
        secret=True,
        state=State.EDITABLE,
    ),
    SampleElection(
        name="Team lunch",
        description="Open. Everyone can still change their vote.",
        owner="Claude",
        candidates=("Noodles", "Pancakes", "Soup", "Stew"),
        ballots=(
            *_ballots("Pancakes > Noodles", "Claude", "Frances", "Leslie"),
            *_ballots("Soup = Stew > Noodles", "Donald", "Margaret"),
        ),
        state=State.EDITABLE,
    ),
    SampleElection(
        name="Next year's motto",
        description="Opens in a week.",
        owner="Katherine",
        candidates=("Onward", "Slowly, but surely", "What could go wrong?"),
        opens_in=timedelta(days=7),
        state=State.FIXED,
    ),
    SampleElection(
        name="Color of the door",
        description="Still being set up.",
        owner="Donald",
        candidates=("Blue", "Green"),
        state=State.SETUP,
    ),
)


Progress: TypeAlias = Callable[[int, int], None]


def fill_sample(elections: Elections, progress: Progress | None = None) -> None:
    """Create the sample in empty tables: always the same people, elections and ballots."""
    newest = get_last_event(elections.context.store)
    if newest is not None:
        raise LogNotEmpty(
            f"There are {newest.event_id:,} events already. Sample data can only be created in "
            "empty tables."
        )
    report: Progress = progress or (lambda _, __: None)
    total = len(SAMPLE_PEOPLE) + len(SAMPLE_ELECTIONS)
    for done, person in enumerate(SAMPLE_PEOPLE, 1):
        elections.people.register(person.name, person.email, PASSWORD)
        report(done, total)
    for done, election in enumerate(SAMPLE_ELECTIONS, len(SAMPLE_PEOPLE) + 1):
        _create_election(elections, election)
        report(done, total)
    owner = elections.context.read.get_user(SAMPLE_PEOPLE[0].name)
    # Last, because some roles could not have voted.
    people = _SilentPeople(elections.context, elections.auth.emails)
    for person in SAMPLE_PEOPLE[1:]:
        people.change_role(owner, person.name, person.role)


class _SilentPeople(People):
    """Changes roles without e-mails."""

    def tell_role(self, user: User, by: str) -> None:
        """Do nothing."""


def _create_election(elections: Elections, election: SampleElection) -> None:
    owner = elections.context.read.get_user(election.owner)
    opens = elections.context.clock() + election.opens_in if election.opens_in is not None else None
    terms = ElectionSettings(
        secret_ballot=election.secret,
        publication=election.publication,
        no_voting_before=opens,
        electorate=Electorate.ROLL if election.roll else Electorate.ACCOUNTS,
    )
    elections.lifecycle.create(owner, election.name, terms)
    elections.lifecycle.set_candidates(owner, election.name, election.candidates)
    if election.roll:
        lines = parse_roll(split_text(election.roll)).lines
        elections.rolls.save(owner, election.name, lines, replaces=True)
    else:
        elections.lifecycle.set_voters(owner, election.name, election.voters)
    if election.state is State.SETUP:
        return
    elections.lifecycle.launch(owner, election.name, allow_edit=election.state is State.EDITABLE)
    # No receipts are sent to addresses that nobody has.
    voting = Voting(elections.context, elections.results, lambda _, __, ___, ____: None)
    for voter, ballot in election.ballots:
        who = _get_voter(elections, election, voter)
        voting.cast(who, election.name, parse_ballot(ballot), f"sample of {voter}")
    if election.state is State.CLOSED:
        elections.lifecycle.close(owner, election.name)


def parse_ballot(ballot: str) -> list[tuple[str, int | None]]:
    """Parse a ballot like `A > B = C`: A is first, B and C are second."""
    levels = [level.split(" = ") for level in ballot.split(" > ")]
    return [(name, rank) for rank, level in enumerate(levels, 1) for name in level]


def _get_voter(elections: Elections, election: SampleElection, name: str) -> User | LinkVoter:
    if not election.roll:
        return elections.context.read.get_user(name)
    read = elections.context.read
    record = read.record(read.get_election(election.name))
    entry = next(voter for voter in record.roll.values() if voter.name == name)
    return LinkVoter(record.election.election_id, entry)

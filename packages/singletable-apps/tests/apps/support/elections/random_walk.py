"""Somebody does something, again and again, by chance; and what must be so then is remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from random import Random

from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Ballot,
    Counts,
    Election,
    User,
    UserId,
    removed_user_name,
)
from singletable_apps.elections.roles import ROLES
from singletable_apps.elections.rules.elections import has_ended
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.elections.service.voting import Lines
from singletable_apps.shared.accounts import TooManyAttempts
from singletable_apps.shared.errors import RequestRejected
from tests.apps.support.elections.checks import check_consistency
from tests.apps.support.elections.world import PASSWORD, World

PEOPLE = ["Ada", "bob", "Bob #2", "Zoë", "carol / x", "DAVE", "🗳️"]
ELECTIONS = ["Lunch", "lunch #2", "Café / Bar", "🍕", "Straße", "E", "a#b"]
CANDIDATES = ["Red", "Green", "Blue", "Grün #1", "a/b"]


class RandomWalk:
    """Commands by chance, from a seed, through several services on the same tables."""

    def __init__(self, world: World, services: Sequence[Elections], seed: int) -> None:
        self.world = world
        self.chance = Random(seed)
        self.outcomes: Counter[str] = Counter()
        self._services = services
        # By numbers, which never change: who cast what in which election.
        self._cast: dict[int, dict[int, Lines]] = {}
        self._removed: set[int] = set()
        for number, name in enumerate(PEOPLE[:3]):
            services[0].people.register(name, f"user{number}@example.org", PASSWORD)
        self._commands: list[Callable[[Elections], object]] = [
            self._register,
            self._rename_somebody,
            self._give_a_role,
            self._remove_somebody,
            self._change_password,
            *[self._create] * 3,
            self._settle,
            self._rename,
            self._hand_over,
            *[self._launch] * 3,
            self._fix,
            self._finalise,
            self._delete,
            *[self._set_candidates, self._set_voters] * 2,
            *[self._vote] * 12,
            self._withdraw,
            self._look,
        ]

    def step(self) -> None:
        """One command, taken or refused; a refused one leaves the log as it was."""
        self.world.clock.advance(minutes=self.chance.randrange(5))
        command = self.chance.choice(self._commands)
        service = self.chance.choice(self._services)
        before = self.world.event_count
        try:
            command(service)
        except (RequestRejected, TooManyAttempts) as refusal:
            self.outcomes[type(refusal).__name__] += 1
            assert self.world.event_count == before, (
                f"{command.__name__} was refused, and did something"
            )
        else:
            self.outcomes["taken"] += 1

    def check(self) -> None:
        """Fail unless the tables are sound, and every ballot is what its voter cast last."""
        check_consistency(self.world)
        store = self._services[0].context.store
        names = {user.user_id: user.name for user in self._users()}
        found = {one.election_id: one for one in self._elections()}
        assert {number for number, cast in self._cast.items() if cast} <= set(found)
        for number, election in found.items():
            expected = {
                removed_user_name(UserId(voter)) if voter in self._removed else names[voter]
                for voter in self._cast.get(number, {})
            }
            cast = [*store.query(patterns.ballots_of(election.name), consistent=True)]
            assert {one.voter_name for one in cast} == expected
            self._check_poll_book(election, cast)

    def _check_poll_book(self, election: Election, cast: list[Ballot]) -> None:
        """Fail unless the poll book says the same as the table."""
        book, store = self._services[0].context.read, self._services[0].context.store
        record = book.record(election)
        ballots = [(one.voter_name, one.event.event_id) for one in book.ballots(record)]
        assert ballots == [(one.voter_name, one.revision) for one in cast]
        assert book.find_election(election.name.swapcase()) == election
        voters = store.query(patterns.voters_of(election.name), consistent=True)
        assert book.voters(election) == sorted(one.voter_name for one in voters)
        candidates = store.run(patterns.candidates_of, election.name)
        in_order = sorted(candidates, key=lambda one: one.position)
        assert [*record.candidates.items()] == [(one.candidate_name, one.since) for one in in_order]
        for user in self._users():
            assert book.find_user(user.name.swapcase()) == user
            assert book.find_user_by_email(user.email.swapcase()) == user
        counts = store.run(patterns.counts)
        assert counts is not None
        assert book.counts() == Counts(
            registration=counts.registration,
            user_count=counts.user_count,
            election_count=counts.election_count,
        )

    # What is there, and who does something.

    def _users(self) -> list[User]:
        return list(self._services[0].context.store.query(patterns.list_users()))

    def _elections(self) -> list[Election]:
        return list(self._services[0].context.store.query(patterns.list_elections()))

    def _somebody(self) -> User:
        users = self._users()
        if not users:
            raise RequestRejected("Nobody is here.")
        return self.chance.choice(users)

    def _election(self) -> Election:
        elections = self._elections()
        if not elections:
            raise RequestRejected("There is no election.")
        return self.chance.choice(elections)

    def _name_of(self, election: Election) -> str:
        return self.chance.choice([election.name, election.name.upper()])

    def _actor(self, election: Election, service: Elections) -> User:
        """Mostly the owner, who may."""
        if self.chance.random() < 0.85:
            return service.context.read.get_user(election.owner_name)
        return self._somebody()

    # What they do.

    def _register(self, service: Elections) -> object:
        name = self.chance.choice(PEOPLE)
        number = self.chance.randrange(12)
        return service.people.register(name, f"user{number}@example.org", PASSWORD)

    def _rename_somebody(self, service: Elections) -> object:
        user = self._somebody()
        actor = self.chance.choice([user, self._somebody()])
        new = self.chance.choice([*PEOPLE, user.name.swapcase()])
        return service.people.rename(actor, user.name, new)

    def _give_a_role(self, service: Elections) -> object:
        role = self.chance.choice([*ROLES, *ROLES[2:5] * 3])
        return service.people.change_role(self._somebody(), self._somebody().name, role)

    def _remove_somebody(self, service: Elections) -> object:
        user = self._somebody()
        ended = self._ended()
        service.people.remove(self._somebody(), user.name)
        self._removed.add(user.user_id)
        for number, cast in self._cast.items():
            if number not in ended:
                cast.pop(user.user_id, None)
        return None

    def _ended(self) -> set[int]:
        """Elections in which nobody can vote any more."""
        now = self.world.clock.now
        elections = self._elections()
        return {one.election_id for one in elections if not one.allow_vote or has_ended(one, now)}

    def _change_password(self, service: Elections) -> object:
        user = self._somebody()
        return service.auth.change_password(user, user.name, PASSWORD, PASSWORD)

    def _create(self, service: Elections) -> object:
        ends = self.chance.choice([None, None, self.world.clock.now + timedelta(hours=4)])
        terms = ElectionSettings(secret_ballot=self.chance.random() < 0.5, no_voting_after=ends)
        return service.lifecycle.create(self._somebody(), self.chance.choice(ELECTIONS), terms)

    def _settle(self, service: Elections) -> object:
        one = self._election()
        secret = {"secret_ballot": self.chance.random() < 0.5}
        return service.lifecycle.edit(self._actor(one, service), self._name_of(one), secret)

    def _rename(self, service: Elections) -> object:
        one = self._election()
        new = self.chance.choice([*ELECTIONS, one.name.swapcase()])
        return service.lifecycle.edit(self._actor(one, service), self._name_of(one), {"name": new})

    def _hand_over(self, service: Elections) -> object:
        one = self._election()
        to = self._somebody().name
        return service.lifecycle.transfer(self._actor(one, service), one.name, to)

    def _launch(self, service: Elections) -> object:
        one = self._election()
        edits = self.chance.random() < 0.7
        return service.lifecycle.launch(self._actor(one, service), one.name, allow_edit=edits)

    def _fix(self, service: Elections) -> object:
        one = self._election()
        return service.lifecycle.lock(self._actor(one, service), one.name)

    def _finalise(self, service: Elections) -> object:
        one = self._election()
        if self.chance.random() < 0.7:
            raise RequestRejected("They let others vote for a while.")
        return service.lifecycle.close(self._actor(one, service), one.name)

    def _delete(self, service: Elections) -> object:
        one = self._election()
        if self.chance.random() < 0.3:
            raise RequestRejected("They think better of it.")
        service.lifecycle.delete(self._actor(one, service), one.name)
        return self._cast.pop(one.election_id, None)

    def _set_candidates(self, service: Elections) -> object:
        one = self._election()
        some = self.chance.sample(CANDIDATES, self.chance.randrange(len(CANDIDATES) + 1))
        return service.lifecycle.set_candidates(self._actor(one, service), one.name, some)

    def _set_voters(self, service: Elections) -> object:
        one = self._election()
        users = [user.name.swapcase() for user in self._users()]
        some = self.chance.sample(users, self.chance.randrange(len(users) + 1))
        return service.lifecycle.set_voters(self._actor(one, service), one.name, some)

    def _vote(self, service: Elections) -> object:
        taking = [one for one in self._elections() if one.allow_vote]
        one, voter = self.chance.choice(taking or [self._election()]), self._somebody()
        names = service.context.read.candidates(one)
        lines = [(name, self.chance.choice([1, 2, 3, None])) for name in names]
        cast = service.voting.cast(
            voter, self._name_of(one), lines, f"key {self.world.event_count}"
        )
        self._cast.setdefault(one.election_id, {})[voter.user_id] = lines
        seen = service.voting.ballot(voter, one.name, voter.name)
        assert seen.receipt["confirmation"] == cast.receipt["confirmation"]
        return cast

    def _withdraw(self, service: Elections) -> object:
        one, voter = self._election(), self._somebody()
        service.voting.withdraw(voter, one.name)
        return self._cast[one.election_id].pop(voter.user_id)

    def _look(self, service: Elections) -> object:
        one, viewer = self._election(), self._somebody()
        tally = service.results.tally(viewer, self._name_of(one))
        assert tally.ballots_cast == len(self._cast.get(one.election_id, {}))
        if tally.closing is not None:
            assert tally.closing["statement"]["ballots"] == tally.ballots_cast
        return tally

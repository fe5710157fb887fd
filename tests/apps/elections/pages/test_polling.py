"""What stands between somebody and the ballot box is what casting would be refused for."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

from singletable_apps.elections.entities import State
from singletable_apps.elections.errors import Rejected
from singletable_apps.elections.pages.ballot import OPEN, Way, way_to
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.voting import check_cast
from singletable_apps.elections.service.lifecycle import ElectionSettings
from tests.apps.elections.pages.client import CHAIR, VotingApp
from tests.apps.elections.rules.samples import HOUR, NOON, Window, ballot, election, user
from tests.apps.support.html import text_in

WINDOWS: list[Window] = [
    (None, None),
    (NOON + HOUR, None),
    (NOON - HOUR, NOON + HOUR),
    (None, NOON),
]


def test_the_way_is_open_exactly_where_a_ballot_can_be_cast() -> None:
    seen: set[Way] = set()
    for state, window, role, voters, listed, has_voted in product(
        State, WINDOWS, Role, (0, 3), (False, True), (False, True)
    ):
        voter, about = user(role), election(state, window, voters=voters)
        cast = ballot() if has_voted else None
        way = way_to(voter, about, listed=listed, ballot=cast, now=NOON)
        try:
            check_cast(voter, about, listed=listed, ballot=cast, now=NOON)
            refused = False
        except Rejected:
            refused = True
        assert (way in OPEN) is not refused, (state, window, role, voters, listed, has_voted)
        seen.add(way)
    assert seen == set(Way)


def test_before_and_after_its_time_an_election_says_when_it_is() -> None:
    app = VotingApp()
    now = app.world.clock.now
    app.launch(
        "Cleo",
        "Dan",
        no_voting_before=now + timedelta(days=1),
        no_voting_after=now + timedelta(days=2),
    )
    told = text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)
    assert "It opens 2 January 2026, 12:00 UTC , and ends 3 January 2026, 12:00 UTC ." in told
    assert "Cleo" in told
    assert "Dan" in told
    app.world.clock.advance(days=1)
    assert app.voter("Ben").cast({"Dan": "1"}).status_code == 303
    app.world.clock.advance(days=1)
    told = text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)
    assert "This election has closed" in told
    assert "Your ballot has been counted." in told


def test_an_election_that_is_being_prepared_says_whom_it_waits_for() -> None:
    app = VotingApp()
    owner = app.world.register("Ada")[0]
    app.world.service.lifecycle.create(owner, CHAIR, ElectionSettings())
    told = text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)
    assert "Voting has not opened yet The election is being prepared by Ada." in told

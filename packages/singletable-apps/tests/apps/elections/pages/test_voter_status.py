"""The ballot page says who can vote, exactly as the rules decide when a ballot is cast."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

from singletable_apps.elections.entities import State
from singletable_apps.elections.pages.ballot import VoterContext, VoterStatus, voter_status
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.voting import check_cast
from singletable_apps.elections.service.lifecycle import ElectionSettings
from singletable_apps.shared.errors import RequestRejected
from tests.apps.elections.pages.client import CHAIR, PagesApp
from tests.apps.elections.rules.factories import HOUR, NOON, Window, ballot, election, user

WINDOWS: list[Window] = [
    (None, None),
    (NOON + HOUR, None),
    (NOON - HOUR, NOON + HOUR),
    (None, NOON),
]


def test_status_allows_voting_exactly_where_the_rules_do() -> None:
    seen: set[VoterStatus] = set()
    for state, window, role, voters, listed, has_voted in product(
        State, WINDOWS, Role, (0, 3), (False, True), (False, True)
    ):
        voter, about = user(role), election(state, window, voters=voters)
        cast = ballot() if has_voted else None
        status = voter_status(voter, about, listed=listed, ballot=cast, now=NOON)
        try:
            check_cast(voter, about, listed=listed, ballot=cast, now=NOON)
            allowed = True
        except RequestRejected:
            allowed = False
        context = VoterContext(about, voter.name, voter.user_id, status, cast, (), True)
        assert context.can_cast is allowed, (state, window, role, voters, listed, has_voted)
        seen.add(status)
    assert seen == set(VoterStatus)


def test_ballot_page_says_when_voting_opens_and_that_it_is_over(app: PagesApp) -> None:
    now = app.world.clock.now
    app.launch(
        "Cleo",
        "Dan",
        no_voting_before=now + timedelta(days=1),
        no_voting_after=now + timedelta(days=2),
    )
    text = app.register("Ben").read("e", CHAIR, "ballot")
    assert "opens on 2 January 2026, 12:00 UTC and closes on 3 January 2026, 12:00 UTC" in text
    assert "Cleo" in text
    assert "Dan" in text
    app.world.clock.advance(days=1)
    assert app.sign_in("Ben").cast(Dan="1").status_code == 303
    app.world.clock.advance(days=1)
    text = app.sign_in("Ben").read("e", CHAIR, "ballot")
    assert "Voting is over Your ballot was counted." in text


def test_ballot_page_of_an_election_in_setup_names_its_owner(app: PagesApp) -> None:
    owner = app.world.register("Ada")[0]
    app.world.service.lifecycle.create(owner, CHAIR, ElectionSettings())
    text = app.register("Ben").read("e", CHAIR, "ballot")
    assert "Ada is still setting up this election." in text

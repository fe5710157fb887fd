"""The ballot page: who can vote; fill in, review, cast, change and withdraw a ballot."""

from __future__ import annotations

from datetime import timedelta
from itertools import product

import pytest

from singletable_apps.elections.entities import CandidateOrder, State, UserId
from singletable_apps.elections.pages.ballot import (
    ALREADY_CAST,
    VoterContext,
    VoterStatus,
    voter_status,
)
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.voting import check_cast
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.ballot import BallotLabels
from singletable_apps.shared.errors import RequestRejected
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp, ballot_fields
from tests.apps.elections.rules.factories import HOUR, NOON, Window, election, user
from tests.apps.support.html import text_in

BALLOT = "/elections/e/Chair/ballot"


@pytest.fixture
def ben(app: PagesApp) -> Browser:
    """Return a voter in an election of three candidates that allows changes."""
    app.launch("Cleo", "Dan", "Eve")
    return app.register("Ben")


def ranks(app: PagesApp) -> dict[str, int | None]:
    """Return Ben's ballot as it is stored."""
    return dict(app.world.service.queries.rankings(app.user("Ben"), CHAIR))


def test_ballot_is_reviewed_before_it_is_cast(app: PagesApp, ben: Browser) -> None:
    filled = {**ben.ballot_fields(), "rank.Cleo": "3", "rank.Dan": "7", "rank.Eve": "3"}
    review = ben.post(BALLOT, filled)
    text = text_in(review.text)
    assert "1. Cleo and Eve 2. Dan" in text or "1. Eve and Cleo 2. Dan" in text
    assert "everyone here can see your name" in text
    assert ranks(app) == {"Cleo": None, "Dan": None, "Eve": None}
    cast = ben.post(BALLOT, {**filled, "sure": "yes"})
    assert (cast.status_code, cast.headers["location"]) == (303, "/elections/e/Chair/receipt")
    assert ranks(app) == {"Cleo": 1, "Dan": 2, "Eve": 1}


def test_reviewed_ballot_can_be_changed(ben: Browser) -> None:
    sent = {**ben.ballot_fields(), "rank.Dan": "1", "change": "yes"}
    again = ben.post(BALLOT, sent)
    assert again.status_code == 200
    assert ballot_fields(again)["rank.Dan"] == "1"


def test_blank_ballot_can_be_cast_after_review(ben: Browser) -> None:
    filled = ben.ballot_fields()
    assert "Cast a blank ballot?" in text_in(ben.post(BALLOT, filled).text)
    cast = ben.post(BALLOT, {**filled, "sure": "yes"})
    assert cast.status_code == 303
    assert BallotLabels().blank_hint in ben.get("e", CHAIR, "receipt").text


def test_form_submitted_twice_casts_one_ballot(app: PagesApp, ben: Browser) -> None:
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    before = app.world.event_count
    answers = [ben.post(BALLOT, filled).status_code for _ in range(3)]
    assert answers == [303, 303, 303]
    assert app.world.event_count == before + 1


# Someone goes back in the browser, changes the old page and submits it: that is another ballot, and
# replaces the first one only after a confirmation.
def test_different_ballot_from_the_same_page_needs_confirmation(
    app: PagesApp, ben: Browser
) -> None:
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    ben.post(BALLOT, filled)
    other = ben.post(BALLOT, {**filled, "rank.Dan": "", "rank.Eve": "1"})
    assert other.status_code == 409
    assert ALREADY_CAST in text_in(other.text)
    assert ranks(app)["Dan"] == 1
    assert ben.submit(other, "/ballot", sure="yes").status_code == 303
    assert ranks(app) == {"Cleo": None, "Dan": None, "Eve": 1}


@pytest.mark.parametrize("typed", ["0", "1.5", "²"])
def test_invalid_rank_is_kept_with_an_error_beside_its_box(
    app: PagesApp, ben: Browser, typed: str
) -> None:
    sent = {**ben.ballot_fields(), "rank.Dan": typed, "rank.Eve": "1", "sure": "yes"}
    answer = ben.post(BALLOT, sent)
    assert answer.status_code == 422
    assert 'class="field-error rank-error"' in answer.text
    kept = ballot_fields(answer)
    assert (kept["rank.Dan"], kept["rank.Eve"]) == (typed, "1")
    assert ranks(app)["Eve"] is None


def test_form_without_a_key_is_shown_again_with_a_new_one(ben: Browser) -> None:
    answer = ben.post(BALLOT, {"rank.Dan": "1", "sure": "yes"})
    assert answer.status_code == 422
    kept = ballot_fields(answer)
    assert kept["rank.Dan"] == "1"
    assert ben.post(BALLOT, {**kept, "sure": "yes"}).status_code == 303


# A candidate who was not on the ballot was neither ranked nor left out on purpose.
def test_ballot_is_shown_again_if_the_candidates_changed(app: PagesApp) -> None:
    owner = app.launch("Cleo", "Dan")
    ben = app.register("Ben")
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    app.world.service.lifecycle.set_candidates(owner, CHAIR, ["Dan", "Fay"])
    answer = ben.post(BALLOT, filled)
    assert answer.status_code == 422
    assert "added: Fay; removed: Cleo" in text_in(answer.text)
    kept = ballot_fields(answer)
    assert (kept["rank.Dan"], kept["rank.Fay"]) == ("1", "")


def test_ballot_shows_the_current_ranking_and_can_be_replaced(app: PagesApp, ben: Browser) -> None:
    ben.cast(Dan="1", Eve="2")
    page = ben.get("e", CHAIR, "ballot")
    assert "You’ve voted" in page.text
    fields = ballot_fields(page)
    assert (fields["rank.Cleo"], fields["rank.Dan"], fields["rank.Eve"]) == ("", "1", "2")
    assert ben.cast(Dan="", Eve="1").status_code == 303
    assert ranks(app) == {"Cleo": None, "Dan": None, "Eve": 1}


def test_ballot_is_withdrawn_after_confirmation(app: PagesApp, ben: Browser) -> None:
    ben.cast(Dan="1")
    assert "Withdraw your ballot?" in ben.read("e", CHAIR, "ballot", "withdraw")
    assert ranks(app)["Dan"] == 1
    assert ben.post(f"{BALLOT}/withdraw").status_code == 303
    assert ranks(app)["Dan"] is None
    assert ben.get("e", CHAIR, "ballot", "withdraw").url.path == BALLOT


# The first name on a ballot gets more votes, so every voter has an order of their own.
def test_candidates_are_shuffled_per_voter_and_stay_in_that_order(app: PagesApp) -> None:
    names = [f"Candidate {number}" for number in range(12)]
    app.launch(*names, order=CandidateOrder.SHUFFLED)
    ben, cleo = app.register("Ben"), app.register("Cleo")
    orders = [
        [name for name in voter.ballot_fields() if "rank" in name] for voter in (ben, ben, cleo)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == sorted(f"rank.{name}" for name in names)


def test_any_candidate_name_can_be_ranked(app: PagesApp) -> None:
    names = ['"><script>alert(1)</script>', "a & b", "rank.x", "李小龍", "O'Neil / Sons"]
    app.launch(*names)
    ben = app.register("Ben")
    assert "<script>alert" not in ben.get("e", CHAIR, "ballot").text
    ben.cast(**{name: str(rank) for rank, name in enumerate(names, 1)})
    assert ranks(app) == {name: rank for rank, name in enumerate(names, 1)}


@pytest.mark.parametrize(
    ("secret", "edit", "notice"),
    [
        (True, True, "Your ballot is secret: others see that you voted, but not how."),
        (False, True, "This is an open ballot: everyone here can see your name"),
        (True, False, "Once cast, it is final."),
        (False, True, "change it until Ada closes the election, unless Ada locks"),
    ],
)
def test_ballot_says_who_can_see_it_and_whether_it_is_final(
    app: PagesApp, secret: bool, edit: bool, notice: str
) -> None:
    app.launch("Cleo", "Dan", allow_edit=edit, secret_ballot=secret)
    assert notice in app.register("Ben").read("e", CHAIR, "ballot")


def test_final_ballot_is_shown_and_cannot_be_changed(app: PagesApp) -> None:
    app.launch("Cleo", "Dan", allow_edit=False)
    ben = app.register("Ben")
    ben.cast(Dan="1")
    page = ben.get("e", CHAIR, "ballot").text
    assert "1. Dan Not ranked: Cleo." in text_in(page)
    assert "Your ballot is final" in page
    assert "data-ballot=" not in page
    assert ben.post(BALLOT, {"sure": "yes"}).status_code == 409


def test_person_who_is_not_on_the_voter_list_sees_why(app: PagesApp) -> None:
    owner = app.world.register("Ada")[0]
    app.world.register("Eve")
    app.world.launch(owner, CHAIR, voters=["Eve"])
    text = app.register("Ben").read("e", CHAIR, "ballot")
    assert "You’re not on the voter list" in text
    assert "Ada can add you" in text


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
        cast = 9 if has_voted else None
        status = voter_status(voter, about, listed=listed, has_voted=has_voted, now=NOON)
        try:
            check_cast(voter, about, listed=listed, has_voted=has_voted, now=NOON)
            allowed = True
        except RequestRejected:
            allowed = False
        context = VoterContext(about, voter.name, UserId(voter.user_id), status, cast, (), True)
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

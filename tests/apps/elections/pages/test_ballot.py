"""The ballot page: fill in, review, cast, change and withdraw a ballot."""

from __future__ import annotations

import pytest

from singletable_apps.elections.pages.ballot import ALREADY_CAST
from singletable_apps.shared.ballot import BallotLabels
from tests.apps.elections.pages.client import CHAIR, Voter, VotingApp, fields_of
from tests.apps.support.elections.world import ballot
from tests.apps.support.html import text_in


@pytest.fixture
def app() -> VotingApp:
    return VotingApp()


@pytest.fixture
def ben(app: VotingApp) -> Voter:
    """Return a voter in an election of three candidates that allows changes."""
    app.launch("Cleo", "Dan", "Eve")
    return app.voter("Ben")


def ranks_of(voter: Voter) -> dict[str, int | None]:
    assert voter.user is not None
    return dict(voter.app.world.service.queries.rankings(voter.user, CHAIR))


def test_ballot_is_reviewed_before_it_is_cast(ben: Voter) -> None:
    filled = {**ben.ballot_fields(), "rank.Cleo": "3", "rank.Dan": "7", "rank.Eve": "3"}
    review = ben.post("e", CHAIR, "ballot", data=filled)
    text = text_in(review.text)
    assert "1. Cleo and Eve 2. Dan" in text or "1. Eve and Cleo 2. Dan" in text
    assert "everyone here can see your name" in text
    assert ranks_of(ben) == {"Cleo": None, "Dan": None, "Eve": None}
    cast = ben.post("e", CHAIR, "ballot", data={**filled, "sure": "yes"})
    assert (cast.status_code, cast.headers["location"]) == (303, "/elections/e/Chair/receipt")
    assert ranks_of(ben) == {"Cleo": 1, "Dan": 2, "Eve": 1}


def test_reviewed_ballot_can_be_changed(ben: Voter) -> None:
    sent = {**ben.ballot_fields(), "rank.Dan": "1", "change": "yes"}
    again = ben.post("e", CHAIR, "ballot", data=sent)
    assert again.status_code == 200
    assert fields_of(again.text)["rank.Dan"] == "1"


def test_blank_ballot_can_be_cast_after_review(ben: Voter) -> None:
    filled = ben.ballot_fields()
    assert "Cast a blank ballot?" in text_in(ben.post("e", CHAIR, "ballot", data=filled).text)
    cast = ben.post("e", CHAIR, "ballot", data={**filled, "sure": "yes"})
    assert cast.status_code == 303
    assert BallotLabels().blank_hint in ben.get("e", CHAIR, "receipt").text


def test_form_submitted_twice_casts_one_ballot(ben: Voter) -> None:
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    before = ben.app.world.event_count
    answers = [ben.post("e", CHAIR, "ballot", data=filled).status_code for _ in range(3)]
    assert answers == [303, 303, 303]
    assert ben.app.world.event_count == before + 1


# Someone goes back in the browser, changes the old page and submits it: that is another ballot, and
# replaces the first one only after a confirmation.
def test_different_ballot_from_the_same_page_needs_confirmation(ben: Voter) -> None:
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    ben.post("e", CHAIR, "ballot", data=filled)
    other = ben.post("e", CHAIR, "ballot", data={**filled, "rank.Dan": "", "rank.Eve": "1"})
    assert other.status_code == 409
    assert ALREADY_CAST in text_in(other.text)
    assert ranks_of(ben)["Dan"] == 1
    key = other.text.partition('name="key" value="')[2].partition('"')[0]
    meant = {**filled, "rank.Dan": "", "rank.Eve": "1", "key": key}
    assert ben.post("e", CHAIR, "ballot", data=meant).status_code == 303
    assert ranks_of(ben) == {"Cleo": None, "Dan": None, "Eve": 1}


@pytest.mark.parametrize("typed", ["0", "-1", "1.5", "first", "99999", "²", "1 2", "9" * 500])
def test_invalid_rank_is_kept_with_an_error_beside_its_box(ben: Voter, typed: str) -> None:
    sent = {**ben.ballot_fields(), "rank.Dan": typed, "rank.Eve": "1", "sure": "yes"}
    answer = ben.post("e", CHAIR, "ballot", data=sent)
    assert answer.status_code == 422
    assert 'class="field-error rank-error"' in answer.text
    kept = fields_of(answer.text)
    assert (kept["rank.Dan"], kept["rank.Eve"]) == (typed, "1")
    assert ranks_of(ben)["Eve"] is None


def test_form_without_a_key_is_shown_again_with_a_new_one(ben: Voter) -> None:
    answer = ben.post("e", CHAIR, "ballot", data={"rank.Dan": "1", "sure": "yes"})
    assert answer.status_code == 422
    kept = fields_of(answer.text)
    assert kept["rank.Dan"] == "1"
    assert ben.post("e", CHAIR, "ballot", data={**kept, "sure": "yes"}).status_code == 303


# A candidate who was not on the ballot was neither ranked nor left out on purpose.
def test_ballot_is_shown_again_if_the_candidates_changed(app: VotingApp) -> None:
    owner = app.launch("Cleo", "Dan")
    ben = app.voter("Ben")
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    app.world.service.lifecycle.set_candidates(owner, CHAIR, ["Dan", "Fay"])
    answer = ben.post("e", CHAIR, "ballot", data=filled)
    assert answer.status_code == 422
    assert "added: Fay; removed: Cleo" in text_in(answer.text)
    kept = fields_of(answer.text)
    assert (kept["rank.Dan"], kept["rank.Fay"]) == ("1", "")


def test_ballot_shows_the_current_ranking_and_can_be_replaced(ben: Voter) -> None:
    ben.cast({"Dan": "1", "Eve": "2"})
    page = ben.get("e", CHAIR, "ballot").text
    assert "You’ve voted" in page
    fields = fields_of(page)
    assert (fields["rank.Cleo"], fields["rank.Dan"], fields["rank.Eve"]) == ("", "1", "2")
    assert ben.cast({"Dan": "", "Eve": "1"}).status_code == 303
    assert ranks_of(ben) == {"Cleo": None, "Dan": None, "Eve": 1}


def test_ballot_is_withdrawn_after_confirmation(ben: Voter) -> None:
    ben.cast({"Dan": "1"})
    assert "Withdraw your ballot?" in text_in(ben.get("e", CHAIR, "ballot", "withdraw").text)
    assert ranks_of(ben)["Dan"] == 1
    assert ben.post("e", CHAIR, "ballot", "withdraw").status_code == 303
    assert ranks_of(ben)["Dan"] is None
    assert ben.get("e", CHAIR, "ballot", "withdraw").status_code == 303


# The first name on a ballot gets more votes, so every voter has an order of their own.
def test_candidates_are_shuffled_per_voter_and_stay_in_that_order(app: VotingApp) -> None:
    names = [f"Candidate {number}" for number in range(12)]
    app.launch(*names)
    ben, cleo = app.voter("Ben"), app.voter("Cleo")
    orders = [
        [name for name in voter.ballot_fields() if "rank" in name] for voter in (ben, ben, cleo)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == sorted(f"rank.{name}" for name in names)


def test_any_candidate_name_can_be_ranked(app: VotingApp) -> None:
    names = ['"><script>alert(1)</script>', "a & b", "rank.x", "李小龍", "O'Neil / Sons"]
    app.launch(*names)
    ben = app.voter("Ben")
    assert "<script>alert" not in ben.get("e", CHAIR, "ballot").text
    ben.cast({name: str(rank) for rank, name in enumerate(names, 1)})
    assert ranks_of(ben) == {name: rank for rank, name in enumerate(names, 1)}


@pytest.mark.parametrize(
    ("secret", "edit", "notice"),
    [
        (True, True, "Your ballot is secret: others see that you voted, but never how."),
        (False, True, "This is an open ballot: everyone here can see your name"),
        (True, False, "Once cast, it is final."),
        (False, True, "You can change it while changes are allowed."),
    ],
)
def test_ballot_says_who_can_see_it_and_whether_it_is_final(
    app: VotingApp, secret: bool, edit: bool, notice: str
) -> None:
    app.launch("Cleo", "Dan", allow_edit=edit, secret_ballot=secret)
    assert notice in text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)


def test_final_ballot_is_shown_and_cannot_be_changed(app: VotingApp) -> None:
    app.launch("Cleo", "Dan", allow_edit=False)
    ben = app.voter("Ben")
    ben.cast({"Dan": "1"})
    page = ben.get("e", CHAIR, "ballot").text
    assert "1. Dan Not ranked: Cleo." in text_in(page)
    assert "Your ballot is final" in page
    assert "data-ballot=" not in page
    assert ben.post("e", CHAIR, "ballot", data={"sure": "yes"}).status_code == 409


def test_person_who_is_not_on_the_voter_list_sees_why(app: VotingApp) -> None:
    owner = app.world.register("Ada")[0]
    app.world.register("Eve")
    app.world.launch(owner, CHAIR, voters=["Eve"])
    text = text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)
    assert "You’re not on the voter list" in text
    assert "Ada can add you" in text


def test_ballots_of_others_are_not_shown(app: VotingApp) -> None:
    app.launch("Cleo", "Dan", secret_ballot=True)
    eve = app.world.register("Eve")[0]
    app.world.service.voting.cast(eve, CHAIR, ballot("Dan"), "k" * 20)
    assert app.voter("Ben").ballot_fields()["rank.Dan"] == ""

"""A ballot is filled in, looked at once more, cast once, cast again and taken back on pages."""

from __future__ import annotations

import pytest

from singletable_apps.shared.ballot import BallotLabels
from tests.apps.elections.pages.client import CHAIR, Voter, VotingApp, fields_of
from tests.apps.support.elections.world import ballot
from tests.apps.support.html import text_in


@pytest.fixture
def app() -> VotingApp:
    return VotingApp()


@pytest.fixture
def ben(app: VotingApp) -> Voter:
    """A voter in an election of three, which can still be edited."""
    app.launch("Cleo", "Dan", "Eve")
    return app.voter("Ben")


def ranks_of(voter: Voter) -> dict[str, int | None]:
    assert voter.user is not None
    return dict(voter.app.world.service.queries.rankings(voter.user, CHAIR))


def test_a_ballot_is_shown_in_words_before_it_is_cast(ben: Voter) -> None:
    filled = {**ben.ballot_fields(), "rank.Cleo": "3", "rank.Dan": "7", "rank.Eve": "3"}
    review = ben.post("e", CHAIR, "ballot", data=filled)
    said = text_in(review.text)
    assert "1. Cleo and Eve 2. Dan" in said or "1. Eve and Cleo 2. Dan" in said
    assert "everybody here can see your name" in said
    assert ranks_of(ben) == {"Cleo": None, "Dan": None, "Eve": None}
    cast = ben.post("e", CHAIR, "ballot", data={**filled, "sure": "yes"})
    assert (cast.status_code, cast.headers["location"]) == (303, "/elections/e/Chair/receipt")
    assert ranks_of(ben) == {"Cleo": 1, "Dan": 2, "Eve": 1}


def test_what_is_looked_at_once_more_can_be_changed(ben: Voter) -> None:
    sent = {**ben.ballot_fields(), "rank.Dan": "1", "change": "yes"}
    again = ben.post("e", CHAIR, "ballot", data=sent)
    assert again.status_code == 200
    assert fields_of(again.text)["rank.Dan"] == "1"


def test_a_blank_ballot_is_asked_about_and_can_be_cast(ben: Voter) -> None:
    filled = ben.ballot_fields()
    assert "Cast a blank ballot?" in text_in(ben.post("e", CHAIR, "ballot", data=filled).text)
    cast = ben.post("e", CHAIR, "ballot", data={**filled, "sure": "yes"})
    assert cast.status_code == 303
    assert BallotLabels().blank_hint in ben.get("e", CHAIR, "receipt").text


def test_a_form_that_is_sent_twice_casts_once(ben: Voter) -> None:
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    before = ben.app.world.event_count
    answers = [ben.post("e", CHAIR, "ballot", data=filled).status_code for _ in range(3)]
    assert answers == [303, 303, 303]
    assert ben.app.world.event_count == before + 1


# Somebody goes back in the browser, changes the old page, and sends it: that is another ballot,
# and takes the place of the first only if it is meant so.
def test_another_ballot_from_the_same_page_is_asked_about(ben: Voter) -> None:
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    ben.post("e", CHAIR, "ballot", data=filled)
    other = ben.post("e", CHAIR, "ballot", data={**filled, "rank.Dan": "", "rank.Eve": "1"})
    assert other.status_code == 409
    assert "Another ballot has been cast from this page before" in text_in(other.text)
    assert ranks_of(ben)["Dan"] == 1
    key = other.text.partition('name="key" value="')[2].partition('"')[0]
    meant = {**filled, "rank.Dan": "", "rank.Eve": "1", "key": key}
    assert ben.post("e", CHAIR, "ballot", data=meant).status_code == 303
    assert ranks_of(ben) == {"Cleo": None, "Dan": None, "Eve": 1}


@pytest.mark.parametrize("typed", ["0", "-1", "1.5", "first", "99999", "²", "1 2", "9" * 500])
def test_what_is_no_place_is_refused_beside_its_box_and_kept(ben: Voter, typed: str) -> None:
    sent = {**ben.ballot_fields(), "rank.Dan": typed, "rank.Eve": "1", "sure": "yes"}
    answer = ben.post("e", CHAIR, "ballot", data=sent)
    assert answer.status_code == 422
    assert 'class="field-error rank-error"' in answer.text
    kept = fields_of(answer.text)
    assert (kept["rank.Dan"], kept["rank.Eve"]) == (typed, "1")
    assert ranks_of(ben)["Eve"] is None


def test_a_form_without_its_key_is_shown_again_with_one(ben: Voter) -> None:
    answer = ben.post("e", CHAIR, "ballot", data={"rank.Dan": "1", "sure": "yes"})
    assert answer.status_code == 422
    kept = fields_of(answer.text)
    assert kept["rank.Dan"] == "1"
    assert ben.post("e", CHAIR, "ballot", data={**kept, "sure": "yes"}).status_code == 303


# Who was not on the paper cannot have been ranked by choice, nor left out by choice.
def test_a_paper_whose_candidates_have_changed_is_shown_again(app: VotingApp) -> None:
    owner = app.launch("Cleo", "Dan")
    ben = app.voter("Ben")
    filled = {**ben.ballot_fields(), "rank.Dan": "1", "sure": "yes"}
    app.world.service.lifecycle.set_candidates(owner, CHAIR, ["Dan", "Fay"])
    answer = ben.post("e", CHAIR, "ballot", data=filled)
    assert answer.status_code == 422
    assert "new: Fay; gone: Cleo" in text_in(answer.text)
    kept = fields_of(answer.text)
    assert (kept["rank.Dan"], kept["rank.Fay"]) == ("1", "")


def test_the_next_paper_has_what_was_cast_and_another_takes_its_place(ben: Voter) -> None:
    ben.cast({"Dan": "1", "Eve": "2"})
    page = ben.get("e", CHAIR, "ballot").text
    assert "You have voted" in page
    paper = fields_of(page)
    assert (paper["rank.Cleo"], paper["rank.Dan"], paper["rank.Eve"]) == ("", "1", "2")
    assert ben.cast({"Dan": "", "Eve": "1"}).status_code == 303
    assert ranks_of(ben) == {"Cleo": None, "Dan": None, "Eve": 1}


def test_a_ballot_is_withdrawn_after_a_question(ben: Voter) -> None:
    ben.cast({"Dan": "1"})
    asked = text_in(ben.get("e", CHAIR, "ballot", "withdraw").text)
    assert "Withdraw your ballot?" in asked
    assert "will not be counted" in asked
    assert ranks_of(ben)["Dan"] == 1
    assert ben.post("e", CHAIR, "ballot", "withdraw").status_code == 303
    assert ranks_of(ben)["Dan"] is None
    assert ben.get("e", CHAIR, "ballot", "withdraw").status_code == 303


# Who stands first on paper gets more votes; so everybody has an order, and keeps it.
def test_every_voter_has_an_order_of_their_own_that_stays(app: VotingApp) -> None:
    names = [f"Candidate {number}" for number in range(12)]
    app.launch(*names)
    ben, cleo = app.voter("Ben"), app.voter("Cleo")
    orders = [
        [name for name in voter.ballot_fields() if "rank" in name] for voter in (ben, ben, cleo)
    ]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[0]) == sorted(orders[2]) == sorted(f"rank.{name}" for name in names)


def test_names_of_every_kind_can_be_ranked(app: VotingApp) -> None:
    names = ['"><script>alert(1)</script>', "a & b", "rank.x", "李小龍", "O'Neil / Sons"]
    app.launch(*names)
    ben = app.voter("Ben")
    assert "<script>alert" not in ben.get("e", CHAIR, "ballot").text
    ben.cast({name: str(app + 1) for app, name in enumerate(names)})
    assert ranks_of(ben) == {name: app + 1 for app, name in enumerate(names)}


@pytest.mark.parametrize(
    ("secret", "edit", "said"),
    [
        (True, True, "This ballot is secret: others see that you have voted, and never what."),
        (False, True, "This ballot is open: everybody here can see your name"),
        (True, False, "It is final: once cast, it cannot be changed or taken back."),
        (False, True, "You can cast another one in its place"),
    ],
)
def test_a_paper_says_what_casting_it_means(
    app: VotingApp, secret: bool, edit: bool, said: str
) -> None:
    app.launch("Cleo", "Dan", allow_edit=edit, secret_ballot=secret)
    assert said in text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)


def test_a_ballot_that_is_final_is_shown_and_not_asked_for(app: VotingApp) -> None:
    app.launch("Cleo", "Dan", allow_edit=False)
    ben = app.voter("Ben")
    ben.cast({"Dan": "1"})
    page = ben.get("e", CHAIR, "ballot").text
    assert "1. Dan Not ranked: Cleo." in text_in(page)
    assert "your ballot is final" in page
    assert "data-ballot=" not in page
    assert ben.post("e", CHAIR, "ballot", data={"sure": "yes"}).status_code == 409


def test_a_voter_who_may_not_vote_sees_why(app: VotingApp) -> None:
    owner = app.world.register("Ada")[0]
    app.world.register("Eve")
    app.world.launch(owner, CHAIR, voters=["Eve"])
    told = text_in(app.voter("Ben").get("e", CHAIR, "ballot").text)
    assert "You are not among the voters" in told
    assert "1 voter" in told
    assert "Ada" in told


def test_a_ballot_cast_by_others_is_not_shown(app: VotingApp) -> None:
    app.launch("Cleo", "Dan", secret_ballot=True)
    eve = app.world.register("Eve")[0]
    app.world.service.voting.cast(eve, CHAIR, ballot("Dan"), "k" * 20)
    assert app.voter("Ben").ballot_fields()["rank.Dan"] == ""

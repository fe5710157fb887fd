"""Set up an election in steps: texts, candidates, counting, review with a test ballot, copies."""

from __future__ import annotations

import pytest

from singletable_apps.elections.entities import CandidateOrder
from singletable_apps.elections.pages.ballot import render_own_ranking
from singletable_apps.elections.pages.setup import TEMPLATES
from singletable_apps.elections.rules.methods import NONE_OF_THESE
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp
from tests.apps.support.html import text_in

DRAFT = "Draft"


@pytest.fixture
def draft(app: PagesApp, ada: Browser) -> str:
    """Create an election in setup with three candidates."""
    lifecycle = app.world.service.lifecycle
    lifecycle.create(app.user("Ada"), DRAFT)
    lifecycle.set_candidates(app.user("Ada"), DRAFT, ["Zoë", "Mårten", "Alice"])
    return DRAFT


def test_steps_lead_from_the_question_to_the_review(
    app: PagesApp, ada: Browser, draft: str
) -> None:
    page = ada.follow(
        ada.submit(
            ada.get("e", draft, "settings"),
            question="Who?",
            description="Read **this**: <script>x</script>",
            go="next",
        )
    )
    assert 'aria-current="step"' in page.text
    page = ada.follow(ada.submit(page, candidates="Zoë\nAlice\nBob", go="next"))
    assert "All registered voters can vote" in page.text
    assert "Continue: counting" in page.text
    page = ada.submit(ada.get("e", draft, "method"), method="schulze", seats="2")
    assert "Only a single transferable vote can fill more than one seat." in page.text
    settings = {"method": "scottish stv", "seats": "2", "quorum": "20 %", "shuffle": "on"}
    page = ada.follow(ada.submit(ada.get("e", draft, "method"), **settings, go="next"))
    text = text_in(page.text)
    assert "Ready to launch" in text
    assert "at least 20% of the voters" in text
    assert "Names are shuffled for every voter." in text
    assert "<strong>this</strong>" in page.text
    assert "<script>x" not in page.text
    election = app.election(draft)
    assert (election.method, election.seats, election.order) == (
        *("scottish stv", 2),
        CandidateOrder.SHUFFLED,
    )
    assert app.candidates(draft) == ["Zoë", "Alice", "Bob"]


def test_another_template_keeps_what_was_typed(ada: Browser) -> None:
    page = ada.get("new", query="?template=board")
    page = ada.submit(page, "template=board", name="Board 2027", description="Ours", use="projects")
    assert 'value="Board 2027"' in page.text
    assert "Ours" in page.text
    assert TEMPLATES["projects"].question in page.text
    assert "template=projects" in page.text


def test_none_of_these_says_who_does_not_count() -> None:
    ranking = [["A"], ["B", NONE_OF_THESE], ["C"]]
    assert "Not counted" not in render_own_ranking(ranking, ["D"])
    text = render_own_ranking(ranking, ["D"], none=NONE_OF_THESE)
    assert "Not counted, because not above “None of these”: B and C." in text
    assert "Not counted" not in render_own_ranking(
        [["A"], [NONE_OF_THESE]], ["B"], none=NONE_OF_THESE
    )


def test_test_ballot_casts_nothing(app: PagesApp, ada: Browser, draft: str) -> None:
    page = ada.get("e", draft, "review")
    events = app.world.event_count
    tried = ada.submit(page, form="ballot", **{"rank.Alice": "1", "rank.Zoë": "2"})
    text = text_in(tried.text)
    assert "Nothing was cast" in text
    assert "1. Alice 2. Zoë Not ranked: Mårten." in text
    assert app.world.event_count == events


def test_review_says_what_is_missing(app: PagesApp, ada: Browser) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), DRAFT)
    assert "Add at least 2 candidates" in ada.get("e", DRAFT, "review").text
    assert "no candidates yet" in ada.get("e", DRAFT, "review").text


@pytest.mark.parametrize("key", TEMPLATES)
def test_template_gives_settings_and_texts(app: PagesApp, ada: Browser, key: str) -> None:
    ada.submit(ada.get("new", query=f"?template={key}"), name="New")
    template, election = TEMPLATES[key], app.election("New")
    assert (election.method, election.seats, election.quorum, election.secret_ballot) == (
        template.settings.method,
        template.settings.seats,
        template.settings.quorum,
        template.settings.secret_ballot,
    )
    assert template.question in ada.get("e", "New").text
    assert app.candidates("New") == list(template.candidates)


def test_candidate_is_renamed_and_described(app: PagesApp, ada: Browser, draft: str) -> None:
    page = ada.get("e", draft, "candidates", "edit", query="?candidate=M%C3%A5rten")
    ada.upload(page, {"name": "Martin", "statement": "I *sail*."})
    assert app.candidates(draft) == ["Zoë", "Martin", "Alice"]
    assert "I <em>sail</em>." in ada.get("e", draft, "candidates").text


@pytest.mark.parametrize("with_voters", [None, "true"])
def test_copy_is_made_on_request_with_voters(
    app: PagesApp, ada: Browser, draft: str, with_voters: str | None
) -> None:
    app.world.service.lifecycle.set_voters(app.user("Ada"), draft, ["Ada"])
    ada.submit(ada.get("e", draft, "copy"), name="Second", with_voters=with_voters)
    assert app.candidates("Second") == app.candidates(draft)
    assert app.voters("Second") == (["Ada"] if with_voters else [])
    taken = ada.submit(ada.get("e", draft, "copy"), name="Second")
    assert "already an election" in taken.text


@pytest.mark.parametrize(
    ("method", "fields", "shown"),
    [
        ("approval", {"rank.Zoë": "1", "rank.Bob": "1"}, "Zoë and Bob"),
        ("plurality", {"choice": "Bob"}, "Bob"),
    ],
)
def test_ballot_with_marks_is_reviewed_and_cast(
    app: PagesApp, method: str, fields: dict[str, str], shown: str
) -> None:
    app.launch("Zoë", "Bob", "Alice", method=method)
    ben = app.register("Ben")
    review = ben.submit(ben.get("e", CHAIR, "ballot"), **fields)
    assert f"1. {shown} Not marked: " in text_in(review.text)
    receipt = ben.open(ben.submit(review, sure="yes").headers["location"])
    assert "Your choice" in receipt.text
    tally = app.world.service.results.tally(app.user("Ben"), CHAIR)
    assert tally.ballots_cast == 1
    assert "Bob" in tally.result.winners
    assert "So far" in ben.get("e", CHAIR, "tally").text


@pytest.mark.parametrize("method", ["scottish stv", "approval"])
def test_results_show_the_winner_by_the_method_and_the_quorum(app: PagesApp, method: str) -> None:
    owner = app.launch("Zoë", "Bob", "Alice", method=method, quorum="100%", none_of_these=True)
    ben = app.register("Ben")
    app.vote("Ben", CHAIR, "Bob")
    app.vote("Ada", CHAIR, "None of these")
    app.world.service.lifecycle.close(owner, CHAIR)
    text = text_in(ben.get("e", CHAIR, "tally").text)
    assert ("Bob is elected" if "stv" in method else "Bob wins") in text
    assert "Quorum met" in text
    assert "2 ballots · 1 vote for “None of these”" in text
    assert "2 ballots were cast, 1 vote for “None of these”." in text


def test_schulze_results_say_whether_the_quorum_is_met(app: PagesApp) -> None:
    app.launch("Zoë", "Bob", quorum="2")
    ben = app.register("Ben")
    app.vote("Ben", CHAIR, "Bob")
    assert "the quorum of 2 is not met" in ben.get("e", CHAIR, "tally").text
    app.world.service.lifecycle.close(app.user("Ada"), CHAIR)
    text = ben.read("e", CHAIR, "tally") + ben.read("e", CHAIR, "protocol")
    assert text.count("No valid result") == 2
    assert "The quorum was not met, so the count decides nothing: Bob wins." in text


def test_ballot_says_the_order_of_names(app: PagesApp, ada: Browser) -> None:
    terms = ElectionSettings(order=CandidateOrder.SHUFFLED)
    app.world.launch(app.user("Ada"), "Shuffled", ["B", "A"], terms=terms)
    app.world.launch(app.user("Ada"), "Entered", ["B", "A"])
    assert "Names are shuffled for every voter." in ada.get("e", "Shuffled", "ballot").text
    page = ada.get("e", "Entered", "ballot").text
    assert "in the order in which" in page
    assert page.index("rank.B") < page.index("rank.A")

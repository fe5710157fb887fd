"""Owners edit the candidates; everyone reads them."""

from __future__ import annotations

import pytest

from singletable_apps.elections.entities import Publication
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import forms_in, missing_in, text_in


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    return app.world.service.lifecycle.create(app.user("Ada"), "Tea").name


def test_candidates_are_entered_one_per_line(app: PagesApp, ada: Browser, tea: str) -> None:
    response = ada.submit(ada.get("e", tea, "candidates"), candidates=" Assam\r\n\r\nCeylon  ")
    assert ada.flash(response) == "Saved: 2 added."
    page = ada.get("e", tea, "candidates")
    assert forms_in(page)[0].fields["candidates"] == ["Assam\nCeylon"]
    response = ada.submit(page, candidates="Ceylon\nDarjeeling\nSencha")
    assert ada.flash(response) == "Saved: 2 added, 1 removed."
    assert app.candidates(tea) == ["Ceylon", "Darjeeling", "Sencha"]


def test_removing_a_candidate_during_voting_needs_confirmation(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    app.vote("Ben", "Tea", "Red", "Blue")
    question = ada.submit(ada.get("e", "Tea", "candidates"), candidates="Red\nBlack\nGreen")
    assert question.status_code == 200
    text = text_in(question.text)
    assert "Remove 1 candidate while voting is open?" in text
    assert "Remove Blue Ranked on 1 ballot Add Black" in text
    assert app.candidates("Tea") == ["Red", "Green", "Blue"]
    assert ada.flash(ada.submit(question)) == "Saved: 1 added, 1 removed."
    assert app.candidates("Tea") == ["Red", "Black", "Green"]


def test_confirmation_does_not_count_ballots_if_only_totals_are_published(
    app: PagesApp, ada: Browser
) -> None:
    terms = ElectionSettings(publication=Publication.TOTALS)
    app.world.launch(app.user("Ada"), "Tea", terms=terms)
    app.vote("Ada", "Tea", "Red")
    question = ada.submit(ada.get("e", "Tea", "candidates"), candidates="Green\nBlue")
    assert "Only totals are published" in question.text
    assert "anked on" not in question.text


def test_candidates_of_a_launched_secret_election_are_final(app: PagesApp, ada: Browser) -> None:
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(secret_ballot=True))
    page = ada.get("e", "Tea", "candidates")
    assert "The list is final." in page.text
    assert "textarea" not in page.text
    sent = {"candidates": "Green\nPink", "revision": str(app.election("Tea").revision)}
    assert ada.post("/elections/e/Tea/candidates", sent).status_code == 409
    assert app.candidates("Tea") == ["Red", "Green", "Blue"]


def test_only_the_owner_sees_a_form_until_the_election_is_locked(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    assert 'class="empty"' in ben.get("e", tea, "candidates").text
    app.world.service.lifecycle.set_candidates(app.user("Ada"), tea, ["Assam", "Ceylon"])
    page = ben.get("e", tea, "candidates")
    assert forms_in(page) == []
    assert missing_in(page, ["Assam", "Ceylon"]) == []
    app.world.service.lifecycle.launch(app.user("Ada"), tea, allow_edit=False)
    assert forms_in(ada.get("e", tea, "candidates")) == []
    response = ada.post("/elections/e/Tea/candidates", {"candidates": "A\nB"})
    assert response.status_code == 409

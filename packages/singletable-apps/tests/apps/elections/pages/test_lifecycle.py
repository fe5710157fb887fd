"""Owners launch, lock, close, delete and hand over elections, each after a confirmation."""

from __future__ import annotations

import json
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from singletable_apps.elections.entities import State
from singletable_apps.elections.proofs.documents import DeletionStatement
from singletable_apps.elections.proofs.encoding import digest
from singletable_apps.elections.proofs.keys import is_deletion_signed
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.pages import LocalTime
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import KEYS, PASSWORD
from tests.apps.support.html import field_errors, forms_in, text_in

STEPS = ("launch", "fix", "finalize", "delete")


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    """Return an election that is ready to launch."""
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    name = lifecycle.create(owner, "Tea").name
    lifecycle.set_candidates(owner, name, ["Assam", "Ceylon"])
    return name


def test_election_runs_from_setup_to_deletion_without_scripts(app: PagesApp, ada: Browser) -> None:
    ada.submit(ada.get("new"), name="Tea", ballot="open")
    ada.submit(ada.get("e", "Tea", "candidates"), candidates="Assam\nCeylon")
    for step, fields, state in (
        ("launch", {"how": "editable"}, State.EDITABLE),
        ("fix", {}, State.FIXED),
        ("finalize", {}, State.CLOSED),
    ):
        page = ada.get("e", "Tea", step)
        assert "data-confirm-body" in page.text
        assert ada.follow(ada.submit(page, **fields)).status_code == 200
        assert state_of(app.election("Tea")) is state
    response = ada.submit(ada.get("e", "Tea", "delete"), election="tea")
    assert response.headers["location"] == "/elections/all"
    assert ada.get("e", "Tea").status_code == 410


# Two clicks once were enough to delete a signed result.
@pytest.mark.parametrize("state", ["no ballot", "a ballot", "a ballot, locked", "closed"])
def test_deleting_ballots_or_a_result_requires_the_name_and_the_password(
    app: PagesApp, tea: str, state: str
) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    lifecycle.launch(owner, tea, allow_edit=state != "a ballot, locked")
    ada = app.sign_in("Ada")
    app.world.clock.advance(minutes=6)
    easy = ada.get("e", tea, "delete")
    if state == "no ballot":
        assert ada.submit(easy).headers["location"] == "/elections/all"
        return
    # What is lost came after the question was shown.
    app.vote("Ada", tea, "Assam")
    page = ada.submit(easy)
    assert list(field_errors(page)) == ["current_password"]
    assert "1 of 1 have voted." in text_in(page.text)
    if state == "closed":
        lifecycle.close(owner, tea)
        page = ada.get("e", tea, "delete")
    rejected = ada.submit(page, election="Coffee", current_password=PASSWORD)
    assert field_errors(rejected) == {"election": "Enter Tea to confirm."}
    for wrong in ("", "guess"):
        rejected = ada.submit(page, election="Tea", current_password=wrong)
        assert list(field_errors(rejected)) == ["current_password"]
    deleted = ada.submit(page, election="Tea", current_password=PASSWORD)
    assert deleted.headers["location"] == "/elections/all"


# The first question takes the others with it.
def test_deleting_a_draft_with_the_ballots_of_another_question_is_not_easy(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    lifecycle.add_question(owner, tea, "Cups")
    assert "Name of the election" not in ada.read("e", tea, "delete")
    lifecycle.set_candidates(owner, "Cups", ["Large", "Small"])
    lifecycle.launch(owner, tea, allow_edit=True)
    app.vote("Ada", "Cups", "Large")
    assert "Name of the election" in ada.read("e", tea, "delete")


def test_old_address_says_who_deleted_the_election_and_when(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    lifecycle.launch(owner, tea, allow_edit=False)
    statement = json.loads(lifecycle.close(owner, tea).statement or "")
    lifecycle.delete(owner, tea)
    day = LocalTime(app.world.clock.now, ZoneInfo("UTC")).day
    for parts in ((), ("tally",)):
        page = ben.get("e", "TEA", *parts)
        assert page.status_code == 410
        assert f"This election was deleted on {day}" in text_in(page.text)
        assert digest(statement, domain="closing") in page.text
    [deleted] = app.world.service.context.book.deleted_elections()
    assert deleted.statement is not None
    assert deleted.statement["deleted_by"] == "Ada"
    assert is_deletion_signed(deleted.statement, deleted.signature, KEYS.signer.public_key)
    changed: DeletionStatement = {**deleted.statement, "deleted_by": "Ben"}
    assert not is_deletion_signed(changed, deleted.signature, KEYS.signer.public_key)
    # The name is free again.
    lifecycle.create(owner, tea)
    assert ben.get("e", tea).status_code == 200


def test_old_link_leads_to_the_new_name(app: PagesApp, ada: Browser, tea: str) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    lifecycle.edit(owner, tea, {"name": "Best tea"})
    lifecycle.edit(owner, "Best tea", {"name": "Tea of 2027"})
    for old in ("TEA", "Best tea"):
        page = ada.get("e", old, "candidates", query="?q=a%26b")
        assert page.status_code == 200
        assert page.url.raw_path == b"/elections/e/Tea%20of%202027/candidates?q=a%26b"
        assert "The name of this election is now “Tea of 2027”." in page.text
    # Another election may take the name; the link then leads to it, or says that it was deleted.
    lifecycle.create(owner, tea)
    assert ada.get("e", tea).status_code == 200
    lifecycle.delete(owner, tea)
    assert ada.get("e", tea).status_code == 410


# Logs from before there were such statements.
def test_election_deleted_without_a_statement_is_remembered_too(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    app.world.service.lifecycle.delete(app.user("Ada"), tea)
    assert "no result" in text_in(ada.get("e", tea).text)
    assert ada.get("e", "Never existed").status_code == 404


def test_launch_offers_a_choice_between_locked_and_editable(ada: Browser, tea: str) -> None:
    [form] = forms_in(ada.get("e", tea, "launch"))
    assert form.offered["how"] == ["fixed", "editable"]
    assert "how" not in form.fields


# People should know how ballots are counted before they vote.
def test_launch_names_the_counting_method_and_the_voters(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    assert "All registered voters can vote" in ada.read("e", tea, "launch")
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ada", "Ben"])
    text = ada.read("e", tea, "launch")
    assert "2 people can vote right away, on 2 candidates" in text
    assert "Schulze method" in text
    app.world.service.lifecycle.set_voters(app.user("Ada"), tea, ["Ada"])
    assert "1 person can vote right away" in ada.read("e", tea, "launch")


def test_close_says_how_many_have_voted(app: PagesApp, ada: Browser, ben: Browser) -> None:
    app.register("Cleo")
    app.world.launch(app.user("Ada"), "Tea", voters=["Ada", "Ben", "Cleo"])
    for name in ("Ada", "Ben"):
        app.vote(name, "Tea", "Red")
    text = ada.read("e", "Tea", "finalize")
    assert "2 of 3 have voted." in text
    assert "Schulze method" in text
    app.world.launch(app.user("Ada"), "Wine")
    app.vote("Ben", "Wine", "Red")
    assert "1 of " in ada.read("e", "Wine", "finalize")


def test_impossible_step_is_refused_in_the_frame_of_the_election(
    app: PagesApp, ada: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea", allow_edit=False)
    for step in STEPS:
        page = ada.get("e", "Tea", step)
        assert page.status_code == (409 if step in ("launch", "fix") else 200), step
    assert "<h1>Tea</h1>" in ada.get("e", "Tea", "launch").text
    assert ada.post("/elections/e/Tea/launch", {"how": "fixed"}).status_code == 409
    assert state_of(app.election("Tea")) is State.FIXED


def test_election_with_closing_time_cannot_be_closed_earlier(app: PagesApp, ada: Browser) -> None:
    closes = app.world.clock.now + timedelta(minutes=5)
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(no_voting_after=closes))
    assert ada.get("e", "Tea", "finalize").status_code == 409
    assert "/finalize" not in ada.get("e", "Tea").text + ada.get("e", "Tea", "settings").text


def test_administrator_can_delete_and_sees_that_people_vote(app: PagesApp, ada: Browser) -> None:
    admin = app.register("Mod", Role.ADMIN)
    app.world.launch(app.user("Ada"), "Tea")
    page = admin.get("e", "Tea", "delete")
    assert "Voting is open" in page.text
    assert admin.submit(page).status_code == 303


# Offering people who are then refused wastes everyone's time.
def test_transfer_offers_only_people_who_can_own_elections(
    app: PagesApp, ada: Browser, ben: Browser, tea: str
) -> None:
    for name, role in (("Carol", Role.VOTER), ("Olga", Role.OBSERVER), ("Zoe", Role.NO_ACCESS)):
        app.register(name, role)
    assert forms_in(ada.get("e", tea, "owner"))[0].offered["owner"] == ["", "Ben"]

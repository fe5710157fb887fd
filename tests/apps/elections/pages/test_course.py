"""An election is launched, fixed, closed and deleted on pages that ask first."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable_apps.elections.entities import State
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, missing_in

STEPS = ("launch", "fix", "finalize", "delete")


def test_an_election_goes_its_way_without_scripts(app: PagesApp, ada: Browser) -> None:
    ada.submit(ada.get("new"), name="Tea")
    ada.submit(ada.get("e", "Tea", "candidates"), candidates="Assam\nCeylon")
    for step, typed, state in (
        ("launch", {"how": "editable"}, State.EDITABLE),
        ("fix", {}, State.FIXED),
        ("finalize", {}, State.CLOSED),
    ):
        page = ada.get("e", "Tea", step)
        assert "data-confirm-body" in page.text
        assert ada.follow(ada.submit(page, **typed)).status_code == 200
        assert state_of(app.election("Tea")) is state
    answer = ada.submit(ada.get("e", "Tea", "delete"))
    assert answer.headers["location"] == "/elections/all"
    assert ada.get("e", "Tea").status_code == 404


def test_a_launch_says_what_fixed_and_editable_mean_and_chooses_none(
    app: PagesApp, ada: Browser
) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    app.world.service.lifecycle.set_candidates(app.user("Ada"), "Tea", ["Assam", "Ceylon"])
    page = ada.get("e", "Tea", "launch")
    told = ["nobody can change or withdraw it", "You can fix it later", "go back into preparation"]
    assert missing_in(page, told) == []
    answer = ada.submit(page)
    assert answer.status_code == 422
    assert list(field_errors(answer)) == ["how"]
    assert state_of(app.election("Tea")) is State.SETUP


@pytest.mark.parametrize(
    ("state", "refused"),
    [
        (
            State.SETUP,
            {
                "launch": "less than 2 candidates",
                "fix": "not been launched",
                "finalize": "not been launched",
            },
        ),
        (State.EDITABLE, {"launch": "launched already"}),
        (State.FIXED, {"launch": "launched already", "fix": "fixed already"}),
        (
            State.CLOSED,
            {
                "launch": "has been finalized",
                "fix": "has been finalized",
                "finalize": "finalized already",
            },
        ),
    ],
)
def test_what_cannot_be_done_now_is_told_on_a_page_of_the_election(
    app: PagesApp, ada: Browser, state: State, refused: dict[str, str]
) -> None:
    owner = app.user("Ada")
    if state is State.SETUP:
        app.world.service.lifecycle.create(owner, "Tea")
    else:
        app.world.launch(owner, "Tea", allow_edit=state is State.EDITABLE)
    if state is State.CLOSED:
        app.world.service.lifecycle.close(owner, "Tea")
    for step in STEPS:
        asked = ada.get("e", "Tea", step)
        assert asked.status_code == (409 if step in refused else 200), step
        if step in refused:
            assert missing_in(asked, [refused[step], "To the overview", "<h1>Tea</h1>"]) == []
            assert ada.post(f"/elections/e/Tea/{step}", {"how": "fixed"}).status_code == 409
    assert state_of(app.election("Tea")) is state


def test_one_with_an_end_closes_by_itself_and_not_before(app: PagesApp, ada: Browser) -> None:
    ends = app.world.clock.now + timedelta(minutes=5)
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(no_voting_after=ends))
    asked = ada.get("e", "Tea", "finalize")
    assert asked.status_code == 409
    assert "accepts votes until" in asked.text
    assert "/finalize" not in ada.get("e", "Tea").text + ada.get("e", "Tea", "settings").text


@pytest.mark.parametrize("step", STEPS)
def test_only_its_owner_takes_steps(app: PagesApp, ada: Browser, ben: Browser, step: str) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    asked = ben.get("e", "Tea", step)
    assert asked.status_code == 403
    assert "Ask the owner" in asked.text
    assert ben.post(f"/elections/e/Tea/{step}", {"how": "fixed"}).status_code == 403


def test_who_moderates_may_delete(app: PagesApp, ada: Browser) -> None:
    mod = app.register("Mod", Role.ADMIN)
    app.world.launch(app.user("Ada"), "Tea")
    page = mod.get("e", "Tea", "delete")
    assert "people are voting in it right now" in page.text
    assert mod.submit(page).status_code == 303


@pytest.mark.parametrize(
    ("step", "typed"), [("launch", {"how": "fixed"}), ("fix", {}), ("finalize", {}), ("delete", {})]
)
def test_a_step_is_asked_for_again_if_something_changed_meanwhile(
    app: PagesApp, ada: Browser, step: str, typed: dict[str, str]
) -> None:
    owner, rolls = app.user("Ada"), app.world.service.lifecycle
    if step == "launch":
        app.world.service.lifecycle.create(owner, "Tea")
        rolls.set_candidates(owner, "Tea", ["Red", "Green"])
    else:
        app.world.launch(owner, "Tea")
    before = state_of(app.election("Tea"))
    page = ada.get("e", "Tea", step)
    rolls.set_candidates(owner, "Tea", ["Red", "Green", "Black", "White"])
    answer = ada.submit(page, **typed)
    assert answer.status_code == 412
    assert "Somebody changed this meanwhile" in answer.text
    assert state_of(app.election("Tea")) is before
    assert ada.submit(answer, **typed).status_code == 303

"""An election is launched, fixed, closed and deleted on pages that ask first."""

from __future__ import annotations

from datetime import timedelta

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules import state_of
from singletable_apps.elections.service import Terms
from singletable_apps.elections.states import State
from tests.apps.elections.pages.clicking import Person, Town, all_in, faults_in

STEPS = ("launch", "fix", "finalize", "delete")


def test_an_election_goes_its_way_without_scripts(town: Town, ada: Person) -> None:
    ada.send(ada.look("new"), name="Tea")
    ada.send(ada.look("e", "Tea", "candidates"), candidates="Assam\nCeylon")
    for step, typed, state in (
        ("launch", {"how": "editable"}, State.EDITABLE),
        ("fix", {}, State.FIXED),
        ("finalize", {}, State.CLOSED),
    ):
        page = ada.look("e", "Tea", step)
        assert "data-confirm-body" in page.text
        assert ada.follow(ada.send(page, **typed)).status_code == 200
        assert state_of(town.election("Tea")) is state
    answer = ada.send(ada.look("e", "Tea", "delete"))
    assert answer.headers["location"] == "/elections/all"
    assert ada.look("e", "Tea").status_code == 404


def test_a_launch_says_what_fixed_and_editable_mean_and_chooses_none(
    town: Town, ada: Person
) -> None:
    town.world.service.lifecycle.create(town.user("Ada"), "Tea")
    town.world.service.rolls.set_candidates(town.user("Ada"), "Tea", ["Assam", "Ceylon"])
    page = ada.look("e", "Tea", "launch")
    told = ["nobody can change or withdraw it", "You can fix it later", "go back into preparation"]
    assert all_in(page, told) == []
    answer = ada.send(page)
    assert answer.status_code == 422
    assert list(faults_in(answer)) == ["how"]
    assert state_of(town.election("Tea")) is State.SETUP


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
    town: Town, ada: Person, state: State, refused: dict[str, str]
) -> None:
    owner = town.user("Ada")
    if state is State.SETUP:
        town.world.service.lifecycle.create(owner, "Tea")
    else:
        town.world.launched(owner, "Tea", allow_edit=state is State.EDITABLE)
    if state is State.CLOSED:
        town.world.service.lifecycle.finalise(owner, "Tea")
    for step in STEPS:
        asked = ada.look("e", "Tea", step)
        assert asked.status_code == (409 if step in refused else 200), step
        if step in refused:
            assert all_in(asked, [refused[step], "To the overview", "<h1>Tea</h1>"]) == []
            assert ada.post(f"/elections/e/Tea/{step}", {"how": "fixed"}).status_code == 409
    assert state_of(town.election("Tea")) is state


def test_one_with_an_end_closes_by_itself_and_not_before(town: Town, ada: Person) -> None:
    ends = town.world.clock.now + timedelta(minutes=5)
    town.world.launched(town.user("Ada"), "Tea", terms=Terms(no_voting_after=ends))
    asked = ada.look("e", "Tea", "finalize")
    assert asked.status_code == 409
    assert "accepts votes until" in asked.text
    assert "/finalize" not in ada.look("e", "Tea").text + ada.look("e", "Tea", "settings").text


@pytest.mark.parametrize("step", STEPS)
def test_only_its_owner_takes_steps(town: Town, ada: Person, ben: Person, step: str) -> None:
    town.world.launched(town.user("Ada"), "Tea")
    asked = ben.look("e", "Tea", step)
    assert asked.status_code == 403
    assert "Ask the owner" in asked.text
    assert ben.post(f"/elections/e/Tea/{step}", {"how": "fixed"}).status_code == 403


def test_who_moderates_may_delete(town: Town, ada: Person) -> None:
    mod = town.joins("Mod", Role.ADMIN)
    town.world.launched(town.user("Ada"), "Tea")
    page = mod.look("e", "Tea", "delete")
    assert "people are voting in it right now" in page.text
    assert mod.send(page).status_code == 303


@pytest.mark.parametrize(
    ("step", "typed"), [("launch", {"how": "fixed"}), ("fix", {}), ("finalize", {}), ("delete", {})]
)
def test_a_step_is_asked_for_again_if_something_changed_meanwhile(
    town: Town, ada: Person, step: str, typed: dict[str, str]
) -> None:
    owner, rolls = town.user("Ada"), town.world.service.rolls
    if step == "launch":
        town.world.service.lifecycle.create(owner, "Tea")
        rolls.set_candidates(owner, "Tea", ["Red", "Green"])
    else:
        town.world.launched(owner, "Tea")
    before = state_of(town.election("Tea"))
    page = ada.look("e", "Tea", step)
    rolls.set_candidates(owner, "Tea", ["Red", "Green", "Black", "White"])
    answer = ada.send(page, **typed)
    assert answer.status_code == 412
    assert "Somebody changed this meanwhile" in answer.text
    assert state_of(town.election("Tea")) is before
    assert ada.send(answer, **typed).status_code == 303

"""An election is settled and given away on pages, and nobody writes over another."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Terms
from singletable_apps.elections.states import Publication
from tests.apps.elections.pages.clicking import Person, Town, all_in, faults_in, sheets_of

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.fixture
def tea(town: Town, ada: Person) -> str:
    terms = Terms(secret_ballot=True, no_voting_before=OPENS)
    return town.world.service.lifecycle.create(town.user("Ada"), "Tea", terms).name


def test_the_form_holds_what_is_settled_and_saving_it_changes_nothing(
    town: Town, ada: Person, tea: str
) -> None:
    ada.browser.cookies.set("zone", "America/New_York")
    page = ada.look("e", tea, "settings")
    [sheet] = sheets_of(page)
    assert sheet.fields["no_voting_before"] == ["2026-07-01T04:00"]
    assert (sheet.fields["ballot"], sheet.fields["publication"]) == (["secret"], ["totals"])
    before = town.world.length
    assert ada.send(page).status_code == 303
    assert town.world.length == before


def test_name_and_terms_change_together(town: Town, ada: Person, tea: str) -> None:
    page = ada.look("e", tea, "settings")
    answer = ada.send(page, name="Wine", ballot="open", publication="totals", no_voting_before="")
    assert answer.headers["location"] == "/elections/e/Wine/settings"
    edited = town.election("Wine")
    assert (edited.secret_ballot, edited.publication) == (False, Publication.TOTALS)
    assert edited.no_voting_before is None


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": "Water"}, "name"),
        ({"name": ""}, "name"),
        ({"publication": "usually"}, "publication"),
        ({"no_voting_after": "2026-06-30T00:00"}, "no_voting_after"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(
    town: Town, ada: Person, tea: str, typed: dict[str, str], field: str
) -> None:
    town.world.service.lifecycle.create(town.user("Ada"), "Water")
    answer = ada.send(ada.look("e", tea, "settings"), **typed)
    assert answer.status_code == 422
    assert list(faults_in(answer)) == [field]


def test_who_comes_too_late_sees_what_is_there_and_keeps_what_was_typed(
    town: Town, ada: Person, tea: str
) -> None:
    page = ada.look("e", tea, "settings")
    open_now = Terms(publication=Publication.ANONYMOUS)
    town.world.service.lifecycle.settle(town.user("Ada"), tea, open_now)
    answer = ada.send(page, name="Best tea")
    assert answer.status_code == 412
    told = ["Somebody changed this meanwhile", "All ballots, without names", 'value="Best tea"']
    assert all_in(answer, told) == []
    assert town.election(tea).name == "Tea"
    assert ada.send(answer).status_code == 303
    assert town.election("Best tea").secret_ballot


def test_a_form_that_says_nothing_of_a_revision_is_too_late(
    town: Town, ada: Person, tea: str
) -> None:
    assert ada.send(ada.look("e", tea, "settings"), revision=None).status_code == 412


def test_after_the_launch_only_the_name_can_change_and_then_nothing(
    town: Town, ada: Person
) -> None:
    town.world.launched(town.user("Ada"), "Tea")
    page = ada.look("e", "Tea", "settings")
    assert {"name", "revision"} == set(sheets_of(page)[0].fields)
    assert ada.send(page, name="Teas").status_code == 303
    refused = ada.post(
        "/elections/e/Teas/settings", {"name": "X", "ballot": "open", "publication": "totals"}
    )
    assert refused.status_code == 409
    assert all_in(refused, ["closed for edits once launched", "To the overview"]) == []
    town.world.service.lifecycle.fix(town.user("Ada"), "Teas")
    assert sheets_of(ada.look("e", "Teas", "settings")) == []
    assert ada.post("/elections/e/Teas/settings", {"name": "X"}).status_code == 409


def test_settings_are_for_its_owner_and_in_part_for_who_moderates(
    town: Town, ada: Person, tea: str
) -> None:
    ben, mod = town.joins("Ben"), town.joins("Mod", Role.ADMIN)
    answer = ben.look("e", tea, "settings")
    assert answer.status_code == 403
    assert "is owned by" in answer.text
    assert ben.post(f"/elections/e/{tea}/settings", {"name": "Mine"}).status_code == 403
    page = mod.look("e", tea, "settings")
    assert sheets_of(page) == []
    assert all_in(page, ["Hand over…", "Delete…"]) == []
    assert mod.post(f"/elections/e/{tea}/settings", {"name": "Mine"}).status_code == 403


def test_an_election_is_handed_over(town: Town, ada: Person, tea: str) -> None:
    ben = town.joins("Ben")
    page = ada.look("e", tea, "owner")
    assert sheets_of(page)[0].offered["owner"] == ["", "Ben"]
    assert all_in(ada.follow(ada.send(page, owner="ben")), ["is Ben&#39;s now"]) == []
    assert town.election(tea).owner_name == "Ben"
    assert ben.look("e", tea, "settings").status_code == 200


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "fill this in"),
        ("Nobody", "There is no user"),
        ("Carol", "can not own an election"),
    ],
)
def test_whom_it_cannot_be_given_to_is_told_beside_the_field(
    town: Town, ada: Person, tea: str, typed: str, told: str
) -> None:
    town.joins("Carol", Role.VOTER)
    answer = ada.send(ada.look("e", tea, "owner"), owner=typed)
    assert answer.status_code == 422
    assert told in faults_in(answer)["owner"]
    assert town.election(tea).owner_name == "Ada"


def test_handing_over_what_was_changed_meanwhile_is_asked_again(
    town: Town, ada: Person, tea: str
) -> None:
    town.joins("Ben")
    page = ada.look("e", tea, "owner")
    town.world.service.rolls.set_candidates(town.user("Ada"), tea, ["Assam"])
    answer = ada.send(page, owner="Ben")
    assert answer.status_code == 412
    assert ada.send(answer).status_code == 303
    assert town.election(tea).owner_name == "Ben"


def test_nobody_else_can_give_it_away(town: Town, ada: Person, tea: str) -> None:
    ben = town.joins("Ben")
    assert ben.look("e", tea, "owner").status_code == 403
    assert ben.post(f"/elections/e/{tea}/owner", {"owner": "Ben"}).status_code == 403

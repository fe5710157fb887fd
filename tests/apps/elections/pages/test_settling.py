"""An election is settled and given away on pages, and nobody writes over another."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.elections.entities import Publication
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, forms_in, missing_in

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    terms = ElectionSettings(secret_ballot=True, no_voting_before=OPENS)
    return app.world.service.lifecycle.create(app.user("Ada"), "Tea", terms).name


def test_the_form_holds_what_is_settled_and_saving_it_changes_nothing(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    ada.http.cookies.set("zone", "America/New_York")
    page = ada.get("e", tea, "settings")
    [sheet] = forms_in(page)
    assert sheet.fields["no_voting_before"] == ["2026-07-01T04:00"]
    assert (sheet.fields["ballot"], sheet.fields["publication"]) == (["secret"], ["totals"])
    before = app.world.event_count
    assert ada.submit(page).status_code == 303
    assert app.world.event_count == before


def test_name_and_terms_change_together(app: PagesApp, ada: Browser, tea: str) -> None:
    page = ada.get("e", tea, "settings")
    answer = ada.submit(page, name="Wine", ballot="open", publication="totals", no_voting_before="")
    assert answer.headers["location"] == "/elections/e/Wine/settings"
    edited = app.election("Wine")
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
    app: PagesApp, ada: Browser, tea: str, typed: dict[str, str], field: str
) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Water")
    answer = ada.submit(ada.get("e", tea, "settings"), **typed)
    assert answer.status_code == 422
    assert list(field_errors(answer)) == [field]


def test_who_comes_too_late_sees_what_is_there_and_keeps_what_was_typed(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "settings")
    open_now = ElectionSettings(publication=Publication.ANONYMOUS)
    app.world.service.lifecycle.replace_settings(app.user("Ada"), tea, open_now)
    answer = ada.submit(page, name="Best tea")
    assert answer.status_code == 412
    told = ["Somebody changed this meanwhile", "All ballots, without names", 'value="Best tea"']
    assert missing_in(answer, told) == []
    assert app.election(tea).name == "Tea"
    assert ada.submit(answer).status_code == 303
    assert app.election("Best tea").secret_ballot


def test_a_form_that_says_nothing_of_a_revision_is_too_late(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    assert ada.submit(ada.get("e", tea, "settings"), revision=None).status_code == 412


def test_after_the_launch_only_the_name_can_change_and_then_nothing(
    app: PagesApp, ada: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    page = ada.get("e", "Tea", "settings")
    assert {"name", "revision"} == set(forms_in(page)[0].fields)
    assert ada.submit(page, name="Teas").status_code == 303
    refused = ada.post(
        "/elections/e/Teas/settings", {"name": "X", "ballot": "open", "publication": "totals"}
    )
    assert refused.status_code == 409
    assert missing_in(refused, ["closed for edits once launched", "To the overview"]) == []
    app.world.service.lifecycle.lock(app.user("Ada"), "Teas")
    assert forms_in(ada.get("e", "Teas", "settings")) == []
    assert ada.post("/elections/e/Teas/settings", {"name": "X"}).status_code == 409


def test_settings_are_for_its_owner_and_in_part_for_who_moderates(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    ben, mod = app.register("Ben"), app.register("Mod", Role.ADMIN)
    answer = ben.get("e", tea, "settings")
    assert answer.status_code == 403
    assert "is owned by" in answer.text
    assert ben.post(f"/elections/e/{tea}/settings", {"name": "Mine"}).status_code == 403
    page = mod.get("e", tea, "settings")
    assert forms_in(page) == []
    assert missing_in(page, ["Hand over…", "Delete…"]) == []
    assert mod.post(f"/elections/e/{tea}/settings", {"name": "Mine"}).status_code == 403


def test_an_election_is_handed_over(app: PagesApp, ada: Browser, tea: str) -> None:
    ben = app.register("Ben")
    page = ada.get("e", tea, "owner")
    assert forms_in(page)[0].offered["owner"] == ["", "Ben"]
    assert missing_in(ada.follow(ada.submit(page, owner="ben")), ["is Ben&#39;s now"]) == []
    assert app.election(tea).owner_name == "Ben"
    assert ben.get("e", tea, "settings").status_code == 200


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "fill this in"),
        ("Nobody", "There is no user"),
        ("Carol", "can not own an election"),
    ],
)
def test_whom_it_cannot_be_given_to_is_told_beside_the_field(
    app: PagesApp, ada: Browser, tea: str, typed: str, told: str
) -> None:
    app.register("Carol", Role.VOTER)
    answer = ada.submit(ada.get("e", tea, "owner"), owner=typed)
    assert answer.status_code == 422
    assert told in field_errors(answer)["owner"]
    assert app.election(tea).owner_name == "Ada"


def test_handing_over_what_was_changed_meanwhile_is_asked_again(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    app.register("Ben")
    page = ada.get("e", tea, "owner")
    app.world.service.lifecycle.set_candidates(app.user("Ada"), tea, ["Assam"])
    answer = ada.submit(page, owner="Ben")
    assert answer.status_code == 412
    assert ada.submit(answer).status_code == 303
    assert app.election(tea).owner_name == "Ben"


def test_nobody_else_can_give_it_away(app: PagesApp, ada: Browser, tea: str) -> None:
    ben = app.register("Ben")
    assert ben.get("e", tea, "owner").status_code == 403
    assert ben.post(f"/elections/e/{tea}/owner", {"owner": "Ben"}).status_code == 403

"""Members create elections and edit their settings, and nobody overwrites another's change."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.elections.entities import Publication
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, forms_in, has_conflict, missing_in

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    settings = ElectionSettings(secret_ballot=True, no_voting_before=OPENS)
    return app.world.service.lifecycle.create(app.user("Ada"), "Tea", settings).name


def test_election_is_created_with_all_settings_in_the_browsers_time_zone(
    app: PagesApp, ada: Browser
) -> None:
    ada.http.cookies.set("zone", "Europe/Vienna")
    response = ada.submit(
        ada.get("new"),
        name="  Best   tea ",
        ballot="secret",
        publication="anonymous",
        no_voting_before="2026-07-01T10:00",
        no_voting_after="2026-12-01T10:00",
    )
    assert response.headers["location"] == "/elections/e/Best%20tea/candidates"
    created = app.election("Best tea")
    assert (created.secret_ballot, created.publication) == (True, Publication.ANONYMOUS)
    assert created.no_voting_before == datetime(2026, 7, 1, 8, tzinfo=UTC)
    assert created.no_voting_after == datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "published"), [("open", Publication.CONFIRMATIONS), ("secret", Publication.TOTALS)]
)
def test_default_publication_fits_the_kind_of_ballot(
    app: PagesApp, ada: Browser, kind: str, published: Publication
) -> None:
    ada.submit(ada.get("new"), name="Tea", ballot=kind)
    assert app.election("Tea").publication is published


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "TEA"}, "name"),
        ({"name": "a" * 201}, "name"),
        ({"name": "a\u200bb"}, "name"),
        ({"name": ".."}, "name"),
        ({"ballot": None}, "ballot"),
        ({"ballot": "raised hands"}, "ballot"),
        ({"publication": "all"}, "publication"),
        ({"no_voting_before": "tomorrow"}, "no_voting_before"),
        (
            {"no_voting_before": "2026-02-02T00:00", "no_voting_after": "2026-02-01T00:00"},
            "no_voting_after",
        ),
        # It could never be launched.
        ({"no_voting_after": "2020-01-01T00:00"}, "no_voting_after"),
    ],
)
def test_invalid_new_election_is_rejected_beside_the_field_and_keeps_the_values(
    app: PagesApp, ada: Browser, fields: dict[str, str | None], field: str
) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    before = app.world.event_count
    response = ada.submit(ada.get("new"), **{"name": "Wine & more", **fields})
    assert response.status_code == 422
    assert list(field_errors(response)) == [field]
    if fields.get("name", "Wine & more") == "Wine & more":
        assert "Wine &amp; more" in response.text
    assert app.world.event_count == before


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.VOTER])
def test_observers_and_voters_cannot_create_elections(
    app: PagesApp, ada: Browser, role: Role
) -> None:
    browser = app.register("Carol", role)
    assert "/elections/new" not in browser.get("all").text
    assert browser.get("new").status_code == 403
    assert browser.post("/elections/new", {"name": "Tea"}).status_code == 403


def test_saving_unchanged_settings_changes_nothing(app: PagesApp, ada: Browser, tea: str) -> None:
    ada.http.cookies.set("zone", "America/New_York")
    page = ada.get("e", tea, "settings")
    [form] = forms_in(page)
    assert form.fields["no_voting_before"] == ["2026-07-01T04:00"]
    assert (form.fields["ballot"], form.fields["publication"]) == (["secret"], ["totals"])
    before = app.world.event_count
    assert ada.submit(page).status_code == 303
    assert app.world.event_count == before


def test_name_and_settings_change_together(app: PagesApp, ada: Browser, tea: str) -> None:
    page = ada.get("e", tea, "settings")
    response = ada.submit(
        page, name="Wine", ballot="open", publication="totals", no_voting_before=""
    )
    assert response.headers["location"] == "/elections/e/Wine/settings"
    edited = app.election("Wine")
    assert (edited.secret_ballot, edited.publication) == (False, Publication.TOTALS)
    assert edited.no_voting_before is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": "Water"}, "name"),
        ({"name": ""}, "name"),
        ({"publication": "usually"}, "publication"),
        ({"no_voting_after": "2026-06-30T00:00"}, "no_voting_after"),
        ({"no_voting_before": "", "no_voting_after": "2020-01-01T00:00"}, "no_voting_after"),
    ],
)
def test_invalid_settings_are_rejected_beside_the_field(
    app: PagesApp, ada: Browser, tea: str, fields: dict[str, str], field: str
) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Water")
    response = ada.submit(ada.get("e", tea, "settings"), **fields)
    assert response.status_code == 422
    assert list(field_errors(response)) == [field]


# Times used to be entered in one zone and shown in another, in two formats.
def test_times_are_shown_in_the_zone_they_were_entered_in(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    ada.http.cookies.set("zone", "Europe/Berlin")
    app.world.service.lifecycle.set_candidates(app.user("Ada"), tea, ["Assam", "Ceylon"])
    app.world.service.lifecycle.launch(app.user("Ada"), tea, allow_edit=True)
    page = ada.get("e", tea, "settings").text.partition("<main")[2]
    assert "1 July 2026, 10:00 CEST" in page
    assert "2026-07-01 08:00 UTC" not in page


def test_conflict_shows_the_current_settings_and_keeps_the_changes(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    page = ada.get("e", tea, "settings")
    settings = ElectionSettings(publication=Publication.ANONYMOUS)
    app.world.service.lifecycle.replace_settings(app.user("Ada"), tea, settings)
    response = ada.submit(page, name="Best tea")
    assert response.status_code == 412
    assert has_conflict(response)
    assert missing_in(response, ["All ballots without names", 'value="Best tea"']) == []
    assert app.election(tea).name == "Tea"
    assert ada.submit(response).status_code == 303
    assert app.election("Best tea").secret_ballot


def test_form_without_revision_is_a_conflict(app: PagesApp, ada: Browser, tea: str) -> None:
    assert ada.submit(ada.get("e", tea, "settings"), revision=None).status_code == 412


def test_after_launch_only_the_name_can_change_until_it_is_locked(
    app: PagesApp, ada: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    page = ada.get("e", "Tea", "settings")
    assert {"name", "revision"} == set(forms_in(page)[0].fields)
    assert ada.submit(page, name="Teas").status_code == 303
    response = ada.post(
        "/elections/e/Teas/settings", {"name": "X", "ballot": "open", "publication": "totals"}
    )
    assert response.status_code == 409
    assert "<h1>Teas</h1>" in response.text
    app.world.service.lifecycle.lock(app.user("Ada"), "Teas")
    assert forms_in(ada.get("e", "Teas", "settings")) == []
    assert ada.post("/elections/e/Teas/settings", {"name": "X"}).status_code == 409


def test_settings_are_for_the_owner_and_in_part_for_administrators(
    app: PagesApp, ada: Browser, tea: str
) -> None:
    ben, admin = app.register("Ben"), app.register("Mod", Role.ADMIN)
    assert ben.get("e", tea, "settings").status_code == 403
    assert ben.post(f"/elections/e/{tea}/settings", {"name": "Mine"}).status_code == 403
    page = admin.get("e", tea, "settings")
    assert forms_in(page) == []
    assert (
        missing_in(page, [f'href="/elections/e/{tea}/{step}"' for step in ("owner", "delete")])
        == []
    )
    assert admin.post(f"/elections/e/{tea}/settings", {"name": "Mine"}).status_code == 403

"""Members create elections and edit their settings, and nobody overwrites another's change."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.elections.entities import Electorate, Publication
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import forms_in, missing_in

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)


@pytest.fixture
def tea(app: PagesApp, ada: Browser) -> str:
    settings = ElectionSettings(
        secret_ballot=True, no_voting_before=OPENS, electorate=Electorate.ACCOUNTS
    )
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


def test_saving_unchanged_settings_changes_nothing(app: PagesApp, ada: Browser, tea: str) -> None:
    ada.http.cookies.set("zone", "America/New_York")
    page = ada.get("e", tea, "settings")
    [form] = forms_in(page)
    assert form.fields["no_voting_before"] == ["2026-07-01T04:00"]
    assert (form.fields["ballot"], form.fields["publication"]) == (["secret"], ["totals"])
    before = app.world.event_count
    assert ada.submit(page).status_code == 303
    assert app.world.event_count == before


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


def test_administrators_can_only_transfer_and_delete(app: PagesApp, ada: Browser, tea: str) -> None:
    page = app.register("Mod", Role.ADMIN).get("e", tea, "settings")
    assert forms_in(page) == []
    links = [f'href="/elections/e/{tea}/{step}"' for step in ("owner", "delete")]
    assert missing_in(page, links) == []

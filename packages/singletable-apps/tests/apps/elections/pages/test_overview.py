"""The overview of an election shows its state, its settings, and what to do next."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.elections.proofs.keys import format_fingerprint
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.methods import METHOD
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import KEYS
from tests.apps.support.html import missing_in, text_in

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)
ENDS = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_next_step_depends_on_the_state_and_the_viewer(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    looker = app.register("Carol", Role.OBSERVER)
    conducting, rolls = app.world.service.lifecycle, app.world.service.lifecycle
    conducting.create(app.user("Ada"), "Tea")

    def steps() -> list[str]:
        pages = (person.get("e", "Tea").text for person in (ada, ben, looker))
        return [page.partition('<h2 id="next">')[2].partition("</h2>")[0] for page in pages]

    assert steps() == ["Add candidates", "Not launched yet", "Not launched yet"]
    rolls.set_candidates(app.user("Ada"), "Tea", ["Assam", "Ceylon"])
    assert steps() == ["Ready to launch", "Not launched yet", "Not launched yet"]
    conducting.launch(app.user("Ada"), "Tea", allow_edit=True)
    assert steps() == ["You haven’t voted yet", "You haven’t voted yet", "Voting is open"]
    app.vote("Ben", "Tea", "Assam")
    assert steps() == ["You haven’t voted yet", "You’ve voted", "Voting is open"]
    rolls.set_voters(app.user("Ada"), "Tea", ["Ben"])
    conducting.lock(app.user("Ada"), "Tea")
    assert steps() == ["Voting is open", "You’ve voted", "Voting is open"]
    conducting.close(app.user("Ada"), "Tea")
    assert steps() == ["Results are in"] * 3


def test_all_times_are_shown_in_the_time_zone_of_the_reader_in_one_format(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    terms = ElectionSettings(no_voting_before=OPENS, no_voting_after=ENDS)
    app.world.launch(app.user("Ada"), "Tea", terms=terms)
    ben.http.cookies.set("zone", "Europe/Vienna")
    page = ben.get("e", "Tea")
    text = text_in(page.text)
    assert "1 July 2026, 10:00 CEST" in text
    assert "1 December 2026, 10:00 CET" in text
    assert "UTC" not in text


def test_closed_election_shows_its_signature(app: PagesApp, ada: Browser, ben: Browser) -> None:
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(secret_ballot=True))
    app.vote("Ben", "Tea", "Red")
    assert "SHA-256 of the secret" in ben.get("e", "Tea").text
    closed = app.world.service.lifecycle.close(app.user("Ada"), "Tea")
    page = ben.get("e", "Tea")
    shown = [closed.signature or "", format_fingerprint(KEYS.signer.public_key), "Ballots counted"]
    assert missing_in(page, [*shown, "/elections/check", "/elections/e/Tea/published"]) == []


@pytest.mark.parametrize(
    ("voters", "text"),
    [
        ([], "All registered voters"),
        (["Ada"], "1 person on the voter list"),
        (["Ada", "Ben"], "2 people on the voter list"),
    ],
)
def test_overview_says_who_can_vote(
    app: PagesApp, ada: Browser, ben: Browser, voters: list[str], text: str
) -> None:
    app.world.launch(app.user("Ada"), "Tea", voters=voters)
    assert text in ben.get("e", "Tea").text


# The method was once named only in the results, after everyone had voted.
def test_counting_method_is_named_before_anyone_votes(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Tea")
    for page in (ben.get("e", "Tea"), ben.get("e", "Tea", "ballot")):
        assert missing_in(page, [METHOD.title, METHOD.summary, 'href="/elections/counting"']) == []


def test_turnout_is_shown(app: PagesApp, ada: Browser, ben: Browser) -> None:
    app.world.launch(app.user("Ada"), "Tea", voters=["Ada", "Ben"])
    app.world.launch(app.user("Ada"), "Coffee")
    for name in ("Tea", "Coffee"):
        app.vote("Ben", name, "Red")
    assert "Turnout 1 of 2 have voted" in ben.read("e", "Tea")
    assert "Turnout 1 person has voted" in ben.read("e", "Coffee")


def test_settings_tab_is_for_the_owner_and_administrators(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.service.lifecycle.create(app.user("Ben"), "Tea")
    carol = app.register("Carol")
    seen = ["/elections/e/Tea/settings" in who.get("e", "Tea").text for who in (ada, ben, carol)]
    assert seen == [True, True, False]


@pytest.mark.parametrize("name", ["tea/coffee 50 % off?", "#1 & <b>a+b=c;d %2F</b> 🫖 süß"])
def test_any_name_works_in_urls(app: PagesApp, ada: Browser, name: str) -> None:
    answer = ada.submit(ada.get("new"), name=name, ballot="open")
    page = ada.follow(answer)
    assert page.status_code == 200
    ada.submit(page, candidates=f"{name}\nother")
    assert app.candidates(name) == [name, "other"]
    for part in ("", "candidates", "voters", "voters/list", "settings", "owner"):
        parts = ("e", name, *filter(None, part.split("/")))
        assert ada.get(*parts).status_code == 200, part
    listed = ada.get("all").text.partition('class="election-name" href="')[2].partition('"')[0]
    assert ada.open(listed).text.count("<h1>") == 1
    launched = ada.submit(ada.get("e", name, "launch"), how="fixed")
    assert ada.follow(launched).status_code == 200
    ada.follow(ada.submit(ada.get("e", name, "finalize")))
    assert "deleted" in ada.follow(ada.submit(ada.get("e", name, "delete"), election=name)).text


def test_unknown_election_is_not_found(ada: Browser) -> None:
    assert ada.get("e", "Nothing").status_code == 404
    assert ada.get("e", "x" * 300).status_code in (404, 422)

"""The overview of an election says where it stands, and what is next for who looks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from singletable_apps.elections.proofs import format_fingerprint
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import KEYS, ballot
from tests.apps.support.html import missing_in

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)
ENDS = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_the_next_step_is_told_from_the_first_to_the_last(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    looker = app.register("Carol", Role.OBSERVER)
    conducting, rolls = app.world.service.lifecycle, app.world.service.lifecycle
    conducting.create(app.user("Ada"), "Tea")

    def steps() -> list[str]:
        pages = (person.get("e", "Tea").text for person in (ada, ben, looker))
        return [page.partition('<h2 id="next">')[2].partition("</h2>")[0] for page in pages]

    assert steps() == ["Name the candidates", "Being prepared", "Being prepared"]
    rolls.set_candidates(app.user("Ada"), "Tea", ["Assam", "Ceylon"])
    assert steps() == ["Ready to launch", "Being prepared", "Being prepared"]
    conducting.launch(app.user("Ada"), "Tea", allow_edit=True)
    assert steps() == ["Your vote is asked for", "Your vote is asked for", "Others are voting"]
    app.world.service.voting.cast(app.user("Ben"), "Tea", ballot("Assam"), "once")
    assert steps() == ["Your vote is asked for", "You have voted", "Others are voting"]
    rolls.set_voters(app.user("Ada"), "Tea", ["Ben"])
    conducting.lock(app.user("Ada"), "Tea")
    assert steps() == ["Others are voting", "You have voted", "Others are voting"]
    conducting.close(app.user("Ada"), "Tea")
    assert steps() == ["The result is there"] * 3


def test_the_window_is_told_in_the_zone_of_who_reads_with_utc_beside(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    terms = ElectionSettings(no_voting_before=OPENS, no_voting_after=ENDS)
    app.world.launch(app.user("Ada"), "Tea", terms=terms)
    ben.http.cookies.set("zone", "Europe/Vienna")
    page = ben.get("e", "Tea")
    told = ["1 July 2026, 10:00 CEST", "1 Jul 2026, 08:00 UTC", "1 December 2026, 10:00 CET"]
    assert missing_in(page, [*told, "Not open yet", "Voting opens 2026-07-01 08:00 UTC"]) == []


def test_an_election_whose_time_is_up_is_closed_at_the_first_look(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    soon = app.world.clock.now + timedelta(minutes=5)
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(no_voting_after=soon))
    app.world.clock.now = soon
    assert missing_in(ben.get("e", "Tea"), ["The result is there", "Signed end"]) == []


def test_a_closed_election_shows_what_was_signed(app: PagesApp, ada: Browser, ben: Browser) -> None:
    app.world.launch(app.user("Ada"), "Tea", terms=ElectionSettings(secret_ballot=True))
    app.world.service.voting.cast(app.user("Ben"), "Tea", ballot("Red"), "once")
    assert "Digest of the secret" in ben.get("e", "Tea").text
    closed = app.world.service.lifecycle.close(app.user("Ada"), "Tea")
    page = ben.get("e", "Tea")
    shown = [closed.signature or "", format_fingerprint(KEYS.signer.public_key), "Ballots counted"]
    assert missing_in(page, [*shown, "/elections/check", "/elections/e/Tea/published"]) == []


@pytest.mark.parametrize(
    ("voters", "told"),
    [
        ([], "Everybody who may vote here: every VOTER and above"),
        (["Ada"], "1 person on its list"),
        (["Ada", "Ben"], "2 people on its list"),
    ],
)
def test_who_may_vote_is_told(
    app: PagesApp, ada: Browser, ben: Browser, voters: list[str], told: str
) -> None:
    app.world.launch(app.user("Ada"), "Tea", voters=voters)
    assert told in ben.get("e", "Tea").text


def test_settings_are_a_tab_for_its_owner_and_who_moderates(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.service.lifecycle.create(app.user("Ben"), "Tea")
    carol = app.register("Carol")
    seen = ["/elections/e/Tea/settings" in who.get("e", "Tea").text for who in (ada, ben, carol)]
    assert seen == [True, True, False]


@pytest.mark.parametrize(
    "name", ["tea/coffee", "50 % off?", "#1 & <b>more</b>", "🫖 Tee – süß", "a+b=c;d", "%2F"]
)
def test_every_name_has_its_pages(app: PagesApp, ada: Browser, name: str) -> None:
    answer = ada.submit(ada.get("new"), name=name)
    page = ada.follow(answer)
    assert page.status_code == 200
    ada.submit(page, candidates=f"{name}\nother")
    assert app.candidates(name) == sorted([name, "other"])
    for part in ("", "candidates", "voters", "voters/list", "voters/choose", "settings", "owner"):
        parts = ("e", name, *filter(None, part.split("/")))
        assert ada.get(*parts).status_code == 200, part
    listed = ada.get("all").text.partition('class="election-name" href="')[2].partition('"')[0]
    assert ada.open(listed).text.count("<h1>") == 1
    launched = ada.submit(ada.get("e", name, "launch"), how="fixed")
    assert ada.follow(launched).status_code == 200
    ada.follow(ada.submit(ada.get("e", name, "finalize")))
    assert "deleted" in ada.follow(ada.submit(ada.get("e", name, "delete"))).text


def test_what_is_not_there_is_not_found(ada: Browser) -> None:
    assert ada.get("e", "Nothing").status_code == 404
    assert ada.get("e", "x" * 300).status_code in (404, 422)

"""The overview of an election says where it stands, and what is next for who looks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from singletable_apps.elections.proofs import fingerprint
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Terms
from tests.apps.elections.pages.clicking import Person, Town, all_in
from tests.apps.elections.rig.world import KEYS, ballot

OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)
ENDS = datetime(2026, 12, 1, 9, tzinfo=UTC)


def test_the_next_step_is_told_from_the_first_to_the_last(
    town: Town, ada: Person, ben: Person
) -> None:
    looker = town.joins("Carol", Role.OBSERVER)
    conducting, rolls = town.world.service.lifecycle, town.world.service.rolls
    conducting.create(town.user("Ada"), "Tea")

    def steps() -> list[str]:
        pages = (person.look("e", "Tea").text for person in (ada, ben, looker))
        return [page.partition('<h2 id="next">')[2].partition("</h2>")[0] for page in pages]

    assert steps() == ["Name the candidates", "Being prepared", "Being prepared"]
    rolls.set_candidates(town.user("Ada"), "Tea", ["Assam", "Ceylon"])
    assert steps() == ["Ready to launch", "Being prepared", "Being prepared"]
    conducting.launch(town.user("Ada"), "Tea", allow_edit=True)
    assert steps() == ["Your vote is asked for", "Your vote is asked for", "Others are voting"]
    town.world.service.voting.cast(town.user("Ben"), "Tea", ballot("Assam"), "once")
    assert steps() == ["Your vote is asked for", "You have voted", "Others are voting"]
    rolls.set_voters(town.user("Ada"), "Tea", ["Ben"])
    conducting.fix(town.user("Ada"), "Tea")
    assert steps() == ["Others are voting", "You have voted", "Others are voting"]
    conducting.finalise(town.user("Ada"), "Tea")
    assert steps() == ["The result is there"] * 3


def test_the_window_is_told_in_the_zone_of_who_reads_with_utc_beside(
    town: Town, ada: Person, ben: Person
) -> None:
    terms = Terms(no_voting_before=OPENS, no_voting_after=ENDS)
    town.world.launched(town.user("Ada"), "Tea", terms=terms)
    ben.browser.cookies.set("zone", "Europe/Vienna")
    page = ben.look("e", "Tea")
    told = ["1 July 2026, 10:00 CEST", "1 Jul 2026, 08:00 UTC", "1 December 2026, 10:00 CET"]
    assert all_in(page, [*told, "Not open yet", "Voting opens 2026-07-01 08:00 UTC"]) == []


def test_an_election_whose_time_is_up_is_closed_at_the_first_look(
    town: Town, ada: Person, ben: Person
) -> None:
    soon = town.world.clock.now + timedelta(minutes=5)
    town.world.launched(town.user("Ada"), "Tea", terms=Terms(no_voting_after=soon))
    town.world.clock.now = soon
    assert all_in(ben.look("e", "Tea"), ["The result is there", "Signed end"]) == []


def test_a_closed_election_shows_what_was_signed(town: Town, ada: Person, ben: Person) -> None:
    town.world.launched(town.user("Ada"), "Tea", terms=Terms(secret_ballot=True))
    town.world.service.voting.cast(town.user("Ben"), "Tea", ballot("Red"), "once")
    assert "Digest of the secret" in ben.look("e", "Tea").text
    closed = town.world.service.lifecycle.finalise(town.user("Ada"), "Tea")
    page = ben.look("e", "Tea")
    shown = [closed.signature or "", fingerprint(KEYS.signer.public_key), "Ballots counted"]
    assert all_in(page, [*shown, "/elections/check", "/elections/e/Tea/published"]) == []


@pytest.mark.parametrize(
    ("voters", "told"),
    [
        ([], "Everybody who may vote here: every VOTER and above"),
        (["Ada"], "1 person on its list"),
        (["Ada", "Ben"], "2 people on its list"),
    ],
)
def test_who_may_vote_is_told(
    town: Town, ada: Person, ben: Person, voters: list[str], told: str
) -> None:
    town.world.launched(town.user("Ada"), "Tea", voters=voters)
    assert told in ben.look("e", "Tea").text


def test_settings_are_a_tab_for_its_owner_and_who_moderates(
    town: Town, ada: Person, ben: Person
) -> None:
    town.world.service.lifecycle.create(town.user("Ben"), "Tea")
    carol = town.joins("Carol")
    seen = ["/elections/e/Tea/settings" in who.look("e", "Tea").text for who in (ada, ben, carol)]
    assert seen == [True, True, False]


@pytest.mark.parametrize(
    "name", ["tea/coffee", "50 % off?", "#1 & <b>more</b>", "🫖 Tee – süß", "a+b=c;d", "%2F"]
)
def test_every_name_has_its_pages(town: Town, ada: Person, name: str) -> None:
    answer = ada.send(ada.look("new"), name=name)
    page = ada.follow(answer)
    assert page.status_code == 200
    ada.send(page, candidates=f"{name}\nother")
    assert town.candidates(name) == sorted([name, "other"])
    for part in ("", "candidates", "voters", "voters/list", "voters/choose", "settings", "owner"):
        parts = ("e", name, *filter(None, part.split("/")))
        assert ada.look(*parts).status_code == 200, part
    listed = ada.look("all").text.partition('class="election-name" href="')[2].partition('"')[0]
    assert ada.visit(listed).text.count("<h1>") == 1
    launched = ada.send(ada.look("e", name, "launch"), how="fixed")
    assert ada.follow(launched).status_code == 200
    ada.follow(ada.send(ada.look("e", name, "finalize")))
    assert "deleted" in ada.follow(ada.send(ada.look("e", name, "delete"))).text


def test_what_is_not_there_is_not_found(ada: Person) -> None:
    assert ada.look("e", "Nothing").status_code == 404
    assert ada.look("e", "x" * 300).status_code in (404, 422)

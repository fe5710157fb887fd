"""Results over HTTP: tallies, published ballots, files, and what is not published."""

from __future__ import annotations

import json

import pytest

from singletable_apps.counting import METHODS
from singletable_apps.counting.formats import FORMATS, read_ballots
from tests.apps.elections.api.test_users import pages
from tests.apps.elections.api.town import Town, at, finalize, launch, make_town, set_up, type_of

RANKED: dict[str, dict[str, int | None]] = {
    "Ada": {"Red": 1, "Green": 2, "Blue": 3},
    "Ben": {"Red": 1, "Green": 2, "Blue": 3},
    "Cy": {"Green": 1, "Red": 2, "Blue": 3},
}


@pytest.fixture(scope="module")
def town() -> Town:
    town = make_town(*RANKED)
    for name, secret, publication in (
        ("Open", False, "confirmations"),
        ("Anonymous", True, "anonymous"),
        ("Codes", True, "confirmations"),
        ("Totals", True, "totals"),
        ("Running", True, "totals"),
    ):
        set_up(
            town.people["Ada"],
            name,
            "Red",
            "Green",
            "Blue",
            secret_ballot=secret,
            publication=publication,
        )
        launch(town.people["Ada"], name)
        for person, ranks in RANKED.items():
            assert town.people[person].cast(name, ranks, "1").status_code == 201
        if name != "Running":
            finalize(town.people["Ada"], name)
    return town


@pytest.mark.parametrize("method", METHODS)
def test_every_method_counts_and_explains(town: Town, method: str) -> None:
    answer = town.people["Cy"].get("/elections/Totals/tally", params={"method": method})
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    assert (result["winner"], result["account"]["cast"]) == ("Red", 3)
    assert result["explanation"]


def test_a_tally_says_what_is_shown_and_what_was_signed(town: Town) -> None:
    tally = town.people["Cy"].get("/elections/Codes/tally").json()
    assert tally["shown"] == ["confirmations", "rankings", "totals"]
    assert tally["ballots_cast"] == tally["closing"]["statement"]["ballots"] == 3
    assert tally["unique_share"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("what", ["tally", "ballots", "publication", "export?format=csv"])
def test_a_secret_ballot_is_counted_when_it_has_closed(town: Town, what: str) -> None:
    assert type_of(town.people["Ada"].get(f"/elections/Running/{what}")) == "409 wrong-state"


def test_ballots_are_shown_as_far_as_they_are_published(town: Town) -> None:
    cy = town.people["Cy"]
    for name, has_code, has_name in (
        ("Open", True, True),
        ("Codes", True, False),
        ("Anonymous", False, False),
    ):
        (*_, last) = found = pages(cy, f"/elections/{name}/ballots", 2)
        assert [len(page) for page in found] == [2, 1]
        assert (last[0]["confirmation"] is not None) is has_code
        assert (last[0]["voter_name"] is not None) is has_name
        answer = cy.get(f"/elections/{name}/ballots").json()
        assert answer["warning"].startswith("33% of these ballots are like no other")
    assert type_of(cy.get("/elections/Totals/ballots")) == "403 not-allowed"


def test_what_is_published_holds_as_much_as_was_settled(town: Town) -> None:
    def published(name: str) -> dict[str, bool]:
        found = town.people["Cy"].get(f"/elections/{name}/publication").json()
        return {part: found[part] is not None for part in ("rankings", "ballots")}

    assert published("Codes") == {"rankings": False, "ballots": True}
    assert published("Anonymous") == {"rankings": True, "ballots": False}
    assert published("Totals") == {"rankings": False, "ballots": False}


def test_a_confirmation_is_proved_however_it_is_written(town: Town) -> None:
    cy = town.people["Cy"]
    own = cy.get("/elections/Totals/ballot").json()
    for code in (own["confirmation"], own["readable"].upper()):
        answer = cy.get(f"/elections/Totals/proofs/{code}")
        assert answer.json()["confirmation"] == own["confirmation"]
        assert answer.json()["proof"] == own["receipt"]["proof"]
    assert type_of(cy.get(f"/elections/Open/proofs/{own['confirmation']}")) == "404 not-found"
    short = cy.get("/elections/Totals/proofs/abc")
    assert short.json()["errors"][0]["parameter"] == "confirmation"


def test_a_method_or_format_that_there_is_not_is_refused(town: Town) -> None:
    cy = town.people["Cy"]
    for what, parameter in (("tally?method=dice", "method"), ("export?format=doc", "format")):
        answer = cy.get(f"/elections/Open/{what}")
        assert type_of(answer) == "422 invalid-request"
        assert answer.json()["errors"][0]["parameter"] == parameter


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_is_a_file_that_is_read_again(town: Town, form: str) -> None:
    answer = town.people["Cy"].get("/elections/Anonymous/export", params={"format": form})
    assert answer.status_code == 200, answer.text
    ending = FORMATS[form].extensions[0]
    assert f'filename="Anonymous.{ending}"' in answer.headers["Content-Disposition"]
    kinds = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
    assert answer.headers["Content-Type"] == kinds.get(ending, "text/plain; charset=utf-8")
    if FORMATS[form].is_writable:
        assert read_ballots(answer.content, form).ballots.cast == 3
    else:
        assert answer.json()["summary"]["totalNumBallots"] == "3"


def test_of_totals_alone_no_ballots_leave(town: Town) -> None:
    cy = town.people["Cy"]
    for form in FORMATS:
        answer = cy.get("/elections/Totals/export", params={"format": form})
        if form == "rctab":
            assert answer.status_code == 200
        else:
            assert type_of(answer) == "403 not-allowed"
            assert "take the tally, or the format rctab" in answer.json()["detail"]


def test_a_format_that_cannot_hold_the_ballots_says_why() -> None:
    town = make_town("Ada")
    ada = town.people["Ada"]
    set_up(ada, "Ties", "Red", "Green")
    launch(ada, "Ties")
    ada.cast("Ties", {"Red": 1, "Green": 1}, "1")
    answer = ada.get("/elections/Ties/export", params={"format": "soc"})
    assert type_of(answer) == "422 invalid-request"
    assert "ranks several candidates equal" in answer.json()["detail"]


def test_a_file_has_the_name_of_its_election() -> None:
    town = make_town("Ada")
    ada = town.people["Ada"]
    name = 'Tee/"Kaffee" 🫖'
    set_up(ada, name, "Red", "Green")
    launch(ada, name)
    assert ada.cast(name, {"Red": 1}, "1").status_code == 201
    answer = ada.get(f"{at(name.upper())}/export", params={"format": "csv"})
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="Tee__Kaffee_ _.csv"; '
        "filename*=UTF-8''Tee%2F%22Kaffee%22%20%F0%9F%AB%96.csv"
    )
    receipt = ada.get(f"{at(name)}/receipt")
    assert receipt.headers["Content-Type"] == "application/json"
    assert json.loads(receipt.content) == ada.get(f"{at(name)}/ballot").json()["receipt"]


def test_the_checker_and_the_key_are_for_everybody(town: Town) -> None:
    stranger = town.stranger()
    checker = stranger.get("/checker.py")
    assert checker.headers["Content-Type"] == "text/x-python; charset=utf-8"
    compile(checker.text, "checker.py", "exec")
    key = stranger.get("/keys").json()
    closing = town.people["Cy"].get("/elections/Codes/publication").json()["closing"]
    assert key["public_key"] == closing["public_key"]
    assert key["readable"].replace("-", "") == key["fingerprint"]

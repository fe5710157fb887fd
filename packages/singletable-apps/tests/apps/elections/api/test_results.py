"""Results over HTTP: tallies, published ballots, files, and what is not published."""

from __future__ import annotations

import pytest

from ranked_ballots import METHODS
from ranked_ballots.formats import FORMATS, read_ballots
from singletable_apps.elections.entities import Publication
from tests.apps.elections.api.client import Api, at, make_api, type_of

CANDIDATES = ("Red", "Green", "Blue")
RANKED: dict[str, dict[str, int | None]] = {
    "Ada": {"Red": 1, "Green": 2, "Blue": 3},
    "Ben": {"Red": 1, "Green": 2, "Blue": 3},
    "Cy": {"Green": 1, "Red": 2, "Blue": 3},
}


@pytest.fixture(scope="module")
def api() -> Api:
    api = make_api(*RANKED)
    for name, secret, publication in (
        ("Open", False, Publication.CONFIRMATIONS),
        ("Anonymous", True, Publication.ANONYMOUS),
        ("Codes", True, Publication.CONFIRMATIONS),
        ("Totals", True, Publication.TOTALS),
        ("Running", True, Publication.TOTALS),
    ):
        api.launch("Ada", name, CANDIDATES, secret_ballot=secret, publication=publication)
        for person, ranks in RANKED.items():
            assert api.clients[person].cast(name, ranks, "1").status_code == 201
        if name != "Running":
            api.close("Ada", name)
    return api


@pytest.mark.parametrize("method", METHODS)
def test_every_method_returns_an_explanation(api: Api, method: str) -> None:
    response = api.clients["Cy"].get("/elections/Codes/tally", params={"method": method})
    assert response.status_code == 200, response.text
    result = response.json()["result"]
    assert (result["winner"], result["account"]["cast"]) == ("Red", 3)
    assert result["explanation"]


def test_tally_has_its_visibility_and_signed_statement(api: Api) -> None:
    tally = api.clients["Cy"].get("/elections/Codes/tally").json()
    assert tally["shown"] == ["confirmations", "rankings", "totals"]
    assert tally["ballots_cast"] == tally["closing"]["statement"]["ballots"] == 3
    assert tally["unique_share"] == pytest.approx(1 / 3)
    # Of totals it would be one more thing about single ballots.
    assert api.clients["Cy"].get("/elections/Totals/tally").json()["unique_share"] is None


def test_ballots_show_only_what_is_published(api: Api) -> None:
    cy = api.clients["Cy"]
    for name, has_code, has_name in (
        ("Open", True, True),
        ("Codes", True, False),
        ("Anonymous", False, False),
    ):
        (*_, last) = found = cy.pages(f"/elections/{name}/ballots", 2)
        assert [len(page) for page in found] == [2, 1]
        assert (last[0]["confirmation"] is not None) is has_code
        assert (last[0]["voter_name"] is not None) is has_name
        response = cy.get(f"/elections/{name}/ballots").json()
        assert response["warning"].startswith("33% of these ballots have a unique ranking")
    assert type_of(cy.get("/elections/Totals/ballots")) == "403 not-allowed"


@pytest.mark.parametrize("form", FORMATS)
def test_every_export_format_can_be_read_back(api: Api, form: str) -> None:
    response = api.clients["Cy"].get("/elections/Anonymous/export", params={"format": form})
    assert response.status_code == 200, response.text
    ending = FORMATS[form].extensions[0]
    assert f'filename="Anonymous.{ending}"' in response.headers["Content-Disposition"]
    kinds = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
    assert response.headers["Content-Type"] == kinds.get(ending, "text/plain; charset=utf-8")
    if FORMATS[form].is_writable:
        assert read_ballots(response.content, form).ballots.cast == 3
    else:
        assert response.json()["summary"]["totalNumBallots"] == "3"


def test_file_name_is_the_election_name() -> None:
    api = make_api("Ada")
    ada = api.clients["Ada"]
    name = 'Tee/"Kaffee" 🫖'
    api.launch("Ada", name)
    assert ada.cast(name, {"Red": 1}, "1").status_code == 201
    response = ada.get(f"{at(name.upper())}/export", params={"format": "csv"})
    assert response.headers["Content-Disposition"] == (
        'attachment; filename="Tee__Kaffee_ _.csv"; '
        "filename*=UTF-8''Tee%2F%22Kaffee%22%20%F0%9F%AB%96.csv"
    )


def test_checker_and_key_are_public(api: Api) -> None:
    stranger = api.anonymous()
    checker = stranger.get("/checker.py")
    assert checker.headers["Content-Type"] == "text/x-python; charset=utf-8"
    compile(checker.text, "checker.py", "exec")
    key = stranger.get("/keys").json()
    closing = api.clients["Cy"].get("/elections/Codes/publication").json()["closing"]
    assert key["public_key"] == closing["public_key"]
    assert key["readable"].replace("-", "") == key["fingerprint"]

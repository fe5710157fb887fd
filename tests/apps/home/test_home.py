"""The home page says what is true, and leads to every app there is."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from fastapi.testclient import TestClient

from singletable import Engine, Store, Table
from singletable_apps.elections.api import ApiSettings, Limits
from singletable_apps.elections.app import app_info
from singletable_apps.elections.sample import PASSWORD, SAMPLE_PEOPLE, sample_accounts
from singletable_apps.elections.service import open_elections
from singletable_apps.home.apps import find_apps
from singletable_apps.home.pages import PRINTED, SAMPLE, STORED, coloured
from singletable_apps.shared.web import Settings
from tests.apps.home.site import front_of
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.elections.world import FAST_PASSWORDS, World
from tests.apps.support.html import text_in
from tests.house.sources import ROOT

HTML = {"Accept": "text/html"}


def _browser(site: SampleCopy | World) -> TestClient:
    elections = site.elections if isinstance(site, SampleCopy) else site.service
    app = front_of(elections, ApiSettings(web=Settings(secure_cookies=False), limits=Limits.off()))
    return TestClient(app, base_url="http://front.example", headers=HTML)


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


@pytest.fixture(scope="module")
def browser(sample: SampleCopy) -> TestClient:
    return _browser(sample)


def test_the_code_is_the_readmes_and_prints_what_it_says() -> None:
    assert SAMPLE in (ROOT / "README.md").read_text()
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(SAMPLE, "sample", "exec", dont_inherit=True), names)
    assert printed.getvalue().strip() == PRINTED
    store, polls = names["store"], names["polls"]
    assert isinstance(store, Store)
    assert isinstance(polls, Table)
    items = store.admin.items(polls, 10).items
    found = [(item["PK"].get("S"), item["SK"].get("S"), set(item)) for item in items]
    assert [(pk, sk) for pk, sk, _ in found] == [(pk, sk) for pk, sk, _ in STORED]
    for (_, _, names_there), (_, _, rest) in zip(found, STORED, strict=True):
        assert {name for name, _ in rest} <= names_there


def test_coloured_code_is_the_same_code() -> None:
    parts = coloured(SAMPLE)
    assert "".join(part.text for part in parts) == SAMPLE
    assert {part.kind for part in parts} == {"", "comment", "string", "keyword"}


def test_an_app_is_on_the_page_with_its_picture(browser: TestClient) -> None:
    page = browser.get("/")
    assert page.status_code == 200
    shown = app_info()
    assert shown in [app.info for app in find_apps()]
    assert f'href="{shown.url}"' in page.text
    assert shown.picture in page.text
    assert browser.get(shown.url).status_code == 200
    assert "PK POLL#7 SK VOTE#alice" in text_in(page.text)


def test_everything_that_the_page_names_is_there(browser: TestClient) -> None:
    page = browser.get("/").text
    for path in sorted(set(re.findall(r'(?:href|src)="(/[^"#]*)"', page))):
        assert browser.get(path).status_code == 200, path
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page
    for named in re.findall(r"<code>(docs/[^<]+)</code>", page):
        assert (ROOT / named).exists(), named
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=", page)


def test_one_can_look_around_as_somebody_of_each_role(browser: TestClient) -> None:
    page = browser.get("/").text
    names = re.findall(r'name="who" value="([^"]+)"', page)
    assert names == ["Ada", "Grace", "Alan", "Barbara", "Leslie", "Niklaus", "Radia"]
    for name in names:
        answer = browser.post("/elections/sign-in", data={"who": name, "password": PASSWORD})
        assert answer.status_code == 200
        assert f"Signed in as <strong>{name}</strong>" in answer.text
        browser.post("/elections/sign-out", data={})


def test_without_a_sample_no_password_is_told() -> None:
    world = World(Engine.in_memory())
    # People of the same names and addresses, and perhaps of the same password: not ours.
    world.register("Zoe", *[person.name for person in SAMPLE_PEOPLE])
    assert PASSWORD not in _browser(world).get("/").text


def test_who_has_another_password_or_address_is_no_sample_any_more() -> None:
    site = copy_sample()
    ada, grace = site.user("Ada"), site.user("Grace")
    site.elections.auth.change_password(ada, "Ada", PASSWORD, "a password of her own")
    site.elections.people.edit(grace, "Grace", address="grace@example.net")
    left = [person.name for person in sample_accounts(site.elections)]
    assert left == [person.name for person in SAMPLE_PEOPLE[2:]]


def test_what_is_nowhere_is_a_page_for_people_and_json_for_programs(browser: TestClient) -> None:
    for path, product in (("/nowhere", "singletable"), ("/elections/nowhere", "Elections")):
        page = browser.get(path)
        assert page.status_code == 404
        assert f"· {product}</title>" in page.text
        plain = browser.get(path, headers={"Accept": "application/json"})
        assert plain.headers["content-type"] == "application/problem+json"
    api = browser.get("/api/elections/me")
    assert api.status_code == 401
    assert api.headers["content-type"] == "application/problem+json"


def test_every_part_of_pages_is_shown_and_works(browser: TestClient) -> None:
    assert browser.get("/parts").status_code == 200
    assert "This is what a toast looks like" in browser.post("/parts", data={"what": "toast"}).text


def test_the_api_is_served_beside_the_pages(browser: TestClient, sample: SampleCopy) -> None:
    described = browser.get("/api/elections/openapi.json").json()
    assert "/api/elections/sign-in" in described["paths"]
    assert not [path for path in described["paths"] if not path.startswith("/api/elections")]
    signed_in = browser.post(
        "/api/elections/sign-in", json={"name_or_email": "Ada", "password": PASSWORD}
    )
    assert signed_in.json()["user"]["name"] == "Ada"


def test_over_tls_cookies_are_sent_over_tls_only_and_not_too_often(sample: SampleCopy) -> None:
    app = front_of(open_elections(sample.engine, sample.keys, passwords=FAST_PASSWORDS))
    browser = TestClient(app, base_url="https://front.example", headers=HTML)
    browser.post("/elections/sign-in", data={"who": "Ada", "password": PASSWORD})
    named = [name for name in browser.cookies if "elections" in name]
    assert sorted(named) == ["__Host-elections_access", "__Host-elections_session"]
    # As many forms as one likes are looked at, and few are sent: in the API and here together.
    answers = [browser.post("/elections/sign-in", data={"who": "Ada"}) for _ in range(30)]
    assert [answer.status_code for answer in answers[-2:]] == [422, 429]
    assert "Try again" in answers[-1].text
    asked = {"name_or_email": "Ada", "password": PASSWORD}
    assert browser.post("/api/elections/sign-in", json=asked).status_code == 429

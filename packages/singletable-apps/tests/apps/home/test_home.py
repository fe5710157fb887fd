"""The home page shows an example that ran, every app, and ways into the sample data."""

from __future__ import annotations

import re
from typing import cast

import pytest
from fastapi.testclient import TestClient

from singletable import Engine
from singletable_apps.elections.app import APP
from singletable_apps.elections.sample import PASSWORD, SAMPLE_PEOPLE, sample_accounts
from singletable_apps.elections.service import open_elections
from singletable_apps.elections.service.people import set_email
from singletable_apps.home.apps import find_apps
from singletable_apps.home.example import EXAMPLE, StoredItem, run_example
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.elections.world import FAST_PASSWORDS, World
from tests.apps.support.html import text_in
from tests.apps.support.site import make_elections_site
from tools.testing.sources import ROOT

HTML = {"Accept": "text/html"}


def _browser(site: SampleCopy | World) -> TestClient:
    elections = site.elections if isinstance(site, SampleCopy) else site.service
    app = make_elections_site(elections)
    return TestClient(app, base_url="http://home.example", headers=HTML)


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


@pytest.fixture(scope="module")
def browser(sample: SampleCopy) -> TestClient:
    return _browser(sample)


def test_example_is_the_code_of_the_readme() -> None:
    assert EXAMPLE in (ROOT / "README.md").read_text()
    example = run_example()
    assert "\n".join((example.declaration, "\n", example.writes, example.query, "")) == EXAMPLE


def test_example_shows_what_running_it_produced() -> None:
    example = run_example()
    assert example.printed.startswith("IssuePage(issue=Issue(project='web', number=7, ")
    assert example.items == (
        StoredItem(
            "PROJECT#web",
            "ISSUE#0007",
            {"number": "7", "project": "web", "title": "Login fails"},
        ),
        StoredItem(
            "PROJECT#web",
            "ISSUE#0007#COMMENT#001",
            {"issue": "7", "number": "1", "project": "web", "text": "In Safari"},
        ),
    )
    assert [(request.operation, request.units) for request in example.requests] == [
        ("PutItem", 1),
        ("PutItem", 1),
        ("Query", 0.5),
    ]
    assert example.requests[-1].about.startswith('PK = "PROJECT#web" AND ')


def test_home_shows_all_steps_of_the_example(browser: TestClient) -> None:
    text = text_in(browser.get("/").text)
    example = run_example()
    for shown in (example.items[1].sk, example.printed):
        assert shown in text
    for code in (example.declaration, example.writes, example.query):
        assert "".join(code.split()) in "".join(text.split())
    for request in example.requests:
        assert f"{request.operation} {request.about}" in text


def test_home_shows_each_app_with_its_picture(browser: TestClient) -> None:
    page = browser.get("/")
    assert page.status_code == 200
    info = APP.app_info()
    assert APP in find_apps()
    assert f'href="{info.url}"' in page.text
    assert info.picture in page.text
    assert browser.get(info.url).status_code == 200


@pytest.mark.rest
def test_all_links_and_files_of_the_home_page_exist(browser: TestClient) -> None:
    page = browser.get("/").text
    for path in sorted(set(re.findall(r'(?:href|src)="(/[^"#]*)"', page))):
        assert browser.get(path).status_code == 200, path
    for anchor in re.findall(r'href="#([^"]+)"', page):
        assert f'id="{anchor}"' in page
    assert not re.search(r"\sstyle=|<style|\son[a-z]+=", page)


def test_visitors_can_sign_in_as_a_sample_user_of_each_role(browser: TestClient) -> None:
    page = browser.get("/").text
    names = re.findall(r'name="who" value="([^"]+)"', page)
    assert names == ["Ada", "Grace", "Alan", "Barbara", "Leslie", "Niklaus", "Radia"]
    assert PASSWORD in page
    for name in names:
        response = browser.post("/elections/sign-in", data={"who": name, "password": PASSWORD})
        assert response.status_code == 200
        assert f"Signed in as <strong>{name}</strong>" in response.text
        browser.post("/elections/sign-out", data={})


def test_home_shows_no_password_without_sample_data() -> None:
    world = World(Engine.in_memory())
    # Real people may have the names of the sample users.
    world.register("Zoe", *[person.name for person in SAMPLE_PEOPLE])
    page = _browser(world).get("/").text
    assert PASSWORD not in page
    assert 'id="sample"' not in page


def test_sample_user_with_a_new_password_or_address_is_not_offered() -> None:
    site = copy_sample()
    ada, grace = site.user("Ada"), site.user("Grace")
    site.elections.auth.change_password(ada, "Ada", PASSWORD, "a password of her own")
    set_email(site.elections.context, grace, "grace@example.net")
    remaining = [person.name for person in sample_accounts(site.elections)]
    assert remaining == [person.name for person in SAMPLE_PEOPLE[2:]]


def test_cookies_are_secure_and_sign_in_is_rate_limited_over_tls(
    sample: SampleCopy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(cast(dict[str, tuple[int, int]], APP.limits), "sign_in", (30, 60))
    elections = open_elections(sample.engine, sample.keys, passwords=FAST_PASSWORDS)
    app = make_elections_site(elections, is_public=True)
    browser = TestClient(app, base_url="https://home.example", headers=HTML)
    browser.post("/elections/sign-in", data={"who": "Ada", "password": PASSWORD})
    names = [name for name in browser.cookies if "elections" in name]
    kinds = ("access", "device", "session")
    assert sorted(names) == [f"__Host-elections_{kind}" for kind in kinds]
    # Pages and API share one limit.
    responses = [browser.post("/elections/sign-in", data={"who": "Ada"}) for _ in range(30)]
    assert [response.status_code for response in responses[-2:]] == [422, 429]
    assert "retry-after" in responses[-1].headers
    credentials = {"name_or_email": "Ada", "password": PASSWORD}
    assert browser.post("/api/elections/sign-in", json=credentials).status_code == 429

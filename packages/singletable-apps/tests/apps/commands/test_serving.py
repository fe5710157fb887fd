"""What `singletable serve elections` serves: the API, and pages whose forms can be sent."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from singletable_apps.elections import app as elections_app
from singletable_apps.elections.app import APP
from singletable_apps.elections.sample import PASSWORD
from singletable_apps.portfolio import app as portfolio_app
from singletable_apps.shared.apps import ServeOptions, print_setup
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.skills import app as skills_app
from tests.apps.support.elections.sample import copy_sample

URL = "http://127.0.0.1:8000"


def test_root_redirects_to_the_pages_and_the_api_is_served_beside_them() -> None:
    app = APP.make_app(copy_sample().elections, PublicUrl(URL).settings())
    browser = TestClient(app, base_url=URL, headers={"Accept": "text/html"})
    assert browser.get("/").url.path == "/elections"
    sent = {"who": "Ada", "password": PASSWORD}
    page = browser.post("/elections/sign-in", data=sent, headers={"Origin": URL})
    assert "Welcome, Ada" in page.text
    credentials = {"name_or_email": "Ada", "password": PASSWORD}
    answer = browser.post("/api/elections/sign-in", json=credentials)
    assert answer.json()["user"]["name"] == "Ada"


def test_links_behind_a_proxy_have_the_public_url(tmp_path: Path) -> None:
    public = PublicUrl("https://vote.example.org", ("127.0.0.1",))
    with APP.open_app(tmp_path / "data", public, ServeOptions()) as running:
        app = running.app
    assert isinstance(app, FastAPI)
    urls, settings = app.state.frame.service.context.urls, app.state.site.settings
    assert urls.link("email/old", "2.x") == (
        "https://vote.example.org/elections/email/old?token=2.x"
    )
    assert settings.secure_cookies
    assert settings.trusted_origins == ("https://vote.example.org",)
    assert settings.proxies == ("127.0.0.1",)
    assert settings.body_limit == 4 << 20


# The first visitor of a public address must not own the site.
@pytest.mark.parametrize(
    "module", [elections_app, portfolio_app, skills_app], ids=lambda m: m.__name__
)
def test_new_site_has_a_link_with_the_set_up_code(
    module: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with module.APP.open_app(tmp_path / "data", PublicUrl(URL), ServeOptions()) as running:
        link = urlsplit(running.setup_url)
        browser = TestClient(running.app, base_url=URL, headers={"Accept": "text/html"})
        page = browser.get(f"{link.path}?{link.query}")
        [code] = parse_qs(link.query)["code"]
        assert f'value="{code}"' in page.text
        assert f'value="{code}"' not in browser.get(link.path).text
        print_setup(running)
    assert running.setup_url in capsys.readouterr().out

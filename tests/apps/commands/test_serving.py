"""What `singletable elections serve` serves: the API, and pages whose forms can be sent."""

from __future__ import annotations

from fastapi.testclient import TestClient

from singletable_apps.elections.sample import PASSWORD
from singletable_apps.elections.terminal.listening import Listening, settings_for
from singletable_apps.elections.terminal.serving import with_pages
from tests.apps.elections.sampled import sampled

URL = "http://127.0.0.1:8000"


def test_the_root_leads_to_pages_where_one_can_sign_in_and_the_api_is_beside_them() -> None:
    _, settings = settings_for(Listening("127.0.0.1", 8000), URL)
    app = with_pages(sampled().elections, settings)
    browser = TestClient(app, base_url=URL, headers={"Accept": "text/html"})
    assert browser.get("/").url.path == "/elections"
    sent = {"who": "Ada", "password": PASSWORD}
    page = browser.post("/elections/sign-in", data=sent, headers={"Origin": URL})
    assert "Good to see you, Ada" in page.text
    told = browser.post(
        "/api/elections/sign-in", json={"name_or_email": "Ada", "password": PASSWORD}
    )
    assert told.json()["user"]["name"] == "Ada"

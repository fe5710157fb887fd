"""Several apps on one site: discovered, opened and closed together, each with its own URLs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import Request
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from singletable import Engine, ListTables, StorageError
from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import AppStartError, find_apps, open_apps
from singletable_apps.shared.apps import RunningApp, ServeOptions
from singletable_apps.shared.frame import AppSpec
from singletable_apps.shared.pages import Link
from singletable_apps.shared.serve import PublicUrl
from tests.apps.home.extra_packages import extra_packages

PUBLIC = PublicUrl("http://home.example")
HTML = {"Accept": "text/html"}


def _browser(served: tuple[RunningApp, ...]) -> TestClient:
    site = make_site_app(served, settings=PUBLIC.settings())
    return TestClient(site, base_url=PUBLIC.url)


@pytest.fixture(scope="module")
def browser(
    apps: tuple[AppSpec[Any], ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    """Return a client for a site with both apps and no data."""
    folder = tmp_path_factory.mktemp("data")
    with open_apps(apps, folder, PUBLIC, ServeOptions()) as served:
        yield _browser(served)


# A new app is a new folder; it is listed nowhere.
def test_installed_apps_are_discovered_and_served(
    apps: tuple[AppSpec[Any], ...], tmp_path: Path
) -> None:
    assert [app.title for app in apps] == ["Elections", "Pebbles"]
    with open_apps(apps, tmp_path, PUBLIC, ServeOptions(sample=True)) as served:
        browser = _browser(served)
        home = browser.get("/").text
        for app in apps:
            assert f'href="{app.prefix}"' in home
            assert browser.get(app.prefix).status_code == 200
        assert '<a class="sample-entry" href="/pebbles">' in home
        assert 'name="who" value="Ada"' in home
        files = re.findall(r'"(/static/[^"]+)"', browser.get("/elections", headers=HTML).text)
        assert {path.split("/")[3] for path in files} == {"shared", "elections"}
        for path in files:
            assert browser.get(path).headers["cache-control"].endswith("immutable")
    assert {folder.name for folder in tmp_path.iterdir()} == {"elections", "pebbles"}


def test_requests_carry_the_links_of_the_app_switcher(
    apps: tuple[AppSpec[Any], ...],
) -> None:
    seen: dict[str, object] = {}

    async def record(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        seen[request.url.path] = request.state.apps
        await PlainTextResponse("")(scope, receive, send)

    elections, pebbles = (RunningApp(app.app_info(), record, (app.prefix,), "/api") for app in apps)
    browser = TestClient(make_site_app([elections, pebbles]))
    browser.get("/elections/e/1")
    browser.get("/pebbles")
    assert seen == {
        "/elections/e/1": (Link("Elections", "/elections", True), Link("Pebbles", "/pebbles")),
        "/pebbles": (Link("Elections", "/elections"), Link("Pebbles", "/pebbles", True)),
    }


def test_each_app_has_its_own_api_description_and_problem_types(browser: TestClient) -> None:
    for app in ("elections", "pebbles"):
        paths = browser.get(f"/api/{app}/openapi.json").json()["paths"]
        assert paths
        assert all(path.startswith(f"/api/{app}/") for path in paths)
    assert browser.get("/api/openapi.json").json()["paths"] == {}
    assert "/api/pebbles/docs" in browser.get("/api/docs").text
    assert browser.put("/api/pebbles/gray").status_code == 200
    taken = browser.put("/api/pebbles/gray").json()
    assert taken["type"] == "/api/pebbles/problems/taken"
    types = [browser.get(f"/api/{app}/problems/taken").json() for app in ("elections", "pebbles")]
    assert types[0] != types[1]
    assert types[1]["title"] == "Already taken"


UNKNOWN_PAGES = {
    "/nowhere": "singletable",
    "/electionsX": "singletable",
    "/elections%2Fsign-in": "singletable",
    "/elections/nowhere": "Elections",
    "/pebbles/nowhere": "Pebbles",
}


@pytest.mark.parametrize("path", UNKNOWN_PAGES)
def test_unknown_page_is_reported_by_the_app_with_its_prefix(
    browser: TestClient, path: str
) -> None:
    page = browser.get(path, headers=HTML)
    assert page.status_code == 404
    assert f"· {UNKNOWN_PAGES[path]}</title>" in page.text


@pytest.mark.parametrize(
    ("path", "problem_type"),
    [
        ("/api/pebblesters", "/api/problems/not-found"),
        ("/api/nowhere", "/api/problems/not-found"),
        ("/api/elections/nowhere", "/api/elections/problems/not-found"),
        ("/api/pebbles/a/b", "/api/pebbles/problems/not-found"),
        ("/api/elections/%ff", "/api/elections/problems/malformed-path"),
    ],
)
def test_unknown_api_path_has_the_problem_type_of_its_app(
    browser: TestClient, path: str, problem_type: str
) -> None:
    response = browser.get(path)
    assert response.json()["type"] == problem_type
    assert browser.get(problem_type).json()["status"] == response.status_code
    # Only the app adds headers, not the site as well.
    assert len(response.headers.get_list("x-request-id")) == 1
    assert len(response.headers.get_list("content-security-policy")) == 1


def test_app_that_cannot_start_closes_the_others(
    apps: tuple[AppSpec[Any], ...], tmp_path: Path
) -> None:
    (tmp_path / "pebbles").mkdir()
    (tmp_path / "pebbles" / "stone").touch()
    message = re.escape("Pebbles could not start. There is a stone. Roll it away.")
    with (
        pytest.raises(AppStartError, match=message),
        open_apps(apps, tmp_path, PUBLIC, ServeOptions()),
    ):
        pass
    # Opening a file fails while it is open elsewhere.
    Engine.on_file(tmp_path / "elections" / "elections.db").close()


def test_apps_are_closed_at_the_end(apps: tuple[AppSpec[Any], ...], tmp_path: Path) -> None:
    files = (tmp_path / "elections" / "elections.db", tmp_path / "pebbles" / "pebbles.db")
    with open_apps(apps, tmp_path, PUBLIC, ServeOptions()):
        for file in files:
            with pytest.raises(StorageError, match="is open in another engine"):
                Engine.on_file(file)
    for file in files:
        Engine.on_file(file).close()


# A process can open a file only once, so the apps share one driver.
def test_apps_share_the_address_that_the_operator_names(
    apps: tuple[AppSpec[Any], ...], tmp_path: Path
) -> None:
    at = f"file:{tmp_path}/new/all.db"
    with open_apps(apps, tmp_path / "data", PUBLIC, ServeOptions(at, sample=True)) as served:
        assert [app.locations[0][1] for app in served] == [at, at]
        site = make_site_app(served, settings=PUBLIC.settings())
        browser = TestClient(site, base_url="https://home.example")
        assert browser.put("/api/pebbles/gray").status_code == 200
        assert browser.get("/api/elections/version").status_code == 200
    with Engine.on_file(tmp_path / "new" / "all.db") as engine:
        tables = engine.execute(ListTables()).table_names
    assert tables == ["pebbles", "vote_data", "vote_event_log", "vote_sessions"]
    assert not [*(tmp_path / "data").rglob("*.db")]


def test_two_apps_with_one_prefix_are_rejected(
    apps: tuple[AppSpec[Any], ...], tmp_path: Path
) -> None:
    with open_apps(apps, tmp_path, PUBLIC, ServeOptions()) as (elections, pebbles):
        both = replace(pebbles, prefixes=("/pebbles", "/elections"))
        with pytest.raises(ValueError, match="Elections and Pebbles have /elections"):
            make_site_app([elections, both])


@pytest.mark.parametrize("source", ["", "APP = 7\n"])
def test_broken_app_module_is_reported(tmp_path: Path, source: str) -> None:
    message = "Expected singletable_apps.broken.app.APP to be an AppSpec"
    package = tmp_path / "broken"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "app.py").write_text(source)
    with extra_packages(tmp_path), pytest.raises(TypeError, match=re.escape(message)):
        find_apps()

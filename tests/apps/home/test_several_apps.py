"""Several apps behind one front: found, opened and closed together, and apart in all they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi import Request
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from singletable import Engine, ListTables, StorageError
from singletable_apps.home import ServedApp, make_site_app
from singletable_apps.home.apps import (
    AppStartError,
    DiscoveredApp,
    ServeOptions,
    find_apps,
    open_apps,
)
from singletable_apps.shared.apps import RunningApp
from singletable_apps.shared.pages import Link
from singletable_apps.shared.serve import PublicUrl
from tests.apps.home.beside import beside

PUBLIC = PublicUrl("http://front.example")
HTML = {"Accept": "text/html"}


def _browser(served: tuple[ServedApp, ...]) -> TestClient:
    site = make_site_app(served, settings=PUBLIC.settings())
    return TestClient(site, base_url=PUBLIC.url)


@pytest.fixture(scope="module")
def browser(
    apps: tuple[DiscoveredApp, ...], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TestClient]:
    """Who looks at both, with nothing in them."""
    folder = tmp_path_factory.mktemp("data")
    with open_apps(apps, folder, PUBLIC, ServeOptions()) as served:
        yield _browser(served)


# A sixth app is a sixth folder: there is no list that it would have to be in.
def test_an_app_is_found_and_served_by_being_there(
    apps: tuple[DiscoveredApp, ...], tmp_path: Path
) -> None:
    assert [app.info.name for app in apps] == ["Elections", "Pebbles"]
    with open_apps(apps, tmp_path, PUBLIC, ServeOptions(sample=True)) as served:
        browser = _browser(served)
        home = browser.get("/").text
        for app in apps:
            assert f'href="{app.info.url}"' in home
            assert browser.get(app.info.url).status_code == 200
        for path in sorted(set(re.findall(r'(?:href|src)="(/[^"#]*)"', home))):
            assert browser.get(path).status_code == 200, path
        assert '<a class="tryout-person" href="/pebbles">' in home
        assert 'name="who" value="Ada"' in home
        files = re.findall(r'"(/static/[^"]+)"', browser.get("/elections", headers=HTML).text)
        assert {path.split("/")[3] for path in files} == {"shared", "elections"}
        for path in files:
            assert browser.get(path).headers["cache-control"].endswith("immutable")
    assert {one.name for one in tmp_path.iterdir()} == {"elections", "pebbles"}


def test_each_request_carries_the_links_of_the_app_switcher(
    apps: tuple[DiscoveredApp, ...],
) -> None:
    seen: dict[str, object] = {}

    async def record(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        seen[request.url.path] = request.state.apps
        await PlainTextResponse("")(scope, receive, send)

    elections, pebbles = (
        ServedApp(app.info, RunningApp(record, (app.info.url,), "/api")) for app in apps
    )
    browser = TestClient(make_site_app([elections, pebbles]))
    browser.get("/elections/e/1")
    browser.get("/pebbles")
    assert seen == {
        "/elections/e/1": (Link("Elections", "/elections", True), Link("Pebbles", "/pebbles")),
        "/pebbles": (Link("Elections", "/elections"), Link("Pebbles", "/pebbles", True)),
    }


def test_each_has_its_own_description_and_kinds_of_problems(browser: TestClient) -> None:
    for app in ("elections", "pebbles"):
        described = browser.get(f"/api/{app}/openapi.json").json()["paths"]
        assert described
        assert all(path.startswith(f"/api/{app}/") for path in described)
    assert browser.get("/api/openapi.json").json()["paths"] == {}
    assert "/api/pebbles/docs" in browser.get("/api/docs").text
    assert browser.put("/api/pebbles/grey").status_code == 200
    taken = browser.put("/api/pebbles/grey").json()
    assert taken["type"] == "/api/pebbles/problems/taken"
    asked = [f"/api/{app}/problems/taken" for app in ("elections", "pebbles")]
    told = [browser.get(address).json() for address in asked]
    assert [kind["title"] for kind in told] == ["Another has it", "Somebody took it"]


NOWHERE = {
    "/nowhere": "singletable",
    "/electionsX": "singletable",
    "/elections%2Fsign-in": "singletable",
    "/elections/nowhere": "Elections",
    "/pebbles/nowhere": "Pebbles",
}


@pytest.mark.parametrize("path", NOWHERE)
def test_what_is_nowhere_is_told_by_whoever_has_the_prefix(browser: TestClient, path: str) -> None:
    page = browser.get(path, headers=HTML)
    assert page.status_code == 404
    assert f"· {NOWHERE[path]}</title>" in page.text


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/api/pebblesters", "/api/problems/not-found"),
        ("/api/nowhere", "/api/problems/not-found"),
        ("/api/elections/nowhere", "/api/elections/problems/not-found"),
        ("/api/pebbles/a/b", "/api/pebbles/problems/not-found"),
        ("/api/elections/%ff", "/api/elections/problems/malformed-path"),
    ],
)
def test_programs_are_told_so_too(browser: TestClient, path: str, kind: str) -> None:
    answer = browser.get(path)
    assert answer.json()["type"] == kind
    assert browser.get(kind).json()["status"] == answer.status_code
    # Each convention is kept once, not by the front and by the app.
    assert len(answer.headers.get_list("x-request-id")) == 1
    assert len(answer.headers.get_list("content-security-policy")) == 1


def test_an_app_that_cannot_be_opened_says_so_and_closes_the_others(
    apps: tuple[DiscoveredApp, ...], tmp_path: Path
) -> None:
    (tmp_path / "pebbles").mkdir()
    (tmp_path / "pebbles" / "stone").touch()
    message = re.escape("Pebbles could not start. There is a stone. Roll it away.")
    with (
        pytest.raises(AppStartError, match=message),
        open_apps(apps, tmp_path, PUBLIC, ServeOptions()),
    ):
        pass
    # A file that is open cannot be opened again.
    Engine.on_file(tmp_path / "elections" / "votes.db").close()


def test_all_are_closed_at_the_end(apps: tuple[DiscoveredApp, ...], tmp_path: Path) -> None:
    files = (tmp_path / "elections" / "votes.db", tmp_path / "pebbles" / "pebbles.db")
    with open_apps(apps, tmp_path, PUBLIC, ServeOptions()):
        for file in files:
            with pytest.raises(StorageError, match="is open in another engine"):
                Engine.on_file(file)
    for file in files:
        Engine.on_file(file).close()


# Also a file, which a process can open once.
def test_all_use_one_address_if_one_is_named(
    apps: tuple[DiscoveredApp, ...], tmp_path: Path
) -> None:
    at = f"file:{tmp_path}/new/all.db"
    with open_apps(apps, tmp_path / "data", PUBLIC, ServeOptions(at, sample=True)) as served:
        assert [app.running.locations[0][1] for app in served] == [at, at]
        site = make_site_app(served, settings=PUBLIC.settings())
        browser = TestClient(site, base_url="https://front.example")
        assert browser.put("/api/pebbles/grey").status_code == 200
        assert browser.get("/api/elections/version").status_code == 200
    with Engine.on_file(tmp_path / "new" / "all.db") as engine:
        tables = engine.execute(ListTables()).table_names
    assert tables == ["pebbles", "vote_data", "vote_event_log", "vote_sessions"]
    assert not [one for one in (tmp_path / "data").rglob("*") if one.suffix == ".db"]


def test_a_prefix_is_one_apps_alone(apps: tuple[DiscoveredApp, ...], tmp_path: Path) -> None:
    with open_apps(apps, tmp_path, PUBLIC, ServeOptions()) as (elections, pebbles):
        both = replace(pebbles.running, prefixes=("/pebbles", "/elections"))
        with pytest.raises(ValueError, match="Elections and Pebbles have /elections"):
            make_site_app([elections, ServedApp(pebbles.info, both)])


DOORS = {
    "something else": (
        "def app_info(): return 7\n",
        "Expected singletable_apps.broken.app.app_info()",
    ),
    "what nothing opens": (
        "from singletable_apps.shared.apps import AppInfo\n"
        "def app_info(): return AppInfo('Broken', '', '/broken', '', '')\n",
        "Expected a function singletable_apps.broken.app.open_app",
    ),
}


@pytest.mark.parametrize("case", DOORS)
def test_a_door_that_is_none_is_told_of(tmp_path: Path, case: str) -> None:
    module, why = DOORS[case]
    package = tmp_path / "broken"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "app.py").write_text(module)
    with beside(tmp_path), pytest.raises(TypeError, match=re.escape(why)):
        find_apps()

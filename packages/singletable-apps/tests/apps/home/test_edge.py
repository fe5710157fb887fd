"""Every app as a scanner sees it: security headers, cookies, and requests that are too large."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import find_apps, open_apps
from singletable_apps.shared.app_commands import load_app
from singletable_apps.shared.apps import ServeOptions
from singletable_apps.shared.frame.jobs import EMAILS
from singletable_apps.shared.serve import PublicUrl

PUBLIC = PublicUrl("https://site.example")
HTML = {"Accept": "text/html"}
APPS = ("elections", "games", "polls", "portfolio", "skills")


@pytest.mark.parametrize("name", APPS)
def test_apps_with_emails_send_them_every_five_seconds(name: str) -> None:
    app = load_app(f"singletable_apps.{name}.app")
    assert (EMAILS in app.all_jobs) == (name != "games")
    assert EMAILS.seconds == 5


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a browser on all apps, as `singletable serve` serves them behind a proxy."""
    folder = tmp_path_factory.mktemp("site")
    found = find_apps()
    assert tuple(each.name for each in found) == APPS
    with open_apps(found, folder, PUBLIC, ServeOptions(address="memory:")) as apps:
        yield TestClient(
            make_site_app(apps, settings=PUBLIC.settings()),
            base_url="http://site.example",
            headers=HTML,
            follow_redirects=False,
            raise_server_exceptions=False,
        )


def find_faults(answer: httpx2.Response) -> list[str]:
    """Return the faults that Mozilla Observatory or OWASP Secure Headers would report."""
    headers = answer.headers
    policy = {
        words[0]: words[1:]
        for part in headers.get("content-security-policy", "").split(";")
        if (words := part.split())
    }
    sources = {source for each in policy.values() for source in each}
    images = set(policy.get("img-src", ()))
    age = re.search(r"max-age=(\d+)", headers.get("strict-transport-security", ""))
    cache = headers.get("cache-control", "")
    # Feeds and images of the portfolio may be shown and cached elsewhere, too.
    is_public = cache.startswith("public")
    checks = {
        "policy": policy.get("default-src") in (["'none'"], ["'self'"]),
        "policy: inline or eval": not any("unsafe" in each for each in sources),
        "policy: any origin": not {"*", "http:", "https:"} & (sources - images),
        "policy: data in scripts": "data:" not in sources - images,
        "policy: frames": policy.get("frame-ancestors") == ["'none'"],
        "frames": headers.get("x-frame-options") == "DENY",
        "policy: base": policy.get("base-uri") == ["'none'"],
        "policy: forms": policy.get("form-action") in (["'none'"], ["'self'"]),
        "policy: plugins": "'none'" in policy.get("object-src", policy.get("default-src", ())),
        "transport": age is not None and int(age[1]) >= 365 * 24 * 3600,
        "sniffing": headers.get("x-content-type-options") == "nosniff",
        "referrer": headers.get("referrer-policy") in ("same-origin", "no-referrer"),
        "opener": headers.get("cross-origin-opener-policy") == "same-origin",
        "embedding": is_public or headers.get("cross-origin-resource-policy") == "same-origin",
        "permissions": "camera=()" in headers.get("permissions-policy", ""),
        "sharing": is_public or "access-control-allow-origin" not in headers,
        "banner": not {"server", "x-powered-by"} & {*headers},
        "cache": is_public or any(each in cache for each in ("no-store", "private", "no-cache")),
        "public cache": not (is_public and headers.get_list("set-cookie")),
        "cookies": all(map(_is_safe_cookie, headers.get_list("set-cookie"))),
    }
    return [name for name, is_met in checks.items() if not is_met]


def _is_safe_cookie(cookie: str) -> bool:
    name, *attributes = (part.strip().lower() for part in cookie.split(";"))
    return (
        name.startswith(("__host-", "__secure-"))
        and {"secure", "httponly"} <= {*attributes}
        and any(each in attributes for each in ("samesite=lax", "samesite=strict"))
    )


def addresses(site: TestClient, app: str) -> Iterator[tuple[str, httpx2.Response]]:
    """Yield one response of each kind."""
    page = site.get(f"/{app}")
    files = re.findall(r'"(/static/[^"]+)"', page.text)
    yield "page", page
    yield "static file", site.get(files[0])
    yield "missing static file", site.get(f"{files[0]}x")
    yield "missing page", site.get(f"/{app}/nothing/here")
    yield "page for members", site.get(f"/{app}/admin")
    yield "wrong method", site.delete(f"/{app}")
    yield "options", site.options(f"/{app}")
    yield "other site", site.post(f"/{app}", headers={"Sec-Fetch-Site": "cross-site"})
    yield "other host", site.get(f"/{app}", headers={"Host": "evil.example"})
    yield "bad path", site.get(f"/{app}/%ff")
    yield "problem type", site.get(f"/api/{app}/problems/not-found")
    yield "problem", site.get(f"/api/{app}/nothing", headers={"Accept": "application/json"})


@pytest.mark.rest
@pytest.mark.parametrize("app", APPS)
def test_every_response_passes_a_scanner_of_headers(site: TestClient, app: str) -> None:
    found = {kind: find_faults(answer) for kind, answer in addresses(site, app)}
    assert {kind: faults for kind, faults in found.items() if faults} == {}


OTHERS = {
    "home": "/",
    "guide": "/guide",
    "nothing": "/nothing",
    "a moved page": "/guide/",
    "setting a cookie": "/games/seat?token=x",
    "a download": "/api/games/admin/download-template",
    "an API": "/api/polls/openapi.json",
    "API docs": "/api/polls/docs",
    "a feed": "/portfolio/feed.xml",
    "robots": "/robots.txt",
}


@pytest.mark.parametrize("path", OTHERS.values(), ids=OTHERS)
def test_other_responses_pass_a_scanner_of_headers(site: TestClient, path: str) -> None:
    assert find_faults(site.get(path)) == []


JSON = {
    "elections": "/sign-in",
    "games": "/games",
    "polls": "",
    "portfolio": "/auth/login",
    "skills": "/login",
}
LARGE: dict[str, tuple[dict[str, Any], set[int]]] = {
    "a large body": ({"content": b" " * (30 << 20)}, {413}),
    "a large body of unknown size": ({"content": lambda: iter([b" " * (1 << 20)] * 30)}, {413}),
    "deep JSON": ({"content": b"[" * 100_000}, {400}),
    "JSON of depth 65": ({"content": b"[" * 65 + b"]" * 65}, {400}),
    "many members": ({"content": b'{"a":[' + b"0," * 400_000 + b"0]}"}, {400, 401, 422}),
    "a long number": ({"content": b"9" * 500_000}, {400}),
    "a long query": ({"params": {"a": "x" * 20_000}}, {414}),
    "many headers": ({"headers": {f"x-{number}": "a" for number in range(200)}}, {431}),
}


# Each is refused for its size, before anything is looked up.
@pytest.mark.parametrize("app", APPS)
def test_requests_that_are_too_large_are_rejected_by_every_api(site: TestClient, app: str) -> None:
    for case, (sent, statuses) in LARGE.items():
        request = {
            **sent,
            "headers": {"Content-Type": "application/json", **sent.get("headers", {})},
        }
        if callable(request.get("content")):
            request["content"] = request["content"]()
        assert site.post(f"/api/{app}{JSON[app]}", **request).status_code in statuses, case


FORMS = {
    "elections": "/elections/sign-in",
    "games": "/games/new",
    "polls": "/polls/new",
    "portfolio": "/portfolio/admin/set-up",
    "skills": "/skills/sign-in",
}


@pytest.mark.parametrize("app", APPS)
def test_forms_that_are_too_large_are_rejected(site: TestClient, app: str) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded", "Origin": PUBLIC.url}
    fields = site.post(FORMS[app], content=b"a=1&" * 20_000, headers=kind)
    assert fields.status_code in (400, 413), fields.status_code
    large = site.post(FORMS[app], content=b"a=" + b"x" * (30 << 20), headers=kind)
    assert large.status_code == 413

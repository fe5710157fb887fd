"""The portfolio, the settings, lists, search, statistics and images."""

from __future__ import annotations

from typing import Any

from tests.apps.portfolio.api.client import Server, data
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.api_client import problem

PROJECT = {"id": "1767268800000", "title": "Engine", "technologies": ["Brass"]}
POSITION = {
    "id": "1",
    "title": "Programmer",
    "company": "Babbage & Co.",
    "start_date": "2020-09-14",
    "end_date": None,
}


def test_portfolio_is_empty_before_it_is_saved_and_partly_editable(server: Server) -> None:
    first = data(server.visitor().get("/portfolio"))
    assert first["name"] == "Ada"
    assert (first["projects"], first["experience"], first["about_content"]) == ([], [], "")
    saved = server.owner.put(
        "/portfolio", {"projects": [PROJECT], "experience": [POSITION]}, tag="*"
    )
    assert saved.headers["etag"] == '"2"'
    body = data(saved)
    assert body["projects"][0] == {
        **PROJECT,
        "description": "",
        "image_url": "",
        "image_alt": "",
        "link": "",
    }
    assert body["experience"][0]["start_date"] == "2020-09-14"
    assert body["experience"][0]["end_date"] is None
    html = "<p onclick=steal()>I <b>write</b>.</p><script>steal()</script>"
    again = data(
        server.owner.put("/portfolio", {"bio": "I count.", "about_content": html}, tag="*")
    )
    assert (again["bio"], again["projects"]) == ("I count.", body["projects"])
    assert again["about_content"].strip() == "<p>I <b>write</b>.</p>"
    found = server.visitor().get("/portfolio")
    assert data(found) == again
    seen = server.visitor().get("/portfolio", headers={"If-None-Match": found.headers["etag"]})
    assert seen.status_code == 304


def test_if_match_protects_the_portfolio(server: Server) -> None:
    owner = server.owner
    assert owner.put("/portfolio", {"bio": "a"}, tag='"1"').status_code == 200
    stale = owner.put("/portfolio", {"bio": "b"}, tag='"1"')
    assert problem(stale) == (412, "precondition-failed", [])
    assert stale.headers["etag"] == '"2"'
    malformed = owner.put("/portfolio", {"bio": "b"}, tag="2")
    assert problem(malformed) == (422, "invalid-request", ["If-Match"])
    missing = owner.put("/portfolio", {"bio": "c"})
    assert problem(missing)[:2] == (428, "precondition-required")


def test_menu_and_styles_are_settings(server: Server) -> None:
    owner = server.owner
    tag = server.visitor().get("/settings").headers["etag"]
    menu = [{"id": "a", "title": "", "link": "imprint"}]
    body = data(owner.put("/settings", {"menu": menu, "css": "h2 { color: teal; }"}, tag=tag))
    assert (body["menu"], body["css"]) == (menu, "h2 { color: teal; }")
    wrong = {
        "menu": [
            {"id": "a", "link": "javascript:alert(1)"},
            {"id": "a", "link": "/x", "title": "x"},
        ],
        "css": "p { position: fixed; }",
    }
    answer = owner.put("/settings", wrong, tag=server.visitor().get("/settings").headers["etag"])
    assert set(problem(answer)[2]) == {"/menu/0/link", "/menu/0/title", "/menu/1/id", "/css"}


def test_lists_count_public_posts(server: Server) -> None:
    owner, visitor = server.owner, server.visitor()
    owner.writes(tags=["Tea", "milk"], category="Notes")
    owner.writes(tags=["tea"], category="Notes")
    owner.writes(tags=["secret"], category="Hidden", status="draft")
    assert data(visitor.get("/tags")) == [
        {"name": "tea", "posts": 2},
        {"name": "milk", "posts": 1},
    ]
    assert data(visitor.get("/categories")) == [{"name": "Notes", "posts": 2}]


def test_search_finds_words_in_public_posts(server: Server) -> None:
    server.owner.writes("On tea", markdown="Pour **water** on it.")
    server.owner.writes("On water", status="draft")
    (hit,) = data(server.visitor().get("/search?q=wat"))
    assert hit["blog"]["title"] == "On tea"
    assert "content" not in hit["blog"]
    assert "<mark>water</mark>" in hit["snippet_html"]
    assert data(server.visitor().get("/search?q=%22%00*")) == []


def test_statistics_are_by_day(server: Server) -> None:
    blog = server.owner.writes()
    server.visitor().post(f"/blogs/{blog['blogId']}/likes")
    days = data(server.owner.get(f"/blogs/{blog['blogId']}/stats?days=7"))
    assert len(days) == 7
    assert days[-1] == {"day": "2026-01-01", "views": 0, "likes": 1, "comments": 0}
    assert data(server.author.get("/stats"))[-1]["likes"] == 1


def upload(server: Server, image: bytes) -> Any:
    files = {"file": ("loom.png", image)}
    return data(server.author.ask("POST", "/media", files=files, data={"alt": "A loom"}), 201)


def test_image_is_uploaded_listed_described_and_deleted(server: Server) -> None:
    body = upload(server, image_file(1000, 500))
    assert (body["alt"], body["filename"], body["width"]) == ("A loom", "loom.png", 1000)
    assert body["url"] == f"/portfolio/media/{body['name']}/{max(body['widths'])}.webp"
    listed = data(server.owner.get("/media"))
    assert listed == {"items": [body], "next": None}
    path = f"/media/{body['name']}"
    assert data(server.author.put(path, {"alt": "A new loom"}))["alt"] == "A new loom"
    data(server.owner.delete(path))
    assert problem(server.owner.delete(path)) == (404, "not-found", [])


def test_media_list_has_pages(server: Server) -> None:
    for width in (10, 11, 12):
        server.world.clock.advance(seconds=1)
        upload(server, image_file(width, 10))
    first = data(server.author.get("/media?limit=2"))
    rest = data(server.author.get("/media", params={"cursor": first["next"]}))
    assert [each["width"] for each in (*first["items"], *rest["items"])] == [12, 11, 10]
    assert rest["next"] is None


def test_message_reaches_the_owner(server: Server) -> None:
    message = {"name": "Grace", "email": "g@example.org", "message": "Hello"}
    data(server.visitor().post("/contact", message), 202)
    (email,) = server.world.mailbox.emails
    assert (email.to, email.reply_to) == ("ada@example.org", "g@example.org")
    data(server.visitor().post("/contact", {**message, "website": "spam"}), 202)
    assert len(server.world.mailbox.emails) == 1

"""The original's operations, used as its pages used them: plain JSON, tokens in local storage."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi.testclient import TestClient

from tests.apps.portfolio.api.client import ADDRESS, OWNER, Server
from tests.apps.portfolio.support.harness import PASSWORD

# What its editor sends for a text.
QUILL = (
    "<h2>Why</h2><p>Because <strong>it</strong> <em>works</em>.</p><p><br></p><ul><li>a</li></ul>"
    '<pre class="ql-syntax" spellcheck="false">x = 1\n\ny = 2\n</pre>'
    '<p><img src="https://res.cloudinary.com/demo/1.png"></p>'
)


class Original:
    """The original's client: it sends its token with every request, and reads `data` or `error`."""

    def __init__(self, server: Server) -> None:
        server.activate()
        self.client = TestClient(server.app, base_url=ADDRESS)
        self.token = ""

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        answer = self.client.request(method, f"/api/portfolio{path}", json=body, headers=headers)
        value = answer.json()
        if answer.is_success:
            assert value["success"] is True
            return answer.status_code, value["data"]
        return answer.status_code, value["error"]


def test_original_client_works_unchanged(server: Server) -> None:
    browser, admin = Original(server), Original(server)

    # The admin signs in.
    status, tokens = admin.call("POST", "/auth/login", {"email": OWNER, "password": PASSWORD})
    assert status == 200
    assert set(tokens) >= {"access_token", "refresh_token", "expires_in"}
    admin.token = tokens["access_token"]

    # edit-profile, edit-projects and edit-experience save parts of the portfolio.
    profile: dict[str, Any] = {
        "profile_pic_url": "https://res.cloudinary.com/demo/me.png",
        "bio": "I build things.",
        "email": "ada@example.org",
        "social_links": {
            "twitter": "https://twitter.com/ada",
            "linkedin": "",
            "github": "https://github.com/ada",
            "instagram": "",
        },
        "about_content": "<p>Hello.</p>",
    }
    projects: list[dict[str, Any]] = [
        {
            "id": "1700000000000",
            "title": "Engine",
            "description": "It counts.",
            "image_url": "",
            "technologies": ["Brass"],
            "link": "https://engine.example",
        }
    ]
    experience: list[dict[str, Any]] = [
        {
            "id": "1700000000001",
            "title": "Programmer",
            "company": "Babbage & Co.",
            "description": "",
            "start_date": 1_577_836_800,
            "end_date": None,
            "technologies": [],
        }
    ]
    for part in (profile, {"projects": projects}, {"experience": experience}):
        assert admin.call("PUT", "/portfolio", part)[0] == 200
    status, portfolio = browser.call("GET", "/portfolio")
    assert (status, portfolio["bio"]) == (200, "I build things.")
    assert portfolio["about_content"] == "<p>Hello.</p>"
    assert portfolio["social_links"] == {
        "twitter": "https://twitter.com/ada",
        "github": "https://github.com/ada",
    }
    assert portfolio["projects"][0].items() >= projects[0].items()
    assert portfolio["experience"] == experience
    assert isinstance(portfolio["updated_at"], int)
    assert admin.call("PUT", "/portfolio", {"PK": "x"}) == (
        400,
        'PK: Extra inputs are not permitted; got "x".',
    )

    # manage-blogs creates posts from its form, which fills in the slug.
    form = {
        "title": "Why it works",
        "slug": "why-it-works",
        "content": QUILL,
        "featured_image_url": "",
        "tags": ["engines"],
        "category": "Notes",
        "seo_description": "It does.",
    }
    status, blog = admin.call("POST", "/blogs", form)
    assert status == 201
    assert str(UUID(blog["blogId"])) == blog["blogId"]
    attributes = {"title", "slug", "featured_image_url", "tags", "category", "seo_description"}
    assert {name: blog[name] for name in attributes} == {name: form[name] for name in attributes}
    assert "<strong>it</strong>" in blog["content"]
    assert "x = 1\n\ny = 2\n" in blog["content"]
    assert (blog["likes_count"], blog["reading_time"]) == (0, 1)
    assert isinstance(blog["created_at"], int)
    assert blog["published_at"] == blog["created_at"]
    status, error = admin.call("POST", "/blogs", form)
    assert (status, error.startswith("slug: ")) == (400, True)
    server.world.clock.advance(seconds=1)
    assert admin.call("POST", "/blogs", {**form, "title": "Two", "slug": ""})[0] == 201

    # The list, by pages; and the like button.
    first = browser.call("GET", "/blogs?limit=1")[1]
    second = browser.call("GET", f"/blogs?limit=1&last_key={first['last_key']}")[1]
    assert [each["slug"] for each in second["items"]] == ["why-it-works"]
    path = f"/blogs/{blog['blogId']}"
    assert browser.call("POST", f"{path}/likes")[1]["likes_count"] == 1

    # Saving the form again sends the sanitized HTML back; it stays as it is.
    edited = {**form, "title": "Why it still works", "content": blog["content"]}
    status, saved = admin.call("PUT", path, edited)
    assert (status, saved["title"], saved["content"]) == (
        200,
        "Why it still works",
        blog["content"],
    )
    assert saved["likes_count"] == 1

    assert browser.call("DELETE", path)[0] == 401
    assert browser.call("PATCH", "/blogs")[0] == 405

    # After 15 minutes its token has expired, but it is still sent when reading.
    server.world.clock.advance(minutes=16)
    assert admin.call("GET", "/blogs?limit=1")[0] == 200
    assert admin.call("PUT", "/portfolio", {"bio": "x"})[0] == 401

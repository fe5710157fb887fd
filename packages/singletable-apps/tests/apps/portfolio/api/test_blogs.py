"""Posts and their comments: create, read, list, edit, publish, like, moderate and delete them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

from dynamodb_engine.operations import Operation, TransactWriteItems
from dynamodb_engine.testing import InterruptedDriver
from singletable import Engine
from singletable_apps.portfolio.urls import API
from tests.apps.portfolio.api.client import OTHER, Person, Server, data, make_server
from tests.apps.portfolio.support.harness import World
from tests.apps.support.api_client import problem


def days_from_now(server: Server, days: int) -> str:
    return f"{server.world.clock() + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"


def test_post_has_all_attributes(server: Server) -> None:
    answer = server.owner.post(
        "/blogs",
        {
            "title": "Hello, World",
            "content": "<p>One <b>two</b>.</p><script>x</script>",
            "tags": ["Tea"],
            "category": "Notes",
            "featured_image_url": "https://img.example/1.png",
            "seo_description": "About tea",
        },
    )
    blog = data(answer, 201)
    assert answer.headers["location"] == f"{API}/blogs/{blog['blogId']}"
    assert answer.headers["etag"] == '"1"'
    created = days_from_now(server, 0)
    assert blog == {
        "blogId": blog["blogId"],
        "title": "Hello, World",
        "slug": "hello-world",
        "content": "<p>One <b>two</b>.</p>",
        "markdown": "<p>One <b>two</b>.</p>",
        "is_page": False,
        "excerpt": "One two.",
        "featured_image_url": "https://img.example/1.png",
        "featured_image_alt": "",
        "tags": ["tea"],
        "category": "Notes",
        "author": "Ada",
        "reading_time": 1,
        "likes_count": 0,
        "seo_description": "About tea",
        "canonical_url": "",
        "url": "https://ada.example/portfolio/blog/hello-world",
        "status": "published",
        "created_at": created,
        "updated_at": created,
        "published_at": created,
        "revision": 1,
    }
    public = data(server.visitor().get("/blogs/hello-world"))
    del blog["markdown"]
    assert public == blog == data(server.visitor().get(f"/blogs/{blog['blogId']}"))


def test_list_is_newest_first_and_paged(server: Server) -> None:
    titles = [server.owner.writes(f"Post {number}")["title"] for number in range(5)]
    answer = server.visitor().get("/blogs?limit=2")
    first = data(answer)
    link = answer.headers["link"].partition(">")[0][1:]
    assert urlsplit(link).path == f"{API}/blogs"
    rest = data(server.visitor().get("/blogs", params={"cursor": first["next"]}))
    assert [blog["title"] for blog in (*first["items"], *rest["items"])] == titles[::-1]
    short = data(server.visitor().get("/blogs?limit=1&content=false"))["items"][0]
    assert short.keys() == first["items"][0].keys() - {"content"}


def test_list_is_filtered_by_tag_and_category(server: Server) -> None:
    server.owner.writes("One", tags=["open source"], category="Notes")
    server.world.clock.advance(days=40)
    server.owner.writes("Two", tags=["open-source"], category="notes")
    server.owner.writes("Three", category="Other")

    def titles(query: str) -> list[str]:
        return [blog["title"] for blog in data(server.visitor().get(f"/blogs?{query}"))["items"]]

    assert titles("tag=Open%20Source") == ["Two", "One"]
    assert titles("category=Notes") == ["Two", "One"]
    assert titles("tag=open-source&category=other") == []
    assert titles("tag=none") == []
    first = data(server.visitor().get("/blogs?category=notes&limit=1"))
    rest = server.visitor().get("/blogs", params={"category": "notes", "cursor": first["next"]})
    assert [blog["title"] for blog in data(rest)["items"]] == ["One"]


def test_drafts_are_seen_only_by_those_who_can_edit_them(server: Server) -> None:
    later = days_from_now(server, 2)
    draft = server.author.writes("Draft", status="draft")
    server.author.writes("Scheduled", status="scheduled", publish_at=later)
    path = f"/blogs/{draft['blogId']}"
    assert draft["published_at"] is None
    visitor, other = server.visitor(), server.sign_in(OTHER)
    for person in (visitor, other):
        for hidden in (path, "/blogs/draft", "/blogs/scheduled"):
            assert problem(person.get(hidden)) == (404, "not-found", [])
        assert data(person.get("/blogs"))["items"] == []
    for person in (server.author, server.owner):
        assert data(person.get(path))["markdown"] == "It weaves *patterns*."
        (found,) = data(person.get("/blogs?status=draft"))["items"]
        assert found["title"] == "Draft"
        (scheduled,) = data(person.get("/blogs?status=scheduled"))["items"]
        assert (scheduled["title"], scheduled["published_at"]) == ("Scheduled", later)
    assert data(other.get("/blogs?status=draft"))["items"] == []
    assert problem(visitor.get("/blogs?status=draft")) == (401, "not-signed-in", ["Authorization"])


def test_markdown_is_for_those_who_can_edit(server: Server) -> None:
    blog = server.author.writes()
    path = f"/blogs/{blog['blogId']}"
    assert "markdown" in data(server.owner.get(path))
    assert "markdown" not in data(server.sign_in(OTHER).get(path))
    assert "@" not in data(server.visitor().get(path))["author"]


def test_expired_token_reads_as_a_visitor(server: Server) -> None:
    blog = server.owner.writes()
    owner = server.owner
    server.world.clock.advance(hours=2)
    assert "markdown" not in data(owner.get(f"/blogs/{blog['blogId']}"))
    assert problem(owner.put(f"/blogs/{blog['blogId']}", {"title": "x"}))[0] == 401
    assert problem(owner.get("/blogs?status=draft"))[0] == 401


def test_edit_changes_only_the_sent_fields(server: Server) -> None:
    blog = server.author.writes(tags=["tea"])
    path = f"/blogs/{blog['blogId']}"
    server.world.clock.advance(seconds=5)
    answer = server.author.put(path, {"title": "Other", "content": "<p>New</p>"}, tag='"1"')
    edited = data(answer)
    assert answer.headers["etag"] == '"2"'
    assert (edited["title"], edited["content"], edited["tags"]) == ("Other", "<p>New</p>", ["tea"])
    assert (edited["slug"], edited["published_at"]) == (blog["slug"], blog["published_at"])
    assert edited["updated_at"] > blog["updated_at"]
    assert problem(server.author.put(path, {"title": "x"}, tag='"1"'))[0] == 412
    assert data(server.owner.put(path, {"tags": []}, tag="*"))["tags"] == []


def test_post_is_scheduled_published_and_withdrawn(server: Server) -> None:
    blog = server.owner.writes(status="draft")
    path = f"/blogs/{blog['blogId']}"
    later = days_from_now(server, 3)
    scheduled = data(server.owner.put(path, {"status": "scheduled", "publish_at": later}, tag="*"))
    assert (scheduled["status"], scheduled["published_at"]) == ("scheduled", later)
    assert server.visitor().get(path).status_code == 404
    server.world.clock.advance(days=4)
    assert data(server.visitor().get(path))["status"] == "published"
    withdrawn = data(server.owner.put(path, {"status": "draft"}, tag="*"))
    assert (withdrawn["status"], withdrawn["published_at"]) == ("draft", None)
    assert server.visitor().get(path).status_code == 404
    dated = data(
        server.owner.put(
            path, {"status": "published", "publish_at": "2020-01-01T00:00:00Z"}, tag="*"
        )
    )
    assert (dated["status"], dated["published_at"]) == ("published", "2020-01-01T00:00:00Z")


def test_earlier_text_is_restored_and_the_post_deleted(server: Server) -> None:
    blog = server.author.writes("One")
    path = f"/blogs/{blog['blogId']}"
    data(server.author.put(path, {"title": "Two"}, tag="*"))
    (first,) = data(server.author.get(f"{path}/history"))
    assert (first["number"], first["title"], first["edited_by"]) == (1, "One", "grace@example.org")
    restore = f"{path}/history/1/restore"
    assert problem(server.author.post(restore))[:2] == (428, "precondition-required")
    assert problem(server.author.post(restore, tag='"1"'))[0] == 412
    assert data(server.author.post(restore, tag='"2"'))["title"] == "One"
    assert problem(server.author.delete(path, tag='"1"'))[0] == 412
    data(server.author.delete(path, tag="*"))
    assert problem(server.owner.get(path)) == (404, "not-found", [])


def test_like_counts_once_per_visitor_and_can_be_taken_back(server: Server) -> None:
    path = f"/blogs/{server.owner.writes()['blogId']}/likes"
    one, two = server.visitor("192.0.2.1"), server.visitor("2001:db8::1")
    assert data(one.post(path)) == {"likes_count": 1, "has_liked": True}
    assert data(two.get(path)) == {"likes_count": 1, "has_liked": False}
    assert data(two.post(path))["likes_count"] == 2
    # The rest of the network is the same visitor.
    assert data(server.visitor("2001:db8::2").get(path))["has_liked"]
    assert data(two.delete(path)) == {"likes_count": 1, "has_liked": False}
    assert one.get(path).headers["cache-control"] == "no-store"


# Without a version to compare with, both of two edits at the same time must survive.
def test_edits_of_different_fields_at_the_same_time_are_both_kept() -> None:
    engine = Engine.in_memory()
    server = make_server(engine)
    blog_id = server.owner.writes()["blogId"]

    def add_a_tag() -> None:
        server.world.service.posts.edit(
            server.world.owner(), blog_id, lambda draft: replace(draft, tags=("tea",))
        )

    def is_edit(operation: Operation[object]) -> bool:
        return isinstance(operation, TransactWriteItems) and "Other" in str(operation)

    driver = InterruptedDriver(engine, is_edit, before=add_a_tag)
    slow = Server(World(driver, like=server.world))
    edited = data(slow.owner.put(f"/blogs/{blog_id}", {"title": "Other"}, tag="*"))
    assert driver.interrupted
    assert (edited["title"], edited["tags"], edited["revision"]) == ("Other", ["tea"], 3)


def test_pages_are_listed_on_their_own(server: Server) -> None:
    owner, visitor = server.owner, server.visitor()
    imprint = owner.writes("Imprint", is_page=True)
    talks = owner.writes("Talks", is_page=True, status="draft")
    owner.writes("A post")
    assert imprint["url"] == "https://ada.example/portfolio/imprint"

    def titles(query: str, client: Person = visitor) -> list[str]:
        return [blog["title"] for blog in data(client.get(f"/blogs?{query}"))["items"]]

    assert titles("") == ["A post"]
    assert titles("pages=true") == ["Imprint"]
    assert titles("pages=true&status=draft", owner) == ["Talks"]
    assert titles("pages=true&status=draft", server.author) == []
    assert data(visitor.get("/blogs/imprint"))["is_page"] is True
    changed = data(owner.put(f"/blogs/{talks['blogId']}", {"status": "published"}, tag="*"))
    assert (changed["is_page"], changed["status"]) == (True, "published")
    assert problem(owner.put(f"/blogs/{talks['blogId']}", {"is_page": False}, tag="*"))[0] == 422
    reserved = {"title": "X", "markdown": "x", "slug": "admin", "is_page": True}
    assert problem(owner.post("/blogs", reserved))[2] == ["/slug"]
    assert problem(server.author.post("/blogs", {**reserved, "slug": "x"}))[0] == 403
    assert [hit["blog"]["title"] for hit in data(visitor.get("/search?q=imprint"))] == ["Imprint"]


COMMENT = {"author_name": "Mary", "author_email": "m@example.org", "content": "Fine."}


def submit(server: Server, blog_id: str, content: str = "Fine.") -> str:
    """Submit a comment, and return its ref."""
    server.world.clock.advance(seconds=1)
    answer = server.visitor().post(f"/blogs/{blog_id}/comments", {**COMMENT, "content": content})
    assert "once it is approved" in data(answer, 202)["message"]
    ref: str = data(server.owner.get("/comments"))["items"][-1]["ref"]
    return ref


def test_comment_is_shown_once_it_is_approved(server: Server) -> None:
    blog_id = server.author.writes()["blogId"]
    ref = submit(server, blog_id)
    path = f"/blogs/{blog_id}/comments"
    assert data(server.visitor().get(path)) == []
    (pending,) = data(server.author.get("/comments"))["items"]
    assert (pending["author_email"], pending["blogId"]) == ("m@example.org", blog_id)
    approved = data(server.author.post(f"/comments/{ref}/approve"))
    assert data(server.author.post(f"/comments/{ref}/approve")) == approved
    assert data(server.visitor().get(path)) == [approved]
    assert " ".join(approved) == (
        "ref commentId blogId author_name content created_at reply_to is_author"
    )
    assert (approved["content"], approved["author_name"]) == ("Fine.", "Mary")
    assert data(server.author.get("/comments"))["items"] == []
    data(server.author.delete(f"/comments/{approved['ref']}"))
    assert data(server.visitor().get(path)) == []


def test_queue_has_pages(server: Server) -> None:
    blog_id = server.author.writes()["blogId"]
    refs = [submit(server, blog_id, f"Comment {number}") for number in range(3)]
    first = data(server.owner.get("/comments?limit=2"))
    rest = data(server.owner.get("/comments", params={"cursor": first["next"]}))
    contents = [each["content"] for each in (*first["items"], *rest["items"])]
    assert contents == ["Comment 0", "Comment 1", "Comment 2"]
    data(server.author.post(f"/comments/{refs[0]}/reject"))
    # A program that fills in every field gets the same answer.
    bot = {**COMMENT, "website": "https://spam.example"}
    data(server.visitor().post(f"/blogs/{blog_id}/comments", bot), 202)
    assert [each["ref"] for each in data(server.owner.get("/comments"))["items"]] == refs[1:]

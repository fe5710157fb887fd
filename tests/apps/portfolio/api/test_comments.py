"""Comments: submit, moderate, list and delete them."""

from __future__ import annotations

import pytest

from tests.apps.portfolio.api.client import OTHER, Server, data, problem

COMMENT = {"author_name": "Mary", "author_email": "m@example.org", "content": "Fine."}


def submit(server: Server, blog_id: str, content: str = "Fine.") -> str:
    """Submit a comment, and return its ref."""
    server.world.clock.move(seconds=1)
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
    assert approved.keys() == {
        "ref",
        "commentId",
        "blogId",
        "author_name",
        "content",
        "created_at",
    }
    assert (approved["content"], approved["author_name"]) == ("Fine.", "Mary")
    assert data(server.author.get("/comments"))["items"] == []
    data(server.author.delete(f"/comments/{approved['ref']}"))
    assert data(server.visitor().get(path)) == []


def test_rejected_comment_is_gone(server: Server) -> None:
    ref = submit(server, server.author.writes()["blogId"])
    data(server.author.post(f"/comments/{ref}/reject"))
    assert data(server.author.get("/comments"))["items"] == []
    assert problem(server.author.post(f"/comments/{ref}/approve")) == (404, "not-found", [])


def test_comments_on_posts_of_others_are_not_for_an_author(server: Server) -> None:
    ref = submit(server, server.author.writes()["blogId"])
    other = server.sign_in(OTHER)
    assert data(other.get("/comments"))["items"] == []
    for answer in (
        other.post(f"/comments/{ref}/approve"),
        other.post(f"/comments/{ref}/reject"),
        other.delete(f"/comments/{ref}"),
    ):
        assert problem(answer)[:2] == (403, "not-allowed")


def test_queue_has_pages(server: Server) -> None:
    blog_id = server.author.writes()["blogId"]
    for number in range(3):
        submit(server, blog_id, f"Comment {number}")
    first = data(server.owner.get("/comments?limit=2"))
    rest = data(server.owner.get("/comments", params={"last_key": first["last_key"]}))
    contents = [each["content"] for each in (*first["items"], *rest["items"])]
    assert contents == ["Comment 0", "Comment 1", "Comment 2"]


@pytest.mark.parametrize(
    ("fields", "places"),
    [
        ({"author_name": ""}, ["/author_name"]),
        ({"author_email": "nobody"}, ["/author_email"]),
        ({"content": " "}, ["/content"]),
        ({"content": "x" * 5001}, ["/content"]),
        ({"author_name": "", "content": ""}, ["/author_name", "/content"]),
        ({"status": "approved"}, ["/status"]),
    ],
)
def test_invalid_comment_is_rejected(
    server: Server, fields: dict[str, object], places: list[str]
) -> None:
    path = f"/blogs/{server.owner.writes()['blogId']}/comments"
    answer = server.visitor().post(path, {**COMMENT, **fields})
    assert problem(answer) == (400, "invalid-request", places)


def test_bots_learn_nothing_and_store_nothing(server: Server) -> None:
    path = f"/blogs/{server.owner.writes()['blogId']}/comments"
    data(server.visitor().post(path, {**COMMENT, "website": "https://spam.example"}), 202)
    assert data(server.owner.get("/comments"))["items"] == []


def test_comments_can_be_switched_off(server: Server) -> None:
    path = f"/blogs/{server.owner.writes()['blogId']}/comments"
    server.owner.put("/settings", {"comments": False}, tag="*")
    assert problem(server.visitor().post(path, COMMENT)) == (403, "switched-off", [])


@pytest.mark.parametrize("ref", ["none", "a.1.b", "%00", "x" * 2000])
def test_unknown_comment_is_not_found(server: Server, ref: str) -> None:
    assert problem(server.owner.post(f"/comments/{ref}/approve")) == (404, "not-found", [])

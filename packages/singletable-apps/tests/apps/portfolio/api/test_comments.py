"""Comments: submit, moderate, list and delete them. The rules are in the tests of the service."""

from __future__ import annotations

from tests.apps.portfolio.api.client import Server, data

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

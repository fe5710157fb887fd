"""What the API does. Strict mode checks that every call of the store is a declared pattern."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient

import tracker.entities
import tracker.patterns
from singletable import OutOfScope, Store
from singletable.migration import check_schema
from singletable_design.docs_generator import check_docs
from tracker.entities import Issue

ACME = "/orgs/acme"
WEB = "/orgs/acme/projects/web"


def test_org_page_has_members_and_projects(client: TestClient) -> None:
    page = client.get(ACME).json()
    assert "last_issue" not in page["projects"][0]
    assert page["org"] == {"org": "acme", "name": "Acme", "members": 1}
    assert [member["login"] for member in page["members"]] == ["ada"]
    assert [project["project"] for project in page["projects"]] == ["web"]


def test_founding_an_org_twice_is_a_conflict(client: TestClient) -> None:
    admin = {"login": "eve", "email": "eve@acme.example"}
    answer = client.post("/orgs", json={"org": "acme", "name": "Mine", "admin": admin})
    assert (answer.status_code, answer.json()["code"]) == (409, "already-exists")
    assert client.get(ACME).json()["org"]["members"] == 1


def test_an_email_address_is_used_once(client: TestClient) -> None:
    bob = {"login": "bob", "email": "ADA@acme.example"}
    answer = client.post(f"{ACME}/members", json=bob)
    assert answer.status_code == 409
    assert "email" in [error["field"] for error in answer.json()["errors"]]
    found = client.get(f"{ACME}/member", params={"email": "Ada@ACME.example"})
    assert found.json()["login"] == "ada"


def test_members_change_roles_and_leave(client: TestClient) -> None:
    client.post(f"{ACME}/members", json={"login": "bob", "email": "bob@acme.example"})
    changed = client.patch(f"{ACME}/members/bob", json={"role": "admin"})
    assert changed.json()["role"] == "admin"
    assert client.delete(f"{ACME}/members/bob").status_code == 204
    assert client.delete(f"{ACME}/members/bob").status_code == 404
    assert client.patch(f"{ACME}/members/bob", json={"role": "member"}).status_code == 404
    assert client.get(ACME).json()["org"]["members"] == 1
    assert len(client.get(f"{ACME}/members").json()["items"]) == 1


def test_project_page_has_labels_and_sprints(client: TestClient) -> None:
    for color in ("#ff0000", "#00ff00"):
        assert client.put(f"{WEB}/labels/bug", json={"color": color}).status_code == 200
    for goal in ("Login", "Search"):
        client.post(f"{WEB}/sprints", json={"goal": goal, "ends": "2026-03-01"})
    page = client.get(WEB).json()
    assert [(label["name"], label["color"]) for label in page["labels"]] == [("bug", "#00ff00")]
    assert [(one["number"], one["goal"]) for one in page["sprints"]] == [
        (1, "Login"),
        (2, "Search"),
    ]
    assert [one["project"] for one in client.get(f"{ACME}/projects").json()] == ["web"]


def test_issues_are_numbered_in_their_project(client: TestClient) -> None:
    client.post(f"{ACME}/projects", json={"project": "app", "title": "App"})
    filed = client.post(f"{ACME}/projects/app/issues", json={"title": "Crash"})
    assert filed.json()["number"] == 1
    assert client.post(f"{WEB}/issues", json={"title": "Typo"}).json()["number"] == 3
    missing = client.post(f"{ACME}/projects/nothing/issues", json={"title": "?"})
    assert missing.status_code == 404


def test_board_shows_a_status_by_priority_and_label(client: TestClient) -> None:
    client.patch(f"{WEB}/issues/2", json={"priority": "urgent"})
    client.post(f"{WEB}/issues/2/labels", json={"add": ["bug"]})
    board = client.get(f"{WEB}/issues").json()
    assert [issue["number"] for issue in board["items"]] == [2, 1]
    bugs = client.get(f"{WEB}/issues", params={"label": "bug"}).json()
    assert [issue["number"] for issue in bugs["items"]] == [2]
    assert client.get(f"{WEB}/issues/count").json() == 2
    client.patch(f"{WEB}/issues/2", json={"status": "done"})
    assert [one["number"] for one in client.get(f"{WEB}/issues").json()["items"]] == [1]


def test_only_sent_fields_are_edited(client: TestClient) -> None:
    client.patch(f"{WEB}/issues/1", json={"assignee": "ada", "text": "Since Monday"})
    edited = client.patch(f"{WEB}/issues/1", json={"assignee": None}).json()
    assert (edited["assignee"], edited["text"], edited["title"]) == (
        None,
        "Since Monday",
        "Login fails",
    )


def test_a_stale_edit_is_rejected(client: TestClient) -> None:
    tag = client.get(f"{WEB}/issues/1").headers["ETag"]
    first, second = (
        client.patch(f"{WEB}/issues/1", json={"title": title}, headers={"If-Match": tag})
        for title in ("Cannot log in", "Login is slow")
    )
    assert (first.status_code, second.status_code) == (200, 412)
    assert client.get(f"{WEB}/issues/1").json()["title"] == "Cannot log in"


def test_members_see_what_they_have_to_do(client: TestClient) -> None:
    for number in (1, 2):
        client.patch(f"{WEB}/issues/{number}", json={"assignee": "ada"})
    client.patch(f"{WEB}/issues/1", json={"status": "done"})
    todo = client.get(f"{ACME}/members/ada/issues").json()
    assert [issue["number"] for issue in todo["items"]] == [2]


def test_sprint_lists_its_issues(client: TestClient) -> None:
    client.post(f"{WEB}/sprints", json={"goal": "Login", "ends": "2026-03-01"})
    client.patch(f"{WEB}/issues/1", json={"sprint": 1})
    planned = client.get(f"{WEB}/sprints/1/issues").json()
    assert [issue["number"] for issue in planned] == [1]


def test_issue_page_has_the_discussion(client: TestClient) -> None:
    for text in ("In Safari", "In Firefox too"):
        client.post(f"{WEB}/issues/1/comments", json={"author": "ada", "text": text})
    client.post(f"{WEB}/issues/2/comments", json={"author": "ada", "text": "Why?"})
    for _ in range(2):
        assert client.put(f"{WEB}/issues/1/watchers/ada").status_code == 204
    page = client.get(f"{WEB}/issues/1/page").json()
    assert [comment["text"] for comment in page["comments"]] == ["In Safari", "In Firefox too"]
    assert (page["issue"]["comments"], page["issue"]["watchers"]) == (2, 1)
    watched = client.get(f"{ACME}/members/ada/watched").json()
    assert [(one["project"], one["issue"]) for one in watched] == [("web", 1)]
    assert client.delete(f"{WEB}/issues/1/comments/1").status_code == 204
    assert client.delete(f"{WEB}/issues/1/watchers/ada").status_code == 204
    issue = client.get(f"{WEB}/issues/1").json()
    assert (issue["comments"], issue["watchers"]) == (1, 0)


def test_comments_have_pages_in_both_directions(client: TestClient) -> None:
    comments = f"{WEB}/issues/1/comments"
    for number in range(5):
        client.post(comments, json={"author": "ada", "text": str(number)})
    first = client.get(comments, params={"size": 2}).json()
    second = client.get(comments, params={"size": 2, "cursor": first["cursor"]}).json()
    again = client.get(comments, params={"size": 2, "cursor": second["previous"]}).json()
    assert [one["text"] for one in second["items"]] == ["2", "3"]
    assert again["items"] == first["items"]
    assert client.get(comments, params={"cursor": "forged"}).status_code == 400


def test_a_moved_issue_gets_a_new_number(client: TestClient) -> None:
    client.post(f"{ACME}/projects", json={"project": "app", "title": "App"})
    before = client.get(f"{WEB}/issues/2").json()
    moved = client.post(f"{WEB}/issues/2/move", json={"project": "app"})
    assert (moved.json()["project"], moved.json()["number"]) == ("app", 1)
    assert moved.json()["title"] == "Slow search"
    assert moved.json()["created"] == before["created"]
    assert client.get(f"{WEB}/issues/2").status_code == 404


def test_labels_are_added_and_removed(client: TestClient) -> None:
    labels = f"{WEB}/issues/1/labels"
    client.post(labels, json={"add": ["bug", "ui"]})
    changed = client.post(labels, json={"add": ["login"], "remove": ["ui"]})
    assert sorted(changed.json()["labels"]) == ["bug", "login"]
    assert client.post(f"{WEB}/issues/9/labels", json={"add": ["bug"]}).status_code == 404


def test_bad_input_is_never_a_server_error(client: TestClient) -> None:
    assert client.get(f"{WEB}/issues/0").status_code == 404
    assert client.get(f"{WEB}/issues/-1").status_code == 422
    assert client.get(f"{WEB}/issues/12345678").status_code == 422
    assert client.post(f"{WEB}/issues", json={"title": ""}).status_code == 422
    assert client.get("/orgs/nobody").status_code == 404
    assert client.patch(f"{WEB}/issues/9", json={"title": "?"}).status_code == 404


def test_organizations_cannot_touch_each_other(store: Store) -> None:
    with pytest.raises(OutOfScope):
        store.scoped(org="acme").get(Issue.key(org="other", project="web", number=1))


def test_docs_are_up_to_date() -> None:
    check_docs(tracker.patterns, Path(__file__).parent / "docs")


# Changes of the declaration that stored items cannot follow need a migration.
def test_schema_has_not_changed() -> None:
    check_schema(tracker.entities)

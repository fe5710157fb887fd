"""Endorsements that are asked for, and suggested skills."""

from __future__ import annotations

import pytest

from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import Role
from singletable_apps.skills.service.catalog import SkillEdit
from tests.apps.skills.support.world import World


@pytest.fixture
def asked(memory: World) -> World:
    """Return a directory in which Bob asked Joan to endorse Go, and suggested Zig."""
    people = {"bob": {"Go": "Expert"}, "joan": {}, "root": {}}
    memory.fill(people, roles={"root": Role.ADMIN})
    memory.service.requests.ask(memory.user("bob"), "go", "JOAN")
    memory.service.requests.suggest(memory.user("bob"), "Zig", "For drivers.")
    return memory


def texts(world: World) -> list[tuple[str, str]]:
    """Send what is due, and return the recipients with the first sentences."""
    world.server.emails.clear()
    return [(each.to.partition("@")[0], each.text.split("\n")[2]) for each in world.mailbox.emails]


def test_only_the_colleague_sees_the_request_until_they_endorse(asked: World) -> None:
    requests, joan = asked.service.requests, asked.user("joan")
    assert texts(asked) == [("joan", "Bob asks you to endorse the skill Go:")]
    assert [request.name for request, _ in requests.list(joan).values()] == ["Go"]
    assert requests.list(asked.user("bob")) == {}
    asked.service.endorsements.endorse(joan, "bob", "Go")
    assert requests.list(joan) == {}
    # Asking again sends no second e-mail.
    requests.ask(asked.user("bob"), "Go", "joan")
    assert texts(asked) == []


def test_declined_requests_are_gone(asked: World) -> None:
    requests, joan, root = asked.service.requests, asked.user("joan"), asked.user("root")
    [(endorse, _)] = requests.list(joan).items()
    [(suggestion, _)] = requests.list(root).items()
    with pytest.raises(NotPermitted):
        requests.decline(joan, suggestion)
    with pytest.raises(NotFound):
        requests.decline(root, "0-1-cobol")
    texts(asked)
    requests.decline(joan, endorse)
    requests.decline(root, suggestion, "We use Rust.")
    assert requests.list(joan) == requests.list(root) == {}
    assert texts(asked) == [("bob", "Your suggestion Zig was declined. We use Rust.:")]


@pytest.mark.parametrize("is_alias", [False, True])
def test_a_suggestion_is_met_by_the_catalog(asked: World, is_alias: bool) -> None:
    service, root = asked.service, asked.user("root")
    texts(asked)
    service.requests.settle()
    assert texts(asked) == []
    if is_alias:
        service.catalog.edit(root, "go", SkillEdit("Go", aliases=("zig",)))
    else:
        service.catalog.create(root, SkillEdit("Zig"))
    assert service.requests.list(root) == {}
    service.requests.settle()
    found = "Go" if is_alias else "Zig"
    assert texts(asked) == [("bob", f"Your suggestion Zig is in the catalog: {found}:")]


def test_requests_that_cannot_be_made(asked: World) -> None:
    requests, bob = asked.service.requests, asked.user("bob")
    for name in ("", "go", "!", "x" * 200):
        with pytest.raises(InvalidInput) as caught:
            requests.suggest(bob, name)
        assert "skill_name" in caught.value.errors
    with pytest.raises(NotPermitted):
        requests.ask(bob, "Go", "bob")
    for skill, colleague in (("Go", "nobody"), ("Cobol", "joan")):
        with pytest.raises(NotFound):
            requests.ask(bob, skill, colleague)

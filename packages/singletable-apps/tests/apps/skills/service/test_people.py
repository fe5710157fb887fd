"""Find people, change profiles and roles, and invite people."""

from __future__ import annotations

import pytest

from singletable import Store
from singletable_apps.shared.accounts import Registration
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import JobRole, Role, User
from singletable_apps.skills.service.people import PersonEdit
from tests.apps.skills.support.world import World
from tools.testing.drivers import lagging

ROLES = {"ada": Role.ADMIN, "mia": Role.MANAGER}


@pytest.fixture
def people(memory: World) -> World:
    """Return a world with an administrator, a manager and two users."""
    memory.fill({"ada": {}, "bob": {}, "mia": {}, "joan": {}}, roles=ROLES)
    return memory


def test_list_pages_by_name_with_cursors(memory: World) -> None:
    memory.fill({name: {} for name in ("zoe", "ada", "Adele", "bob")})
    first = memory.service.people.list(limit=3)
    assert [row.name for row in first.items] == ["Ada", "Adele", "Bob"]
    second = memory.service.people.list(limit=3, cursor=first.cursor)
    assert ([row.username for row in second.items], second.cursor) == (["zoe"], None)
    found = memory.service.people.list(" aD ")
    assert [row.username for row in found.items] == ["ada", "Adele"]
    assert memory.service.people.list("#").items == []


def test_list_filters_by_department_and_job(people: World) -> None:
    service, ada = people.service, people.user("ada")
    service.context.store.create(JobRole(role_id="tester", name="Tester"))
    service.people.edit(ada, "bob", PersonEdit(department="Web", job_role="tester"))
    service.people.edit(ada, "joan", PersonEdit(department="Web"))
    assert [row.name for row in service.people.list(department="Web").items] == ["Bob", "Joan"]
    both = service.people.list(department="Web", job_role="tester")
    assert [row.job_role for row in both.items] == ["tester"]
    people.calls.clear()  # the test has created a job


def test_edit_changes_the_profile_and_the_order(memory: World) -> None:
    memory.fill({"ada": {}, "bob": {}})
    edit = PersonEdit(name="Zed  Ada", title="Engineer", about="Hi!\n#1 🎉", email="a@example.org")
    user = memory.service.people.edit(memory.user("ada"), "ADA", edit)
    assert (user.name, user.title, user.about, user.revision) == (
        "Zed Ada",
        "Engineer",
        "Hi!\n#1 🎉",
        2,
    )
    assert [row.username for row in memory.service.people.list().items] == ["bob", "ada"]
    assert memory.service.people.edit(user, "ada", edit).revision == 2


def test_invalid_edit_names_every_field_and_changes_nothing(people: World) -> None:
    edit = PersonEdit(
        name="x", title="t" * 101, about="a" * 10_000_000, email="no", job_role="king"
    )
    with pytest.raises(InvalidInput) as rejected:
        people.service.people.edit(people.user("mia"), "mia", edit)
    assert {*rejected.value.errors} == {"name", "title", "about", "email", "job_role"}
    assert people.user("mia").revision == 1


def test_managers_do_not_change_addresses_and_usernames_of_others(people: World) -> None:
    service, mia = people.service, people.user("mia")
    assert service.people.edit(mia, "joan", PersonEdit(title="Chief")).title == "Chief"
    with pytest.raises(NotPermitted):
        service.people.edit(mia, "joan", PersonEdit(email="me@example.org"))
    with pytest.raises(NotPermitted):
        service.people.rename(mia, "joan", "other")


def test_users_cannot_choose_their_job(people: World) -> None:
    people.service.context.store.create(JobRole(role_id="king", name="King"))
    with pytest.raises(NotPermitted):
        people.service.people.edit(people.user("bob"), "bob", PersonEdit(job_role="king"))
    people.calls.clear()  # the test has created a job


def test_invitation_names_the_directory(people: World) -> None:
    service, ada = people.service, people.user("ada")
    service.people.edit_settings(ada, "Fernhill", Registration.CLOSED)
    assert service.accounts.invite(ada, "Eve", "Eve Moss", "eve@example.org").user.role is Role.USER
    assert people.mailbox.emails[-1].subject == "Your account in Fernhill"
    with pytest.raises(AlreadyExists):
        service.accounts.invite(ada, "EVE", "Eve", "eve@example.org")
    with pytest.raises(InvalidInput) as rejected:
        service.accounts.invite(ada, "", "", "")
    assert {*rejected.value.errors} == {"username", "name", "email"}


def test_person_without_an_address_is_not_invited_again(people: World) -> None:
    Store(people.driver).create(User(username="zed", user_id=99, name="Zed"))
    with pytest.raises(InvalidInput, match="has no e-mail address"):
        people.service.accounts.invite_again(people.user("ada"), "zed")


def test_taken_username_is_reported_despite_stale_reads(people: World) -> None:
    ada = people.user("ada")
    service = people.open(lagging(people.driver)).accounts
    service.invite(ada, "eve", "Eve", "eve@example.org")
    with pytest.raises(AlreadyExists):
        service.invite(ada, "eve", "Eve", "eve@example.org")

"""Jobs and their targets."""

from __future__ import annotations

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import TransactWriteItems
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.skills.entities import Level, Role
from singletable_apps.skills.service.roles import RoleEdit
from tests.apps.skills.support.recount import check_consistent
from tests.apps.skills.support.world import Filling, World

PEOPLE: Filling = {"mia": {"Go": "Expert", "SQL": "Beginner"}, "bob": {}}
BACKEND = RoleEdit("Backend engineer", "Builds services.", {"GO": Level.EXPERT})


def test_create_edit_list_and_delete(memory: World) -> None:
    memory.fill(PEOPLE, roles={"mia": Role.MANAGER})
    roles, mia = memory.service.roles, memory.user("mia")
    created = roles.create(mia, BACKEND)
    assert (created.role_id, created.targets) == ("backend-engineer", {"go": Level.EXPERT})
    with pytest.raises(AlreadyExists, match="already a job"):
        roles.create(mia, RoleEdit("backend-engineer"))
    # Two spellings of one skill are one target, at the higher level.
    both = {"sql": Level.BEGINNER, "S Q L": Level.ADVANCED}
    edited = roles.edit(mia, created.role_id, RoleEdit("Data engineer", targets=both))
    assert (edited.name, edited.description, edited.revision) == ("Data engineer", "", 2)
    assert edited.targets == {"sql": Level.ADVANCED}
    assert roles.create(mia, RoleEdit("Инженер")).role_id
    assert [role.name for role in roles.list()] == ["Data engineer", "Инженер"]
    roles.delete(mia, created.role_id)
    with pytest.raises(NotFound):
        roles.get(created.role_id)


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (RoleEdit(""), "name"),
        (RoleEdit("x" * 101), "name"),
        (RoleEdit("x", "\x00"), "description"),
        (RoleEdit("x", targets={"Cobol": Level.EXPERT}), "targets"),
        (RoleEdit("x", targets={"": Level.EXPERT}), "targets"),
        (RoleEdit("x", targets=dict.fromkeys(map(str, range(51)), Level.EXPERT)), "targets"),
    ],
)
def test_invalid_jobs_name_the_field(memory: World, edit: RoleEdit, field: str) -> None:
    memory.fill(PEOPLE, roles={"mia": Role.MANAGER})
    with pytest.raises(InvalidInput) as rejected:
        memory.service.roles.create(memory.user("mia"), edit)
    assert {*rejected.value.errors} == {field}
    assert memory.service.roles.list() == []


def test_target_that_is_merged_meanwhile_becomes_the_other_skill(memory: World) -> None:
    memory.fill(PEOPLE, roles={"mia": Role.ADMIN})
    mia = memory.user("mia")
    memory.service.roles.create(mia, BACKEND)
    driver = InterruptedDriver(
        memory.driver,
        TransactWriteItems,
        before=lambda: memory.service.catalog.merge(mia, "go", "sql"),
    )
    edited = memory.open(driver).roles.edit(mia, "backend-engineer", BACKEND)
    assert edited.targets == {"sql": Level.EXPERT}
    check_consistent(memory)

"""Certificates, experience, education and projects."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from singletable_apps.shared.errors import Busy, InvalidInput, NotFound
from singletable_apps.skills.entities import Project, ProjectStatus, Role, User
from singletable_apps.skills.entry_rules import KINDS, EntryDraft, KindName, kind_named
from tests.apps.skills.support.world import World

DRAFT = EntryDraft(
    name="Kestrel",
    issuer="CNCF",
    issued=date(2024, 3, 1),
    position="Engineer",
    employer="Acme",
    school="MIT",
    degree="BSc",
    started=date(2020, 1, 1),
    description="Built # things 🚀",
    link="https://example.org/kestrel",
    skills=("Go",),
)
PEOPLE = {"ada": {"Go": "Expert"}, "bob": {}}
PROJECTS = KINDS["projects"]


def _create(world: World, username: str, kind: KindName, **changes: Any) -> str:
    entries, draft = world.service.entries, replace(DRAFT, **changes)
    created = entries.create(world.user(username), username, KINDS[kind], draft)
    return KINDS[kind].id_of(created)


@pytest.mark.parametrize("name", KINDS)
def test_entry_is_created_changed_and_deleted(memory: World, name: KindName) -> None:
    memory.fill(PEOPLE)
    entries, ada, kind = memory.service.entries, memory.user("ada"), KINDS[name]
    entry_id = _create(memory, "ada", name)
    [listed] = entries.list_kind("ADA", kind)
    assert listed == entries.get("ada", kind, entry_id)
    heading = next(iter(kind.lines))
    other: dict[str, Any] = {heading: "  Other  one "}
    assert getattr(listed, heading) == getattr(DRAFT, heading)
    changed = entries.edit(ada, "ada", kind, entry_id, lambda draft: replace(draft, **other))
    assert (getattr(changed, heading), changed.revision) == ("Other one", 2)
    assert changed.created_at == listed.created_at
    assert getattr(entries.list_all("ada"), name) == [changed]
    entries.delete(ada, "ada", kind, entry_id)
    assert entries.list_kind("ada", kind) == []
    with pytest.raises(NotFound):
        entries.delete(ada, "ada", kind, entry_id)


def test_all_kinds_are_read_with_one_query(memory: World) -> None:
    memory.fill(PEOPLE)
    for name in KINDS:
        _create(memory, "ada", name)
    memory.calls.clear()
    found = memory.service.entries.list_all("ada")
    assert {name: len(getattr(found, name)) for name in KINDS} == dict.fromkeys(KINDS, 1)
    assert [call.shape.method for call in memory.calls] == ["collect"]


@pytest.mark.parametrize(
    ("kind", "changes", "fields"),
    [
        ("experience", {"position": " ", "employer": "x" * 201}, {"position", "employer"}),
        ("experience", {"started": None}, {"started"}),
        ("experience", {"ended": date(2019, 12, 31)}, {"ended"}),
        ("education", {"started": date(2026, 1, 2)}, {"started"}),
        ("education", {"started": date(1000, 1, 1), "ended": date.max}, {"started", "ended"}),
        ("education", {"description": "x" * 2_001}, {"description"}),
        ("certifications", {"link": "javascript:alert(1)"}, {"link"}),
        ("certifications", {"link": "/skills"}, {"link"}),
        ("certifications", {"name": "a\x00b"}, {"name"}),
        ("projects", {"skills": ("Go", "Cobol")}, {"skills"}),
        ("projects", {"skills": tuple(map(str, range(21)))}, {"skills"}),
    ],
)  # fmt: skip
def test_invalid_drafts_name_the_field(
    memory: World, kind: KindName, changes: dict[str, Any], fields: set[str]
) -> None:
    memory.fill(PEOPLE)
    with pytest.raises(InvalidInput) as rejected:
        _create(memory, "ada", kind, **changes)
    assert {*rejected.value.errors} == fields
    assert memory.service.entries.list_kind("ada", KINDS[kind]) == []


def test_projects_of_all_people_are_listed_by_status(memory: World) -> None:
    memory.fill(PEOPLE)
    for number, username in enumerate(["ada", "bob", "ada"]):
        _create(memory, username, "projects", name=f"Project {number}", skills=("gO", "Go"))
        memory.clock.advance(minutes=1)
    done = _create(memory, "bob", "projects", status=ProjectStatus.DONE, skills=())
    entries = memory.service.entries
    first = entries.list_projects(ProjectStatus.ACTIVE, limit=2)
    rest = entries.list_projects(ProjectStatus.ACTIVE, limit=2, cursor=first.cursor)
    assert [one.name for one in [*first.items, *rest.items]] == [
        "Project 2", "Project 1", "Project 0",
    ]  # fmt: skip
    assert first.items[0].skill_ids == ["go"]
    assert first.items[0].description == DRAFT.description
    assert {key: one.name for key, one in entries.skills_of(first.items).items()} == {"go": "Go"}
    assert [one.project_id for one in entries.list_projects(ProjectStatus.DONE).items] == [done]
    assert entries.list_projects(ProjectStatus.PLANNED).items == []


def test_number_of_entries_is_limited(memory: World) -> None:
    memory.fill(PEOPLE)
    store = memory.service.context.store
    store.bulk_load(Project(username="ada", project_id=f"p{n}", name="x") for n in range(50))
    with pytest.raises(InvalidInput, match="50 entries"):
        _create(memory, "ada", "projects")
    memory.calls.clear()


# The account and its entries are one partition, so that nothing is left of a deleted account.
def test_entry_of_a_deleted_account_is_not_created(memory: World) -> None:
    memory.fill(PEOPLE)
    ada, store = memory.user("ada"), memory.service.context.store
    store.delete(User.key("ada"))
    memory.calls.clear()
    with pytest.raises(Busy):
        memory.service.entries.create(ada, "ada", PROJECTS, DRAFT)


def test_change_of_another_process_is_not_overwritten(worlds: tuple[World, World]) -> None:
    one, other = worlds
    one.fill(PEOPLE)
    ada, entry_id = one.user("ada"), _create(one, "ada", "projects")

    def change_meanwhile(revision: int) -> None:
        if revision == 1:
            planned = replace(DRAFT, status=ProjectStatus.PLANNED)
            other.service.entries.edit(ada, "ada", PROJECTS, entry_id, lambda _: planned)

    edited = one.service.entries.edit(
        ada, "ada", PROJECTS, entry_id, lambda _: DRAFT, change_meanwhile
    )
    assert edited.revision == 3


def test_unknown_kinds_and_ids_are_not_found(memory: World) -> None:
    memory.fill(PEOPLE)
    with pytest.raises(NotFound):
        kind_named("hobbies")
    for entry_id in ("", "x" * 51, "a#b", "nothing"):
        with pytest.raises(NotFound):
            memory.service.entries.get("ada", PROJECTS, entry_id)


# GSI1 finds projects by their table keys, which have the username.
def test_projects_follow_a_renamed_person_and_go_with_a_deleted_one(memory: World) -> None:
    memory.fill({**PEOPLE, "mia": {}}, roles={"mia": Role.ADMIN})
    service, entry_id = memory.service, _create(memory, "bob", "projects")
    _create(memory, "ada", "projects")
    service.people.rename(memory.user("bob"), "bob", "robert")
    service.accounts.remove(memory.user("ada"), "ada")
    [project] = service.entries.list_projects(ProjectStatus.ACTIVE).items
    assert (project.username, project.project_id) == ("robert", entry_id)

"""Add, change and remove skills of people."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import Level, Role, SkillCount, Source, UserSkill
from singletable_apps.skills.rules import SkillDraft
from tests.apps.skills.support.world import World

EXPERT = SkillDraft(Level.EXPERT, years=5)


def test_add_finds_the_skill_by_any_spelling_and_counts_it(memory: World) -> None:
    memory.fill({"ada": {}, "bob": {"Go": "Beginner"}})
    ada = memory.user("ada")
    added = memory.service.user_skills.add(ada, "ADA", "gO", EXPERT)
    assert (added.username, added.skill_id, added.skill_name) == ("ada", "go", "Go")
    assert (added.last_used, added.source) == (date(2026, 1, 1), Source.SELF)
    counts = memory.service.catalog.counts(["go"])
    assert counts["go"] == SkillCount(skill_id="go", beginner=1, expert=1)
    with pytest.raises(AlreadyExists, match="Ada already has the skill Go"):
        memory.service.user_skills.add(ada, "ada", "Go", EXPERT)
    assert memory.service.catalog.counts(["go"]) == counts


def test_edit_moves_the_count_to_the_new_level(memory: World) -> None:
    memory.fill({"ada": {"Go": "Beginner"}})
    edited = memory.service.user_skills.edit(memory.user("ada"), "ada", "Go", EXPERT)
    assert (edited.level, edited.years, edited.revision) == (Level.EXPERT, 5, 2)
    counts = memory.service.catalog.counts(["go"])
    assert counts["go"] == SkillCount(skill_id="go", expert=1)


def test_remove_counts_one_fewer(memory: World) -> None:
    memory.fill({"ada": {"Go": "Beginner"}})
    memory.service.user_skills.remove(memory.user("ada"), "ada", "Go")
    assert memory.service.catalog.counts(["go"])["go"] == SkillCount(skill_id="go")
    with pytest.raises(NotFound):
        memory.service.user_skills.remove(memory.user("ada"), "ada", "Go")


def test_only_managers_change_skills_of_others(memory: World) -> None:
    memory.fill({"ada": {"Go": "Beginner"}, "bob": {}, "mia": {}}, roles={"mia": Role.MANAGER})
    skills = memory.service.user_skills
    with pytest.raises(NotPermitted):
        skills.edit(memory.user("bob"), "ada", "Go", EXPERT)
    rated = skills.edit(memory.user("mia"), "ada", "Go", EXPERT)
    assert (rated.source, rated.rated_by) == (Source.MANAGER, "mia")
    again = skills.edit(memory.user("ada"), "ada", "Go", SkillDraft(Level.EXPERT, years=6))
    assert again.source is Source.MANAGER


def test_invalid_drafts_name_the_field(memory: World) -> None:
    memory.fill({"ada": {"Go": "Beginner"}})
    draft = SkillDraft(Level.EXPERT, years=-1, last_used=date(2026, 1, 2), notes="x" * 501)
    with pytest.raises(InvalidInput) as rejected:
        memory.service.user_skills.edit(memory.user("ada"), "ada", "Go", draft)
    assert {*rejected.value.errors} == {"years", "last_used", "notes"}


def test_best_people_are_in_order_on_every_page(memory: World) -> None:
    days = [date(2025, 1, 1), date(2025, 6, 1)]
    people = {
        f"user{number}": {"Go": (level, years, day)}
        for number, (level, years, day) in enumerate(
            (level, years, day)
            for level in ("Expert", "Advanced", "Beginner")
            for years in (1, 7, 10)
            for day in days
        )
    }
    memory.fill(people)
    skills = memory.service.user_skills
    for limit in (1, 5, 6, 18, 50):
        found: list[UserSkill] = []
        cursor: str | None = None
        while True:
            page = skills.list_best("go", limit=limit, cursor=cursor)
            found += page.items
            cursor = page.cursor
            if cursor is None:
                break
        order = [(each.level, each.years, each.last_used) for each in found]
        assert order == [
            (level, years, day)
            for level in ("Expert", "Advanced", "Beginner")
            for years in (10, 7, 1)
            for day in reversed(days)
        ]


def test_edit_while_someone_else_edits_keeps_the_counts_right(memory: World) -> None:
    memory.fill({"ada": {"Go": "Beginner"}})
    ada, skills = memory.user("ada"), memory.service.user_skills
    entered: list[Level] = []

    def change(draft: SkillDraft) -> SkillDraft:
        entered.append(draft.level)
        if len(entered) == 1:
            # Between the read and the write of this edit.
            skills.edit(ada, "ada", "Go", EXPERT)
        return replace(draft, level=Level.ADVANCED)

    edited = skills.edit(ada, "ada", "Go", change)
    assert (edited.level, edited.years, edited.revision) == (Level.ADVANCED, 5, 3)
    assert entered == [Level.BEGINNER, Level.EXPERT]
    assert memory.service.catalog.counts(["go"])["go"] == SkillCount(skill_id="go", advanced=1)

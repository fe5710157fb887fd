"""A test world: a driver, a clock that tests move, a mailbox, and the service on them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from singletable import Driver, Store
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.mail import EmailDelivery
from singletable_apps.skills import entities
from singletable_apps.skills.patterns import patterns
from singletable_apps.skills.rules import derive_skill_id
from singletable_apps.skills.service import TABLES, SkillsService, open_skills
from singletable_apps.skills.service.catalog import spellings_of
from singletable_apps.skills.urls import Urls
from tests.apps.support.worlds import AppWorld

SECRET = b"of tests" * 4
PASSWORD = "nine blue horses"
PUBLIC = "https://skills.example"
PASSWORDS = Passwords(memory_kib=64, passes=1)
_HASH = PASSWORDS.hash(PASSWORD)

# The skills of people by username: a level, or a level with years and the day of its last use.
Filling = Mapping[str, Mapping[str, str | tuple[str, int] | tuple[str, int, date]]]


class World(AppWorld[SkillsService]):
    """The directory."""

    patterns = patterns
    tables = (entities.entities,)

    def open(
        self, driver: Driver | None = None, *, confirm_addresses: bool = False
    ) -> SkillsService:
        """Open another service on the same tables, as another process would have it."""
        return open_skills(
            driver or self.driver,
            SECRET,
            emails=EmailDelivery(self.server),
            urls=Urls(public=PUBLIC),
            clock=self.clock,
            passwords=PASSWORDS,
            confirm_addresses=confirm_addresses,
            observers=[self.calls.append],
        )

    def fill(
        self,
        people: Filling,
        *,
        roles: Mapping[str, entities.Role] | None = None,
        categories: Mapping[str, str] | None = None,
    ) -> None:
        """Store people with skills, without the service.

        A skill is a level, or a level with years and the day of its last use:

            world.fill({"ada": {"Go": "Expert", "Python": ("Advanced", 5, date(2025, 6, 1))}})
        """
        chosen, today = roles or {}, self.clock().date()
        # Fill through a store that the test does not observe.
        store = Store(self.driver, tables=TABLES, clock=self.clock)
        names = {name for skills in people.values() for name in skills}
        counts = {
            name: entities.SkillCount(skill_id=derive_skill_id(name)) for name in sorted(names)
        }
        items: list[object] = [entities.Directory()]
        for name in sorted(names):
            category = (categories or {}).get(name, "Programming")
            skill = entities.Skill(skill_id=derive_skill_id(name), name=name, category=category)
            items.append(skill)
            items += [
                entities.SkillAlias(alias=alias, skill_id=skill.skill_id)
                for alias in spellings_of(skill)
            ]
        for number, (username, skills) in enumerate(people.items(), 1):
            items.append(
                entities.User(
                    username=username,
                    user_id=number,
                    name=username.capitalize(),
                    role=chosen.get(username, entities.Role.USER),
                    email=f"{username}@example.org",
                    password_hash=_HASH,
                )
            )
            for name, entry in skills.items():
                level, years, last_used = (
                    (entry, 0, today) if isinstance(entry, str) else (*entry, today)[:3]
                )
                items.append(
                    entities.UserSkill(
                        username=username,
                        skill_id=derive_skill_id(name),
                        skill_name=name,
                        level=entities.Level(level),
                        years=years,
                        last_used=last_used,
                    )
                )
                field = level.lower()
                setattr(counts[name], field, getattr(counts[name], field) + 1)
        # Managers manage everyone, unless a test says otherwise.
        items += [
            entities.Team(team_id=name, name=name, members=[*people], created_by=name, manager=name)
            for name, role in chosen.items()
            if role is entities.Role.MANAGER
        ]
        store.bulk_load([*items, *counts.values()])

    def user(self, username: str) -> entities.User:
        user = self.service.context.store.get(entities.User.key(username), consistent=True)
        assert user is not None
        return user

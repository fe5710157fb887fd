"""Random changes inside each other, some of them cut off, leave counts and copies right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TypeVar

import pytest

from dynamodb_engine.testing import Crash
from singletable import Driver, Operation, Store
from singletable_apps.shared.errors import AppError
from singletable_apps.skills import entities
from singletable_apps.skills.rules import SkillDraft
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.catalog import SkillEdit
from tests.apps.skills.support.recount import check_consistent
from tests.apps.skills.support.world import World

R = TypeVar("R")
PEOPLE = ("bob", "cyd", "dee", "eve")
SKILLS = ("Go", "Python", "Rust")


class Interrupted:
    """A driver that runs other changes between operations, or stops as if the power was cut."""

    def __init__(self, driver: Driver, random: Random) -> None:
        self._driver = driver
        self._random = random
        self.interrupt: Callable[[], None] | None = None

    def execute(self, operation: Operation[R], /) -> R:
        self._maybe_interrupt()
        answer = self._driver.execute(operation)
        self._maybe_interrupt()
        return answer

    def _maybe_interrupt(self) -> None:
        number = self._random.random()
        if self.interrupt is None or number > 0.03:
            return
        if number < 0.004:
            raise Crash
        self.interrupt()


class Crowd:
    """People who do anything at any time."""

    def __init__(self, world: World, random: Random) -> None:
        self.world, self.random = world, random
        self.driver = Interrupted(world.driver, random)
        self.service: SkillsService = world.open(self.driver)
        self.store = Store(world.driver)
        self.imports: list[str] = []
        self.left, self.depth = 60, 0

    def run(self) -> None:
        self.driver.interrupt = self.act
        while self.left:
            self.act()
        self.driver.interrupt = None

    def act(self) -> None:
        if self.left == 0 or self.depth == 3:
            return
        self.left -= 1
        self.depth += 1
        try:
            self.random.choice(self._changes())()
        except (AppError, Crash):
            pass
        finally:
            self.depth -= 1

    def _changes(self) -> list[Callable[[], object]]:
        people = [user for user in self.store.admin.scan(entities.User) if not user.left_at]
        [ada] = [user for user in people if user.username == "ada"]
        actor = self.random.choice([user for user in people if user.password_hash])
        name = self.random.choice([user.username for user in people if user is not ada] or ["bob"])
        skills = [skill.skill_id for skill in self.store.admin.scan(entities.Skill)] or ["go"]
        one, other = self.random.choice(skills), self.random.choice(skills)
        draft = SkillDraft(self.random.choice([*entities.Level]), 2)
        renamed = f"{one} {self.random.randrange(9)}"
        service, new = self.service, self.random.choice(PEOPLE)
        return [
            *3 * [lambda: service.endorsements.endorse(actor, name, one)],
            lambda: service.endorsements.withdraw(actor, name, one),
            lambda: service.people.rename(ada, name, new),
            lambda: service.accounts.remove(ada, name),
            lambda: service.accounts.register(new, "New Person", "nine blue horses"),
            lambda: service.user_skills.add(ada, name, one, draft),
            lambda: service.user_skills.edit(ada, name, one, draft),
            lambda: service.user_skills.remove(ada, name, one),
            lambda: service.catalog.create(ada, SkillEdit(self.random.choice(SKILLS))),
            lambda: service.catalog.edit(ada, one, lambda before: replace(before, name=renamed)),
            lambda: service.catalog.merge(ada, one, other),
            lambda: service.catalog.delete(ada, one),
            lambda: self._upload(ada),
            *2 * [lambda: service.imports.apply(ada, self._import())],
            lambda: service.imports.undo(ada, self._import()),
        ]

    def _upload(self, ada: entities.User) -> None:
        choice, imports = self.random.choice, self.service.imports
        rows = [
            f"{choice((*PEOPLE, 'zoe'))},Name,{choice((*SKILLS, 'Nim'))},{choice('1234')}"
            for _ in range(5)
        ]
        staged = imports.upload(
            ada, "people.csv", "\n".join(["username,name,skill,level", *rows]).encode()
        )
        self.imports.append(staged.import_id)
        imports.choose(
            ada,
            staged.import_id,
            columns=staged.columns,
            skills={"": "create:Other"},
            duplicates=choice([*entities.Duplicates]),
        )

    def _import(self) -> str:
        return self.random.choice(self.imports or ["none"])


@pytest.mark.parametrize("seed", range(2))
def test_counts_and_copies_are_right_after_random_changes(memory: World, seed: int) -> None:
    random = Random(seed)
    memory.fill(
        {
            "ada": {"Go": "Expert"},
            **{
                name: {
                    skill: random.choice([*entities.Level]).value
                    for skill in random.sample(SKILLS, 2)
                }
                for name in PEOPLE
            },
        },
        roles={"ada": entities.Role.ADMIN},
    )
    Crowd(memory, random).run()
    memory.clock.advance(seconds=20)
    memory.open()  # a new process finishes what was cut off
    check_consistent(memory)
    scan = Store(memory.driver).admin.scan
    people = {user.username.casefold() for user in scan(entities.User)}
    assert not list(scan(entities.Cascade))
    assert {each.username.casefold() for each in scan(entities.UserSkill)} <= people
    assert {each.endorser.casefold() for each in scan(entities.Endorsement)} <= people

"""Counts are compared with their items, and repaired."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from singletable import UpdateItem, connect
from singletable.testing import InterruptedDriver
from singletable_apps.skills.cli import skills
from singletable_apps.skills.entities import SkillCount, UserSkill
from singletable_apps.skills.service.recount import CountDifference, recount
from tests.apps.skills.support.world import World

PEOPLE = {"ada": {"Go": "Expert", "Python": "Advanced"}, "bob": {"Go": "Beginner"}}


def _break_counts(world: World) -> None:
    store = world.open().context.store
    store.update(SkillCount.key("go"), SkillCount.expert.set(3), SkillCount.beginner.set(0))
    store.delete(SkillCount.key("python"))
    store.update(UserSkill.key("ada", "go"), UserSkill.endorsements.set(7))
    world.calls.clear()


def test_right_counts_have_no_difference(memory: World) -> None:
    memory.fill(PEOPLE)
    memory.service.endorsements.endorse(memory.user("bob"), "ada", "Go")
    assert [*recount(memory.service.context.store)] == []


def test_wrong_counts_are_reported_and_repaired(memory: World) -> None:
    memory.fill(PEOPLE)
    memory.service.endorsements.endorse(memory.user("bob"), "ada", "Go")
    _break_counts(memory)
    store = memory.service.context.store
    reported = [*recount(store)]
    assert sorted(reported, key=lambda one: one.what) == [
        CountDifference("go of ada: endorsements", 7, 1),
        CountDifference("go: people at Beginner", 0, 1),
        CountDifference("go: people at Expert", 3, 1),
        CountDifference("python: people at Advanced", 0, 1),
    ]
    assert all(one.is_repaired for one in recount(store, repair=True))
    assert [*recount(store)] == []
    assert memory.service.catalog.counts(["go"])["go"] == SkillCount(
        skill_id="go", beginner=1, expert=1
    )


# Someone changes the count between the comparison and the repair: the next run repairs it.
def test_count_that_changes_meanwhile_is_not_overwritten(worlds: tuple[World, World]) -> None:
    one, other = worlds
    one.fill(PEOPLE)
    _break_counts(one)

    def interrupt() -> None:
        store = other.open().context.store
        store.update(SkillCount.key("go"), SkillCount.advanced.add(1))
        other.calls.clear()

    driver = InterruptedDriver(one.driver, UpdateItem, before=interrupt)
    reported = [*recount(one.open(driver).context.store, repair=True)]
    assert CountDifference("go: people at Expert", 3, 1, is_repaired=False) in reported


def test_command_reports_and_exits_with_1(tmp_path: Path) -> None:
    address = f"file:{tmp_path / 'skills.db'}"
    with connect(address) as driver:
        world = World(driver)
        world.fill(PEOPLE)
        _break_counts(world)
    run = CliRunner().invoke(skills, ["recount", "--address", address])
    assert run.exit_code == 1
    assert "go: people at Expert: counted 3, found 1\n" in run.output
    run = CliRunner().invoke(skills, ["recount", "--address", address, "--repair"])
    assert run.exit_code == 0, run.output
    assert "found 1, repaired\n" in run.output
    run = CliRunner().invoke(skills, ["recount", "--address", address])
    assert run.output == "All counts are right.\n"

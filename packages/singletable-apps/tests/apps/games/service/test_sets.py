"""Question sets: versions, sharing, concurrent edits, and interrupted saves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Store
from singletable_apps.games.entities import QuestionSet, SetQuestion, SetVersion
from singletable_apps.games.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.games.questions import Category, SetDraft, Visibility
from singletable_apps.games.service.sets import ADMIN, Sets
from singletable_apps.games.tokens import new_id
from singletable_apps.shared.pages import RevisionConflict
from tests.apps.games.support.world import CAPITAL, HOST, LESSON, LUNCH, PRIMES, World

OTHER = new_id()
DRAFT = SetDraft("Friday quiz", questions=(CAPITAL, LESSON, PRIMES))


def expect(revision: int) -> Callable[[int], None]:
    """Return a check like that of a form or of If-Match."""

    def check(current: int) -> None:
        if current != revision:
            raise RevisionConflict(current)

    return check


def describe(text: str) -> Callable[[SetDraft], SetDraft]:
    """Return an edit of the description."""
    return lambda old: replace(old, description=text)


def titles(sets: Sets, item: QuestionSet) -> list[str]:
    return [each.title for each in sets.load(item.set_id, HOST).draft.questions]


def count_content(world: World) -> tuple[int, int]:
    """Count the stored versions and questions."""
    admin = Store(world.driver).admin
    versions, questions = (len(list(admin.scan(each))) for each in (SetVersion, SetQuestion))
    return versions, questions


def test_saved_set_is_loaded_unchanged(memory: World) -> None:
    sets = memory.service.sets
    draft = replace(
        DRAFT,
        categories=(Category("Numbers", "No calculators"), Category("Spare")),
        instruction="Be quick.",
        ai_instruction="Be short.",
    )
    item = sets.create(HOST, draft, "quiz.csv")
    assert (item.total_questions, item.set_version, item.source_file) == (3, 1, "quiz.csv")
    loaded = sets.load(item.set_id, HOST)
    assert loaded.draft.questions == DRAFT.questions
    assert loaded.draft.instruction == "Be quick."
    assert [each.name for each in loaded.draft.categories] == [
        *("Numbers", "Spare", "Places", "Lessons")
    ]


def test_save_is_a_new_version_and_old_ones_can_be_restored(memory: World) -> None:
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    item = sets.save(HOST, item.set_id, replace(DRAFT, name="Quiz", questions=(LUNCH,)))
    assert (item.set_version, item.name, titles(sets, item)) == (2, "Quiz", [LUNCH.title])
    _, versions = sets.list_versions(item.set_id, HOST)
    assert [each.set_version for each in versions] == [2, 1]
    item = sets.restore(HOST, item.set_id, 1)
    assert (item.set_version, item.name, item.total_questions) == (3, "Friday quiz", 3)
    assert sets.save(HOST, item.set_id, DRAFT).set_version == 3
    with pytest.raises(NotFound):
        sets.restore(HOST, item.set_id, 7)


def test_only_the_last_versions_are_kept(memory: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable_apps.games.service.sets.KEPT_VERSIONS", 3)
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    for number in range(4):
        item = sets.change(HOST, item.set_id, describe(f"{number}"))
    _, versions = sets.list_versions(item.set_id, HOST)
    assert [each.set_version for each in versions] == [5, 4, 3]
    assert count_content(memory) == (3, 9)


def test_concurrent_saves_do_not_mix(worlds: tuple[World, World]) -> None:
    one, other = (world.service.sets for world in worlds)
    item = one.create(HOST, DRAFT)
    calls: list[str] = []

    def add_lunch(old: SetDraft) -> SetDraft:
        # While the first one edits, the second one saves.
        if not calls:
            other.change(HOST, item.set_id, lambda o: replace(o, questions=(PRIMES, LESSON)))
        calls.append(old.name)
        return replace(old, questions=(*old.questions, LUNCH))

    one.change(HOST, item.set_id, add_lunch)
    assert len(calls) == 2
    assert titles(other, item) == [PRIMES.title, LESSON.title, LUNCH.title]
    with pytest.raises(RevisionConflict):
        one.change(HOST, item.set_id, add_lunch, expect(item.revision))


def test_names_are_unique_among_the_sets_of_a_host(memory: World) -> None:
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    for name in ("Friday quiz", "FRIDAY  Quiz "):
        with pytest.raises(AlreadyExists) as caught:
            sets.create(HOST, replace(DRAFT, name=name))
        assert caught.value.errors.keys() == {"name"}
    assert sets.create(OTHER, DRAFT).name == "Friday quiz"
    second = sets.create(HOST, replace(DRAFT, name="Monday"))
    with pytest.raises(AlreadyExists):
        sets.save(HOST, second.set_id, DRAFT)
    assert sets.load(second.set_id, HOST).draft.name == "Monday"
    names = [sets.copy(HOST, sets.load(item.set_id, HOST).draft).name for _ in range(2)]
    assert names == ["Friday quiz (copy)", "Friday quiz (copy 2)"]


def test_private_sets_are_for_their_host_only(memory: World) -> None:
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    for read in (sets.get, sets.load):
        with pytest.raises(NotFound):
            read(item.set_id, OTHER)
    assert sets.load(item.set_id, ADMIN).draft.name == "Friday quiz"
    sets.change(HOST, item.set_id, lambda draft: replace(draft, visibility=Visibility.SHARED))
    assert [each.set_id for each in sets.list_shared()] == [item.set_id]
    assert [each.set_id for each in sets.list_playable(OTHER)] == [item.set_id]
    with pytest.raises(NotFound):
        sets.save(OTHER, item.set_id, DRAFT)
    copy = sets.copy(OTHER, sets.load(item.set_id, OTHER).draft)
    assert (copy.name, copy.visibility) == ("Friday quiz", Visibility.PRIVATE)
    sets.toggle(HOST, item.set_id, is_active=False)
    assert sets.list_shared() == []
    with pytest.raises(InvalidInput, match="not active"):
        sets.load_for_game(item.set_id, HOST)
    with pytest.raises(InvalidInput, match="Choose"):
        sets.load_for_game("nonsense", HOST)


def test_delete_removes_all_versions(memory: World) -> None:
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    sets.change(HOST, item.set_id, lambda old: replace(old, description="New"))
    sets.delete(HOST, item.set_id)
    assert sets.list_own(HOST) == []
    assert count_content(memory) == (0, 0)
    # Its name is free again.
    sets.create(HOST, DRAFT)


def test_invalid_set_changes_nothing(memory: World) -> None:
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    with pytest.raises(InvalidInput) as caught:
        sets.save(HOST, item.set_id, replace(DRAFT, questions=(replace(CAPITAL, title=" "),)))
    assert caught.value.errors == {"questions/0/title": "Please fill this in."}
    assert sets.get(item.set_id, HOST).set_version == 1


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("seed", range(2))
def test_save_survives_faults(memory: World, seed: int) -> None:
    item = memory.service.sets.create(HOST, DRAFT)
    driver = FaultyDriver(memory.driver)
    sets = memory.open(driver).sets
    driver.faults = Faults(
        throttle=0.1, internal=0.1, internal_after=0.2, unprocessed=0.5, conflict=0.1, seed=seed
    )
    for number in range(5):
        sets.change(HOST, item.set_id, describe(f"{number}"))
    driver.faults = Faults(throttle=Next(1))
    assert sets.load(item.set_id, HOST).draft == replace(
        sets.load_version(item.set_id, 1, HOST), description="4"
    )


def test_interrupted_save_leaves_the_old_version_and_is_cleaned_up(memory: World) -> None:
    sets = memory.service.sets
    item = sets.create(HOST, DRAFT)
    new = replace(DRAFT, questions=(LUNCH, CAPITAL))
    interrupted = 0
    for step in range(1, 12):
        driver = InterruptedDriver(memory.driver)
        service = memory.open(driver)
        driver.crash_after(step)
        try:
            service.sets.save(HOST, item.set_id, new)
        except Crash:
            interrupted += 1
            assert titles(sets, item) in (
                [each.title for each in DRAFT.questions],
                [LUNCH.title, CAPITAL.title],
            )
        else:
            break
    assert interrupted > 1
    assert titles(sets, item) == [LUNCH.title, CAPITAL.title]
    sets.change(HOST, item.set_id, lambda old: replace(old, description="Clean"))
    version, question = count_content(memory)
    assert question == 3 + 2 * (version - 1)


def test_interrupted_delete_is_finished_by_the_next_list(memory: World) -> None:
    sets = memory.service.sets
    for step in range(1, 12):
        item = sets.create(HOST, replace(DRAFT, name=f"Set {step}"))
        driver = InterruptedDriver(memory.driver)
        service = memory.open(driver)
        driver.crash_after(step)
        try:
            service.sets.delete(HOST, item.set_id)
        except Crash:
            left = [each.set_id for each in sets.list_own(HOST)]
            assert left in ([], [item.set_id])
            for set_id in left:
                sets.delete(HOST, set_id)
        else:
            break
    assert sets.list_own(HOST) == []
    assert count_content(memory) == (0, 0)

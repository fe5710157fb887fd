"""Imports: previews write nothing, applying writes once, and undoing restores what was before."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import date, timedelta

import pytest

from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Store
from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.shared.spreadsheets import write_table
from singletable_apps.skills import entities
from singletable_apps.skills.import_rules import Outcome
from singletable_apps.skills.overview_rules import matrix_table
from singletable_apps.skills.rules import SkillDraft
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.overview import MatrixQuery
from tests.apps.skills.support.recount import check_counts
from tests.apps.skills.support.world import Filling, World

pytestmark = pytest.mark.usefixtures("no_waits")
PEOPLE: Filling = {
    "ada": {},
    "bob": {"Go": "Intermediate", "Python": ("Expert", 9, date(2025, 1, 1))},
}
FILE = b"""username,name,skill,level,years
bob,,Go,Advanced,3
BOB,,GO,4,3
bob,,Python,Beginner,
cyd,Cyd Ruiz,Go,1,0
cyd,,Rust,expert,2
dee,Dee Park,,,
eve,,Go,2,
x,Xi,Go,2,
"""


def fill(world: World) -> None:
    world.fill(PEOPLE, roles={"ada": entities.Role.ADMIN})


def stage(
    world: World,
    data: bytes = FILE,
    *,
    unknown: str = "create:Backend",
    duplicates: entities.Duplicates = entities.Duplicates.SKIP,
) -> str:
    """Upload a file, and choose what to do with unknown skills and duplicates."""
    imports, ada = world.service.imports, world.user("ada")
    staged = imports.upload(ada, "people.csv", data)
    return imports.choose(
        ada, staged.import_id, columns=staged.columns, skills={"": unknown}, duplicates=duplicates
    ).import_id


def contents(world: World) -> dict[str, object]:
    """Return everything but imports and what changes with every write."""
    admin = Store(world.driver, clock=world.clock).admin
    found: dict[str, object] = {
        f"{each.username}/{each.skill_id}": (each.level, each.years, each.last_used, each.source)
        for each in admin.scan(entities.UserSkill)
    }
    found |= {each.username: each.name for each in admin.scan(entities.User)}
    found |= {
        f"count {each.skill_id}": count
        for each in admin.scan(entities.SkillCount)
        if any(count := (each.beginner, each.intermediate, each.advanced, each.expert))
    }
    return found


def outcomes(service: SkillsService, import_id: str) -> dict[int, str]:
    return {each.number: each.outcome for each in service.imports.preview(import_id).results}


def test_import_is_previewed_applied_and_undone(world: World) -> None:
    fill(world)
    before = contents(world)
    import_id = stage(world)
    imports, ada = world.service.imports, world.user("ada")
    preview = imports.preview(import_id)
    assert [(each.number, each.outcome, each.column) for each in preview.results] == [
        (3, Outcome.ERROR, "skill"),
        (8, Outcome.ERROR, "name"),
        (9, Outcome.ERROR, "username"),
        (5, Outcome.NEW, ""),
        (6, Outcome.NEW, ""),
        (7, Outcome.NEW, ""),
        (2, Outcome.DUPLICATE, ""),
        (4, Outcome.DUPLICATE, ""),
    ]
    assert (preview.new_people, dict(preview.unknown)) == (
        {"cyd": "Cyd Ruiz", "dee": "Dee Park"},
        {"Rust": 1},
    )
    assert contents(world) == before
    applied = imports.apply(ada, import_id)
    assert applied.totals == {"people": 2, "added": 2, "changed": 0, "unchanged": 2, "errors": 3}
    assert world.user("cyd").password_hash == ""
    after = contents(world)
    assert after["cyd/rust"] == (
        entities.Level.EXPERT,
        2,
        world.clock().date(),
        entities.Source.IMPORT,
    )
    check_counts(world)
    # Sent again, nothing happens.
    assert imports.apply(ada, import_id) == applied
    assert contents(world) == after
    assert imports.undo(ada, import_id).totals["kept"] == 0
    assert contents(world) == before
    check_counts(world)
    assert imports.undo(ada, import_id).status is entities.ImportStatus.UNDONE
    with pytest.raises(InvalidInput, match="undone"):
        imports.apply(ada, import_id)
    assert [each.import_id for each in imports.history().items] == [import_id]


@pytest.mark.parametrize(
    ("duplicates", "go", "python"),
    [
        (entities.Duplicates.SKIP, "Intermediate", ("Expert", 9)),
        (entities.Duplicates.HIGHER, "Advanced", ("Expert", 9)),
        (entities.Duplicates.OVERWRITE, "Advanced", ("Beginner", 9)),
    ],
)
def test_duplicates_are_handled_as_chosen(
    memory: World, duplicates: entities.Duplicates, go: str, python: tuple[str, int]
) -> None:
    fill(memory)
    before = contents(memory)
    import_id = stage(memory, duplicates=duplicates)
    memory.service.imports.apply(memory.user("ada"), import_id)
    skills = memory.service.user_skills
    assert skills.get("bob", "go").level == go
    found = skills.get("bob", "python")
    # A blank cell changes nothing.
    assert (found.level, found.years, found.last_used) == (*python, date(2025, 1, 1))
    check_counts(memory)
    memory.service.imports.undo(memory.user("ada"), import_id)
    assert contents(memory) == before


def test_undo_keeps_later_changes(world: World) -> None:
    fill(world)
    import_id = stage(world, duplicates=entities.Duplicates.OVERWRITE)
    service, ada = world.service, world.user("ada")
    service.imports.apply(ada, import_id)
    service.user_skills.edit(ada, "bob", "go", SkillDraft(entities.Level.EXPERT))
    service.endorsements.endorse(world.user("bob"), "cyd", "rust")
    service.context.store.update(entities.User.key("dee"), entities.User.title.set("Boss"))
    # A new name of the skill is not a change of the person's skill.
    skill = entities.UserSkill.key("bob", "python")
    service.context.store.update(skill, entities.UserSkill.skill_name.set("Python 3"))
    world.calls.clear()
    assert service.imports.undo(ada, import_id).totals["kept"] == 4
    kept = service.imports.kept(service.imports.get(import_id))
    assert kept == ["bob: Go", "cyd: Rust", "cyd: the account", "dee: the account"]
    assert service.user_skills.get("bob", "go").level is entities.Level.EXPERT
    assert service.user_skills.get("bob", "python").level is entities.Level.EXPERT
    assert [each.skill_id for each in service.user_skills.list("cyd")] == ["rust"]
    check_counts(world)


def test_ratings_of_an_import_are_in_the_history_until_it_is_undone(memory: World) -> None:
    fill(memory)
    service, ada, bob = memory.service, memory.user("ada"), memory.user("bob")
    memory.clock.advance(days=1)
    import_id = stage(memory, duplicates=entities.Duplicates.OVERWRITE)
    service.imports.apply(ada, import_id)

    def history() -> list[tuple[entities.Level, entities.Source]]:
        return [(each.level, each.source) for each in service.user_skills.ratings(bob, "go")]

    before = (entities.Level.INTERMEDIATE, entities.Source.SELF)
    assert history() == [before, (entities.Level.ADVANCED, entities.Source.IMPORT)]
    assert len(service.user_skills.ratings(memory.user("cyd"))) == 2
    service.imports.undo(ada, import_id)
    assert history() == [before]


def interruptions(world: World, action: str, import_id: str) -> Iterator[int]:
    """Stop an action after every number of operations, then finish it."""
    for operations in range(60):
        driver = InterruptedDriver(world.driver)
        imports = world.open(driver).imports
        ada = world.user("ada")
        driver.crash_after(operations)
        try:
            getattr(imports, action)(ada, import_id)
        except Crash:
            yield operations
        else:
            return
    raise AssertionError("It never ended.")


def test_interrupted_import_resumes(world: World) -> None:
    fill(world)
    before = contents(world)
    import_id = stage(world, duplicates=entities.Duplicates.OVERWRITE)
    stops = sum(1 for _ in interruptions(world, "apply", import_id))
    assert stops > 8
    totals = world.service.imports.get(import_id).totals
    assert totals == {"people": 2, "added": 2, "changed": 2, "unchanged": 0, "errors": 3}
    check_counts(world)
    assert sum(1 for _ in interruptions(world, "undo", import_id)) > 8
    assert contents(world) == before
    check_counts(world)


def test_import_stopped_anywhere_can_be_undone(memory: World) -> None:
    fill(memory)
    before = contents(memory)
    for operations in range(4, 18, 2):
        import_id = stage(memory, duplicates=entities.Duplicates.OVERWRITE)
        driver = InterruptedDriver(memory.driver)
        imports = memory.open(driver).imports
        driver.crash_after(operations)
        with suppress(Crash):
            imports.apply(memory.user("ada"), import_id)
        item = memory.service.imports.get(import_id)
        if item.status is not entities.ImportStatus.PREVIEW:
            memory.service.imports.undo(memory.user("ada"), import_id)
        assert contents(memory) == before
        check_counts(memory)


def test_two_processes_apply_an_import_once(worlds: tuple[World, World]) -> None:
    one, other = worlds
    fill(one)
    rows = [(f"user{n}", f"User {n}", skill, 3) for n in range(8) for skill in ("Go", "Rust")]
    data = b"".join(write_table(["username", "name", "skill", "level"], rows, "xlsx"))
    import_id = stage(one, data)
    ada = one.user("ada")
    with ThreadPoolExecutor(2) as pool:
        sent = [
            pool.submit(_apply_until_done, world.service, ada, import_id) for world in (one, other)
        ]
    assert {each.result().totals["added"] for each in sent} == {16}
    check_counts(one)
    assert one.service.catalog.counts(["rust"])["rust"].advanced == 8


def _apply_until_done(
    service: SkillsService, ada: entities.User, import_id: str
) -> entities.Import:
    while True:
        try:
            return service.imports.apply(ada, import_id)
        except Exception as error:
            if type(error).__name__ != "Busy":
                raise


def test_faults_change_no_counts(memory: World) -> None:
    fill(memory)
    driver = FaultyDriver(memory.driver)
    imports = memory.open(driver).imports
    import_id = stage(memory, duplicates=entities.Duplicates.OVERWRITE)
    before = contents(memory)
    driver.faults = Faults(throttle=0.1, internal=0.1, internal_after=0.2, conflict=0.2, seed=3)
    imports.apply(memory.user("ada"), import_id)
    check_counts(memory)
    imports.undo(memory.user("ada"), import_id)
    driver.faults = Faults()
    check_counts(memory)
    assert contents(memory) == before


def test_many_skills_of_a_person_are_several_transactions(memory: World) -> None:
    fill(memory)
    rows = [("zoe", "Zoe Park", f"Skill {n}", n % 4 + 1) for n in range(33)]
    data = b"".join(write_table(["username", "name", "skill", "level"], rows, "csv"))
    before = contents(memory)
    import_id = stage(memory, data)
    service, ada = memory.service, memory.user("ada")
    assert service.imports.apply(ada, import_id).totals["added"] == 33
    records = entities.ImportedPerson.key.partition(import_id)
    assert len(list(service.context.store.query(records))) == 2
    check_counts(memory)
    service.imports.undo(ada, import_id)
    assert contents(memory) == before


def test_unknown_skills_are_created_mapped_or_skipped(memory: World) -> None:
    fill(memory)
    rows = [("bob", skill, 2) for skill in ("Rust", "Gopher", "Cooking", "日本語")]
    data = b"".join(write_table(["user", "Skill name", "Rating"], rows, "csv"))
    imports, ada = memory.service.imports, memory.user("ada")
    staged = imports.upload(ada, "skills.csv", data)
    chosen = imports.choose(
        ada,
        staged.import_id,
        columns=staged.columns,
        skills={"RUST": "create:Backend", "gopher": "use:GO", "日本語": "create:Other"},
        duplicates=entities.Duplicates.HIGHER,
    )
    expected = {2: "new", 3: "duplicate", 4: "skipped", 5: "skipped"}
    assert outcomes(memory.service, chosen.import_id) == expected
    imports.apply(ada, chosen.import_id)
    assert memory.service.user_skills.get("bob", "rust").level is entities.Level.INTERMEDIATE
    assert memory.service.context.get_skill("rust").category == "Backend"
    imports.undo(ada, chosen.import_id)
    assert [each.skill_id for each in memory.service.catalog.list_names()] == ["go", "python"]


def test_columns_are_recognized_or_chosen(memory: World) -> None:
    fill(memory)
    Store(memory.driver).create(entities.JobRole(role_id="dev", name="Developer"))
    data = b"Who;Label;Skill;LEVEL;Job\nzoe;Zoe Park;Go;Expert;developer\nyan;Yan;;;Baker\n"
    imports, ada = memory.service.imports, memory.user("ada")
    staged = imports.upload(ada, "x.csv", data)
    expected = {"Skill": "skill", "LEVEL": "level", "Job": "job_role"}
    assert staged.columns == expected
    assert "usernames" in imports.preview(staged.import_id).problem
    with pytest.raises(InvalidInput, match="usernames"):
        imports.apply(ada, staged.import_id)

    def choose(columns: dict[str, str]) -> None:
        imports.choose(
            ada, staged.import_id, columns=columns, skills={}, duplicates=entities.Duplicates.SKIP
        )

    for wrong in ({"Nose": "name"}, {"Who": "shoe"}, {"Who": "name", "Label": "name"}):
        with pytest.raises(InvalidInput) as rejected:
            choose(wrong)
        assert {*rejected.value.errors} == {"columns"}
    choose({**expected, "Who": "username", "Label": "name"})
    assert outcomes(memory.service, staged.import_id) == {2: "new", 3: "error"}
    imports.apply(ada, staged.import_id)
    assert memory.user("zoe").job_role == "dev"


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("username", "a b"),
        ("username", ""),
        ("name", "x"),
        ("email", "nobody"),
        ("department", "x" * 101),
        ("skill", "?!"),
        ("skill", ""),
        ("level", "5"),
        ("level", ""),
        ("years", "2.5"),
        ("years", "-1"),
        ("years", "\u0664"),
        ("last used", "3/31/2026"),
        ("last used", "2026-02-30"),
        ("last used", "2999-01-01"),
        ("notes", "x" * 501),
        ("notes", "#REF!"),
        ("title", "a\u202eb"),
    ],
)
def test_wrong_cells_name_row_and_column(memory: World, column: str, value: str) -> None:
    fill(memory)
    right = {"username": "zoe", "name": "Zoe", "skill": "Go", "level": "3"}
    row = {**right, "email": "", "department": "", "title": "", "years": "5.0"}
    row |= {"last used": "31.12.2023", "notes": "", column: value}
    data = b"".join(write_table(list(row), [tuple(row.values())], "csv"))
    import_id = stage(memory, data)
    [result] = memory.service.imports.preview(import_id).results
    assert (result.number, result.outcome, result.column) == (2, Outcome.ERROR, column)


def test_unknown_ids_and_empty_files_are_rejected(memory: World) -> None:
    fill(memory)
    imports = memory.service.imports
    for wrong in ("", "a#b", "x" * 10_000, "20260101-000000-aaaaaaaa"):
        with pytest.raises(NotFound):
            imports.get(wrong)
    for data in (b"", b"username,skill\n", b"\x00"):
        with pytest.raises(InvalidInput):
            imports.upload(memory.user("ada"), "x.csv", data)


def test_rows_and_records_expire(memory: World) -> None:
    fill(memory)
    imports, ada = memory.service.imports, memory.user("ada")
    waiting, import_id = stage(memory), stage(memory)
    imports.apply(ada, import_id)
    memory.clock.now += timedelta(days=8)
    with pytest.raises(NotFound):
        imports.preview(waiting)
    assert not list(Store(memory.driver, clock=memory.clock).admin.scan(entities.ImportPart))
    assert "expired" in imports.preview(import_id).problem
    memory.clock.now += timedelta(days=23)
    with pytest.raises(InvalidInput, match="30 days"):
        imports.undo(ada, import_id)


# Their ids are in one item, which has a maximum size.
def test_import_creates_a_limited_number_of_skills(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable_apps.skills.service.imports.MAX_NEW_SKILLS", 2)
    fill(memory)
    rows = b"".join(b"\nbob,%d Lang,2" % number for number in range(3))
    import_id = stage(memory, b"username,skill,level" + rows)
    imports, ada = memory.service.imports, memory.user("ada")
    with pytest.raises(InvalidInput, match="at most 2 skills, not 3"):
        imports.apply(ada, import_id)
    assert imports.get(import_id).status is entities.ImportStatus.PREVIEW


WIDE = b"""Name,E-mail,Floor plan,Go,Python,Rust
Ada,,north,4,-,beginner
Nobody Yet,bob@example.org,south,0,x,2
Twin,,,1,2,
"Zo\xc3\xab Park",zoe.park@example.org,,,,3
"""


def test_sheet_with_a_column_per_skill_is_recognized(memory: World) -> None:
    fill(memory)
    store, ada = memory.service.context.store, memory.user("ada")
    for number, name in enumerate(("twin1", "twin2"), 50):
        store.create(entities.User(username=name, user_id=number, name="Twin"))
    memory.calls.clear()
    imports = memory.service.imports
    staged = imports.upload(ada, "matrix.csv", WIDE)
    assert staged.columns == {"Name": "name", "E-mail": "email", "Skill": "skill", "Level": "level"}
    rows = {
        (each.number, each.username, each.skill, each.outcome)
        for each in imports.preview(staged.import_id).results
    }
    assert rows == {
        (2, "ada", "Go", "new"),
        (2, "ada", "Rust", "skipped"),
        (3, "bob", "Python", "error"),
        (3, "bob", "Rust", "skipped"),
        (4, "", "Go", "error"),
        (4, "", "Python", "error"),
        (5, "zoe-park", "Rust", "skipped"),
    }


def test_untidy_sheet_is_understood(memory: World) -> None:
    fill(memory)
    store, ada = memory.service.context.store, memory.user("ada")
    store.create(entities.User(username="lovelace", user_id=50, name="Ada Lovelace"))
    store.create(entities.User(username="eve", user_id=51, name="Eve Moss"))
    sheet = """Skills of the team
;;;Programming;
Employee;Comment;Experience;Go;Python
Lovelace, Ada;likes tea;12;4.0;N/A
 Eve  Moss ;;;0.0;2,0
Bo;;;1;
"""
    staged = memory.service.imports.upload(ada, "team.csv", sheet.encode())
    # A comment and the years of a person are not those of each skill.
    assert staged.columns == {"Employee": "name", "Skill": "skill", "Level": "level"}
    results = memory.service.imports.preview(staged.import_id).results
    assert [(each.number, each.username, each.skill, each.outcome) for each in results] == [
        (4, "lovelace", "Go", "new"),
        (5, "eve", "Python", "new"),
        # A name that is too short for a username.
        (6, "user-bo", "Go", "new"),
    ]


def test_missing_usernames_are_found_by_name_and_address(memory: World) -> None:
    fill(memory)
    store, ada = memory.service.context.store, memory.user("ada")
    store.create(entities.User(username="eve", user_id=51, name="Eve Moss", email="eve@acme.org"))
    sheet = """Username,Name,E-mail,Go
,Eve Moss,,1
,,EVE@acme.org,2
zoe,Zoe Park,,3
,"Park, Zoe",,4
,Somebody New,,1
"""
    staged = memory.service.imports.upload(ada, "team.csv", sheet.encode())
    results = memory.service.imports.preview(staged.import_id).results
    assert {each.number: each.username for each in results} == dict(
        zip(range(2, 7), ("eve", "eve", "zoe", "zoe", ""), strict=True)
    )


def test_totals_and_averages_are_not_people(memory: World) -> None:
    fill(memory)
    imports, ada = memory.service.imports, memory.user("ada")
    sheet = """Name,E-mail,Go,Python,Total
Max,,2,3,5
,,,,made by HR
Sum,sum@example.org,1,,1
TOTAL:,,3,3,6
Ø,,1.5,3,#DIV/0!
,,4,1,12.5 %
Sum of levels,,2,,
"""
    staged = imports.upload(ada, "team.csv", sheet.encode())
    results = imports.preview(staged.import_id).results
    assert [(each.number, each.username, each.skill, each.outcome) for each in results] == [
        (3, "", "", "skipped"),
        (5, "TOTAL:", "", "skipped"),
        (6, "Ø", "", "skipped"),
        (7, "", "", "skipped"),
        (8, "Sum of levels", "", "skipped"),
        (2, "max", "Go", "new"),
        (2, "max", "Python", "new"),
        (4, "sum", "Go", "new"),
    ]
    assert imports.apply(ada, staged.import_id).totals["people"] == 2


def test_totals_do_not_hide_a_column_of_levels(memory: World) -> None:
    fill(memory)
    sheet = b"Name,Go\nBob Ray,3\nAverage,2.5\nTotal,15\n"
    import_id = memory.service.imports.upload(memory.user("ada"), "team.csv", sheet).import_id
    assert outcomes(memory.service, import_id) == {2: "new", 3: "skipped", 4: "skipped"}


# A cell of a merged name is blank.
def test_row_with_a_skill_and_no_name_is_not_a_total(memory: World) -> None:
    fill(memory)
    sheet = b"Name,Skill,Level\nBob Ray,Go,3\n,Python,3\n,,6\n"
    import_id = memory.service.imports.upload(memory.user("ada"), "team.csv", sheet).import_id
    assert outcomes(memory.service, import_id) == {2: "new", 3: "error", 4: "skipped"}


def test_downloaded_matrix_is_imported_again(memory: World) -> None:
    fill(memory)
    ada, overview = memory.user("ada"), memory.service.overview
    matrix = overview.matrix(MatrixQuery())
    columns, rows = matrix_table(
        matrix.people, matrix.skills, matrix.cells, memory.service.context.words().levels
    )
    data = b"".join(write_table(columns, rows, "xlsx"))
    staged = memory.service.imports.upload(ada, "matrix.xlsx", data)
    results = memory.service.imports.preview(staged.import_id).results
    assert {each.outcome for each in results} == {Outcome.DUPLICATE}
    assert {each.skill for each in results} >= {"Go", "Python"}


def test_text_in_an_excel_file_is_named(memory: World) -> None:
    fill(memory)
    with pytest.raises(InvalidInput, match="not an Excel file"):
        memory.service.imports.upload(memory.user("ada"), "x.xlsx", b"username,skill\nada,Go\n")

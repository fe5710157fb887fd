"""Skills: import a spreadsheet, beside bulk inserts into SQLite and writing row by row."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks.harness.measurement import Scale, expect, show_progress, temporary_folder
from benchmarks.harness.report import ReportTable, Target, format_rate, format_ratio
from singletable import connect
from singletable_apps.shared.spreadsheets import read_table, write_table
from singletable_apps.skills.entities import Duplicates, Level, User
from singletable_apps.skills.rules import LEVELS, SkillDraft
from singletable_apps.skills.service import SkillsService, open_skills
from singletable_apps.skills.service.catalog import SkillEdit

CLAIM = "an import takes at most half the time of writing its rows one by one"
TIME = Target(at_most=0.5)
SECRET = b"a secret for the benchmark alone"
SKILLS, KNOWN = 60, 10
_COLUMNS = ("username", "name", "department", "skill", "level", "years", "last used")

Row = tuple[str, str, str, str, str, int, str]


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Import the same people with each of the three, into a file."""
    people = scale.counted // KNOWN
    rows = list(_sample_rows(people))
    data = b"".join(write_table(_COLUMNS, rows, "csv"))
    with temporary_folder() as folder:
        show_progress(f"{len(rows):,} rows")
        sqlite = _time(lambda: _insert_into_sqlite(folder / "raw.db", data))
        imported = _time_import(folder / "import.db", data)
        single = _time_rows(folder / "single.db", rows)
    total = sum(seconds for _, seconds in imported)
    lines = [
        ["SQLite, bulk insert", *_figures(sqlite, len(rows), single), ""],
        ["import", *_figures(total, len(rows), single), TIME.verdict(total / single)],
        *([f"… {name}", f"{seconds:.2f} s", "", "", ""] for name, seconds in imported),
        ["row by row", *_figures(single, len(rows), single), ""],
    ]
    return [
        ReportTable(
            f"{people:,} people with {KNOWN} skills each from a CSV file, {len(rows):,} rows",
            ["by", "time", "rows", "beside row by row", "target"],
            lines,
            [
                "SQLite gets the rows of two plain tables in one transaction, without checks, "
                "counts or a way back. An import checks every cell, shows what would change, and "
                "writes each person in one transaction: the person, the skills, how many people "
                "have each skill, and what was before, so that it can be undone. Row by row, each "
                "skill is a transaction of its own, with its count, and nothing can be undone."
            ],
        )
    ]


def _sample_rows(people: int) -> Iterable[Row]:
    for person in range(people):
        for place in range(KNOWN):
            skill = (person * 7 + place * place) % SKILLS
            level = LEVELS[(person + place) % len(LEVELS)]
            department = f"Department {person % 12}"
            name = f"Skill {(skill + place) % SKILLS}"
            yield f"user{person}", f"User {person}", department, name, level, place, "2026-01-31"


def _time(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _figures(seconds: float, rows: int, base: float) -> list[str]:
    return [f"{seconds:.2f} s", format_rate(rows / seconds), format_ratio(seconds / base)]


def _insert_into_sqlite(path: Path, data: bytes) -> None:
    rows = [row.values for row in read_table(data).rows]
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE person (username TEXT PRIMARY KEY, name, department)")
        database.execute(
            "CREATE TABLE skill (username, skill, level, years, last_used, "
            "PRIMARY KEY (username, skill))"
        )
        database.execute("CREATE INDEX by_skill ON skill (skill, level, username)")
        people = {row[0]: row[:3] for row in rows}
        database.executemany("INSERT INTO person VALUES (?, ?, ?)", people.values())
        skills = [(row[0], *row[3:]) for row in rows]
        database.executemany("INSERT OR REPLACE INTO skill VALUES (?, ?, ?, ?, ?)", skills)
    database.close()


def _open(path: Path) -> tuple[SkillsService, User]:
    service = open_skills(connect(f"file:{path}"), SECRET)
    admin = service.accounts.register("ada", "Ada", "nine blue horses")
    for number in range(SKILLS):
        service.catalog.create(admin, SkillEdit(f"Skill {number}"))
    return service, admin


def _time_import(path: Path, data: bytes) -> list[tuple[str, float]]:
    service, admin = _open(path)
    imports, staged = service.imports, ""

    def upload() -> None:
        nonlocal staged
        item = imports.upload(admin, "people.csv", data)
        staged = item.import_id
        imports.choose(admin, staged, columns=item.columns, skills={}, duplicates=Duplicates.SKIP)

    steps: Sequence[tuple[str, Callable[[], object]]] = (
        ("upload", upload),
        ("preview", lambda: imports.preview(staged)),
        ("apply", lambda: imports.apply(admin, staged)),
    )
    timed = [(name, _time(work)) for name, work in steps]
    item = imports.get(staged)
    expect(item.totals["added"] + item.totals["errors"], item.rows)
    return timed


def _time_rows(path: Path, rows: Sequence[Row]) -> float:
    service, admin = _open(path)
    store, skills = service.context.store, service.user_skills

    def write() -> None:
        seen: set[tuple[str, str]] = set()
        for number, (username, name, department, skill, level, years, _) in enumerate(rows):
            if number % KNOWN == 0:
                store.create(
                    User(username=username, user_id=number + 1, name=name, department=department)
                )
            if (username, skill) not in seen:
                seen.add((username, skill))
                skills.add(admin, username, skill, SkillDraft(Level(level), years))

    return _time(write)

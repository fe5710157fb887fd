"""Skills: search by several skills at once, beside SQLite and a plan without counts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol, cast

import apsw

from benchmarks.harness.measurement import (
    Scale,
    Work,
    expect,
    measure_rates,
    show_progress,
    temporary_folder,
)
from benchmarks.harness.report import ReportTable, Target, format_milliseconds, format_ratio
from benchmarks.harness.workload import batches
from dynamodb_engine import Engine, GetItem, Item, Settings
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import (
    Level,
    Skill,
    SkillAlias,
    SkillCount,
    UserSkill,
    entities,
)
from singletable_apps.skills.rules import LEVELS, RANKS
from singletable_apps.skills.search_rules import Criterion, SearchQuery, rank
from singletable_apps.skills.service import open_skills
from singletable_apps.skills.service.catalog import spellings_of

CLAIM = (
    "a search reads at most half of what a plan without counts reads, and takes at most 15 times "
    "as long as one join in SQLite"
)
UNITS = Target(at_most=0.5)
COST = Target(at_most=15)
SECRET = b"a secret for the benchmark alone"
SKILLS, KNOWN = 200, 10
TODAY = date(2026, 1, 1)
_SINCE = TODAY - timedelta(days=365)

Row = tuple[str, str, Level, int, date]

# Skills are numbered by how many people have them.
QUESTIONS = {
    "a rare skill and the most common one": SearchQuery(
        (Criterion("Skill 0"), Criterion("Skill 180", Level.ADVANCED))
    ),
    "two skills in the middle, experts": SearchQuery(
        (Criterion("Skill 40", Level.EXPERT), Criterion("Skill 30", Level.EXPERT))
    ),
    "three skills with years, used lately": SearchQuery(
        (
            Criterion("Skill 3", Level.INTERMEDIATE, since=_SINCE),
            Criterion("Skill 60", Level.ADVANCED, years=8),
            Criterion("Skill 12", years=2),
        )
    ),
}


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Ask the same questions of the directory, of SQLite, and without a plan."""
    people = scale.stored
    rows = list(sample_skills(people))
    with temporary_folder() as folder:
        show_progress(f"{len(rows):,} skills of {people:,} people in both databases")
        with (
            Engine.on_file(folder / "skills.db", Settings(durable=False)) as engine,
            closing(create_sqlite(folder / "sqlite.db", rows)) as connection,
        ):
            ours = DirectorySearch(engine, rows)
            yield _table(ours, SqliteSearch(execute_of(connection)), rows, people, scale)


def _table(
    ours: DirectorySearch, sqlite: SqliteSearch, rows: Sequence[Row], people: int, scale: Scale
) -> ReportTable:
    lines: list[list[str]] = []
    for question, query in QUESTIONS.items():
        show_progress(question)
        found = ours.find(query)
        expect(sqlite.find(query), found)
        expect(ours.find_without_counts(query), found)
        rates = measure_rates(
            [_ask(find, query) for find in (ours.find, sqlite.find, ours.find_without_counts)],
            scale.seconds,
        )
        planned, plain = ours.units(ours.find, query), ours.units(ours.find_without_counts, query)
        cost, share = rates[1] / rates[0], planned / plain
        lines.append(
            [
                question,
                f"{len(found):,}",
                *(f"{format_milliseconds(1 / rate)} ms" for rate in rates),
                format_ratio(cost),
                COST.verdict(cost),
                f"{planned:,.1f}",
                f"{plain:,.1f}",
                format_ratio(share),
                UNITS.verdict(share),
            ]
        )
    return ReportTable(
        f"Search in {len(rows):,} skills of {people:,} people, on files",
        [
            "people with",
            "found",
            "directory",
            "SQLite",
            "without counts",
            "cost",
            "target",
            "read units",
            "without counts",
            "ratio",
            "target",
        ],
        lines,
        [
            "SQLite answers with one join over a covering index, and its planner has statistics of "
            "single values (STAT4), the counterpart of the counts. "
            "Without counts, the index of each skill is read in the order in which it was asked "
            "for. All three rank the same people with the same function; the cost is the time of "
            "the directory to that of SQLite."
        ],
    )


def _ask(find: Callable[[SearchQuery], list[str]], query: SearchQuery) -> Work:
    return lambda _: find(query)


def sample_skills(people: int) -> Iterable[Row]:
    """Return up to ten skills of each person; the popularity of skills follows Zipf's law."""
    generator = random.Random(1)
    weights = list(accumulate(1 / number for number in range(1, SKILLS + 1)))
    names = [f"Skill {number}" for number in range(SKILLS)]
    days = [TODAY - timedelta(days=days) for days in range(0, 1_500, 30)]
    for number in range(people):
        known = dict.fromkeys(generator.choices(names, cum_weights=weights, k=2 * KNOWN))
        for name in list(known)[:KNOWN]:
            (level,) = generator.choices(LEVELS, cum_weights=(35, 70, 90, 100))
            yield f"person{number}", name, level, generator.randrange(20), generator.choice(days)


class DirectorySearch:
    """The search of the directory on the embedded engine."""

    def __init__(self, engine: Engine, rows: Sequence[Row]) -> None:
        self._service = open_skills(engine, SECRET)
        self._fill(engine, rows)

    def _fill(self, engine: Engine, rows: Sequence[Row]) -> None:
        """Load the first skill of each level; the others are copies of their items."""
        counts = {
            f"Skill {number}": SkillCount(skill_id=f"skill-{number}") for number in range(SKILLS)
        }
        first: dict[Level, Row] = {}
        for row in rows:
            first.setdefault(row[2], row)
            field = row[2].lower()
            setattr(counts[row[1]], field, getattr(counts[row[1]], field) + 1)
        skills = [Skill(skill_id=count.skill_id, name=name) for name, count in counts.items()]
        store = self._service.context.store
        store.put_many(
            SkillAlias(alias=each, skill_id=skill.skill_id)
            for skill in skills
            for each in spellings_of(skill)
        )
        store.put_many(counts.values())
        store.bulk_load([*skills, *map(_user_skill, first.values())])
        templates = {level: _stored(engine, row) for level, row in first.items()}
        for batch in batches((_copy(templates[row[2]], row) for row in rows), entities.name):
            engine.execute(batch)

    def find(self, query: SearchQuery) -> list[str]:
        """Search with the plan of the directory."""
        return [match.username for match in self._service.search.find(query).matches]

    def find_without_counts(self, query: SearchQuery) -> list[str]:
        """Read the index of each skill, in the order in which they were asked for."""
        found: list[dict[str, UserSkill]] = []
        known = self._service.catalog.find_many([each.skill for each in query.criteria])
        for each in query.criteria:
            selection = patterns.users_at_level(known[each.skill].skill_id, each.level)
            skills = self._service.context.store.query(selection)
            found.append({skill.username: skill for skill in skills if each.is_met(skill)})
        people = set(found[0]).intersection(*found[1:])
        ranked = rank(([each[name] for each in found] for name in people), TODAY)
        return [match.username for match in ranked]

    def units(self, find: Callable[[SearchQuery], list[str]], query: SearchQuery) -> float:
        """Return the read units of a search."""
        before = sum(each.read_units for each in self._service.stats.snapshot())
        find(query)
        return sum(each.read_units for each in self._service.stats.snapshot()) - before


def _user_skill(row: Row) -> UserSkill:
    username, name, level, years, last_used = row
    return UserSkill(
        username=username,
        skill_id=_skill_id(name),
        skill_name=name,
        level=level,
        years=years,
        last_used=last_used,
    )


def _stored(engine: Engine, row: Row) -> Item:
    key: Item = {"PK": {"S": f"USER#{row[0]}"}, "SK": {"S": f"SKILL#{_skill_id(row[1])}"}}
    item = engine.execute(GetItem(entities.name, key)).item
    assert item is not None
    return item


def _copy(template: Item, row: Row) -> Item:
    """Return the item of another person or skill at the same level."""
    username, name, _, years, last_used = row
    level = str(template["GSI1SK"]["S"]).rpartition("#")[0]
    return {
        **template,
        "PK": {"S": f"USER#{username}"},
        "SK": {"S": f"SKILL#{_skill_id(name)}"},
        "GSI1PK": {"S": f"SKILL#{_skill_id(name)}"},
        "GSI1SK": {"S": f"{level}#{username}"},
        "Username": {"S": username},
        "SkillId": {"S": _skill_id(name)},
        "SkillName": {"S": name},
        "YearsOfExperience": {"N": str(years)},
        "LastUsedDate": {"S": last_used.isoformat()},
    }


def _skill_id(name: str) -> str:
    return name.lower().replace(" ", "-")


class Execute(Protocol):
    """The signature of apsw's execute, whose own type is not complete."""

    def __call__(self, statement: str, values: Sequence[Any] = (), /) -> Iterable[tuple[Any, ...]]:
        """Return the rows of a statement."""
        ...


def create_sqlite(path: Path, rows: Iterable[Row]) -> apsw.Connection:
    """Return a database with the same skills, and an index that covers the question."""
    connection = apsw.Connection(str(path))
    execute = execute_of(connection)
    execute("PRAGMA journal_mode = WAL")
    execute(
        "CREATE TABLE skills (username TEXT, name TEXT, level INTEGER, years INTEGER, "
        "last_used TEXT, endorsements INTEGER, PRIMARY KEY (username, name)) WITHOUT ROWID"
    )
    with connection:
        for username, name, level, years, last_used in rows:
            values = (username, name, RANKS[level], years, last_used.isoformat())
            execute("INSERT INTO skills VALUES (?, ?, ?, ?, ?, 0)", values)
    execute(
        "CREATE INDEX by_skill ON skills (name, level, years, last_used, username, endorsements)"
    )
    execute("ANALYZE")
    return connection


def execute_of(connection: apsw.Connection) -> Execute:
    """Return the execute of a connection."""
    return cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]


@dataclass(frozen=True, slots=True)
class SqliteSearch:
    """The same question as one join."""

    execute: Execute

    def find(self, query: SearchQuery) -> list[str]:
        """Return the usernames of the people who meet all criteria, best first."""
        tables = [f"s{number}" for number in range(len(query.criteria))]
        columns = ", ".join(
            f"{each}.username, {each}.level, {each}.years, {each}.last_used" for each in tables
        )
        values: list[Any] = []
        joins: list[str] = []
        for each, criterion in zip(tables, query.criteria, strict=True):
            since = criterion.since.isoformat() if criterion.since else ""
            values += [criterion.skill, RANKS[criterion.level], criterion.years, since]
            joins.append(
                f"{each}.name = ? AND {each}.level >= ? AND {each}.years >= ? "
                f"AND {each}.last_used >= ?"
            )
        joins += [f"{each}.username = s0.username" for each in tables[1:]]
        sources = ", ".join(f"skills {each}" for each in tables)
        statement = f"SELECT {columns} FROM {sources} WHERE {' AND '.join(joins)}"
        rows = self.execute(statement, values)
        candidates = [
            [
                _user_skill(
                    (
                        row[start],
                        criterion.skill,
                        LEVELS[int(row[start + 1]) - 1],
                        row[start + 2],
                        date.fromisoformat(row[start + 3]),
                    )
                )
                for start, criterion in zip(
                    range(0, 4 * len(query.criteria), 4), query.criteria, strict=True
                )
            ]
            for row in rows
        ]
        return [match.username for match in rank(candidates, TODAY)]

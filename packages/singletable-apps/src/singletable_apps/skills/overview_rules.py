"""The rules of the matrix and the gap report: cheap reads, coverage, and targets of jobs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from singletable_apps.skills.entities import JobRole, Level, Role, User, UserSkill
from singletable_apps.skills.rules import LEVELS, RANKS, SkillName
from singletable_apps.skills.search_rules import query_units

# How many skills a person usually has, to choose what to read.
_USUAL_SKILLS = 10
_STALE_DAYS = 2 * 365


@dataclass(frozen=True, slots=True)
class Colleague:
    """A person in a list: everything that the index of names has."""

    username: str
    name: str
    title: str
    department: str
    location: str
    job_role: str
    role: Role

    @classmethod
    def of(cls, user: User) -> Colleague:
        """Return the row of a person."""
        return cls(*(getattr(user, each.name) for each in fields(cls)))


LevelNames: TypeAlias = Mapping[Level, str]
# The skills of people, by casefolded username and the id of the skill.
Cells = Mapping[str, Mapping[str, UserSkill]]


def is_cheaper_by_person(people: int, holders: Sequence[int]) -> bool:
    """Return whether reading each person's skills costs less than reading each skill's people.

    `holders` are the numbers of people with each skill. The cost is counted in read units, with
    one more for each request, which takes time.
    """
    by_person = people * (1 + query_units(_USUAL_SKILLS))
    return by_person < sum(1 + query_units(count) for count in holders)


def sort_by_skill(people: Sequence[Colleague], cells: Cells, skill_id: str) -> list[Colleague]:
    """Return the people with the highest level of a skill first, then those with most years."""

    def rank(person: Colleague) -> tuple[int, int]:
        skill = cells[person.username.casefold()].get(skill_id)
        return (0, 0) if skill is None else (-RANKS[skill.level], -skill.years)

    return sorted(people, key=rank)


def describe_cell(skill: UserSkill, names: LevelNames) -> str:
    """Return a cell of the matrix in words: Advanced, 5 years, last used in 2025-03."""
    years, count = skill.years, skill.endorsements
    text = f"{names[skill.level]}, {years} year{'' if years == 1 else 's'}, last used "
    text += skill.last_used.isoformat()[:7]
    return f"{text}, {count} endorsement{'' if count == 1 else 's'}" if count else text


def is_stale(skill: UserSkill, today: date) -> bool:
    """Return whether a skill was not used for two years."""
    return (today - skill.last_used).days > _STALE_DAYS


class CoverageState(StrEnum):
    """Whether enough people have a skill at the level that is wanted."""

    COVERED = "covered"
    THIN = "thin"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Coverage:
    """A skill with the number of people at each level, and those at the wanted level or above."""

    skill: SkillName
    levels: tuple[int, ...]
    people: tuple[Colleague, ...]
    state: CoverageState


def find_coverage(
    people: Sequence[Colleague],
    skills: Iterable[SkillName],
    cells: Cells,
    level: Level,
    enough: int,
) -> list[Coverage]:
    """Return the coverage of each skill, the thinnest first.

    Fewer than `enough` people at the level or above are thin: one is a single point of failure.
    """
    found: list[Coverage] = []
    for skill in skills:
        have = [
            (person, cell.level)
            for person in people
            for cell in [cells[person.username.casefold()].get(skill.skill_id)]
            if cell is not None
        ]
        able = tuple(person for person, has in have if RANKS[has] >= RANKS[level])
        state = CoverageState.COVERED if len(able) >= enough else CoverageState.THIN
        levels = tuple(sum(has is each for _, has in have) for each in LEVELS)
        found.append(Coverage(skill, levels, able, state if able else CoverageState.NOBODY))
    return sorted(found, key=lambda each: (len(each.people), each.skill.name.casefold()))


class TargetResult(StrEnum):
    """How the level of a person compares with the target of the job."""

    BELOW = "below"
    MEETS = "meets"
    EXCEEDS = "exceeds"


class Severity(StrEnum):
    """How far below the target a level is: by one, by two, or by more."""

    NONE = ""
    MINOR = "minor"
    SERIOUS = "serious"
    CRITICAL = "critical"


SEVERITIES = tuple(Severity)


@dataclass(frozen=True, slots=True)
class TargetCheck:
    """The level of a person in a skill, beside the level that the job needs."""

    person: Colleague
    job: str
    skill: SkillName
    target: Level
    level: Level | None

    @property
    def missing(self) -> int:
        """Return how many levels are missing; negative if there are more than needed."""
        return RANKS[self.target] - (RANKS[self.level] if self.level else 0)

    @property
    def result(self) -> TargetResult:
        """Return whether the target is met."""
        if self.missing > 0:
            return TargetResult.BELOW
        return TargetResult.EXCEEDS if self.missing < 0 else TargetResult.MEETS

    @property
    def severity(self) -> Severity:
        """Return how far below the target the level is."""
        return SEVERITIES[min(max(self.missing, 0), 3)]


def check_targets(
    people: Iterable[Colleague],
    jobs: Mapping[str, JobRole],
    skills: Mapping[str, SkillName],
    cells: Cells,
) -> list[TargetCheck]:
    """Compare everyone with a job to its targets. Deleted skills are left out."""
    return [
        TargetCheck(
            person, job.name, skills[skill_id], target, None if cell is None else cell.level
        )
        for person in people
        for job in [jobs.get(person.job_role)]
        if job is not None
        for skill_id, target in job.targets.items()
        if skill_id in skills
        for cell in [cells[person.username.casefold()].get(skill_id)]
    ]


def tally(pairs: Iterable[tuple[str, str]], results: Sequence[str]) -> dict[str, list[int]]:
    """Count each of the results by group, such as the job, in the order of their names."""
    counts = Counter(pairs)
    groups = sorted({group for group, _ in counts}, key=str.casefold)
    return {group: [counts[group, result] for result in results] for group in groups}


def people_below(checks: Iterable[TargetCheck]) -> list[tuple[Colleague, list[TargetCheck]]]:
    """Return everyone below a target with what is missing, the most missing levels first."""
    below: dict[Colleague, list[TargetCheck]] = {}
    for check in checks:
        if check.result is TargetResult.BELOW:
            below.setdefault(check.person, []).append(check)
    for gaps in below.values():
        gaps.sort(key=lambda check: (-check.missing, check.skill.name.casefold()))
    return sorted(below.items(), key=lambda item: -sum(check.missing for check in item[1]))


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near someone is to a job: the levels that are missing and needed, of all skills."""

    person: Colleague
    missing: int
    needed: int
    gaps: Sequence[TargetCheck]


def find_nearest(
    people: Iterable[Colleague], role: JobRole, skills: Mapping[str, SkillName], cells: Cells
) -> list[Nearness]:
    """Return everyone with a skill of a job, the fewest missing levels first.

    Levels above a target do not make up for missing ones.
    """
    found: list[Nearness] = []
    for person in people:
        as_if = replace(person, job_role=role.role_id)
        checks = check_targets([as_if], {role.role_id: role}, skills, cells)
        gaps = [check for check in checks if check.missing > 0]
        if any(check.level for check in checks):
            missing = sum(check.missing for check in gaps)
            needed = sum(RANKS[check.target] for check in checks)
            found.append(Nearness(person, missing, needed, gaps))
    return sorted(
        found, key=lambda each: (each.missing, len(each.gaps), each.person.username.casefold())
    )


DataRow: TypeAlias = Sequence[str | int | date]
DataTable: TypeAlias = tuple[Sequence[str], Iterable[DataRow]]
EXPORT_COLUMNS = (
    *("username", "name", "email", "title", "department", "location", "job"),
    *("skill_id", "skill", "category", "level", "years", "last_used", "endorsements"),
    *("notes", "source", "rated_by"),
)


def matrix_table(
    people: Iterable[Colleague], skills: Sequence[SkillName], cells: Cells, names: LevelNames
) -> DataTable:
    """Return the matrix as a table: a row per person, with a column for each skill."""
    columns = ["username", "name", "department", "job", *(each.name for each in skills)]
    rows: list[DataRow] = []
    for person in people:
        have = cells[person.username.casefold()]
        found = [have.get(each.skill_id) for each in skills]
        levels = [names[each.level] if each else "" for each in found]
        rows.append([person.username, person.name, person.department, person.job_role, *levels])
    return columns, rows


def coverage_table(coverage: Iterable[Coverage], names: LevelNames) -> DataTable:
    """Return the coverage as a table: a row per skill, with the people at the level or above."""
    columns = ["skill_id", "skill", "category", *(each.lower() for each in names.values())]
    rows: list[DataRow] = [
        [
            *(each.skill.skill_id, each.skill.name, each.skill.category),
            *each.levels,
            *(len(each.people), each.state, ", ".join(person.name for person in each.people)),
        ]
        for each in coverage
    ]
    return [*columns, "at_level", "state", "people"], rows


def targets_table(targets: Iterable[TargetCheck], names: LevelNames) -> DataTable:
    """Return the targets as a table: a row for each person and skill of the job."""
    columns = ["username", "name", "department", "job", "skill_id", "skill"]
    rows: list[DataRow] = [
        [
            *(each.person.username, each.person.name, each.person.department, each.job),
            *(each.skill.skill_id, each.skill.name, names[each.target]),
            names[each.level] if each.level else "",
            *(each.result, each.severity),
        ]
        for each in targets
    ]
    return [*columns, "target", "level", "result", "severity"], rows

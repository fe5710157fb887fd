"""The rules of searches: valid criteria, the cheaper way of reading, and the ranking.

A search starts with the rarest skill and reads its index. For each further skill there are two
ways: get the item of each person who is left, or read the index of that skill. Every item that is
got costs half a read unit; the entries of an index are read together, many for half a unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from difflib import get_close_matches
from enum import StrEnum
from itertools import zip_longest
from urllib.parse import urlencode

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.text import InputChecks, normalize_line
from singletable_apps.skills.entities import Level, Skill, SkillCount, UserSkill
from singletable_apps.skills.patterns import SIZES
from singletable_apps.skills.rules import (
    LEVELS,
    MAX_NAME,
    MAX_SKILL_NAME,
    MAX_YEARS,
    RANKS,
    Score,
    normalize_alias,
    people_at,
    score,
)

MAX_CRITERIA = 8
# How many items one search may read.
MAX_READ = 20_000
COLUMNS = ("skill", "level", "years", "since")
# The fields of people that can be asked for, by the names of the parameters.
FILTERS = {"department": "department", "location": "location", "job": "job_role"}
_LEVEL_NAMES = {level.casefold(): level for level in Level}


@dataclass(frozen=True, slots=True)
class Criterion:
    """A skill that people must have, in any spelling."""

    skill: str
    level: Level = Level.BEGINNER
    years: int = 0
    since: date | None = None

    def is_met(self, skill: UserSkill) -> bool:
        """Return whether a skill of a person is good, long and recent enough."""
        return (
            RANKS[skill.level] >= RANKS[self.level]
            and skill.years >= self.years
            and (self.since is None or skill.last_used >= self.since)
        )


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What a search asks: all criteria must be met, and the fields of FILTERS must be equal."""

    criteria: tuple[Criterion, ...]
    filters: Mapping[str, str] = field(default_factory=dict[str, str])

    def encode(self) -> str:
        """Return the query string of a URL, which `parse_parameters` reads."""
        pairs = [
            (name, text)
            for one in self.criteria
            for name, text in (
                ("skill", one.skill),
                ("level", one.level.value),
                ("years", str(one.years or "")),
                ("since", str(one.since or "")),
            )
        ]
        return urlencode([*pairs, *self.filters.items()])


def parse_parameters(parameters: Mapping[str, Sequence[str]]) -> SearchQuery:
    """Return the query of a form, `?skill=Go&level=Expert&years=&since=&skill=…`."""
    rows = zip_longest(*(parameters.get(name, ()) for name in COLUMNS), fillvalue="")
    filters = {name: next(iter(parameters.get(name, ())), "") for name in FILTERS}
    return parse_rows(list(rows), **filters)


def parse_rows(rows: Sequence[Sequence[str]], **filters: str) -> SearchQuery:
    """Return the query of rows with a skill, level, years and day; raise InvalidInput.

    Rows without a skill are left out. An error names its field and row: `years/1`.
    """
    checks = InputChecks()
    criteria: list[Criterion] = []
    for number, row in enumerate(rows):
        cells = [normalize_line(text[: 2 * MAX_SKILL_NAME]) for text in row]
        if len(cells) > len(COLUMNS):
            text = "Write skill:level:years:since, such as golang:Advanced:5:2024-01-01."
            checks.reject(f"skill/{number}", text)
            continue
        skill, level, years, since = (*cells, "", "", "")[: len(COLUMNS)]
        if not skill:
            if years or since:
                checks.reject(f"skill/{number}", "Enter a skill.")
            continue
        criteria.append(
            Criterion(
                skill,
                _parse_level(checks, f"level/{number}", level),
                _parse_years(checks, f"years/{number}", years),
                _parse_day(checks, f"since/{number}", since),
            )
        )
    if not criteria:
        checks.reject("skill/0", "Enter at least one skill.")
    if len(criteria) > MAX_CRITERIA:
        checks.reject(f"skill/{MAX_CRITERIA}", f"Use at most {MAX_CRITERIA} skills.")
    lines = {name: checks.line(name, text, longest=MAX_NAME) for name, text in filters.items()}
    checks.raise_errors()
    return SearchQuery(tuple(criteria), {name: text for name, text in lines.items() if text})


def _parse_level(checks: InputChecks, field: str, text: str) -> Level:
    level = _LEVEL_NAMES.get((text or Level.BEGINNER).casefold())
    if level is None:
        checks.reject(field, f"Use one of {', '.join(Level)}.")
    return level or Level.BEGINNER


def _parse_years(checks: InputChecks, field: str, text: str) -> int:
    years = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else -1
    if text and not 0 <= years <= MAX_YEARS:
        checks.reject(field, f"Enter a number of years between 0 and {MAX_YEARS}.")
    return max(0, years)


def _parse_day(checks: InputChecks, field: str, text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        checks.reject(field, "Enter a day such as 2024-01-31.")
        return None


def suggest_names(spelling: str, names: Iterable[str]) -> list[str]:
    """Return the names that are spelled most like an unknown one, best first."""
    by_alias = {normalize_alias(name): name for name in names}
    alias = normalize_alias(spelling[:MAX_SKILL_NAME])
    longer = [each for each in sorted(by_alias) if len(alias) > 1 and each.startswith(alias)]
    close = get_close_matches(alias, by_alias, n=3, cutoff=0.6)
    return [by_alias[each] for each in dict.fromkeys([*longer, *close])][:3]


def explain_unknown(spelling: str, names: Iterable[str]) -> str:
    """Return the sentence for a spelling that means no skill, with names that are similar."""
    if not spelling.strip():
        return "Choose a skill."
    text = f"There is no skill “{spelling[:MAX_SKILL_NAME]}” in the catalog."
    similar = " or ".join(suggest_names(spelling, names))
    return f"{text} Did you mean {similar}?" if similar else text


class Access(StrEnum):
    """What is read to find the people with a skill: an index, or each person's item."""

    LEVELS = "GSI1"
    YEARS = "GSI2"
    ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A criterion with its skill, and an estimate of how many people have the skill."""

    criterion: Criterion
    skill: Skill
    names: tuple[str, ...]
    count: SkillCount

    @property
    def levels(self) -> tuple[Level, ...]:
        """The levels that are high enough."""
        return LEVELS[RANKS[self.criterion.level] - 1 :]

    @property
    def people(self) -> int:
        """How many people have the skill at one of these levels."""
        return max(0, people_at(self.count, self.criterion.level))

    def describe(self, levels: Mapping[Level, str] | None = None) -> str:
        """Return the criterion in words: Go, Advanced or better, 5 years or more."""
        wanted = self.criterion
        parts, level = [self.skill.name], (levels or {}).get(wanted.level, wanted.level)
        if wanted.level is not Level.BEGINNER:
            parts.append(level if wanted.level is Level.EXPERT else f"{level} or better")
        if wanted.years:
            parts.append(f"{wanted.years} years or more" if wanted.years > 1 else "1 year or more")
        if wanted.since:
            parts.append(f"used since {wanted.since}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Choice:
    """A way to read, with the number of items and read units that are expected."""

    access: Access
    items: int
    units: float


# The share of people with a skill who have used it for this long halves every four years. Counts do
# not tell it, and no result depends on it.
_HALVING_YEARS = 4
_READ_UNIT_BYTES = 4_096


def query_units(entries: int, queries: int = 1) -> float:
    """Return the read units of queries of an index: half a unit for every 4 KB, and each."""
    return 0.5 * max(queries, math.ceil(entries * SIZES[UserSkill] / _READ_UNIT_BYTES))


def choices(wanted: Wanted, candidates: int | None) -> list[Choice]:
    """Return the ways to read a skill of people, cheapest first.

    `candidates` is the number of people who are left; None for the first skill.
    """
    found = [Choice(Access.LEVELS, wanted.people, query_units(wanted.people))]
    if wanted.criterion.years:
        share = 0.5 ** (wanted.criterion.years / _HALVING_YEARS)
        entries, queries = math.ceil(wanted.people * share), len(wanted.levels) * len(wanted.names)
        found.append(Choice(Access.YEARS, entries, query_units(entries, queries)))
    if candidates is not None:
        # Half a unit for each item, however small it is.
        found.append(Choice(Access.ITEMS, candidates, 0.5 * candidates))
    return sorted(found, key=lambda choice: choice.units)


def order_criteria(wanted: Iterable[Wanted]) -> list[Wanted]:
    """Return the criteria with the rarest first."""
    return sorted(wanted, key=lambda each: (choices(each, None)[0].items, each.skill.skill_id))


def check_size(wanted: Wanted, items: int) -> None:
    """Raise InvalidInput if a search reads, or is going to read, too many items."""
    if items > MAX_READ:
        text = (
            f"Too many people match “{wanted.describe()}”: a search reads at most {MAX_READ:,} "
            "skills. Ask for a higher level, more years, or a rarer skill."
        )
        raise InvalidInput({"skill/0": text})


@dataclass(frozen=True, slots=True)
class Match:
    """A person matching all criteria, with the skill and the score for each of them."""

    username: str
    skills: tuple[UserSkill, ...]
    scores: tuple[Score, ...]
    total: float


def rank(candidates: Iterable[Sequence[UserSkill]], today: date) -> list[Match]:
    """Return people by the sum of their scores, highest first, then by username."""
    found: list[Match] = []
    for skills in candidates:
        scores = tuple(score(skill, today) for skill in skills)
        total = math.fsum(each.total for each in scores)
        found.append(Match(skills[0].username, tuple(skills), scores, total))
    return sorted(found, key=lambda match: (-match.total, match.username.casefold()))

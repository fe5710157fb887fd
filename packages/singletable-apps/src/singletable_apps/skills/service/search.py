"""Search for people by several skills at once.

Counts of people decide what is read first and how, never who is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Level, Skill, SkillCount, User, UserSkill
from singletable_apps.skills.search_rules import (
    FILTERS,
    MAX_READ,
    Access,
    Choice,
    Criterion,
    Match,
    SearchQuery,
    Wanted,
    check_size,
    choices,
    explain_unknown,
    order_criteria,
    rank,
)
from singletable_apps.skills.service.catalog import Part, names_of
from singletable_apps.skills.service.context import Context


@dataclass(slots=True)
class SearchReads:
    """The reads of one search: how many skills it has read, and the people by username."""

    context: Context
    read: int = 0
    users: dict[str, User] = field(default_factory=dict[str, User])

    def profiles(self, usernames: Iterable[str]) -> dict[str, User]:
        """Return people by casefolded username, reading only those not read yet."""
        names = {name.casefold() for name in usernames}
        keys = [patterns.found_person(name) for name in sorted(names - self.users.keys())]
        for user in self.context.store.get_many(keys):
            if user is not None and not user.left_at:
                self.users[user.username.casefold()] = user
        return {name: self.users[name] for name in names & self.users.keys()}

    def skills(self, wanted: Wanted, people: Iterable[str] | None) -> dict[str, UserSkill]:
        """Return one skill of people by casefolded username, read in the cheapest way.

        `people` are those who are left; others may be returned, too. None for everyone.
        """
        names = None if people is None else list(people)
        best = choices(wanted, None if names is None else len(names))[0]
        check_size(wanted, self.read + best.items)
        found: dict[str, UserSkill] = {}
        for skill in self._read(wanted, best, names or ()):
            found[skill.username.casefold()] = skill
            self.read += 1
        check_size(wanted, self.read)
        return found

    def _read(self, wanted: Wanted, choice: Choice, names: Sequence[str]) -> Iterable[UserSkill]:
        store, limit = self.context.store, MAX_READ + 1 - self.read
        skill_id, criterion = wanted.skill.skill_id, wanted.criterion
        match choice.access:
            case Access.LEVELS:
                yield from store.query(
                    patterns.users_at_level(skill_id, criterion.level), limit=limit
                )
            case Access.YEARS:
                for level in wanted.levels:
                    for name in wanted.names:
                        selection = patterns.users_with_years(name, level, criterion.years)
                        yield from store.query(selection, limit=limit)
            case Access.ITEMS:
                keys = [patterns.candidate_skill(name, skill_id) for name in names]
                yield from filter(None, store.get_many(keys))


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The people matching all criteria, best first, and how they were found."""

    query: SearchQuery
    wanted: tuple[Wanted, ...]
    matches: list[Match]
    reads: SearchReads

    def describe(self, levels: Mapping[Level, str]) -> str:
        """Return the query in words, with names of levels."""
        criteria = (each.describe(levels) for each in self.wanted)
        return "; ".join([*criteria, *self.query.filters.values()])


class Search(Part):
    """Finds people by their skills."""

    def find(self, query: SearchQuery) -> SearchResult:
        """Return the people matching all criteria. An unknown skill raises InvalidInput."""
        reads = SearchReads(self._context)
        wanted = self._resolve(query.criteria)
        first, *others = order_criteria(wanted)
        found: dict[str, dict[str, UserSkill]] = {}
        people = _meeting(first, reads.skills(first, None), found)
        for each in others:
            if not people:
                break
            # The order in which people are asked for is the same every time.
            people &= _meeting(each, reads.skills(each, sorted(people)), found)
        if people and query.filters:
            profiles = reads.profiles(people)
            people = {name for name in people if _is_member(profiles.get(name), query)}
        rows = [[found[each.skill.skill_id][name] for each in wanted] for name in people]
        return SearchResult(query, wanted, rank(rows, self._context.today()), reads)

    def _resolve(self, criteria: Sequence[Criterion]) -> tuple[Wanted, ...]:
        """Find the skills by their spellings, and how many people have them."""
        catalog, checks = self._catalog, InputChecks()
        skills = catalog.find_many([each.skill for each in criteria])
        names: list[str] = []
        asked: set[str] = set()
        for number, each in enumerate(criteria):
            skill = skills.get(each.skill)
            if skill is None:
                names = names or [one.name for one in catalog.list_names()]
                checks.reject(f"skill/{number}", explain_unknown(each.skill, names))
            elif skill.skill_id in asked:
                checks.reject(f"skill/{number}", f"You ask for {skill.name} twice.")
            else:
                asked.add(skill.skill_id)
        checks.raise_errors()
        counts = catalog.counts(asked)
        return tuple(_wanted(each, skills[each.skill], counts) for each in criteria)


def _wanted(criterion: Criterion, skill: Skill, counts: Mapping[str, SkillCount]) -> Wanted:
    # While a skill is renamed, its people move from the old name to the new one in GSI2. The old
    # one is asked first, so that someone who moves meanwhile is seen twice rather than not at all.
    return Wanted(criterion, skill, tuple(reversed(names_of(skill))), counts[skill.skill_id])


def _meeting(
    wanted: Wanted, skills: Mapping[str, UserSkill], found: dict[str, dict[str, UserSkill]]
) -> set[str]:
    """Keep the skills that meet a criterion, and return their people."""
    met = {name: skill for name, skill in skills.items() if wanted.criterion.is_met(skill)}
    found[wanted.skill.skill_id] = met
    return set(met)


def _is_member(user: User | None, query: SearchQuery) -> bool:
    return user is not None and all(
        getattr(user, FILTERS[name]).casefold() == asked.casefold()
        for name, asked in query.filters.items()
    )

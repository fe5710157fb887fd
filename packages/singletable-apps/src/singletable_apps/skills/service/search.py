"""Search for people by several skills at once, and for those who are nearest to a job.

Counts of people decide what is read first and how, never who is found. Every search reports what it
consumed: its store has an observer of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from singletable import CallStats, PatternStats
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import JobRole, Level, Skill, SkillCount, User, UserSkill
from singletable_apps.skills.rules import RANKS, Reach, people_at
from singletable_apps.skills.search_rules import (
    FILTERS,
    MAX_READ,
    Access,
    Choice,
    Criterion,
    Match,
    Nearness,
    PlanStep,
    SearchQuery,
    Wanted,
    check_size,
    choices,
    explain_unknown,
    measure_nearness,
    order_criteria,
    rank,
    rank_gap,
)
from singletable_apps.skills.service.catalog import Catalog, Part, names_of
from singletable_apps.skills.service.context import Context

# How many of the nearest people are found.
MAX_NEAREST = 100


@dataclass(frozen=True, slots=True)
class Consumption:
    """The plan of a search, and what it consumed in total and by access pattern."""

    plan: list[str]
    # The code, the description and the figures of each access pattern.
    patterns: list[tuple[str, str, PatternStats]]
    requests: int
    read_units: float
    items_read: int
    items_returned: int


@dataclass(slots=True)
class SearchReads:
    """The reads of one search: a context that is observed, and how many skills it has read."""

    context: Context
    stats: CallStats
    read: int = 0
    steps: list[PlanStep] = field(default_factory=list[PlanStep])
    users: dict[str, User] = field(default_factory=dict[str, User])

    @property
    def consumed(self) -> Consumption:
        """What the search has consumed until now."""
        figures = [each for each in self.stats.snapshot() if each.requests]
        return Consumption(
            plan=[step.describe() for step in self.steps],
            patterns=[
                (code, patterns.patterns[code].description, each)
                for each in figures
                for code in [each.pattern.rpartition(":")[2]]
            ],
            requests=sum(each.requests for each in figures),
            read_units=sum(each.read_units for each in figures),
            items_read=sum(each.scanned_count for each in figures),
            items_returned=sum(each.count for each in figures),
        )

    def profiles(self, usernames: Iterable[str]) -> dict[str, User]:
        """Return people by casefolded username, reading those who were not read yet."""
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
        best, *others = choices(wanted, None if names is None else len(names))
        check_size(wanted, self.read + best.items)
        found: dict[str, UserSkill] = {}
        for skill in self._read(wanted, best, names or ()):
            found[skill.username.casefold()] = skill
            self.read += 1
        check_size(wanted, self.read)
        left = len(found) if names is None else len(found.keys() & set(names))
        self.steps.append(PlanStep(wanted.describe(), best, tuple(others), left))
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
    """The people who meet all criteria, best first, and how they were found."""

    query: SearchQuery
    wanted: tuple[Wanted, ...]
    matches: list[Match]
    reads: SearchReads

    def describe(self, levels: Mapping[Level, str]) -> str:
        """Return the query in words, with names of levels."""
        criteria = (each.describe(levels) for each in self.wanted)
        return "; ".join([*criteria, *self.query.filters.values()])


@dataclass(frozen=True, slots=True)
class NearestResult:
    """The people who are nearest to the targets of a job, nearest first."""

    role: JobRole
    skills: Mapping[str, Skill]
    people: list[Nearness]
    reads: SearchReads


class Search(Part):
    """Finds people by their skills."""

    def find(self, query: SearchQuery) -> SearchResult:
        """Return the people who meet all criteria. An unknown skill raises InvalidInput."""
        reads = self._start()
        wanted = _resolve(reads.context, query.criteria)
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

    def nearest(self, actor: User, role_id: str) -> NearestResult:
        """Return the people within reach who miss the fewest levels of a job, at most 100."""
        reads = self._start()
        context = reads.context
        role = check_found(context.find(patterns.job, role_id), "There is no such job.")
        stored = context.store.get_many([Skill.key(each) for each in sorted(role.targets)])
        skills = {skill.skill_id: skill for skill in stored if skill is not None}
        levels = _read_nearest(reads, role, skills, context.reach(actor))
        people = [measure_nearness(name, levels[name], role.targets) for name in levels]
        people.sort(
            key=lambda each: (
                each.missing,
                sum(rank_gap(each.levels[one], role.targets[one]) > 0 for one in role.targets),
                each.username,
            )
        )
        return NearestResult(role, skills, people[:MAX_NEAREST], reads)

    def _start(self) -> SearchReads:
        stats = CallStats(patterns.patterns)
        context = replace(self._context, store=self._context.store.observed(stats))
        return SearchReads(context, stats)


def _resolve(context: Context, criteria: Sequence[Criterion]) -> tuple[Wanted, ...]:
    """Find the skills by their spellings, and how many people have them."""
    catalog, checks = Catalog(context), InputChecks()
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


def _read_nearest(
    reads: SearchReads, role: JobRole, skills: Mapping[str, Skill], reach: Reach
) -> dict[str, dict[str, Level]]:
    """Return the levels of those within reach who can be among the nearest, by person and skill.

    Skills are read with the rarest first. Someone who has no skill that was read can still have all
    others; once enough people have more ranks than that, no further people are looked for.
    """
    counts = Catalog(reads.context).counts(skills)
    order = sorted(skills, key=lambda each: (people_at(counts[each]), each))
    levels: dict[str, dict[str, Level]] = {}
    has: dict[str, int] = {}
    for position, skill_id in enumerate(order):
        unread = sum(RANKS[role.targets[each]] for each in order[position:])
        best = sorted(has.values(), reverse=True)[MAX_NEAREST - 1 : MAX_NEAREST]
        people = None if reach.people is None else sorted(reach.people)
        if best and best[0] > unread:
            people = sorted(name for name, ranks in has.items() if ranks + unread >= best[0])
        wanted = _wanted(Criterion(skills[skill_id].name), skills[skill_id], counts)
        target = RANKS[role.targets[skill_id]]
        for name, skill in reads.skills(wanted, people).items():
            if name not in reach:
                continue
            levels.setdefault(name, {})[skill_id] = skill.level
            has[name] = has.get(name, 0) + min(RANKS[skill.level], target)
    return levels

"""The designs of the five apps: calls of their declared access patterns, and sample items."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeVar

import singletable as st
from singletable_apps.elections import entities as elections
from singletable_apps.elections import patterns as election_patterns
from singletable_apps.elections.events import Event
from singletable_apps.elections.roles import Role
from singletable_apps.games import entities as games
from singletable_apps.games import patterns as game_patterns
from singletable_apps.games.phases import Phase
from singletable_apps.polls import entities as polls
from singletable_apps.polls import patterns as poll_patterns
from singletable_apps.portfolio import entities as portfolio
from singletable_apps.portfolio import patterns as portfolio_patterns
from singletable_apps.skills import entities as skills
from singletable_apps.skills import patterns as skill_patterns

E = TypeVar("E")
NOW = datetime.now(UTC).replace(microsecond=0)
NEXT_WEEK = NOW + timedelta(days=7)
# NOW would not do: an item expires when the second in its attribute is over.
EXPIRED = NOW - timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Step:
    """A call of the store, the fields to show of its items, and the error that it raises.

    Its title is that of its declared pattern; a call that belongs to none has a `title`.
    """

    run: Callable[[st.Store], object]
    fields: str = ""
    note: str = ""
    title: str = ""
    error: type[st.SingleTableError] | tuple[()] = ()


@dataclass(frozen=True, slots=True)
class Design:
    """The access patterns of an app, sample items for its tables, and the steps to show."""

    description: str
    catalog: st.PatternCatalog
    items: Callable[[], Sequence[object]]
    steps: Sequence[Step]


def read(fields: str, pattern: Any, *values: object) -> Step:
    """Return the step that reads by a declared pattern, with these values."""

    def run(store: st.Store) -> object:
        if pattern.collection is not None:
            return store.collect(pattern.collection, pattern(*values))
        found = store.run(pattern, *values)
        return [*found] if isinstance(found, Iterator) else found

    return Step(run, fields)


def sample(entity: type[E], **values: Any) -> E:
    """Return an item with these values, and with placeholders in other required fields."""
    placeholders: dict[Any, object] = {datetime: NEXT_WEEK, int: 1, str: "?"}
    for field in fields(entity):  # type: ignore[arg-type]
        is_required = field.init and field.default_factory is MISSING
        if is_required and field.type in placeholders:
            values.setdefault(field.name, placeholders[field.type])
    return entity(**values)


def samples(entity: type[E], names: str, texts: str, **values: Any) -> list[E]:
    """Return an item for each word of `texts`, which is the value of the named fields."""
    return [sample(entity, **values, **dict.fromkeys(names.split(), t)) for t in texts.split()]


EXPERT = skills.Level.EXPERT


def _ballot(voter: str, *names: str) -> elections.Ballot:
    ranked = [elections.RankedCandidate(name, rank) for rank, name in enumerate(names, 1)]
    return sample(elections.Ballot, election_name="Motto", voter_name=voter, rankings=ranked)


def _cast_ballot(store: st.Store) -> None:
    user, sync = elections.User, elections.Sync
    with store.transaction() as transaction:
        transaction.put(_ballot("Ada", "Onward", "Slowly"))
        transaction.update(user.key("Ada"), user.ballots_cast.add(1))
        transaction.update(sync.key(), sync.last_event_id.set(1), if_=sync.last_event_id == 0)


ELECTIONS = Design(
    "Voters rank candidates. The table of users, elections and ballots follows an event log.",
    election_patterns.patterns,
    lambda: [
        sample(elections.User, name="Ada", email="ada@example.org", role=Role.OWNER),
        sample(elections.User, name="Bob", email="bob@example.org", role=Role.USER, user_id=2),
        sample(elections.Election, name="Motto", publication=elections.Publication.TOTALS),
        *samples(elections.Candidate, "candidate_name", "Onward Slowly", election_name="Motto"),
        _ballot("Bob", "Slowly"),
        elections.Sync(),
    ],
    [
        read("name email role", election_patterns.user_by_name, "Ada"),
        read("name email role", election_patterns.user_by_email, "ada@example.org"),
        read("name email", election_patterns.list_users),
        Step(lambda store: store.create(sample(Event, event_type="BallotCast", event_data={}))),
        Step(_cast_ballot, note="One transaction: all three writes, or none."),
        Step(_cast_ballot, note="The event was already applied.", error=st.ConditionFailed),
        read("voter_name rankings", election_patterns.ballots_of, "Motto"),
        read("event_id event_type", election_patterns.events_after, 0),
    ],
)


def _cast_vote(store: st.Store) -> None:
    lane, ranking = polls.VotingLane, ["Go", "Rust", "Python"]
    with store.transaction() as transaction:
        transaction.put(sample(polls.Vote, poll_id="p1", id="v3", rankings=ranking))
        transaction.update(lane.key("p1", 0), lane.entries.add(1), if_=lane.edition == 1)
        transaction.create(polls.LaneEntry(poll_id="p1", lane=0, number=1, ranking="0 2 1"))


POLLS = Design(
    "Anyone can rank the options of a poll. Votes are counted in lanes, partitions of their own.",
    poll_patterns.patterns,
    lambda: [
        sample(polls.Poll, id="p1", title="Best language", candidates=["Go", "Python", "Rust"]),
        sample(polls.VotingLane, poll_id="p1", lane=0),
        *samples(polls.Vote, "id", "v1 v2", poll_id="p1", rankings=["Python", "Go"]),
    ],
    [
        read("title candidates", poll_patterns.poll_by_id, "p1"),
        Step(_cast_vote),
        Step(_cast_vote, note="The same vote, sent twice.", error=st.AlreadyExists),
        read("id rankings", poll_patterns.all_votes, "p1"),
    ],
)


def _newest_post(store: st.Store) -> list[portfolio.Blog]:
    return store.page(portfolio_patterns.published_until(NEXT_WEEK), 1, reverse=True).items


PORTFOLIO = Design(
    "A personal site. Sparse indexes list posts by date, and find posts, likes and comments.",
    portfolio_patterns.patterns,
    lambda: [
        sample(portfolio.Portfolio, name="Ada Lovelace", headline="Analyst of engines"),
        *samples(portfolio.Blog, "blog_id slug", "note-g loops", listing=portfolio.Listing.ALL),
    ],
    [
        read("name headline", portfolio_patterns.portfolio, "default"),
        Step(_newest_post, "slug title", "One page; its cursor leads to the next one."),
        read("blog_id slug author", portfolio_patterns.blog_by_slug, "loops"),
        Step(lambda store: store.create(sample(portfolio.PendingComment, content="Lovely!"))),
        read("content ends", portfolio_patterns.pending_comments),
    ],
)


def _skill(username: str, name: str, level: skills.Level, years: int) -> skills.UserSkill:
    values = {"skill_name": name, "level": level, "years": years, "last_used": date(2026, 1, 9)}
    return sample(skills.UserSkill, username=username, skill_id=name.lower(), **values)


def _register(store: st.Store) -> skills.User:
    return store.create(skills.User(username="ada", user_id=3, name="Ada Lovelace"))


def _promote(store: st.Store) -> None:
    skill, count = skills.UserSkill, skills.SkillCount
    with store.transaction() as transaction:
        transaction.update(skill.key("john", "go"), skill.level.set(EXPERT))
        own = {"author": "john", "source": skills.Source.SELF}
        transaction.put(sample(skills.Rating, user_id=1, skill_id="go", level=EXPERT, **own))
        transaction.upsert(count.key("go"), count.advanced.add(-1), count.expert.add(1))


SKILLS = Design(
    "A directory of people. GSI1 has composed keys, and GSI2 a key of four attributes.",
    skill_patterns.patterns,
    lambda: [
        skills.User(username="john", user_id=1, name="John Doe"),
        skills.User(username="wei", user_id=2, name="Wei Chen"),
        _skill("john", "Go", skills.Level.ADVANCED, 6),
        _skill("john", "Python", EXPERT, 9),
        _skill("wei", "Go", EXPERT, 12),
    ],
    [
        Step(_register, "username name"),
        Step(_register, note="The username is taken.", error=st.AlreadyExists),
        read("name skill_name level", skill_patterns.user_with_skills, "john"),
        Step(_promote, note="The skill moves in both indexes, with two writes in each."),
        read("username level", skill_patterns.users_at_exact_level, "go", EXPERT),
        read("username years", skill_patterns.users_with_years, "Go", EXPERT, 10),
    ],
)


def _click_twice(store: st.Store) -> None:
    state = store.get(game_patterns.game_state("4711"), consistent=True)
    assert state is not None
    for _ in "12":
        store.put(st.evolve(state, phase=Phase.READING, question_id="q1"))


GAMES = Design(
    "A live game. Answers are spread over eight partitions; games expire.",
    game_patterns.patterns,
    lambda: [
        sample(games.GameState, game_id="4711"),
        *samples(games.Answer, "player_id", "ada grace", game_id="4711", question_id="q1"),
        sample(games.JoinCode, code="123456", game_id="0815", expires_at=EXPIRED),
    ],
    [
        read("phase question_id version", game_patterns.game_state, "4711"),
        Step(_click_twice, note="The second of two clicks is too late.", error=st.VersionConflict),
        read("player_id question_id", game_patterns.question_answers, "4711", "q1"),
        read("game_id", game_patterns.game_by_code, "123456"),
        Step(
            lambda store: store.driver.execute(st.SweepExpired(games.engagements.name)),
            "removed",
            "An expired item is stored until then, but a store never returns it.",
            title="Sweep expired items",
        ),
        Step(
            lambda store: store.changes(games.GameState, games.JoinCode).changes,
            "position kind expired",
            "Every write is in the change feed, in commit order.",
            title="Read the change feed",
        ),
    ],
)

DESIGNS = (ELECTIONS, POLLS, PORTFOLIO, SKILLS, GAMES)

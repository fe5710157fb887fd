"""A site with old and new tables, and an environment in which no time passes while waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from singletable import (
    Attr,
    Driver,
    Engine,
    Entity,
    Index,
    Key,
    Store,
    Table,
    Unique,
    attr,
    created,
    version,
)
from singletable.migration import Copy, Part, each, merge
from singletable.migration.derivation import Derivation
from singletable.migration.environment import Environment, migration_context
from singletable.migration.places import Places
from singletable.migration.rate_limit import RateLimit
from singletable.migration.state import State, StateStore

users = Table("users", pk="username", sk=None)
likes = Table("likes", pk="post", sk="visitor")
entities = Table(
    "entities",
    indexes=[Index("by_name", pk="type", sk="name", projection=["email"])],
    ttl="expires",
)


class OldUser(Entity, table=users):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr(default="")
    key = Key(pk=username)


class OldLike(Entity, table=likes):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=post, sk=visitor)


class User(Entity, table=entities):
    username: Attr[str] = attr()
    email: Attr[str] = attr()
    since: Attr[datetime] = created()
    revision: Attr[int] = version()
    key = Key(pk=("USER", username), sk="PROFILE")
    by_email = Unique(email)


class Name(Entity, table=entities):
    username: Attr[str] = attr()
    type: Attr[str] = attr(default="name")
    name: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="NAME")


class Likes(Entity, table=entities):
    post: Attr[str] = attr()
    count: Attr[int] = attr()
    key = Key(pk=("POST", post), sk="LIKES")


class Setting(Entity, table=entities):
    """An entity that was in the new table before."""

    name: Attr[str] = attr()
    key = Key(pk="SETTINGS", sk=("SETTING", name))


def split(old: OldUser) -> Iterator[User | Name]:
    if not old.email:
        raise ValueError("has no e-mail address")
    yield User(username=old.username.lower(), email=old.email)
    yield Name(username=old.username.lower(), name=old.name)


def count(found: list[OldLike]) -> Likes:
    return Likes(post=found[0].post, count=len(found))


def create_copy() -> Copy:
    liked = Part(OldLike, group=lambda like: like.post, read=OldLike.key.partition)
    return Copy(entities, each(OldUser, split), merge(liked, into=count))


@dataclass
class Clock:
    """A clock that sleeping moves; `on_sleep` happens meanwhile."""

    now: float = 1_700_000_000.0
    on_sleep: Callable[[], object] | None = None
    slept: list[float] = field(default_factory=list[float])

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)
        if seconds and self.on_sleep is not None:
            self.on_sleep()


class Site:
    """Old tables with items, the new table, and a copy of them."""

    def __init__(self, engine: Driver, *, segments: int = 2, page_size: int | None = 7) -> None:
        self.engine = engine
        self.clock = Clock()
        self.store = Store(engine)
        self.copy = create_copy()
        context = migration_context(
            {users: "source", likes: "source", entities: "target"}, {}, self.clock
        )
        places = Places(engine, engine)
        states = StateStore(entities, "target/entities", "0001", owner="me", clock=self.clock)
        self.env = Environment(
            places,
            context,
            states,
            State("copying", started=self.clock.now),
            RateLimit(None, self.clock),
            segments=segments,
            page_size=page_size or None,
            clock=self.clock,
            sleep=self.clock.sleep,
        )

    def create_tables(self) -> None:
        for table in (users, likes, entities):
            self.store.admin.create_table(table)

    def fill(self, count: int = 20, posts: int = 5, width: int = 1) -> None:
        self.store.put_many(
            [
                OldUser(
                    username=f"u{n}", name=f"Name {n} " * (n % 40 + 1) * width, email=f"{n}@x.org"
                )
                for n in range(count)
            ]
        )
        self.store.put_many(
            [OldLike(post=f"p{n % posts}", visitor=f"v{n}") for n in range(count)],
        )

    def derivation(self) -> Derivation:
        moment = datetime.fromtimestamp(self.env.state.started, tz=None).astimezone()
        return Derivation(self.copy.rules, entities, self.env.context, moment)

    def carry_over(self) -> None:
        """Copy everything, as the migration would."""
        from singletable.migration.derived_items import DerivedItems

        derivation = self.derivation()
        for page in DerivedItems(self.env, derivation).scan():
            self.env.run(derivation.carry_over({one.unit: [] for one in page}))


def memory_site(**options: int) -> Iterator[Site]:
    with Engine.in_memory() as engine:
        site = Site(engine, **options)
        site.create_tables()
        yield site

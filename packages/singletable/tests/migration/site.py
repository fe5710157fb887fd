"""The site with an environment in which no time passes while waiting."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from singletable import Driver, Engine, Store
from singletable.migration import Copy
from singletable.migration.derivation import Derivation
from singletable.migration.derived_items import DerivedItems
from singletable.migration.environment import Environment, migration_context
from singletable.migration.rate_limit import RateLimit
from singletable.migration.state import State, StateStore
from singletable.migration.two_addresses import Place, TwoAddressDriver
from tests.designs.site import MERGE, SPLIT, OldLike, OldUser, entities, likes, users
from tests.migration.doubles import Clock


class Site:
    """Old tables with items, the new table, and a copy of them."""

    def __init__(self, engine: Driver, *, segments: int = 2, page_size: int | None = 7) -> None:
        self.engine = engine
        self.clock = Clock()
        self.store = Store(engine)
        self.copy = Copy(entities, SPLIT, MERGE)
        context = migration_context(
            {users: "source", likes: "source", entities: "target"}, {}, self.clock
        )
        places = TwoAddressDriver(engine, engine)
        states = StateStore(
            entities, Place("target", "entities"), "0001", owner="me", clock=self.clock
        )
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
        moment = datetime.fromtimestamp(self.env.state.started, UTC)
        return Derivation(self.copy.rules, entities, self.env.context, moment)

    def carry_over(self) -> None:
        """Copy everything, as the migration would."""
        derivation = self.derivation()
        for page in DerivedItems(self.env, derivation).scan():
            self.env.run(derivation.carry_over({one.unit: [] for one in page}))


def memory_site(**options: int) -> Iterator[Site]:
    with Engine.in_memory() as engine:
        site = Site(engine, **options)
        site.create_tables()
        yield site

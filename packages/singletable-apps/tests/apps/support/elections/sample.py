"""Copies of the sample data, which is created once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from singletable import Engine, Store
from singletable_apps.elections.entities import User
from singletable_apps.elections.keys import Keys, generate_keys
from singletable_apps.elections.sample import fill_sample
from singletable_apps.elections.service import Elections, open_elections
from singletable_apps.shared.accounts import Passwords

FAST_PASSWORDS = Passwords(memory_kib=64, passes=1)


@dataclass(frozen=True)
class SampleCopy:
    """A service on its own engine, and its keys."""

    engine: Engine
    keys: Keys
    elections: Elections

    @property
    def store(self) -> Store:
        return self.elections.context.store

    def user(self, name: str) -> User:
        return self.elections.context.read.get_user(name)


@cache
def _filled() -> tuple[Engine, Keys]:
    engine, keys = Engine.in_memory(), generate_keys()
    fill_sample(open_elections(engine, keys, passwords=FAST_PASSWORDS))
    return engine, keys


def copy_sample() -> SampleCopy:
    """Return a new copy of the sample."""
    engine, keys = _filled()
    copied = engine.copy()
    return SampleCopy(copied, keys, open_elections(copied, keys, passwords=FAST_PASSWORDS))


def sample_keys() -> Keys:
    """Return the keys of the sample."""
    return _filled()[1]

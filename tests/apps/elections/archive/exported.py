"""The log of the sample as lines, and stores to restore it into."""

from __future__ import annotations

from functools import cache

from singletable import Driver, Store
from singletable_apps.elections.archive import export_log
from singletable_apps.elections.service import TABLES
from tests.apps.support.elections.sample import copy_sample


@cache
def exported() -> tuple[bytes, ...]:
    """The lines of the sample's log, with the line at the end."""
    lines: list[bytes] = []
    export_log(copy_sample().store, lines.append)
    return tuple(lines)


def store_on(driver: Driver) -> Store:
    """A store as elections have it."""
    return Store(driver, tables=TABLES)

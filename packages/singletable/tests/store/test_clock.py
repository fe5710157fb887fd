"""A store follows the clock of its driver, which all processes on a SQL server share."""

from __future__ import annotations

from singletable import Engine, Store


def test_store_follows_the_shared_clock_of_its_driver() -> None:
    with Engine.in_memory() as engine:
        vars(engine)["shared_clock"] = lambda: 86400.0
        assert Store(engine)._context.clock().timestamp() == 86400.0

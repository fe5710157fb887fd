"""A project with an app that declares access patterns, run by its own pytest."""

from __future__ import annotations

import pytest

# A run in this process forgets the modules that it imported, but not those imported before. Half of
# the library would be loaded again in the next run, and its classes would be other ones.
import singletable.testing.config
import singletable.testing.report
import singletable.testing.stores
import singletable.testing.strict  # noqa: F401

pytest_plugins = ["pytester"]

APP = """
from singletable import Attr, PatternCatalog, Entity, Key, Store, Table, attr, creates, expires

shop = Table("shop", ttl="ttl")


class Order(Entity, table=shop):
    customer: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("CUSTOMER", customer), sk=("ORDER", number))


class Cart(Entity, table=shop):
    customer: Attr[str] = attr()
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("CUSTOMER", customer), sk="CART")


catalog = PatternCatalog("shop", shop)
orders = catalog.read("AP1", "Orders of a customer", Order.key.partition)
one = catalog.read("AP2", "One order", Order.key)
place = catalog.write("AP3", "Place an order", creates(Order))
catalog.check()


def order(store: Store, customer: str, number: int) -> None:
    store.create(Order(customer=customer, number=number))


def find(store: Store, customer: str) -> list[Order]:
    return list(store.query(Order.key.partition(customer)))


def late(store: Store, customer: str) -> list[Order]:
    return list(store.query(Order.key.partition(customer).gt(10)))


def everything(store: Store) -> list[Order]:
    return list(store.admin.scan(Order))
"""


# Other plugins take a second or more per run, so autoload is off; test_guide.py has it on.
@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a project with the app and the plugin's settings."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "singletable.testing.plugin,xdist.plugin")
    pytester.makepyfile(
        app=APP.replace("from singletable", "from datetime import datetime\nfrom singletable", 1)
    )
    pytester.makeini(
        "[pytest]\nsingletable_catalogs = app\npythonpath = .\naddopts = -p no:cacheprovider\n"
    )
    return pytester

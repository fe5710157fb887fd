"""Declare tables from source text, so that a test can show two versions of one declaration."""

from __future__ import annotations

from typing import Any

from singletable import Table
from singletable.migration.schema_diff.snapshot import Schema, snapshot

HEADER = """
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Literal
from uuid import UUID

from singletable import *

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
"""

# A user in a table with one index; the tests change one thing.
BASE = """
table = Table("shop", indexes=[gsi1])

class Org(Entity, table=table):
    org: Attr[str] = attr()
    users: Attr[int] = attr(default=0)
    key = Key(pk=("ORG", org), sk="ORG")

class User(Entity, table=table):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    org: Attr[str] = attr()
    age: Attr[int | None] = attr(default=None)
    status: Attr[Literal["new", "active"]] = attr(default="new")
    key = Key(pk=("USER", name), sk="PROFILE")
    at_org = Key(pk=("ORG", org), sk=("USER", name)).on(gsi1, when=status == "active")
    one_email = Unique(casefold(email))
"""


def declare(text: str) -> Schema:
    """Return the schema of the tables that the text declares."""
    scope: dict[str, Any] = {"__name__": "declared"}
    # Not with the annotations of this file, which are strings.
    exec(compile(HEADER + text, "declared", "exec", dont_inherit=True), scope)
    return snapshot(value for value in scope.values() if isinstance(value, Table))


def changed(old: str, new: str, text: str = BASE) -> Schema:
    """Return the schema of the text with one replacement, which must be in it."""
    assert old in text, old
    return declare(text.replace(old, new))

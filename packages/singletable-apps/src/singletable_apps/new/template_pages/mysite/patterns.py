"""The access patterns: what the app does with the table, and how often."""

from __future__ import annotations

from singletable import (
    PatternCatalog,
    checks,
    creates,
    deletes,
    per_day,
    per_minute,
    per_second,
    puts,
    updates,
)

from mysite.entities import Note, User, table

catalog = PatternCatalog(
    "mysite",
    table,
    sizes={User: 400, Note: 1_000},
    counts={User: 1_000, Note: 50_000},
)

# Accounts
user_by_id = catalog.read("U1", "User of a session", User.one_id, rate=per_second(20))
user_by_name = catalog.read(
    "U2", "User who signs in", User.key, consistent=True, rate=per_minute(2)
)
register = catalog.write("U3", "Register", creates(User), rate=per_day(20))
change_user = catalog.write("U4", "Change an account", updates(User), rate=per_day(5))
list_users = catalog.read(
    "U5", "List the accounts", User.listed, items=50, rate=per_day(20)
)
change_role = catalog.write(
    "U6", "Change a role", updates(User), checks(User), rate=per_day(1)
)
remove_user = catalog.write(
    "U7", "Remove an account", deletes(User), checks(User), rate=per_day(1)
)

# Notes
notes_of_user = catalog.read(
    "N1", "Notes of a user", Note.key.partition, items=50, rate=per_second(10)
)
notes = catalog.crud(
    "N2 N3 N4 N5",
    "a note",
    Note.key,
    update=puts(Note),
    reads=per_second(5),
    writes=per_minute(20),
)

catalog.check()

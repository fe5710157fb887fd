"""The table of users before the single-table design: five access patterns, and their service."""

from __future__ import annotations

from datetime import datetime

import bcrypt

from singletable import AlreadyExists as ItemExists
from singletable import (
    Attr,
    ConditionFailed,
    Entity,
    Key,
    PatternCatalog,
    Store,
    Table,
    attr,
    created,
    creates,
    deletes,
    per_day,
    per_second,
    updated,
    updates,
)
from singletable_apps.shared.accounts.usernames import MAX_USERNAME, MIN_USERNAME
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.shared.service import check_found

BCRYPT_COST = 10

users = Table("users", pk="username", sk=None)


class User(Entity, table=users):
    """A person with an account. `Ada` and `ada` are two of them."""

    username: Attr[str] = attr()
    name: Attr[str] = attr()
    password_hash: Attr[str] = attr(hidden=True)
    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated()

    key = Key(pk=username)


patterns = PatternCatalog("users", users, sizes={User: 1_024}, counts={User: 10_000})
user_by_name = patterns.read("AP1", "Get user by username (login)", User.key, rate=per_second(500))
create_user = patterns.write(
    "AP2", "Create new user (register)", creates(User), rate=per_second(50)
)
edit_user = patterns.write(
    "AP3",
    "Update user profile",
    updates(User, User.name, User.password_hash, User.updated_at),
    rate=per_second(10),
)
user_exists = patterns.read("AP4", "Check if user exists", User.key, rate=per_second(100))
all_users = patterns.scan(
    "AP5",
    "List all users",
    User,
    reason="no key has all users; phase 2 adds one",
    items=10_000,
    rate=per_second(1),
)
rename_user = patterns.write(
    "M1", "Rename a user before the migration", creates(User), deletes(User), rate=per_day(1)
)


class UserDirectory:
    """What a migration needs of the old service, which checked usernames by their length only."""

    def __init__(self, store: Store, *, bcrypt_cost: int = BCRYPT_COST) -> None:
        self._store = store
        self._cost = bcrypt_cost

    def register(self, username: str, name: str, password: str) -> User:
        """Create an account."""
        _check(username)
        hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(self._cost)).decode()
        try:
            return self._store.create(User(username=username, name=name, password_hash=hashed))
        except ItemExists:
            raise AlreadyExists({"username": "Someone has this username already."}) from None

    def get(self, username: str) -> User:
        """Return a user, or raise NotFound."""
        return check_found(self._store.get(User.key(username)), "User not found")

    def exists(self, username: str) -> bool:
        """Return whether someone has this username."""
        return self._store.get(User.key(username)) is not None

    def rename(self, username: str, new: str) -> User:
        """Give a user another username, so that the migration can move both of two similar ones."""
        _check(new)
        user = self.get(username)
        renamed = User(username=new, name=user.name, password_hash=user.password_hash)
        renamed.created_at = user.created_at
        try:
            with self._store.transaction(pattern=rename_user) as transaction:
                transaction.delete(User.key(username), if_=User.password_hash == user.password_hash)
                transaction.create(renamed)
        except ItemExists:
            raise AlreadyExists({"username": "Someone has this username already."}) from None
        except ConditionFailed:
            raise NotFound("This user has just been changed or deleted. Try again.") from None
        return self.get(new)


def _check(username: str) -> None:
    if not MIN_USERNAME <= len(username) <= MAX_USERNAME:
        raise InvalidInput({"username": f"Use {MIN_USERNAME} to {MAX_USERNAME} characters."})

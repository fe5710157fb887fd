"""The table of users before the single-table design: five access patterns, and their service."""

from __future__ import annotations

from datetime import datetime

import bcrypt

from singletable import AlreadyExists as ItemExists
from singletable import (
    Attr,
    ConditionFailed,
    Edit,
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
from singletable_apps.shared.accounts import NotSignedIn, Passwords
from singletable_apps.shared.accounts.usernames import MAX_USERNAME, MIN_USERNAME
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, NotFound
from singletable_apps.skills.rules import MAX_NAME, MIN_NAME

MIN_PASSWORD, MAX_PASSWORD_BYTES = 6, 72
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
    """The service as it was: usernames are checked by length only, passwords hashed with bcrypt."""

    def __init__(
        self, store: Store, *, bcrypt_cost: int = BCRYPT_COST, passwords: Passwords | None = None
    ) -> None:
        self._store = store
        self._cost = bcrypt_cost
        # After a rollback, some accounts may have hashes of argon2.
        self._passwords = passwords or Passwords()

    def register(self, username: str, name: str, password: str) -> User:
        """Create an account."""
        _check(username=username, name=name, password=password)
        user = User(username=username, name=name, password_hash=self._hash(password))
        try:
            self._store.create(user)
        except ItemExists:
            raise AlreadyExists({"username": "Someone has this username already."}) from None
        return self.get(username)

    def login(self, username: str, password: str) -> User:
        """Return the user, or raise NotSignedIn if the username or the password is wrong."""
        user = self._store.get(User.key(username))
        stored = None if user is None else user.password_hash
        if not self._passwords.matches(stored, password) or user is None:
            raise NotSignedIn("Invalid credentials")
        return user

    def get(self, username: str) -> User:
        """Return a user, or raise NotFound."""
        user = self._store.get(User.key(username))
        if user is None:
            raise NotFound("User not found")
        return user

    def update(self, username: str, name: str | None = None, password: str | None = None) -> User:
        """Change the name, the password, or both."""
        _check(name=name, password=password)
        changes: list[Edit[User]] = []
        if name is not None:
            changes.append(User.name.set(name))
        if password is not None:
            changes.append(User.password_hash.set(self._hash(password)))
        try:
            return self._store.update(User.key(username), *changes)
        except ConditionFailed:
            raise NotFound("User not found") from None

    def exists(self, username: str) -> bool:
        """Return whether someone has this username."""
        return self._store.get(User.key(username)) is not None

    def list(self) -> list[User]:
        """Return all users, in no order. This reads the whole table."""
        return list(self._store.admin.scan(User))

    def rename(self, username: str, new: str) -> User:
        """Give a user another username, so that the migration can move both of two similar ones."""
        _check(username=new)
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

    def _hash(self, password: str) -> str:
        return bcrypt.hashpw(password.encode(), bcrypt.gensalt(self._cost)).decode()


def _check(
    username: str | None = None, name: str | None = None, password: str | None = None
) -> None:
    errors: dict[str, str] = {}
    if username is not None and not MIN_USERNAME <= len(username) <= MAX_USERNAME:
        errors["username"] = f"Use {MIN_USERNAME} to {MAX_USERNAME} characters."
    if name is not None and not MIN_NAME <= len(name) <= MAX_NAME:
        errors["name"] = f"Use {MIN_NAME} to {MAX_NAME} characters."
    if password is not None and not (
        len(password) >= MIN_PASSWORD and len(password.encode()) <= MAX_PASSWORD_BYTES
    ):
        errors["password"] = f"Use {MIN_PASSWORD} characters or more, up to 72 bytes."
    if errors:
        raise InvalidInput(errors)

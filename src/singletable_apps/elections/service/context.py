"""What every part of the service has at hand."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from singletable import Store
from singletable_apps.elections.command_bus import CommandBus, Decision
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotSignedIn, RebuildInProgress
from singletable_apps.elections.events import Event
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Role
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.mail import Mailer

# Told the revision of what is to be changed, it raises if the wish was based on another.
RevisionCheck = Callable[[int], None]


def any_revision(_: int) -> None:
    """Whatever the revision is."""


def utc_now() -> datetime:
    """The time, for whoever is given no other clock."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Settings:
    """What an operator chooses: the role of newcomers, and where letters lead to."""

    newcomer: Role = Role.USER
    reset_link: str = "http://127.0.0.1:8000/elections/reset?token={token}"


@dataclass(frozen=True)
class Context:
    """The store, the keys, the clock, and the desk where commands are decided."""

    store: Store
    keys: Keys
    mailer: Mailer
    settings: Settings = Settings()
    clock: Callable[[], datetime] = utc_now
    passwords: Passwords = field(default_factory=Passwords)
    random: Callable[[int], bytes] = secrets.token_bytes
    read: ReadModel = field(init=False)
    bus: CommandBus = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "read", ReadModel(self.store))
        object.__setattr__(self, "bus", CommandBus(self.store, self.clock))

    def check_whole(self) -> None:
        """Raise Rebuilding while the table is built anew, and lacks what is there."""
        sync = self.read.get_sync()
        if sync is not None and sync.rebuilding:
            raise RebuildInProgress(
                "The table is being built anew from the log. Nothing is lost; ask again soon."
            )

    def execute(
        self, actor: User, decide: Decision, *, batch_key: int | None = None
    ) -> list[Event]:
        """Have a command decided, appended and applied."""
        return self.bus.execute(actor.name, decide, batch_key=batch_key)


def reload_actor(view: ReadModel, actor: User) -> User:
    """Who asks, as they are now: their role may have changed, and their name."""
    return get_user(view, actor.user_id, actor.name)


def get_user(view: ReadModel, user_id: int, name: str) -> User:
    """The user with a number, whatever their name is now."""
    found = view.find_user_by_id(user_id)
    if found is None:
        raise NotSignedIn(f"The user '{name}' is not there any more.")
    return found

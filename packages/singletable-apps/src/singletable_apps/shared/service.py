"""What services of all apps use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeAlias

from singletable import Store
from singletable_apps.shared.mail import Mailer
from singletable_apps.shared.urls import Urls

# Called with the current revision; raises if the edit was based on another.
RevisionCheck: TypeAlias = Callable[[int], None]


def any_revision(_: int) -> None:
    """Accept every revision."""


def utc_now() -> datetime:
    """Return the current time."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Context:
    """What every part of a service works with.

    With `confirm_addresses`, an e-mail address is saved when its owner opens the link sent to it.
    """

    store: Store
    secret: bytes = field(repr=False)
    mailer: Mailer
    urls: Urls
    clock: Callable[[], datetime] = utc_now
    confirm_addresses: bool = False

    def link(self, page: str, token: str) -> str:
        """Return the link in an e-mail to a page, such as email/old, with a token."""
        return self.urls.absolute(self.urls.page(*page.split("/"), token=token))
